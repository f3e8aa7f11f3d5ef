//go:build linux

package abusetest

import (
	"encoding/json"
	"strings"

	"ludoteca/storage/tells"
)

// telling has strangers become acquainted with a player, by three short matches each, and write to them whenever they may: while the player is away,
// and again whenever the player has read it. A friend writes beside them.
func telling(w *world) {
	data := w.TempDir()
	r := w.roster(data)
	ana, rui := r.friends()
	victim := r.member("victim", week, v4(3, 0, 1))
	strangers := r.members("stranger", w.of(6, 40), week, ownBlock(30))
	unknown := r.members("unknown", w.of(2, 10), week, ownBlock(80))
	r.close()
	c := w.startOn(data, loose...)
	n := c.meet(ana, rui, "telling", "tells", "tells --json")
	v := c.here(victim)
	v.must("follow ana")
	n.ana.must("follow victim")
	crowd := c.allHere(strangers)
	for _, p := range crowd {
		for range 3 {
			m, err := begin(p, v, "momentum", 2)
			if err != nil {
				w.Fatal(err)
			}
			p.must("resign " + m.Code)
		}
	}
	_ = v.Close()

	told := make([]count, len(crowd))
	var refusals, wrong count
	flood := func(stop <-chan struct{}) {
		together(len(crowd), func(i int) {
			crowd[i].until(stop, w.of(2, 20)*tells.MaxUnanswered, func(int) {
				switch _, err := crowd[i].ask("tell victim buy my wares"); {
				case err == nil:
					told[i].one()
				case refused(err):
					refusals.one()
				default:
					w.Error(err)
				}
			})
		})
	}
	c.inTurns(unknown, func(p *person) error {
		if _, err := p.ask("tell victim hello"); !refused(err) {
			wrong.one()
		}
		return nil
	})
	n.beside(flood)
	sum := func() (all int64) {
		for i := range told {
			all += told[i].Load()
		}
		return all
	}
	away := sum()
	n.ana.must("tell victim tea?") // beside all that waits
	if err := v.connect(); err != nil {
		w.Fatal(err)
	}
	lines := func() (all []tellLine) {
		for line := range strings.Lines(v.must("tells --json")) {
			var l tellLine
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				w.Fatal(err)
			}
			all = append(all, l)
		}
		return all
	}
	first := lines()
	for range w.of(3, 10) {
		flood(nil)
		lines()
	}
	for i := range told {
		if got := told[i].Load(); got > tells.MaxUnanswered {
			w.Errorf("%s writes %d lines without an answer", crowd[i].name, got)
		}
	}
	v.must("block " + crowd[0].name)
	if _, err := crowd[0].ask("tell victim hello"); !refused(err) {
		w.Errorf("a blocked player writes: %v", err)
	}
	last := lines()
	ofBlocked, ofAna := 0, 0
	for _, l := range last {
		if l.By == crowd[0].name {
			ofBlocked++
		}
		if l.By == "ana" && l.Text == "tea?" {
			ofAna++
		}
	}
	w.figure("telling: %d lines of %d strangers wait for a player who is away, %d are kept at the end of %d; %d refusals", away, len(crowd), len(last), sum(), refusals.Load())
	if most := int64(tells.MaxWaiting - tells.ForFriends); away != most || len(first) != int(away)+1 || wrong.Load() > 0 {
		w.Errorf("%d lines of strangers wait, want %d; %d are read with the friend's; %d strangers may write", away, most, len(first), wrong.Load())
	}
	if len(last) > tells.MaxKept || ofBlocked > 0 || ofAna != 1 {
		w.Errorf("%d lines are kept, %d of a blocked player and %d of the friend", len(last), ofBlocked, ofAna)
	}
	crowd[1].must("delete --yes")
	for _, l := range lines() {
		if l.By == crowd[1].name {
			w.Errorf("a line of a deleted player is shown: %+v", l)
		}
	}
}

// A tellLine is a line of tells --json.
type tellLine struct{ By, To, Text string }
