package lobby

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
)

// A Stake is by how much a player's rating would change if the match ended now, in points.
type Stake struct {
	Win, Draw, Loss float64
}

// Stake returns what a rated match that goes on would do to the rating of a user who plays it, if it ended now: by the arithmetic that
// rates it at its end, all that makes it count less included. It supposes that each side will have made enough moves for the match to
// be rated. The Stake is nil for everybody else, for a match that is over or not rated, and while a seat is free. It costs one short
// read of the store. The error is ErrBusy.
func (l *Lobby) Stake(ctx context.Context, u User, v *View) (*Stake, error) {
	side, seated := v.Side(u)
	if !seated || u.Kind != storage.Person || v.Over || !v.Rated || v.Started.IsZero() {
		return nil, nil
	}
	f := match.Record(v, nil)
	f.Ended = l.now()
	all, err := l.store.Outcomes(ctx, f)
	if err != nil || all == nil {
		return nil, storeError(err)
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

// Gain is by how many points a rating has changed. That of a newcomer changes from the rating that newcomers start with.
func Gain(c storage.RatingChange) float64 {
	if c.Weight == 0 {
		return 0
	}
	before := c.Before.Rating
	if c.Before.At.IsZero() {
		before = rating.StartRating
	}
	return c.After.Rating - before
}
