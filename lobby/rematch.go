package lobby

import (
	"context"
	"sync"

	"ludoteca/games"
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

// Rematch asks for the same match with sides swapped, when this one is over. The first to ask opens a private match whose
// other seat is reserved for the opponent, who sees it in View.Rematch; the second joins it. Against a computer player and
// at one keyboard it starts at once. Asking twice returns the same match.
// The errors are ErrNotOver, ErrNotSeated, and those of Open and Join.
func (s *Seat) Rematch(ctx context.Context) (Ref, error) {
	l := s.lobby
	v, err := s.Now(ctx)
	if err != nil {
		return Ref{}, err
	}
	side, seated := v.Side(s.user)
	switch {
	case !v.Over:
		return Ref{}, ErrNotOver
	case !seated:
		return Ref{}, ErrNotSeated
	case v.Seats[side.Other()].Kind == storage.Free:
		return Ref{}, ErrSpec // an offer that nobody took: there is no opponent
	}
	for {
		r, first := l.rematches.reserve(v.ID)
		if first {
			defer l.rematches.settle(v.ID, r)
			return l.openRematch(ctx, s.user, side, v)
		}
		select {
		case <-r.opened:
		case <-ctx.Done():
			return Ref{}, ctx.Err()
		}
		if r := l.rematches.of(v.ID); r != nil {
			return l.joinRematch(ctx, s.user, r)
		}
	}
}

// openRematch opens the rematch of v for the user who played side in it.
func (l *Lobby) openRematch(ctx context.Context, u User, side games.Side, v *View) (Ref, error) {
	o := storage.Opening{
		Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, RematchOf: v.ID, Moves: v.Moves[:v.Start:v.Start],
	}
	seats := [2]storage.Occupant{v.Seats[games.Second], v.Seats[games.First]}
	other := v.Seats[side.Other()]
	if other.Kind != storage.Bot && !u.Is(other) {
		seats[side] = storage.Occupant{}
		o.Reserved = other
	}
	seats[side.Other()] = u.Occupant()
	if u.Is(other) {
		seats[side] = u.Occupant()
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	c := claim{matches: 1}
	if o.Reserved.Kind != storage.Free {
		c.offers = 1
	}
	return l.openMatch(ctx, u, o, storage.SeatOf(side.Other()), c)
}

func (l *Lobby) joinRematch(ctx context.Context, u User, r *Rematch) (Ref, error) {
	m, v, _ := l.index.find(r.ID)
	switch {
	case m == nil:
		return r.Ref, ErrOver
	case v.Holds(u, games.First) || v.Holds(u, games.Second):
		return r.Ref, nil
	}
	return r.Ref, l.sit(ctx, u, m, v)
}

// rematchChanged notes what has become of a rematch, and shows it to those who look at the match that it repeats.
func (l *Lobby) rematchChanged(v *View) {
	if v.RematchOf == "" {
		return
	}
	r := &Rematch{Ref: v.Ref, Taken: !v.Started.IsZero()}
	if v.Events[0].Seat != storage.Nobody {
		r.By = v.Seats[v.Events[0].Seat.Side()]
	}
	if v.Over {
		r = nil
	}
	if l.rematches.set(v.RematchOf, r) {
		l.showRematch(v.RematchOf)
	}
}

// showRematch puts the rematch of a finished match into its view, if somebody may be looking.
func (l *Lobby) showRematch(id storage.MatchID) {
	views := l.finished.get(id)
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
