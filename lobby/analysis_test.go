package lobby_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// quickly makes analyses short.
func quickly(c *lobby.Config) { c.AnalysisNodes = 50 }

// reference is the analysis of a won match.
func reference(t *testing.T) *analysis.Analysis {
	t.Helper()
	g := fourmation.New()
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	start, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(t.Context(), g, start, win, 50, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnalysis(t *testing.T) {
	c := newClub(t, quickly)
	id := c.won()
	seen, done := uint64(0), -1
	for {
		s := c.progress(id, seen)
		if s.Seq <= seen || s.Done < done || s.Total != len(win)+1 || (s.Stage == lobby.AnalysisReady) != (s.Analysis != nil) {
			t.Errorf("after number %d with %d done comes %+v", seen, done, s)
		}
		seen, done = s.Seq, s.Done
		if s.Stage == lobby.AnalysisReady {
			break
		}
	}
	if want := reference(t); !reflect.DeepEqual(c.ready(id).Analysis, want) || done != len(win)+1 {
		t.Errorf("%+v, want %+v", c.ready(id).Analysis, want)
	}
	if a, err := c.store.Analysis(t.Context(), id); err != nil || !reflect.DeepEqual(a, reference(t)) {
		t.Errorf("the store has %v, %v", a, err)
	}
	if n := c.stats.Analysed.Load(); n != 1 {
		t.Errorf("%d analyses were made", n)
	}
	// Nothing comes after the last.
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if s, err := c.Analyses.Analysis(ctx, lobby.User{}, id, seen); !errors.Is(err, context.Canceled) {
		t.Errorf("after the last comes %+v, %v", s, err)
	}
}

// No user sees an analysis that is not on disk, and one that could not be saved is made again when a user asks.
func TestAnalysisIsOnDiskFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, quickly)
		id := c.won()
		disk := make(chan error)
		c.store.setSave(func() error { return <-disk })
		failed := make(chan error, 1)
		read := func() {
			s, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, 0)
			for err == nil && s.Stage != lobby.AnalysisReady {
				s, err = c.Analyses.Analysis(t.Context(), lobby.User{}, id, s.Seq)
			}
			failed <- err
		}
		go read()
		synctest.Wait() // it is complete, and is being written
		select {
		case err := <-failed:
			t.Fatalf("it is shown before it is on disk: %v", err)
		default:
		}
		disk <- storage.ErrCommit
		wantErr(t, "an analysis that could not be saved", <-failed, lobby.ErrBusy)
		go read()
		synctest.Wait()
		if _, err := c.store.Analysis(t.Context(), id); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("the store has an analysis: %v", err)
		}
		disk <- nil
		wantErr(t, "the second time", <-failed, nil)
	})
}

func TestAnalysisRefused(t *testing.T) {
	c := newClub(t, quickly)
	running, rui := c.start(func(s *seats.Spec) { s.Public = true })
	private, _ := c.start()
	c.play(running, rui, "d4", "d5")
	young, _ := c.start()
	if err := young.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	unmoved, _ := c.start()
	if err := unmoved.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		id   storage.MatchID
		want error
	}{
		{"a match that goes on", running.ID(), lobby.ErrNotOver},
		{"a private one that goes on", private.ID(), lobby.ErrNoSuchMatch}, // who may know of it doesn't ask
		{"one that was aborted", young.ID(), lobby.ErrUnplayed},
		{"one without a move", unmoved.ID(), lobby.ErrUnplayed},
		{"no match", "m2222222", lobby.ErrNoSuchMatch},
	} {
		for _, after := range []uint64{0, math.MaxUint64} {
			s, err := c.Analyses.Analysis(t.Context(), lobby.User{}, tt.id, after)
			wantErr(t, tt.name, err, tt.want)
			if s != nil {
				t.Errorf("%s: %+v", tt.name, s)
			}
		}
	}
	if n := c.Load().Analyses; n != 0 {
		t.Errorf("%d wait", n)
	}
}

// What the store has is shown as it is, unless it is of no use any more.
func TestAnalysisOfTheStore(t *testing.T) {
	kept := func(version, points int) *analysis.Analysis {
		a := &analysis.Analysis{Version: version, Nodes: 1, Points: make([]analysis.Point, points)}
		for i := range a.Points {
			a.Points[i].Chance = 0.25
		}
		return a
	}
	for _, tt := range []struct {
		name string
		has  *analysis.Analysis
		read error
		used bool
	}{
		{"of this version", kept(analysis.Version, len(win)+1), nil, true},
		{"of another version", kept(analysis.Version+1, len(win)+1), nil, false},
		{"damaged", kept(analysis.Version, len(win)+1), storage.ErrDamaged, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClub(t, quickly)
			id := c.won()
			if err := c.store.SaveAnalysis(t.Context(), id, tt.has); err != nil {
				t.Fatal(err)
			}
			c.store.setRead(func() error { return tt.read })
			if got := c.ready(id).Analysis; reflect.DeepEqual(got, tt.has) != tt.used {
				t.Errorf("the progress is %+v", got)
			}
			c.store.setRead(nil)
			if got, err := c.store.Analysis(t.Context(), id); err != nil || reflect.DeepEqual(got, tt.has) != tt.used {
				t.Errorf("then the store has %+v, %v", got, err)
			}
		})
	}
	c := newClub(t, quickly)
	id := c.won()
	c.store.setRead(func() error { return storage.ErrClosed })
	s, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, 0)
	if wantErr(t, "a store in trouble", err, lobby.ErrBusy); s != nil {
		t.Errorf("%+v", s)
	}
}

// slow returns a computer player that thinks until the test sends its move on moves, however long that takes: when its time is up, it is
// asked once more without a deadline. It sends once to thinks for each move.
func slow(moves <-chan games.Move, thinks chan<- bool) lobby.Level {
	var unsaid atomic.Int64 // calls whose time was up before the test had received from thinks
	return lobby.Level{ID: "slow", Name: "Lentus", Move: func(ctx context.Context, _ games.Position, _ *games.Random) (games.Move, error) {
		if _, hurried := ctx.Deadline(); hurried || unsaid.Load() > 0 {
			select {
			case thinks <- true:
				if !hurried {
					unsaid.Add(-1)
				}
			case <-ctx.Done():
				if hurried {
					unsaid.Add(1)
				}
				return "", ctx.Err()
			}
		}
		select {
		case m := <-moves:
			return m, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
}

// TestAnalysesWait has a computer player think, which holds up all analyses, but no analysis a computer player.
func TestAnalysesWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		moves, thinks := make(chan games.Move), make(chan bool)
		c := newClub(t, quickly, func(c *lobby.Config) { c.Workers, c.Levels = 1, append(c.Levels, slow(moves, thinks)) })
		ids := []storage.MatchID{c.won(), c.won(), c.won()}
		seat := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Bot: "slow", Side: seats.PlayFirst}).ID)
		c.play(seat, seat, "d4")
		<-thinks

		var all sync.WaitGroup
		for i, id := range ids {
			s := c.progress(id, 0)
			want := lobby.AnalysisProgress{Seq: s.Seq, Stage: lobby.AnalysisWaiting, Ahead: i, Total: len(win) + 1}
			if i == 0 {
				want.Stage = lobby.AnalysisWorking
			}
			if *s != want {
				t.Errorf("number %d stands at %+v, want %+v", i, s, want)
			}
			all.Go(func() {
				for before := s; s.Stage != lobby.AnalysisReady; before = s {
					var err error
					if s, err = c.Analyses.Analysis(t.Context(), lobby.User{}, id, before.Seq); err != nil {
						t.Errorf("%s: %v", id, err)
						return
					}
					if s.Ahead > before.Ahead || s.Stage < before.Stage {
						t.Errorf("%+v comes after %+v", s, before)
					}
				}
			})
		}
		if n := c.Load().Analyses; n != len(ids) {
			t.Errorf("%d wait, want %d", n, len(ids))
		}
		if n := c.stats.Analysed.Load(); n != 0 {
			t.Errorf("%d analyses were made while a computer player thought", n)
		}
		moves <- "d5"
		all.Wait()
		if n := c.Load().Analyses; n != 0 {
			t.Errorf("%d wait after all are ready", n)
		}
	})
}

// The queue is bounded, and analyses that nobody reads any more make room.
func TestManyAnalyses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t, quickly, func(c *lobby.Config) { c.Bounds.Analyses = 2 })
		defer c.Close()
		ids := []storage.MatchID{c.won(), c.won(), c.won(), c.won()}
		saving := make(chan struct{})
		c.store.setSave(func() error { <-saving; return nil }) // the first is worked on until then
		c.progress(ids[0], 0)
		c.progress(ids[1], 0)
		for _, id := range ids[2:] {
			_, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, 0)
			wantErr(t, "one too many", err, lobby.ErrManyAnalyses)
		}
		c.progress(ids[1], 0) // one that is in the queue may be asked for again
		time.Sleep(time.Minute + time.Second)
		if s := c.progress(ids[2], 0); s.Ahead != 1 { // the first is being worked on, read or not
			t.Errorf("the third has %d before it", s.Ahead)
		}
		_, err := c.Analyses.Analysis(t.Context(), lobby.User{}, ids[3], 0)
		wantErr(t, "one too many again", err, lobby.ErrManyAnalyses)
		close(saving)
		c.ready(ids[2])
		if _, err := c.store.Analysis(t.Context(), ids[1]); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("the analysis that nobody waits for: %v", err)
		}
		c.ready(ids[1])
	})
}

// TestAnalysisAcrossRestart: a club that closes in the middle of an analysis makes it again when it opens again.
func TestAnalysisAcrossRestart(t *testing.T) {
	c := newClub(t, quickly)
	id := c.won()
	saving, closing := make(chan struct{}, 1), make(chan struct{})
	c.store.setSave(func() error {
		select {
		case saving <- struct{}{}:
		default:
		}
		<-closing
		return storage.ErrClosed // also for a reader who missed it and asks again
	})
	heard := make(chan error)
	go func() {
		s, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, 0)
		for err == nil && s.Stage != lobby.AnalysisReady {
			s, err = c.Analyses.Analysis(t.Context(), lobby.User{}, id, s.Seq)
		}
		heard <- err
	}()
	<-saving
	close(closing)
	<-heard
	c.store.setSave(nil)
	c.Close()
	if _, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, 0); !errors.Is(err, lobby.ErrClosed) {
		t.Errorf("a closed club: %v", err)
	}
	again := reopen(t, c.store, quickly)
	if got := again.ready(id).Analysis; !reflect.DeepEqual(got, reference(t)) {
		t.Errorf("after the restart: %+v", got)
	}
}

// Many readers of many analyses, who come and go, all hear the same at last.
func TestAnalysisReaders(t *testing.T) {
	c := newClub(t, quickly)
	ids := []storage.MatchID{c.won(), c.won(), c.won()}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			id := ids[i%len(ids)]
			if i%5 == 0 { // an impatient one
				ctx, stop := context.WithCancel(t.Context())
				stop()
				c.Analyses.Analysis(ctx, lobby.User{}, id, 0)
			}
			for seen := uint64(0); seen < math.MaxUint64; {
				s, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, seen)
				if err != nil {
					t.Error(err)
					return
				}
				seen = s.Seq
			}
		})
	}
	all.Wait()
	if n := c.stats.Analysed.Load(); n != int64(len(ids)) {
		t.Errorf("%d analyses were made of %d matches", n, len(ids))
	}
}

// Moves that were made before the players took over are analysed with theirs.
func TestAnalysisOfGivenMoves(t *testing.T) {
	c := newClub(t, quickly)
	a, b := c.start(func(s *seats.Spec) { s.Moves = win[:3] })
	c.play(a, b, win[3:]...)
	if got := c.ready(a.ID()).Analysis; !reflect.DeepEqual(got, reference(t)) {
		t.Errorf("%+v", got)
	}
}

// TestAnalysisIsPreempted: an analysis whose searches are given up often loses nothing by it.
func TestAnalysisIsPreempted(t *testing.T) {
	moves, thinks := make(chan games.Move), make(chan bool)
	c := newClub(t, func(c *lobby.Config) {
		c.Workers, c.AnalysisNodes = 1, 50
		c.Levels = append(c.Levels, slow(moves, thinks))
	})
	id := c.won()
	ready := make(chan *lobby.AnalysisProgress)
	go func() {
		s := &lobby.AnalysisProgress{}
		for s.Stage != lobby.AnalysisReady {
			now, err := c.Analyses.Analysis(t.Context(), lobby.User{}, id, s.Seq)
			if err != nil {
				t.Error(err)
				break
			}
			s = now
		}
		ready <- s
	}()
	seat := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Bot: "slow", Side: seats.PlayFirst}).ID)
	for i, m := range []games.Move{"a1", "b1", "c1"} {
		c.play(seat, seat, m)
		<-thinks
		moves <- []games.Move{"a2", "b2", "c2"}[i]
		c.until(seat, plies(2*i+2))
	}
	if s := <-ready; s.Analysis == nil || len(s.Analysis.Points) != len(win)+1 {
		t.Errorf("%+v", s)
	}
	if n := c.stats.AnalysisFailures.Load(); n != 0 {
		t.Errorf("%d analyses failed", n)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Analyses.Analysis(ctx, lobby.User{}, id, math.MaxUint64); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
