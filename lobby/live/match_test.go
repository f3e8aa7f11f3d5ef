package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ana = match.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	rui = match.User{Kind: storage.Person, ID: "p2", Name: "rui"}
)

// config returns a Config with a store in memory. The club has no computer players, and all players are here.
func config() *Config { return configOf(&fakeClub{store: storagetest.NewMemory(nil)}) }

// configOf returns the Config of a fakeClub.
func configOf(c *fakeClub) *Config {
	return &Config{
		Schedule:  &Schedule{Presence: c, Nodes: c, Now: time.Now, PrivateWait: time.Hour},
		Catalogue: &Catalogue{Games: []games.Game{fourmation.New()}},
		Store:     c.store, Plans: noPlans{}, Players: c, Registry: c, Scheduler: thinking.NewScheduler(1), Feeds: feed.NewGroup(), Stats: new(Stats),
		Log: slog.New(slog.DiscardHandler), Seed: func() uint64 { return 1 }, MaxPlies: 1000, Idle: time.Hour,
	}
}

// noPlans has no plans.
type noPlans struct{}

func (noPlans) Plan(context.Context, storage.MatchID, games.Side) (matches.Plan, bool, error) {
	return matches.Plan{}, false, nil
}

func (noPlans) Drop(context.Context, storage.MatchID, games.Side) error { return nil }

// open runs a new match that ana has opened, until the test ends.
func open(t *testing.T, c *Config) *Match {
	t.Helper()
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := matches.Opening{Code: "K7QM2X", Game: "fourmation", Options: options, First: ana.Occupant()}
	m, opened := Open(c, "abcdefgh", false, match.Open(o, storage.FirstSeat), cluster.Terms{}, func() {})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx, context.WithoutCancel(ctx), func() {}) })
	t.Cleanup(func() { stop(); running.Wait() })
	if err := opened(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestIndexedBeforePublished: Registry.Changed is called after a change is on disk and before its view is published.
func TestIndexedBeforePublished(t *testing.T) {
	club := &fakeClub{store: storagetest.NewMemory(nil)}
	c := configOf(club)
	var changes []uint64 // events of each view
	club.changed = func(m *Match, v *match.View) {
		changes = append(changes, v.Events)
		if seen, _ := m.Views().Latest(); seen != nil && seen.Events >= v.Events {
			t.Errorf("event %d is published before Registry.Changed is called", v.Events)
		}
		if log, err := c.Store.Log(t.Context(), m.ID(), 1, 0); !v.Over && (err != nil || uint64(len(log)) != v.Events) {
			t.Errorf("event %d, but %d are on disk: %v", v.Events, len(log), err)
		}
	}
	m := open(t, c)
	for _, act := range []match.Act{match.Join(rui), match.Move(ana, "d4", 0, 0), match.Resign(rui)} {
		if err := m.Do(t.Context(), act, nil); err != nil {
			t.Fatal(err)
		}
	}
	if v, _ := m.Views().Latest(); !v.Over || len(changes) != 4 {
		t.Errorf("over %v after the changes %v", v.Over, changes)
	}
}

// TestReleaseIsCalledOnce: release is called once, whatever the outcome of a request.
func TestReleaseIsCalledOnce(t *testing.T) {
	m := open(t, config())
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		act  match.Act
		want error
	}{
		{"refused", t.Context(), match.Move(rui, "d4", 0, 0), match.ErrNotSeated},
		{"done", t.Context(), match.Abort(ana), nil},
		{"over", t.Context(), match.Abort(ana), match.ErrOver},
	} {
		released := 0
		if err := m.Do(tt.ctx, tt.act, func() { released++ }); !errors.Is(err, tt.want) || released != 1 {
			t.Errorf("%s: error %v, released %d times", tt.name, err, released)
		}
	}
	released := 0
	if err := m.Do(ended, match.Abort(ana), func() { released++ }); err == nil || released != 1 {
		t.Errorf("too late: error %v, released %d times", err, released)
	}
}

// A cutStore returns ErrCommit from every Append, written or not, as if the connection to the store was cut.
type cutStore struct {
	Store
}

func (s cutStore) Append(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary) error {
	s.Store.Append(ctx, id, events, m)
	return storage.ErrCommit
}

// TestReusedID: a match with the id of another one is not opened and doesn't touch the other, even if the outcome of the write is uncertain. A match
// that was written is opened, even if the store returned ErrCommit.
func TestReusedID(t *testing.T) {
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now() // both are opened at the same moment, by the same seat
	for _, tt := range []struct {
		name  string
		id    storage.MatchID
		ended bool // the other match
		cut   bool
		want  error
	}{
		{"running", "abcdefgh", false, false, storage.ErrStale},
		{"running, uncertain", "abcdefgh", false, true, refusal.ErrBusy},
		{"ended", "abcdefgh", true, false, storage.ErrStale},
		{"ended, uncertain", "abcdefgh", true, true, refusal.ErrBusy},
		{"an id of its own, uncertain", "bcdefghj", false, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := &fakeClub{store: storagetest.NewMemory(nil)}
			there := configOf(club)
			there.Now = func() time.Time { return now }
			other := open(t, there)
			if tt.ended {
				if err := other.Do(t.Context(), match.Abort(ana), nil); err != nil {
					t.Fatal(err)
				}
			}
			here := &fakeClub{store: club.store}
			if tt.cut {
				here.store = cutStore{club.store}
			}
			changed, quarantined := 0, 0
			here.changed, here.quarantined = func(*Match, *match.View) { changed++ }, func(*Match) { quarantined++ }
			c := configOf(here)
			c.Now = there.Now
			o := matches.Opening{Code: "R7QM2X", Game: "fourmation", Options: options, First: rui.Occupant()}
			m, opened := Open(c, tt.id, true, match.Open(o, storage.FirstSeat), cluster.Terms{}, func() {})
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { m.Run(ctx, context.WithoutCancel(ctx), func() {}) })
			err := opened(t.Context())
			stop()
			running.Wait()
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			v, _ := m.Views().Latest()
			if isOpen := v != nil; isOpen != (tt.want == nil) || changed > 1 || (changed == 1) != isOpen || quarantined != 0 {
				t.Errorf("it shows %+v, called Changed %d times, Quarantine %d times", v, changed, quarantined)
			}
			if v != nil && v.Code != o.Code {
				t.Errorf("it has the code %s, want %s", v.Code, o.Code)
			}
		})
	}
}

// TestNobodyTakesAnOfferWithoutItsOwner: a public offer without its owner ends before the match handles a request, even if Wake was
// not called yet.
func TestNobodyTakesAnOfferWithoutItsOwner(t *testing.T) {
	for _, gone := range []bool{false, true} {
		var left atomic.Bool
		c := configOf(&fakeClub{store: storagetest.NewMemory(nil), away: func(match.Key) (time.Time, bool) { return time.Time{}, left.Load() }})
		options, err := games.Complete(fourmation.New(), nil)
		if err != nil {
			t.Fatal(err)
		}
		o := matches.Opening{Code: "K7QM2X", Game: "fourmation", Options: options, First: ana.Occupant(), Public: true}
		m, opened := Open(c, "abcdefgh", true, match.Open(o, storage.FirstSeat), cluster.Terms{}, func() {})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { m.Run(ctx, context.WithoutCancel(ctx), func() {}) })
		if err := opened(t.Context()); err != nil {
			t.Fatal(err)
		}
		// An answered request: from now on the match waits, with its timers set.
		if err := m.Do(t.Context(), match.Move(rui, "d4", 0, 0), nil); !errors.Is(err, match.ErrNotSeated) {
			t.Fatal(err)
		}
		left.Store(gone)
		var want error
		if gone {
			want = match.ErrOver
		}
		if err := m.Do(t.Context(), match.Join(rui), nil); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("owner gone %v: taking the offer: %v, want %v", gone, err, want)
		}
		stop()
		running.Wait()
	}
}

// A distractedStore calls read after each read of a log that found no more events.
type distractedStore struct {
	Store
	read func() // called once; another node may write then
}

func (d *distractedStore) Log(ctx context.Context, id storage.MatchID, from uint64, limit int) ([]matches.Event, error) {
	events, err := d.Store.Log(ctx, id, from, limit)
	if read := d.read; err == nil && len(events) == 0 && read != nil {
		d.read = nil
		read()
	}
	return events, err
}

// TestFollowedWhileReading: a call of Follow is not lost if it comes while the match reads its log and finds no new events.
func TestFollowedWhileReading(t *testing.T) {
	c := config()
	store := &distractedStore{Store: c.Store}
	c.Store = store
	m := open(t, c)
	store.read = func() {
		events, err := match.Join(rui)(&m.owner.state)
		if err != nil {
			t.Error(err)
			return
		}
		next, added, err := m.owner.state.Extend(events, c.Now(), c.MaxPlies, c.Catalogue.Game)
		if err != nil {
			t.Error(err)
			return
		}
		s := next.Summary()
		if err := store.Append(t.Context(), m.ID(), added, s.Stored()); err != nil {
			t.Error(err)
		}
		m.Follow(next.Seq)
	}
	nothing := func(*match.State) ([]matches.Event, error) { return nil, nil }
	if err := m.Refresh(t.Context()); err != nil && !errors.Is(err, refusal.ErrBusy) { // Follow has been called by now
		t.Fatal(err)
	}
	if err := m.Do(t.Context(), nothing, nil); err != nil {
		t.Fatal(err)
	}
	if v, _ := m.Views().Latest(); v.Seats[1].ID != rui.ID {
		t.Errorf("the match has %v of another node's %d events", v.Events, m.others.announced.Load())
	}
}

// A lostEnd is a store whose Finish and Log fail until back is set.
type lostEnd struct {
	Store
	back atomic.Bool
}

func (l *lostEnd) Finish(ctx context.Context, id storage.MatchID, events []matches.Event, f results.Finished, also func(kv.Tx) error) (*[2]results.RatingChange, error) {
	if !l.back.Load() {
		return nil, storage.ErrCommit
	}
	return l.Store.Finish(ctx, id, events, f, also)
}

func (l *lostEnd) Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]matches.Event, error) {
	if !l.back.Load() {
		return nil, storage.ErrCommit
	}
	return l.Store.Log(ctx, id, from, most)
}

// twoWins returns moves after which the side to move has two moves that win.
func twoWins(t *testing.T) (line []games.Move, wins [2]games.Move) {
	t.Helper()
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	start, err := fourmation.New().New(options)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(1000) {
		line, p, random := line[:0], start, games.NewRandom(seed)
		for !p.Result().Over {
			var found []games.Move
			for _, m := range p.Legal() {
				next, err := p.Play(m)
				if err != nil {
					t.Fatal(err)
				}
				if r := next.Result(); r.Over && !r.Draw && r.Winner == p.Turn() {
					found = append(found, m)
				}
			}
			if len(found) > 1 && len(line) >= 4 {
				return line, [2]games.Move(found)
			}
			legal := p.Legal()
			m := legal[random.N(len(legal))]
			if p, err = p.Play(m); err != nil {
				t.Fatal(err)
			}
			line = append(line, m)
		}
	}
	t.Fatal("no such position was found")
	return nil, wins
}

// TestAnotherEndThanTheLostOne: a winning move that was never written is not shown after a different move, made through another node, has won
// the match.
func TestAnotherEndThanTheLostOne(t *testing.T) {
	line, wins := twoWins(t)
	synctest.Test(t, func(t *testing.T) {
		there := config()
		c := new(*there)
		lost := &lostEnd{Store: there.Store}
		c.Store = lost
		lost.back.Store(true)
		m := open(t, c)
		do := func(m *Match, act match.Act) error { return m.Do(t.Context(), act, nil) }
		if err := do(m, match.Join(rui)); err != nil {
			t.Fatal(err)
		}
		seats := []match.User{ana, rui}
		for i, move := range line {
			if err := do(m, match.Move(seats[i%2], move, i, 0)); err != nil {
				t.Fatal(err)
			}
		}
		lost.back.Store(false)
		winner := seats[len(line)%2]
		if err := do(m, match.Move(winner, wins[0], len(line), 0)); !errors.Is(err, refusal.ErrBusy) {
			t.Fatalf("a move that is lost: %v", err)
		}
		state, err := Load(t.Context(), there, m.ID())
		if err != nil {
			t.Fatal(err)
		}
		other := Resume(there, state, Waiting{})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { other.Run(ctx, context.WithoutCancel(ctx), func() {}) })
		if err := do(other, match.Move(winner, wins[1], len(line), 0)); err != nil {
			t.Fatal(err)
		}
		stop()
		running.Wait()
		lost.back.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		v, _ := m.Views().Latest()
		if n := len(line); !v.Over || len(v.Moves) != n+1 || v.Moves[n] != wins[1] {
			t.Errorf("it shows the moves %v, and %v was played", v.Moves, wins[1])
		}
	})
}
