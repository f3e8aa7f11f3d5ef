package seats

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Stake returns how the result of a rated match would change the rating of one of its players if it ended now. The arithmetic is the one
// that rates the match at its end, with everything that makes it count less. Stake assumes that each side makes enough moves for the match
// to be rated. While a seat is free, a user who may take it gets the stake of that seat. The Stake is nil for all other users, and for a
// match that is over or not rated. The call reads the store once, for a free seat twice. The error is refusal.ErrBusy.
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

// OfferStake is Stake for a user who may take an offer. The Stake is nil if the offer is gone or not rated, or if the user may not take it.
func (s *Service) OfferStake(ctx context.Context, u match.User, id storage.MatchID) (*standings.Stake, error) {
	m := s.config.Registry.Find(id).Summary
	if !u.Kind.HasAccount() || m == nil || !m.Started.IsZero() || !m.Rated || m.Reserved.Kind != storage.Free && !u.Is(m.Reserved) {
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
