//go:build linux

package loadtest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// The names of the figures of CompareLounge.
const (
	screenMemory  = "memory a session in the lobby, MiB"
	loungeMemory  = "memory a session with the lounge open, MiB"
	screenIdle    = "idle CPU a session in the lobby, ms/s"
	loungeIdle    = "idle CPU a session with the lounge open, ms/s"
	loungeLineCPU = "CPU a session shown a line in the lounge, ms"
)

// loungeLimits are the limits of a session at a board and in the lobby, for the figures of CompareLounge.
var loungeLimits = map[string]float64{loungeMemory: limits[memoryUsual].most, loungeIdle: limits[idleCPU].most, loungeLineCPU: limits[keyCPU].most}

// linesBefore is how many lines are in the lounge from the beginning: as many as it keeps.
const linesBefore = 200

// CompareLounge logs what sessions cost that have the lounge open, full of lines, beside as many that look at the lists of the lobby. It fails if a
// figure is over its limit, unless the effort is less than Full.
func CompareLounge(t *testing.T, e Effort) {
	figures := map[string][]float64{}
	for range e.Rounds {
		for _, open := range []bool{false, true} {
			s := startServer(t, Ours, fmt.Sprint(mostHere, "=", 4*max(e.Idle, e.Watchers)))
			for _, f := range measureLounge(t, s, e, open) {
				figures[f.name] = append(figures[f.name], f.value)
			}
			s.stop()
		}
	}
	for _, name := range []string{screenMemory, loungeMemory, screenIdle, loungeIdle, loungeLineCPU} {
		all := figures[name]
		slices.Sort(all)
		median := all[len(all)/2]
		t.Logf("%-46s %9.3f   (%.3f to %.3f)", name, median, all[0], all[len(all)-1])
		if most := loungeLimits[name]; e.Screens >= Full.Screens && most > 0 && median > most {
			t.Errorf("%s: %.3f, want at most %.3f", name, median, most)
		}
	}
	if all := figures[loungeLineCPU]; all[len(all)-1] <= 0 {
		t.Errorf("%s is %v: nothing was measured", loungeLineCPU, all)
	}
}

// measureLounge takes the figures for sessions of guests in the lobby, with the lounge open or without.
func measureLounge(t *testing.T, s *server, e Effort, open bool) (all []figure) {
	t.Helper()
	for n := range linesBefore {
		s.say(t, fmt.Sprint("line ", n))
	}
	come := func(n int) []*Terminal {
		here := openScreens(t, s, n, false, Usual)
		if !open {
			return here
		}
		each(t, n, callers, func(i int) error {
			here[i].Forget()
			if err := here[i].Press("\x1b[Z"); err != nil { // shift and tab: to the last column
				return err
			}
			return here[i].Until(fmt.Sprint("line ", linesBefore-1))
		})
		return here
	}
	memory, cpu := screenMemory, screenIdle
	if open {
		memory, cpu = loungeMemory, loungeIdle
	}
	leave(come(callers)) // what is made once is there already
	s.mustState()
	before := s.Memory("VmRSS")
	here := come(e.Idle)
	Pause(e.Settle)
	s.mustState()
	all = append(all, figure{memory, max(0, float64(s.Memory("VmRSS")-before)/(1<<20)) / float64(e.Idle)})
	used := s.cpu()
	Pause(e.IdleTime)
	all = append(all, figure{cpu, (s.cpu() - used).Seconds() * 1000 / e.IdleTime.Seconds() / float64(e.Idle)})
	if open {
		all = append(all, figure{loungeLineCPU, measureLines(t, s, here)})
	}
	leave(here)
	return all
}

// measureLines returns the processor time that a session with the lounge open costs for a line, in milliseconds.
func measureLines(t *testing.T, s *server, here []*Terminal) float64 {
	t.Helper()
	const lines = 8
	Pause(time.Second)
	before := s.cpu()
	for n := range lines {
		var shown sync.WaitGroup
		for _, v := range here {
			come := make(chan struct{})
			v.answered(func(time.Duration) { close(come) })
			v.Expect()
			shown.Go(func() { <-come })
		}
		s.say(t, fmt.Sprint("more ", n))
		shown.Wait()
	}
	return (s.cpu() - before).Seconds() * 1000 / float64(lines*len(here))
}

// say has a player write a line in the lounge. Each line is written by another one, so that none is too fast.
func (s *server) say(t *testing.T, words string) {
	t.Helper()
	var failed string
	if err := s.ask("say "+words, &failed); err != nil || failed != "" {
		t.Fatalf("a line in the lounge: %v, %s", err, failed)
	}
}
