package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// Matches against computer players count for a practice rating of the player in the game. The last results are kept, each with what the level
// was measured at then, and the rating is worked out from them whenever it is wanted: no rating is stored, so none can differ from the results,
// also after the casual records have been forgotten.

// KeptPractice is how many of the last practice results are kept of a player in a game.
const KeptPractice = 100

// A PracticePrior is what is assumed of a player before the first practice match of a game: a strength on the scale of its levels.
type PracticePrior struct {
	Rating    float64 `json:"r"`
	Deviation float64 `json:"d"`
}

// A PracticeResult is a match against a level.
type PracticeResult struct {
	Match  storage.MatchID `json:"m"`
	Level  string          `json:"l"`
	Rating int             `json:"r"` // of the level at the time, on the scale of the game's levels
	Score  float64         `json:"s"` // the player's: 1, 0.5 or 0
	Ended  int64           `json:"t"` // milliseconds
}

// At returns when the match ended.
func (r PracticeResult) At() time.Time { return storage.FromMS(r.Ended) }

// A Practice is what is kept of a player's practice in a game. Its JSON form is the stored one.
type Practice struct {
	Prior  PracticePrior    `json:"p"`
	Played int              `json:"n"` // matches that counted, the forgotten ones among them
	Last   []PracticeResult `json:"l"` // the oldest first
}

// Forgotten returns how many results are no longer kept.
func (p Practice) Forgotten() int { return p.Played - len(p.Last) }

// after returns p with one more result. ok is false if the match has counted before.
func (p Practice) after(prior PracticePrior, r PracticeResult) (next Practice, ok bool) {
	if slices.ContainsFunc(p.Last, func(old PracticeResult) bool { return old.Match == r.Match }) {
		return p, false
	}
	if p.Played == 0 {
		p.Prior = prior
	}
	p.Played++
	p.Last = append(slices.Clone(p.Last), r)
	p.Last = p.Last[max(0, len(p.Last)-KeptPractice):]
	return p, true
}

// with returns the practice of a player who has this one and another one with two accounts: the results of both, in the order in which they ended.
// The account with more matches says what was assumed before.
func (p Practice) with(other Practice) Practice {
	if other.Played > p.Played {
		p, other = other, p
	}
	p.Played += other.Played
	p.Last = append(slices.Clone(p.Last), other.Last...)
	slices.SortStableFunc(p.Last, func(a, b PracticeResult) int { return int(a.Ended - b.Ended) })
	p.Last = p.Last[max(0, len(p.Last)-KeptPractice):]
	return p
}

// A PracticeMatch is how a finished match counts for the practice rating of the player in one of its seats.
type PracticeMatch struct {
	Player storage.PlayerID
	Prior  PracticePrior // if it is the player's first one in the game
	Level  string
	Rating int // of the level
	Score  float64
}

// A PracticeKey names the practice of a player in a game.
type PracticeKey struct {
	Player storage.PlayerID
	Game   string
}

// Practices are the practice of each player with a match that counted.
var Practices = storage.Table[PracticeKey, Practice]{
	Name: "practice",
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text[string](nil),
		func(k PracticeKey) (storage.PlayerID, string) { return k.Player, k.Game },
		func(id storage.PlayerID, game string) PracticeKey { return PracticeKey{id, game} }),
	Values: storage.JSON[PracticeKey, Practice](1),
	Check:  func(_ PracticeKey, p Practice) error { return p.check() },
}

// check reports what can't be of a practice.
func (p Practice) check() error {
	if len(p.Last) == 0 || len(p.Last) > KeptPractice || p.Played < len(p.Last) {
		return storage.Damaged("%d practice results of %d", len(p.Last), p.Played)
	}
	if !(p.Prior.Rating > -maxPractice && p.Prior.Rating < maxPractice) || !(p.Prior.Deviation > 0 && p.Prior.Deviation < maxPractice) {
		return storage.Damaged("a prior of %v with deviation %v", p.Prior.Rating, p.Prior.Deviation)
	}
	for _, r := range p.Last {
		if r.Match == "" || r.Level == "" || r.Rating < 0 || r.Rating > maxPractice || r.Score != 0 && r.Score != 0.5 && r.Score != 1 {
			return storage.Damaged("a score of %v against %q with %d", r.Score, r.Level, r.Rating)
		}
	}
	return nil
}

// maxPractice is more than any level is rated.
const maxPractice = 10_000

// addPractice counts a finished match for the practice rating, if it says that it counts and the player is known and not deleted.
func addPractice(tx kv.Tx, f Finished) error {
	m := f.Practice
	if m == nil || f.Temporary || f.Result == "" {
		return nil
	}
	p, known, err := accounts.Players.Find(tx, m.Player)
	if err != nil || !known || !p.Deleted.IsZero() {
		return err
	}
	key := PracticeKey{m.Player, f.Game}
	before, _, err := Practices.Find(tx, key)
	if err != nil {
		return err
	}
	after, ok := before.after(m.Prior, PracticeResult{f.ID, m.Level, m.Rating, m.Score, f.Ended.UnixMilli()})
	if !ok {
		return nil
	}
	if err := after.check(); err != nil {
		return fmt.Errorf("%w: %w", storage.ErrInvalid, err)
	}
	return Practices.Put(tx, key, after)
}

// ErasePractice deletes the practice of a player.
func ErasePractice(tx kv.Tx, id storage.PlayerID) error { return Practices.DeleteUnder(tx, string(id)) }

// Practice returns the practice of a player with these accounts, by the ids of the games.
func (s *Store) Practice(ctx context.Context, ids ...storage.PlayerID) (map[string]Practice, error) {
	return storage.View(ctx, s.engine, "practice of a player", func(r kv.Reader) (map[string]Practice, error) {
		all := map[string]Practice{}
		for _, id := range ids {
			for e, err := range Practices.Under(string(id)).Scan(r) {
				if err != nil {
					return nil, err
				}
				game := e.Key.Game
				if old, ok := all[game]; ok {
					all[game] = old.with(e.Value)
				} else {
					all[game] = e.Value
				}
			}
		}
		return all, nil
	})
}
