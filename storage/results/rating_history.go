package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A RatingPoint is a player's rating after a rated match.
type RatingPoint struct {
	At     time.Time // the end of the match
	Game   string
	Rating float64
}

// maxRatingPoints is the most points that one call of RatingHistory returns.
const maxRatingPoints = 1000

// RatingHistory returns a player's ratings in some games, one game after the other: in each after the last rated matches, at most limit (1 to 1000)
// of them, the oldest first. Matches that did not count make no point. It makes one request for each game and one for all; what it costs grows with
// what it returns. An unknown player or game has none.
func (s *Store) RatingHistory(ctx context.Context, id storage.PlayerID, games []string, limit int) ([]RatingPoint, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("rating history of player %s", id), func(r kv.Reader) ([]RatingPoint, error) {
		if err := storage.CheckKeys(append([]string{string(id)}, games...)...); err != nil {
			return nil, err
		}
		if limit < 1 || limit > maxRatingPoints {
			return nil, fmt.Errorf("%w: a limit of %d points", storage.ErrInvalid, limit)
		}
		return readPoints(r, id, games, limit)
	})
}

func readPoints(r kv.Reader, id storage.PlayerID, games []string, limit int) ([]RatingPoint, error) {
	var numbers []uint64
	for _, game := range games {
		newest, err := newestResults(r, resultsOf(id, game), limit)
		if err != nil {
			return nil, err
		}
		slices.Reverse(newest)
		numbers = append(numbers, newest...)
	}
	var b storage.Batch
	rated, changed := Results.In(&b, numbers...), Changes.In(&b, numbers...)
	if err := b.Read(r); err != nil {
		return nil, err
	}
	of, err := rated.All()
	if err != nil {
		return nil, err
	}
	changes, err := changed.All()
	if err != nil {
		return nil, err
	}
	var points []RatingPoint
	for i, res := range of {
		c := changes[i][0]
		if res.Second == id {
			c = changes[i][1]
		}
		if c.Weight > 0 {
			points = append(points, RatingPoint{At: storage.FromMS(res.Ended), Game: res.Game, Rating: c.After.Rating})
		}
	}
	return points, nil
}
