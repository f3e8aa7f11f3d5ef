//go:build linux

package abusetest

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"sync"
)

// lists has 24 accounts open more public offers than a list shows, and then an ordinary player one of the same game and one of another.
// Somebody who looks must see both, and can take one.
func lists(w *world) {
	const accounts, each = 24, 10 // a list shows 200
	c := w.start(append([]string{"--max-offers=20", "--max-matches-new=20"}, loose...)...)
	ordinary, visitor := c.person("ordinary", v4(1, 0, 1)), c.person("visitor", v4(2, 0, 1))
	crowd := c.people("crowd", accounts, 30)
	var opened count
	together(accounts, func(i int) {
		for range each {
			switch _, err := crowd[i].ask("new momentum --public --side first --clock 3d"); {
			case err == nil:
				opened.one()
			case !refused(err):
				w.Error(err)
			}
		}
	})
	if opened.Load() <= 200 {
		w.Fatalf("%d offers of %d are open: this is no attack", opened.Load(), accounts*each)
	}
	same := ordinary.mustMatch("new momentum --public --side first --clock 3d")
	other := ordinary.mustMatch("new petteia --public --side first --clock 3d")
	missing := 0
	for command, m := range map[string]shownMatch{"offers": same, "offers momentum": same, "offers petteia": other} {
		all, err := visitor.list(command)
		if err != nil {
			w.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(o shownMatch) bool { return o.ID == m.ID }) {
			missing++
		}
	}
	_, taken := visitor.ask("join " + other.ID)
	var refusals []string
	moves := c.playTogether(ordinary, visitor, w.of(4, 40), &refusals)
	w.figure("lists: beside %d offers of %d accounts an ordinary player's offer is missing in %d of 3 lists; %d moves are made beside them, %d refusals",
		opened.Load(), accounts, missing, len(moves), len(refusals))
	if missing > 0 || taken != nil || len(refusals) > 0 {
		w.Errorf("beside %d offers of %d accounts an ordinary player's offer is missing in %d of 3 lists; it is taken: %v; refused are %q",
			opened.Load(), accounts, missing, taken, refusals)
	}
}

// reportBox has accounts fill the box of reports. An ordinary player's report must reach the operator all the same.
func reportBox(w *world) {
	const box, each = 500, 5 // as many as one player may write at once
	c := w.start(loose...)
	ordinary, rude := c.person("ordinary", v4(1, 0, 1)), c.person("rude", v4(2, 0, 1))
	rude.must("name rude")
	ordinary.must("name ordinary")
	for i := range each {
		c.person(fmt.Sprint("target-", i), v4(3, i, 1)).must(fmt.Sprint("name target-", i))
	}
	crowd := c.people("crowd", box/each+5, 30)
	var sent count
	together(len(crowd), func(i int) {
		if _, err := crowd[i].ask("name " + crowd[i].name); err != nil {
			w.Error(err)
			return
		}
		for at := range each {
			switch _, err := crowd[i].ask(fmt.Sprintf("report target-%d nothing at all", at)); {
			case err == nil:
				sent.one()
			case !refused(err):
				w.Error(err)
			}
		}
	})
	if sent.Load() < box {
		w.Fatalf("%d reports are sent: the box has room for %d", sent.Load(), box)
	}
	_, err := ordinary.ask("report rude they insult me")
	out, failed := exec.Command(w.program, "operator", "--data="+c.data, "reports", "--json").Output()
	if failed != nil {
		w.Fatal(failed)
	}
	kept, open := bytes.Contains(out, []byte("they insult me")), bytes.Count(out, []byte("\n"))
	w.figure("reports: beside %d reports of %d accounts an ordinary player's is taken: %v; the operator reads it: %v, among %d", sent.Load(), len(crowd), err, kept, open)
	if err != nil || !kept || open > box {
		w.Errorf("beside %d reports an ordinary player's is taken: %v; the operator reads it: %v, among %d", sent.Load(), err, kept, open)
	}
}

// analysisQueue has accounts ask for more analyses than the queue holds, each of a match of its own, again and again. An ordinary player gets
// one beside them, and goes on to play.
func analysisQueue(w *world) {
	data := w.TempDir()
	w.history(data, 120)
	c := w.startOn(data, append([]string{"--max-matches-new=20"}, loose...)...)
	ordinary, friend := c.person("ordinary", v4(3, 0, 1)), c.person("friend", v4(4, 0, 1))
	m, err := begin(ordinary, friend, "momentum", 2)
	if err != nil {
		w.Fatal(err)
	}
	friend.must("resign " + m.Code)
	crowd := c.people("crowd", 24, 30)
	past, err := ordinary.list("history ana --limit 30")
	for i := 1; i < 4 && err == nil; i++ {
		var more []shownMatch
		more, err = ordinary.list("history ana-" + word(i) + " --limit 30")
		past = append(past, more...)
	}
	if err != nil {
		w.Fatal(err)
	}
	if len(past) < 3*len(crowd) {
		w.Fatalf("there are %d matches to be analysed", len(past))
	}
	var asked count
	var flood sync.WaitGroup
	full := make(chan struct{})
	tellFull := sync.OnceFunc(func() { close(full) }) // somebody has been refused
	for i, p := range crowd {
		for at := range 3 { // one more than wait for one person
			flood.Go(func() {
				for {
					asked.one()
					if _, err := p.ask("analyse " + past[3*i+at].ID); !refused(err) { // it is answered, or cut off at the end
						return
					}
					tellFull()
				}
			})
		}
	}
	go func() { flood.Wait(); tellFull() }()
	<-full
	_, answered := ordinary.ask("analyse " + m.ID)
	var refusals []string
	moves := c.playTogether(ordinary, friend, w.of(4, 40), &refusals)
	for _, p := range crowd {
		_ = p.Close()
	}
	flood.Wait()
	w.figure("analyses: beside %d of %d accounts an ordinary player gets one: %v; %d moves are made beside them, %d refusals", asked.Load(), len(crowd), answered, len(moves), len(refusals))
	if answered != nil || len(refusals) > 0 {
		w.Errorf("beside analyses of %d accounts an ordinary player gets one: %v; refused are %q", len(crowd), answered, refusals)
	}
}
