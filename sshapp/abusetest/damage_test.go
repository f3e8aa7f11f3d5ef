//go:build linux

package abusetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// kept finds how many of a kind a salvage has kept.
var kept = regexp.MustCompile(`"kind":"(\w+)","kept":(\d+)`)

// damage overwrites a page of a store, one after the other, and wants all else to be saved.
func damage(w *world) {
	data := w.TempDir()
	c := w.startOn(data)
	ana := c.person("ana", v4(1, 0, 1))
	const matches = 8
	for range matches {
		m := ana.mustMatch("new petteia --vs random --side first")
		ana.must("move " + m.Code + " " + ana.mustMatch("show " + m.Code).Legal[0])
	}
	if err := c.Terminate(); err != nil {
		w.Fatal(err)
	}
	file, err := os.ReadFile(c.store())
	if err != nil {
		w.Fatal(err)
	}
	pages := len(file) / pageSize
	tried, saved, gone, refusedToSave := 0, 0, 0, 0
	for page := 0; page < pages; page += max(1, pages/w.of(6, 1000)) {
		folder := w.TempDir()
		from, to := filepath.Join(w.TempDir(), "damaged.db"), filepath.Join(folder, "ludoteca.db")
		if err := os.WriteFile(from, damaged(file, page), 0o600); err != nil {
			w.Fatal(err)
		}
		out, _ := exec.Command(w.program, "salvage", from, to, "--json").CombinedOutput() // its status says that something is lost
		tried++
		if !kept.Match(out) {
			refusedToSave++
			w.Errorf("page %d is lost, and so is all else: %s", page, out)
			continue
		}
		again := w.startOn(folder)
		p := &person{club: again, name: "ana", key: ana.key, from: v4(1, 0, 1)}
		if err := p.connect(); err != nil {
			w.Fatal(err)
		}
		all, err := p.list("matches")
		if err != nil {
			w.Errorf("page %d was lost: %v", page, err)
		}
		saved += len(all)
		gone += max(0, matches-len(all))
		again.Kill()
	}
	w.figure("a damaged page: each of %d pages lost in turn, %d matches are saved and %d lost; %d stores can't be saved", tried, saved, gone, refusedToSave)
	if saved < tried*matches*3/4 {
		w.Errorf("of %d stores with %d matches each only %d are saved", tried, matches, saved)
	}
}
