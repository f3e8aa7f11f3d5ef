package lobby

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A Seat is one user's handle to one match, as a player or a spectator. Lobby.At makes it. It needs no closing, and any
// goroutine may use it.
type Seat struct {
	lobby *Lobby
	user  User
	id    storage.MatchID
	code  string               // if the user knows it
	lag   func() time.Duration // nil: it is not measured
}

// At returns a user's handle to a match. The match may be over, for any time: its view comes from the records then. The
// errors are ErrNoSuchMatch, ErrDamaged, ErrBusy. Others see an unfinished private match only if ref, which Find returns, has its
// code, and the code of no match otherwise.
func (l *Lobby) At(ctx context.Context, u User, ref Ref) (*Seat, error) {
	if err := l.look(ctx, u, ref); err != nil {
		return nil, err
	}
	return &Seat{lobby: l, user: u, id: ref.ID, code: ref.Code}, nil
}

// WithLag returns the same handle for a user whose line has a delay, which lag returns as it was measured last: part of it is not charged
// to the user's clock. Any goroutine may call lag; nil is for a line that nobody measures.
func (s *Seat) WithLag(lag func() time.Duration) *Seat {
	with := *s
	with.lag = lag
	return &with
}

// ID returns the id of the match.
func (s *Seat) ID() storage.MatchID { return s.id }

// User returns the user whose handle this is.
func (s *Seat) User() User { return s.user }

// Next returns the present view as soon as its Seq is above after: at once if it is already, else when there is a newer
// one. Start with 0 and go on with the Seq of the view in hand. A slow reader misses views and gets the newest.
// The errors are that of ctx, ErrClosed, ErrBusy, ErrDamaged.
func (s *Seat) Next(ctx context.Context, after uint64) (*View, error) {
	v, err := s.lobby.Matches.Next(ctx, s.id, after)
	if err != nil {
		return nil, err
	}
	return shown(v, s.user, s.code), nil
}

// Follow is Next for a reader who has no other sign that this node is cut off: ErrCutOff then, at once.
func (s *Seat) Follow(ctx context.Context, after uint64) (*View, error) {
	return nodes.UntilCutOff(ctx, s.lobby.reach, func(ctx context.Context) (*View, error) { return s.Next(ctx, after) })
}

// Record returns the whole of the match, its moves and their times included; Result and Reason are empty and Ended is zero
// while it goes on. The errors are those of Next.
func (s *Seat) Record(ctx context.Context) (results.Finished, error) {
	f, err := s.lobby.record(ctx, s.id)
	f.Code = "" // it is in no record
	return f, err
}

// Join takes the free seat. The errors are those of Lobby.Join.
func (s *Seat) Join(ctx context.Context) error {
	found := s.lobby.registry.Find(s.id)
	switch {
	case found.Quarantined:
		return ErrDamaged
	case found.Summary == nil:
		return ErrOver
	}
	return s.lobby.sit(ctx, s.user, found.Summary)
}

// Now returns the present view; who is there is as of this very moment. The errors are those of Next, and ErrCutOff: this node may not
// know what has happened.
func (s *Seat) Now(ctx context.Context) (*View, error) {
	if err := s.lobby.Matches.Refresh(ctx, s.id); err != nil {
		return nil, err
	}
	v, err := s.Next(ctx, 0)
	if err != nil {
		return nil, err
	}
	return s.lobby.Presence.Now(v), nil
}

// Move plays a move, given in canonical text, for the side to move. ply is the number of moves that the player has seen,
// or AnyPly. It returns when the move is on disk; if ctx ends before, the move goes on without its caller.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrLate, ErrNotYourTurn, ErrTimeUp, a *games.IllegalError, ErrBusy (read
// the view again: the move may or may not have been made), ErrClosed.
func (s *Seat) Move(ctx context.Context, m games.Move, ply int) error {
	var lag time.Duration
	if s.lag != nil {
		lag = s.lag()
	}
	return s.lobby.Matches.Do(ctx, s.id, match.Move(s.user, m, ply, lag), func() {})
}

// Resign gives the match to the other side; a user who holds both seats resigns for the side to move.
// The errors are those of Move; ErrNotStarted means: Abort instead;
// and a *TooFastError.
func (s *Seat) Resign(ctx context.Context) error {
	return s.lobby.throttled(s.lobby.pace.resigning, s.user, func() error {
		return s.lobby.Matches.Do(ctx, s.id, match.Resign(s.user), func() {})
	})
}

// Abort ends a match without a result before both sides have moved. It also withdraws one's own untaken offer, declines one
// that is reserved for the user, and ends an exhibition at any time for the user who opened it. ErrTooLate if both sides
// have moved; else the errors of Move.
func (s *Seat) Abort(ctx context.Context) error {
	act := match.Abort(s.user)
	if m := s.lobby.registry.Find(s.id).Summary; m != nil && s.user.Is(m.By) {
		act = match.Leave(storage.Nobody)
	}
	return s.lobby.Matches.Do(ctx, s.id, act, func() {})
}

// Hint asks the strongest computer player for a move, for the user whose turn it is. It is on disk that the user has been
// helped when it returns; the hint itself is in no log and for nobody else. Asked again in the same position, the match
// gives the same hint. One search runs at a time; if ctx ends before, it goes on without its caller.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrNoHelp (a rated match, or one between two users), ErrBusy, ErrClosed,
// ErrNotYourTurn, ErrHinting (a search runs
// already), ErrLate (the match has moved on meanwhile), ErrNoSuchLevel (there is no level to ask).
func (s *Seat) Hint(ctx context.Context) (Hint, error) {
	for {
		m, err := s.lobby.Matches.Running(ctx, s.id)
		if err != nil {
			return Hint{}, err
		}
		if h, err := m.Hint(ctx, s.user); !errors.Is(err, live.ErrUnloaded) {
			return h, err
		}
	}
}

// Rematch asks for the same match with sides swapped, when this one is over. The first to ask opens a private match whose
// other seat is reserved for the opponent, who sees it in View.Rematch; the second joins it. Against a computer player and
// at one keyboard it starts at once. Asking twice returns the same match.
// The errors are ErrNotOver, ErrNotSeated, a *TooFastError, ErrUnavailable, and those of Open and Join.
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
			ref, err := s.reservedRematch(ctx, side, v, r)
			if errors.Is(err, clusterstore.ErrTaken) { // the other side was faster, on another node
				l.giveBackWish(s.user, v.Seats[side.Other()])
				return s.takeRematch(ctx, v)
			}
			return ref, err
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

// reservedRematch opens the rematch of v, which the user has reserved.
func (s *Seat) reservedRematch(ctx context.Context, side games.Side, v *View, r *reservation) (Ref, error) {
	defer s.lobby.rematches.settle(v.ID, r)
	return s.lobby.openRematch(ctx, s.user, side, v)
}

// takeRematch joins the rematch of v that was opened on another node, as soon as it has arrived here.
func (s *Seat) takeRematch(ctx context.Context, v *View) (Ref, error) {
	l := s.lobby
	waiting, cancel := context.WithTimeout(ctx, nodes.AwaitFor)
	defer cancel()
	for {
		if r := l.rematches.of(v.ID); r != nil {
			return l.joinRematch(ctx, s.user, r)
		}
		next, err := l.Matches.Next(waiting, v.ID, v.Seq)
		if waiting.Err() != nil && ctx.Err() == nil {
			return Ref{}, ErrBusy
		}
		if err != nil {
			return Ref{}, err
		}
		v = next
	}
}

// openRematch opens the rematch of v for the user who played side in it.
func (l *Lobby) openRematch(ctx context.Context, u User, side games.Side, v *View) (Ref, error) {
	o := matches.Opening{
		Game: v.Game.About().ID, Options: v.Options, Rated: v.Agreed, RematchOf: v.ID, Moves: v.Moves[:v.Start:v.Start],
		From:  v.From,
		Clock: storedClock(v.Clock.Setting),
	}
	seats := [2]storage.Occupant{v.Seats[games.Second], v.Seats[games.First]}
	other := v.Seats[side.Other()]
	if other.Kind != storage.Bot && !u.Is(other) {
		if err := l.mayMeet(u); err != nil {
			return Ref{}, err
		}
		if err := l.challenges.take(time.Now(), l.origins.of(u.Occupant()), u.Key(), match.KeyOf(other)); err != nil {
			return Ref{}, err
		}
		seats[side] = storage.Occupant{}
		o.Reserved = other
	}
	seats[side.Other()] = u.Occupant()
	switch {
	case u.Is(other) && v.Seats[games.First] == v.Seats[games.Second]:
		seats[side] = u.Occupant()
	case u.Is(other): // at one keyboard, with names of their own: both keep them
		seats = [2]storage.Occupant{v.Seats[games.Second], v.Seats[games.First]}
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	c := registry.Reservation{Matches: 1}
	if o.Reserved.Kind != storage.Free {
		c.Offers, c.Unavailable = 1, l.Blocks(u, User(other))
	}
	return l.openMatch(ctx, u, o, storage.SeatOf(side.Other()), c, clusterstore.Terms{Place: "rematch " + string(v.ID)})
}

func (l *Lobby) joinRematch(ctx context.Context, u User, r *Rematch) (Ref, error) {
	s := l.registry.Find(r.ID).Summary
	switch {
	case s == nil:
		return r.Ref, ErrOver
	case s.Holds(u, games.First) || s.Holds(u, games.Second):
		return r.Ref, nil
	}
	return r.Ref, l.sit(ctx, u, s)
}

// Claim ends a match whose opponent has gone: with the user's win, or with a draw. It returns when that is on disk. If the opponent comes back
// before the match checks it, nothing happens.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrNoClaim (the opponent is here, only the clock decides, or not both have
// moved), a *ClaimEarlyError, ErrTimeUp (it is the user's turn), ErrBusy, ErrClosed.
func (s *Seat) Claim(ctx context.Context, draw bool) error {
	l := s.lobby
	now := l.now() // of the event too, or earlier
	return l.Matches.Do(ctx, s.id, func(state *match.State) ([]matches.Event, error) {
		return match.Claim(s.user, draw, func() ([2]match.Presence, time.Duration, time.Time) {
			near, _ := l.presence.Presence(s.id, state.Seats)
			return near, l.Matches.Downtime(state.LastAt), now
		})(state)
	}, func() {})
}

// ClaimAt is Lobby.ClaimAt for the user whose handle this is.
func (s *Seat) ClaimAt(v *View) time.Time { return s.lobby.ClaimAt(s.user, v) }

// ClaimAt returns from when on a user may claim the match of a view, if the opponent stays away and nothing else happens; zero for never.
func (l *Lobby) ClaimAt(u User, v *View) time.Time {
	if v.Over {
		return time.Time{}
	}
	return v.ClaimAt(u, v.Presence, l.Matches.Downtime(v.LastAt))
}
