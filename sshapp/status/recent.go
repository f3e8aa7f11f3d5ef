package status

import (
	"slices"
	"sync"
	"time"
)

// recentCalls is how many calls a Recent remembers.
const recentCalls = 1024

// Recent remembers how long the latest calls took. The zero value is ready; any goroutine may use it.
type Recent struct {
	mu   sync.Mutex // guards what follows
	took [recentCalls]time.Duration
	n    int // calls in all
}

// Add takes in one call.
func (r *Recent) Add(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took[r.n%recentCalls] = took
	r.n++
}

// Times says how long the latest calls took.
func (r *Recent) Times() Times {
	r.mu.Lock()
	took := slices.Clone(r.took[:min(r.n, recentCalls)])
	r.mu.Unlock()
	if len(took) == 0 {
		return Times{}
	}
	slices.Sort(took)
	last := len(took) - 1
	return Times{P50: ms(took[last/2]), P99: ms(took[last*99/100]), Max: ms(took[last])}
}

// ms is a time in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Round(time.Microsecond).Microseconds()) / 1000 }
