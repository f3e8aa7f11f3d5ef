package results

import (
	"context"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// Outcomes are what a match would do to both players' ratings, first and second, by its result.
type Outcomes struct {
	First, Draw, Second [2]RatingChange
}

// Outcomes returns what Finish would return for a match that ended as f says, with each result in the place of f.Result: by the same
// arithmetic, and of the ratings and results of this moment. It changes nothing. It is nil if the match would not be rated.
func (s *Store) Outcomes(ctx context.Context, f Finished) (*Outcomes, error) {
	if s.arithmetic == nil {
		return nil, errNoRate
	}
	f.Ended, f.Result = storage.Stored(f.Ended), "draw"
	return storage.View(ctx, s.engine, fmt.Sprintf("outcomes of match %s", f.ID), func(reader kv.Reader) (*Outcomes, error) {
		r, ok, err := toBeRated(reader, f)
		if err != nil || !ok {
			return nil, err
		}
		p, err := pastOf(reader, r)
		if err == nil {
			r, err = know(reader, r, p)
		}
		if err != nil {
			return nil, err
		}
		by := func(result string) [2]RatingChange {
			r.Result = result
			rated, _ := rateResult(s.arithmetic, r, p)
			return rated
		}
		return &Outcomes{First: by("first"), Draw: by("draw"), Second: by("second")}, nil
	})
}
