package storagetest

import (
	"errors"
	"fmt"
	"testing"

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
