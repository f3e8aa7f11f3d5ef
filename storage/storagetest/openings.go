package storagetest

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// openings compares counted openings with the openings of the plain model: after matches of all kinds, after results were taken out and counted
// again, few and many at once, and after everything was worked out anew.
func openings(t *testing.T, s Store) {
	ann, bob := person(signUp(t, s, "ann")), person(signUp(t, s, "bob"))
	model := NewMemory(Rate)
	const matches = 70
	options := []games.Options{{"rows": 8, "cols": 8}, {"rows": 9, "cols": 8}}
	left := map[storage.MatchID]results.Finished{} // of the matches that count
	for i := range matches {
		f := record(fmt.Sprintf("CODE%03d", i), []string{"tanks", "petteia"}[i%9/8], ann, bob, []string{"first", "draw", "second"}[i%3], i)
		if i%2 == 1 {
			f.First, f.Second = bob, ann
		}
		f.Options, f.Start = options[i%5/4], 0
		f.Moves = nil
		for ply := range 4 + i%12 {
			f.Moves = append(f.Moves, games.Move(fmt.Sprintf("m%d", (i>>(ply/2))%(2+ply%2))))
		}
		f.Plies, f.Times = len(f.Moves), make([]time.Time, len(f.Moves))
		for j := range f.Times {
			f.Times[j] = f.Started
		}
		switch i % 10 {
		case 7:
			f.Rated = false
		case 8:
			f.Second = guest
		case 9:
			f.Start = 1
		}
		id := storage.MatchID(fmt.Sprintf("m%03d", i))
		play(t, s, id, f)
		if f.Rated && f.Second != guest && f.Start == 0 {
			left[id] = f
		}
	}
	model.openings = left
	compare := func(when string) {
		t.Helper()
		lines := map[string][]games.Move{"": nil, "[nothing]": {"nothing"}}
		for _, f := range left {
			for n := range f.Plies + 1 {
				lines[fmt.Sprint(f.Moves[:n])] = f.Moves[:n]
			}
		}
		for _, game := range []string{"tanks", "petteia", "chess"} {
			for _, o := range options {
				for _, moves := range lines {
					got, err := s.Openings(t.Context(), game, o, moves)
					if err != nil {
						t.Fatal(err)
					}
					want, _ := model.Openings(t.Context(), game, o, moves)
					same(t, fmt.Sprintf("%s: the openings of %v of %s %v", when, moves, game, o), got, want)
				}
			}
		}
	}
	compare("as played")
	all := map[storage.MatchID]results.Finished{}
	var ids []storage.MatchID
	for i := range matches {
		id := storage.MatchID(fmt.Sprintf("m%03d", i))
		if f, ok := left[id]; ok {
			all[id] = f
		}
		if f, err := s.Finished(t.Context(), id); err == nil && f.Ratings != nil {
			ids = append(ids, id)
		}
	}
	without := func(out ...storage.MatchID) {
		left = map[storage.MatchID]results.Finished{}
		for id, f := range all {
			left[id] = f
		}
		for _, id := range out {
			delete(left, id)
		}
		model.openings = left
	}
	one := act(t, s, by("unrate", 200), operators.Change{Result: &operators.ResultChange{Match: ids[3]}})
	without(ids[3])
	compare("one unrated")
	several := act(t, s, by("unrate", 201), operators.Change{Results: &operators.ResultsChange{Matches: ids[:10]}})
	without(ids[:10]...)
	compare("several unrated")
	takeBack(t, s, several)
	without(ids[3])
	compare("several rated again")
	many := act(t, s, by("unrate", 202), operators.Change{Results: &operators.ResultsChange{Matches: ids}})
	without(ids...)
	compare("all unrated")
	takeBack(t, s, many)
	without(ids[3])
	compare("all rated again")
	if _, err := s.Recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare("worked out anew")
	takeBack(t, s, one)
	without()
	compare("as at first")
	if len(ids) <= 50 {
		t.Errorf("only %d matches: they take one transaction", len(ids))
	}
}
