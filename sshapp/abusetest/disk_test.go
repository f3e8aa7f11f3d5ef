//go:build linux

package abusetest

import (
	"os"
	"sync"
	"time"
)

// disk has an address open matches and give them up again as fast as it can.
func disk(w *world) {
	accounts, tries := 8, w.of(60, 1_000_000)
	c := w.start()
	var people []*person
	for i := range accounts {
		people = append(people, c.person("wasteful-"+word(i), v4(1, 0, 1)))
	}
	for i, p := range people { // one address may take this number of names
		p.must("name wasteful-" + word(i))
	}
	stop := make(chan struct{})
	before, began := c.bytes(), time.Now()
	var first int64
	if w.full {
		time.AfterFunc(30*time.Second, func() { first = c.bytes() - before })
		time.AfterFunc(90*time.Second, func() { close(stop) })
	}
	opened, played := c.waste(stop, people, tries)
	grown, hours := c.bytes()-before, time.Since(began).Hours()
	records := 0
	for _, p := range people {
		all, err := p.list("history --limit 100")
		if err != nil {
			w.Fatal(err)
		}
		for _, m := range all {
			if m.Ply == 0 && m.Result == "" {
				records++
			}
		}
	}
	w.figure("disk: one address opens %d matches and plays %d of them in %.0f s, and the file grows by %d bytes, %.0f MB an hour (%.0f in the first 30 s); %d records of void matches",
		opened, played, hours*3600, grown, float64(grown)/hours/1e6, float64(first)*120/1e6, records)
	if opened == 0 {
		w.Error("no match was opened: this is no attack")
	}
	if !w.full && opened > accounts*tries*3/4 {
		w.Errorf("one address opens %d of %d matches that it wants to", opened, accounts*tries)
	}
	if w.full && float64(grown)/hours > 100e6 {
		w.Errorf("one address takes %.0f MB of disk an hour", float64(grown)/hours/1e6)
	}
	if records > 0 {
		w.Errorf("%d void matches have left a record", records)
	}
}

// bytes returns how much room the store takes on the disk.
func (c *club) bytes() int64 {
	c.Helper()
	info, err := os.Stat(c.store())
	if err != nil {
		c.Fatal(err)
	}
	return info.Size()
}

// waste has people open matches against a computer player and resign, some after two moves a side, each a number of them or until stop is closed.
func (c *club) waste(stop <-chan struct{}, people []*person, tries int) (opened, played int) {
	var open, play count
	var all sync.WaitGroup
	for _, p := range people {
		all.Go(func() {
			p.until(stop, tries, func(i int) {
				m, err := p.askMatch("new momentum --vs random --side first")
				if err != nil {
					if !refused(err) {
						c.fail(err)
					}
					return
				}
				open.one()
				if i%2 == 0 {
					for n := range 2 {
						_, _ = p.ask("move " + m.Code + " " + []string{"a1", "g7"}[n])
					}
					play.one()
				}
				_, _ = p.ask("resign " + m.Code)
			})
		})
	}
	all.Wait()
	return int(open.Load()), int(play.Load())
}
