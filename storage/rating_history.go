package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// RatingHistory returns a player's ratings in a game after the last rated matches, at most limit (1 to 1000) of them, the oldest first.
// Matches that did not count make no point. It costs as much as it returns. An unknown player or game has none.
func (s *Store) RatingHistory(ctx context.Context, id PlayerID, game string, limit int) ([]RatingPoint, error) {
	var points []RatingPoint
	err := checkKeys(string(id), game)
	if err == nil && (limit < 1 || limit > maxRatingPoints) {
		err = fmt.Errorf("%w: a limit of %d points", ErrInvalid, limit)
	}
	if err == nil {
		err = s.engine.View(ctx, func(r kv.Reader) (err error) {
			points, err = readPoints(r, id, game, limit)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("storage: rating history of player %s: %w", id, err)
	}
	return points, nil
}

func readPoints(r kv.Reader, id PlayerID, game string, limit int) ([]RatingPoint, error) {
	numbers, err := newestResults(r, resultIndex.key(byPlayer, string(id), game, ""), limit)
	if err != nil {
		return nil, err
	}
	played, err := readResults(r, numbers)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, number := range numbers {
		keys = append(keys, changes.key(seqKey(number)))
	}
	values, err := r.GetAll(keys)
	if err != nil {
		return nil, err
	}
	var points []RatingPoint
	for i, of := range slices.Backward(played) {
		change, err := decodeChanges(values[i])
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", numbers[i], err)
		}
		c := change[0]
		if of.Second == id {
			c = change[1]
		}
		if c.Weight > 0 {
			points = append(points, RatingPoint{At: fromMS(of.Ended), Game: game, Rating: c.After.Rating})
		}
	}
	return points, nil
}
