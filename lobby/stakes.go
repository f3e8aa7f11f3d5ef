package lobby

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A Stake is by how much a player's rating would change if the match ended now, in points.
type Stake struct {
	Win, Draw, Loss float64
}

// Stake returns what a rated match that goes on would do to the rating of a user who plays it, if it ended now: by the arithmetic that
// rates it at its end, all that makes it count less included. It supposes that each side will have made enough moves for the match to
// be rated. While a seat is free, it is the stake of a user who may take that. The Stake is nil for everybody else, and for a match
// that is over or not rated. It costs one short read of the store, and for a free seat a second one. The error is ErrBusy.
func (l *Lobby) Stake(ctx context.Context, u User, v *View) (*Stake, error) {
	if v.Over {
		return nil, nil
	}
	if v.Started.IsZero() {
		return l.OfferStake(ctx, u, v.ID)
	}
	side, seated := v.Side(u)
	if !seated {
		return nil, nil
	}
	return l.stake(ctx, u, side, match.Record(v, nil))
}

// OfferStake returns what an offer would do to the rating of a user who takes it, as Stake does; nil for an offer that is gone, not rated,
// or not for the user.
func (l *Lobby) OfferStake(ctx context.Context, u User, id storage.MatchID) (*Stake, error) {
	s := l.registry.Find(id).Summary
	if u.Kind != storage.Person || s == nil || !s.Started.IsZero() || !s.Rated || s.Reserved.Kind != storage.Free && !u.Is(s.Reserved) {
		return nil, nil
	}
	if _, own := s.Side(u); own || l.mayTake(ctx, u, s) != nil {
		return nil, nil
	}
	f, side := results.Finished{ID: s.ID, Game: s.Game.About().ID, Options: s.Options, Rated: true, Started: l.now()}, games.First
	f.First, f.Second = s.Seats[games.First], s.Seats[games.Second]
	if f.First.Kind == storage.Free {
		f.First = u.Occupant()
	} else {
		f.Second, side = u.Occupant(), games.Second
	}
	return l.stake(ctx, u, side, f)
}

// stake returns the Stake of a user who plays side, in a match that ends as f says but for its result.
func (l *Lobby) stake(ctx context.Context, u User, side games.Side, f results.Finished) (*Stake, error) {
	if u.Kind != storage.Person || !f.Rated {
		return nil, nil
	}
	f.Ended = l.now()
	all, err := l.store.Outcomes(ctx, f)
	if err != nil || all == nil {
		return nil, refusal.OfStore(err)
	}
	win, loss := all.First[side], all.Second[side]
	if side == games.Second {
		win, loss = all.Second[side], all.First[side]
	}
	return &Stake{Win: Gain(win), Draw: Gain(all.Draw[side]), Loss: Gain(loss)}, nil
}

// Stake returns what the match would do to the rating of who sits in the seat, as Lobby.Stake does for a view of it.
func (s *Seat) Stake(ctx context.Context, v *View) (*Stake, error) {
	return s.lobby.Stake(ctx, s.user, v)
}

// RatingBefore is the rating of a player before a match changed it: that of newcomers for one who had none.
func RatingBefore(c results.RatingChange) float64 {
	if c.Before.At.IsZero() {
		return rating.StartRating
	}
	return c.Before.Rating
}

// Gain is by how many points a rating has changed. That of a newcomer changes from the rating that newcomers start with.
func Gain(c results.RatingChange) float64 {
	if c.Weight == 0 {
		return 0
	}
	return c.After.Rating - RatingBefore(c)
}
