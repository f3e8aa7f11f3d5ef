package presence

import (
	"sync"
	"time"

	"ludoteca/storage"
)

const (
	every        = time.Second // the shortest time between two views of a match that differ in who is there alone
	drawnASecond = 200         // how many spectators of one match draw their boards a second at most because others come and go
)

// spectatorsEvery returns the shortest time between two views of a match with count spectators that differ only in their spectators.
func spectatorsEvery(count int) time.Duration {
	return every * time.Duration(1+count/drawnASecond)
}

// A viewThrottle limits views that differ only in presence. It holds the matches whose presence was shown lately, and which of them have a change
// that waits. It is safe for concurrent use.
type viewThrottle struct {
	wake chan struct{} // holds one: shown is not empty

	mu    sync.Mutex // guards what follows
	shown map[storage.MatchID]shownAt
	late  map[storage.MatchID]bool
}

// A shownAt is when the presence at a match may be shown again.
type shownAt struct {
	again      time.Time
	spectators time.Time // if only they have changed
}

func newViewThrottle() *viewThrottle {
	return &viewThrottle{wake: make(chan struct{}, 1), shown: make(map[storage.MatchID]shownAt), late: make(map[storage.MatchID]bool)}
}

// take reports whether the presence at a match may be shown now. If not, the match waits.
func (t *viewThrottle) take(id storage.MatchID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, now := t.shown[id], time.Now()
	if now.Before(s.again) {
		t.late[id] = true
		return false
	}
	s.again = now.Add(every)
	t.shown[id] = s
	select {
	case t.wake <- struct{}{}:
	default:
	}
	return true
}

// early reports whether it is too early to show that the spectators of a match have changed.
func (t *viewThrottle) early(id storage.MatchID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Now().Before(t.shown[id].spectators)
}

// wait marks a match to have its presence shown later.
func (t *viewThrottle) wait(id storage.MatchID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late[id] = true
}

// showed records that the presence at a match with a number of spectators has just been shown.
func (t *viewThrottle) showed(id storage.MatchID, spectators int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.shown[id] = shownAt{now.Add(every), now.Add(spectatorsEvery(spectators))}
}

// next returns the waiting matches, which then no longer wait. more reports whether next must be called again later.
func (t *viewThrottle) next() (late []storage.MatchID, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.late {
		late = append(late, id)
	}
	clear(t.late)
	for id, s := range t.shown {
		if now := time.Now(); !now.Before(s.again) && !now.Before(s.spectators) {
			delete(t.shown, id)
		}
	}
	return late, len(late) > 0 || len(t.shown) > 0
}
