//go:build linux

package abusetest

import (
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// private has strangers look for private matches: by their ids, known and guessed, and by codes.
func private(w *world) {
	c := w.start()
	ana, rui := c.person("ana", v4(1, 0, 1)), c.person("rui", v4(2, 0, 1))
	running, err := begin(ana, rui, "momentum", 2)
	if err != nil {
		w.Fatal(err)
	}
	waiting := ana.mustMatch("new momentum --side first")
	stranger := c.person("eva", v4(3, 0, 1))
	leaks := 0
	for _, m := range []shownMatch{running, waiting} {
		for _, command := range []string{"show ", "show --json ", "watch ", "record ", "record --json ", "analyse ", "join "} {
			out, err := stranger.ask(command + m.ID)
			if err == nil || strings.Contains(out, m.Code) {
				leaks++
				w.Logf("%s of a private match by its id: %v, %.300q", command, err, out)
			}
		}
	}
	if all, err := ana.list("matches"); err != nil || len(all) != 2 {
		w.Errorf("ana has %d matches, %v", len(all), err)
	}
	if m := rui.mustMatch("show " + running.Code); m.ID != running.ID || m.Ply != 4 {
		w.Errorf("the players see %+v", m)
	}

	stop := make(chan struct{})
	if w.full {
		time.AfterFunc(30*time.Second, func() { close(stop) })
	}
	tries := w.of(30, 1_000_000)
	began := time.Now()
	one := c.guess(stop, []*person{c.person("guesser", v4(4, 0, 1))}, tries)
	minutes := time.Since(began).Minutes()
	var many []*person // in a /24
	for host := range w.of(12, 30) {
		many = append(many, c.person("guesser-"+word(host), v4(5, 0, host+1)))
	}
	if w.full {
		stop = make(chan struct{})
		time.AfterFunc(30*time.Second, func() { close(stop) })
	}
	began = time.Now()
	block := c.guess(stop, many, tries)
	w.figure("private matches: %d answers show one to a stranger; one person gets %.0f guesses a minute answered, %d people in a /24 %.0f (10 and 80 of them at once)",
		leaks, float64(one)/minutes, len(many), float64(block)/time.Since(began).Minutes())
	if leaks > 0 {
		w.Errorf("%d answers show private matches to a stranger who has their ids", leaks)
	}
	if most := w.of(15, 60); one > most || one == 0 { // ten at once, and one more in six seconds
		w.Errorf("one person has %d guesses answered, want at most %d", one, most)
	}
	if most := w.of(120, 400); block > most || block == 0 {
		w.Errorf("a block of addresses has %d guesses answered, want at most %d", block, most)
	}
}

// guess has people try ids and codes, each a number of them or until stop is closed, and returns how many tries the club answered.
func (c *club) guess(stop <-chan struct{}, people []*person, tries int) int {
	var answered count
	var guessing sync.WaitGroup
	for _, p := range people {
		guessing.Go(func() {
			p.until(stop, tries, func(i int) {
				word := letters(6, "23456789ABCDEFGHJKMNPQRSTVWXYZ")
				if i%2 == 0 {
					word = letters(8, "23456789abcdefghjkmnpqrstvwxyz")
				}
				out, err := p.ask("show " + word)
				switch {
				case err == nil:
					c.Errorf("%s is a match: %s", word, out)
				case !refused(err):
					c.fail(err)
				case strings.Contains(out, word):
					answered.one() // the code is unknown
				}
			})
		})
	}
	guessing.Wait()
	return int(answered.Load())
}

func letters(n int, of string) string {
	word := make([]byte, n)
	for i := range word {
		word[i] = of[rand.N(len(of))]
	}
	return string(word)
}
