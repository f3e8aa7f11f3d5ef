package standings

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

// Stake returns the Stake of a user who plays side, in a match that ends as f says but for its result.
func (s *Service) Stake(ctx context.Context, u match.User, side games.Side, f results.Finished) (*Stake, error) {
	if u.Kind != storage.Person || !f.Rated {
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
