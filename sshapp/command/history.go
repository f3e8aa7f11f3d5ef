package command

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
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
	Clock   string          `json:"clock"`   // none, 5+3 or 3d
	Started *string         `json:"started"` // null while it has not
	Ended   *string         `json:"ended"`   // null while it has not
	countJSON
	aidJSON
	kindsJSON
}

// kindsJSON says what sits on each side: player, guest or bot; "" while the seat is free.
type kindsJSON struct {
	FirstKind  storage.OccupantKind `json:"first_kind"`
	SecondKind storage.OccupantKind `json:"second_kind"`
}

// countJSON says how much a match counted for ratings.
type countJSON struct {
	Counted  bool        `json:"counted"`  // at all
	Weight   *weightJSON `json:"weight"`   // for each player, from 0 to 1; null for a match without ratings
	Discount *reasonJSON `json:"discount"` // why it is below 1: repeated, new_account, daily_limit, same_moves, unsettled, dependent, unproven or unrated
}

type weightJSON struct {
	First  float64 `json:"first"`
	Second float64 `json:"second"`
}

type reasonJSON struct {
	First  results.Discount `json:"first"`
	Second results.Discount `json:"second"`
}

func count(changes *[2]results.RatingChange) countJSON {
	if changes == nil {
		return countJSON{}
	}
	first, second := changes[0], changes[1]
	return countJSON{first.Weight > 0, &weightJSON{first.Weight, second.Weight}, &reasonJSON{first.Why, second.Why}}
}

// aidJSON says where a match began, and what help was taken in it.
type aidJSON struct {
	From      string `json:"from"`  // the position before the first move; "" for the start of the game
	Start     int    `json:"start"` // how many of the moves were given
	Helped    bool   `json:"helped"`
	Hints     int    `json:"hints"`
	Takebacks int    `json:"takebacks"`
}

func aid(from string, start int, h results.Help) aidJSON {
	return aidJSON{from, start, h != results.Help{}, h.Hints, h.Takebacks}
}

func finished(f results.Finished) historyJSON {
	return historyJSON{
		ID: f.ID, Game: f.Game, Options: f.Options, First: f.First.Name, Second: f.Second.Name, Result: f.Result,
		Reason: f.Reason, Plies: f.Plies, Rated: f.Rated, Clock: cmp.Or(f.Clock, "none"), Started: jsonTime(f.Started), Ended: jsonTime(f.Ended),
		countJSON: count(f.Ratings), aidJSON: aid(f.From, f.Start, f.Helped), kindsJSON: kindsJSON{f.First.Kind, f.Second.Kind},
	}
}

// history prints finished matches, newest first. Without a name they are the caller's, or all players' for a caller
// without a name.
func history(c *call) error {
	if c.flags.limit < 1 {
		return usageError{words: c.say.T("--limit is at least 1.")}
	}
	q := standings.HistoryQuery{}
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

// historyPage is how many matches one step of history reads and prints, which takes a millisecond or two.
const historyPage = 100

// historyPages reads and prints the history a page at a time, so that a long answer to a slow client needs little memory and
// doesn't delay others.
func (c *call) historyPages(q standings.HistoryQuery) error {
	for left := c.flags.limit; left > 0; {
		q.Limit = min(left, historyPage)
		var found []results.Finished
		var next results.Cursor
		err := c.step(func() (err error) {
			if found, next, err = c.lobby().Results.History(c.ctx, q); err != nil {
				return err
			}
			return c.printHistory(found)
		})
		if errors.Is(err, lobby.ErrNoSuchPlayer) {
			return refusal{codeNotFound, c.say.T("Nobody here is called %s.", short(q.Name))}
		}
		if err != nil {
			return err
		}
		if next == (results.Cursor{}) {
			return nil
		}
		q.Before, left = next, left-len(found) // which may be less than was asked for
	}
	return nil
}

func (c *call) printHistory(found []results.Finished) error {
	if !c.flags.json {
		rows := make([]string, 0, len(found))
		for _, f := range found {
			rows = append(rows, c.historyRow(f))
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

func (c *call) historyRow(f results.Finished) string {
	moves, kind := c.say.T("%d moves", f.Plies), []string{c.say.T("casual")}
	if f.Plies == 1 {
		moves = c.say.T("1 move")
	}
	if f.Rated {
		kind[0] = c.say.T("rated")
	}
	if set, err := lobby.ParseClock(f.Clock); err == nil && set.Kind != lobby.NoClock {
		kind = append(kind, c.say.ShortClock(set))
	}
	switch n := count(f.Ratings); {
	case n.Weight == nil:
	case !n.Counted:
		kind = append(kind, c.say.T("not counted"))
	case *n.Weight != weightJSON{1, 1}:
		kind = append(kind, c.say.T("counted less"))
	}
	if f.From != "" {
		kind = append(kind, c.say.T("from a position"))
	}
	if f.Helped != (results.Help{}) {
		kind = append(kind, c.say.T("helped"))
	}
	return strings.Join([]string{string(f.ID), day(f.Ended), f.Game, c.shownName(f.First) + " - " + c.shownName(f.Second),
		token(f.Result), c.reason(f), moves, strings.Join(kind, ", ")}, "\t")
}

// reason says in words why a match ended.
func (c *call) reason(f results.Finished) string {
	var about *games.About
	if g, err := c.lobby().Game(f.Game); err == nil {
		about = g.About()
	}
	return c.say.Reason(about, f.Options, f.Result, f.Reason, c.say.Name(f.First.Name), c.say.Name(f.Second.Name))
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
	size, err := c.castSize()
	if err != nil {
		return err
	}
	seat, err := c.seat(c.visitor)
	if err != nil {
		return err
	}
	if c.flags.cast {
		return c.writeCast(seat, size)
	}
	f, err := seat.Record(c.ctx)
	if err != nil {
		return err
	}
	if !c.flags.json {
		return recordOf(f).Write(c.out)
	}
	line, err := recordLine(f)
	if err != nil {
		return err
	}
	return c.json(line)
}

type recordJSON struct {
	historyJSON
	Moves []games.Move `json:"moves"`
	Text  string       `json:"text"` // the record, as without --json
}

// recordLine returns what JSON says of a match.
func recordLine(f results.Finished) (recordJSON, error) {
	var whole strings.Builder
	err := recordOf(f).Write(&whole)
	return recordJSON{finished(f), append([]games.Move{}, f.Moves...), whole.String()}, err
}

// recordOf makes the record of a match.
func recordOf(f results.Finished) *games.Record {
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
	r.Set(games.HeaderFirstKind, string(f.First.Kind))
	r.Set(games.HeaderSecondKind, string(f.Second.Kind))
	if f.Ratings != nil {
		for side, keys := range [2][2]string{{games.HeaderFirstRating, games.HeaderFirstChange}, {games.HeaderSecondRating, games.HeaderSecondChange}} {
			before := standings.RatingBefore(f.Ratings[side])
			after := before + standings.Gain(f.Ratings[side])
			r.Set(keys[0], strconv.Itoa(int(math.Round(before))))
			r.Set(keys[1], fmt.Sprintf("%+d", int(math.Round(after)-math.Round(before))))
		}
	}
	if f.Start > 0 {
		r.Set(games.HeaderGiven, strconv.Itoa(f.Start))
	}
	if f.From != "" {
		r.Set(games.HeaderSetUp, "1")
		r.Set(games.HeaderFEN, f.From)
	}
	if f.Helped != (results.Help{}) {
		r.Set(games.HeaderHelped, helpWords(f.Helped))
	}
	if f.Clock != "" {
		r.Set(games.HeaderClock, f.Clock)
		r.Left = slices.Clone(f.Left)
		for i := range f.Start {
			r.Left[i] = games.NoTime
		}
	}
	if n := count(f.Ratings); n.Weight != nil && *n.Weight != (weightJSON{1, 1}) {
		r.Set(games.HeaderCounted, countWords(f.Ratings[0])+", "+countWords(f.Ratings[1]))
	}
	return r
}

// countWords says how much a match counted for a player, and why not fully: "0.25 new_account".
func countWords(c results.RatingChange) string {
	return strings.TrimSpace(strconv.FormatFloat(c.Weight, 'g', -1, 64) + " " + string(c.Why))
}

// helpWords says what help was taken: "2 hints, 1 takeback".
func helpWords(h results.Help) string {
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
	var seat *seats.Seat
	var v *lobby.View
	if err := c.step(func() (err error) { seat, v, err = c.seatNow(c.visitor); return err }); err != nil {
		return err
	}
	if !v.Over {
		return refusal{codeNotOpen, c.say.T("This match is not over yet: it can be analysed when it is.")}
	}
	var s lobby.AnalysisProgress
	for s.Stage != lobby.AnalysisReady {
		now, err := c.lobby().Analyses.Analysis(c.ctx, seat.User(), seat.ID(), s.Seq)
		if err != nil {
			return err
		}
		s = *now
	}
	start, err := v.Initial()
	if err != nil {
		return err
	}
	r := analysis.Report{
		ID: string(v.ID), Game: v.Game, Start: start, Moves: v.Moves, Analysis: s.Analysis,
	}
	return c.step(func() error {
		if c.flags.json {
			return r.WriteJSON(c.out)
		}
		return r.WriteText(c.out, c.say.T)
	})
}
