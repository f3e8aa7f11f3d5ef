//go:build linux

package abusetest

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"

	listing "ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/standingoffers"
	"ludoteca/sshapp/loadtest"
)

// standing has the accounts of a block of addresses keep as many standing offers as they may, of which they never move in a match. Some of them end
// theirs and make them anew all the time, and others take what is open and abandon it. Players from elsewhere keep an offer open beside them, find it
// in lists, take it, and find a quick match.
func standing(w *world) {
	data := w.TempDir()
	r := w.roster(data)
	ana, rui := r.friends()
	crowd := r.members("crowd", w.of(36, 200), week, sameBlock(146))
	loops := r.members("restless", w.of(2, 20), week, func(i int) netip.Addr { return v4(146, 0, 255-i) })
	host := r.member("kim", week, v4(147, 0, 1))
	visitors := r.members("visitor", 3, week, ownBlock(148))
	r.close()
	c := w.startOn(data)
	n := c.meet(ana, rui, "standing", "standing", "offers", "offers petteia --json", "matches")
	keeper := c.here(host)
	offer := func(game string, days, places int) string {
		return fmt.Sprintf("new %s --clock %dd --side first --standing %d", game, days, places)
	}
	first := keeper.mustMatch(offer("petteia", 3, 4))

	var kept, refusals, rounds, taken count
	restless, takers := c.allHere(loops), c.allHere(crowd[:w.of(2, 20)])
	n.beside(func(stop <-chan struct{}) {
		together(1+len(restless)+len(takers), func(i int) {
			switch {
			case i == 0:
				c.inTurns(crowd, func(p *person) error { // as many as they may, in the game of the host too
					own := 0
					for days := range standingoffers.MaxPlaces + 1 {
						switch _, err := p.ask(offer([]string{"petteia", "momentum"}[days%2], 1+days, 1)); {
						case err == nil:
							own++
							kept.one()
						case refused(err):
							refusals.one()
						default:
							return err
						}
					}
					if own > standingoffers.MaxPlaces {
						w.Errorf("%s keeps %d standing offers", p.name, own)
					}
					return nil
				})
			case i <= len(restless):
				p := restless[i-1]
				p.until(stop, w.of(12, 1_000_000), func(int) {
					if _, err := p.ask(offer("petteia", 1, 1)); err != nil {
						return
					}
					for _, o := range p.standing() {
						if _, err := p.ask(fmt.Sprint("standing end ", o.Number)); err == nil {
							rounds.one()
						}
					}
				})
			default:
				p := takers[i-len(restless)-1]
				p.until(stop, w.of(20, 1_000_000), func(int) {
					all, err := p.list("offers petteia")
					if err != nil {
						return
					}
					for _, m := range all {
						if m.ID == first.ID { // a visitor takes it
							continue
						}
						if _, err := p.ask("join " + m.Code); err == nil {
							taken.one()
							return
						}
					}
				})
			}
		})
	})

	// The list is one that people can read, and has the offer of the host; the next one opens when it is taken.
	v := c.here(visitors[0])
	for _, command := range []string{"offers", "offers petteia"} {
		all, err := v.list(command)
		if err != nil {
			w.Fatal(err)
		}
		ofCrowd, found := 0, false
		for _, m := range all {
			if strings.HasPrefix(m.By, "crowd") {
				ofCrowd++
			}
			found = found || m.ID == first.ID
		}
		if !found || len(all) > listing.MaxListed {
			w.Errorf("%s has %d offers; the host's: %v", command, len(all), found)
		}
		if most := standingoffers.MaxPlaces * origin.PeoplePerAddress * 8; ofCrowd > most || ofCrowd == 0 {
			w.Errorf("%s has %d standing offers of people of one block, want at most %d", command, ofCrowd, most)
		}
		w.figure("standing: %s has %d offers, %d of the block", command, len(all), ofCrowd)
	}
	began := time.Now()
	v.must("join " + first.Code)
	keeper.untilOpen()
	opened := time.Since(began)

	// Two who look for a quick match find each other, whatever clock the crowd offers.
	a, b := c.here(visitors[1]), c.here(visitors[2])
	one, err := a.askMatch("quick petteia --clock 5+3 --casual")
	if err != nil {
		w.Fatal(err)
	}
	other, err := b.askMatch("quick petteia --clock 5+3 --casual")
	if err != nil || other.ID != one.ID {
		w.Errorf("two who look for a quick match are in %s and %s, %v", one.Code, other.Code, err)
	}
	w.figure("standing: %d accounts of one block keep %d standing offers (%d are refused), end and make %d, take and leave %d; the next offer of another player is open after %v",
		len(crowd), kept.Load(), refusals.Load(), rounds.Load(), taken.Load(), opened)
	if kept.Load() == 0 || rounds.Load() == 0 || taken.Load() == 0 || refusals.Load() == 0 {
		w.Errorf("%d offers are kept, %d refused, %d ended and made, %d taken: this is no attack", kept.Load(), refusals.Load(), rounds.Load(), taken.Load())
	}
	if w.full && opened > 30*time.Second {
		w.Errorf("the next offer is open after %v", opened)
	}
}

// A keptOffer is a line of standing --json.
type keptOffer struct {
	Number  int
	Waiting *string
	Playing []string
}

// standing returns the standing offers of a person; none if they aren't told.
func (p *person) standing() (all []keptOffer) {
	out, err := p.ask("standing --json")
	for line := range strings.Lines(out) {
		var o keptOffer
		if err == nil && json.Unmarshal([]byte(line), &o) == nil {
			all = append(all, o)
		}
	}
	return all
}

// untilOpen waits until a person's only standing offer waits to be taken while one of its matches is played.
func (p *person) untilOpen() {
	p.club.Helper()
	for p.club.Context().Err() == nil {
		if all := p.standing(); len(all) == 1 && len(all[0].Playing) == 1 && all[0].Waiting != nil {
			return
		}
		loadtest.Pause(100 * time.Millisecond)
	}
	p.club.Fatal("no further match is opened for a standing offer")
}
