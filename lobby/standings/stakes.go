package standings

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/storage/results"
)

// A Stake is the change of a player's rating, in points, for each result of a match that would end now.
type Stake struct {
	Win, Draw, Loss float64
}

// Stake returns the Stake of a user who plays side in the match f; its result is ignored. It returns nil for a guest and for a match that doesn't
// count. The error is refusal.ErrBusy.
func (s *Service) Stake(ctx context.Context, u match.User, side games.Side, f results.Finished) (*Stake, error) {
	if !u.Kind.HasAccount() || !f.Rated {
		return nil, nil
	}
	f.Ended = s.config.Now()
	all, err := s.config.Store.Outcomes(ctx, f)
	if err != nil || all == nil {
		return nil, refusal.OfStore(err)
	}
	win, loss := all.First[side], all.Second[side]
	if side == games.Second {
		win, loss = all.Second[side], all.First[side]
	}
	return &Stake{Win: Gain(win), Draw: Gain(all.Draw[side]), Loss: Gain(loss)}, nil
}

// RatingBefore returns the rating of a player before a match, or the rating of a newcomer if they had none.
func RatingBefore(c results.RatingChange) float64 {
	if c.Before.At.IsZero() {
		return rating.StartRating
	}
	return c.Before.Rating
}

// Gain returns the change of a rating in points, from RatingBefore.
func Gain(c results.RatingChange) float64 {
	if c.Weight == 0 {
		return 0
	}
	return c.After.Rating - RatingBefore(c)
}
