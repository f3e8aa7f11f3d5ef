package seats

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// challenge opens a challenge by u, who plays side. It returns the errors of Opponent and openMatch, refusal.ErrRated, refusal.ErrChallenged,
// refusal.ErrUnavailable and a *refusal.TooFastError.
func (s *Service) challenge(ctx context.Context, u match.User, spec Spec, o matches.Opening, side games.Side, c registry.Reservation) (match.Ref, error) {
	opponent, err := s.config.Challenges.Opponent(ctx, u, spec.To)
	if err != nil {
		return match.Ref{}, err
	}
	to := opponent.Occupant
	if spec.Rated && !to.Kind.HasAccount() {
		return match.Ref{}, refusal.ErrRated
	}
	if err := s.config.Challenges.pace.take(time.Now(), s.config.Players.Origin(u.Occupant()), u.Key(), match.KeyOf(to)); err != nil {
		return match.Ref{}, err
	}
	seats := [2]*storage.Occupant{&o.First, &o.Second}
	*seats[side], o.Reserved = u.Occupant(), to
	o.Wait = int(opponent.Wait(spec.Clock) / time.Second)
	c.Challenges, c.To, c.Unavailable = 1, match.KeyOf(to), s.config.Relations.Blocks(u, match.User(to))
	ref, err := s.openMatch(ctx, u, o, storage.SeatOf(side), c, clusterstore.Terms{})
	if !errors.Is(err, refusal.ErrUnavailable) || !s.config.Challenges.displace(ctx, u, match.User(to)) {
		return ref, err
	}
	return s.openMatch(ctx, u, o, storage.SeatOf(side), c, clusterstore.Terms{})
}

// Join takes the free seat of the match with this code, in any letter case. Wrong guesses count against the user and against from. A user who
// has joined already gets the match again, which costs no guess. The errors are refusal.ErrNoSuchMatch, a *refusal.ThrottledError,
// match.ErrOver, match.ErrSeatTaken, match.ErrReserved, match.ErrOwnOffer, match.ErrRatedGuest, a *refusal.RangeError,
// refusal.ErrUnavailable, refusal.ErrTooMany, refusal.ErrBusy, refusal.ErrClosed, a *refusal.AbortsError, and refusal.ErrAccountClosed and
// refusal.ErrNoAccount for closed and deleted accounts. If the match exists, the Ref is valid even with an error, so that the user can watch
// the match instead.
func (s *Service) Join(ctx context.Context, u match.User, from origin.Origin, code string) (match.Ref, error) {
	id, err := s.config.Finder.guess(ctx, u, from, codes.Read(code))
	if err != nil {
		return match.Ref{}, err
	}
	found := s.config.Registry.Find(id)
	switch {
	case found.Quarantined:
		return match.Ref{ID: id, Code: codes.Read(code)}, refusal.ErrDamaged
	case found.Summary == nil:
		return match.Ref{ID: id, Code: codes.Read(code)}, match.ErrOver
	}
	return found.Summary.Ref, s.sit(ctx, u, found.Summary)
}

// Take takes the free seat of a listed offer. It returns the errors of Join; for a private match that is not reserved for the user the error is
// refusal.ErrNoSuchMatch. The Ref has the code only if the user now sits in the match.
func (s *Service) Take(ctx context.Context, u match.User, id storage.MatchID) (match.Ref, error) {
	if err := s.config.Finder.look(ctx, u, match.Ref{ID: id}); err != nil {
		return match.Ref{}, err
	}
	m := s.config.Registry.Find(id).Summary
	if m == nil {
		return match.Ref{ID: id}, match.ErrOver
	}
	if err := s.sit(ctx, u, m); err != nil {
		return match.Ref{ID: id}, err
	}
	return m.Ref, nil
}

// sit gives a user the free seat of a match. A user who sits there already passes no checks.
func (s *Service) sit(ctx context.Context, u match.User, m *match.Summary) error {
	release := func() {}
	if _, seated := m.Side(u); !seated {
		err := s.config.Manners.MayMeet(u)
		if err == nil {
			err = s.config.Challenges.mayTake(ctx, u, m)
		}
		if err != nil {
			return err
		}
		done, err := s.config.Standing.Taking(u, m.ID)
		if err != nil {
			return err
		}
		defer done()
		if release, err = s.reserve(ctx, u, registry.Reservation{Matches: 1}); err != nil {
			return err
		}
	}
	err := s.config.Matches.DoReserved(ctx, m.ID, match.Join(u), release)
	if by := m.Opener; err == nil && by != storage.Nobody && u.Is(m.Reserved) && m.RematchOf == "" { // of a rematch Rematches does so, on every node
		s.config.Challenges.Refund(match.User(m.Seats[by.Side()]), u.Occupant())
	}
	return err
}

// openRematch opens the rematch of v for u, who played side in v.
func (s *Service) openRematch(ctx context.Context, u match.User, side games.Side, v *match.View) (match.Ref, error) {
	o := matches.Opening{
		Game: v.Game.About().ID, Options: v.Options, Rated: v.Agreed, RematchOf: v.ID, Moves: v.Moves[:v.Start:v.Start],
		From:  v.From,
		Clock: StoredClock(v.Clock.Setting),
	}
	seats := [2]storage.Occupant{v.Seats[games.Second], v.Seats[games.First]}
	other := v.Seats[side.Other()]
	if other.Kind != storage.Bot && !u.Is(other) {
		if err := s.config.Manners.MayMeet(u); err != nil {
			return match.Ref{}, err
		}
		if err := s.config.Challenges.pace.take(time.Now(), s.config.Players.Origin(u.Occupant()), u.Key(), match.KeyOf(other)); err != nil {
			return match.Ref{}, err
		}
		seats[side] = storage.Occupant{}
		o.Reserved = other
	}
	seats[side.Other()] = u.Occupant()
	switch {
	case u.Is(other) && v.Seats[games.First] == v.Seats[games.Second]:
		seats[side] = u.Occupant()
	case u.Is(other): // at one keyboard, under two names: both keep theirs
		seats = [2]storage.Occupant{v.Seats[games.Second], v.Seats[games.First]}
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	c := registry.Reservation{Matches: 1}
	if o.Reserved.Kind != storage.Free {
		c.Offers, c.Unavailable = 1, s.config.Relations.Blocks(u, match.User(other))
	}
	return s.openMatch(ctx, u, o, storage.SeatOf(side.Other()), c, clusterstore.Terms{Place: "rematch " + string(v.ID)})
}

func (s *Service) joinRematch(ctx context.Context, u match.User, r *match.Rematch) (match.Ref, error) {
	m := s.config.Registry.Find(r.ID).Summary
	switch {
	case m == nil:
		return r.Ref, match.ErrOver
	case m.Holds(u, games.First) || m.Holds(u, games.Second):
		return r.Ref, nil
	}
	return r.Ref, s.sit(ctx, u, m)
}
