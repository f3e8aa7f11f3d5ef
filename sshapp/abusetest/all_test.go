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

// all plays every attack at once, beside ordinary players, from whom nothing may be withheld.
func all(w *world) {
	data := w.TempDir()
	w.history(data, w.of(20, 1000))
	c := w.startOn(data, fmt.Sprint("--max-unauth=", w.of(60, 200)))
	probes := loadtest.ProbeClub(w, c.addr, w.of(2, 10))
	ordinary, friend := c.person("ordinary", v4(1, 0, 1)), c.person("friend", v4(2, 0, 1))
	c.person("alice", v4(1, 0, 2)).must("name alice")
	returning := c.person("returning", v6(77, 0, 1))
	_ = returning.Close()
	var alone []time.Duration
	if w.full {
		alone = c.answers(ordinary, 6)
	}

	var wasters []*person
	for i := range 8 {
		wasters = append(wasters, c.person("wasteful-"+word(i), v4(100, 0, 1)))
	}
	thinkers, guessers := c.people("thinker", 4, 20), c.people("guesser", w.of(4, 20), 110)
	readers, farmers := c.people("reader", w.of(5, 50), 40), c.farmers()

	ctx, cancel := context.WithCancel(w.Context())
	var attacks sync.WaitGroup
	defer attacks.Wait() // also where the test ends early: they go on in its club
	defer cancel()
	most := w.of(10, 1_000_000) // rounds of each attack
	asked := c.askToThink(thinkers, w.of(5, 100))
	c.leaveUnread(w.of(4, 43), 6)
	quiet := c.silence(ctx, w.of(6, 21))
	for _, p := range thinkers {
		attacks.Go(func() { until(ctx.Done(), most, func(int) { moveWherever(p) }) })
	}
	attacks.Go(func() { c.crowd(ctx.Done(), w.of(6, 2100), w.of(50, 20_000), 5, everywhere) })
	attacks.Go(func() { c.waste(ctx.Done(), wasters, most) })
	attacks.Go(func() { c.impersonate(ctx.Done()) })
	attacks.Go(func() { c.guess(ctx.Done(), guessers, most) })
	attacks.Go(func() { c.read(ctx.Done(), readers, most) })
	attacks.Go(func() { c.farm(ctx.Done(), farmers, most) })
	if w.full {
		loadtest.Pause(5 * time.Second) // all are at it
	}

	var late loadtest.Delay
	var measuring sync.WaitGroup
	measuring.Go(func() { late = probes.Typing(w.of(4, 120), 250*time.Millisecond) })
	var refusals []string
	if err := returning.connect(); err != nil {
		w.Fatalf("somebody who was here before doesn't get in: %v", err)
	}
	answers := c.answers(returning, w.of(1, 12))
	moves := c.playTogether(ordinary, friend, w.of(6, 60), &refusals)
	measuring.Wait()
	cancel()
	quiet()
	attacks.Wait()
	probes.Leave()
	w.figure("all at once (%d computer players think): others' keys take p50 %.1f ms, p90 %.1f, p99 %.1f, at a bare SSH server %.1f, %.1f and %.1f; Champion answers in p50 %.0f ms, at most %.0f, before that %.0f and %.0f; each of %d moves between two people takes p50 %.1f ms, p99 %.1f; %d refusals",
		asked, loadtest.Percentile(late.Ours, 50), loadtest.Percentile(late.Ours, 90), loadtest.Percentile(late.Ours, 99),
		loadtest.Percentile(late.Bare, 50), loadtest.Percentile(late.Bare, 90), loadtest.Percentile(late.Bare, 99),
		loadtest.Percentile(answers, 50), loadtest.Percentile(answers, 100), loadtest.Percentile(alone, 50), loadtest.Percentile(alone, 100),
		len(moves), loadtest.Percentile(moves, 50), loadtest.Percentile(moves, 99), len(refusals))
	if len(refusals) > 0 {
		w.Errorf("ordinary players are refused %q", refusals)
	}
	if w.full && loadtest.Percentile(answers, 100) > loadtest.Percentile(alone, 100)+1500 {
		w.Errorf("an ordinary player waits up to %.0f ms for Champion", loadtest.Percentile(answers, 100))
	}
	if len(late.Ours) == 0 {
		w.Error("no key was answered")
	}
	if p99 := loadtest.Percentile(late.Ours, 99); w.full && p99 > 10 {
		w.Errorf("others' keys take %.1f ms, at a bare SSH server %.1f", p99, loadtest.Percentile(late.Bare, 99))
	}
}

// playTogether has two people play so many moves, or to the end, and returns how long each move took, in order.
func (c *club) playTogether(a, b *person, moves int, refusals *[]string) (took []time.Duration) {
	m, err := begin(a, b, "petteia", 0)
	for i := 0; err == nil && i < moves && len(m.Legal) > 0; i++ {
		mover := a
		if m.Turn == "second" {
			mover = b
		}
		began := time.Now()
		m, err = mover.askMatch("move " + m.Code + " " + m.Legal[len(m.Legal)/2])
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
