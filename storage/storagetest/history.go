package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

func historyPages(t *testing.T, s Store) {
	ann, bob := person(signUp(t, s, "ann")), person(signUp(t, s, "bob"))
	model := NewMemory(Rate)
	for i := range 24 {
		first, second := [][2]storage.Occupant{{ann, bob}, {bob, guest}, {robot, ann}, {ann, ann}}[i%4][0],
			[][2]storage.Occupant{{ann, bob}, {bob, guest}, {robot, ann}, {ann, ann}}[i%4][1]
		game := []string{"tanks", "petteia", "tank"}[i%3]
		f := record(fmt.Sprintf("CODE%02d", i), game, first, second, []string{"first", "draw", "second", "first", ""}[i%5], i/2)
		f.Rated = false
		id := storage.MatchID(fmt.Sprintf("m%d", i*7%24)) // some end in the same millisecond, ids in another order
		play(t, s, id, f)
		play(t, model, id, f)
	}
	players := []storage.PlayerID{"", storage.PlayerID(ann.ID), storage.PlayerID(bob.ID), "nobody", storage.PlayerID(guest.ID)}
	for _, player := range players {
		for _, game := range []string{"", "tanks", "petteia", "tank", "chess"} {
			for _, limit := range []int{1, 3, 1000} {
				comparePages(t, s, model, results.HistoryQuery{Player: player, Game: game, Limit: limit})
			}
		}
	}
	for _, q := range []results.HistoryQuery{{}, {Limit: -1}, {Limit: 1001}, {Limit: 1, Game: "a\x00b"}} {
		if rows, err := s.History(t.Context(), q); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("History(%+v) = %d rows, %v, want ErrInvalid", q, len(rows), err)
		}
	}
}

// comparePages reads a whole list page by page from both stores.
func comparePages(t tb, s, model Store, q results.HistoryQuery) {
	t.Helper()
	seen := map[storage.MatchID]bool{}
	for {
		got, err := s.History(t.Context(), q)
		if err != nil {
			t.Fatalf("History(%+v): %v", q, err)
		}
		want, err := model.History(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("History(%+v)", q), got, want)
		if t.Failed() || len(got) == 0 {
			return
		}
		for _, f := range got {
			if seen[f.ID] {
				t.Fatalf("match %s is on two pages", f.ID)
			}
			seen[f.ID] = true
		}
		last := got[len(got)-1]
		q.Before = results.Cursor{Ended: last.Ended, ID: last.ID}
	}
}

// searching compares searches with searches of a naive store: whatever the steps are, the same matches are found.
func searching(t *testing.T, s Store) {
	ann, bob := person(signUp(t, s, "ann")), person(signUp(t, s, "bob"))
	model := NewMemory(Rate)
	openings := [][]games.Move{nil, {"d4"}, {"d4", "c3"}, {"d4", "c3", "b2"}, {"c3", "d4", "b2"}}
	for i := range 240 {
		seats := [][2]storage.Occupant{{ann, bob}, {bob, ann}, {bob, guest}, {robot, ann}, {guest, robot}}[i%5]
		f := record(fmt.Sprintf("CODE%03d", i), []string{"tanks", "petteia"}[i/5%2], seats[0], seats[1], []string{"first", "draw", "second"}[i%3], i/2)
		f.Rated = false
		f.Moves = openings[i%7%5]
		f.Plies, f.Start = len(f.Moves), 0
		if i%11 == 0 {
			f.From = "a position"
		}
		f.Times = make([]time.Time, f.Plies)
		for j := range f.Times {
			f.Times[j] = f.Started
		}
		id := storage.MatchID(fmt.Sprintf("m%d", i*7%240)) // some end in the same millisecond, ids in another order
		play(t, s, id, f)
		play(t, model, id, f)
	}
	a, b := storage.PlayerID(ann.ID), storage.PlayerID(bob.ID)
	for _, q := range []results.SearchQuery{
		{}, {Player: a}, {Player: a, With: b}, {With: b}, {Player: b, With: b}, {Player: a, With: "nobody"}, {Player: b, Outcome: results.Won}, {Player: b, Outcome: results.Lost},
		{Player: a, Outcome: results.Drawn}, {Outcome: results.FirstWon, Game: "tanks"}, {Player: a, Outcome: results.SecondWon}, {Since: minute(60)}, {Since: minute(1000)},
		{Opening: []games.Move{"d4"}}, {Opening: []games.Move{"d4", "c3"}, Player: a, With: b, Game: "petteia", Outcome: results.Lost, Since: minute(20)},
		{Opening: []games.Move{"c3", "d4", "b2", "a1"}},
	} {
		for _, limit := range []int{1, 7, 1000} {
			q.Limit = limit
			got, want := searchAll(t, s, q), searchAll(t, model, q)
			same(t, fmt.Sprintf("Search(%+v)", q), got, want)
		}
	}
	for _, q := range []results.SearchQuery{{}, {Limit: 1001}, {Limit: 1, Game: "a\x00b"}, {Limit: 1, Outcome: results.Won}, {Limit: 1, Outcome: "nothing"}} {
		if page, err := s.Search(t.Context(), q); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("Search(%+v) = %+v, %v, want ErrInvalid", q, page, err)
		}
	}
}

// searchAll goes through all steps of a search.
func searchAll(t tb, s Store, q results.SearchQuery) (all []results.Finished) {
	t.Helper()
	for range 1000 {
		page, err := s.Search(t.Context(), q)
		if err != nil || len(page.Found) > q.Limit {
			t.Fatalf("Search(%+v): %d found, %v", q, len(page.Found), err)
		}
		if all = append(all, page.Found...); page.Next == (results.Cursor{}) {
			return all
		}
		q.Before = page.Next
	}
	t.Fatalf("Search(%+v) has no end", q)
	return nil
}
