//go:build linux

package abusetest

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"ludoteca/lobby/lounge"
	"ludoteca/sshapp/loadtest"
)

// flooding has the people of a block of addresses, and some from elsewhere, write in the lounge whenever they may, what does something to screens
// too. Guests and new accounts try as well. Many read, of whom some read nothing of what they are sent, and some come and go.
func flooding(w *world) {
	data := w.TempDir()
	r := w.roster(data)
	ana, rui := r.friends()
	crowd := r.members("crowd", w.of(12, 60), 2*lounge.YoungFor, sameBlock(190))
	spread := r.members("spread", w.of(2, 20), 2*lounge.YoungFor, ownBlock(30))
	readers := r.members("reader", w.of(4, 200), week, ownBlock(60))
	young := r.members("young", w.of(2, 10), lounge.YoungFor/2, ownBlock(20))
	r.close()
	c := w.startOn(data)
	n := c.meet(ana, rui, "flooding", "lounge", "lounge --json", "who")
	writers := append(c.allHere(crowd), c.allHere(spread)...)
	listeners := c.allHere(readers)
	for i := range w.of(2, 40) {
		conn, err := loadtest.Caller{From: v4(180, i, 1), SmallBuffer: true}.Call(c.addr)
		if err != nil {
			w.Fatal(err)
		}
		conn.Forever()
		c.Cleanup(func() { _ = conn.Close() })
		for range 4 {
			if _, err := conn.Start("lounge --follow --json"); err != nil {
				w.Fatal(err)
			}
		}
		conn.LeaveUnread()
	}

	began := time.Now()
	said, ofCrowd := make([]count, 2), make([]count, len(crowd))
	var wrong, loops count
	n.beside(func(stop <-chan struct{}) {
		c.inTurns(young, func(p *person) error {
			if _, err := p.ask("lounge say hello"); !refused(err) {
				wrong.one()
			}
			return nil
		})
		guest, err := loadtest.Caller{From: v4(200, 0, 1)}.Call(c.addr)
		if err != nil {
			w.Error(err)
			return
		}
		if _, status, err := guest.Run("lounge say hello"); err != nil || status != 1 {
			wrong.one()
		}
		_ = guest.Close()
		together(len(writers)+len(listeners), func(i int) {
			if i >= len(writers) {
				p := listeners[i-len(writers)]
				p.until(stop, w.of(3, 1_000_000), func(int) { // in and out
					t, err := p.Start("lounge --follow")
					if err == nil {
						loops.one()
						_ = t.Close()
					}
				})
				return
			}
			p := writers[i]
			p.until(stop, w.of(20, 1_000_000), func(round int) {
				switch _, err := p.ask("lounge say " + badLines[round%len(badLines)]); {
				case err == nil && i < len(crowd):
					said[0].one()
					ofCrowd[i].one()
				case err == nil:
					said[1].one()
				case !refused(err) && !strings.Contains(err.Error(), "status 2"):
					w.Error(err)
				}
			})
		})
	})
	flooded := time.Since(began)
	began = time.Now()
	n.ana.must("lounge say tea?")
	n.rui.must("block " + crowd[0].name)
	last, blocked, bad := loungeLine{}, 0, ""
	out := n.rui.must("lounge --json")
	kept := 0
	for line := range strings.Lines(out) {
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			w.Fatal(err)
		}
		kept++
		if last.By == crowd[0].name {
			blocked++
		}
		if strings.ContainsFunc(last.Text, func(r rune) bool { return unicode.Is(unicode.C, r) }) {
			bad = last.Text
		}
	}
	for _, r := range n.rui.must("lounge") {
		if unicode.Is(unicode.C, r) && r != '\n' {
			bad = string(r)
		}
	}
	w.figure("flooding: %d people of one block write %d lines, %d from elsewhere %d, beside %d readers (%d comings and goings); %d lines are kept",
		len(crowd), said[0].Load(), len(spread), said[1].Load(), len(listeners), loops.Load(), kept)
	// Of a block eight persons' worth: five lines each in a row, and one more in three seconds.
	if most := 8 * (6 + int64(flooded/(3*time.Second))); said[0].Load() > most || said[0].Load() == 0 {
		w.Errorf("%d people of one block write %d lines, want at most %d", len(crowd), said[0].Load(), most)
	}
	if last.Text != "tea?" || last.By != "ana" || time.Since(began) > loadtest.Patience || kept > lounge.MaxLines || blocked > 0 || bad != "" || wrong.Load() > 0 {
		w.Errorf("the last of %d lines is %+v; %d are of a blocked player, one has %q; %d guests and new accounts may write", kept, last, blocked, bad, wrong.Load())
	}

	talker := 1 // the first but one to have written: some get no line in
	for talker < len(crowd)-1 && ofCrowd[talker].Load() == 0 {
		talker++
	}
	n.rui.must("report " + crowd[talker].name + " floods the lounge")
	reports, err := exec.Command(w.program, "operator", "--data="+c.data, "reports", "--json").Output()
	if err != nil || !bytes.Contains(reports, []byte(`"chat":[{`)) {
		w.Errorf("the operator reads %s, %v", reports, err)
	}
	if out, err := exec.Command(w.program, "operator", "--data="+c.data, "lounge", "close", "--reason", "flood").CombinedOutput(); err != nil {
		w.Fatalf("the operator closes the lounge: %v, %s", err, out)
	}
	for _, p := range []*person{writers[2], n.ana} {
		if _, err := p.ask("lounge say hello"); !refused(err) {
			w.Errorf("%s writes in a closed lounge: %v", p.name, err)
		}
	}
	if out := n.rui.must("lounge --json"); out != "" {
		w.Errorf("a closed lounge shows %q", out)
	}
}

// A loungeLine is a line of lounge --json.
type loungeLine struct{ By, Text string }

// badLines do something to the screens of readers, or would.
var badLines = []string{
	"buy my wares", "\x1b[2J\x1b[31mred", "\u202eesrever", "a\u200bb\u200d", strings.Repeat("w", 200), strings.Repeat("w", 2000), "\a\a\a", "line\u2028two", "\u2066x\u2069",
	strings.Repeat("\u0332", 150), "\ufeff", strings.Repeat("𒐫", 100), "\x9b2J",
}
