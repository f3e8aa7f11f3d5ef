package seats

import (
	"sync"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// Rematches holds the rematches of finished matches, by the match that they repeat. A rematch is being opened, waits for the opponent or
// is being played. After a restart, Opening.RematchOf of each match restores them.
type Rematches struct {
	challenges *Challenges
	ended      func(storage.MatchID) *feed.Feed[*match.View]

	mu   sync.Mutex // guards what follows
	byID map[storage.MatchID]*reservation
}

// A reservation is a rematch that exists or is being opened.
type reservation struct {
	rematch *match.Rematch // nil while it is being opened
	opened  chan struct{}  // closed when the opening has succeeded or failed
}

// NewRematches returns a Rematches without any. ended returns the feed of a match that has ended; nil if it isn't in memory.
func NewRematches(c *Challenges, ended func(storage.MatchID) *feed.Feed[*match.View]) *Rematches {
	return &Rematches{challenges: c, ended: ended, byID: make(map[storage.MatchID]*reservation)}
}

// reserve returns the rematch of a match. If first is true, the caller is the first to ask and must open the rematch and then call settle.
func (r *Rematches) reserve(id storage.MatchID) (res *reservation, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if res = r.byID[id]; res != nil {
		return res, false
	}
	res = &reservation{opened: make(chan struct{})}
	r.byID[id] = res
	return res, true
}

// settle ends the opening of a rematch and wakes the callers that wait for it. If the opening failed, the next caller may try.
func (r *Rematches) settle(id storage.MatchID, res *reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(res.opened)
	if r.byID[id] == res && res.rematch == nil {
		delete(r.byID, id)
	}
}

// set sets the rematch of a match, nil for none, and reports whether that changes it.
func (r *Rematches) set(id storage.MatchID, now *match.Rematch) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.byID[id]
	switch {
	case now == nil:
		if res == nil || res.rematch == nil {
			return false
		}
		delete(r.byID, id)
		return true
	case res == nil:
		res = &reservation{opened: make(chan struct{})}
		close(res.opened)
		r.byID[id] = res
	case res.rematch != nil && *res.rematch == *now:
		return false
	}
	res.rematch = now
	return true
}

// of returns the rematch of a match; nil if there is none yet.
func (r *Rematches) of(id storage.MatchID) *match.Rematch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if res := r.byID[id]; res != nil {
		return res.rematch
	}
	return nil
}

// Changed applies a change of the match s, if s is a rematch, and updates the view of the match that it repeats. over reports that s has ended.
func (r *Rematches) Changed(s *match.Summary, over bool) {
	if s.RematchOf == "" {
		return
	}
	now := &match.Rematch{Ref: s.Ref, At: s.Opened, Taken: !s.Started.IsZero()}
	if s.Opener != storage.Nobody {
		now.By = s.Seats[s.Opener.Side()]
	}
	if old := r.of(s.RematchOf); old != nil && !old.Taken && now.Taken && s.Opener != storage.Nobody {
		r.challenges.Refund(match.User(now.By), s.Seats[s.Opener.Side().Other()])
	}
	if over {
		now = nil
	}
	if r.set(s.RematchOf, now) {
		r.Show(s.RematchOf)
	}
}

// Show publishes a view of a finished match with its present rematch, if the match is in memory.
func (r *Rematches) Show(id storage.MatchID) {
	views := r.ended(id)
	if views == nil {
		return
	}
	views.Update(func(old *match.View, seq uint64) (*match.View, bool) {
		if old == nil {
			return nil, false
		}
		now := r.of(id)
		if now == old.Rematch || now != nil && old.Rematch != nil && *now == *old.Rematch {
			return nil, false
		}
		if now == nil && old.Rematch.Taken {
			return nil, false // it was played: that it is over takes nothing back
		}
		v := *old
		v.Seq, v.Rematch = seq, now
		return &v, true
	})
}
