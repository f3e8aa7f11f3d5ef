//go:build linux

package loadtest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// An Effort sets the scale of the measurements of Compare.
type Effort struct {
	Rounds   int           // each figure is the median of all rounds
	Memory   int           // sessions whose memory is measured
	Idle     int           // sessions that do nothing
	IdleTime time.Duration // for so long
	Typists  int           // sessions that type at a time
	Typing   time.Duration // for so long
	Guests   int           // guests who move the cursor in the lobby, a key a second each
	Visit    time.Duration // for so long
	Watchers int           // sessions that look at a lobby which changes
	Screens  int           // sessions that only wait for their first screen
	Settle   time.Duration // before what is measured begins
}

// Full is the effort for figures to quote, Quick is for seeing that all can be measured.
var (
	Full  = Effort{Rounds: 1, Memory: 200, Idle: 1000, IdleTime: 30 * time.Second, Typists: 50, Typing: 20 * time.Second, Guests: 900, Visit: 20 * time.Second, Watchers: 150, Screens: 800, Settle: 2 * time.Second}
	Quick = Effort{Rounds: 1, Memory: 10, Idle: 20, IdleTime: time.Second, Typists: 4, Typing: time.Second, Guests: 4, Visit: 2 * time.Second, Watchers: 10, Screens: 24, Settle: 100 * time.Millisecond}
)

const (
	betweenKeys = 250 * time.Millisecond
	betweenNews = 200 * time.Millisecond // in the lobby
	callers     = 8                      // who sign in at a time
)

// A figure is one measured value.
type figure struct {
	name  string
	value float64
}

// The names of the figures.
const (
	memoryUsual = "memory a session, 80x24, MiB"
	memoryLarge = "memory a session, 200x50, MiB"
	idleCPU     = "idle CPU a session, ms/s"
	keyP50      = "key to first byte, p50, ms"
	keyP99      = "key to first byte, p99, ms"
	keyCPU      = "CPU a key, ms"
	keyBytes    = "bytes a key"
	lobbyP50    = "key in the lobby, p50, ms"
	lobbyP99    = "key in the lobby, p99, ms"
	lobbyCPU    = "CPU a key in the lobby, ms"
	lobbyWaste  = "garbage a key in the lobby, bytes"
	lobbyOthers = "processors that others used meanwhile"
	screenRate  = "first screens a second, sign-in included"
	screenCPU   = "CPU a first screen, ms"
	besideP50   = "key beside news, p50, ms"
	besideP90   = "key beside news, p90, ms"
	besideP99   = "key beside news, p99, ms"
	besideCPU   = "CPU beside news, of a processor"
)

var measurements = []struct {
	name string
	take func(*testing.T, *server, Effort) []figure
}{
	{"memory", measureMemory},
	{"idle", measureIdle},
	{"keys", measureKeys},
	{"lobby", measureLobby},
	{"screens", measureScreens},
	{"news", measureNews},
}

// limits bound the figures of the club: most is the maximum, timesBare the maximum as a multiple of the bare front's figure, and leastOfBare
// the minimum as such a multiple, for rates. Zero is no limit.
var limits = map[string]struct{ most, timesBare, leastOfBare float64 }{
	memoryUsual: {most: 0.25},
	idleCPU:     {most: 0.05},
	keyP50:      {most: 0.5},
	keyP99:      {most: 2},
	keyCPU:      {most: 0.3, timesBare: 2},
	keyBytes:    {most: 200},
	lobbyP99:    {most: 2},
	lobbyCPU:    {most: 0.3},
	lobbyWaste:  {most: 1200},
	screenRate:  {leastOfBare: 2. / 3},
}

// Compare logs the costs of a session behind each of the fronts, in a subtest for each kind of measurement. It fails if a
// figure of the club is over its limit, unless the effort is less than Full.
func Compare(t *testing.T, e Effort, fronts ...string) {
	for _, m := range measurements {
		t.Run(m.name, func(t *testing.T) {
			type key struct{ figure, front string }
			results := make(map[key][]float64)
			for range e.Rounds {
				for _, front := range fronts { // in turn, so that all meet the same conditions
					// A quarter of the places is reserved for known players, and all players here are new.
					s := startServer(t, front, fmt.Sprint(mostHere, "=", 2*max(e.Idle, e.Guests, e.Screens)))
					for _, f := range m.take(t, s, e) {
						results[key{f.name, front}] = append(results[key{f.name, front}], f.value)
					}
					s.stop()
				}
			}
			keys := slices.SortedFunc(maps.Keys(results), func(a, b key) int {
				return cmp.Or(strings.Compare(a.figure, b.figure), strings.Compare(a.front, b.front))
			})
			for _, k := range keys {
				all := results[k]
				slices.Sort(all)
				t.Logf("%-40s %-5s %9.3f   (%.3f to %.3f)", k.figure, k.front, all[len(all)/2], all[0], all[len(all)-1])
				if measured := k.figure == keyP50 || k.figure == keyBytes || k.figure == screenRate || k.figure == besideP50 || k.figure == lobbyP50; measured && all[0] <= 0 {
					t.Errorf("%s of %s is %v: nothing was measured", k.figure, k.front, all)
				}
			}
			for name, l := range limits {
				got, other := results[key{name, Ours}], results[key{name, Bare}]
				if len(got) == 0 || e.Screens < Full.Screens {
					continue
				}
				value := got[len(got)/2]
				if l.most > 0 && value > l.most {
					t.Errorf("%s is %.3f, want at most %.3f", name, value, l.most)
				}
				if len(other) == 0 {
					continue
				}
				times := value / other[len(other)/2]
				if l.timesBare > 0 && times > l.timesBare {
					t.Errorf("%s is %.2f times the bare front's, want at most %.2f times", name, times, l.timesBare)
				}
				if times < l.leastOfBare {
					t.Errorf("%s is %.2f times the bare front's, want at least %.2f times", name, times, l.leastOfBare)
				}
			}
		})
	}
}

// openScreens opens n terminals, a few at a time; with boards each shows a match of its own, else they are guests in the lobby.
func openScreens(t *testing.T, s *server, n int, boards bool, z size) []*Terminal {
	t.Helper()
	keys, commands := make([]gossh.Signer, n), make([]string, n)
	if boards {
		for i := range n {
			keys[i] = NewKey(t)
			commands[i] = "watch " + s.board(keys[i], "momentum")
		}
	}
	all := make([]*Terminal, n)
	each(t, n, callers, func(i int) error {
		v, err := s.visit(keys[i], commands[i], z)
		if err != nil {
			return err
		}
		v.conn.Forever()
		all[i] = v
		return v.Until(footer)
	})
	return all
}

// footer stands at the foot of every screen of the club.
const footer = "help"

// each calls do n times, atATime calls at a time, and fails the test with the first error.
func each(t *testing.T, n, atATime int, do func(i int) error) {
	t.Helper()
	if err := InTurn(n, atATime, do); err != nil {
		t.Fatal(err)
	}
}

// InTurn calls do with 0 to n-1, atATime calls at a time, and returns one of their errors.
func InTurn(n, atATime int, do func(i int) error) error {
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

func leave(all []*Terminal) {
	for _, v := range all {
		_ = v.conn.Close()
	}
}

// measureMemory compares the process before and after many players came to their boards and typed, each over a connection of their
// own.
func measureMemory(t *testing.T, s *server, e Effort) (all []figure) {
	leave(openScreens(t, s, callers, true, Usual)) // what is made once is there already
	for _, z := range []size{Usual, {200, 50}} {
		s.mustState()
		before := s.Memory("VmRSS")
		here := openScreens(t, s, e.Memory, true, z)
		for _, v := range here {
			if err := v.Press("\x1b[C"); err != nil {
				t.Fatal(err)
			}
		}
		Pause(e.Settle)
		s.mustState()
		grown := float64(s.Memory("VmRSS")-before) / (1 << 20)
		name := memoryUsual
		if z != Usual {
			name = memoryLarge
		}
		all = append(all, figure{name, max(0, grown) / float64(e.Memory)})
		s.heap(fmt.Sprintf("%dx%d", z.width, z.height))
		leave(here)
		Pause(e.Settle)
	}
	return all
}

// measureIdle has many look at the lobby and do nothing.
func measureIdle(t *testing.T, s *server, e Effort) []figure {
	here := openScreens(t, s, e.Idle, false, Usual)
	Pause(e.Settle)
	before := s.cpu()
	Pause(e.IdleTime)
	used := s.cpu() - before
	leave(here)
	return []figure{{idleCPU, used.Seconds() * 1000 / e.IdleTime.Seconds() / float64(e.Idle)}}
}

// measureKeys has many players move the cursor on their boards, each in their own time.
func measureKeys(t *testing.T, s *server, e Effort) []figure {
	here := openScreens(t, s, e.Typists, true, Usual)
	Pause(e.Settle)
	keys := int(e.Typing / betweenKeys)
	before, bytes := s.cpu(), total(here)
	late := typing(t, here, keys)
	used := s.cpu() - before
	bytes = total(here) - bytes
	if missing := e.Typists*keys - len(late); missing > 0 {
		t.Logf("%s: %d keys got no answer of their own", s.front, missing)
	}
	leave(here)
	return []figure{
		{keyP50, Percentile(late, 50)},
		{keyP99, Percentile(late, 99)},
		{keyCPU, used.Seconds() * 1000 / float64(e.Typists*keys)},
		{keyBytes, float64(bytes) / float64(e.Typists*keys)},
	}
}

// lobbyKeyPause is the time between two keys of a guest in the lobby.
const lobbyKeyPause = time.Second

// measureLobby has many guests move the cursor in the menu of the lobby, each in their own time. Each has pressed two keys before: the
// first one after signing in has stacks grow, of the server and of the clients, and all have come at the same moment only here.
func measureLobby(t *testing.T, s *server, e Effort) []figure {
	here := openScreens(t, s, e.Guests, false, Usual)
	for _, v := range here {
		v.Discard()
	}
	Pause(e.Settle)
	if _, err := typed(here, 2, lobbyKeyPause, upAndDown); err != nil {
		t.Fatal(err)
	}
	before, err := s.garbage()
	if err != nil {
		t.Fatal(err)
	}
	keys, cpu, others, began := int(e.Visit/lobbyKeyPause), s.cpu(), s.othersCPU(), time.Now()
	late, err := typed(here, keys, lobbyKeyPause, upAndDown)
	if err != nil {
		t.Fatal(err)
	}
	cpu, others = s.cpu()-cpu, s.othersCPU()-others
	took := time.Since(began)
	after, err := s.garbage()
	if err != nil {
		t.Fatal(err)
	}
	leave(here)
	pressed := float64(e.Guests * keys)
	return []figure{
		{lobbyP50, Percentile(late, 50)},
		{lobbyP99, Percentile(late, 99)},
		{lobbyCPU, cpu.Seconds() * 1000 / pressed},
		{lobbyWaste, float64(after.since(before).Bytes) / pressed},
		{lobbyOthers, max(0, others.Seconds()) / took.Seconds()},
	}
}

// typing presses a number of keys in each terminal. It returns, in order, how long the answers took to begin.
func typing(t *testing.T, here []*Terminal, keys int) []time.Duration {
	t.Helper()
	late, err := typed(here, keys, betweenKeys, acrossBoard)
	if err != nil {
		t.Fatal(err)
	}
	return late
}

// upAndDown are the keys that move the cursor of a menu and back.
var upAndDown = [2]string{"\x1b[B", "\x1b[A"}

// acrossBoard are the keys that move the cursor of a board and back.
var acrossBoard = [2]string{"\x1b[C", "\x1b[D"}

// typed presses a number of keys in each terminal, the two in turn, with the time between from one to the next.
func typed(here []*Terminal, keys int, between time.Duration, turns [2]string) (late []time.Duration, err error) {
	var mu sync.Mutex
	late = make([]time.Duration, 0, len(here)*keys)
	for _, v := range here {
		v.answered(func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			late = append(late, d)
		})
	}
	err = InTurn(len(here), len(here), func(i int) error {
		Pause(rand.N(between))
		tick := time.NewTicker(between)
		defer tick.Stop()
		for k := range keys {
			if err := here[i].Press(turns[k%2]); err != nil {
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

func total(here []*Terminal) (bytes int64) {
	for _, v := range here {
		bytes += v.received()
	}
	return bytes
}

// Percentile returns a percentile of sorted durations, in milliseconds.
func Percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*p/100].Seconds() * 1000
}

// measureScreens has callers sign in, wait for their first screen and go, one after the other.
func measureScreens(t *testing.T, s *server, e Effort) []figure {
	leave(openScreens(t, s, callers, false, Usual))
	call := func(int) error {
		v, err := s.visit(nil, "", Usual)
		if err != nil {
			return err
		}
		defer v.conn.cut()
		return v.Until(footer)
	}
	began, before := time.Now(), s.cpu()
	each(t, e.Screens, callers, call)
	took, used := time.Since(began), s.cpu()-before
	return []figure{
		{screenRate, float64(e.Screens) / took.Seconds()},
		{screenCPU, used.Seconds() * 1000 / float64(e.Screens)},
	}
}

// measureNews has many guests look at a lobby in which matches begin all the time, while players move the cursor on their boards.
func measureNews(t *testing.T, s *server, e Effort) []figure {
	here := openScreens(t, s, e.Watchers, false, Usual)
	for _, v := range here {
		v.Discard()
	}
	others := openScreens(t, s, e.Typists, true, Usual)
	ana, rui := NewKey(t), NewKey(t)
	var news sync.WaitGroup
	began, before := time.Now(), s.cpu()
	news.Go(func() {
		tick := time.NewTicker(betweenNews)
		defer tick.Stop()
		for range e.Typing / 2 / betweenNews {
			<-tick.C
			if _, err := s.code(fmt.Sprint("match ", Fingerprint(ana), " ", Fingerprint(rui), " momentum")); err != nil {
				t.Error(err)
				return
			}
		}
	})
	late := typing(t, others, int(e.Typing/2/betweenKeys))
	used := (s.cpu() - before).Seconds() / time.Since(began).Seconds()
	news.Wait()
	leave(here)
	leave(others)
	return []figure{
		{besideP50, Percentile(late, 50)},
		{besideP90, Percentile(late, 90)},
		{besideP99, Percentile(late, 99)},
		{besideCPU, used},
	}
}

// Pause returns after d. Use it to produce load at a rate, or to measure over a time, but never to wait for an event.
func Pause(d time.Duration) { <-time.NewTimer(d).C }
