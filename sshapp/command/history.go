package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// historyRows are the commands about matches that are over.
func historyRows() []*row {
	return group(text.T("Finished matches"),
		&row{Name: "history", Example: "history ana --game tanks --limit 5", Answer: historyJSON{}, Summary: text.T("finished matches, newest first"), Cost: tree.Steps, Args: []tree.Arg{optional(nameArg())}, Run: history},
		&row{Name: "record", Answer: recordJSON{}, Example: "record K7QM2X --cast", Summary: text.T("the whole record of a match; --cast writes an asciicast"), Cost: tree.Heavy, Args: []tree.Arg{matchArg()}, Run: record},
		&row{Name: "replay", Answer: recordJSON{}, Summary: text.T("play a match in the terminal, move by move"), Cost: tree.Heavy, Args: []tree.Arg{matchArg()}, Run: plain(replay)},
		&row{Name: "analyse", Summary: text.T("where a finished match was won and lost"), Cost: tree.Steps, Args: []tree.Arg{matchArg()}, Run: plain(analyse)},
	)
}

// historyJSON is one match in a list.
type historyJSON struct {
	ID      storage.MatchID `json:"id" help:"the id"`
	Game    string          `json:"game" help:"the id of the game"`
	Options games.Options   `json:"options" help:"the options of the game"`
	First   string          `json:"first" help:"the first side"`
	Second  string          `json:"second" help:"the second side"`
	Result  string          `json:"result" help:"first, second, draw, or \"\" while it is open"`
	Reason  string          `json:"reason" help:"the reason"`
	Plies   int             `json:"plies" help:"how many moves were made"`
	Rated   bool            `json:"rated" help:"whether it counts for ratings"`
	Clock   string          `json:"clock" help:"the clock: none, 5+3 or 3d"`     // none, 5+3 or 3d
	Started *string         `json:"started" help:"when it began; null: not yet"` // null while it has not
	Ended   *string         `json:"ended" help:"when it ended; null: not yet"`   // null while it has not
	countJSON
	aidJSON
	kindsJSON
}

// kindsJSON says what sits on each side: player, guest or bot; "" while the seat is free.
type kindsJSON struct {
	FirstKind  storage.OccupantKind `json:"first_kind" help:"who sits on the first side: player, guest, bot, engine, or \"\" while it is free"`
	SecondKind storage.OccupantKind `json:"second_kind" help:"who sits on the second side: player, guest, bot, engine, or \"\" while it is free"`
}

// countJSON says how much a match counted for ratings.
type countJSON struct {
	Counted  bool        `json:"counted" help:"whether it has counted for ratings at all"`                                                                                  // at all
	Weight   *weightJSON `json:"weight" help:"how much it has counted for each player, from 0 to 1; null for a match without ratings"`                                      // for each player, from 0 to 1; null for a match without ratings
	Discount *reasonJSON `json:"discount" help:"why it has counted less than 1: repeated, new_account, daily_limit, same_moves, unsettled, dependent, unproven or unrated"` // why it is below 1: repeated, new_account, daily_limit, same_moves, unsettled, dependent, unproven or unrated
}

type weightJSON struct {
	First  float64 `json:"first" help:"the first side"`
	Second float64 `json:"second" help:"the second side"`
}

type reasonJSON struct {
	First  results.Discount `json:"first" help:"the first side"`
	Second results.Discount `json:"second" help:"the second side"`
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
	From      string `json:"from" help:"the position before the first move; \"\" for the start of the game"` // the position before the first move; "" for the start of the game
	Start     int    `json:"start" help:"how many of the moves were given"`                                  // how many of the moves were given
	Helped    bool   `json:"helped" help:"whether help was taken"`
	Hints     int    `json:"hints" help:"how many hints were taken"`
	Takebacks int    `json:"takebacks" help:"how many moves were taken back"`
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
func history(f *tree.Flags) run {
	game := f.String("game", "GAME", "", text.T("only matches of this game"))
	limit := f.Int("limit", "N", 20, text.T("how many matches at most"))
	return func(c *call) (reply.Reply, error) {
		if *limit < 1 {
			return nil, usageError{words: c.say.T("--limit is at least 1.")}
		}
		q, err := historyQuery(c, *game)
		if err != nil {
			return nil, err
		}
		return historyPages(c, q, *limit), nil
	}
}

// historyQuery returns what the words of history ask for. Without a name they are the caller's matches, or all players' for a caller without
// a name.
func historyQuery(c *call, game string) (q standings.HistoryQuery, err error) {
	if game != "" {
		g, err := c.game(game)
		if err != nil {
			return q, err
		}
		q.Game = g.About().ID
	}
	if len(c.words) == 1 {
		q.Name = c.words[0]
		return q, nil
	}
	who, err := c.visitor()
	if who.Kind == storage.Person {
		q.Name = who.Name
	}
	return q, err
}

// historyPage is how many matches one step of history reads and prints, which takes a millisecond or two.
const historyPage = 100

// historyPages reads the history a page at a time, so that a long answer to a slow client needs little memory and doesn't delay others.
func historyPages(c *call, q standings.HistoryQuery, limit int) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		for left := limit; left > 0; {
			q.Limit = min(left, historyPage)
			found, next, err := c.lobby().Results.History(c.ctx, q)
			if errors.Is(err, lobby.ErrNoSuchPlayer) {
				err = refusal{codeNotFound, c.say.T("Nobody here is called %s.", tree.Quoted(q.Name))}
			}
			rows := make([]reply.Row, 0, len(found))
			for _, f := range found {
				rows = append(rows, reply.Made(func() string { return historyCells(c, f) }, func() any { return finished(f) }))
			}
			last := next == (results.Cursor{}) || left <= len(found)
			if !yield(reply.Part{Rows: rows, Table: true, Last: last}, err) || err != nil || last {
				return
			}
			q.Before, left = next, left-len(found) // which may be less than was asked for
		}
	}
}

func historyCells(c *call, f results.Finished) string {
	moves, kind := c.say.N(f.Plies, "1 move", "%d moves"), []string{c.say.T("casual")}
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
		// Translators: a match in which hints or takebacks were used.
		kind = append(kind, c.say.T("helped"))
	}
	return strings.Join([]string{string(f.ID), day(f.Ended), f.Game, shownName(c.say, f.First) + " - " + shownName(c.say, f.Second),
		token(f.Result), reason(c, f), moves, strings.Join(kind, ", ")}, "\t")
}

// reason says in words why a match ended.
func reason(c *call, f results.Finished) string {
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
func record(f *tree.Flags) run {
	asCast := f.Bool("cast", text.T("write an asciicast, which terminal players show"))
	size := f.String("size", "COLSxROWS", "", text.T("the columns and lines of the asciicast, from 40x20 to 240x70; 80x24 without it"))
	return func(c *call) (reply.Reply, error) {
		cells, err := castSize(c, *asCast, *size)
		switch {
		case err != nil:
			return nil, err
		case *asCast:
			return castReply(c, cells), nil
		}
		return recordReply(c), nil
	}
}

// recordReply is the record of the match that the first word names.
func recordReply(c *call) reply.Reply {
	return reply.Later(func() (reply.Part, error) {
		seat, err := c.seat(c.visitor)
		if err != nil {
			return reply.Part{}, err
		}
		f, err := seat.Record(c.ctx)
		if err != nil {
			return reply.Part{}, err
		}
		return reply.Part{Rows: []reply.Row{{
			Words:  func() (string, error) { return written(recordOf(f).Write) },
			Object: func() (any, error) { return recordLine(f) },
		}}}, nil
	})
}

// written returns what write writes, without the line feed at the end.
func written(write func(io.Writer) error) (string, error) {
	var b strings.Builder
	err := write(&b)
	return strings.TrimSuffix(b.String(), "\n"), err
}

type recordJSON struct {
	historyJSON
	Moves []games.Move `json:"moves" help:"the moves"`
	Text  string       `json:"text" help:"the text"` // the record, as without --json
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
func analyse(c *call) (reply.Reply, error) {
	return func(yield func(reply.Part, error) bool) {
		seat, v, err := c.seatNow(c.visitor)
		if err == nil && !v.Over {
			err = refusal{codeNotOpen, c.say.T("This match is not over yet: it can be analysed when it is.")}
		}
		var s lobby.AnalysisProgress
		if !yield(reply.Part{Wait: func() (err error) { s, err = analysed(c, seat); return err }}, err) || err != nil {
			return
		}
		start, err := v.Initial()
		r := &analysis.Report{ID: string(v.ID), Game: v.Game, Start: start, Moves: v.Moves, Analysis: s.Analysis}
		yield(reply.Part{Rows: []reply.Row{{
			Words: func() (string, error) {
				return written(func(w io.Writer) error { return r.WriteText(w, c.say) })
			},
			Object: func() (any, error) {
				line, err := written(r.WriteJSON)
				return json.RawMessage(line), err
			},
		}}, Last: true}, err)
	}, nil
}

// analysed waits for the analysis of a match.
func analysed(c *call, seat *seats.Seat) (s lobby.AnalysisProgress, err error) {
	for s.Stage != lobby.AnalysisReady {
		now, err := c.lobby().Analyses.Analysis(c.ctx, seat.User(), seat.ID(), s.Seq)
		if err != nil {
			return s, err
		}
		s = *now
	}
	return s, nil
}
