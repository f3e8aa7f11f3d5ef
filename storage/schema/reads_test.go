package schema

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/results"
)

// TestReadsOfLists: lists read the rows to which their entries lead together, because each read of a store on other machines is a request.
func TestReadsOfLists(t *testing.T) {
	engine := openEngine(t)
	s, err := Open(t.Context(), kvtest.Counting{Store: engine}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	fill(t, engine, n, func(tx kv.Tx, i int) error {
		name := fmt.Sprintf("player%04d", i)
		p := accounts.Player{ID: storage.PlayerID(fmt.Sprintf("p%d", i)), Name: name, NameKey: name}
		if i == 7 {
			p.Deleted = time.UnixMilli(1)
		}
		tx.Put(results.Ratings.Key(results.RatingKey{Game: "tanks", Player: p.ID}), encodeRating(results.Rating{Rating: float64(1000 + i)}))
		tx.Put(results.Ratings.Key(results.RatingKey{Game: []string{"petteia", "momentum"}[i%2], Player: p.ID}), encodeRating(results.Rating{Rating: 1500}))
		f, number := recordOf(i), uint64(0)
		if i%3 == 0 {
			number = uint64(i + 1)
			tx.Put(results.Changes.Key(number), encodeChanges([2]results.RatingChange{{After: results.Rating{Rating: float64(i)}, Weight: 1}, {}}))
			value, err := storage.SealJSON(results.ResultVersion, results.Result{Match: f.ID, Game: "tanks", First: "p0", Second: "p1", Result: "draw", Rules: results.WholeRules})
			if err != nil {
				return err
			}
			tx.Put(results.Results.Key(number), value)
			results.PutResultIndex(tx, number, results.Result{Game: "tanks", First: "p0", Second: "p1"})
		}
		record, err := encodeRecord(f, number)
		tx.Put(results.Records.Key(f.ID), record)
		results.AddHistory(tx, f)
		return errors.Join(err, accounts.Players.Put(tx, p.ID, p))
	})
	ctx, requests := kvtest.Count(t.Context())
	rows, err := s.Results.Standings(ctx, "tanks")
	if err != nil || len(rows) != n-1 || rows[0].Name != "player0299" || rows[n-2].Name != "player0000" {
		t.Errorf("%d standings, %v", len(rows), err)
	}
	takes := func(what string, most int) {
		t.Helper()
		if got := requests.Take(); got < 1 || got > most {
			t.Errorf("%s takes %d requests, want at most %d", what, got, most)
		}
	}
	takes("a leaderboard", 4)
	matches, err := s.Results.History(ctx, results.HistoryQuery{Limit: 200})
	if err != nil || len(matches) != 200 || matches[0].ID != "m0299" {
		t.Fatalf("%d matches, %v", len(matches), err)
	}
	for _, f := range matches {
		var number float64
		if _, err := fmt.Sscanf(string(f.ID), "m%f", &number); err != nil {
			t.Fatal(err)
		}
		if rated := int(number)%3 == 0; rated != (f.Ratings != nil) || rated && f.Ratings[0].After.Rating != number {
			t.Errorf("match %s has the ratings %v", f.ID, f.Ratings)
		}
	}
	takes("history", 3)
	for _, q := range []results.SearchQuery{{Limit: 200}, {Limit: 200, Outcome: results.FirstWon}, {Limit: 200, With: "p1"}} {
		if _, err := s.Results.Search(ctx, q); err != nil {
			t.Fatal(err)
		}
		takes(fmt.Sprintf("a step of the search for %+v", q), 3)
	}
	points, err := s.Results.RatingHistory(ctx, "p0", []string{"momentum", "tanks"}, 50)
	if err != nil || len(points) != 50 || points[0].Rating != 150 || points[49].Rating != 297 {
		t.Errorf("%d points, %v", len(points), err)
	}
	takes("the history of two ratings", 3)
	all, err := s.Results.Ratings(ctx, "p7", []string{"tanks", "petteia", "momentum"}, "2026Q1", "2026Q2")
	if err != nil || len(all.Now) != 2 || all.Now["tanks"].Rating != 1007 {
		t.Errorf("ratings %v, %v", all, err)
	}
	takes("all ratings of a player", 1)
	some, err := s.Results.RatingsIn(ctx, "tanks", []storage.PlayerID{"p1", "nobody", "p7"})
	if err != nil || len(some) != 2 || some["p7"].Rating != 1007 {
		t.Errorf("ratings %v, %v", some, err)
	}
	takes("ratings of one game", 1)
	if _, err := s.Results.Tallies(ctx, "p0", "p1", "tanks", "petteia"); err != nil {
		t.Fatal(err)
	}
	takes("what is counted of a player", 1)
}
