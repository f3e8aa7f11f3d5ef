package lobby

import (
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// rematches holds the rematches of finished matches, by the match that they repeat: those that are reserved because somebody
// is opening them, those that wait and those that are being played. After a restart they come from Opening.RematchOf.
type rematches struct {
	mu   sync.Mutex // guards what follows
	byID map[storage.MatchID]*reservation
}

// A reservation is a rematch that exists or is being opened.
type reservation struct {
	rematch *Rematch      // nil while it is being opened
	opened  chan struct{} // closed when it has been opened, or could not be
}

func newRematches() *rematches { return &rematches{byID: make(map[storage.MatchID]*reservation)} }

// reserve returns the rematch of a match, and whether the caller is the first to ask and is to open it and settle it.
func (r *rematches) reserve(id storage.MatchID) (res *reservation, first bool) {
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
func (r *rematches) settle(id storage.MatchID, res *reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(res.opened)
	if r.byID[id] == res && res.rematch == nil {
		delete(r.byID, id)
	}
}

// set says what the rematch of a match is now, nil for none, and whether that is another than before.
func (r *rematches) set(id storage.MatchID, now *Rematch) (changed bool) {
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
func (r *rematches) of(id storage.MatchID) *Rematch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if res := r.byID[id]; res != nil {
		return res.rematch
	}
	return nil
}

// rematchChanged notes what has become of a rematch, and shows it to those who look at the match that it repeats.
func (l *Lobby) rematchChanged(s *match.Summary, over bool) {
	if s.RematchOf == "" {
		return
	}
	r := &Rematch{Ref: s.Ref, At: s.Opened, Taken: !s.Started.IsZero()}
	if s.Opener != storage.Nobody {
		r.By = s.Seats[s.Opener.Side()]
	}
	if old := l.rematches.of(s.RematchOf); old != nil && !old.Taken && r.Taken && s.Opener != storage.Nobody {
		l.giveBackWish(User(r.By), s.Seats[s.Opener.Side().Other()])
	}
	if over {
		r = nil
	}
	if l.rematches.set(s.RematchOf, r) {
		l.showRematch(s.RematchOf)
	}
}

// showRematch puts the rematch of a finished match into its view, if somebody may be looking.
func (l *Lobby) showRematch(id storage.MatchID) {
	views := l.Matches.Ended(id)
	if views == nil {
		return
	}
	views.Update(func(old *View, seq uint64) (*View, bool) {
		if old == nil {
			return nil, false
		}
		r := l.rematches.of(id)
		if r == old.Rematch || r != nil && old.Rematch != nil && *r == *old.Rematch {
			return nil, false
		}
		if r == nil && old.Rematch.Taken {
			return nil, false // it was played: that it is over takes nothing back
		}
		v := *old
		v.Seq, v.Rematch = seq, r
		return &v, true
	})
}
