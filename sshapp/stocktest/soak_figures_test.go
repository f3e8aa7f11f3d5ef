//go:build linux

package stocktest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// measured is what a soak measures.
type measured struct {
	periods []period

	// Of the server process, twice a period, after a collection. Memory is in KiB.
	goroutines, files []int
	live, resident    []int
}

// A period is a part of a soak.
type period struct {
	rude    bool
	late    []time.Duration // how long the answers to the others' keys took to begin
	missing int             // keys whose answer came with that of another one
	server  turns           // of the server process meanwhile
}

// tell logs what was measured.
func (m *measured) tell(t *testing.T) {
	for _, rude := range []bool{false, true} {
		t.Logf("keys of others, %s", m.total(rude))
	}
	t.Logf("p99 of each period, polite and rude in turn, ms: %s", m.each(99))
	t.Logf("p99 beside the rude is %.2f times that beside the polite, of the middle ones of %d periods each", m.harm(), soakPeriods/2)
	t.Logf("goroutines %v", m.goroutines)
	t.Logf("descriptors %v", m.files)
	t.Logf("live heap, KiB %v", m.live)
	t.Logf("resident, KiB %v", m.resident)
}

// total says how all polite periods were, or all rude ones.
func (m *measured) total(rude bool) string {
	name, missing, server := "beside the polite", 0, turns{}
	if rude {
		name = "beside the rude"
	}
	var all []time.Duration
	for _, p := range m.periods {
		if p.rude == rude {
			all, missing, server = append(all, p.late...), missing+p.missing, server.add(p.server)
		}
	}
	slices.Sort(all)
	return fmt.Sprintf("%-17s p50 %.2f ms, p99 %.2f ms, at most %.0f ms of %d; %d answered together with the next; the server had a processor for %v",
		name+":", percentile(all, 50), percentile(all, 99), percentile(all, 100), len(all), missing, server)
}

func (m *measured) each(percent int) (text string) {
	for _, p := range m.periods {
		text += fmt.Sprintf(" %.1f", p.percentile(percent))
	}
	return text[1:]
}

func (p period) percentile(percent int) float64 {
	return percentile(slices.Sorted(slices.Values(p.late)), percent)
}

// harm is how much longer than beside the polite the slowest keys take beside the rude: the ratio of the medians of all
// periods' 99th percentiles. A single bad moment of the machine is in one period and changes little.
func (m *measured) harm() float64 {
	var of [2][]float64 // polite, rude
	for i, p := range m.periods {
		of[i%2] = append(of[i%2], p.percentile(99))
	}
	return median(of[1]) / median(of[0])
}

func median[T int | float64](all []T) T {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

// check wants the last third to be like the second one, when all had come and what is bounded was full, and the others
// unharmed. It is not for a short soak.
func (m *measured) check(t *testing.T) {
	noMore := func(what string, all []int, share, slack int) {
		third := len(all) / 3
		early, late := median(all[third:2*third]), median(all[2*third:])
		if late > early+early/share+slack {
			t.Errorf("%s grew from %d to %d", what, early, late)
		}
	}
	noMore("goroutines", m.goroutines, 20, 20)
	noMore("descriptors", m.files, 20, 5)
	noMore("the live heap, KiB,", polite(m.live), 50, 1<<10) // windows of all sizes would hide a small leak
	if harm := m.harm(); harm > 2 {
		t.Errorf("the slowest keys of others take %.1f times as long beside the rude", harm)
	}
}

// polite picks the samples of polite periods.
func polite(all []int) (some []int) {
	for i, n := range all {
		if i/2%2 == 0 {
			some = append(some, n)
		}
	}
	return some
}
