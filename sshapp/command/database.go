package command

import (
	"strings"
	"time"

	"ludoteca/lobby"
	refusals "ludoteca/lobby/refusal"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage/results"
)

func databaseRow() *row {
	return &row{Name: "database", Example: "database petteia --since 2026-01-01", Answer: recordJSON{}, Summary: text.T("the records of all rated matches, the oldest first"), Cost: tree.Steps,
		Args: []tree.Arg{optional(gameArg())}, Run: database}
}

// databasePage is how many matches one step of database reads and writes, which takes a millisecond or two. With 100 the stream was no faster, 9,000
// records a second on two cores that its client used too, and a player's keys beside it took up to 2.9 ms (p99) instead of 1.1.
const databasePage = 20

// database prints the records of all rated matches, an empty line between.
func database(f *tree.Flags) run {
	since := f.String("since", "DATE", "", text.T("only matches that ended on this day, such as 2026-01-31, or later, in UTC; a time such as 2026-01-31T18:00:00Z is fine too"))
	return func(c *call) (reply.Reply, error) {
		q := results.PageQuery{Rated: true, Whole: true, Limit: databasePage}
		if len(c.words) == 1 {
			g, err := c.game(c.words[0])
			if err != nil {
				return nil, err
			}
			q.Game = g.About().ID
		}
		var err error
		if q.Since, err = sinceOf(c, *since); err != nil {
			return nil, err
		}
		if c.runner.options.Database == nil {
			return nil, lobby.ErrBusy
		}
		return recordPages(c, q), nil
	}
}

// sinceOf reads a day or a time in UTC; "" is the zero time.
func sinceOf(c *call, typed string) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(form, typed); err == nil && at.Year() > 0 {
			return at.UTC(), nil
		}
	}
	return time.Time{}, usageError{words: c.say.T("--since is a day or a time in UTC: 2026-01-31 or 2026-01-31T18:00:00Z.")}
}

// recordPages reads records a page at a time: no transaction is open, and no place of the gate is taken, while the client reads.
func recordPages(c *call, q results.PageQuery) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		before := "" // the line between a record and the one before
		for {
			found, next, err := c.runner.options.Database.Page(c.ctx, q)
			err = refusals.OfStore(err)
			rows := make([]reply.Row, 0, len(found))
			for _, r := range found {
				between := before
				before = "\n"
				rows = append(rows, reply.Row{
					Words: func() (string, error) {
						text, err := c.records().Text(r.Finished)
						return between + strings.TrimSuffix(string(text), "\n"), err
					},
					Object: func() (any, error) { return recordLine(c.records(), r.Finished) },
				})
			}
			last := next == (results.Cursor{})
			if !yield(reply.Part{Rows: rows, Last: last}, err) || err != nil || last {
				return
			}
			q.After = next
		}
	}
}
