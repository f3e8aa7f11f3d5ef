package schema

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// A counting engine counts the reads of single keys, and the reads of many keys.
type counting struct {
	kv.Store
	single, many int
}

func (c *counting) View(ctx context.Context, read func(kv.Reader) error) error {
	return c.Store.View(ctx, func(r kv.Reader) error { return read(countingReader{r, c}) })
}

type countingReader struct {
	kv.Reader
	c *counting
}

func (r countingReader) Get(key []byte) ([]byte, error) { r.c.single++; return r.Reader.Get(key) }

func (r countingReader) GetAll(keys [][]byte) ([][]byte, error) {
	r.c.many++
	return r.Reader.GetAll(keys)
}

// TestReadsOfLists: lists read the rows to which their entries lead together, because each read of a store on other machines is a request.
func TestReadsOfLists(t *testing.T) {
	c := &counting{Store: openEngine(t)}
	s, err := Open(t.Context(), c, Config{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	fill(t, c.Store, n, func(tx kv.Tx, i int) error {
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
	c.single, c.many = 0, 0
	rows, err := s.Results.Standings(t.Context(), "tanks")
	if err != nil || len(rows) != n-1 || rows[0].Name != "player0299" || rows[n-2].Name != "player0000" {
		t.Errorf("%d standings, %v", len(rows), err)
	}
	if c.single > 0 || c.many > 1 {
		t.Errorf("the standings take %d reads of a key and %d of many", c.single, c.many)
	}
	c.single, c.many = 0, 0
	matches, err := s.Results.History(t.Context(), results.HistoryQuery{Limit: 200})
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
	if c.single > 0 || c.many > 2 {
		t.Errorf("the history takes %d reads of a key and %d of many", c.single, c.many)
	}
	c.single, c.many = 0, 0
	points, err := s.Results.RatingHistory(t.Context(), "p0", "tanks", 50)
	if err != nil || len(points) != 50 || points[0].Rating != 150 || points[49].Rating != 297 {
		t.Errorf("%d points, %v", len(points), err)
	}
	if c.single > 0 || c.many > 2 {
		t.Errorf("the history of a rating takes %d reads of a key and %d of many", c.single, c.many)
	}
	c.single, c.many = 0, 0
	all, err := s.Results.Ratings(t.Context(), "p7")
	if err != nil || len(all) != 2 || all["tanks"].Rating != 1007 {
		t.Errorf("ratings %v, %v", all, err)
	}
	some, err := s.Results.RatingsIn(t.Context(), "tanks", []storage.PlayerID{"p1", "nobody", "p7"})
	if err != nil || len(some) != 2 || some["p7"].Rating != 1007 {
		t.Errorf("ratings %v, %v", some, err)
	}
	if c.single > 0 || c.many > 2 {
		t.Errorf("ratings of one game and of all take %d reads of a key and %d of many", c.single, c.many)
	}
}
