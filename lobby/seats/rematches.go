package seats

import (
	"sync"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// Rematches holds the rematches of finished matches, by the match that they repeat: those that are reserved because somebody
// is opening them, those that wait and those that are being played. After a restart they come from Opening.RematchOf.
type Rematches struct {
	challenges *Challenges
	ended      func(storage.MatchID) *feed.Feed[*match.View]

	mu   sync.Mutex // guards what follows
	byID map[storage.MatchID]*reservation
}

// A reservation is a rematch that exists or is being opened.
type reservation struct {
	rematch *match.Rematch // nil while it is being opened
	opened  chan struct{}  // closed when it has been opened, or could not be
}

// NewRematches returns no rematches. ended returns the feed of a match that has ended, if it is in memory; nil else.
func NewRematches(c *Challenges, ended func(storage.MatchID) *feed.Feed[*match.View]) *Rematches {
	return &Rematches{challenges: c, ended: ended, byID: make(map[storage.MatchID]*reservation)}
}

// reserve returns the rematch of a match, and whether the caller is the first to ask and is to open it and settle it.
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

// settle ends the opening of a rematch. If there is none now, somebody else may ask.
func (r *Rematches) settle(id storage.MatchID, res *reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(res.opened)
	if r.byID[id] == res && res.rematch == nil {
		delete(r.byID, id)
	}
}

// set says what the rematch of a match is now, nil for none, and whether that is another than before.
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

// Changed notes what has become of a rematch, and shows it to those who look at the match that it repeats.
func (r *Rematches) Changed(s *match.Summary, over bool) {
	if s.RematchOf == "" {
		return
	}
	now := &match.Rematch{Ref: s.Ref, At: s.Opened, Taken: !s.Started.IsZero()}
	if s.Opener != storage.Nobody {
		now.By = s.Seats[s.Opener.Side()]
	}
	if old := r.of(s.RematchOf); old != nil && !old.Taken && now.Taken && s.Opener != storage.Nobody {
		r.challenges.GiveBack(match.User(now.By), s.Seats[s.Opener.Side().Other()])
	}
	if over {
		now = nil
	}
	if r.set(s.RematchOf, now) {
		r.Show(s.RematchOf)
	}
}

// Show puts the rematch of a finished match into its view, if somebody may be looking.
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
