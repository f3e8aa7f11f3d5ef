//go:build linux

package loadtest

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
	bare    []time.Duration // and at the same moments those of a front that does nothing
	missing int             // keys whose answer came with that of another one
	used    used            // by the server process meanwhile
}

// used is what a process has used in a time.
type used struct {
	time    time.Duration
	share   cpuShare
	garbage garbage
}

func (u used) add(v used) used {
	return used{u.time + v.time, u.share.add(v.share), u.garbage.add(v.garbage)}
}

func (u used) since(v used) used {
	return used{u.time - v.time, u.share.since(v.share), u.garbage.since(v.garbage)}
}

func (u used) String() string {
	return fmt.Sprintf("in %v it had a processor for %v, and made %.1f MB of garbage a second, collected %d times",
		u.time.Round(time.Millisecond), u.share, float64(u.garbage.Bytes)/1e6/u.time.Seconds(), u.garbage.Collections)
}

// tell logs what was measured.
func (m *measured) tell(t *testing.T) {
	for _, rude := range []bool{false, true} {
		t.Logf("keys of others, %s", m.total(rude))
	}
	t.Logf("p99 of each period, polite and rude in turn, ms: %s", m.each(ours))
	t.Logf("the same at a bare front, at the same moments:    %s", m.each(bareFront))
	t.Logf("p99 beside the rude is %.2f times that beside the polite, of the middle ones of %d periods each; at a bare front %.2f times",
		m.harm(ours), soakPeriods/2, m.harm(bareFront))
	t.Logf("goroutines %v", m.goroutines)
	t.Logf("descriptors %v", m.files)
	t.Logf("live heap, KiB %v", m.live)
	t.Logf("resident, KiB %v", m.resident)
}

// ours and bareFront are the keys of a period at one of the two fronts.
func ours(p period) []time.Duration      { return p.late }
func bareFront(p period) []time.Duration { return p.bare }

// total says how all polite periods were, or all rude ones.
func (m *measured) total(rude bool) string {
	name, missing, server := "beside the polite", 0, used{}
	if rude {
		name = "beside the rude"
	}
	var all, bare []time.Duration
	for _, p := range m.periods {
		if p.rude == rude {
			all, bare, missing, server = append(all, p.late...), append(bare, p.bare...), missing+p.missing, server.add(p.used)
		}
	}
	return fmt.Sprintf("%-18s %s; at a bare front %s; %d answered together with the next; the server: %v",
		name+":", spread(all), spread(bare), missing, server)
}

// spread says how long some keys took.
func spread(late []time.Duration) string {
	slices.Sort(late)
	return fmt.Sprintf("p50 %.2f ms, p99 %.2f ms, at most %.0f ms of %d", percentile(late, 50), percentile(late, 99), percentile(late, 100), len(late))
}

func (m *measured) each(front func(period) []time.Duration) (text string) {
	for _, p := range m.periods {
		text += fmt.Sprintf(" %.1f", p99(front(p)))
	}
	return text[1:]
}

func p99(late []time.Duration) float64 { return percentile(slices.Sorted(slices.Values(late)), 99) }

// harm is how much longer than beside the polite the slowest keys take beside the rude: the ratio of the medians of all
// periods' 99th percentiles. A single bad moment of the machine is in one period and changes little.
func (m *measured) harm(front func(period) []time.Duration) float64 {
	var of [2][]float64 // polite, rude
	for i, p := range m.periods {
		of[i%2] = append(of[i%2], p99(front(p)))
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
	if harm := m.harm(ours); harm > 2 {
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
