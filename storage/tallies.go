package storage

import (
	"bytes"
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
)

// A tallyKey names a tally of a player.
type tallyKey struct {
	player PlayerID
	kind   string
	of     string // a game, an opponent or nothing
}

// Kinds of tallies.
const (
	conductTally = "conduct" // a Conduct
	sidesTally   = "sides"   // a BySide of a game
	againstTally = "against" // a Score against an opponent
)

// tallies are what is counted of each player, as sealed JSON.
var tallies = Table[tallyKey, []byte]{
	Name: "tallies", Traits: Traits{From: []string{"finished"}, Anew: true},
	Keys: Join(Text(isPlayerID), Join(Text[string](nil), Text(func(string) bool { return true }),
		func(k tallyKey) (string, string) { return k.kind, k.of },
		func(kind, of string) tallyKey { return tallyKey{kind: kind, of: of} }),
		func(k tallyKey) (PlayerID, tallyKey) { return k.player, k },
		func(id PlayerID, k tallyKey) tallyKey { return tallyKey{id, k.kind, k.of} }),
	Values: Codec[tallyKey, []byte]{
		Encode: func(value []byte) ([]byte, error) { return value, nil },
		Decode: func(_ tallyKey, value []byte) ([]byte, error) { return bytes.Clone(value), nil },
	},
	Check: func(k tallyKey, value []byte) (err error) {
		switch k.kind {
		case conductTally:
			_, err = decodeTally[Conduct](value)
		case sidesTally:
			_, err = decodeTally[BySide](value)
		case againstTally:
			_, err = decodeTally[Score](value)
		default:
			err = damaged("a tally of %q", k.kind)
		}
		return err
	},
}

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
	now, err := indexed(tx, talliesIndex, finished.key(f.ID))
	if err != nil || !now {
		return err
	}
	return count(tx, all)
}

// A tallyChange is how a match that has ended changes one tally.
type tallyChange struct {
	key    tallyKey
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
		all = append(all, changeOf(tallyKey{PlayerID(o.ID), conductTally, ""}, func(c *Conduct) {
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
			changeOf(tallyKey{PlayerID(o.ID), sidesTally, f.Game}, func(b *BySide) {
				if i == 0 {
					b.First.add(score)
				} else {
					b.Second.add(score)
				}
			}),
			changeOf(tallyKey{PlayerID(o.ID), againstTally, seats[1-i].ID}, func(s *Score) { s.add(score) }))
	}
	return all
}

// changeOf is a change of the tally under a key.
func changeOf[T any](key tallyKey, change func(*T)) tallyChange {
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
	var keys []tallyKey
	places := map[tallyKey]int{} // in keys
	for _, c := range all {
		if _, known := places[c.key]; !known {
			places[c.key] = len(keys)
			keys = append(keys, c.key)
		}
	}
	values, _, err := tallies.FindAll(tx, keys)
	if err != nil {
		return err
	}
	for _, c := range all {
		v := &values[places[c.key]]
		if *v, err = c.change(*v); err != nil {
			return err
		}
	}
	for i, k := range keys {
		if err := tallies.Put(tx, k, values[i]); err != nil {
			return err
		}
	}
	return nil
}

// readTally returns a tally, zero if nothing was counted.
func readTally[T any](r kv.Reader, k tallyKey) (t T, err error) {
	value, counted, err := tallies.Find(r, k)
	if err != nil || !counted {
		return t, err
	}
	return decodeTally[T](value)
}

func decodeTally[T any](value []byte) (t T, err error) {
	content, err := unseal(value, tallyVersion)
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
func (s *ResultStore) Conduct(ctx context.Context, id PlayerID) (Conduct, error) {
	return view(ctx, s.engine, fmt.Sprintf("conduct of player %s", id), func(r kv.Reader) (Conduct, error) {
		return readTally[Conduct](r, tallyKey{id, conductTally, ""})
	})
}

// Tallies returns what is counted of a player, and of the player against another one; zero for unknown players.
func (s *ResultStore) Tallies(ctx context.Context, id, against PlayerID) (Tallies, error) {
	return view(ctx, s.engine, fmt.Sprintf("tallies of player %s", id), func(r kv.Reader) (t Tallies, err error) {
		t.Sides = map[string]BySide{}
		if t.Conduct, err = readTally[Conduct](r, tallyKey{id, conductTally, ""}); err != nil {
			return t, err
		}
		if t.Against, err = readTally[Score](r, tallyKey{id, againstTally, string(against)}); err != nil {
			return t, err
		}
		for e, err := range tallies.Scan(r, tallies.Under(string(id), sidesTally)) {
			if err != nil {
				return t, err
			}
			if t.Sides[e.Key.of], err = decodeTally[BySide](e.Value); err != nil {
				return t, err
			}
		}
		return t, nil
	})
}

// countRecords counts the next records. A record that can't be read counts nowhere.
func countRecords(tx kv.Tx, after []byte) (last []byte, err error) {
	var all []tallyChange
	last, err = step(tx, []kv.Range{finished.Under()}, after, func(p kv.Pair) (int, error) {
		e, err := recordHeads.entry(p.Key, p.Value)
		if err == nil && e.Value.Reason == reasonTimeout { // the times of the moves say who left
			e, err = finished.entry(p.Key, p.Value)
		}
		if errors.Is(err, ErrDamaged) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		changed := tally(e.Value.Finished)
		all = append(all, changed...)
		return len(changed), nil
	})
	if err != nil {
		return nil, err
	}
	return last, count(tx, all)
}

// talliesIndex is the marker of the index of tallies.
var talliesIndex = Cell[[]byte]{Name: "tallies", Values: rawBytes(func([]byte) bool { return true })}
