package eventtest

import (
	"fmt"
	"sync"
	"time"
)

// mostFaults bounds the faults that a Record keeps.
const mostFaults = 40

// A Record is what clients were shown of an event while it went on, and what was wrong with it. Any goroutine may use it.
type Record struct {
	oneNode bool

	mu      sync.Mutex // guards what follows
	known   []Pairing  // the longest list of pairings that a client was shown, with all results that clients were shown
	decided int        // of known, those with a result
	results map[string]told
	due     time.Time // when the event ends, as it was shown while the event ran
	pages   int
	faults  []string
}

// A told is the result of a match as a client was told it.
type told struct{ name, result string }

// NewRecord returns an empty record. A club of one node shows every reader at least what it has shown any reader before.
func NewRecord(oneNode bool) *Record {
	return &Record{oneNode: oneNode, results: make(map[string]told)}
}

// A Mark is what was known when a client asked.
type Mark struct{ pairings, decided int }

// Ask returns what is known now: for Page, which is given the answer.
func (r *Record) Ask() Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Mark{len(r.known), r.decided}
}

// fault adds a fault. The caller holds the lock.
func (r *Record) fault(name, format string, args ...any) {
	if len(r.faults) < mostFaults {
		r.faults = append(r.faults, name+": "+fmt.Sprintf(format, args...))
	}
}

// Faults returns what is wrong, the first mostFaults of it.
func (r *Record) Faults() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.faults...)
}

// Shown returns how many pages clients were shown, how many matches they were told the results of, and when the event is due to end.
func (r *Record) Shown() (pages, results int, due time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pages, len(r.results), r.due
}

// Page adds a page that a client was shown who asked when so much was known.
func (r *Record) Page(name string, asked Mark, p Page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages++
	for _, f := range checkPage(p) {
		r.fault(name, "%s", f)
	}
	if p.State == Running && p.Kind == "arena" {
		r.due = p.Ends
	}
	if r.oneNode && (len(p.Pairings) < asked.pairings || p.decided() < asked.decided) {
		r.fault(name, "the page has %d pairings, %d of them decided, and there had been %d and %d", len(p.Pairings), p.decided(), asked.pairings, asked.decided)
	}
	r.merge(name, p.Pairings)
}

// merge compares pairings with those that are known, and adds what is new. The caller holds the lock.
func (r *Record) merge(name string, pairings []Pairing) {
	for i, now := range pairings {
		now.Code = ""
		if i >= len(r.known) {
			r.known = append(r.known, now)
			if !now.GoesOn() {
				r.decided++
			}
			continue
		}
		before := &r.known[i]
		result := before.Result
		if before.Result == "" {
			if before.Result = now.Result; now.Result != "" {
				r.decided++
			}
		}
		if now.Result == "" {
			now.Result = before.Result
		}
		if *before != now {
			r.fault(name, "pairing %d is %+v, and was %+v with the result %q", i+1, now, *before, result)
		}
	}
}

// Result notes that a client was told the result of a match, and returns of how many matches the result is known now.
func (r *Record) Result(name, match, result string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.results[match]
	switch {
	case !known:
		r.results[match] = told{name, result}
	case before.result != result:
		r.fault(name, "the result of %s is %q, and %s was told %q", match, result, before.name, before.result)
	}
	return len(r.results)
}

// Unfinished notes the own matches of a client that go on, of which it plays none outside the event.
func (r *Record) Unfinished(name string, all []Match) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(all) > 1 {
		r.fault(name, "plays %d matches at once: %+v", len(all), all)
	}
}

// checkPage returns what is wrong with a page by itself.
func checkPage(p Page) (faults []string) {
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	type place struct {
		round int
		name  string
	}
	playing, paired, boards, matches := map[string]string{}, map[place]bool{}, map[int]int{}, map[string]bool{}
	for i, of := range p.Pairings {
		boards[of.Round]++
		if of.Board != boards[of.Round] {
			wrong("pairing %d is at board %d of round %d, and %d is next", i+1, of.Board, of.Round, boards[of.Round])
		}
		if of.Match != "" && matches[of.Match] {
			wrong("the match %s is paired twice", of.Match)
		}
		matches[of.Match] = true
		for _, name := range []string{of.First, of.Second} {
			if name == "" {
				continue
			}
			if of.GoesOn() && playing[name] != "" {
				wrong("%s plays %s and %s at once", name, playing[name], of.Match)
			}
			if of.GoesOn() {
				playing[name] = of.Match
			}
			at := place{of.Round, name}
			if p.Kind != "arena" && paired[at] {
				wrong("%s is paired twice in round %d", name, of.Round)
			}
			paired[at] = true
		}
		if of.First == of.Second {
			wrong("%s plays alone", of.First)
		}
	}
	if p.State == Running || p.State == Over {
		faults = append(faults, checkStanding(p)...)
	}
	return faults
}
