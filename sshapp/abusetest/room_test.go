//go:build linux

package abusetest

import (
	"fmt"
	"net/netip"
	"time"

	"ludoteca/sshapp/loadtest"
)

// room has accounts open as many matches as they may have and leave them, until the club is full.
func room(w *world) {
	accounts, matches := w.of(12, 2100), w.of(100, 20_000)
	c := w.start(fmt.Sprint("--max-matches=", matches))
	var ordinary [][2]*person
	for i := range 3 {
		a, b := c.person("ana-"+word(i), v4(1, i, 1)), c.person("rui-"+word(i), v4(2, i, 1))
		ordinary = append(ordinary, [2]*person{a, b})
		for range 3 {
			if _, err := begin(a, b, "petteia", 2); err != nil {
				w.Fatal(err)
			}
		}
	}
	opened := c.crowd(nil, accounts, matches, 5, everywhere)
	const newcomers = 10
	turnedAway := c.newcomers(newcomers)
	lost := 0
	for _, pair := range ordinary {
		for _, p := range pair {
			all, err := p.list("matches")
			if err != nil {
				w.Fatal(err)
			}
			lost += max(0, 3-len(all))
		}
	}
	w.figure("room: %d accounts have opened %d matches in a club of %d; newcomers were refused %d of %d matches, and ordinary players lost %d of 18",
		accounts, opened, matches, turnedAway, 2*newcomers, lost)
	if turnedAway > 0 || lost > 0 {
		w.Errorf("beside %d idle matches newcomers are refused %d of %d matches, and ordinary players lose %d of 18", opened, turnedAway, 2*newcomers, lost)
	}
}

// block has the accounts of one /24 open no more matches each than some ordinary players have, until the club is full. These players
// began before: no match has been idle for longer than theirs, and there are no offers to go in their place.
func block(w *world) {
	accounts, each := w.of(100, 200), w.of(4, 100) // a /24 counts as 32 people
	const collectors = 3
	flags := []string{fmt.Sprint("--max-matches=", (accounts+collectors)*each), fmt.Sprint("--max-matches-new=", each), "--new-accounts=1000"}
	if !w.full {
		flags = append(flags, "--give-way-alone=1ms") // nothing of a club that is filled in a second has just been opened
	}
	c := w.start(append(flags, loose...)...)
	var ordinary []*person
	for i := range collectors {
		p := c.person("collector-"+word(i), v4(1, i, 1))
		ordinary = append(ordinary, p)
		for range each {
			p.must("new momentum --vs random --side first")
		}
	}
	opened := c.crowd(nil, accounts, accounts*each, 0, func(i int) netip.Addr { return v4(30, 0, i+1) })
	loadtest.Pause(11 * time.Second) // until the last of these no longer counts as watched; the players' matches are older
	newcomers := w.of(10, 100)
	turnedAway := c.newcomers(newcomers)
	lost := 0
	for _, p := range ordinary {
		all, err := p.list("matches")
		if err != nil {
			w.Fatal(err)
		}
		lost += each - len(all)
	}
	w.figure("block: %d accounts of one /24 have opened %d matches, %d each, in a club of %d; newcomers were refused %d of %d matches, and %d players with %d matches each lost %d",
		accounts, opened, opened/accounts, (accounts+collectors)*each, turnedAway, 2*newcomers, collectors, each, lost)
	if opened < accounts*each {
		w.Errorf("%d matches of %d were opened: the club is not full", opened, accounts*each)
	}
	if turnedAway > 0 || lost > 0 {
		w.Errorf("beside %d idle matches of one /24 newcomers are refused %d of %d matches, and others lose %d", opened, turnedAway, 2*newcomers, lost)
	}
}

// newcomers has n people begin a match with a computer player and one with a friend each, and returns how many of these are
// refused.
func (c *club) newcomers(n int) (refused int) {
	c.Helper()
	// What has just been opened stays for a moment, which is when a real club of 20,000 is being filled and this one is full already.
	first := c.person("first", v6(4, 0, 1))
	for range 60 {
		if _, err := first.ask("new momentum --vs pupil"); err == nil {
			break
		}
		loadtest.Pause(500 * time.Millisecond)
	}
	for i := range n { // each from a /48 of its own: connections from one come at a limited rate
		a, b := c.person("newperson-"+word(i), v6(uint16(1000+i), 0, 1)), c.person("friend-"+word(i), v6(uint16(2000+i), 0, 1))
		if _, err := a.ask("new momentum --vs pupil"); err != nil {
			refused++
			c.Log(err)
		}
		if _, err := begin(a, b, "momentum", 2); err != nil {
			refused++
			c.Log(err)
		}
		_, _ = a.Close(), b.Close()
	}
	return refused
}

// everywhere gives each of a crowd a /24 of its own.
func everywhere(i int) netip.Addr { return v4(30, i, 1) }

// crowd has accounts, each from its address, open as many matches as they get and leave, until there are as many matches as wanted or stop is
// closed. In these a computer player waits for them, but that one of every offers matches is an offer; 0: none is. It returns how many there are.
func (c *club) crowd(stop <-chan struct{}, accounts, matches, offers int, from func(int) netip.Addr) int {
	var open count
	const workers = 8
	together(workers, func(worker int) {
		until(stop, accounts/workers+1, func(round int) {
			i := round*workers + worker
			if i >= accounts || open.Load() >= int64(matches) {
				return
			}
			p, err := c.signIn(fmt.Sprint("idler-", i), from(i))
			if err != nil {
				return // its address has its connections
			}
			defer p.Close()
			p.until(stop, 100, func(n int) {
				command := "new momentum --vs random --side first"
				if offers > 0 && n%offers == offers-1 {
					command = "new momentum"
				}
				if _, err := p.ask(command); err == nil {
					open.one()
				} else if !refused(err) {
					c.fail(err)
				}
			})
		})
	})
	return int(open.Load())
}
