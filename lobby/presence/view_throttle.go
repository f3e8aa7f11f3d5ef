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

// spectatorsEvery is the shortest time between two views of a match with a number of spectators that differ in these alone.
func spectatorsEvery(count int) time.Duration {
	return every * time.Duration(1+count/drawnASecond)
}

// news says of which matches presence was shown lately, and of which it is to be shown again.
type news struct {
	wake chan struct{} // holds one: shown is not empty

	mu    sync.Mutex // guards what follows
	shown map[storage.MatchID]shownAt
	late  map[storage.MatchID]bool
}

// A shownAt says when the presence at a match may be shown again.
type shownAt struct {
	again      time.Time
	spectators time.Time // if only they have changed
}

func newNews() *news {
	return &news{wake: make(chan struct{}, 1), shown: make(map[storage.MatchID]shownAt), late: make(map[storage.MatchID]bool)}
}

// now reports whether the presence at a match may be shown now, else it waits.
func (n *news) now(id storage.MatchID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, now := n.shown[id], time.Now()
	if now.Before(s.again) {
		n.late[id] = true
		return false
	}
	s.again = now.Add(every)
	n.shown[id] = s
	select {
	case n.wake <- struct{}{}:
	default:
	}
	return true
}

// early reports whether it is too early to show that the spectators of a match have changed.
func (n *news) early(id storage.MatchID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.shown[id].spectators)
}

// wait has the presence at a match shown later.
func (n *news) wait(id storage.MatchID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.late[id] = true
}

// showed notes that the presence at a match, with so many spectators, has just been shown.
func (n *news) showed(id storage.MatchID, spectators int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.shown[id] = shownAt{now.Add(every), now.Add(spectatorsEvery(spectators))}
}

// next returns the matches that wait. more says whether there will be others, or the same again.
func (n *news) next() (late []storage.MatchID, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := range n.late {
		late = append(late, id)
	}
	clear(n.late)
	for id, s := range n.shown {
		if now := time.Now(); !now.Before(s.again) && !now.Before(s.spectators) {
			delete(n.shown, id)
		}
	}
	return late, len(late) > 0 || len(n.shown) > 0
}
