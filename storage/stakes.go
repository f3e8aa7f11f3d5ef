package storage

import (
	"context"
	"fmt"

	"ludoteca/storage/kv"
)

// Outcomes are what a match would do to both players' ratings, first and second, by its result.
type Outcomes struct {
	First, Draw, Second [2]RatingChange
}

// Outcomes returns what Finish would return for a match that ended as f says, with each result in the place of f.Result: by the same
// arithmetic, and of the ratings and results of this moment. It changes nothing. It is nil if the match would not be rated.
func (s *Store) Outcomes(ctx context.Context, f Finished) (*Outcomes, error) {
	var all *Outcomes
	f.Ended = stored(f.Ended)
	err := s.engine.View(ctx, func(reader kv.Reader) error {
		var o Outcomes
		for result, changes := range map[string]*[2]RatingChange{"first": &o.First, "draw": &o.Draw, "second": &o.Second} {
			f.Result = result
			r, ok, err := toBeRated(reader, f)
			if err != nil || !ok {
				return err
			}
			if *changes, _, err = s.ratedAfter(reader, r); err != nil {
				return err
			}
		}
		all = &o
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: outcomes of match %s: %w", f.ID, err)
	}
	return all, nil
}
