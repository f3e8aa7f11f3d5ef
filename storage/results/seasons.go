package results

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// Seasons are quarters of the calendar, by UTC. A rated match counts in the season of its end. What is kept of a player in a season follows from the
// changes of ratings alone, and taking in a change twice, or changes in another order, makes no difference: so the index of seasons may be made
// while matches end.

// SeasonRules is the version of what counts. Open makes the seasons anew where they are of another one.
const SeasonRules = 1

// SeasonDeviation is the deviation up to which a rating can be the best of a season: above, it is provisional.
const SeasonDeviation = 110.0

// A Season is a quarter of a year, such as 2026Q4.
type Season string

// SeasonOf returns the season of a time.
func SeasonOf(t time.Time) Season {
	t = t.UTC()
	return Season(fmt.Sprintf("%04dQ%d", t.Year(), (int(t.Month())+2)/3))
}

// ParseSeason reads the text of a season; ok is false if it is none.
func ParseSeason(text string) (s Season, ok bool) {
	if len(text) != len("2026Q4") || text[4] != 'Q' || text[5] < '1' || text[5] > '4' {
		return "", false
	}
	year, err := strconv.Atoi(text[:4])
	return Season(text), err == nil && year > 0 && fmt.Sprintf("%04d", year) == text[:4]
}

// Begins returns when a season that ParseSeason has read begins.
func (s Season) Begins() time.Time {
	year, _ := strconv.Atoi(string(s[:4])) // ParseSeason has seen that it is a number
	return time.Date(year, time.Month(3*int(s[5]-'0')-2), 1, 0, 0, 0, 0, time.UTC)
}

// Before returns the season before.
func (s Season) Before() Season { return SeasonOf(s.Begins().Add(-time.Hour)) }

// Ends returns when a season ends.
func (s Season) Ends() time.Time { return s.Begins().AddDate(0, 3, 0) }

// A SeasonKey names what is kept of a player in a game and a season.
type SeasonKey struct {
	Season Season
	Game   string
	Player storage.PlayerID
}

// A SeasonRecord is what is kept of a player in a game and a season.
type SeasonRecord struct {
	Best   float64 `json:"best,omitempty"` // the highest rating that was not provisional; 0: none
	Rating float64 `json:"rating"`         // after the last match
	RD     float64 `json:"rd"`             // its deviation then
	Before [4]int  `json:"before"`         // matches played, won, drawn and lost before the first one of the season
	After  [4]int  `json:"after"`          // and after the last one
}

func counts(r Rating) [4]int { return [4]int{r.Played, r.Won, r.Drawn, r.Lost} }

// Counted returns how many matches were played, won, drawn and lost in the season.
func (s SeasonRecord) Counted() (played, won, drawn, lost int) {
	return s.After[0] - s.Before[0], s.After[1] - s.Before[1], s.After[2] - s.Before[2], s.After[3] - s.Before[3]
}

// with returns the record with a change of the rating in the season.
func (s SeasonRecord) with(c RatingChange) SeasonRecord {
	if s == (SeasonRecord{}) || c.Before.Played < s.Before[0] {
		s.Before = counts(c.Before)
	}
	if c.After.Played > s.After[0] {
		s.After, s.Rating, s.RD = counts(c.After), c.After.Rating, c.After.Deviation
	}
	if c.After.Deviation <= SeasonDeviation && c.After.HasOpponents() {
		s.Best = max(s.Best, c.After.Rating)
	}
	return s
}

// Seasons are what is kept of players in games and seasons.
var Seasons = storage.Table[SeasonKey, SeasonRecord]{
	Name: "seasons", Values: storage.JSON[SeasonKey, SeasonRecord](1), Traits: storage.Traits{From: []string{"results"}, Anew: true},
	Keys: storage.Join(storage.Text(func(text string) bool { _, ok := ParseSeason(text); return ok }), storage.Join(storage.Text[string](nil), storage.Text(storage.IsPlayerID),
		func(k SeasonKey) (string, storage.PlayerID) { return k.Game, k.Player },
		func(game string, id storage.PlayerID) SeasonKey { return SeasonKey{Game: game, Player: id} }),
		func(k SeasonKey) (string, SeasonKey) { return string(k.Season), k },
		func(season string, k SeasonKey) SeasonKey { return SeasonKey{Season(season), k.Game, k.Player} }),
	Check: func(_ SeasonKey, s SeasonRecord) error {
		if played, won, drawn, lost := s.Counted(); played < 1 || min(won, drawn, lost) < 0 || won+drawn+lost != played {
			return storage.Damaged("a season of %d matches: %d, %d, %d", played, won, drawn, lost)
		}
		return nil
	},
}

// SeasonsIndex is the marker of the index of seasons.
var SeasonsIndex = storage.Cell[[]byte]{Name: "seasons", Values: storage.RawBytes(func([]byte) bool { return true })}

// seasonChanges are changes of ratings, by what is kept of them.
type seasonChanges map[SeasonKey][]RatingChange

// add adds the changes of a result, and returns how many count.
func (s seasonChanges) add(r Result, changes [2]RatingChange) (n int) {
	season := SeasonOf(storage.FromMS(r.Ended))
	for i, id := range r.Players() {
		if changes[i].Weight > 0 {
			k := SeasonKey{season, r.Game, id}
			s[k] = append(s[k], changes[i])
			n++
		}
	}
	return n
}

// apply adds the changes to what is kept.
func (s seasonChanges) apply(tx kv.Tx) error {
	keys := slices.SortedFunc(maps.Keys(s), func(a, b SeasonKey) int {
		return cmp.Or(cmp.Compare(a.Season, b.Season), cmp.Compare(a.Game, b.Game), cmp.Compare(a.Player, b.Player))
	})
	all, _, err := Seasons.FindAll(tx, keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		for _, c := range s[k] {
			all[i] = all[i].with(c)
		}
		if err := Seasons.Put(tx, k, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// SeasonsBuild makes the seasons anew if they aren't of the present version.
func SeasonsBuild() storage.Index {
	return storage.Index{What: "seasons", Table: Seasons, Marker: SeasonsIndex, Version: fmt.Sprint(SeasonRules), Step: countAllSeasons}
}

// countAllSeasons takes in the next results.
func countAllSeasons(tx kv.Tx, after []byte) (last []byte, err error) {
	all := seasonChanges{}
	last, err = storage.Step(tx, []kv.Range{Results.All().Range}, after, func(p kv.Pair) (int, error) {
		e, err := Results.Entry(p.Key, p.Value)
		if err != nil {
			return 0, unlessDamaged(err)
		}
		changes, found, err := Changes.Find(tx, e.Key)
		if err != nil || !found {
			return 1, unlessDamaged(err)
		}
		return 1 + all.add(e.Value, *changes), nil
	})
	if err != nil {
		return nil, err
	}
	return last, all.apply(tx)
}

// writeSeasons writes what follows from all results where it is wrong.
func (r *replay) writeSeasons(tx kv.Tx) error {
	seen := make(map[SeasonKey]bool, len(r.seasons))
	var extra []SeasonKey
	for p, err := range tx.Scan(Seasons.All().Range) {
		if err != nil {
			return err
		}
		k, ok := Seasons.Parse(p.Key)
		if !ok {
			return storage.Damaged("a season without a player")
		}
		if right, ok := r.seasons[k]; !ok {
			extra = append(extra, k)
		} else if now, err := Seasons.Values.Decode(k, p.Value); err == nil && now == right { // a damaged one is written anew
			seen[k] = true
		}
	}
	for _, k := range extra {
		Seasons.Delete(tx, k)
	}
	for k, right := range r.seasons {
		if seen[k] {
			continue
		}
		if err := Seasons.Put(tx, k, right); err != nil {
			return err
		}
	}
	return nil
}

// A SeasonStanding is a player's line in the ratings of a game and a season.
type SeasonStanding struct {
	Player storage.PlayerID
	Name   string
	Engine bool `json:",omitzero"` // it is a computer account
	Record SeasonRecord
}

// SeasonStandings returns all players with a rated match that counted in a game and a season and who are not deleted: the best rating of the
// season first, equal ones by id.
func (s *Store) SeasonStandings(ctx context.Context, season Season, game string) ([]SeasonStanding, error) {
	rows, err := storage.View(ctx, s.engine, fmt.Sprintf("standings of %s in %s", game, season), func(r kv.Reader) (rows []SeasonStanding, err error) {
		played, err := Seasons.Under(string(season), game).Entries(r)
		if err != nil {
			return nil, err
		}
		ids := make([]storage.PlayerID, len(played))
		for i, e := range played {
			ids[i] = e.Key.Player
		}
		known, there, err := accounts.Players.FindAll(r, ids)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", storage.ErrDamaged, err)
		}
		for i, e := range played {
			if there[i] && known[i].Deleted.IsZero() {
				rows = append(rows, SeasonStanding{Player: ids[i], Name: known[i].Name, Engine: known[i].Kind() == storage.Engine, Record: e.Value})
			}
		}
		return rows, nil
	})
	SortSeason(rows)
	return rows, err
}

// SortSeason sorts standings: the best rating of the season first, equal ones by id.
func SortSeason(rows []SeasonStanding) {
	slices.SortFunc(rows, func(a, b SeasonStanding) int {
		return cmp.Or(cmp.Compare(b.Record.Best, a.Record.Best), cmp.Compare(a.Player, b.Player))
	})
}
