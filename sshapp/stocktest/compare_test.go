//go:build linux

package stocktest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// How much TestCompare measures.
const (
	roomySessions = 200  // for memory
	idleSessions  = 1000 // for idling
	idleTime      = 30 * time.Second
	typists       = 50 // for keys
	typingTime    = 20 * time.Second
	betweenKeys   = 250 * time.Millisecond
	firstScreens  = 800 // by so many callers at a time
	callers       = 8
)

// A figure is one measured value.
type figure struct {
	name  string
	value float64
}

var measurements = []struct {
	name string
	take func(*testing.T, *server) []figure
}{
	{"memory", measureMemory},
	{"idle", measureIdle},
	{"keys", measureKeys},
	{"screens", measureScreens},
	{"crowd", measureCrowd},
}

// TestCompare prints what a session costs behind all fronts, as often as LUDOTECA_COMPARE says. Which part of it is for
// -run to choose.
func TestCompare(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("LUDOTECA_COMPARE"))
	if err != nil {
		t.Skip("set LUDOTECA_COMPARE to a number of rounds")
	}
	for _, m := range measurements {
		t.Run(m.name, func(t *testing.T) {
			results := make(map[string][]float64)
			for range rounds {
				for _, front := range []string{"ours", "stock", "bare"} { // in turn, so that all meet the same weather
					s := startServer(t, front)
					for _, f := range m.take(t, s) {
						key := fmt.Sprintf("%-40s %-5s", f.name, front)
						results[key] = append(results[key], f.value)
					}
					s.stop()
				}
			}
			for _, key := range slices.Sorted(maps.Keys(results)) {
				all := results[key]
				slices.Sort(all)
				t.Logf("%s %9.3f   (%.3f to %.3f)", key, all[len(all)/2], all[0], all[len(all)-1])
			}
		})
	}
}

// crowd opens n terminals, a few at a time; with boards each has its own match on its screen, else they are guests in the
// lobby.
func crowd(t *testing.T, s *server, n int, boards bool, z size) []*terminal {
	t.Helper()
	keys, commands := make([]gossh.Signer, n), make([]string, n)
	if boards {
		for i := range n {
			keys[i] = newKey(t)
			commands[i] = "watch " + s.board(keys[i], "momentum")
		}
	}
	all := make([]*terminal, n)
	each(t, n, callers, func(i int) error {
		v, err := s.visit(keys[i], commands[i], z)
		if err != nil {
			return err
		}
		v.line.forever()
		all[i] = v
		return v.until(footer)
	})
	return all
}

// footer stands at the foot of every screen of the club.
const footer = "help"

// each does n things, so many at a time, and fails the test with the first error.
func each(t *testing.T, n, atATime int, do func(i int) error) {
	t.Helper()
	if err := inTurn(n, atATime, do); err != nil {
		t.Fatal(err)
	}
}

// inTurn does n things, so many at a time, and returns one of their errors.
func inTurn(n, atATime int, do func(i int) error) error {
	var working sync.WaitGroup
	failed := make(chan error, n)
	turns := make(chan int)
	for range atATime {
		working.Go(func() {
			for i := range turns {
				if err := do(i); err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range n {
		turns <- i
	}
	close(turns)
	working.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func leave(all []*terminal) {
	for _, v := range all {
		_ = v.line.Close()
	}
}

// measureMemory compares the process before and after many came to their boards and typed, each over a connection of his own.
func measureMemory(t *testing.T, s *server) (all []figure) {
	leave(crowd(t, s, callers, true, usual)) // what is made once is there already
	for _, z := range []size{usual, {200, 50}} {
		s.mustState()
		before := s.memory("VmRSS")
		here := crowd(t, s, roomySessions, true, z)
		for _, v := range here {
			if err := v.press("\x1b[C"); err != nil {
				t.Fatal(err)
			}
		}
		rest(2 * time.Second)
		s.mustState()
		all = append(all, figure{fmt.Sprintf("memory a session, %dx%d, MiB", z.width, z.height),
			float64(s.memory("VmRSS")-before) / (1 << 20) / roomySessions})
		s.heap(fmt.Sprintf("%dx%d", z.width, z.height))
		leave(here)
		rest(time.Second)
	}
	return all
}

// measureIdle has many look at the lobby and do nothing.
func measureIdle(t *testing.T, s *server) []figure {
	here := crowd(t, s, idleSessions, false, usual)
	rest(3 * time.Second)
	before := s.cpu()
	rest(idleTime)
	used := s.cpu() - before
	leave(here)
	return []figure{{"idle CPU a session, ms/s", used.Seconds() * 1000 / idleTime.Seconds() / idleSessions}}
}

// measureKeys has many move the cursor on their boards, each in his own time.
func measureKeys(t *testing.T, s *server) []figure {
	here := crowd(t, s, typists, true, usual)
	rest(time.Second)
	keys := int(typingTime / betweenKeys)
	before, bytes := s.cpu(), total(here)
	late := typing(t, here, keys)
	used := s.cpu() - before
	bytes = total(here) - bytes
	if missing := typists*keys - len(late); missing > 0 {
		t.Logf("%s: %d keys got no answer of their own", s.front, missing)
	}
	leave(here)
	return []figure{
		{"key to first byte, p50, ms", percentile(late, 50)},
		{"key to first byte, p99, ms", percentile(late, 99)},
		{"CPU a key, ms", used.Seconds() * 1000 / float64(typists*keys)},
		{"bytes a key", float64(bytes) / float64(typists*keys)},
	}
}

// typing presses so many keys in each terminal and returns, in order, how long the answers took to begin.
func typing(t *testing.T, here []*terminal, keys int) []time.Duration {
	t.Helper()
	late, err := typed(here, keys, betweenKeys)
	if err != nil {
		t.Fatal(err)
	}
	return late
}

// typed presses so many keys in each terminal, one after the other in that time.
func typed(here []*terminal, keys int, between time.Duration) (late []time.Duration, err error) {
	var mu sync.Mutex
	late = make([]time.Duration, 0, len(here)*keys)
	for _, v := range here {
		v.answered(func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			late = append(late, d)
		})
	}
	err = inTurn(len(here), len(here), func(i int) error {
		rest(rand.N(between))
		tick := time.NewTicker(between)
		defer tick.Stop()
		for k := range keys {
			if err := here[i].press([]string{"\x1b[C", "\x1b[D"}[k%2]); err != nil {
				return err
			}
			<-tick.C
		}
		return nil
	})
	for _, v := range here {
		v.answered(nil)
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(late)
	return late, err
}

func total(here []*terminal) (bytes int64) {
	for _, v := range here {
		bytes += v.received()
	}
	return bytes
}

// percentile returns a percentile of what is in order, in milliseconds.
func percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*p/100].Seconds() * 1000
}

// measureScreens has callers sign in, wait for their first screen and go, one after the other.
func measureScreens(t *testing.T, s *server) []figure {
	leave(crowd(t, s, callers, false, usual))
	call := func(int) error {
		v, err := s.visit(nil, "", usual)
		if err != nil {
			return err
		}
		defer v.line.cut()
		return v.until(footer)
	}
	began, before := time.Now(), s.cpu()
	each(t, firstScreens, callers, call)
	took, used := time.Since(began), s.cpu()-before
	return []figure{
		{"first screens a second, sign-in included", firstScreens / took.Seconds()},
		{"CPU a first screen, ms", used.Seconds() * 1000 / firstScreens},
	}
}

// rest lets time go by, for what is measured over a time.
func rest(d time.Duration) { <-time.After(d) }
