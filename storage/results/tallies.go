package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage"
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

	// TallyRules is the version of what counts. Open makes the tallies anew where they are of another one.
	TallyRules = 1
)

// A TallyKey names a tally of a player.
type TallyKey struct {
	Player storage.PlayerID
	Kind   string
	Of     string // a game, an opponent or nothing
}

// Kinds of tallies.
const (
	ConductTally = "conduct" // a Conduct
	sidesTally   = "sides"   // a BySide of a game
	againstTally = "against" // a Score against an opponent
)

// Tallies are what is counted of each player, as sealed JSON.
var Tallies = storage.Table[TallyKey, []byte]{
	Name: "tallies", Traits: storage.Traits{From: []string{"finished"}, Anew: true},
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Join(storage.Text[string](nil), storage.Text(func(string) bool { return true }),
		func(k TallyKey) (string, string) { return k.Kind, k.Of },
		func(kind, of string) TallyKey { return TallyKey{Kind: kind, Of: of} }),
		func(k TallyKey) (storage.PlayerID, TallyKey) { return k.Player, k },
		func(id storage.PlayerID, k TallyKey) TallyKey { return TallyKey{id, k.Kind, k.Of} }),
	Values: storage.Codec[TallyKey, []byte]{
		Encode: func(value []byte) ([]byte, error) { return value, nil },
		Decode: func(_ TallyKey, value []byte) ([]byte, error) { return bytes.Clone(value), nil },
	},
	Check: func(k TallyKey, value []byte) (err error) {
		switch k.Kind {
		case ConductTally:
			_, err = decodeTally[Conduct](value)
		case sidesTally:
			_, err = decodeTally[BySide](value)
		case againstTally:
			_, err = decodeTally[Score](value)
		default:
			err = storage.Damaged("a tally of %q", k.Kind)
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

// Add adds a result: 1 won, 0.5 drawn, 0 lost.
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

// AddTallies counts a match that has ended, for both players. f is a whole record.
func AddTallies(tx kv.Tx, f Finished) error {
	all := tally(f)
	if len(all) == 0 {
		return nil
	}
	now, err := storage.Indexed(tx, TalliesIndex, Records.Key(f.ID))
	if err != nil || !now {
		return err
	}
	return count(tx, all)
}

// A tallyChange is how a match that has ended changes one tally.
type tallyChange struct {
	key    TallyKey
	change func(stored []byte) (value []byte, err error)
}

// tally returns what a match that has ended changes. f is a whole record. Only matches between players count: others are forgotten one
// day. Odd positions say nothing of sides and players, so a match that began with given moves counts for conduct alone.
func tally(f Finished) (all []tallyChange) {
	seats := [2]storage.Occupant{f.First, f.Second}
	if f.Temporary || f.Result == "" || !f.First.Kind.HasAccount() || !f.Second.Kind.HasAccount() || f.First.ID == f.Second.ID {
		return nil
	}
	gone, left := leaver(f)
	for i, o := range seats {
		all = append(all, changeOf(TallyKey{storage.PlayerID(o.ID), ConductTally, ""}, func(c *Conduct) {
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
			changeOf(TallyKey{storage.PlayerID(o.ID), sidesTally, f.Game}, func(b *BySide) {
				if i == 0 {
					b.First.add(score)
				} else {
					b.Second.add(score)
				}
			}),
			changeOf(TallyKey{storage.PlayerID(o.ID), againstTally, seats[1-i].ID}, func(s *Score) { s.add(score) }))
	}
	return all
}

// changeOf is a change of the tally under a key.
func changeOf[T any](key TallyKey, change func(*T)) tallyChange {
	return tallyChange{key, func(stored []byte) (value []byte, err error) {
		var t T
		if stored != nil {
			if t, err = decodeTally[T](stored); err != nil {
				return nil, err
			}
		}
		change(&t)
		return storage.SealJSON(tallyVersion, t)
	}}
}

// count changes tallies.
func count(tx kv.Tx, all []tallyChange) error {
	var keys []TallyKey
	places := map[TallyKey]int{} // in keys
	for _, c := range all {
		if _, known := places[c.key]; !known {
			places[c.key] = len(keys)
			keys = append(keys, c.key)
		}
	}
	values, _, err := Tallies.FindAll(tx, keys)
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
		if err := Tallies.Put(tx, k, values[i]); err != nil {
			return err
		}
	}
	return nil
}

// readTally returns a tally, zero if nothing was counted.
func readTally[T any](r kv.Reader, k TallyKey) (t T, err error) {
	value, counted, err := Tallies.Find(r, k)
	if err != nil || !counted {
		return t, err
	}
	return decodeTally[T](value)
}

func decodeTally[T any](value []byte) (t T, err error) {
	content, err := storage.Unseal(value, tallyVersion)
	if err != nil {
		return t, err
	}
	return t, storage.ParseJSON(content, &t)
}

// A PlayerTally is what is counted of one player, against other players.
type PlayerTally struct {
	Conduct Conduct
	Sides   map[string]BySide // by game
	Against Score             // against one other player, in all games
}

// Conduct returns how many matches against other players a player has started and finished; zero for an unknown player.
func (s *Store) Conduct(ctx context.Context, id storage.PlayerID) (Conduct, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("conduct of player %s", id), func(r kv.Reader) (Conduct, error) {
		return readTally[Conduct](r, TallyKey{id, ConductTally, ""})
	})
}

// Tallies returns what is counted of a player, by side in some games, and of the player against another one; zero for unknown players. It makes one
// request.
func (s *Store) Tallies(ctx context.Context, id, against storage.PlayerID, games ...string) (PlayerTally, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("tallies of player %s", id), func(r kv.Reader) (t PlayerTally, err error) {
		keys := []TallyKey{{id, ConductTally, ""}, {id, againstTally, string(against)}}
		for _, game := range games {
			keys = append(keys, TallyKey{id, sidesTally, game})
		}
		values, there, err := Tallies.FindAll(r, keys)
		if err != nil {
			return t, err
		}
		t.Sides = map[string]BySide{}
		for i, k := range keys {
			if !there[i] {
				continue
			}
			switch k.Kind {
			case ConductTally:
				t.Conduct, err = decodeTally[Conduct](values[i])
			case againstTally:
				t.Against, err = decodeTally[Score](values[i])
			case sidesTally:
				t.Sides[k.Of], err = decodeTally[BySide](values[i])
			}
			if err != nil {
				return t, err
			}
		}
		return t, nil
	})
}

// CountRecords counts the next records. A record that can't be read counts nowhere.
func CountRecords(tx kv.Tx, after []byte) (last []byte, err error) {
	var all []tallyChange
	last, err = storage.Step(tx, []kv.Range{Records.All().Range}, after, func(p kv.Pair) (int, error) {
		e, err := RecordHeads.Entry(p.Key, p.Value)
		if err == nil && e.Value.Reason == reasonTimeout { // the times of the moves say who left
			e, err = Records.Entry(p.Key, p.Value)
		}
		if errors.Is(err, storage.ErrDamaged) {
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

// TalliesIndex is the marker of the index of tallies.
var TalliesIndex = storage.Cell[[]byte]{Name: "tallies", Values: storage.RawBytes(func([]byte) bool { return true })}
