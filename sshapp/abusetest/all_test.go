//go:build linux

package abusetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ludoteca/sshapp/loadtest"
)

// all runs the attacks at once beside ordinary players, who must notice nothing. It leaves out attacks that aren't made over connections to one
// club.
func all(w *world) {
	data := w.TempDir()
	w.history(data, w.of(40, 1000))
	c := w.startOn(data, fmt.Sprint("--max-unauth=", w.of(60, 200)), fmt.Sprint("--max-sessions=", w.of(200, 1000)), "--keepalive-max=100")
	probes := loadtest.ProbeClub(w, c.addr, w.of(2, 10))
	ordinary, friend := c.person("ordinary", v4(1, 0, 1)), c.person("friend", v4(2, 0, 1))
	c.person("alice", v4(1, 0, 2)).must("name alice")
	returning := c.person("returning", v6(77, 0, 1))
	_ = returning.Close()
	keys := w.of(4, 120) // of each probe
	var waits []time.Duration
	var alone loadtest.Delay
	if w.full {
		waits = c.answers(ordinary, 6)
		alone = probes.Typing(keys, keyPause)
	}

	ctx, cancel := context.WithCancel(w.Context())
	var under sync.WaitGroup
	defer under.Wait() // also where the test ends early: they go on in its club
	defer cancel()
	c.crowded = true
	asked, ended := c.attackEverywhere(ctx, &under, ordinary)
	if w.full {
		loadtest.Pause(5 * time.Second) // all are at it
	}

	var beside loadtest.Delay
	var measuring sync.WaitGroup
	measuring.Go(func() { beside = probes.Typing(keys, keyPause) })
	var refusals []string
	if err := returning.connect(); err != nil {
		w.Fatalf("a returning client doesn't get in: %v", err)
	}
	answers := c.answers(returning, w.of(1, 12))
	moves := c.playTogether(ordinary, friend, w.of(6, 60), &refusals)
	measuring.Wait()
	cancel()
	ended()
	under.Wait()
	probes.Leave()
	w.figure("all at once (%d computer players think): Champion answers in p50 %.0f ms, at most %.0f, before that %.0f and %.0f; each of %d moves between two people takes p50 %.1f ms, p99 %.1f; %d refusals",
		asked, loadtest.Percentile(answers, 50), loadtest.Percentile(answers, 100), loadtest.Percentile(waits, 50), loadtest.Percentile(waits, 100),
		len(moves), loadtest.Percentile(moves, 50), loadtest.Percentile(moves, 99), len(refusals))
	w.figure("all at once: the attackers are not answered %d times", c.failed.Load())
	for _, at := range []int{50, 90, 99} {
		w.figure("all at once: p%d of others' keys is %.1f ms, without the attacks %.1f; at a bare SSH server %.1f and %.1f", at,
			loadtest.Percentile(beside.Ours, at), loadtest.Percentile(alone.Ours, at), loadtest.Percentile(beside.Bare, at), loadtest.Percentile(alone.Bare, at))
	}
	if len(refusals) > 0 {
		w.Errorf("ordinary players are refused %q", refusals)
	}
	if w.full && loadtest.Percentile(answers, 100) > loadtest.Percentile(waits, 100)+1500 {
		w.Errorf("an ordinary player waits up to %.0f ms for Champion", loadtest.Percentile(answers, 100))
	}
	if len(beside.Ours) == 0 {
		w.Error("no key was answered")
	}
	if late, usual := loadtest.Percentile(beside.Ours, 99), loadtest.Percentile(alone.Ours, 99); w.full && late > 2*usual {
		w.Errorf("p99 of others' keys is %.1f ms, without the attacks %.1f", late, usual)
	}
}

// keyPause is the time from one key of a probe to the next.
const keyPause = 250 * time.Millisecond

// attackEverywhere begins the attacks, some of which have the player as their victim. They go on until ctx ends, or each for a few rounds in
// passing; under waits for them, and ended for the silent connections. It returns how many computer players have been made to think.
func (c *club) attackEverywhere(ctx context.Context, under *sync.WaitGroup, victim *person) (asked int, ended func()) {
	c.Helper()
	wasters := make([]*person, 8)
	for i := range wasters {
		wasters[i] = c.person("wasteful-"+word(i), v4(100, 0, 1))
	}
	thinkers, guessers := c.people("thinker", 4, 20), c.people("guesser", c.of(4, 20), 110)
	readers, farmers := c.people("reader", c.of(5, 50), 40), c.farmers()
	offerers, reporters, analysts := c.people("offerer", c.of(4, 24), 120), c.people("reporter", c.of(4, 24), 121), c.people("analyst", c.of(4, 24), 122)
	spies, recoverers := c.people("spy", c.of(2, 8), 123), c.people("recoverer", c.of(4, 24), 124)
	pesterer, pest := c.person("pesterer", v4(130, 0, 1)), c.person("pest", v4(131, 0, 1))
	partner := c.person("partner", v4(132, 0, 1))
	cheat, err := c.lateAnswerer("cheat", v4(133, 0, 1))
	if err != nil {
		c.Fatal(err)
	}
	lost, err := begin(victim, pesterer, "momentum", 2)
	if err != nil {
		c.Fatal(err)
	}
	victim.must("resign " + lost.Code)
	victim.must("block pesterer")
	past := spies[0].pastMatches(c.of(5, 250))

	most := c.of(10, 1_000_000) // rounds of each attack
	asked = c.askToThink(thinkers, c.of(5, 100))
	c.leaveUnread(c.of(4, 43), 6)
	ended = c.silence(ctx, c.of(6, 21))
	stop := ctx.Done()
	context.AfterFunc(ctx, func() { // an analysis that is under way ends with the connection of who asked for it
		for _, p := range analysts {
			_ = p.Close()
		}
	})
	for _, p := range thinkers {
		under.Go(func() { p.until(stop, most, func(int) { moveWherever(p) }) })
	}
	for _, attack := range []func(){
		func() { c.crowd(stop, c.of(6, 2100), c.of(50, 20_000), 5, everywhere) },
		func() { c.waste(stop, wasters, most) },
		func() { c.impersonate(stop) },
		func() { c.guess(stop, guessers, most) },
		func() { c.read(stop, readers, most) },
		func() { c.farm(stop, farmers, most) },
		func() { c.occupy(stop, c.of(6, 125)) },
		func() { c.openOffers(stop, append(offerers, pest), "momentum", most) },
		func() { c.fillReports(stop, reporters, []string{"alice", "ordinary"}, most) },
		func() { c.fillAnalyses(stop, analysts, past, func() {}) },
		func() { spies[0].until(stop, c.of(1, 1000), func(int) { c.readChats(stop, spies, past) }) },
		func() { c.tryRecoveries(stop, recoverers, "alice", most) },
		func() { c.failToSignIn(stop, 20, c.of(2, 1_000_000)) },
		func() { pesterer.pester(stop, lost, victim, most) },
		func() {
			cheat.until(stop, c.of(1, 1000), func(int) {
				if _, _, err := cheat.playThinking(partner, c.of(2, 40), 100*time.Millisecond); err != nil && !refused(err) {
					c.fail(err)
				}
			})
		},
	} {
		under.Go(attack)
	}
	return asked, ended
}

// playTogether has two people play a number of moves of a timed match, or to its end. It returns how long each move took, in order.
func (c *club) playTogether(a, b *person, moves int, refusals *[]string) (took []time.Duration) {
	m, err := begin(a, b, "petteia --clock 10+5", 0)
	for i := 0; err == nil && i < moves && len(m.Legal) > 0; i++ {
		mover := a
		if m.Turn == "second" {
			mover = b
		}
		began := time.Now()
		m, err = mover.askMatch("move " + m.Code + " " + anyOf(m.Legal))
		took = append(took, time.Since(began))
	}
	switch {
	case refused(err):
		*refusals = append(*refusals, err.Error())
	case err != nil:
		c.Error(err)
	case m.Ply != len(took) || m.Ply < moves && m.Result == "":
		c.Errorf("%d of %d moves between two people are made, and the match goes on: %+v", len(took), moves, m)
	}
	slices.Sort(took)
	return took
}
