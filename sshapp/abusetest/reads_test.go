//go:build linux

package abusetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ludoteca/sshapp/loadtest"
)

// heavy are commands with long answers.
var heavy = []string{
	"history ana --limit 1000000 --json", "history --limit 1000000 ana", "leaderboard --json", "games", "profile ana --json",
	"history ana --limit 1000000 --game momentum --json", "leaderboard momentum --json", "rules petteia",
}

// reads has many clients ask for long answers, again and again, beside people who only move a cursor.
func reads(w *world) {
	clients, rounds := w.of(8, 50), w.of(10, 1_000_000)
	data := w.TempDir()
	w.history(data, w.of(40, 1500))
	c := w.startOn(data)
	probes := loadtest.ProbeClub(w, c.addr, w.of(2, 10))
	keys := w.of(4, 60)
	var quiet loadtest.Delay
	if w.full {
		quiet = probes.Typing(keys, 250*time.Millisecond)
	}
	readers := c.people("reader", clients, 40)
	stop, ended := make(chan struct{}), make(chan struct{})
	var done, refusals int
	go func() { // ends with stop
		defer close(ended)
		done, refusals = c.read(stop, readers, rounds)
	}()
	beside := probes.Typing(keys, 250*time.Millisecond)
	close(stop)
	<-ended
	w.figure("heavy reads: beside %d clients (%d answers, %d refusals) others' keys take p50 %.1f ms, p99 %.1f ms, at a bare SSH server %.1f and %.1f; without them %.1f and %.1f, and %.1f and %.1f",
		clients, done, refusals, loadtest.Percentile(beside.Ours, 50), loadtest.Percentile(beside.Ours, 99), loadtest.Percentile(beside.Bare, 50), loadtest.Percentile(beside.Bare, 99),
		loadtest.Percentile(quiet.Ours, 50), loadtest.Percentile(quiet.Ours, 99), loadtest.Percentile(quiet.Bare, 50), loadtest.Percentile(quiet.Bare, 99))
	if w.full && refusals == 0 { // in passing the answers are short, and commands begin so slowly that hardly two of a person are under way
		w.Errorf("%d clients ask for long answers, six at a time, and none is refused", clients)
	}
	if done == 0 {
		w.Error("no long answer came: this is no attack")
	}
	if len(beside.Ours) == 0 {
		w.Error("no key was answered")
	}
	if late := loadtest.Percentile(beside.Ours, 99); w.full && late > 5+loadtest.Percentile(beside.Bare, 99) {
		w.Errorf("others' keys take %.1f ms, at a bare SSH server %.1f", late, loadtest.Percentile(beside.Bare, 99))
	}
	probes.Leave()
}

// read has people give heavy commands, each a number of rounds or until stop is closed, six at a time.
func (c *club) read(stop <-chan struct{}, people []*person, rounds int) (done, refusals int) {
	const each = 6 // an address has eight sessions at most
	var answers, refusal count
	together(each*len(people), func(i int) {
		p := *people[i%len(people)]
		if i/len(people)%2 == 1 { // a connection has four sessions at most
			for try := 1; p.connect() != nil; try++ { // others may have taken the places
				if try == 100 {
					c.fail(errors.New("a reader doesn't get in a second time"))
					return
				}
				loadtest.Pause(100 * time.Millisecond)
			}
			defer p.Close()
		}
		p.until(stop, rounds, func(n int) {
			_, err := p.ask(heavy[(i+n)%len(heavy)])
			switch {
			case err == nil:
				answers.one()
			case refused(err):
				refusal.one()
			default:
				c.fail(err)
			}
		})
	})
	return int(answers.Load()), int(refusal.Load())
}

// pasts are stores with finished matches, each made once and copied for every attack that wants it.
type pasts struct {
	folder string

	mu   sync.Mutex
	made map[int]func() error // by number of matches: reports why the store can't be made
}

// history fills a folder with a store in which ana and others have played a number of matches.
func (w *world) history(data string, matches int) {
	w.Helper()
	from := filepath.Join(w.past.folder, fmt.Sprint(matches))
	w.past.mu.Lock()
	if w.past.made[matches] == nil {
		w.past.made[matches] = sync.OnceValue(func() error { return w.play(from, matches) })
	}
	made := w.past.made[matches]
	w.past.mu.Unlock()
	err := made()
	var file []byte
	if err == nil {
		file, err = os.ReadFile((&club{data: from}).store())
	}
	if err == nil {
		err = os.WriteFile((&club{data: data}).store(), file, 0o600)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// play has ana and others play a number of matches, in a club without the limits that would slow them down.
func (w *world) play(data string, matches int) error {
	w.Helper()
	c := w.startOn(data, loose...)
	err := loadtest.InTurn(historyPairs, historyPairs, func(i int) error {
		a, err := c.signIn(historian(i), v4(1, i, 1))
		if err == nil {
			var b *person
			if b, err = c.signIn("rui-"+word(i), v4(2, i, 1)); err == nil {
				for range matches / historyPairs {
					var m shownMatch
					if m, err = begin(a, b, "momentum", 2); err != nil {
						break
					}
					if _, err = b.ask("resign " + m.Code); err != nil {
						break
					}
				}
			}
		}
		return err
	})
	if err == nil {
		err = c.Terminate()
	}
	if err != nil {
		return fmt.Errorf("a history can't be made: %w", err)
	}
	return nil
}

// historyPairs is the number of pairs of people that make a history.
const historyPairs = 4

// historian returns the name of one player of the i-th pair. The first is ana.
func historian(i int) string {
	if i == 0 {
		return "ana"
	}
	return "ana-" + word(i)
}

// loose are flags of a club in which matches are made for an attack.
var loose = []string{"--match-burst=10000", "--command-rate=10000", "--command-burst=10000"}
