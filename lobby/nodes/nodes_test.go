package nodes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// A line is one node's connection to the store, which a test can cut.
type line struct {
	*cluster.Store
	cut   atomic.Bool
	doubt atomic.Bool  // the next heartbeat under a new id is written, but not answered
	delay atomic.Int64 // how long a heartbeat takes to the store, and its answer back; a time.Duration
}

var errCut = errors.New("no answer")

func (l *line) BeatNode(ctx context.Context, n cluster.Node, now func() time.Time) (cluster.Outage, error) {
	if l.cut.Load() {
		return cluster.Outage{}, errCut
	}
	if delay := time.Duration(l.delay.Load()); delay > 0 {
		at := now()
		time.Sleep(delay)
		defer time.Sleep(delay)
		now = func() time.Time { return at }
	}
	last, err := l.Store.BeatNode(ctx, n, now)
	if err == nil && n.Beat == 1 && l.doubt.CompareAndSwap(true, false) {
		return cluster.Outage{}, errCut
	}
	return last, err
}

func (l *line) ExpireNode(ctx context.Context, id cluster.NodeID, beat uint64) (bool, error) {
	if l.cut.Load() {
		return false, errCut
	}
	return l.Store.ExpireNode(ctx, id, beat)
}

// A member is a running node with its connection, and counts of its callbacks.
type member struct {
	*Nodes
	line                   *line
	changed, back, outages atomic.Int32
	stop                   func()
}

// Changed and Outage implement Listener.
func (m *member) Changed() { m.changed.Add(1) }

func (m *member) Outage(o cluster.Outage) {
	if o != (cluster.Outage{}) {
		m.outages.Add(1)
	}
}

// countRejoined counts how often the member has come back, until ctx ends.
func (m *member) countRejoined(ctx context.Context) {
	for next := m.Rejoined(); ; m.back.Add(1) {
		select {
		case <-next:
			next = m.Rejoined()
		case <-ctx.Done():
			return
		}
	}
}

func join(t *testing.T, store *schema.Store, name string, changes ...func(*Config)) *member {
	t.Helper()
	m := &member{line: &line{Store: store.Cluster}}
	config := Config{Store: m.line, Name: name, Now: time.Now, Log: slog.New(slog.DiscardHandler), Listener: m}
	for _, change := range changes {
		change(&config)
	}
	n := New(config)
	if _, err := n.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Nodes = n
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { n.Run(ctx) })
	all.Go(func() { m.countRejoined(ctx) })
	m.stop = func() { cancel(); all.Wait() }
	return m
}

// bubble runs a test on a new store, in a synctest bubble.
func bubble(t *testing.T, f func(t *testing.T, store *schema.Store)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), schema.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		f(t, store)
	})
}

// owned returns the owner of each match and how many matches each node owns. It fails if a match doesn't have exactly one owner.
func owned(t *testing.T, matches int, members ...*member) (by []int, counts map[int]int) {
	t.Helper()
	synctest.Wait()
	counts = make(map[int]int)
	for i := range matches {
		owner, owners := -1, 0
		for n, m := range members {
			if m.Owns(storage.MatchID(fmt.Sprintf("m%07d", i))) {
				owner, owners = n, owners+1
			}
		}
		if owners != 1 {
			t.Fatalf("match %d has %d owners", i, owners)
		}
		by = append(by, owner)
		counts[owner]++
	}
	return by, counts
}

// Each match has one owner, the nodes own about equally many, and a node that joins or leaves moves no more matches than it must.
func TestOwners(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		const matches = 4000
		var members []*member
		var before []int
		for n := range 4 {
			members = append(members, join(t, store, fmt.Sprint("node", n)))
			now, counts := owned(t, matches, members...)
			for node := range n + 1 {
				if fair := matches / (n + 1); counts[node] < fair*85/100 || counts[node] > fair*115/100 {
					t.Errorf("of %d nodes one has %d matches", n+1, counts[node])
				}
			}
			for i := range before {
				if now[i] != before[i] && now[i] != n {
					t.Fatalf("match %d goes from node %d to %d when %d comes", i, before[i], now[i], n)
				}
			}
			before = now
		}
		members[1].Leave(t.Context())
		members[1].stop()
		now, _ := owned(t, matches, members[0], members[2], members[3])
		for i := range now {
			if was := before[i]; was != 1 && []int{0, 2, 3}[now[i]] != was {
				t.Fatalf("match %d goes from node %d to %d when node 1 leaves", i, was, now[i])
			}
		}
		for _, n := range []int{0, 2, 3} {
			members[n].stop()
		}
	})
}

// A node is settled when its heartbeats have been in time for settledAfter, and no longer when one fails or comes late.
func TestSettled(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		n := join(t, store, "a")
		defer n.stop()
		settled := func(when string, want bool) {
			t.Helper()
			synctest.Wait()
			if got := n.Settled(); got != want {
				t.Errorf("%s: settled %v, want %v", when, got, want)
			}
		}
		settled("at first", false)
		time.Sleep(settledAfter - time.Second)
		settled("a second too early", false)
		time.Sleep(2 * time.Second)
		settled("after a while", true)
		n.line.cut.Store(true)
		time.Sleep(late + beatEvery)
		settled("while heartbeats fail", false)
		n.line.cut.Store(false)
		time.Sleep(beatEvery)
		settled("right after that, though not cut off for long", false)
		time.Sleep(settledAfter)
		settled("in the end", true)
	})
}

// TestReady: people come to a node that has settled, through a late heartbeat too, and not while or right after it was cut off, nor when it
// is about to stop.
func TestReady(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		n := join(t, store, "a")
		defer n.stop()
		ready := func(when string, want bool) {
			t.Helper()
			synctest.Wait()
			if got := n.Ready(); got != want {
				t.Errorf("%s: ready %v, want %v", when, got, want)
			}
		}
		ready("at first", false)
		time.Sleep(settledAfter + beatEvery)
		ready("after a while", true)
		n.line.cut.Store(true)
		time.Sleep(CutOffAfter - beatEvery/2)
		ready("while a heartbeat is late", true)
		n.line.cut.Store(false)
		time.Sleep(beatEvery)
		ready("after a late heartbeat", true)
		time.Sleep(2 * beatEvery)
		n.line.cut.Store(true)
		time.Sleep(CutOffAfter)
		ready("cut off", false)
		n.line.cut.Store(false)
		time.Sleep(2 * beatEvery)
		ready("right after that", false)
		time.Sleep(settledAfter)
		ready("in the end", true)
		if err := n.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		ready("about to stop", false)
	})
}

// A silent node is declared gone after ExpireAfter and one heartbeat, not sooner, and comes back with a new id.
func TestSilence(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		a, b := join(t, store, "a"), join(t, store, "b")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		id := b.ID()
		b.line.cut.Store(true)
		time.Sleep(CutOffAfter - beatEvery)
		if b.CutOff() {
			t.Error("cut off too soon")
		}
		time.Sleep(beatEvery)
		synctest.Wait()
		if !b.CutOff() || a.CutOff() || b.Owns("m") {
			t.Errorf("after %s: cut off %v and %v, b owns %v", CutOffAfter, a.CutOff(), b.CutOff(), b.Owns("m"))
		}
		time.Sleep(ExpireAfter - CutOffAfter - beatEvery)
		synctest.Wait()
		if a.Len() != 2 {
			t.Error("b is gone too soon")
		}
		time.Sleep(3 * beatEvery)
		synctest.Wait()
		if a.Len() != 1 || !a.Owns("m") {
			t.Errorf("%d nodes are up", a.Len())
		}
		named := func(up, missing string) {
			t.Helper()
			u, m := a.Names()
			if strings.Join(u, " ") != up || strings.Join(m, " ") != missing {
				t.Errorf("%q are up and %q missing, want %s and %s", u, m, up, missing)
			}
		}
		named("a", "b")
		a.members.mu.Lock()
		a.members.seen.names["b"] = a.members.seen.names["b"].Add(-missingFor)
		a.members.mu.Unlock()
		named("a", "")
		b.line.cut.Store(false)
		time.Sleep(2 * beatEvery)
		synctest.Wait()
		if a.Len() != 2 || b.Len() != 2 || b.CutOff() || b.back.Load() != 1 || b.ID() == id || !b.Own(id) || a.back.Load()+a.outages.Load() != 0 {
			t.Errorf("a sees %d, b %d, cut off %v, back %d times", a.Len(), b.Len(), b.CutOff(), b.back.Load())
		}
		named("a b", "")
		if last := a.LastBeat(id); time.Since(last) < ExpireAfter || time.Since(last) > time.Minute {
			t.Errorf("b was up last at %s", last)
		}
		a.stop()
		b.stop()
	})
}

// A node that was declared gone rejoins exactly once, even if its first heartbeat under the new id was written but not answered.
func TestBackWithoutAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		a, b := join(t, store, "a"), join(t, store, "b")
		time.Sleep(5 * time.Second)
		b.line.cut.Store(true)
		time.Sleep(ExpireAfter + 3*beatEvery)
		b.line.doubt.Store(true)
		b.line.cut.Store(false)
		time.Sleep(3 * beatEvery)
		synctest.Wait()
		if b.line.doubt.Load() || a.Len() != 2 || b.CutOff() || b.back.Load() != 1 {
			t.Errorf("in doubt %v, a sees %d, cut off %v, back %d times, want once", b.line.doubt.Load(), a.Len(), b.CutOff(), b.back.Load())
		}
		a.stop()
		b.stop()
	})
}

// While no node can reach the store, none is declared gone, however long that lasts. Afterwards each of them learns of the outage once.
func TestStoreAway(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		members := []*member{join(t, store, "a"), join(t, store, "b"), join(t, store, "c")}
		time.Sleep(5 * time.Second)
		for _, m := range members {
			m.line.cut.Store(true)
		}
		time.Sleep(time.Minute)
		for _, m := range members {
			m.line.cut.Store(false)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		for i, m := range members {
			if m.Len() != 3 || m.back.Load() != 0 || m.CutOff() || m.outages.Load() == 0 {
				t.Errorf("node %d sees %d, back %d times, cut off %v, told of %d outages", i, m.Len(), m.back.Load(), m.CutOff(), m.outages.Load())
			}
		}
		owned(t, 100, members...)
		for _, m := range members {
			m.stop()
		}
	})
}

// The operator is told, once, of a clock that is off and of another host key, and of nothing else.
func TestMachinesThatDiffer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ahead []time.Duration // of each node
		told  [][3]int        // how often each node logs that a clock is off, that two differ, that a host key does
	}{
		{"three nodes, one ahead", []time.Duration{0, maxOff / 2, 2 * maxOff}, [][3]int{{1, 0, 1}, {1, 0, 1}, {1, 0, 2}}},
		{"three nodes, one behind", []time.Duration{0, maxOff / 2, -2 * maxOff}, [][3]int{{1, 0, 1}, {1, 0, 1}, {1, 0, 2}}},
		{"three nodes in step", []time.Duration{0, maxOff / 2, -maxOff / 3}, [][3]int{{0, 0, 1}, {0, 0, 1}, {0, 0, 2}}},
		{"four nodes, two and two", []time.Duration{0, 0, 5 * maxOff, 5 * maxOff}, [][3]int{{0, 0, 1}, {0, 0, 1}, {0, 0, 3}, {0, 0, 1}}},
		{"two nodes", []time.Duration{0, 2 * maxOff}, [][3]int{{0, 1, 0}, {0, 1, 0}}},
		{"two nodes in step", []time.Duration{0, maxOff / 2}, [][3]int{{0, 0, 0}, {0, 0, 0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *schema.Store) {
				var members []*member
				logs := make([]strings.Builder, len(tt.ahead))
				for i, ahead := range tt.ahead {
					members = append(members, join(t, store, fmt.Sprint(i), func(c *Config) {
						c.Log, c.HostKey = slog.New(slog.NewTextHandler(&logs[i], nil)), "SHA256:one"
						if i == 2 {
							c.HostKey = "SHA256:two"
						}
						c.Now = func() time.Time { return time.Now().Add(ahead) }
					}))
				}
				time.Sleep(time.Minute)
				for _, m := range members {
					m.stop()
				}
				for i, want := range tt.told {
					text := logs[i].String()
					got := [3]int{strings.Count(text, "node is off"), strings.Count(text, "two nodes differ"), strings.Count(text, "another host key")}
					if got != want || strings.Count(text, "\n") != want[0]+want[1]+want[2] {
						t.Errorf("node %d is told %v times, want %v:\n%s", i, got, want, text)
					}
				}
			})
		})
	}
}

// TestSlowBeat: heartbeats that the store takes late, as PostgreSQL does while the standby is away, say nothing of the clocks of nodes.
func TestSlowBeat(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		var log strings.Builder
		var members []*member
		for _, name := range []string{"a", "b", "c"} {
			members = append(members, join(t, store, name, func(c *Config) {
				if name == "c" {
					c.Log = slog.New(slog.NewTextHandler(&log, nil))
				}
			}))
		}
		time.Sleep(2 * maxReadings * beatEvery)
		for _, delay := range []time.Duration{1400 * time.Millisecond, 0} { // there and back more than twice maxOff
			for _, m := range members {
				m.line.delay.Store(int64(delay))
			}
			time.Sleep(beatEvery)
		}
		time.Sleep(2 * maxReadings * beatEvery)
		for _, m := range members {
			m.stop()
		}
		if strings.Contains(log.String(), "node is off") {
			t.Errorf("the node is told\n%s", log.String())
		}
	})
}

// TestClockOff: a node whose clock is off owns nothing, the others own its matches, and it owns matches again when its clock is right.
func TestClockOff(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		var wrong atomic.Int64 // how far the clock of the last node is ahead
		var members []*member
		for _, name := range []string{"a", "b", "c"} {
			members = append(members, join(t, store, name, func(c *Config) {
				c.Now = func() time.Time {
					if name == "c" {
						return time.Now().Add(time.Duration(wrong.Load()))
					}
					return time.Now()
				}
			}))
		}
		defer func() {
			for _, m := range members {
				m.stop()
			}
		}()
		const matches = 300
		for _, by := range []time.Duration{0, maxOff * 9 / 10, -maxOff * 9 / 10} {
			wrong.Store(int64(by))
			time.Sleep(2 * maxReadings * beatEvery)
			if _, counts := owned(t, matches, members...); counts[2] == 0 {
				t.Errorf("with a clock off by %v a node owns nothing", by)
			}
		}
		const far = 450 * time.Millisecond // to the store: the node sees its heartbeats so late, which its clock has nothing to do with
		members[2].line.delay.Store(int64(far))
		wrong.Store(int64(-maxOff + far/2))
		time.Sleep(4 * maxReadings * beatEvery)
		if _, counts := owned(t, matches, members...); counts[2] == 0 {
			t.Error("far from the store a node with a clock that is right enough owns nothing")
		}
		members[2].line.delay.Store(0)
		for _, by := range []time.Duration{maxOff * 11 / 10, -maxOff * 11 / 10, time.Hour} {
			wrong.Store(int64(by))
			time.Sleep(2 * maxReadings * beatEvery)
			if _, counts := owned(t, matches, members...); counts[2] != 0 || counts[0] == 0 || counts[1] == 0 {
				t.Errorf("with a clock off by %v the nodes own %v", by, counts)
			}
			before := members[0].changed.Load()
			wrong.Store(0)
			time.Sleep(2 * maxReadings * beatEvery)
			if _, counts := owned(t, matches, members...); counts[2] == 0 || members[0].changed.Load() == before {
				t.Errorf("with its clock right again a node owns nothing: %v", counts)
			}
		}
	})
}
