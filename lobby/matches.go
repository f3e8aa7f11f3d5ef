package lobby

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// An exhibition is a match between two computer players. It pauses while nobody watches it (nobody waits in Seat.Next), and is
// aborted when nobody has for Limits.Unwatched or when the user who opened it says so. Its computer players think after those
// that people wait for.

// Open opens a match. Against a computer player, between two of them and at one keyboard it starts at once.
// The errors are ErrNoSuchGame, ErrNoSuchLevel, a *games.OptionError, ErrEndless, ErrSpec, ErrRatedGuest (a guest asks for
// a rated match), ErrRated, ErrRatedStudy, a *games.PositionError, a *games.IllegalError and ErrDecided for the moves, those of a
// challenge (see challenge), those of hotseat, ErrTooMany, ErrFull, ErrDiskFull, ErrBusy, ErrClosed.
func (l *Lobby) Open(ctx context.Context, u User, spec Spec) (Ref, error) {
	return l.openOn(ctx, u, spec, clusterstore.Terms{})
}

// openOn is Open on terms, which matter only with several nodes. The error is cluster.ErrTaken if they don't hold.
func (l *Lobby) openOn(ctx context.Context, u User, spec Spec, terms clusterstore.Terms) (Ref, error) {
	o, err := l.plan(spec)
	if err != nil {
		return Ref{}, err
	}
	if spec.Rated && u.Kind != storage.Person {
		return Ref{}, ErrRatedGuest
	}
	side := games.First
	if spec.Side == PlaySecond || spec.Side == RandomSide && randomSeed()%2 == 1 {
		side = games.Second
	}
	var seats [2]storage.Occupant
	opener, c := storage.SeatOf(side), registry.Reservation{Matches: 1}
	switch {
	case spec.Bots != [2]string{}:
		seats = [2]storage.Occupant{l.bot(spec.Bots[games.First]), l.bot(spec.Bots[games.Second])}
		opener, c = storage.Nobody, registry.Reservation{Exhibitions: 1}
	case spec.Hotseat:
		if seats, err = l.hotseat(ctx, u, spec.Names); err != nil {
			return Ref{}, err
		}
	case spec.Bot != "":
		seats[side], seats[side.Other()] = u.Occupant(), l.bot(spec.Bot)
	default:
		if err := l.mayMeet(u); err != nil {
			return Ref{}, err
		}
		seats[side] = u.Occupant()
		c.Offers = 1
		if spec.To != "" {
			return l.challenge(ctx, u, spec, o, side, c)
		}
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	if c.Exhibitions > 0 {
		o.By = u.Occupant()
	}
	return l.openMatch(ctx, u, o, opener, c, terms)
}

// hotseat returns both seats of a match at one keyboard, under the names that the players give themselves. Nobody takes the name of
// another player, or one like it: history shows it to everybody. The errors are a *names.Error, ErrNameTaken, ErrNameAlike, ErrBusy.
func (l *Lobby) hotseat(ctx context.Context, u User, typed [2]string) (seats [2]storage.Occupant, err error) {
	ownKey, _ := names.Key(u.Name)
	for side, name := range typed {
		seats[side] = u.Occupant()
		if name == "" {
			continue
		}
		shown, key, err := names.Check(name)
		if err == nil && key != ownKey {
			err = accountError(l.store.FreeName(ctx, shown, key), ErrNoAccount)
		}
		if err != nil {
			return seats, err
		}
		seats[side].Name = shown
	}
	return seats, nil
}

// Join takes the free seat of the match with this code, in any letter case. Wrong guesses count against the
// user and where they come from. A user who has joined already just gets the match, and guesses
// nothing. The errors are ErrNoSuchMatch, a *ThrottledError, ErrOver, ErrSeatTaken, ErrReserved, ErrOwnOffer, ErrRatedGuest, a *RangeError,
// ErrUnavailable, ErrTooMany, ErrBusy, ErrClosed. The Ref is good whenever the match exists, so that one can watch it instead.
func (l *Lobby) Join(ctx context.Context, u User, from origin.Origin, code string) (Ref, error) {
	id, err := l.guess(ctx, u, from, readCode(code))
	if err != nil {
		return Ref{}, err
	}
	found := l.registry.Find(id)
	s := found.Summary
	switch {
	case found.Quarantined:
		return Ref{ID: id, Code: readCode(code)}, ErrDamaged
	case s == nil:
		return Ref{ID: id, Code: readCode(code)}, ErrOver
	}
	return s.Ref, l.sit(ctx, u, s)
}

// Take takes the free seat of an offer in the lists. The errors are those of Join; a private match that is not reserved for
// the user is ErrNoSuchMatch. The Ref has the code if the user sits in the match now.
func (l *Lobby) Take(ctx context.Context, u User, id storage.MatchID) (Ref, error) {
	if err := l.look(ctx, u, Ref{ID: id}); err != nil {
		return Ref{}, err
	}
	s := l.registry.Find(id).Summary
	if s == nil {
		return Ref{ID: id}, ErrOver
	}
	if err := l.sit(ctx, u, s); err != nil {
		return Ref{ID: id}, err
	}
	return s.Ref, nil
}

// sit has a user take the free seat of a match.
func (l *Lobby) sit(ctx context.Context, u User, s *match.Summary) error {
	release := func() {}
	if _, seated := s.Side(u); !seated {
		err := l.mayMeet(u)
		if err == nil {
			err = l.mayTake(ctx, u, s)
		}
		if err != nil {
			return err
		}
		if release, err = l.reserve(ctx, u, registry.Reservation{Matches: 1}); err != nil {
			return err
		}
	}
	err := l.Matches.Do(ctx, s.ID, match.Join(u), release)
	if by := s.Opener; err == nil && by != storage.Nobody && u.Is(s.Reserved) && s.RematchOf == "" { // of a rematch rematchChanged does so, on every node
		l.giveBackWish(User(s.Seats[by.Side()]), u.Occupant())
	}
	return err
}
