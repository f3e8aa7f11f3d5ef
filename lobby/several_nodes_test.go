package lobby_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/relations"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	"ludoteca/storage/schema"
)

// A cable is a node's connection to the store. While it is cut, requests get no answer; changes are delivered when it is mended.
type cable struct {
	kv.Store
	noReads atomic.Bool            // changes arrive, but nothing else can be read
	slow    atomic.Bool            // changes arrive a second late
	lags    atomic.Pointer[string] // changes of keys that begin so arrive a second late
	missing atomic.Pointer[string] // the next change of a key that begins so ends its watch, and is lost

	mu      sync.Mutex
	patient time.Duration // how long a request waits at most while the cable is cut; at least a second
	whole   chan struct{} // closed while the cable is whole
	late    func()        // called after each change, before its answer; nil: nothing is
	read    func()        // called once, after the next reading, before its answer; nil: nothing is
}

var errNoAnswer = errors.New("no answer")

func newCable(engine kv.Store) *cable {
	c := &cable{Store: engine, whole: make(chan struct{})}
	close(c.whole)
	return c
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.whole = make(chan struct{})
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.whole)
}

// answerLate has f called after each change, before it is answered.
func (c *cable) answerLate(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = f
}

// readLate has f run after the next reading, before its answer.
func (c *cable) readLate(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = f
}

func (c *cable) wait(ctx context.Context) error {
	c.mu.Lock()
	whole, patient := c.whole, max(c.patient, time.Second)
	c.mu.Unlock()
	select {
	case <-whole:
		return nil
	default:
	}
	timer := time.NewTimer(patient)
	defer timer.Stop()
	select {
	case <-whole:
		return nil
	case <-timer.C:
		return errNoAnswer
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *cable) View(ctx context.Context, read func(kv.Reader) error) error {
	if err := c.wait(ctx); err != nil {
		return err
	}
	if c.noReads.Load() {
		return errNoAnswer
	}
	err := c.Store.View(ctx, read)
	c.mu.Lock()
	late := c.read
	c.read = nil
	c.mu.Unlock()
	if late != nil {
		late()
	}
	return err
}

func (c *cable) Update(ctx context.Context, change func(kv.Tx) error) error {
	if err := c.wait(ctx); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrCommit, err)
	}
	err := c.Store.Update(ctx, change)
	c.mu.Lock()
	late := c.late
	c.mu.Unlock()
	if late != nil {
		late()
	}
	return err
}

func (c *cable) Watch(ctx context.Context, prefix []byte, after kv.Revision) iter.Seq2[kv.Change, error] {
	return func(yield func(kv.Change, error) bool) {
		for change, err := range c.Store.Watch(ctx, prefix, after) {
			if lags := c.lags.Load(); c.slow.Load() || lags != nil && bytes.HasPrefix(change.Key, []byte(*lags)) {
				time.Sleep(time.Second)
			}
			for c.wait(ctx) == errNoAnswer {
			}
			if lost := c.missing.Load(); lost != nil && bytes.HasPrefix(change.Key, []byte(*lost)) && c.missing.CompareAndSwap(lost, nil) {
				yield(kv.Change{}, errNoAnswer)
				return
			}
			if !yield(change, err) {
				return
			}
		}
	}
}

// A cluster is several nodes on one store.
type cluster struct {
	t      *testing.T
	engine kv.Store
	clubs  []*club
	cables []*cable
}

// severalNodes opens a club with n nodes.
func severalNodes(t *testing.T, n int, change ...func(*lobby.Config)) *cluster {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	c := &cluster{t: t, engine: engine}
	for range n {
		c.join(change...)
	}
	return c
}

// join adds a node, and returns when all nodes know of it.
func (c *cluster) join(change ...func(*lobby.Config)) *club {
	c.t.Helper()
	wire := newCable(c.engine)
	store, err := schema.Open(c.t.Context(), wire, schema.Config{Rate: rating.Rate})
	if err != nil {
		c.t.Fatal(err)
	}
	cfg := lobby.Config{
		Games: []games.Game{fourmation.New(), petteia.New()}, Levels: []lobby.Level{firstLegal, brokenLevel}, Workers: 2,
		Limits: lobby.Limits{NewUnfinished: 100, MatchBurst: 1000, Aborts: 1000},
		Node:   fmt.Sprint("node", len(c.clubs)+1), Shared: lobby.SharedOf(store),
	}
	for _, f := range change {
		f(&cfg)
	}
	l, err := lobby.New(c.t.Context(), lobby.StoreOf(store), cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { l.Close() })
	one := &club{Lobby: l, t: c.t, guest: l.Accounts.Guest("connection 1")}
	one.ana, one.rui = one.account("ana"), one.account("rui")
	c.clubs, c.cables = append(c.clubs, one), append(c.cables, wire)
	synctest.Wait()
	return one
}

// owner returns the index of the node that owns a match, or -1.
func (c *cluster) owner(id storage.MatchID) int {
	for i, one := range c.clubs {
		if one.Nodes().Owns(id) {
			return i
		}
	}
	return -1
}

// start opens a match that ana plays first on node at[0], and that rui has joined on node at[1].
func (c *cluster) start(at [2]int, change ...func(*lobby.Spec)) (ana, rui *lobby.Seat) {
	c.t.Helper()
	spec := lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst}
	for _, f := range change {
		f(&spec)
	}
	first, second := c.clubs[at[0]], c.clubs[at[1]]
	ref := first.open(first.ana, spec)
	synctest.Wait()
	if _, err := second.Seats.Join(c.t.Context(), second.rui, origin.Origin{}, ref.Code); err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
	return first.seat(first.ana, ref.ID), second.seat(second.rui, ref.ID)
}

// play makes moves in turn.
func (c *cluster) play(a, b *lobby.Seat, moves ...games.Move) {
	c.t.Helper()
	for _, m := range moves {
		synctest.Wait()
		c.clubs[0].play(a, b, m)
	}
	synctest.Wait()
}

// A match is the same on every node, wherever it is opened, joined, played and ended.
func TestSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		a, r := c.start([2]int{0, 1}, func(s *lobby.Spec) { s.Rated, s.Public = true, true })
		watcher := c.clubs[2]
		w := watcher.seat(watcher.guest, a.ID())
		for i, m := range win {
			c.play(a, r, m)
			for node, s := range []*lobby.Seat{a, r, w} {
				v := c.clubs[node].now(s)
				if v.Ply() != i+1 || v.Moves[i] != m {
					t.Fatalf("node %d sees %v after %d moves", node+1, v.Moves, i+1)
				}
			}
			if i == 2 {
				for node, one := range c.clubs {
					if all := one.Television.NowPlaying(); len(all) != 1 || all[0].ID != a.ID() || all[0].Ply != 3 {
						t.Errorf("node %d lists %+v", node+1, all)
					}
				}
			}
		}
		texts := make(map[string]bool)
		for node, s := range []*lobby.Seat{a, r, w} {
			v := c.clubs[node].now(s)
			if !v.Over || v.Ratings == nil {
				t.Errorf("node %d sees %s, ratings %v", node+1, text(v), v.Ratings)
			}
			texts[fmt.Sprint(v.Seats, v.Moves, v.Position, v.Result, v.Reason, v.EndedBy, v.Started, v.Ended, v.Ratings)] = true
			if n := c.clubs[node].Registry().Counts(); n.Matches != 0 || n.Ended != 0 {
				t.Errorf("node %d has %d matches, and waits for the end of %d", node+1, n.Matches, n.Ended)
			}
		}
		if len(texts) != 1 {
			t.Errorf("the nodes see different matches: %v", texts)
		}
		if err := r.Move(t.Context(), "a2", lobby.AnyPly); !errors.Is(err, lobby.ErrOver) {
			t.Errorf("a move after the end: %v", err)
		}
	})
}

// Nodes that write to a log at the same moment agree on what is in it.
func TestNodesOvertakeEachOther(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		a, r := c.start([2]int{0, 1})
		for round := range 10 {
			var seats []*lobby.Seat // of the player whose turn it is, on every node
			for _, one := range c.clubs {
				user := []lobby.User{one.ana, one.rui}[round%2]
				seats = append(seats, one.seat(user, a.ID()))
			}
			now := c.clubs[0].now(a)
			if now.Over {
				break
			}
			legal := now.Position.Legal()
			move := func(node int) games.Move { return legal[node%len(legal)] }
			errs := make([]error, len(seats))
			var all sync.WaitGroup
			for i, s := range seats {
				all.Go(func() { errs[i] = s.Move(t.Context(), move(i), round) })
			}
			all.Wait()
			synctest.Wait()
			made := -1
			for i, err := range errs {
				switch {
				case err == nil && made < 0:
					made = i
				case !errors.Is(err, lobby.ErrLate) && !errors.Is(err, lobby.ErrOver):
					t.Errorf("round %d: node %d says %v, node %d has moved", round, i+1, err, made+1)
				}
			}
			for node, one := range c.clubs {
				s := one.seat(one.ana, a.ID())
				if v := one.now(s); v.Ply() != round+1 || v.Moves[round] != move(made) {
					t.Errorf("round %d: node %d sees %v, want %s last", round, node+1, v.Moves, move(made))
				}
			}
		}
		// An act that doesn't depend on the turn succeeds even if the other side moves at the same moment.
		a, r = c.start([2]int{0, 1})
		v := c.clubs[0].now(a)
		var move, resign error
		var both sync.WaitGroup
		both.Go(func() { move = a.Move(t.Context(), v.Position.Legal()[0], lobby.AnyPly) })
		both.Go(func() { resign = r.Resign(t.Context()) })
		both.Wait()
		synctest.Wait()
		if move != nil && !errors.Is(move, lobby.ErrOver) || resign != nil && !errors.Is(resign, lobby.ErrOver) || move != nil && resign != nil {
			t.Errorf("move %v, resignation %v", move, resign)
		}
		if v := c.clubs[2].now(c.clubs[2].seat(c.clubs[2].ana, a.ID())); !v.Over {
			t.Errorf("it goes on: %s", text(v))
		}
	})
}

// A node that hears of changes late knows a match whose code it is given, and refuses nobody because of what it has yet to hear.
func TestChangesArriveLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		c.cables[1].slow.Store(true)
		first, second := c.clubs[0], c.clubs[1]
		ref := first.open(first.ana, lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst})
		if _, err := second.Seats.Join(t.Context(), second.rui, origin.Origin{}, ref.Code); err != nil {
			t.Fatalf("joined by its code at once: %v", err)
		}
		a, r := first.seat(first.ana, ref.ID), second.seat(second.rui, ref.ID)
		for i, m := range win {
			if err := []*lobby.Seat{a, r}[i%2].Move(t.Context(), m, i); err != nil {
				t.Errorf("move %d: %v", i, err)
			}
		}
		if v := first.now(a); !v.Over {
			t.Errorf("it goes on: %s", text(v))
		}
		time.Sleep(time.Minute)
	})
}

// A match that ends at one node while another one reads its log is over there too.
func TestEndsWhileLoaded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		a, r := c.start([2]int{0, 0}, func(s *lobby.Spec) { s.Public = true })
		c.play(a, r, win[:6]...)
		watcher := c.clubs[1]
		w := watcher.seat(watcher.guest, a.ID())
		if watcher.Registry().Find(a.ID()).Match != nil {
			t.Fatal("the match is in memory at the other node already")
		}
		c.cables[1].readLate(func() {
			if err := a.Move(t.Context(), win[6], lobby.AnyPly); err != nil {
				t.Error(err)
			}
			synctest.Wait() // until the other node has heard of it
		})
		if v := watcher.now(w); !v.Over || v.Ply() != len(win) {
			t.Errorf("the other node sees %s", text(v))
		}
		if n := watcher.Registry().Counts(); n.Matches != 0 || n.Plies != 0 {
			t.Errorf("the other node has %d matches, which cost %d", n.Matches, n.Plies)
		}
	})
}

// One node at a time sees to a match: its computer players and its clock; another one when that is cut off, or stops.
func TestAnotherNodeTakesOver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lose   func(c *cluster, node int)
		within time.Duration
	}{
		{"cut off", func(c *cluster, node int) { c.cables[node].cut() }, 10 * time.Second},
		{"stopped", func(c *cluster, node int) {
			_, before, _ := c.clubs[node].Bulletin.Watch()
			c.clubs[node].Close()
			if _, _, err := c.clubs[node].Bulletin.Next(c.t.Context(), before); !errors.Is(err, lobby.ErrNodeCloses) {
				c.t.Errorf("people at the node that stops are told %v", err)
			}
			if err := c.clubs[node].Closing(); !errors.Is(err, lobby.ErrNodeCloses) {
				c.t.Errorf("its sessions are told %v", err)
			}
		}, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := severalNodes(t, 3, func(cfg *lobby.Config) { cfg.BotDelay = lobby.DefaultBotDelay })
				var seats []*lobby.Seat
				owned := make(map[int]int)
				for range 30 {
					one := c.clubs[0]
					ref := one.open(one.ana, lobby.Spec{Game: "fourmation", Bot: "first", Side: lobby.PlayFirst, Clock: oneMinute})
					seats = append(seats, one.seat(one.ana, ref.ID))
					owned[c.owner(ref.ID)]++
				}
				if len(owned) != 3 {
					t.Fatalf("matches are owned by %v", owned)
				}
				move := func(s *lobby.Seat) {
					v := c.clubs[0].now(s)
					if err := s.Move(t.Context(), v.Position.Legal()[0], lobby.AnyPly); err != nil {
						t.Fatal(err)
					}
				}
				for _, s := range seats {
					move(s)
				}
				time.Sleep(lobby.DefaultBotDelay)
				synctest.Wait()
				for _, s := range seats {
					if v := c.clubs[0].now(s); v.Ply() != 2 {
						t.Fatalf("%d moves, want 2; node %d owns it", v.Ply(), c.owner(s.ID())+1)
					}
					move(s)
				}
				tt.lose(c, 2)
				time.Sleep(tt.within)
				synctest.Wait()
				for _, s := range seats {
					if v := c.clubs[0].now(s); v.Ply() != 4 {
						t.Errorf("%d moves, want 4; node %d owns it", v.Ply(), c.owner(s.ID())+1)
					}
				}
				// Nobody moves any more, so each match ends once, when ana's time is up.
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				for _, s := range seats {
					v := c.clubs[1].now(c.clubs[1].seat(c.clubs[1].ana, s.ID()))
					if !v.Over || v.Reason != "timeout" || v.Ended.Sub(v.LastAt) != 0 {
						t.Errorf("ended %q at %s", v.Reason, v.Ended)
					}
				}
			})
		})
	}
}

// Every node knows who is online, and at which board.
func TestPresenceAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		a, r := c.start([2]int{0, 1}, func(s *lobby.Spec) { s.Public = true })
		near := func(node int, s *lobby.Seat) string {
			v := c.clubs[node].now(s)
			return fmt.Sprint(v.Presence[0].Near, v.Presence[1].Near, v.Spectators.Count)
		}
		settle := func() {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		want := func(when string, near0, near1 atboard.Nearness, spectators int) {
			t.Helper()
			settle()
			for node, s := range []*lobby.Seat{a, r} {
				if got := near(node, s); got != fmt.Sprint(near0, near1, spectators) {
					t.Errorf("%s: node %d sees %s, want %v %v and %d spectators", when, node+1, got, near0, near1, spectators)
				}
			}
		}
		want("at first", atboard.Gone, atboard.Gone, 0)
		ana := c.clubs[0].Presence.Visit(c.clubs[0].ana, true)
		rui := c.clubs[1].Presence.Visit(c.clubs[1].rui, true)
		ana.At(a.ID())
		want("rui in the lobby", atboard.Here, atboard.Away, 0)
		rui.At(a.ID())
		want("both", atboard.Here, atboard.Here, 0)
		guest := c.clubs[1].Presence.Visit(c.clubs[1].guest, true)
		guest.At(a.ID())
		want("a guest looks on", atboard.Here, atboard.Here, 1)
		for node, one := range c.clubs {
			if n := one.Lists.Now(one.ana).Count; n != 3 {
				time.Sleep(time.Minute)
				if n := one.Lists.Now(one.ana).Count; n != 3 {
					t.Errorf("node %d counts %d people", node+1, n)
				}
			}
			if who := one.People.Who(t.Context(), one.ana); who.Count != 3 || who.Here[0].Doing != lists.Playing || who.Here[2].Doing != lists.Watching {
				t.Errorf("node %d says %+v", node+1, who)
			}
		}
		ana.Leave(true)
		want("ana gone", atboard.Gone, atboard.Here, 1)
		if v := c.clubs[1].now(r); !v.Presence[0].Dropped {
			t.Errorf("rui is not told that ana was dropped: %+v", v.Presence[0])
		}
		guest.Leave(false)
		rui.Leave(false)
		want("all gone", atboard.Gone, atboard.Gone, 0)
		if v := c.clubs[0].now(a); v.Presence[1].Dropped {
			t.Errorf("ana is told that rui was dropped: %+v", v.Presence[1])
		}
		rui = c.clubs[0].Presence.Visit(c.clubs[0].rui, true) // on the other node now
		want("rui back", atboard.Gone, atboard.Away, 0)
		rui.Leave(false)
	})
}

// A person who leaves while their node is cut off is gone on the other nodes as well once it is back.
func TestLeavingWhileCutOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		visit := c.clubs[1].Presence.Visit(c.clubs[1].guest, true)
		count := func() int {
			time.Sleep(2 * time.Second)
			synctest.Wait()
			return c.clubs[0].People.Who(t.Context(), c.clubs[0].ana).Count
		}
		if n := count(); n != 1 {
			t.Fatalf("%d people are here, want the guest", n)
		}
		c.cables[1].cut()
		visit.Leave(false)
		time.Sleep(nodes.CutOffAfter - time.Second) // not long enough for the node to be declared gone
		c.cables[1].mend()
		if n := count(); n != 0 {
			t.Errorf("%d people are here, and the only one has left", n)
		}
	})
}

// A node that is cut off from the store refuses acts, and recovers by itself.
func TestCutOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var storeFull atomic.Bool
		c := severalNodes(t, 2, func(cfg *lobby.Config) { cfg.StoreFull = storeFull.Load })
		a, r := c.start([2]int{0, 1}, with(fivePlus3))
		c.play(a, r, win[:2]...)
		here := []*presence.Session{c.clubs[0].Presence.Visit(c.clubs[0].ana, true), c.clubs[1].Presence.Visit(c.clubs[1].rui, true)}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		before := c.clubs[1].now(r).Clock.LeftAt(0, time.Now())

		watching := make(chan error, 1)
		seen := c.clubs[0].now(a)
		go func() {
			for {
				v, err := a.Follow(t.Context(), seen.Seq)
				if err != nil {
					watching <- err
					return
				}
				seen = v
			}
		}()
		c.cables[0].cut()
		flight := time.Now()
		if err := a.Move(t.Context(), win[2], lobby.AnyPly); !errors.Is(err, lobby.ErrBusy) || time.Since(flight) > nodes.CutOffAfter+time.Second {
			t.Errorf("a move that was on its way: %v after %s", err, time.Since(flight))
		}
		if err := <-watching; !errors.Is(err, lobby.ErrCutOff) || time.Since(flight) > nodes.CutOffAfter+time.Second {
			t.Errorf("a reader of the match at the node that is cut off: %v after %s", err, time.Since(flight))
		}
		time.Sleep(30*time.Second - time.Since(flight))
		synctest.Wait()
		if err := a.Move(t.Context(), win[2], lobby.AnyPly); !errors.Is(err, lobby.ErrCutOff) {
			t.Errorf("a move while the node is cut off: %v", err)
		}
		if _, err := c.clubs[0].Seats.Open(t.Context(), c.clubs[0].ana, lobby.Spec{Game: "fourmation"}); !errors.Is(err, lobby.ErrCutOff) {
			t.Errorf("a match while the node is cut off: %v", err)
		}
		storeFull.Store(true)
		if err := a.Move(t.Context(), win[2], lobby.AnyPly); !errors.Is(err, lobby.ErrStoreFull) {
			t.Errorf("a move while the store has reached its quota: %v", err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if b, _, _ := c.clubs[0].Bulletin.Watch(); b.CutOff.IsZero() || !b.StoreFull {
			t.Error("people are not told that the store is full")
		}
		storeFull.Store(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if b, _, _ := c.clubs[0].Bulletin.Watch(); b.CutOff.IsZero() || b.StoreFull {
			t.Errorf("people are told %+v when the store has room and the node is cut off", b)
		}
		if _, err := a.Now(t.Context()); !errors.Is(err, lobby.ErrCutOff) {
			t.Errorf("a view while the node is cut off, which may be an old one: %v", err)
		}
		if b, _, _ := c.clubs[0].Bulletin.Watch(); b.CutOff.IsZero() {
			t.Error("people are not told that the node is cut off")
		}
		v := c.clubs[1].now(r)
		if v.Presence[0].Near != atboard.Gone || !v.Presence[0].Dropped {
			t.Errorf("rui sees ana as %+v", v.Presence[0])
		}
		// ana got back the time until the others noticed, and 20 s. Of the 30 s, the 6 s at most before that are hers to bear.
		left := v.Clock.LeftAt(0, time.Now())
		if lost := before - left; lost > 30*time.Second-nodes.ExpireAfter+time.Second-clock.MaxResumed+time.Second {
			t.Errorf("ana lost %s", lost)
		}
		flight = time.Now()
		if _, _, err := c.clubs[0].Accounts.SignIn(t.Context(), "key of ana"); !errors.Is(err, lobby.ErrCutOff) || time.Since(flight) > accounts.AskCutOff {
			t.Errorf("a user who comes while the node is cut off: %v after %s", err, time.Since(flight))
		}
		c.cables[0].mend()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if err := a.Move(t.Context(), win[2], lobby.AnyPly); err != nil {
			t.Errorf("a move after that: %v", err)
		}
		if b, _, _ := c.clubs[0].Bulletin.Watch(); !b.CutOff.IsZero() || b.StoreFull {
			t.Error("people are told that the node is cut off")
		}
		c.play(a, r, win[3:]...)
		if v := c.clubs[1].now(r); !v.Over || v.Presence[0].Near == atboard.Gone {
			t.Errorf("%s, ana %+v", text(v), v.Presence[0])
		}
		for _, v := range here {
			v.Leave(false)
		}
	})
}

// While no node can reach the store all clocks stand still. Afterwards both sides of each match get some extra time.
func TestNoNodeReachesTheStore(t *testing.T) {
	t.Run("requests fail", func(t *testing.T) { noNodeReachesTheStore(t, time.Second) })
	t.Run("requests wait", func(t *testing.T) { noNodeReachesTheStore(t, 10*time.Second) })
}

func noNodeReachesTheStore(t *testing.T, patient time.Duration) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		a, r := c.start([2]int{0, 1}, with(oneMinute))
		c.play(a, r, win[:2]...)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		for _, w := range c.cables {
			w.mu.Lock()
			w.patient = patient
			w.mu.Unlock()
			w.cut()
		}
		time.Sleep(5*time.Minute + 6*time.Second)
		for _, w := range c.cables {
			w.mend()
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		for node, one := range c.clubs {
			v := one.now(one.seat(one.ana, a.ID()))
			left := v.Clock.LeftAt(0, time.Now())
			if want := time.Minute - 10*time.Second + clock.MaxResumed - 3*time.Second; v.Over || left > want+time.Second || left < want-2*time.Second {
				t.Errorf("node %d: ana has %s left, want %s", node+1, left, want)
			}
		}
		resumed := 0
		log, err := c.clubs[0].Store().Log(t.Context(), a.ID(), 1, 0)
		for _, e := range log {
			if e.Kind == matches.Resumed {
				resumed++
			}
		}
		if resumed != 1 || err != nil {
			t.Errorf("resumed %d times, %v", resumed, err)
		}
		c.play(a, r, win[2:]...)
	})
}

// resumedOnce checks that the log of each match says once that its clock was resumed.
func (c *cluster) resumedOnce(when string, seats []*lobby.Seat) {
	c.t.Helper()
	for _, s := range seats {
		log, err := c.clubs[2].Store().Log(c.t.Context(), s.ID(), 1, 0)
		times := 0
		for _, e := range log {
			if e.Kind == matches.Resumed {
				times++
			}
		}
		if times != 1 || err != nil {
			c.t.Errorf("%s, resumed %d times, %v", when, times, err)
		}
	}
}

// Time is given back once after an outage, also if the clocks of the machines differ by a moment.
func TestResumedOnce(t *testing.T) {
	all := []int{0, 1, 2}
	for _, tt := range []struct {
		name  string
		ahead [3]time.Duration // the clock of each machine
		cut   []int
	}{
		{"a node is gone", [3]time.Duration{}, all[:1]},
		{"a node is gone, within a millisecond", [3]time.Duration{700 * time.Microsecond, 700 * time.Microsecond, 700 * time.Microsecond}, all[:1]},
		{"a node is gone, others are ahead", [3]time.Duration{0, 200 * time.Millisecond, 500 * time.Millisecond}, all[:1]},
		{"the store is away", [3]time.Duration{}, all},
		{"the store is away, the first is ahead", [3]time.Duration{500 * time.Millisecond, 200 * time.Millisecond, 0}, all},
		{"the store is away, the last is ahead", [3]time.Duration{0, 200 * time.Millisecond, 500 * time.Millisecond}, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := severalNodes(t, 0)
				for _, ahead := range tt.ahead {
					c.join(func(cfg *lobby.Config) { cfg.Now = func() time.Time { return time.Now().Add(ahead) } })
				}
				for _, w := range c.cables {
					w.answerLate(func() { time.Sleep(100 * time.Microsecond) })
				}
				var visits []*presence.Session
				for _, one := range c.clubs[:2] {
					visits = append(visits, one.Presence.Visit([]lobby.User{one.ana, one.rui}[len(visits)], true))
				}
				var seats []*lobby.Seat
				for range 12 { // owned by all nodes
					a, r := c.start([2]int{0, 1}, with(oneMinute))
					c.play(a, r, win[:2]...)
					seats = append(seats, a)
				}
				time.Sleep(5 * time.Second)
				for _, node := range tt.cut {
					c.cables[node].cut()
				}
				time.Sleep(8 * time.Second)
				for _, node := range tt.cut {
					c.cables[node].mend()
					time.Sleep(100 * time.Millisecond)
				}
				time.Sleep(3 * time.Second)
				synctest.Wait()
				c.resumedOnce("at first", seats)
				c.clubs[1].Close() // ana, whose turn it is, was not there
				time.Sleep(3 * time.Second)
				synctest.Wait()
				c.resumedOnce("when another node has taken over", seats)
				for _, v := range visits {
					v.Leave(false)
				}
			})
		})
	}
}

// A node that hears last who was at a node that is gone doesn't give the time back that another one has given back.
func TestResumedByAnother(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		visit := c.clubs[0].Presence.Visit(c.clubs[0].ana, true)
		defer visit.Leave(false)
		var seats []*lobby.Seat
		for range 12 { // owned by all nodes
			a, r := c.start([2]int{0, 1}, with(oneMinute))
			c.play(a, r, win[:2]...)
			seats = append(seats, a)
		}
		present := "presence"
		c.cables[2].lags.Store(&present)
		c.cables[0].cut()
		time.Sleep(15 * time.Second)
		c.clubs[1].Close() // the last node owns all matches
		time.Sleep(3 * time.Second)
		synctest.Wait()
		c.resumedOnce("when another node has taken over", seats)
		c.cables[0].mend()
		time.Sleep(5 * time.Second)
		synctest.Wait()
	})
}

// TestStaleLostTime: time that was lost is given back only to the clock that ran then.
func TestStaleLostTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 1)
		a, r := c.start([2]int{0, 0}, with(oneMinute))
		c.play(a, r, win[:2]...)
		one := c.clubs[0]
		s := one.Registry().Find(a.ID()).Summary
		upAt := time.Now()
		time.Sleep(5 * time.Second)
		one.Matches.Failover.NodeLost(t.Context(), upAt, match.KeyOf(s.Seats[s.Turn]))
		if got := one.Owners().OutageOf(s.ID, s.Clock.Since); !got.Down.Equal(upAt) {
			t.Errorf("the clock that ran: %+v, want since %v", got, upAt)
		}
		if got := one.Owners().OutageOf(s.ID, s.Clock.Since.Add(time.Millisecond)); !got.Down.Before(upAt) {
			t.Errorf("a clock that another node has resumed: %+v", got)
		}
	})
}

// A player who ends a session at one node while another one goes on elsewhere gets no time for that: the node is not gone.
func TestEndOfSecondSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		var seats []*lobby.Seat
		for range 8 { // owned by both nodes
			a, r := c.start([2]int{0, 1}, with(oneMinute))
			c.play(a, r, win[:2]...)
			seats = append(seats, a)
		}
		settle := func() {
			time.Sleep(1500 * time.Millisecond)
			synctest.Wait()
		}
		visits := []*presence.Session{c.clubs[0].Presence.Visit(c.clubs[0].ana, true), c.clubs[1].Presence.Visit(c.clubs[1].ana, true)}
		settle()
		for _, v := range visits {
			v.Leave(false)
			settle()
		}
		for _, s := range seats {
			log, err := c.clubs[0].Store().Log(t.Context(), s.ID(), 1, 0)
			if last := log[len(log)-1]; err != nil || last.Kind != matches.Moved {
				t.Errorf("%s, %v", last.Kind, err)
			}
		}
	})
}

// A match whose last move was on its way when the store fell silent goes on as soon as that answers again, however long it was away.
func TestMoveOnItsWayWhileStoreIsAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 1)
		a, r := c.start([2]int{0, 0}, with(fivePlus3))
		c.play(a, r, win[:2]...)
		for i := range 4 {
			before := c.clubs[0].now(a).Clock.LeftAt(i%2, time.Now())
			c.cables[0].cut()
			s := []*lobby.Seat{a, r}[i%2]
			if err := s.Move(t.Context(), win[2+i], lobby.AnyPly); !errors.Is(err, lobby.ErrBusy) {
				t.Errorf("a move on its way: %v", err)
			}
			time.Sleep(time.Minute + time.Duration(i)*1500*time.Millisecond)
			c.cables[0].mend()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if left, want := c.clubs[0].now(a).Clock.LeftAt(i%2, time.Now()), before+clock.MaxResumed-2*time.Second; left < want-time.Second || left > want+time.Second {
				t.Errorf("%s left, want %s", left, want)
			}
			if err := s.Move(t.Context(), win[2+i], lobby.AnyPly); err != nil {
				t.Errorf("a move two seconds after the store is back: %v", err)
				break
			}
		}
	})
}

// Two nodes don't have the same name, and one that comes back is not taken for another.
func TestNamesOfNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		store, err := schema.Open(t.Context(), newCable(c.engine), schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		cfg := lobby.Config{Games: []games.Game{fourmation.New()}, Node: "node1", Shared: lobby.SharedOf(store)}
		if _, err := lobby.New(t.Context(), lobby.StoreOf(store), cfg); !errors.Is(err, nodes.ErrNameTaken) {
			t.Errorf("a second node1: %v", err)
		}
		c.cables[0].cut() // as if it had been killed
		l, err := lobby.New(t.Context(), lobby.StoreOf(store), cfg)
		if err != nil {
			t.Fatalf("node1 after a restart: %v", err)
		}
		l.Close()
	})
}

// seekAt begins a player's search on a node.
func (c *cluster) seekAt(node int, name string, spec lobby.Spec) (s quick.Search, stop context.CancelFunc) {
	c.t.Helper()
	one := c.clubs[node]
	s, stop = one.seek(one.account(name), spec)
	synctest.Wait()
	return s, stop
}

// People who look for a quick match on different nodes are paired, each in one match, and nobody who can play is left over.
func TestQuickMatchesAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		a, stopA := c.seekAt(0, "ana", quick4)
		defer stopA()
		b, stopB := c.seekAt(1, "rui", quick4)
		defer stopB()
		first, second := c.clubs[0].found(a), c.clubs[1].found(b)
		if first != second || first.Code == "" {
			t.Fatalf("ana found %v, rui %v", first, second)
		}
		synctest.Wait()
		for node, one := range c.clubs {
			s := one.Registry().Find(first.ID).Summary
			if s == nil || s.Started.IsZero() || !s.Rated {
				t.Errorf("node %d knows %+v", node+1, s)
			}
			if n, o := one.Quick.Counts().Waiting, one.Quick.Counts().Elsewhere; n != 0 || o != 0 || one.Quick.Counts().Rows != 0 {
				t.Errorf("node %d: %d in the pool, %d from elsewhere, %d rows", node+1, n, o, one.Quick.Counts().Rows)
			}
		}
		if _, err := c.clubs[1].Seats.At(t.Context(), c.clubs[1].rui, second); err != nil {
			t.Errorf("rui can't go there: %v", err)
		}

		// Many at once.
		const people = 30
		var searches []quick.Search
		for i := range people {
			s, stop := c.seekAt(i%3, fmt.Sprint("player", i), quick4)
			defer stop()
			searches = append(searches, s)
		}
		seats := make(map[lobby.Ref]int)
		for i, s := range searches {
			ref := c.clubs[i%3].found(s)
			if seats[ref]++; seats[ref] > 2 {
				t.Errorf("%v was found by %d", ref, seats[ref])
			}
		}
		if len(seats) != people/2 {
			t.Errorf("%d people are in %d matches", people, len(seats))
		}
		synctest.Wait()
		for node, one := range c.clubs {
			if matches := one.Registry().Counts().Matches; matches != people/2+1 {
				t.Errorf("node %d has %d matches, want %d", node+1, matches, people/2+1)
			}
		}
	})
}

// A search whose person leaves while its row is being written leaves no row behind.
func TestLeavingWhileSearchBegins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		one := c.clubs[0]
		ctx, leave := context.WithCancel(t.Context())
		c.cables[0].answerLate(leave)
		if _, err := one.Quick.Seek(ctx, one.ana, quick.One(quick4)); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		c.cables[0].answerLate(nil)
		synctest.Wait()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		for node, one := range c.clubs {
			if n := one.Quick.Counts().Waiting; n != 0 || one.Quick.Counts().Rows != 0 {
				t.Errorf("node %d: %d in the pool, %d rows", node+1, n, one.Quick.Counts().Rows)
			}
		}
	})
}

// A search on another node ends the person's earlier one, a search whose node is gone is not paired, and offers of other nodes are taken.
func TestSearchesAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		a, stopA := c.seekAt(0, "ana", quick4)
		defer stopA()
		time.Sleep(time.Second)
		_, stopAgain := c.seekAt(1, "ana", quick4)
		if _, err := c.clubs[0].lookingErr(a); !errors.Is(err, lobby.ErrElsewhere) {
			t.Errorf("the search before: %v", err)
		}
		stopAgain()
		synctest.Wait()
		b, stopB := c.seekAt(0, "rui", quick4)
		time.Sleep(10 * time.Second)
		if got := c.clubs[0].looking(b); got.Match != (lobby.Ref{}) || got.Others != 0 {
			t.Errorf("rui sees %+v although ana looks no more", got)
		}
		stopB()
		synctest.Wait()

		// An offer.
		one := c.clubs[0]
		ref := one.open(one.ana, lobby.Spec{Game: "4mation", Rated: true, Clock: fivePlus3, Public: true})
		visit := one.Presence.Visit(one.ana, true)
		defer visit.Leave(false)
		synctest.Wait()
		b, stopB = c.seekAt(1, "rui", quick4)
		defer stopB()
		if got := c.clubs[1].found(b); got.ID != ref.ID {
			t.Errorf("rui found %v, want the offer %v", got, ref)
		}

		// A node that is gone.
		e, stopE := c.seekAt(1, "eva", quick4)
		defer stopE()
		_ = e
		c.cables[1].cut()
		time.Sleep(nodes.ExpireAfter + 2*time.Second)
		synctest.Wait()
		f, stopF := c.seekAt(0, "fay", quick4)
		defer stopF()
		time.Sleep(time.Second)
		if got := c.clubs[0].looking(f); got.Match != (lobby.Ref{}) {
			t.Errorf("fay found %v with a player at a node that is gone", got)
		}
		c.cables[1].mend()
		if got, other := c.clubs[0].found(f), c.clubs[1].found(e); got != other {
			t.Errorf("fay found %v, eva %v", got, other)
		}
	})
}

// lookingErr returns how a search ended.
func (c *club) lookingErr(s quick.Search) (quick.Looking, error) {
	synctest.Wait()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
	defer cancel()
	at, seq, err := s.Next(ctx, 0)
	for err == nil {
		at, seq, err = s.Next(ctx, seq)
	}
	return at, err
}

// Two people who ask for a quick match by command at the same moment are paired, whatever their nodes; so are two who ask for a rematch.
func TestTheSameMomentAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		users := []lobby.User{c.clubs[0].ana, c.clubs[1].rui}
		var refs [2]lobby.Ref
		atOnce := func(ask func(node int) (lobby.Ref, error)) {
			t.Helper()
			var both sync.WaitGroup
			for node := range refs {
				both.Go(func() {
					var err error
					if refs[node], err = ask(node); err != nil {
						t.Errorf("node %d: %v", node+1, err)
					}
				})
			}
			both.Wait()
			synctest.Wait()
			if refs[0] != refs[1] {
				t.Fatalf("two matches: %v", refs)
			}
			s := c.clubs[0].Registry().Find(refs[0].ID).Summary
			if s == nil || s.Started.IsZero() {
				t.Fatalf("it has not begun: %+v", s)
			}
		}
		for range 5 {
			atOnce(func(node int) (lobby.Ref, error) {
				return c.clubs[node].Quick.Quick(t.Context(), users[node], quick.One(quick4))
			})
			var seats [2]*lobby.Seat
			for node, one := range c.clubs {
				seats[node] = one.seat(users[node], refs[0].ID)
			}
			c.play(seats[0], seats[1], win...)
			atOnce(func(node int) (lobby.Ref, error) { return seats[node].Rematch(t.Context()) })
			for node, one := range c.clubs {
				seats[node] = one.seat(users[node], refs[0].ID)
			}
			c.play(seats[0], seats[1], win...)
		}
	})
}

// Every node knows the operators' decisions, players' relations and names, and what they write.
func TestDecisionsAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		one, two := c.clubs[0], c.clubs[1]
		var ended ended
		two.Sessions.Use(&ended)
		operator := one.Operators.As("test", lobby.NoSessions{})
		must := func(_ any, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		a, r := c.start([2]int{0, 1})
		eva := one.account("eva")

		must(one.Relations.Relate(t.Context(), one.ana, relations.Blocked, "rui", true))
		if !two.Relations.Blocks(two.rui, two.ana) {
			t.Error("rui's node doesn't know that ana has blocked them")
		}
		must(one.Relations.Relate(t.Context(), one.ana, relations.Blocked, "rui", false))
		if two.Relations.Blocks(two.rui, two.ana) {
			t.Error("rui's node doesn't know that ana blocks nobody any more")
		}

		lines := func(s *lobby.Seat) (all []string) {
			chat, err := s.Chat(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range chat.Lines {
				all = append(all, fmt.Sprint(line.Number, line.By.Name, line.Text))
			}
			return all
		}
		lines(a)
		lines(r)
		must(nil, a.Say(t.Context(), "hello", ""))
		must(nil, r.Say(t.Context(), "good day", ""))
		c.play(a, r, win...)
		must(nil, a.Say(t.Context(), "thanks", ""))
		must(nil, r.Say(t.Context(), "well played", ""))
		want := []string{"1anahello", "2ruigood day", "3anathanks", "4ruiwell played"}
		for node, s := range []*lobby.Seat{a, r} {
			if got := lines(s); !slices.Equal(got, want) {
				t.Errorf("node %d shows %q, want %q", node+1, got, want)
			}
		}

		must(operator.Mute(t.Context(), "rui", time.Now().Add(time.Hour), "loud"))
		if until := two.Restrictions.MutedUntil(two.rui); !until.After(time.Now()) {
			t.Errorf("rui is muted until %s at another node", until)
		}
		must(operator.Announce(t.Context(), "Tea at five.", "news"))
		if got, _, _ := two.Bulletin.Watch(); got.Text != "Tea at five." {
			t.Errorf("announced: %+v", got)
		}
		must(operator.Rename(t.Context(), "rui", "rui2", "asked for it"))
		if got := two.Restrictions.Named(two.rui.Occupant()); got.Name != "rui2" {
			t.Errorf("rui is called %s", got.Name)
		}
		must(operator.Ban(t.Context(), "192.0.2.1", time.Time{}, "rude"))
		if !two.Restrictions.AddressBanned(netip.MustParseAddr("192.0.2.1")) || ended.banned == 0 {
			t.Errorf("banned %v, told %d times", two.Restrictions.AddressBanned(netip.MustParseAddr("192.0.2.1")), ended.banned)
		}
		must(operator.Close(t.Context(), "eva", "rude"))
		if !two.Restrictions.Closed(eva.Player()) || !slices.Contains(ended.keys, "key of eva") {
			t.Errorf("closed %v, ended %v", two.Restrictions.Closed(eva.Player()), ended.keys)
		}
		told := one.Nodes().Told()
		must(operator.Announce(t.Context(), "Tea at six.", "news"))
		if n := one.Nodes().Told() - told; n != 0 {
			t.Errorf("an act that is about nobody tells other nodes to end the sessions of %d accounts", n)
		}
	})
}

// A node that learns of a decision but can't read it retries.
func TestDecisionsReadLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		one, two := c.clubs[0], c.clubs[1]
		synctest.Wait()
		c.cables[1].noReads.Store(true)
		banned := netip.MustParseAddr("192.0.2.1")
		if _, err := one.Operators.As("test", lobby.NoSessions{}).Ban(t.Context(), banned.String(), time.Time{}, "rude"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if two.Restrictions.AddressBanned(banned) {
			t.Fatal("the node has read the ban")
		}
		c.cables[1].noReads.Store(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if !two.Restrictions.AddressBanned(banned) {
			t.Error("the node never reads the ban")
		}
	})
}

// A node that has missed the end of a player's last relation finds out when its watch resumes.
func TestRelationsMissed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		one, two := c.clubs[0], c.clubs[1]
		block := func(on bool) {
			t.Helper()
			if _, err := one.Relations.Relate(t.Context(), one.ana, relations.Blocked, "rui", on); err != nil {
				t.Fatal(err)
			}
			time.Sleep(900 * time.Millisecond)
			synctest.Wait()
		}
		block(true)
		if !two.Relations.Blocks(two.rui, two.ana) {
			t.Fatal("the node doesn't know that ana has blocked rui")
		}
		section := "relations"
		c.cables[1].missing.Store(&section)
		block(false)
		if c.cables[1].missing.Load() != nil {
			t.Fatal("the change was not lost")
		}
		if two.Relations.Blocks(two.rui, two.ana) {
			t.Error("the node never hears that ana blocks nobody any more")
		}
	})
}

// A key that leaves its account at one node loses its sessions at another, also if that has missed the change.
func TestKeysAtSeveralNodes(t *testing.T) {
	for _, lost := range []string{"", "keys"} {
		bubble(t, func(t *testing.T) {
			c := severalNodes(t, 2)
			one, two := c.clubs[0], c.clubs[1]
			var ended ended
			two.Sessions.Use(&ended)
			leave := make(map[string]func())
			want := func(key string, why error) {
				t.Helper()
				time.Sleep(time.Second)
				synctest.Wait()
				if !slices.Equal(ended.keys, []string{key}) || !errors.Is(ended.why, why) {
					t.Errorf("%q lost: ended %q, %v, want %q, %v", lost, ended.keys, ended.why, key, why)
				}
				ended.keys = nil
				leave[key]()
				if lost != "" {
					c.cables[1].missing.Store(&lost)
				}
			}
			code, _, err := one.Keys.OfferKey(t.Context(), one.ana)
			if err != nil {
				t.Fatal(err)
			}
			_, err = one.Keys.ClaimKey(t.Context(), "laptop", origin.Origin{}, code, lobby.NoSessions{})
			if err != nil {
				t.Fatal(err)
			}
			eva := one.account("eva")
			for key, u := range map[string]lobby.User{"laptop": two.ana, "key of ana": two.ana, "key of eva": eva, "key of rui": two.rui} {
				leave[key] = two.Connect(u, origin.Origin{Person: key})
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if len(ended.keys) > 0 {
				t.Errorf("ended %q though nothing has changed", ended.keys)
			}
			if lost != "" {
				c.cables[1].missing.Store(&lost)
			}
			if err := one.Keys.RemoveKey(t.Context(), one.ana, "laptop", lobby.NoSessions{}); err != nil {
				t.Fatal(err)
			}
			want("laptop", lobby.ErrKeyRemoved)
			if err := one.Accounts.DeleteAccount(t.Context(), eva, lobby.NoSessions{}); err != nil {
				t.Fatal(err)
			}
			want("key of eva", lobby.ErrAccountDeleted)
		})
	}
}

// ended notes which sessions are to end.
type ended struct {
	mu     sync.Mutex // guards what follows
	banned int
	keys   []string
	why    error // of the last ones
}

func (e *ended) EndBanned() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.banned++
}

func (e *ended) EndKeys(keys []string, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys = append(e.keys, keys...)
	e.why = why
}

// Wrong codes and new accounts are limited across all nodes together.
func TestAttemptsAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3, func(cfg *lobby.Config) { cfg.Bounds.WrongCodes, cfg.Bounds.WrongCodeEvery = 4, time.Minute })
		from := origin.Origin{Person: "somebody", Addr: netip.MustParseAddr("192.0.2.7")}
		ref := c.clubs[0].open(c.clubs[0].ana, lobby.Spec{Game: "fourmation"})
		synctest.Wait()
		guess := func(node int, code string) error {
			_, err := c.clubs[node].Finder.Find(t.Context(), c.clubs[node].rui, from, code)
			synctest.Wait()
			return err
		}
		for i := range 4 {
			if err := guess(i%3, "222222"); !errors.Is(err, lobby.ErrNoSuchMatch) {
				t.Errorf("guess %d: %v", i+1, err)
			}
			if err := guess(i%2, ref.Code); i < 3 && err != nil {
				t.Errorf("a right code costs something: %v", err)
			}
		}
		for node := range c.clubs {
			var throttled *lobby.ThrottledError
			if err := guess(node, ref.Code); !errors.As(err, &throttled) || throttled.Wait > time.Minute || throttled.Wait < time.Second {
				t.Errorf("node %d after four wrong codes: %v", node+1, err)
			}
		}
		time.Sleep(time.Minute)
		if err := guess(2, ref.Code); err != nil {
			t.Errorf("a minute later: %v", err)
		}
		account := origin.Origin{Addr: from.Addr}
		for i := range 4 {
			_, shared, err := c.clubs[i%3].NewAccount(t.Context(), account, time.Hour, 3)
			if !shared || (err != nil) != (i == 3) {
				t.Errorf("account %d: shared %v, %v", i+1, shared, err)
			}
		}
	})
}

// TestNodesAgree has people act on random nodes while nodes are cut off, stopped and started. In the end all nodes agree with each other
// and with the store.
func TestNodesAgree(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(r *rapid.T) {
			c := severalNodes(t, 3, func(cfg *lobby.Config) { cfg.Limits.AwayGuest = time.Minute })
			defer c.engine.Close()
			w := &world{cluster: c, r: r, here: make(map[int][]*presence.Session)}
			names := []string{"ana", "rui", "eva", "fay", "guy"}
			for _, name := range names {
				c.clubs[0].account(name)
			}
			for range rapid.IntRange(5, 40).Draw(r, "steps") {
				w.step(names)
			}
			for node := range c.cables {
				w.mend(node)
			}
			time.Sleep(30 * time.Second) // searches whose rows could not be written are retried meanwhile
			synctest.Wait()
			w.check(r)
			for _, visits := range w.here {
				for _, v := range visits {
					v.Leave(false)
				}
			}
			for _, stop := range w.stops {
				stop()
			}
			for _, one := range c.clubs {
				one.Close()
			}
		})
	})
}

// A world is the state of TestNodesAgree.
type world struct {
	*cluster
	r     *rapid.T
	ids   []storage.MatchID
	here  map[int][]*presence.Session
	cut   [3]bool
	stops []context.CancelFunc
}

func (w *world) mend(node int) {
	if node < len(w.cut) && w.cut[node] {
		w.cables[node].mend()
		w.cut[node] = false
	}
}

// drawn draws one element of from.
func drawn[T any](w *world, what string, from []T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(w.r, what)]
}

// step takes one random step. Errors that people may get are fine; panics, races, and nodes that differ in the end are not.
func (w *world) step(names []string) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	node := rapid.IntRange(0, len(w.clubs)-1).Draw(w.r, "node")
	one := w.clubs[node]
	who, _, err := one.Accounts.SignIn(ctx, "key of "+drawn(w, "who", names))
	if err != nil {
		return // cut off
	}
	act := func(do func(s *lobby.Seat) error) {
		if len(w.ids) == 0 {
			return
		}
		id := drawn(w, "match", w.ids)
		ref := lobby.Ref{ID: id}
		if s := one.Registry().Find(id).Summary; s != nil {
			ref = s.Ref
		}
		if s, err := one.Seats.At(ctx, who, ref); err == nil {
			_ = do(s)
		}
	}
	switch rapid.IntRange(0, 13).Draw(w.r, "act") {
	case 0:
		spec := lobby.Spec{Game: "fourmation", Public: rapid.Bool().Draw(w.r, "public"), Rated: rapid.Bool().Draw(w.r, "rated")}
		if rapid.Bool().Draw(w.r, "clock") {
			spec.Clock = oneMinute
		}
		if ref, err := one.Seats.Open(ctx, who, spec); err == nil {
			w.ids = append(w.ids, ref.ID)
		}
	case 1:
		if ref, err := one.Seats.Open(ctx, who, lobby.Spec{Game: "fourmation", Bot: "first"}); err == nil {
			w.ids = append(w.ids, ref.ID)
		}
	case 2, 3:
		act(func(s *lobby.Seat) error { return s.Join(ctx) })
	case 4, 5, 6:
		act(func(s *lobby.Seat) error {
			v, err := s.Now(ctx)
			if err != nil || v.Over {
				return err
			}
			return s.Move(ctx, drawn(w, "move", v.Position.Legal()), lobby.AnyPly)
		})
	case 7:
		act(func(s *lobby.Seat) error { return s.Resign(ctx) })
	case 8:
		act(func(s *lobby.Seat) error {
			ref, err := s.Rematch(ctx)
			if err == nil {
				w.ids = append(w.ids, ref.ID)
			}
			return err
		})
	case 9:
		if ref, err := one.Quick.Quick(ctx, who, quick.One(quick4)); err == nil {
			w.ids = append(w.ids, ref.ID)
		}
	case 10:
		searching, stop := context.WithCancel(w.t.Context())
		w.stops = append(w.stops, stop)
		_, _ = one.Quick.Seek(searching, who, quick.One(quick4))
		if rapid.Bool().Draw(w.r, "stop") {
			stop()
		}
	case 11:
		v := one.Presence.Visit(who, true)
		w.here[node] = append(w.here[node], v)
		if len(w.ids) > 0 {
			v.At(drawn(w, "board", w.ids))
		}
		if visits := w.here[node]; len(visits) > 2 {
			visits[0].Leave(rapid.Bool().Draw(w.r, "dropped"))
			w.here[node] = visits[1:]
		}
	case 12:
		if node < len(w.cut) && !w.cut[node] {
			w.cables[node].cut()
			w.cut[node] = true
		} else {
			w.mend(node)
		}
	case 13:
		time.Sleep(time.Duration(rapid.IntRange(1, 9000).Draw(w.r, "ms")) * time.Millisecond)
	}
	if rapid.Bool().Draw(w.r, "settle") {
		synctest.Wait()
	}
}

// check compares the states of the nodes with each other and with the store.
func (w *world) check(t *rapid.T) {
	rows, err := w.clubs[0].Store().Summaries(w.t.Context())
	if err != nil {
		t.Fatal(err)
	}
	going := make(map[storage.MatchID]uint64)
	for _, row := range rows {
		going[row.ID] = row.Seq
	}
	people := 0
	seen := make(map[match.Key]bool)
	for node, visits := range w.here {
		for _, v := range visits {
			if !seen[v.User().Key()] && w.clubs[node] != nil {
				seen[v.User().Key()] = true
				people++
			}
		}
	}
	for node, one := range w.clubs {
		all := make(map[storage.MatchID]bool)
		knows := make(map[storage.MatchID]uint64)
		for id := range going {
			all[id] = true
			if s := one.Registry().Find(id).Summary; s != nil {
				knows[id] = s.Events
			}
		}
		n := one.Registry().Counts()
		if more := one.Registry().Reconcile(all); len(more) > 0 || n.Matches != len(knows) {
			t.Errorf("node %d knows %d matches, and %d that the store doesn't have", node+1, n.Matches, len(more))
		}
		if diff := cmp.Diff(going, knows); diff != "" {
			t.Errorf("node %d knows other matches than the store has (-store +node):\n%s", node+1, diff)
		}
		if n.Ended > 0 || n.Unopened > 0 {
			t.Errorf("node %d waits for the end of %d matches, and for the beginning of %d", node+1, n.Ended, n.Unopened)
		}
		if n := one.Connected().Count(); n != people {
			t.Errorf("node %d counts %d people, want %d", node+1, n, people)
		}
		if one.Reach().Check() != nil || one.Nodes().Len() != len(w.clubs) {
			t.Errorf("node %d: %v, sees %d nodes", node+1, one.Reach().Check(), one.Nodes().Len())
		}
	}
	owned := 0
	for _, one := range w.clubs {
		owned += one.Registry().Counts().Owned
	}
	if owned != len(going) {
		t.Errorf("%d matches have %d owners", len(going), owned)
	}
	pool := w.clubs[0].Quick.Counts().Waiting
	for node, one := range w.clubs {
		if n := one.Quick.Counts().Waiting; n != pool || n > 1 {
			t.Errorf("at node %d %d look for a match, at the first one %d", node+1, n, pool)
		}
	}
	for _, id := range w.ids {
		says := make(map[string]bool)
		for _, one := range w.clubs {
			v, err := one.Matches.View(w.t.Context(), id)
			if err != nil {
				says[err.Error()] = true
				continue
			}
			near := [2]atboard.Nearness{}
			if !v.Over { // the presence at a finished match is published only to those who look at it
				near = [2]atboard.Nearness{v.Presence[0].Near, v.Presence[1].Near}
			}
			says[fmt.Sprint(v.Seats, v.Moves, v.Position, v.Result, v.Reason, v.Over, v.Clock.Left, near)] = true
		}
		if len(says) != 1 {
			t.Errorf("the nodes see match %s differently: %v", id, slices.Collect(maps.Keys(says)))
		}
	}
}
