package thinking

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/origin"
)

// A fakeLender is another machine that answers as a test wants.
type fakeLender struct {
	think    func(ctx context.Context, q *Question) (bot.Thought, error)
	gone     <-chan struct{} // closed when it leaves
	asked    atomic.Int64
	rejected atomic.Int64
}

func (f *fakeLender) Think(ctx context.Context, q *Question) (bot.Thought, error) {
	f.asked.Add(1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // until the answer is there
		select {
		case <-f.gone:
			stop()
		case <-ctx.Done():
		}
	}()
	t, err := f.think(ctx, q)
	select {
	case <-f.gone:
		return t, ErrNoAnswer
	default:
		return t, err
	}
}

func (f *fakeLender) Reject(error) { f.rejected.Add(1) }

// hangs answers nothing.
func hangs(ctx context.Context, _ *Question) (bot.Thought, error) {
	<-ctx.Done()
	return bot.Thought{}, ctx.Err()
}

// says returns what answers every question in that way.
func says(t bot.Thought) func(context.Context, *Question) (bot.Thought, error) {
	return func(context.Context, *Question) (bot.Thought, error) { return t, nil }
}

// searching is a level that takes a second at home and plays the last legal move.
func searching(home *atomic.Int64) Level {
	l, _ := Level{ID: "slow", Think: func(ctx context.Context, _ bot.Clock, p games.Position, _ *games.Random) (Decision, error) {
		home.Add(1)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return Decision{}, ctx.Err()
			}
		}
		moves := p.Legal()
		return Decision{Move: moves[len(moves)-1], Ahead: true}, nil
	}}.In("fourmation")
	return l
}

// lend lends cores until the test ends or stop is called.
func lend(t *testing.T, s *Scheduler, from *fakeLender, cores int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	from.gone = ctx.Done()
	var all sync.WaitGroup
	all.Go(func() {
		if err := s.Lend(ctx, from, cores); err != nil {
			t.Error(err)
		}
	})
	stop = func() { cancel(); all.Wait() }
	t.Cleanup(stop)
	synctest.Wait()
	return stop
}

// done waits for the end of a job.
func done(t *testing.T, j *Job) Update {
	t.Helper()
	begun := false
	for range 3 {
		u := <-j.Updates()
		if u.Done {
			return u
		}
		if begun {
			t.Error("a job begins twice")
		}
		begun = true
	}
	return Update{}
}

func lentJob(t *testing.T, l Level) *Job {
	return NewJob(t.Context(), l, start(t), 7, 0).After(start(t), nil)
}

// TestLentAnswers: an answer that can be used is taken and bounded; for any other one this machine thinks, and the job is late by the time that
// the other machine had it.
func TestLentAnswers(t *testing.T) {
	legal := start(t).Legal()
	first := legal[0]
	broken := errors.New("broken")
	for _, tt := range []struct {
		name     string
		think    func(context.Context, *Question) (bot.Thought, error)
		clock    bot.Clock
		rejected int64
		lost     time.Duration // until this machine thinks; below 0: it doesn't
		value    int
		line     int
	}{
		{name: "good", think: says(bot.Thought{Move: first, Value: 12, Line: []games.Move{first}}), lost: -1, value: 12, line: 1},
		{name: "values beyond bounds", think: says(bot.Thought{Move: first, Value: 1 << 40, Plies: -1 << 40, Line: []games.Move{first, "zz9"}}), lost: -1, value: bot.MaxValue, line: 1},
		{name: "a line with another move", think: says(bot.Thought{Move: first, Line: []games.Move{legal[1]}}), lost: -1, line: 1},
		{name: "illegal", think: says(bot.Thought{Move: "zz9"}), rejected: 1},
		{name: "no move", think: says(bot.Thought{}), rejected: 1},
		{name: "an error", think: func(context.Context, *Question) (bot.Thought, error) { return bot.Thought{}, broken }, rejected: 1},
		{name: "lost", think: says(bot.Thought{Move: first, Proven: true, Plies: -8})},
		{name: "drawn", think: says(bot.Thought{Move: first, Drawn: true})},
		{name: "nothing", think: hangs, rejected: 1, lost: mostLent + lentGrace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var home atomic.Int64
				s, _ := run(t, 2)
				from := &fakeLender{think: tt.think}
				lend(t, s, from, 1)
				j, begun := lentJob(t, searching(&home)), time.Now()
				s.Submit(j, ForPlayers, origin.Origin{Person: "ana"})
				u := done(t, j)
				took := time.Since(begun)
				if u.Err != nil || from.rejected.Load() != tt.rejected || from.asked.Load() != 1 {
					t.Errorf("the job ends with %v; asked %d times, rejected %d times", u.Err, from.asked.Load(), from.rejected.Load())
				}
				if tt.lost < 0 {
					if d := u.Decision; home.Load() != 0 || d.Move != first || d.Value != tt.value || len(d.Line) != tt.line || took != 0 {
						t.Errorf("the other machine's decision is %+v after %v", d, took)
					}
					return
				}
				if home.Load() != 1 || u.Decision.Move != legal[len(legal)-1] || took != tt.lost+time.Second {
					t.Errorf("this machine decides %+v after %v; it thought %d times", u.Decision, took, home.Load())
				}
				if busy, waiting, _ := s.Load(); busy != 0 || waiting != 0 {
					t.Errorf("%d busy, %d waiting at the end", busy, waiting)
				}
			})
		})
	}
}

// TestLentClock: a machine that hangs leaves half of the time on the clock.
func TestLentClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var home atomic.Int64
		s, _ := run(t, 1)
		lend(t, s, &fakeLender{think: hangs}, 1)
		j, begun := lentJob(t, searching(&home)).OnClock(bot.Clock{End: time.Now().Add(4 * time.Second)}), time.Now()
		s.Submit(j, ForPlayers, origin.Origin{})
		if u := done(t, j); u.Err != nil || time.Since(begun) != 3*time.Second {
			t.Errorf("done after %v with %v, want 2 s and the second of this machine", time.Since(begun), u.Err)
		}
	})
}

// TestMachineLeaves: what a machine has when it leaves is thought about here, before what has waited longer; then there are no lent cores.
func TestMachineLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var home atomic.Int64
		s, _ := run(t, 1)
		from := &fakeLender{think: hangs}
		leave := lend(t, s, from, 2)
		if got := s.Lent(); got != (LentLoad{Machines: 1, Cores: 2}) {
			t.Errorf("lent: %+v", got)
		}
		var jobs []*Job
		for range 6 { // two go to the machine, one is done here, three wait
			jobs = append(jobs, lentJob(t, searching(&home)))
			s.Submit(jobs[len(jobs)-1], ForPlayers, origin.Origin{Person: "ana"})
			synctest.Wait()
		}
		if busy, waiting, _ := s.Load(); busy != 3 || waiting != 3 || s.Lent().Busy != 2 {
			t.Errorf("%d busy, %d waiting, lent %+v", busy, waiting, s.Lent())
		}
		begun := time.Now()
		leave()
		ends := make([]time.Duration, len(jobs))
		var all sync.WaitGroup
		for i, j := range jobs {
			all.Go(func() {
				if u := done(t, j); u.Err != nil {
					t.Error(u.Err)
				}
				ends[i] = time.Since(begun).Round(time.Second)
			})
		}
		all.Wait()
		if latest := slices.Max(ends[:3]); latest > 3*time.Second {
			t.Errorf("what the machine left behind ends after %v", ends)
		}
		if from.rejected.Load() != 0 || s.Lent() != (LentLoad{}) {
			t.Errorf("rejected %d answers; lent %+v", from.rejected.Load(), s.Lent())
		}
	})
}

// TestUnwantedLent: the other machine hears at once that a move is no longer wanted, and that is no fault of it.
func TestUnwantedLent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var home atomic.Int64
		s, _ := run(t, 1)
		from := &fakeLender{think: hangs}
		lend(t, s, from, 1)
		ctx, cancel := context.WithCancel(t.Context())
		j := NewJob(ctx, searching(&home), start(t), 1, 0).After(start(t), nil)
		s.Submit(j, ForPlayers, origin.Origin{})
		synctest.Wait()
		cancel()
		if u := done(t, j); !errors.Is(u.Err, context.Canceled) || from.rejected.Load() != 0 || home.Load() != 0 {
			t.Errorf("ends with %v; rejected %d, thought here %d times", u.Err, from.rejected.Load(), home.Load())
		}
	})
}

// TestOnlyPortableJobsAreLent: levels that don't search, and positions without their moves, stay here.
func TestOnlyPortableJobsAreLent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var home atomic.Int64
		s, _ := run(t, 1)
		from := &fakeLender{think: hangs}
		lend(t, s, from, 1)
		nowhere := searching(&home)
		nowhere.game = ""
		for _, j := range []*Job{
			NewJob(t.Context(), firstLegal, start(t), 1, 0).After(start(t), nil),
			NewJob(t.Context(), searching(&home), start(t), 1, 0),
			NewJob(t.Context(), nowhere, start(t), 1, 0).After(start(t), nil),
		} {
			s.Submit(j, ForPlayers, origin.Origin{})
			if u := done(t, j); u.Err != nil {
				t.Error(u.Err)
			}
		}
		if from.asked.Load() != 0 {
			t.Errorf("the other machine is asked %d times", from.asked.Load())
		}
	})
}

// TestLentCoresAddUp: with three lent cores, four jobs of a second are done in a second.
func TestLentCoresAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var home atomic.Int64
		s, _ := run(t, 1)
		level := searching(&home)
		from := &fakeLender{think: func(ctx context.Context, q *Question) (bot.Thought, error) {
			d, err := level.Think(ctx, q.Clock, q.Position, games.NewRandom(q.Seed))
			return bot.Thought{Move: d.Move}, err
		}}
		lend(t, s, from, 3)
		begun := time.Now()
		var jobs []*Job
		for range 4 {
			jobs = append(jobs, lentJob(t, level))
			s.Submit(jobs[len(jobs)-1], ForPlayers, origin.Origin{Person: "ana"})
		}
		for _, j := range jobs {
			done(t, j)
		}
		if took := time.Since(begun); took != time.Second || from.asked.Load() != 3 {
			t.Errorf("four jobs take %v, %d of them elsewhere", took, from.asked.Load())
		}
	})
}

// TestTooManyCores: the cores of all machines together have a bound.
func TestTooManyCores(t *testing.T) {
	s := NewScheduler(1)
	for _, cores := range []int{-1, 0, maxLentCores + 1} {
		if err := s.Lend(t.Context(), &fakeLender{}, cores); err != ErrManyCores {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}

// TestElsewhere: background work is done by the machine with the most free cores; what it calls proven is no answer.
func TestElsewhere(t *testing.T) {
	first := start(t).Legal()[0]
	synctest.Test(t, func(t *testing.T) {
		s, _ := run(t, 1)
		q := &Question{Game: fourmation.New().About().ID, Nodes: 5, Start: start(t), Position: start(t)}
		if _, ok := s.Elsewhere(t.Context(), q); ok {
			t.Error("nobody answers")
		}
		from := &fakeLender{think: says(bot.Thought{Move: first, Value: 5})}
		less := &fakeLender{think: hangs}
		lend(t, s, less, 1)
		lend(t, s, from, 2)
		if got, ok := s.Elsewhere(t.Context(), q); !ok || got.Move != first || got.Value != 5 {
			t.Errorf("the answer is %+v, %v", got, ok)
		}
		for _, unsure := range []bot.Thought{{Move: first, Proven: true, Plies: 3}, {Move: first, Held: true}, {Move: "zz9"}} {
			from.think = says(unsure)
			if got, ok := s.Elsewhere(t.Context(), q); ok {
				t.Errorf("%+v is an answer", got)
			}
		}
	})
}
