package status

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A Refusal counts the recent refusals for one reason.
type Refusal struct {
	Reason string `json:"reason" help:"the reason, as the log names it"`
	Minute int    `json:"minute" help:"how many in the last minute"`
	Hour   int    `json:"hour" help:"how many in the last hour"`
}

// Refusals counts refusals of the last hour by their reason. There must be few reasons. The zero value is ready. Refusals is safe for
// concurrent use.
type Refusals struct {
	mu     sync.Mutex // guards what follows
	latest int64      // the number of the newest slot
	slots  [refusalSlots]map[string]int
}

// The counts are kept in slots of some seconds each: an hour of them.
const (
	slotTime     = 10 * time.Second
	refusalSlots = int(time.Hour / slotTime)
	minuteSlots  = int(time.Minute / slotTime)
)

// Add counts a refusal.
func (r *Refusals) Add(now time.Time, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance(now)
	slot := &r.slots[r.latest%int64(refusalSlots)]
	if *slot == nil {
		*slot = make(map[string]int)
	}
	(*slot)[reason]++
}

// advance empties the slots whose hour is over. A clock that steps back changes nothing. The caller holds mu.
func (r *Refusals) advance(now time.Time) {
	n := now.UnixNano() / int64(slotTime)
	for i := max(r.latest+1, n-int64(refusalSlots)+1); i <= n; i++ {
		r.slots[i%int64(refusalSlots)] = nil
	}
	r.latest = max(r.latest, n)
}

// Recent returns the refusals of the last minute and of the last hour, by reason.
func (r *Refusals) Recent(now time.Time) []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance(now)
	counts := make(map[string]*Refusal)
	for age := range refusalSlots {
		if int64(age) > r.latest {
			break
		}
		for reason, n := range r.slots[(r.latest-int64(age))%int64(refusalSlots)] {
			if counts[reason] == nil {
				counts[reason] = &Refusal{Reason: reason}
			}
			counts[reason].Hour += n
			if age < minuteSlots {
				counts[reason].Minute += n
			}
		}
	}
	all := make([]Refusal, 0, len(counts))
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, *counts[reason])
	}
	return all
}
