package lobby

import (
	"context"

	"ludoteca/games"
	"ludoteca/storage"
)

// again is the rematch of a match: being opened, waiting, or being played. It is in the registry under the id of the match
// that it repeats, as long as it goes on, and comes from Opening.RematchOf after a restart.
type again struct {
	rematch *Rematch      // nil while it is being opened
	opened  chan struct{} // closed when it has been opened, or has failed to be
}

// Rematch asks for the same match with sides swapped, when this one is over. The first to ask opens a private match whose
// other seat is kept for the opponent, and View.Rematch tells him; the second joins it. Against a computer player and
// at one keyboard it starts at once. Asking twice returns the same match.
// The errors are ErrNotOver, ErrNotSeated, and those of Open and Join.
func (s *Seat) Rematch(ctx context.Context) (Ref, error) {
	l := s.lobby
	v, err := s.Now(ctx)
	if err != nil {
		return Ref{}, err
	}
	side, seated := v.Side(s.who)
	switch {
	case !v.Over:
		return Ref{}, ErrNotOver
	case !seated:
		return Ref{}, ErrNotSeated
	case v.Seats[side.Other()].Kind == storage.Free:
		return Ref{}, ErrSpec // an offer that nobody took: there is no opponent
	}
	for {
		a, mine := l.matches.askAgain(v.ID)
		if mine {
			ref, err := l.openRematch(ctx, s.who, side, v)
			l.matches.answerAgain(v.ID, a)
			return ref, err
		}
		select {
		case <-a.opened:
		case <-ctx.Done():
			return Ref{}, ctx.Err()
		}
		if r := l.matches.rematchOf(v.ID); r != nil {
			return l.joinRematch(ctx, s.who, r)
		}
	}
}

// openRematch opens the rematch of v for the one who played side in it.
func (l *Lobby) openRematch(ctx context.Context, who Who, side games.Side, v *View) (Ref, error) {
	o := storage.Opening{
		Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, RematchOf: v.ID, Moves: v.Moves[:v.Start:v.Start],
	}
	seats := [2]storage.Occupant{v.Seats[games.Second], v.Seats[games.First]}
	other := v.Seats[side.Other()]
	if other.Kind != storage.Bot && !who.is(other) {
		seats[side] = storage.Occupant{}
		o.Reserved = other
	}
	seats[side.Other()] = who.Occupant()
	if who.is(other) {
		seats[side] = who.Occupant()
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	c := claim{matches: 1}
	if o.Reserved.Kind != storage.Free {
		c.offers = 1
	}
	return l.openMatch(ctx, who, o, storage.SeatOf(side.Other()), c)
}

func (l *Lobby) joinRematch(ctx context.Context, who Who, r *Rematch) (Ref, error) {
	m, _ := l.matches.match(r.ID)
	if m == nil {
		return r.Ref, ErrOver
	}
	if m.board.view().Holds(who, games.First) || m.board.view().Holds(who, games.Second) {
		return r.Ref, nil
	}
	return r.Ref, l.sit(ctx, who, m)
}

// rematchChanged notes what has become of a rematch, and tells those who look at the match that it repeats.
func (l *Lobby) rematchChanged(v *View) {
	if v.RematchOf == "" {
		return
	}
	r := &Rematch{Ref: v.Ref, Taken: !v.Started.IsZero()}
	if len(v.Events) > 0 && v.Events[0].Seat != storage.Nobody {
		r.By = v.Seats[v.Events[0].Seat.Side()]
	}
	if v.Over {
		r = nil
	}
	if l.matches.setRematch(v.RematchOf, r) {
		l.showRematch(v.RematchOf)
	}
}

// showRematch puts the rematch of a finished match on its board, if somebody may be looking.
func (l *Lobby) showRematch(id storage.MatchID) {
	b := l.finished.get(id)
	if b == nil {
		return
	}
	b.pin(&l.seq, func(old *View) *View {
		r := l.matches.rematchOf(id)
		if r == old.Rematch || r != nil && old.Rematch != nil && *r == *old.Rematch {
			return nil
		}
		if r == nil && old.Rematch.Taken {
			return nil // it was played: that it is over takes nothing back
		}
		v := *old
		v.Rematch = r
		return &v
	})
}

// askAgain returns the rematch of a match, and whether the caller is the one to open it.
func (r *registry) askAgain(id storage.MatchID) (a *again, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.again[id]; a != nil {
		return a, false
	}
	a = &again{opened: make(chan struct{})}
	r.again[id] = a
	return a, true
}

// answerAgain ends the opening of a rematch; if there is none now, somebody may ask again.
func (r *registry) answerAgain(id storage.MatchID, a *again) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(a.opened)
	if r.again[id] == a && a.rematch == nil {
		delete(r.again, id)
	}
}

// setRematch says what the rematch of a match is now, nil for none, and whether that is another than before.
func (r *registry) setRematch(id storage.MatchID, now *Rematch) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.again[id]
	switch {
	case now == nil:
		if a == nil || a.rematch == nil {
			return false
		}
		delete(r.again, id)
		return true
	case a == nil:
		a = &again{opened: make(chan struct{})}
		close(a.opened)
		r.again[id] = a
	case a.rematch != nil && *a.rematch == *now:
		return false
	}
	a.rematch = now
	return true
}

func (r *registry) rematchOf(id storage.MatchID) *Rematch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.again[id]; a != nil {
		return a.rematch
	}
	return nil
}
