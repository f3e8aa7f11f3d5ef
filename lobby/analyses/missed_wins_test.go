package analyses

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/games/puzzle"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

var (
	ana = match.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	rui = match.User{Kind: storage.Person, ID: "p2", Name: "rui"}
)

// nowhere knows no addresses.
type nowhere struct{}

func (nowhere) Of(storage.Occupant) origin.Origin { return origin.Origin{} }

// history is the finished matches of both players.
type history struct {
	rows []results.Finished
	err  error
}

func (h *history) History(_ context.Context, q results.HistoryQuery) (all []results.Finished, err error) {
	for _, f := range h.rows {
		if len(all) < q.Limit && (q.Game == "" || q.Game == f.Game) && (string(q.Player) == f.First.ID || string(q.Player) == f.Second.ID) {
			all = append(all, f)
		}
	}
	return all, h.err
}

// A missing is a match of 4Mation in which ana could win within three plies, made another move, and rui resigned. It is analysed.
type missing struct {
	finished results.Finished
	analysis *analysis.Analysis
}

// missed returns such a match, from the position of a puzzle.
func missed(t *testing.T) missing {
	t.Helper()
	set, err := puzzle.Of(fourmation.New())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Puzzles {
		if p.Plies != 3 || p.Side() != games.First {
			continue
		}
		for _, m := range p.Start.Legal() {
			if _, o := p.Begin().Try(m); o.Verdict != puzzle.Wrong || o.Moved.Result().Over {
				continue
			}
			started := time.Unix(1e9, 0)
			return missing{results.Finished{
				ID: "m1", Code: "K7QM2X", Game: "fourmation", Options: p.Start.Options(), Setup: results.Setup{From: p.Start.String()},
				First: ana.Occupant(), Second: rui.Occupant(), Plies: 1,
				Course: results.Course{Moves: []games.Move{m}}, Result: "first", Reason: "resigned", Started: started, Ended: started.Add(time.Minute),
			}, &analysis.Analysis{Version: analysis.Version, Points: []analysis.Point{{
				Value: games.MaxEvaluation, Chance: 1, Proven: analysis.ProvenFirst, Plies: 3, Best: p.Solution.Move, Mark: analysis.Blunder,
				Why: games.Claim{Kind: games.WouldWin, Move: p.Solution.Move, Count: 2},
			}, {Chance: 0.5}}}}
		}
	}
	t.Fatal("no puzzle of the first side in three plies has a wrong move")
	return missing{}
}

// newMissed returns the missed wins of a match, and a count of how often its view was asked for.
func newMissed(t *testing.T, m missing, rows ...results.Finished) (*MissedWins, *atomic.Int64) {
	t.Helper()
	s, err := match.Replay(m.finished, func(string) (games.Game, error) { return fourmation.New(), nil })
	if err != nil {
		t.Fatal(err)
	}
	var views atomic.Int64
	q, _ := newQueue(t, func(c *Config) {
		c.Match = func(context.Context, storage.MatchID) (*match.View, error) {
			views.Add(1)
			return s.View(), nil
		}
		c.Store = &fakeStore{load: func() (*analysis.Analysis, error) { return m.analysis, nil }}
	})
	return NewMissedWins(q, &history{rows: append([]results.Finished{m.finished}, rows...)}, nowhere{}), &views
}

// TestMissedWins: the win that a player missed becomes a puzzle, which is proven once.
func TestMissedWins(t *testing.T) {
	m := missed(t)
	older := m.finished
	older.ID = "m0"
	older.Second.Name = "zoë"
	wins, views := newMissed(t, m, older)
	w, err := wins.Next(t.Context(), ana, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	best := m.analysis.Points[0].Best
	if w.Puzzle.ID != "m1.1" || w.Opponent != "rui" || w.Number != 1 || w.Played != m.finished.Moves[0] || w.Puzzle.Plies != 3 || w.Puzzle.Solution.Move != best {
		t.Errorf("%+v, a puzzle %v", w, w.Puzzle)
	}
	if _, o := w.Puzzle.Begin().Try(best); o.Verdict != puzzle.Right {
		t.Errorf("%s is %v", best, o.Verdict)
	}
	if other, err := wins.Next(t.Context(), ana, fourmation.New(), w.Puzzle.ID); err != nil || other.Puzzle.ID != "m0.1" || other.Opponent != "zoë" {
		t.Errorf("after it comes %+v, %v", other, err)
	}
	if first, err := wins.Next(t.Context(), ana, nil, "m0.1"); err != nil || first.Puzzle != w.Puzzle {
		t.Errorf("after the last comes %+v, %v", first, err)
	}
	if same, err := wins.Find(t.Context(), ana, strings.ToUpper(w.Puzzle.ID)); err != nil || same.Puzzle != w.Puzzle {
		t.Errorf("found is %+v, %v", same, err)
	}
	if n := views.Load(); n != 2 {
		t.Errorf("%d wins were proven, want each of the two once", n)
	}
	if _, err := wins.Find(t.Context(), rui, w.Puzzle.ID); err != refusal.ErrNoMissedWin {
		t.Errorf("another player finds it: %v", err)
	}
}

// TestNoMissedWins: nobody gets a puzzle of what was no missed win of theirs.
func TestNoMissedWins(t *testing.T) {
	m := missed(t)
	for _, tt := range []struct {
		name   string
		who    match.User
		game   games.Game
		change func(f *results.Finished, a *analysis.Analysis)
		want   error
	}{
		{name: "the player", who: ana},
		{name: "the other side", who: rui, want: refusal.ErrNoMissedWin},
		{name: "a guest", who: match.User{Kind: storage.Guest, ID: "p1"}, want: refusal.ErrNeedsKey},
		{name: "a key without an account", want: refusal.ErrNoMissedWin},
		{name: "another game", who: ana, game: petteia.New(), want: refusal.ErrNoMissedWin},
		{name: "a move that was given", who: ana, change: func(f *results.Finished, _ *analysis.Analysis) { f.Start = 1 }, want: refusal.ErrNoMissedWin},
		{name: "no mark", who: ana, change: func(_ *results.Finished, a *analysis.Analysis) { a.Points[0].Mark = analysis.Fine }, want: refusal.ErrNoMissedWin},
		{name: "another reason", who: ana, change: func(_ *results.Finished, a *analysis.Analysis) { a.Points[0].Why.Kind = games.LetsWin }, want: refusal.ErrNoMissedWin},
		{name: "an old analysis", who: ana, change: func(_ *results.Finished, a *analysis.Analysis) { a.Version-- }, want: refusal.ErrNoMissedWin},
		{name: "a win that isn't one", who: ana, change: func(_ *results.Finished, a *analysis.Analysis) { a.Points[0].Plies = 1 }, want: refusal.ErrNoMissedWin},
	} {
		changed := missing{m.finished, &analysis.Analysis{Version: m.analysis.Version, Points: append([]analysis.Point{}, m.analysis.Points...)}}
		rows := changed
		if tt.change != nil {
			tt.change(&rows.finished, changed.analysis)
		}
		wins, _ := newMissed(t, changed)
		wins.store = &history{rows: []results.Finished{rows.finished}}
		if w, err := wins.Next(t.Context(), tt.who, tt.game, ""); err != tt.want || (w != nil) != (tt.want == nil) {
			t.Errorf("%s: %+v, %v, want %v", tt.name, w, err, tt.want)
		}
	}
	wins, _ := newMissed(t, m)
	wins.store = &history{err: storage.ErrDamaged}
	if _, err := wins.Next(t.Context(), ana, nil, ""); !errors.Is(err, refusal.ErrBusy) {
		t.Errorf("of a damaged history: %v", err)
	}
}

// TestDamagedAnalysisOfMissedWin: a match with a damaged analysis has no missed wins, and a look at it, which makes no new one, does not log that.
func TestDamagedAnalysisOfMissedWin(t *testing.T) {
	var logged bytes.Buffer
	q, stop := newQueue(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&logged, nil))
		c.Store = &fakeStore{load: func() (*analysis.Analysis, error) { return nil, storage.ErrDamaged }}
	})
	wins := NewMissedWins(q, &history{rows: []results.Finished{missed(t).finished}}, nowhere{})
	if w, err := wins.Next(t.Context(), ana, nil, ""); err != refusal.ErrNoMissedWin {
		t.Errorf("of a damaged analysis: %+v, %v", w, err)
	}
	stop()
	if logged.Len() > 0 {
		t.Errorf("a look logs %q", &logged)
	}
}

// TestMissedWinsTakeTurns: a missed win waits in the queue of analyses under the bounds of a person, and leaves it with its reader.
func TestMissedWinsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 9})
		by := origin.Origin{Person: "ana"}
		_, leave, err := q.add(by, &item{id: "m1", total: 10})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 2)
		for ply := range 2 {
			go func() {
				_, err := q.proven(ctx, by, candidate{match: "m1", ply: ply})
				left <- err
			}()
		}
		synctest.Wait()
		if q.Len() != 3 || len(q.byID) != 3 {
			t.Errorf("%d are in the queue, %d known, want the analysis and two wins", q.Len(), len(q.byID))
		}
		if _, err := q.proven(ctx, by, candidate{match: "m1", ply: 2}); err != refusal.ErrManyAnalyses {
			t.Errorf("a third win that waits: %v", err)
		}
		cancel()
		for range 2 {
			if err := <-left; err != context.Canceled {
				t.Errorf("a reader that leaves: %v", err)
			}
		}
		leave()
		time.Sleep(time.Hour)
		if it := q.first(); it != nil || len(q.byID) != 1 || len(q.paused) != 1 {
			t.Errorf("%v is worked on without a reader; %d are known, %d paused, want the analysis", it, len(q.byID), len(q.paused))
		}
	})
}

// TestMissedWinsAreForgotten: only the newest are kept.
func TestMissedWinsAreForgotten(t *testing.T) {
	m := NewMissedWins(nil, nil, nil)
	for i := range 3 * maxMissed {
		c := candidate{match: "m1", ply: i}
		m.keep(c.id(), nil)
		m.keep(c.id(), nil)
	}
	newest, oldest := candidate{match: "m1", ply: 3*maxMissed - 1}, candidate{match: "m1", ply: 2*maxMissed - 1}
	_, known := m.find(newest.id())
	_, gone := m.find(oldest.id())
	if len(m.kept) != maxMissed || len(m.order) != maxMissed || !known || gone {
		t.Errorf("%d are kept in the order of %d; the newest %v, the oldest %v", len(m.kept), len(m.order), known, gone)
	}
}
