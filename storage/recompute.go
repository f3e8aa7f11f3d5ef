package storage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"ludoteca/storage/kv"
)

// A RecomputeReport says what Recompute found.
type RecomputeReport struct {
	Results  int          // rated matches
	Ratings  int          // players' ratings that follow from them
	Matches  int          // matches whose rating changes were stored wrong; they are right now
	Differed []Difference // ratings that were stored wrong, by game and player; they are right now
}

// A Difference is a rating that was not what the results say.
type Difference struct {
	Game     string
	Player   PlayerID
	Stored   Rating // zero if it was missing
	Computed Rating // zero if there are no results for it
}

// String returns the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s %s: stored %.2f / %.2f / %.5f after %d matches, computed %.2f / %.2f / %.5f after %d",
		d.Game, d.Player, d.Stored.Rating, d.Stored.Deviation, d.Stored.Volatility, d.Stored.Played,
		d.Computed.Rating, d.Computed.Deviation, d.Computed.Volatility, d.Computed.Played)
}

// Recompute works out all ratings from the results alone and compares them with the stored ones, to the last bit.
// Where they differ, it writes the computed ones, all in one transaction. Matches may go on meanwhile: results are
// only ever added, so it reads them in short steps, and only what has come since is left for the transaction.
func (s *Store) Recompute(ctx context.Context) (RecomputeReport, error) {
	var report RecomputeReport
	err := errNoRate
	if s.config.Rate != nil {
		r := newReplay(s.config.Rate)
		err = s.recompute(ctx, r)
		report = r.report
	}
	if err != nil {
		return RecomputeReport{}, fmt.Errorf("storage: recompute: %w", err)
	}
	return report, nil
}

// replayStep is how many results one read transaction goes through.
const replayStep = 1000

func (s *Store) recompute(ctx context.Context, r *replay) error {
	for more := true; more; {
		err := s.engine.View(ctx, func(reader kv.Reader) (err error) {
			more, err = r.read(reader, replayStep)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.engine.Update(ctx, func(tx kv.Tx) error {
		for more := true; more; {
			var err error
			if more, err = r.read(tx, replayStep); err != nil {
				return err
			}
		}
		return r.write(tx)
	})
}

// A standingKey names a rating: whose, in which game.
type standingKey struct {
	game   string
	player PlayerID
}

// A replay is the ratings as they follow from the results read so far. Reading is idempotent: each result is
// applied once, whichever transaction it is read in.
type replay struct {
	rate   Rate
	last   uint64 // number of the last result read
	count  int
	now    map[standingKey]Rating
	wrong  map[uint64][]byte // changes to be written, by number of the result
	report RecomputeReport
}

func newReplay(rate Rate) *replay {
	return &replay{rate: rate, now: map[standingKey]Rating{}, wrong: map[uint64][]byte{}}
}

// read applies up to n results and says whether there may be more.
func (r *replay) read(reader kv.Reader, n int) (more bool, err error) {
	g := results.all()
	g.From = results.key(seqKey(r.last + 1))
	for p, err := range reader.Scan(g) {
		if err != nil {
			return false, err
		}
		if n--; n < 0 {
			return true, nil
		}
		number, err := resultNumber(p.Key)
		if err != nil {
			return false, err
		}
		change, err := reader.Get(changes.key(seqKey(number)))
		if err != nil {
			return false, err
		}
		if err := r.apply(number, p.Value, change); err != nil {
			return false, err
		}
		r.last = number
		r.count++
	}
	return false, nil
}

// apply adds one result and compares the change that it makes with the stored one.
func (r *replay) apply(number uint64, value, change []byte) error {
	_, content, err := unseal(value, resultVersion)
	if err != nil {
		return err
	}
	var res result
	if err := parseJSON(content, &res); err != nil {
		return err
	}
	if !decided(res.Result) {
		return fmt.Errorf("%w: result %d is %q", ErrDamaged, number, res.Result)
	}
	first, second := standingKey{res.Game, res.First}, standingKey{res.Game, res.Second}
	rated := rateResult(r.rate, res, [2]Rating{r.now[first], r.now[second]})
	r.now[first], r.now[second] = rated[0].After, rated[1].After
	if right := encodeChanges(rated); !bytes.Equal(right, change) {
		r.wrong[number] = right
	}
	return nil
}

// write compares all ratings, and writes what is wrong. It may be repeated.
func (r *replay) write(tx kv.Tx) error {
	differed, err := r.compare(tx)
	if err != nil {
		return err
	}
	r.report = RecomputeReport{Results: r.count, Ratings: len(r.now), Matches: len(r.wrong), Differed: differed}
	for number, change := range r.wrong {
		tx.Put(changes.key(seqKey(number)), change)
	}
	for _, d := range differed {
		key := ratings.key(d.Game, string(d.Player))
		if d.Computed == (Rating{}) {
			tx.Delete(key)
		} else {
			tx.Put(key, encodeRating(d.Computed))
		}
	}
	return nil
}

// compare returns the ratings that are not as stored, those missing on either side included, sorted.
func (r *replay) compare(reader kv.Reader) ([]Difference, error) {
	var differed []Difference
	seen := make(map[standingKey]bool, len(r.now))
	for p, err := range reader.Scan(ratings.all()) {
		if err != nil {
			return nil, err
		}
		game, id, err := ratingKey(p.Key)
		if err != nil {
			return nil, err
		}
		key := standingKey{game, id}
		seen[key] = true
		if now, ok := r.now[key]; !ok || !bytes.Equal(encodeRating(now), p.Value) {
			was, _ := decodeRating(p.Value) // a damaged one counts as zero, and is about to be mended
			differed = append(differed, Difference{game, id, was, now})
		}
	}
	for key, now := range r.now {
		if !seen[key] {
			differed = append(differed, Difference{key.game, key.player, Rating{}, now})
		}
	}
	slices.SortFunc(differed, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(a.Player, b.Player))
	})
	return differed, nil
}
