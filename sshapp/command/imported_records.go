package command

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// importRow is the command that keeps records from elsewhere.
func importRow() *row {
	return &row{Name: "import", Answer: studyJSON{}, Example: "import --list", Cost: tree.Heavy,
		Summary: text.T("keep a record from standard input as a study of yours; nobody else sees it"), Run: importRecord}
}

type studyJSON struct {
	ID     storage.MatchID `json:"id" help:"the id of the study, for record"`
	Game   string          `json:"game" help:"the id of the game"`
	Names  []string        `json:"names" help:"who played the first and the second side, as the record says"`
	Result string          `json:"result" help:"the result at the end of the record: 1-0, 0-1, 1/2-1/2 or *"`
	Plies  int             `json:"plies" help:"how many moves it has"`
	At     *string         `json:"at" help:"when it was imported, in UTC"`
}

func studyOf(st studies.Study) studyJSON {
	return studyJSON{st.ID, st.Game, []string{st.First, st.Second}, st.Result, st.Plies, jsonTime(st.At)}
}

// studyRow is a study in a list.
func studyRow(c *call, st studies.Study) reply.Row {
	return reply.Made(func() string {
		return strings.Join([]string{string(st.ID), day(c.say, st.At), st.Game, text.Clean(st.First) + " - " + text.Clean(st.Second), st.Result,
			c.say.N(st.Plies, "1 move", "%d moves")}, "\t")
	}, func() any { return studyOf(st) })
}

// importRecord keeps a record, or lists or removes those that are kept.
func importRecord(f *tree.Flags) run {
	list := f.Bool("list", text.T("list your studies instead, the newest first"))
	remove := f.String("remove", "ID", "", text.T("remove this study instead, with your notes on it"))
	return func(c *call) (reply.Reply, error) {
		if *list && *remove != "" {
			return nil, usageError{words: c.say.T("Either --list or --remove.")}
		}
		who, err := c.owner()
		switch {
		case err != nil:
			return nil, err
		case *list:
			return listStudies(c, who), nil
		case *remove != "":
			return reply.Later(func() (reply.Part, error) {
				if err := c.lobby().Studies.RemoveStudy(c.ctx, who, *remove); err != nil {
					return reply.Part{}, err
				}
				return reply.Part{Rows: []reply.Row{reply.ForPeople(c.say.T("The study is removed."))}}, nil
			}), nil
		case c.caller.Receive == nil:
			return nil, refusal{codeNotOpen, c.say.T("A record comes by standard input: %s", c.say.SSH("import < record.txt"))}
		}
		return func(yield func(reply.Part, error) bool) {
			var typed string
			if !yield(reply.Part{Wait: func() (err error) { typed, err = readInput(c.ctx, c.caller.Receive); return err }}, nil) {
				return
			}
			st, err := c.lobby().Studies.Import(c.ctx, who, typed)
			if wrong, ok := errors.AsType[*games.RecordError](err); ok {
				err = refusal{codeIllegal, c.say.Record(wrong)}
			}
			yield(reply.Part{Rows: []reply.Row{reply.Made(func() string { return string(st.ID) }, func() any { return studyOf(st) })}, Last: true}, err)
		}, nil
	}
}

func listStudies(c *call, who lobby.User) reply.Reply {
	return reply.Later(func() (reply.Part, error) {
		all, err := c.lobby().Studies.Imported(c.ctx, who)
		if err != nil {
			return reply.Part{}, err
		}
		var rows []reply.Row
		for _, st := range all {
			rows = append(rows, studyRow(c, st))
		}
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("You have no studies. To import a record: %s", c.say.SSH("import < record.txt"))))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	})
}

// inputTime is how long a client may take to send a record.
const inputTime = 30 * time.Second

// readInput reads the input of a client to its end, or a byte more than a record may have. The errors are lobby.ErrSlowInput and the error of ctx.
func readInput(ctx context.Context, read func(ctx context.Context, p []byte) (int, error)) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, inputTime, lobby.ErrSlowInput)
	defer cancel()
	var all []byte
	for chunk := make([]byte, 4<<10); len(all) <= studies.MaxText; {
		n, err := read(ctx, chunk)
		all = append(all, chunk[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return string(all[:min(len(all), studies.MaxText+1)]), nil
}
