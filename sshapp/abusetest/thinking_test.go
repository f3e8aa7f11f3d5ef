//go:build linux

package abusetest

import (
	"fmt"
	"slices"
	"time"

	"ludoteca/sshapp/loadtest"
)

// thinking has a few accounts make as many computer players think as they can, beside an ordinary player against one.
func thinking(w *world) {
	accounts, each, replies := 4, w.of(10, 400), w.of(1, 10)
	c := w.start("--bot-workers=1", // new accounts may have fewer matches, and open them more slowly
		fmt.Sprint("--max-matches-new=", each), fmt.Sprint("--max-matches-player=", each), fmt.Sprint("--match-burst=", each))
	ordinary := c.person("ordinary", v4(1, 0, 1))
	var quiet []time.Duration
	if w.full {
		quiet = c.answers(ordinary, replies)
	}
	attackers := c.people("thinker", accounts, 20)
	asked := c.askToThink(attackers, each)
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() { // ends with stop
		defer close(ended)
		together(len(attackers), func(i int) { until(stop, w.of(0, 10_000), func(int) { moveWherever(attackers[i]) }) })
	}()
	beside := c.answers(ordinary, replies)
	close(stop)
	<-ended
	still := 0
	for _, a := range attackers {
		all, err := a.list("matches")
		if err != nil {
			w.Fatal(err)
		}
		for _, m := range all {
			if !m.YourTurn {
				still++
			}
		}
	}
	w.figure("computer players: beside %d matches of %d accounts Champion answers in p50 %.0f ms, at most %.0f ms; without them in p50 %.0f ms, at most %.0f ms",
		asked, accounts, loadtest.Percentile(beside, 50), loadtest.Percentile(beside, 100), loadtest.Percentile(quiet, 50), loadtest.Percentile(quiet, 100))
	if asked < accounts*each/2 {
		w.Errorf("%d of %d matches are open: this is no attack", asked, accounts*each)
	}
	if !w.full && still < asked/4 {
		w.Errorf("an ordinary player was answered when %d of the attackers' %d computer players waited still", still, asked)
	}
	if w.full && loadtest.Percentile(beside, 100) > loadtest.Percentile(quiet, 100)+1500 {
		w.Errorf("an ordinary player waits up to %.0f ms", loadtest.Percentile(beside, 100))
	}
}

// askToThink opens as many matches as each account may have in which Master moves first, and returns how many there are.
func (c *club) askToThink(accounts []*person, each int) int {
	var open count
	together(len(accounts), func(i int) {
		for range each {
			if _, err := accounts[i].ask("new petteia --vs master --side second"); err != nil {
				if !refused(err) {
					c.fail(err)
				}
				return
			}
			open.one()
		}
	})
	return int(open.Load())
}

// moveWherever makes a move in each match in which it is p's turn, so that the other side has to think.
func moveWherever(p *person) {
	all, err := p.list("matches")
	if err != nil {
		return
	}
	for _, m := range all {
		if !m.YourTurn {
			continue
		}
		if m, err := p.askMatch("show " + m.Code); err == nil && len(m.Legal) > 0 {
			_, _ = p.ask("move " + m.Code + " " + m.Legal[0]) // a refusal is as good
		}
	}
}

// answers has p play against Champion, and returns how long Champion takes to answer each move, in order.
func (c *club) answers(p *person, moves int) (took []time.Duration) {
	c.Helper()
	m := p.mustMatch("new petteia --vs champion --side first")
	m = p.mustMatch("show " + m.Code)
	watch, err := p.Start("watch " + m.Code + " --json")
	if err != nil {
		c.Fatal(err)
	}
	defer watch.Close()
	for range moves {
		if len(m.Legal) == 0 {
			break
		}
		began := time.Now()
		m = p.mustMatch("move " + m.Code + " " + m.Legal[len(m.Legal)/2])
		if m.Turn == "" {
			break
		}
		if err := watch.Until(fmt.Sprintf(`"ply":%d,`, 2*len(took)+2)); err != nil {
			c.Fatalf("Champion doesn't answer: %v", err)
		}
		took = append(took, time.Since(began))
		m = p.mustMatch("show " + m.Code)
	}
	if len(took) < moves {
		c.Errorf("%d of %d moves are answered", len(took), moves)
	}
	slices.Sort(took)
	return took
}
