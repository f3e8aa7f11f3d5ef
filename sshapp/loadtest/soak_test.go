//go:build linux

package loadtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A soak is a club in full swing, for a while. Some of those who are here are rude in every other period of it and polite in
// those between, so that what their rudeness does to others shows beside the same club without it.
type soak struct {
	t      *testing.T
	server *server
	ctx    context.Context // ends when it is time to stop
	rude   atomic.Bool     // those who can be are rude, at the moment
	moves  atomic.Int64    // made and found again
	visits atomic.Int64    // of those who come and go
	pace   time.Duration   // between a player's moves, about
	period time.Duration
	coming time.Duration // how long it takes until all are there
	began  time.Time
}

// soakPeriods is how many periods a soak has, polite ones and rude ones in turn: as many of both in each third of it.
const soakPeriods = 12

// TestSoak has many people play, watch, resize, stall and drop out at the same time. No move is lost, every key is answered,
// and the server doesn't grow. LUDOTECA_SOAK says how long, with 500 of them; otherwise there are 20, for a short while.
func TestSoak(t *testing.T) {
	sessions, length, pace, short := 20, 4*time.Second, 50*time.Millisecond, true
	if d, err := time.ParseDuration(os.Getenv("LUDOTECA_SOAK")); err == nil {
		sessions, length, pace, short = 500, d, time.Second, false
	}
	s := startServer(t, Ours, fmt.Sprint(cachedPlies, "=", cachedIn(length)))
	k := &soak{t: t, server: s, pace: pace, period: length / (soakPeriods + 1), began: time.Now()}
	if k.coming = k.period; raceDetector { // it slows down signing in, too
		k.coming = max(k.coming, 20*time.Second)
	}
	h := &target{server: s, patience: patience}
	if err := h.polite(); err != nil { // what is made once is there
		t.Fatal(err)
	}
	before, files := s.mustState(), s.descriptors()
	others := startProbes(t, s, startServer(t, Bare), sessions/10) // by whom the server is measured

	ctx, leaveAll := context.WithCancel(t.Context())
	defer leaveAll()
	k.ctx = ctx
	all := k.people(sessions)
	m := k.measure(others)
	h.soon(k.happened) // a busy machine takes longer
	leaveAll()
	all.Wait()
	t.Logf("had a processor for: the server %v; the clients %v", cpuShareOf(s.cmd.Process.Pid), cpuShareOf(os.Getpid()))
	others.leave()
	if !h.soon(func() bool { return s.mustState().visiting() <= before.visiting() && s.descriptors() <= files }) {
		t.Errorf("all have left: %+v, %d files; before they came: %+v, %d files", s.mustState(), s.descriptors(), before, files)
	}
	if err := s.terminate(); err != nil {
		t.Error(err)
	}

	t.Logf("%d moves, %d visits of those who come and go", k.moves.Load(), k.visits.Load())
	if m.tell(t); !short && !raceDetector { // which slows down everything ten times
		m.check(t)
	}
	if !k.happened() {
		t.Error("nothing happened")
	}
}

// cachedIn is how many moves of finished matches the server keeps: few enough for a soak to fill that in its first third.
func cachedIn(length time.Duration) int { return int(length / (30 * time.Millisecond)) }

func (k *soak) happened() bool { return k.moves.Load() > 0 && k.visits.Load() > 0 }

// people has so many sessions live, besides the others. It returns when they are coming.
func (k *soak) people(sessions int) *sync.WaitGroup {
	all := new(sync.WaitGroup)
	role := func(n int, live func() error) {
		for range n {
			all.Go(func() {
				rest(rand.N(k.coming / 2)) // all at once would be too many to sign in
				if err := live(); err != nil && !errors.Is(err, context.Canceled) {
					k.t.Error(err)
				}
			})
		}
	}
	role(sessions/5, k.play)    // two sessions each
	role(sessions/20, k.follow) // five sessions each
	role(sessions/10, k.resize)
	role(sessions/10, k.stall)
	role(sessions/10, k.drop)
	return all
}

// pause waits about that long. The error says that it is time to stop.
func (k *soak) pause(d time.Duration) error {
	wait := time.NewTimer(d/2 + rand.N(d))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-k.ctx.Done():
		return k.ctx.Err()
	}
}

// over reports whether it is time to stop.
func (k *soak) over() bool { return k.ctx.Err() != nil }

// measure lets the others type, period by period, and looks at the server in between. It begins when all have come, and takes
// as long as the soak does.
func (k *soak) measure(others *probes) (m measured) {
	rest(k.coming)
	between := min(betweenKeys, k.period/8)
	keys := 2 * max(1, int(k.period*3/16/between)) // there and back: at the edge of a board a key changes nothing
	for i := range soakPeriods {
		rude := i%2 == 1
		k.rude.Store(rude)
		rest(k.period / 4) // everybody has noticed
		p := period{rude: rude}
		for range 2 {
			before := k.used()
			late := others.typing(keys, between)
			p.used = p.used.add(k.used().since(before))
			p.late, p.bare = append(p.late, late.Ours...), append(p.bare, late.Bare...)
			p.missing += keys*others.n - len(late.Ours)
			k.look(&m)
		}
		m.periods = append(m.periods, p)
	}
	return m
}

// used is what the server has used so far.
func (k *soak) used() (u used) {
	if err := k.server.ask("garbage", &u.garbage); err != nil {
		k.t.Fatal(err)
	}
	u.share, u.time = cpuShareOf(k.server.cmd.Process.Pid), time.Since(k.began)
	return u
}

// look takes a sample of what the server process holds.
func (k *soak) look(m *measured) {
	var now state
	if err := k.server.ask("quick", &now); err != nil {
		k.t.Fatal(err)
	}
	m.goroutines, m.files = append(m.goroutines, now.Goroutines), append(m.files, k.server.descriptors())
	m.live, m.resident = append(m.live, int(now.Live>>10)), append(m.resident, int(k.server.memory("RssAnon")>>10))
	if n := len(m.live); n%(2*soakPeriods/3) == 0 { // at the end of each third
		k.server.heap(fmt.Sprint("soak", n))
	}
}
