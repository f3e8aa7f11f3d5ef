package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/storage"
)

// historyJSON is one match in a list.
type historyJSON struct {
	ID      storage.MatchID `json:"id"`
	Game    string          `json:"game"`
	Options games.Options   `json:"options"`
	First   string          `json:"first"`
	Second  string          `json:"second"`
	Result  string          `json:"result"`
	Reason  string          `json:"reason"`
	Plies   int             `json:"plies"`
	Rated   bool            `json:"rated"`
	Started *string         `json:"started"` // null while it has not
	Ended   *string         `json:"ended"`   // null while it has not
	aidJSON
}

// aidJSON says where a match began, and what help was taken in it.
type aidJSON struct {
	Start     int  `json:"start"` // how many of the moves were given
	Helped    bool `json:"helped"`
	Hints     int  `json:"hints"`
	Takebacks int  `json:"takebacks"`
}

func aid(start int, h storage.Help) aidJSON {
	return aidJSON{start, h != storage.Help{}, h.Hints, h.Takebacks}
}

func finished(f storage.Finished) historyJSON {
	return historyJSON{
		ID: f.ID, Game: f.Game, Options: f.Options, First: f.First.Name, Second: f.Second.Name, Result: f.Result,
		Reason: f.Reason, Plies: f.Plies, Rated: f.Rated, Started: jsonTime(f.Started), Ended: jsonTime(f.Ended),
		aidJSON: aid(f.Start, f.Helped),
	}
}

// history prints finished matches, newest first. Without a name they are the caller's, or all players' for a caller
// without a name.
func history(c *call) error {
	if c.flags.limit < 1 {
		return usageError{"--limit is at least 1"}
	}
	q := lobby.HistoryQuery{}
	if c.flags.game != "" {
		g, err := c.game(c.flags.game)
		if err != nil {
			return err
		}
		q.Game = g.About().ID
	}
	if len(c.words) == 1 {
		q.Name = c.words[0]
	} else {
		who, err := c.visitor()
		if err != nil {
			return err
		}
		if who.Kind == storage.Person {
			q.Name = who.Name
		}
	}
	return c.historyPages(q)
}

// historyPages reads and prints the history a page at a time, so that a long answer to a slow client costs little memory.
func (c *call) historyPages(q lobby.HistoryQuery) error {
	const page = 200
	for left := c.flags.limit; left > 0; {
		q.Limit = min(left, page)
		found, next, err := c.lobby().History(c.ctx, q)
		if errors.Is(err, lobby.ErrNoSuchPlayer) {
			return refuse("Nobody here is called %s.", short(q.Name))
		}
		if err != nil {
			return err
		}
		if err := c.printHistory(found); err != nil {
			return err
		}
		if next == (storage.Cursor{}) {
			return nil
		}
		q.Before, left = next, left-len(found) // which may be less than was asked for
	}
	return nil
}

func (c *call) printHistory(found []storage.Finished) error {
	if !c.flags.json {
		rows := make([]string, 0, len(found))
		for _, f := range found {
			rows = append(rows, historyRow(f))
		}
		return c.table(rows)
	}
	for _, f := range found {
		if err := c.json(finished(f)); err != nil {
			return err
		}
	}
	return nil
}

func historyRow(f storage.Finished) string {
	kind := "casual"
	if f.Rated {
		kind = "rated"
	}
	if f.Helped != (storage.Help{}) {
		kind += ", helped"
	}
	return strings.Join([]string{string(f.ID), day(f.Ended), f.Game, shownName(f.First) + " - " + shownName(f.Second),
		token(f.Result), f.Reason, fmt.Sprintf("%d moves", f.Plies), kind}, "\t")
}

// token is a result as records write it.
func token(result string) string {
	switch result {
	case "first":
		return games.TokenFirst
	case "second":
		return games.TokenSecond
	case "draw":
		return games.TokenDraw
	}
	return games.TokenNone
}

// record prints the whole record of a match, finished or not.
func record(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	seat, err := c.seat(who)
	if err != nil {
		return err
	}
	f, err := c.lobby().Record(c.ctx, seat.ID())
	if err != nil {
		return err
	}
	return recordOf(f).Write(c.out)
}

// recordOf makes the record of a match.
func recordOf(f storage.Finished) *games.Record {
	rated := "no"
	if f.Rated {
		rated = "yes"
	}
	r := &games.Record{Moves: f.Moves, Result: token(f.Result)}
	r.Set(games.HeaderGame, f.Game)
	r.Set(games.HeaderOptions, f.Options.String())
	r.Set(games.HeaderFirst, f.First.Name)
	r.Set(games.HeaderSecond, f.Second.Name)
	r.Set(games.HeaderResult, r.Result)
	r.Set(games.HeaderReason, f.Reason)
	r.Set(games.HeaderStarted, stamp(f.Started))
	r.Set(games.HeaderEnded, stamp(f.Ended))
	r.Set(games.HeaderRated, rated)
	r.Set(games.HeaderID, string(f.ID))
	r.Set(games.HeaderSite, "Ludoteca")
	if f.Start > 0 {
		r.Set(games.HeaderGiven, strconv.Itoa(f.Start))
	}
	if f.Helped != (storage.Help{}) {
		r.Set(games.HeaderHelped, helpWords(f.Helped))
	}
	return r
}

// helpWords says what help was taken: "2 hints, 1 takeback".
func helpWords(h storage.Help) string {
	var words []string
	for _, k := range []struct {
		n    int
		what string
	}{{h.Hints, "hint"}, {h.Takebacks, "takeback"}} {
		switch k.n {
		case 0:
		case 1:
			words = append(words, "1 "+k.what)
		default:
			words = append(words, fmt.Sprintf("%d %ss", k.n, k.what))
		}
	}
	return strings.Join(words, ", ")
}

// analyse says where a finished match was won and lost. It waits with the caller until the analysis is made, and prints
// nothing before that.
func analyse(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	seat, v, err := c.seatNow(who)
	if err != nil {
		return err
	}
	var s lobby.AnalysisProgress
	for s.Stage != lobby.AnalysisReady {
		now, err := c.lobby().Analysis(c.ctx, seat.ID(), s.Seq)
		if errors.Is(err, lobby.ErrNotOver) {
			return refuse("This match is not over yet: it can be analysed when it is.")
		}
		if err != nil {
			return err
		}
		s = *now
	}
	r := analysis.Report{
		ID: string(v.ID), Game: v.Game, Options: v.Options, Moves: v.Moves, Analysis: s.Analysis,
	}
	if c.flags.json {
		return r.WriteJSON(c.out)
	}
	return r.WriteText(c.out)
}
