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
// A visitor must see both in the list, and be able to take one.
func lists(w *world) {
	const accounts, each = 24, 10 // a list shows 200
	c := w.start(append([]string{"--max-offers=20", "--max-matches-new=20"}, loose...)...)
	ordinary, visitor := c.person("ordinary", v4(1, 0, 1)), c.person("visitor", v4(2, 0, 1))
	crowd := c.people("crowd", accounts, 30)
	opened := c.openOffers(nil, crowd, "momentum", each)
	if opened <= 200 {
		w.Fatalf("%d offers of %d are open: this is no attack", opened, accounts*each)
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
		opened, accounts, missing, len(moves), len(refusals))
	if missing > 0 || taken != nil || len(refusals) > 0 {
		w.Errorf("beside %d offers of %d accounts an ordinary player's offer is missing in %d of 3 lists; it is taken: %v; refused are %q",
			opened, accounts, missing, taken, refusals)
	}
}

// openOffers has people open public offers of a game, each a number of them or until stop is closed, and returns how many they have opened.
func (c *club) openOffers(stop <-chan struct{}, people []*person, game string, each int) int {
	c.Helper()
	var opened count
	together(len(people), func(i int) {
		people[i].until(stop, each, func(int) {
			switch _, err := people[i].ask("new " + game + " --public --side first --clock 3d"); {
			case err == nil:
				opened.one()
			case !refused(err):
				c.fail(err)
			}
		})
	})
	return int(opened.Load())
}

// reportBox has accounts fill the box of reports. An ordinary player's report must reach the operator all the same.
func reportBox(w *world) {
	const box, each = 500, 5 // as many as one player may write at once
	c := w.start(loose...)
	ordinary, rude := c.person("ordinary", v4(1, 0, 1)), c.person("rude", v4(2, 0, 1))
	rude.must("name rude")
	ordinary.must("name ordinary")
	var targets []string
	for i := range each {
		target := fmt.Sprint("target-", i)
		c.person(target, v4(3, i, 1)).must("name " + target)
		targets = append(targets, target)
	}
	crowd := c.people("crowd", box/each+5, 30)
	sent := c.fillReports(nil, crowd, targets, each)
	if sent < box {
		w.Fatalf("%d reports are sent: the box has room for %d", sent, box)
	}
	_, err := ordinary.ask("report rude they insult me")
	out, failed := exec.Command(w.program, "operator", "--data="+c.data, "reports", "--json").Output()
	if failed != nil {
		w.Fatal(failed)
	}
	kept, open := bytes.Contains(out, []byte("they insult me")), bytes.Count(out, []byte("\n"))
	w.figure("reports: beside %d reports of %d accounts an ordinary player's is taken: %v; the operator reads it: %v, among %d", sent, len(crowd), err, kept, open)
	if err != nil || !kept || open > box {
		w.Errorf("beside %d reports an ordinary player's is taken: %v; the operator reads it: %v, among %d", sent, err, kept, open)
	}
}

// fillReports has people take names and report targets in turn, each a number of times or until stop is closed. It returns how many reports are
// taken.
func (c *club) fillReports(stop <-chan struct{}, people []*person, targets []string, each int) int {
	c.Helper()
	var sent count
	together(len(people), func(i int) {
		if _, err := people[i].ask("name " + people[i].name); err != nil {
			c.fail(err)
			return
		}
		people[i].until(stop, each, func(n int) {
			switch _, err := people[i].ask("report " + targets[n%len(targets)] + " nothing at all"); {
			case err == nil:
				sent.one()
			case !refused(err):
				c.fail(err)
			}
		})
	})
	return int(sent.Load())
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
	past := ordinary.pastMatches(30)
	if len(past) < analysesEach*len(crowd) {
		w.Fatalf("there are %d matches to be analysed", len(past))
	}
	full := make(chan struct{})
	fills := sync.OnceFunc(func() { close(full) })
	var asked int
	var flood sync.WaitGroup
	flood.Go(func() {
		asked = c.fillAnalyses(nil, crowd, past, fills)
		fills()
	})
	<-full
	_, answered := ordinary.ask("analyse " + m.ID)
	var refusals []string
	moves := c.playTogether(ordinary, friend, w.of(4, 40), &refusals)
	for _, p := range crowd {
		_ = p.Close()
	}
	flood.Wait()
	w.figure("analyses: beside %d of %d accounts an ordinary player gets one: %v; %d moves are made beside them, %d refusals", asked, len(crowd), answered, len(moves), len(refusals))
	if answered != nil || len(refusals) > 0 {
		w.Errorf("beside analyses of %d accounts an ordinary player gets one: %v; refused are %q", len(crowd), answered, refusals)
	}
}

// analysesEach is one more than wait for one person.
const analysesEach = 3

// fillAnalyses has people ask for analyses of matches, each for several at a time, again and again while these are refused and stop is not closed.
// It returns how often they asked, once all have been answered or their connections are closed. full is called at each refusal.
func (c *club) fillAnalyses(stop <-chan struct{}, people []*person, ids []string, full func()) int {
	var asked count
	together(analysesEach*len(people), func(i int) {
		refusal := true
		people[i/analysesEach].until(stop, 1_000_000, func(int) {
			if !refusal {
				return
			}
			asked.one()
			_, err := people[i/analysesEach].ask("analyse " + ids[i%len(ids)])
			if refusal = refused(err); refusal {
				full()
			}
		})
	})
	return int(asked.Load())
}

// pastMatches returns the ids of matches of the historians, at most each of each pair.
func (p *person) pastMatches(each int) (ids []string) {
	p.club.Helper()
	for i := range historyPairs {
		past, err := p.list(fmt.Sprintf("history %s --limit %d", historian(i), each))
		if err != nil {
			p.club.Fatal(err)
		}
		for _, m := range past {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
