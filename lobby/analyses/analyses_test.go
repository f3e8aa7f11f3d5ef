package analyses

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPaused: the unfinished work of an analysis without readers is kept, as far as there is room.
func TestPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 100})
		id := func(i int) storage.MatchID { return storage.MatchID(fmt.Sprint("m", i)) }
		const each = maxPaused / 4
		for i := range 10 {
			it, leave, err := q.add(origin.Origin{}, &item{id: id(i), total: each})
			if err != nil {
				t.Fatal(err)
			}
			q.report(it, each/2+i)
			leave()
		}
		if it := q.first(); it == nil || it.id != id(0) {
			t.Errorf("while it lingers, %v is worked on", it)
		}
		time.Sleep(time.Minute)
		if it := q.first(); it != nil {
			t.Errorf("%s is worked on", it.id)
		}
		if len(q.paused) != 4 || len(q.byID) != 4 || q.Len() != 0 {
			t.Errorf("%d paused, %d known, %d in the queue", len(q.paused), len(q.byID), q.Len())
		}
		for i := range 10 {
			if it, _ := q.join(itemID{match: id(i)}); it != nil {
				t.Errorf("%s is in the queue", it.id)
			}
			it, leave, err := q.add(origin.Origin{}, &item{id: id(i), total: each})
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			if p, _ := it.progress.Latest(); i >= 6 && p.Done != each/2+i || i < 6 && p.Done != 0 {
				t.Errorf("%s has %d done", it.id, p.Done)
			}
		}
		time.Sleep(time.Hour)
		if it := q.first(); it == nil || it.id != id(0) || q.Len() != 10 {
			t.Errorf("with readers, %v is worked on, %d are in the queue", it, q.Len())
		}
	})
}

// TestJoin: a reader who joins an analysis that has had no reader for long keeps it in the queue, even before they wait for its progress.
func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 100})
		if it, _ := q.join(itemID{match: "m1"}); it != nil {
			t.Errorf("joined %v, want nil: the match is not in the queue", it)
		}
		entered, leave, err := q.add(origin.Origin{}, &item{id: "m1", total: 10})
		if err != nil {
			t.Fatal(err)
		}
		leave()
		time.Sleep(time.Hour)
		joined, leave := q.join(itemID{match: "m1"})
		if joined != entered || q.first() != entered {
			t.Errorf("joined %v, worked on %v, want %v", joined, q.first(), entered)
		}
		leave()
		time.Sleep(time.Hour)
		if it := q.first(); it != nil {
			t.Errorf("%v is worked on without a reader", it)
		}
	})
}

// A fakeStore has no analysis and stores none, unless its functions are set.
type fakeStore struct {
	load func() (*analysis.Analysis, error)
	save func(ctx context.Context) error
}

func (s *fakeStore) Analysis(context.Context, storage.MatchID) (*analysis.Analysis, error) {
	if s.load == nil {
		return nil, storage.ErrNotFound
	}
	return s.load()
}

func (s *fakeStore) SaveAnalysis(ctx context.Context, _ storage.MatchID, _ *analysis.Analysis) error {
	if s.save == nil {
		return nil
	}
	return s.save(ctx)
}

// newQueue returns a queue for a match of 4Mation with seven moves, and runs it until stop is called.
func newQueue(t *testing.T, change func(*Config)) (q *Queue, stop func()) {
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Unix(1e9, 0)
	s, err := match.Replay(results.Finished{
		ID: "m1", Code: "K7QM2X", Game: "fourmation", Options: options,
		First:  storage.Occupant{Kind: storage.Person, ID: "p1", Name: "ana"},
		Second: storage.Occupant{Kind: storage.Person, ID: "p2", Name: "rui"},
		Course: results.Course{Moves: []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}}, Result: "first", Reason: "line",
		Started: started, Ended: started.Add(time.Minute),
	}, func(string) (games.Game, error) { return fourmation.New(), nil })
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Scheduler: thinking.NewScheduler(1), Feeds: feed.NewGroup(), Stats: new(Stats), Log: slog.New(slog.DiscardHandler),
		Match:  func(context.Context, storage.MatchID) (*match.View, error) { return s.View(), nil },
		Store:  new(fakeStore),
		Panics: new(atomic.Int64), Nodes: 50, Max: 10,
	}
	change(&c)
	q = NewQueue(c)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx, context.WithoutCancel(ctx)) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return q, stop
}

// last reads the progress of an analysis until it is ready.
func last(ctx context.Context, q *Queue) (*Progress, error) {
	p, err := q.Next(ctx, origin.Origin{}, "m1", 0)
	for err == nil && p.Stage != Ready {
		p, err = q.Next(ctx, origin.Origin{}, "m1", p.Seq)
	}
	return p, err
}

// TestMadeMeanwhile: an analysis that is kept just before its match enters the queue is not made again.
func TestMadeMeanwhile(t *testing.T) {
	kept := &analysis.Analysis{Version: analysis.Version, Points: make([]analysis.Point, 8)}
	var loads atomic.Int64
	q, _ := newQueue(t, func(c *Config) {
		c.Store = &fakeStore{
			load: func() (*analysis.Analysis, error) {
				if loads.Add(1) == 1 {
					return nil, storage.ErrNotFound
				}
				return kept, nil
			},
			save: func(context.Context) error {
				t.Error("it is made again")
				return nil
			},
		}
	})
	if p, err := last(t.Context(), q); err != nil || p.Analysis != kept {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestSavedAtTheEnd: an analysis that is being saved when the queue stops is saved.
func TestSavedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, saved := make(chan struct{}), make(chan error, 1)
		q, stop := newQueue(t, func(c *Config) {
			c.Store = &fakeStore{save: func(ctx context.Context) error {
				<-release
				saved <- ctx.Err()
				return ctx.Err()
			}}
		})
		var reading sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		reading.Go(func() { _, _ = last(ctx, q) })
		synctest.Wait()
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		synctest.Wait()
		close(release)
		if err := <-saved; err != nil {
			t.Errorf("saving ends with the queue: %v", err)
		}
		<-stopped
		cancel()
		reading.Wait()
	})
}

// TestPausedComesBackWhole: room that is made for a paused analysis is not taken from itself, so readers who come later join it.
func TestPausedComesBackWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 2})
		enter := func(id storage.MatchID, total int) (*item, func()) {
			t.Helper()
			it, leave, err := q.add(origin.Origin{}, &item{id: id, total: total})
			if err != nil {
				t.Fatal(err)
			}
			return it, leave
		}
		_, leaveFirst := enter("first", 10)
		defer leaveFirst()
		study, leave := enter("study", maxPaused*3/4)
		q.report(study, maxPaused/2)
		leave()
		time.Sleep(time.Minute)
		_, leaveOther := enter("other", maxPaused/2) // in place of the study
		if _, _, err := q.add(origin.Origin{}, &item{id: "study", total: maxPaused * 3 / 4}); err != refusal.ErrManyAnalyses {
			t.Errorf("entering a full queue: %v", err)
		}
		leaveOther()
		time.Sleep(time.Minute)
		again, leaveAgain := enter("study", maxPaused*3/4) // in place of the other
		defer leaveAgain()
		if done, _ := again.progress.Latest(); again != study || done.Done != maxPaused/2 {
			t.Errorf("it begins anew, with %d done", done.Done)
		}
		second, leaveSecond := q.join(itemID{match: "study"})
		if second != study {
			t.Error("a second reader doesn't find it")
		} else {
			leaveSecond()
		}
	})
}

// TestTurns: people, and the blocks of addresses that they come from, take turns. Each person has at most two matches that wait. In a full queue
// a match that comes before the last one replaces it.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 9})
		from := func(person string, block, host byte) origin.Origin {
			return origin.Origin{Person: person, Addr: netip.AddrFrom4([4]byte{192, 0, block, host})}
		}
		enter := func(by origin.Origin, id string, want error) (it *item, leave func()) {
			t.Helper()
			it, leave, err := q.add(by, &item{id: storage.MatchID(id), total: 10})
			if err != want {
				t.Errorf("%s: %v, want %v", id, err, want)
			}
			return it, leave
		}
		order := func(want string) {
			t.Helper()
			var got []string
			for _, it := range q.queue {
				got = append(got, string(it.id))
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("in the queue: %s, want %s", got, want)
			}
		}
		crowd := []origin.Origin{from("c1", 1, 1), from("c2", 1, 2), from("c3", 1, 3)}
		first, _ := enter(crowd[0], "c1a", nil)
		enter(crowd[0], "c1b", nil)
		_, leave := enter(crowd[0], "c1c", nil)
		enter(crowd[0], "c1d", refusal.ErrManyAnalyses)
		enter(crowd[1], "c2a", nil)
		enter(crowd[1], "c2b", nil)
		enter(crowd[2], "c3a", nil)
		ana, rui := from("ana", 2, 1), from("rui", 3, 1)
		enter(ana, "a1", nil)
		order("c1a a1 c2a c3a c1b c2b c1c")
		enter(rui, "r1", nil)
		enter(ana, "a2", nil)
		order("c1a a1 r1 c2a a2 c3a c1b c2b c1c")
		last := q.queue[len(q.queue)-1]
		enter(rui, "r2", nil) // in the place of c1c
		order("c1a a1 r1 c2a a2 r2 c3a c1b c2b")
		if p, _ := last.progress.Latest(); p.err != refusal.ErrManyAnalyses {
			t.Errorf("the readers of the replaced match get %+v, want ErrManyAnalyses", p)
		}
		leave()
		enter(crowd[2], "c3b", refusal.ErrManyAnalyses) // it would be the last
		q.end(first, Progress{err: ErrFailed})
		order("a1 r1 c2a a2 r2 c3a c1b c2b")
		enter(crowd[0], "c1c", nil) // there is room again
		q.end(q.queue[0], Progress{err: ErrFailed})
		order("r1 c2a a2 r2 c3a c1b c2b c1c")
		_, leave = enter(rui, "r3", nil)
		leave()
		enter(rui, "r4", nil) // r3, which rui has left, doesn't count
		if slices.ContainsFunc(q.queue, func(it *item) bool { return it.id == "r3" }) {
			t.Error("a match that its reader has left is still in the queue")
		}
	})
}
