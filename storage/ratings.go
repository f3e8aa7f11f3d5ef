package storage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// A Rating is a player's standing in one game, on Glicko-2's 1500 scale, with the rated results.
type Rating struct {
	Rating     float64
	Deviation  float64
	Volatility float64
	At         time.Time // the end of the last rated match; the deviation is as of then. Zero: never played
	Played     int
	Won        int
	Drawn      int
	Lost       int
}

// A Rate computes new ratings after one rated match that ended at the given time; score is the first player's: 1, 0.5
// or 0. It must be pure and give the same bits on every processor. It leaves Played, Won, Drawn and Lost alone; a
// Rating whose At is zero is a newcomer's, whatever its other fields.
type Rate func(first, second Rating, score float64, at time.Time) (newFirst, newSecond Rating)

// A RatingChange is one player's rating before and after a rated match.
type RatingChange struct {
	Before Rating
	After  Rating
}

// A Standing is one player's line in the ratings of a game.
type Standing struct {
	Player PlayerID
	Name   string
	Rating Rating
}

// Versions of the values that this program writes.
const (
	resultVersion = 1
	ratingVersion = 1 // of one rating, and of the four of a change
)

// A result is what ratings are computed from: one rated match, in the order in which they were rated.
type result struct {
	Match  MatchID  `json:"m"`
	Game   string   `json:"g"`
	First  PlayerID `json:"f"`
	Second PlayerID `json:"s"`
	Result string   `json:"r"` // first, second or draw
	Ended  int64    `json:"t"` // milliseconds
}

// counts says whether a finished match changes ratings.
func counts(reader kv.Reader, f Finished) (bool, error) {
	for _, o := range []Occupant{f.First, f.Second} {
		if o.Kind != Person {
			return false, nil
		}
		if known, err := has(reader, players.key(o.ID)); err != nil || !known {
			return false, err
		}
	}
	return f.Rated && f.Result != "" && f.First.ID != f.Second.ID, nil
}

// rate writes the result of a finished match and the ratings that follow from it, and returns the number of the result.
func (s *Store) rate(tx kv.Tx, f Finished) (uint64, *[2]RatingChange, error) {
	if s.config.Rate == nil {
		return 0, nil, errNoRate
	}
	r := result{
		Match: f.ID, Game: f.Game, First: PlayerID(f.First.ID), Second: PlayerID(f.Second.ID),
		Result: f.Result, Ended: f.Ended.UnixMilli(),
	}
	var before [2]Rating
	for i, id := range []PlayerID{r.First, r.Second} {
		var err error
		if before[i], err = readRating(tx, r.Game, id); err != nil {
			return 0, nil, err
		}
	}
	rated := rateResult(s.config.Rate, r, before)
	value, err := sealJSON(resultVersion, r)
	if err != nil {
		return 0, nil, err
	}
	number, err := lastResult(tx)
	if err != nil {
		return 0, nil, err
	}
	number++
	tx.Put(results.key(seqKey(number)), value)
	tx.Put(changes.key(seqKey(number)), encodeChanges(rated))
	for i, id := range []PlayerID{r.First, r.Second} {
		tx.Put(ratings.key(r.Game, string(id)), encodeRating(rated[i].After))
	}
	return number, &rated, nil
}

// lastResult returns the number of the last result, 0 if there is none. Results are only ever added.
func lastResult(r kv.Reader) (uint64, error) {
	g := results.all()
	g.Reverse = true
	p, ok, err := first(r, g)
	if err != nil || !ok {
		return 0, err
	}
	return resultNumber(p.Key)
}

// resultNumber returns the number of the result with a key.
func resultNumber(key []byte) (uint64, error) {
	number := results.rest(key)
	if len(number) != 8 {
		return 0, fmt.Errorf("%w: a result without a number", ErrDamaged)
	}
	return binary.BigEndian.Uint64(number), nil
}

var errNoRate = fmt.Errorf("%w: this store was opened without the arithmetic of ratings", ErrInvalid)

// rateResult is the arithmetic of one result: the caller's numbers, our counts.
func rateResult(rate Rate, r result, before [2]Rating) [2]RatingChange {
	score := map[string]float64{"first": 1, "draw": 0.5, "second": 0}[r.Result]
	first, second := rate(before[0], before[1], score, fromMS(r.Ended))
	return [2]RatingChange{
		{before[0], counted(before[0], first, score)},
		{before[1], counted(before[1], second, 1-score)},
	}
}

// counted returns the new rating of a player with the counts after one more match.
func counted(before, after Rating, score float64) Rating {
	after.At = stored(after.At)
	after.Played, after.Won, after.Drawn, after.Lost = before.Played+1, before.Won, before.Drawn, before.Lost
	switch score {
	case 1:
		after.Won++
	case 0:
		after.Lost++
	default:
		after.Drawn++
	}
	return after
}

// Ratings returns a player's ratings by game, of the games with a rated result. An unknown player has none.
func (s *Store) Ratings(ctx context.Context, id PlayerID) (map[string]Rating, error) {
	found := map[string]Rating{}
	err := s.engine.View(ctx, func(r kv.Reader) error {
		for from := ratings.all(); ; {
			p, ok, err := first(r, from)
			if err != nil || !ok {
				return err
			}
			game, _, err := ratingKey(p.Key)
			if err != nil {
				return err
			}
			v, err := r.Get(ratings.key(game, string(id)))
			if err != nil {
				return err
			}
			if v != nil {
				if found[game], err = decodeRating(v); err != nil {
					return err
				}
			}
			from.From = ratings.key(game + "\x01") // the next game
		}
	})
	if err != nil {
		return nil, fmt.Errorf("storage: ratings of player %s: %w", id, err)
	}
	return found, nil
}

// Standings returns all players with a rated result in a game, the highest rating first, equal ones by id.
func (s *Store) Standings(ctx context.Context, game string) ([]Standing, error) {
	var rows []Standing
	err := s.engine.View(ctx, func(r kv.Reader) error {
		prefix := ratings.key(game, "")
		for p, err := range r.Scan(kv.Prefix(prefix)) {
			if err != nil {
				return err
			}
			rating, err := decodeRating(p.Value)
			if err != nil {
				return err
			}
			id := PlayerID(p.Key[len(prefix):])
			player, err := readPlayer(r, id)
			if err != nil {
				return fmt.Errorf("%w: player %s: %w", ErrDamaged, id, err)
			}
			rows = append(rows, Standing{id, player.Name, rating})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: standings of %s: %w", game, err)
	}
	slices.SortFunc(rows, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Rating.Rating, a.Rating.Rating), cmp.Compare(a.Player, b.Player))
	})
	return rows, nil
}

// ratingKey takes a key of the ratings apart.
func ratingKey(key []byte) (game string, id PlayerID, err error) {
	before, after, ok := bytes.Cut(ratings.rest(key), []byte{0})
	if !ok {
		return "", "", fmt.Errorf("%w: a rating without a player", ErrDamaged)
	}
	return string(before), PlayerID(after), nil
}

// readRating returns the rating of a player in a game, zero if there is none.
func readRating(r kv.Reader, game string, id PlayerID) (Rating, error) {
	v, err := r.Get(ratings.key(game, string(id)))
	if err != nil || v == nil {
		return Rating{}, err
	}
	return decodeRating(v)
}

// seqKey is the rest of the key of a result and of its change.
func seqKey(number uint64) string { return string(binary.BigEndian.AppendUint64(nil, number)) }

// A stored rating is the bits of its three numbers, so it comes back to the last digit, then varints.

func encodeRating(r Rating) []byte { return seal(ratingVersion, appendRating(nil, r)) }

func encodeChanges(c [2]RatingChange) []byte {
	var b []byte
	for _, rc := range c {
		b = appendRating(appendRating(b, rc.Before), rc.After)
	}
	return seal(ratingVersion, b)
}

func appendRating(b []byte, r Rating) []byte {
	for _, f := range []float64{r.Rating, r.Deviation, r.Volatility} {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	b = binary.AppendVarint(b, r.At.UnixMilli())
	for _, n := range []int{r.Played, r.Won, r.Drawn, r.Lost} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func decodeRating(value []byte) (Rating, error) {
	var one [1]Rating
	err := decodeRatings(value, one[:])
	return one[0], err
}

func decodeChanges(value []byte) (*[2]RatingChange, error) {
	var four [4]Rating
	if err := decodeRatings(value, four[:]); err != nil {
		return nil, err
	}
	return &[2]RatingChange{{four[0], four[1]}, {four[2], four[3]}}, nil
}

// decodeRatings reads as many ratings as there is room for. The error is ErrDamaged if there are fewer or more.
func decodeRatings(value []byte, ratings []Rating) error {
	_, content, err := unseal(value, ratingVersion)
	if err != nil {
		return err
	}
	in := &reader{rest: content}
	for i := range ratings {
		ratings[i] = readRatingFrom(in)
	}
	if in.bad || len(in.rest) > 0 {
		return fmt.Errorf("%w: a rating makes no sense", ErrDamaged)
	}
	return nil
}

func readRatingFrom(in *reader) Rating {
	var r Rating
	for _, f := range []*float64{&r.Rating, &r.Deviation, &r.Volatility} {
		if b := in.bytes(8); b != nil {
			*f = math.Float64frombits(binary.BigEndian.Uint64(b))
		}
	}
	if ms := in.varint(); ms != (time.Time{}).UnixMilli() {
		r.At = fromMS(ms)
	}
	for _, n := range []*int{&r.Played, &r.Won, &r.Drawn, &r.Lost} {
		v := in.uvarint()
		in.bad = in.bad || v > math.MaxInt32
		*n = int(v)
	}
	return r
}
