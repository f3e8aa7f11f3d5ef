package seats

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"ludoteca/games"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// Standing knows which matches belong to standing offers; see standingoffers.Service. Its methods are called without locks.
type Standing interface {
	// Taking returns nil if a user may take an untaken match, as far as standing offers go. The caller calls done when the seat is taken or not.
	// The error is refusal.ErrStandingTaken.
	Taking(u match.User, id storage.MatchID) (done func(), err error)

	// Withdrawn ends the standing offer of a user to which an untaken match belongs, and reports whether there is one. Its match is withdrawn soon.
	// The error is one of the store.
	Withdrawn(ctx context.Context, u match.User, id storage.MatchID) (bool, error)
}

// OpenStanding opens the match with an id for a standing offer of a user: a public offer without a given position. It returns nil if the match is
// open already, or over. It returns the errors of Open, but no *refusal.TooFastError: the caller bounds the pace.
func (s *Service) OpenStanding(ctx context.Context, u match.User, id storage.MatchID, spec Spec) error {
	o, err := s.Plan(spec)
	if err != nil {
		return err
	}
	if err := s.config.Manners.MayMeet(u); err != nil {
		return err
	}
	if err := s.config.Reach.Room(refusal.ErrDiskFull); err != nil {
		return err
	}
	side := games.First
	if spec.Side == PlaySecond || spec.Side == RandomSide && rand.N(2) == 1 {
		side = games.Second
	}
	var seats [2]storage.Occupant
	seats[side] = u.Occupant()
	o.First, o.Second = seats[games.First], seats[games.Second]
	_, away := s.config.Presence.Away(u.Occupant())
	for range maxCodes {
		release, err := s.reserve(ctx, u, registry.Reservation{Matches: 1, Offers: 1, Opened: 1})
		if err != nil {
			return err
		}
		o.Code = codes.New()
		err = s.config.Matches.Open(ctx, id, away, match.Open(o, storage.SeatOf(side)), clusterstore.Terms{}, release)
		switch {
		case err == nil, errors.Is(err, storage.ErrStale):
			return nil
		case !errors.Is(err, storage.ErrCodeTaken):
			return err
		}
	}
	return fmt.Errorf("%w: no free code", refusal.ErrBusy)
}

// MayOpen returns nil if a user may open a public offer now, else an error of Open.
func (s *Service) MayOpen(ctx context.Context, u match.User) error {
	if err := s.config.Manners.MayMeet(u); err != nil {
		return err
	}
	release, err := s.reserve(ctx, u, registry.Reservation{Matches: 1, Offers: 1, Opened: 1})
	if err == nil {
		release()
	}
	return err
}
