package command

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage/results"
)

// historyRows are the commands about matches that are over.
func historyRows() []*row {
	return group(text.T("Finished matches"),
		&row{Name: "history", Example: "history ana --with rui --result won --opening \"e2-e3\"", Answer: historyJSON{}, Summary: text.T("finished matches, newest first"), Cost: tree.Steps, Args: []tree.Arg{optional(nameArg())}, Split: splitHistory, Run: history},
		&row{Name: "record", Answer: recordJSON{}, Example: "record K7QM2X --cast", Summary: text.T("the whole record of a match; --cast writes an asciicast"), Cost: tree.Heavy, Args: []tree.Arg{matchArg()}, Run: record},
		&row{Name: "replay", Answer: recordJSON{}, Summary: text.T("play a match in the terminal, move by move"), Cost: tree.Heavy, Args: []tree.Arg{matchArg()}, Run: plain(replay)},
		openingsRow(),
		databaseRow(),
		importRow(),
		noteRow(),
		&row{Name: "analyse", Answer: analysisJSON{}, Summary: text.T("where a finished match was won and lost"), Cost: tree.Steps, Args: []tree.Arg{matchArg()}, Run: plain(analyse)},
	)
}

// history prints finished matches, newest first. Without a name they are the caller's, or all players' for a caller
// without a name.
func history(f *tree.Flags) run {
	game := f.String("game", "GAME", "", text.T("only matches of this game"))
	with := f.String("with", "NAME", "", text.T("only matches against this player"))
	outcome := f.String("result", "won|lost|draw|first|second", "", text.T("only matches that the player won or lost, that were drawn, or that this side won"))
	since := f.String("since", "DATE", "", text.T("only matches that ended on this day, such as 2026-01-31, or later, in UTC; a time such as 2026-01-31T18:00:00Z is fine too"))
	opening := f.String("opening", "MOVES", "", text.T("only matches that began with these moves: \"d4 c3\""))
	limit := f.Int("limit", "N", 20, text.T("how many matches at most"))
	return func(c *call) (reply.Reply, error) {
		if *limit < 1 {
			return nil, usageError{words: c.say.T("--limit is at least 1.")}
		}
		q, err := historyQuery(c, *game)
		if err != nil {
			return nil, err
		}
		asked := standings.SearchQuery{HistoryQuery: q, With: *with, Outcome: results.Outcome(*outcome)}
		if asked.Since, err = sinceOf(c, *since); err != nil {
			return nil, err
		}
		if asked.Opening, err = openingOf(c, q.Game, *opening); err != nil {
			return nil, err
		}
		switch asked.Outcome {
		case "", results.FirstWon, results.SecondWon, results.Drawn:
		case results.Won, results.Lost:
			if q.Name == "" {
				return nil, usageError{words: c.say.T("Who won or lost? Say it with a name: history NAME --result won")}
			}
		default:
			return nil, usageError{words: c.say.T("--result is won, lost, draw, first or second.")}
		}
		return historyPages(c, asked, *limit), nil
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
	if who.Kind.HasAccount() {
		q.Name = who.Name
	}
	return q, err
}

// openingOf reads the first moves of matches, in the ways that people type them if the game is known. Numbers before them are passed over.
func openingOf(c *call, game, typed string) (moves []games.Move, err error) {
	var start games.Position
	if game != "" {
		g, err := c.lobby().Game(game)
		if err != nil {
			return nil, err
		}
		options, err := games.Complete(g, nil)
		if err != nil {
			return nil, err
		}
		if start, err = g.New(options); err != nil {
			return nil, err
		}
	}
	for word := range strings.FieldsSeq(typed) {
		if strings.HasSuffix(word, ".") {
			continue
		}
		move := games.Move(strings.ToLower(word))
		if start != nil {
			if move, err = start.Read(word); err != nil {
				return nil, err
			}
		}
		moves = append(moves, move)
	}
	return moves, nil
}

const (
	// historyPage is how many matches one step of history reads and prints, which takes a millisecond or two. A page takes three requests to a store
	// on other machines.
	historyPage = 200

	// mostSkipped is how many matches a search may look at and not find.
	mostSkipped = 50_000
)

// historyPages reads the history a page at a time, so that a long answer to a slow client needs little memory and doesn't delay others.
func historyPages(c *call, q standings.SearchQuery, limit int) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		skipped := 0
		search, err := c.lobby().Results.Search(c.ctx, q)
		var nobody *standings.NobodyError
		if errors.As(err, &nobody) {
			err = refusal{codeNotFound, c.say.T("Nobody here is called %s.", tree.Quoted(nobody.Name))}
		}
		for left := limit; left > 0; {
			var page results.SearchPage
			if err == nil {
				page, err = search.Step(c.ctx, min(left, historyPage))
			}
			rows := make([]reply.Row, 0, len(page.Found))
			for _, f := range page.Found {
				rows = append(rows, reply.Made(func() string { return historyCells(c, f) }, func() any { return finished(f) }))
			}
			left, skipped = left-len(page.Found), skipped+page.Skipped // a step may find less than was asked for
			last := page.Next == (results.Cursor{}) || left == 0
			if last && left == limit && err == nil {
				rows = append(rows, reply.ForPeople(c.say.T("There are no finished matches.")))
			}
			if !yield(reply.Part{Rows: rows, Table: true, Last: last}, err) || err != nil || last {
				return
			}
			if skipped >= mostSkipped {
				yield(reply.Part{}, refusal{codeFull, c.say.T("The search ends here, with %s: it has looked at %d matches. A NAME, --with or --game makes it shorter.", day(c.say, page.Next.Ended), skipped)})
				return
			}
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
	return strings.Join([]string{string(f.ID), day(c.say, f.Ended), f.Game, shownName(c.say, f.First) + " - " + shownName(c.say, f.Second),
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

// An analysisJSON says for help what an analysis.Report writes.
type analysisJSON struct {
	ID        string           `json:"id" help:"the id of the match"`
	Game      string           `json:"game" help:"the id of the game"`
	Options   games.Options    `json:"options" help:"the value of each option of the game, by its key"`
	Nodes     int              `json:"nodes" help:"how many positions were looked at for each move, about"`
	Sides     analysedSides    `json:"sides" help:"how well each side played"`
	Positions []judgedPosition `json:"positions" help:"the positions of the match, from before the first move to after the last"`
}

type analysedSides struct {
	First  performanceJSON `json:"first" help:"how well the first side played"`
	Second performanceJSON `json:"second" help:"how well the second side played"`
}

type performanceJSON struct {
	Moves    int      `json:"moves" help:"how many moves the side made, without given ones"`
	Accuracy *float64 `json:"accuracy" help:"how little the moves gave away, from 0 to 100, as lichess computes it; null: there are none"`
	Loss     *float64 `json:"loss" help:"the share of the point that a move gave away on average, from 0 to 1; null: there are none"`
}

type judgedPosition struct {
	Ply    int          `json:"ply" help:"how many moves were made before it"`
	Move   games.Move   `json:"move" help:"the move that was played from it; \"\" for the last position"`
	Value  int          `json:"value" help:"what it is worth to the first side, about 100 for a piece"`
	Chance float64      `json:"chance" help:"the share of the point that the first side may expect, from 0 to 1"`
	Proven string       `json:"proven" help:"the result that is certain: first, second or draw; \"\": none"`
	Plies  *int         `json:"plies" help:"how many moves that win takes at most; null: none is proven"`
	Best   games.Move   `json:"best" help:"the best move from it; \"\" at the end"`
	Line   []games.Move `json:"line" help:"the moves that both sides are expected to play, the best one first"`
	Mark   string       `json:"mark" help:"how much the move that was played gave away: inaccuracy, mistake or blunder; \"\": little"`
	Why    *whyJSON     `json:"why" help:"a reason for the mark that the rules show; null: none is known"`
}

type whyJSON struct {
	Kind  string     `json:"kind" help:"what is claimed: would_win, lets_win, or a kind of the game"`
	Move  games.Move `json:"move" help:"the better move, or the reply; \"\": none is named"`
	Cells []string   `json:"cells" help:"the places on the board that it is about"`
	Count int        `json:"count" help:"how many moves or pieces it is about"`
}

// analyse says where a finished match was won and lost. It waits with the caller until the analysis is made, and prints
// nothing before that.
func analyse(c *call) (reply.Reply, error) {
	return func(yield func(reply.Part, error) bool) {
		asked, err := analysisAsked(c)
		var s lobby.AnalysisProgress
		if !yield(reply.Part{Wait: func() (err error) { s, err = analysed(asked); return err }}, err) || err != nil {
			return
		}
		r, err := analysisReport(c, asked, s.Analysis)
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

// An askedAnalysis is what an analysis is asked of: a finished match, or a study of the caller.
type askedAnalysis struct {
	view     *lobby.View
	progress func(after uint64) (*lobby.AnalysisProgress, error)
	spent    func() ([]time.Duration, error) // on each move; nil: it is not known
}

// analysisAsked finds what the first word names.
func analysisAsked(c *call) (a askedAnalysis, err error) {
	st, _, err := ownStudy(c)
	switch {
	case err == nil:
		who, err := c.visitor()
		if err != nil {
			return a, err
		}
		v, err := c.lobby().Studies.View(st)
		return askedAnalysis{
			view: v, spent: func() ([]time.Duration, error) { return nil, nil },
			progress: func(after uint64) (*lobby.AnalysisProgress, error) {
				return c.lobby().Analyses.Study(c.ctx, who, v, after)
			},
		}, err
	case !errors.Is(err, lobby.ErrNoSuchMatch):
		return a, err
	}
	seat, v, err := c.seatAsked()
	if err == nil && !v.Over {
		err = refusal{codeNotOpen, c.say.T("This match is not over yet: it can be analysed when it is.")}
	}
	return askedAnalysis{
		view: v, spent: func() ([]time.Duration, error) {
			f, err := seat.Record(c.ctx)
			return f.Spent(), err
		},
		progress: func(after uint64) (*lobby.AnalysisProgress, error) {
			return c.lobby().Analyses.Analysis(c.ctx, seat.User(), seat.ID(), after)
		},
	}, err
}

// analysisReport returns the analysis of a match with what it is about, and the words of the review for what marked moves gave away.
func analysisReport(c *call, asked askedAnalysis, a *analysis.Analysis) (*analysis.Report, error) {
	v := asked.view
	start, err := v.Initial()
	if err != nil {
		return nil, err
	}
	spent, err := asked.spent()
	if err != nil {
		return nil, err
	}
	return &analysis.Report{ID: string(v.ID), Game: v.Game, Start: start, Moves: v.Moves, Given: v.Start, Analysis: a,
		Remark: boardview.Remarks(c.say.Say), Times: c.say.Times(spent)}, nil
}

// analysed waits for the analysis of a match.
func analysed(asked askedAnalysis) (s lobby.AnalysisProgress, err error) {
	for s.Stage != lobby.AnalysisReady {
		now, err := asked.progress(s.Seq)
		if err != nil {
			return s, err
		}
		s = *now
	}
	return s, nil
}
