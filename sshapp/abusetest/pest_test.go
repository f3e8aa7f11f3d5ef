//go:build linux

package abusetest

import (
	"strings"
	"sync"
	"time"

	"ludoteca/sshapp/loadtest"
)

// pest has one account open many public offers and never move. Visitors who look for a quick match meet it once, call the match off and look
// again. At full strength they first wait for a move for a while, as people do.
func pest(w *world) {
	c := w.start(append([]string{"--max-offers=20", "--max-matches-new=20"}, loose...)...)
	p := c.person("pest", v4(1, 0, 1))
	if offers := w.of(6, 20); c.openOffers(nil, []*person{p}, "petteia", offers) < offers {
		w.Fatalf("the pest can't open %d offers", offers)
	}
	visitors := c.people("visitor", w.of(3, 10), 20)
	var met, again, refusals count
	var visiting sync.WaitGroup
	for _, v := range visitors {
		visiting.Go(func() {
			for range w.of(4, 6) {
				m, err := v.askMatch("quick petteia --casual --clock 3d")
				switch {
				case err != nil && strings.Contains(err.Error(), "called off too many"):
					refusals.one()
					continue
				case err != nil:
					w.Error(err)
					return
				}
				m, err = v.askMatch("show " + m.Code)
				switch {
				case err != nil:
					w.Error(err)
					return
				case m.First != "pest" && m.Second != "pest":
					return // there is no other player: the visitor's own offer waits
				case met.Add(1) > int64(len(visitors)):
					again.one()
				}
				if w.full {
					loadtest.Pause(20 * time.Second)
				}
				if _, err := v.ask("abort " + m.Code); err != nil {
					w.Error(err)
				}
			}
		})
	}
	visiting.Wait()
	w.figure("a pest with open offers: %d visitors met it %d times, and were told %d times that they called off too many matches",
		len(visitors), met.Load(), refusals.Load())
	if again.Load() > 0 || refusals.Load() > 0 {
		w.Errorf("%d visitors met the pest %d times, and were told %d times that they called off too many matches", len(visitors), met.Load(), refusals.Load())
	}
	if met.Load() == 0 {
		w.Error("no visitor met the pest")
	}
}
