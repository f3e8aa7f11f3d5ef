package seats

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Stake returns what a rated match that goes on would do to the rating of a user who plays it, if it ended now: by the arithmetic that
// rates it at its end, all that makes it count less included. It supposes that each side will have made enough moves for the match to
// be rated. While a seat is free, it is the stake of a user who may take that. The Stake is nil for everybody else, and for a match
// that is over or not rated. It costs one short read of the store, and for a free seat a second one. The error is refusal.ErrBusy.
func (s *Service) Stake(ctx context.Context, u match.User, v *match.View) (*standings.Stake, error) {
	if v.Over {
		return nil, nil
	}
	if v.Started.IsZero() {
		return s.OfferStake(ctx, u, v.ID)
	}
	side, seated := v.Side(u)
	if !seated {
		return nil, nil
	}
	return s.config.Standings.Stake(ctx, u, side, match.Record(v, nil))
}

// OfferStake returns what an offer would do to the rating of a user who takes it, as Stake does; nil for an offer that is gone, not rated,
// or not for the user.
func (s *Service) OfferStake(ctx context.Context, u match.User, id storage.MatchID) (*standings.Stake, error) {
	m := s.config.Registry.Find(id).Summary
	if u.Kind != storage.Person || m == nil || !m.Started.IsZero() || !m.Rated || m.Reserved.Kind != storage.Free && !u.Is(m.Reserved) {
		return nil, nil
	}
	if _, own := m.Side(u); own || s.config.Challenges.mayTake(ctx, u, m) != nil {
		return nil, nil
	}
	f, side := results.Finished{ID: m.ID, Game: m.Game.About().ID, Options: m.Options, Rated: true, Started: s.config.Now()}, games.First
	f.First, f.Second = m.Seats[games.First], m.Seats[games.Second]
	if f.First.Kind == storage.Free {
		f.First = u.Occupant()
	} else {
		f.Second, side = u.Occupant(), games.Second
	}
	return s.config.Standings.Stake(ctx, u, side, f)
}
