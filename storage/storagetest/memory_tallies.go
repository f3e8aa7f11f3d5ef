package storagetest

import (
	"context"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Conduct implements Store.
func (m *Memory) Conduct(ctx context.Context, id storage.PlayerID) (results.Conduct, error) {
	t, err := m.Tallies(ctx, id, "")
	return t.Conduct, err
}

// Tallies implements Store: it counts the records anew each time.
func (m *Memory) Tallies(ctx context.Context, id, against storage.PlayerID, games ...string) (results.PlayerTally, error) {
	return find(m, ctx, func() (results.PlayerTally, bool) {
		t := results.PlayerTally{Sides: map[string]results.BySide{}}
		for _, f := range m.finished {
			people := f.First.Kind.HasAccount() && f.Second.Kind.HasAccount() && f.First.ID != f.Second.ID
			if f.Temporary || !people || !seated(id, f) {
				continue
			}
			t.Conduct.Started++
			if !left(id, f) {
				t.Conduct.Finished++
			}
			if f.Start > 0 {
				continue
			}
			sides, side, other := t.Sides[f.Game], "first", f.Second
			score := &sides.First
			if f.Second.ID == string(id) {
				score, side, other = &sides.Second, "second", f.First
			}
			add(score, f.Result, side)
			if slices.Contains(games, f.Game) {
				t.Sides[f.Game] = sides
			}
			if other.ID == string(against) {
				add(&t.Against, f.Result, side)
			}
		}
		return t, true
	})
}

func add(s *results.Score, result, side string) {
	switch result {
	case "draw":
		s.Drawn++
	case side:
		s.Won++
	default:
		s.Lost++
	}
}

// left reports whether a player left a match before its end: lost it by being away, or by making no move for a minute until the time
// was up.
func left(id storage.PlayerID, f results.Finished) bool {
	lost := f.Result == "first" && f.Second.ID == string(id) || f.Result == "second" && f.First.ID == string(id)
	return lost && (f.Reason == "abandoned" ||
		f.Reason == "timeout" && f.Ended.Sub(f.Times[len(f.Times)-1]) >= time.Minute)
}
