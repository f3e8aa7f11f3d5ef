package storagetest

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// seasonsOf works out what is kept of players in seasons from whole records, in the order in which they were rated.
func seasonsOf(rated []results.Finished) map[results.SeasonKey]results.SeasonRecord {
	all := map[results.SeasonKey]results.SeasonRecord{}
	for _, f := range rated {
		for i, id := range []string{f.First.ID, f.Second.ID} {
			c := f.Ratings[i]
			if c.Weight == 0 {
				continue
			}
			month := f.Ended.UTC().Month()
			quarter := map[bool]int{true: 1}[month < time.April] + map[bool]int{true: 2}[month >= time.April && month < time.July] +
				map[bool]int{true: 3}[month >= time.July && month < time.October] + map[bool]int{true: 4}[month >= time.October]
			k := results.SeasonKey{Season: results.Season(fmt.Sprintf("%dQ%d", f.Ended.UTC().Year(), quarter)), Game: f.Game, Player: storage.PlayerID(id)}
			r, begun := all[k]
			if !begun {
				r.Before = [4]int{c.Before.Played, c.Before.Won, c.Before.Drawn, c.Before.Lost}
			}
			r.After = [4]int{c.After.Played, c.After.Won, c.After.Drawn, c.After.Lost}
			r.Rating, r.RD = c.After.Rating, c.After.Deviation
			if c.After.Deviation <= 110 && (!c.After.NeedsOpponents || c.After.Opponents >= 5 && c.After.Blocks >= 3) && c.After.Rating > r.Best {
				r.Best = c.After.Rating
			}
			all[k] = r
		}
	}
	return all
}

// SeasonStandings implements Store.
func (m *Memory) SeasonStandings(ctx context.Context, season results.Season, game string) ([]results.SeasonStanding, error) {
	return find(m, ctx, func() (rows []results.SeasonStanding, ok bool) {
		for k, r := range m.seasons() {
			if k.Season == season && k.Game == game {
				rows = append(rows, results.SeasonStanding{Player: k.Player, Name: m.players[k.Player].Name, Record: r})
			}
		}
		results.SortSeason(rows)
		return rows, true
	})
}

// seasons works the seasons out anew. The caller holds the lock.
func (m *Memory) seasons() map[results.SeasonKey]results.SeasonRecord {
	all := map[results.SeasonKey]results.SeasonRecord{}
	for id, rated := range m.rated {
		for k, r := range seasonsOf(rated) {
			if string(k.Player) == id {
				all[k] = r
			}
		}
	}
	return all
}

// seasons compares the seasons with what the records say: as played, after results were taken out and counted again, and worked out anew.
func seasons(t *testing.T, s Store) {
	players := []storage.Occupant{person(signUp(t, s, "ann")), person(signUp(t, s, "bob")), person(signUp(t, s, "cid"))}
	const matches = 40
	var ids []storage.MatchID
	for i := range matches {
		f := record(fmt.Sprintf("CODE%03d", i), []string{"tanks", "petteia"}[i%7/6], players[i%3], players[(i+1+i%2)%3], []string{"first", "draw", "first", "second"}[i%4], i)
		later := time.Duration(i) * 9 * 24 * time.Hour // over five seasons
		f.Started, f.Ended = f.Started.Add(later), f.Ended.Add(later)
		for n := range f.Times {
			f.Times[n] = f.Times[n].Add(later)
		}
		if i%10 == 9 {
			f.Rated = false
		}
		id := storage.MatchID(fmt.Sprintf("m%03d", i))
		play(t, s, id, f)
		ids = append(ids, id)
	}
	compare := func(when string) {
		t.Helper()
		var rated []results.Finished
		for _, id := range ids {
			f, err := s.Finished(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if f.Ratings != nil {
				rated = append(rated, f)
			}
		}
		want := seasonsOf(rated)
		best := 0
		kinds := map[[2]string]bool{{"2001Q1", "tanks"}: true}
		for k, r := range want {
			kinds[[2]string{string(k.Season), k.Game}] = true
			if r.Best > 0 {
				best++
			}
		}
		if best < 3 && when != "all unrated" || len(want) < 20 && when != "all unrated" {
			t.Errorf("%s: only %d seasons of players, %d with a best", when, len(want), best)
		}
		got := map[results.SeasonKey]results.SeasonRecord{}
		for _, p := range players {
			seasons := []results.Season{"2001Q1"}
			for k := range want {
				seasons = append(seasons, k.Season)
			}
			all, err := s.Ratings(t.Context(), storage.PlayerID(p.ID), everyGame, seasons...)
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(got, all.Seasons)
		}
		same(t, when+": the seasons of players", got, want)
		for kind := range kinds {
			rows, err := s.SeasonStandings(t.Context(), results.Season(kind[0]), kind[1])
			if err != nil {
				t.Fatal(err)
			}
			var all []results.SeasonStanding
			for k, r := range want {
				if string(k.Season) == kind[0] && k.Game == kind[1] {
					p, err := s.Player(t.Context(), k.Player)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, results.SeasonStanding{Player: k.Player, Name: p.Name, Record: r})
				}
			}
			results.SortSeason(all)
			same(t, fmt.Sprintf("%s: the standings of %v", when, kind), rows, all)
		}
	}
	compare("as played")
	rated := func(from, to int) (some []storage.MatchID) {
		for _, id := range ids[from:to] {
			if f, err := s.Finished(t.Context(), id); err == nil && f.Ratings != nil {
				some = append(some, id)
			}
		}
		return some
	}
	all := rated(0, matches)
	one := act(t, s, by("unrate", 200), operators.Change{Results: &operators.ResultsChange{Matches: rated(2, 6)}})
	compare("some unrated")
	takeBack(t, s, one)
	compare("rated again")
	act(t, s, by("unrate", 201), operators.Change{Results: &operators.ResultsChange{Matches: all}})
	compare("all unrated")
	if _, err := s.Recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare("all unrated")
}
