package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// Tallies count the finished matches of a player, so that a profile costs the same however many there are. A match counts with its
// end, if it stays in the history. Tallies follow from the records, whether the matches were rated or casual.

// A Conduct says how many matches against other players a player has started, and how many of them the player has finished: that is,
// not left. Resigning finishes a match. A match has started when each side has made two moves: before that it is not kept.
type Conduct struct {
	Started  int `json:"started"`
	Finished int `json:"finished"`
}

// A Score counts results from the point of view of one player.
type Score struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

// A BySide is a player's score with each side.
type BySide struct {
	First  Score `json:"first"`
	Second Score `json:"second"`
}

const (
	tallyVersion = 1

	// tallyRules is the version of what counts. Open makes the tallies anew where they are of another one.
	tallyRules = 1

	// talliesKey is the key of the marker of the tallies (steps.go) in the meta section.
	talliesKey = "tallies"
)

// Kinds of tallies: the second part of their keys.
const (
	conductTally = "conduct" // + 0 -> Conduct
	sidesTally   = "sides"   // + 0 + game -> BySide
	againstTally = "against" // + 0 + PlayerID of the opponent -> Score
)

// Reasons by which a player may have left a match, and for how long a player who runs out of time has made no move then. Running out
// of time over a move is part of a fast match; a player who doesn't move for a minute has gone.
const (
	reasonAbandoned = "abandoned"
	reasonTimeout   = "timeout"
	goneAfter       = time.Minute
)

// leaver returns the side, 0 or 1, that left a match before its end; ok is false if neither did. f is a whole record.
func leaver(f Finished) (side int, ok bool) {
	switch f.Result {
	case "first":
		side = 1
	case "second":
	default:
		return 0, false
	}
	switch f.Reason {
	case reasonAbandoned:
		return side, true
	case reasonTimeout:
		last := f.Started
		if n := len(f.Times); n > 0 {
			last = f.Times[n-1]
		}
		return side, f.Ended.Sub(last) >= goneAfter
	}
	return 0, false
}

// add adds a result: 1 won, 0.5 drawn, 0 lost.
func (s *Score) add(score float64) {
	switch score {
	case 1:
		s.Won++
	case 0:
		s.Lost++
	default:
		s.Drawn++
	}
}

// scores are the points of the first player for each result.
var scores = map[string]float64{"first": 1, "draw": 0.5, "second": 0}

// addTallies counts a match that has ended, for both players. f is a whole record.
func addTallies(tx kv.Tx, f Finished) error {
	all := tally(f)
	if len(all) == 0 {
		return nil
	}
	now, err := indexed(tx, talliesKey, finished.key(string(f.ID)))
	if err != nil || !now {
		return err
	}
	return count(tx, all)
}

// A tallyChange is how a match that has ended changes one tally.
type tallyChange struct {
	key    []byte
	change func(stored []byte) (value []byte, err error)
}

// tally returns what a match that has ended changes. f is a whole record. Only matches between players count: others are forgotten one
// day. Odd positions say nothing of sides and players, so a match that began with given moves counts for conduct alone.
func tally(f Finished) (all []tallyChange) {
	seats := [2]Occupant{f.First, f.Second}
	if f.Temporary || f.Result == "" || f.First.Kind != Person || f.Second.Kind != Person || f.First.ID == f.Second.ID {
		return nil
	}
	gone, left := leaver(f)
	for i, o := range seats {
		all = append(all, changeOf(conductKey(PlayerID(o.ID)), func(c *Conduct) {
			c.Started++
			if !left || gone != i {
				c.Finished++
			}
		}))
		if f.Start > 0 {
			continue
		}
		score := scores[f.Result]
		if i == 1 {
			score = 1 - score
		}
		all = append(all,
			changeOf(tallies.key(o.ID, sidesTally, f.Game), func(b *BySide) {
				if i == 0 {
					b.First.add(score)
				} else {
					b.Second.add(score)
				}
			}),
			changeOf(tallies.key(o.ID, againstTally, seats[1-i].ID), func(s *Score) { s.add(score) }))
	}
	return all
}

// changeOf is a change of the tally under a key.
func changeOf[T any](key []byte, change func(*T)) tallyChange {
	return tallyChange{key, func(stored []byte) (value []byte, err error) {
		var t T
		if stored != nil {
			if t, err = decodeTally[T](stored); err != nil {
				return nil, err
			}
		}
		change(&t)
		return sealJSON(tallyVersion, t)
	}}
}

// count changes tallies.
func count(tx kv.Tx, all []tallyChange) error {
	var keys [][]byte
	places := map[string]int{} // in keys
	for _, c := range all {
		if _, known := places[string(c.key)]; !known {
			places[string(c.key)] = len(keys)
			keys = append(keys, c.key)
		}
	}
	values, err := tx.GetAll(keys)
	if err != nil {
		return err
	}
	for _, c := range all {
		v := &values[places[string(c.key)]]
		if *v, err = c.change(*v); err != nil {
			return err
		}
	}
	for i, key := range keys {
		tx.Put(key, values[i])
	}
	return nil
}

// readTally returns a tally, zero if nothing was counted.
func readTally[T any](r kv.Reader, key []byte) (t T, err error) {
	value, err := r.Get(key)
	if err != nil || value == nil {
		return t, err
	}
	return decodeTally[T](value)
}

func decodeTally[T any](value []byte) (t T, err error) {
	_, content, err := unseal(value, tallyVersion)
	if err != nil {
		return t, err
	}
	return t, parseJSON(content, &t)
}

// Tallies are what is counted of one player, against other players.
type Tallies struct {
	Conduct Conduct
	Sides   map[string]BySide // by game
	Against Score             // against one other player, in all games
}

// Conduct returns how many matches against other players a player has started and finished; zero for an unknown player.
func (s *Store) Conduct(ctx context.Context, id PlayerID) (c Conduct, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		c, err = readTally[Conduct](r, conductKey(id))
		return err
	})
	if err != nil {
		return Conduct{}, fmt.Errorf("storage: conduct of player %s: %w", id, err)
	}
	return c, nil
}

// Tallies returns what is counted of a player, and of the player against another one; zero for unknown players.
func (s *Store) Tallies(ctx context.Context, id, against PlayerID) (Tallies, error) {
	var t Tallies
	err := s.engine.View(ctx, func(r kv.Reader) (err error) {
		t.Sides = map[string]BySide{}
		if t.Conduct, err = readTally[Conduct](r, conductKey(id)); err != nil {
			return err
		}
		if t.Against, err = readTally[Score](r, tallies.key(string(id), againstTally, string(against))); err != nil {
			return err
		}
		prefix := tallies.key(string(id), sidesTally, "")
		for p, err := range r.Scan(kv.Prefix(prefix)) {
			if err != nil {
				return err
			}
			if t.Sides[string(p.Key[len(prefix):])], err = decodeTally[BySide](p.Value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Tallies{}, fmt.Errorf("storage: tallies of player %s: %w", id, err)
	}
	return t, nil
}

func conductKey(id PlayerID) []byte { return tallies.key(string(id), conductTally, "") }

// countRecords counts the next records. A record that can't be read counts nowhere.
func countRecords(tx kv.Tx, after []byte) (last []byte, err error) {
	var all []tallyChange
	last, err = step(tx, []kv.Range{finished.all()}, after, func(p kv.Pair) (int, error) {
		f, _, err := decodeRecord(MatchID(finished.rest(p.Key)), p.Value, false)
		if err == nil && f.Reason == reasonTimeout { // the times of the moves say who left
			f, _, err = decodeRecord(f.ID, p.Value, true)
		}
		if errors.Is(err, ErrDamaged) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		changed := tally(f)
		all = append(all, changed...)
		return len(changed), nil
	})
	if err != nil {
		return nil, err
	}
	return last, count(tx, all)
}
