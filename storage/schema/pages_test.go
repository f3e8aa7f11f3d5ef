package schema

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// TestPages: pages of matches, put together, are the matches that a query asks for, the oldest first, whatever the pages hold.
func TestPages(t *testing.T) {
	s := openStore(t, Config{Rate: addScores})
	const n = 57
	at := sampleRecord().Ended
	ended := func(i int) time.Time { return at.Add(time.Duration(i/2) * time.Hour) } // two at the same moment
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			f := sampleRecord()
			f.ID, f.Game, f.Ended, f.Rated = storage.MatchID(fmt.Sprintf("m%02d", i)), []string{"tanks", "petteia"}[i%2], ended(i), i%3 != 0
			f.Moves[1] = "b1-b5"
			f.First.ID, f.Second = fmt.Sprint("p", i%5), storage.Occupant{Kind: storage.Person, ID: "q", Name: "Q"}
			number := uint64(0)
			if f.Rated {
				number = uint64(i)
				if err := results.Changes.Put(tx, number, &[2]results.RatingChange{{After: results.Rating{Rating: float64(i)}, Weight: 1}, {Weight: 1}}); err != nil {
					return err
				}
			}
			if err := results.Records.Put(tx, f.ID, results.Record{Finished: f, Number: number}); err != nil {
				return err
			}
			results.AddHistory(tx, f)
		}
		tx.Put(results.Records.Key("m31"), []byte("damaged"))
		results.Records.Delete(tx, "m33")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		query results.PageQuery
		want  func(i int) bool
	}{
		{"all", results.PageQuery{}, func(i int) bool { return true }},
		{"rated, whole", results.PageQuery{Rated: true, Whole: true}, func(i int) bool { return i%3 != 0 }},
		{"of a game", results.PageQuery{Game: "tanks"}, func(i int) bool { return i%2 == 0 }},
		{"of a player", results.PageQuery{Player: "p2"}, func(i int) bool { return i%5 == 2 }},
		{"in a time", results.PageQuery{Since: ended(10), Until: ended(20)}, func(i int) bool { return i >= 10 && i < 20 }},
		{"of nobody", results.PageQuery{Player: "nobody"}, func(i int) bool { return false }},
	} {
		for _, limit := range []int{1, 7, 1000} {
			var got, want []storage.MatchID
			for i := range n {
				if tt.want(i) && i != 31 && i != 33 {
					want = append(want, storage.MatchID(fmt.Sprintf("m%02d", i)))
				}
			}
			for q := tt.query; ; {
				q.Limit = limit
				found, next, err := s.Results.Page(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range found {
					got = append(got, r.ID)
					if (len(r.Moves) > 0) != q.Whole || r.Length != whole(t, s, r.ID).Notation().MovesLen() {
						t.Errorf("%s: %s has %d moves and a length of %d", tt.name, r.ID, len(r.Moves), r.Length)
					}
					if r.Rated && (r.Ratings == nil || fmt.Sprintf("m%02d", int(r.Ratings[0].After.Rating)) != string(r.ID)) {
						t.Errorf("%s: %s has the ratings %+v", tt.name, r.ID, r.Ratings)
					}
				}
				if next == (results.Cursor{}) {
					break
				}
				q.After = next
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d at a time: %q, want %q", tt.name, limit, got, want)
			}
		}
	}
	for _, limit := range []int{0, 1001} {
		if _, _, err := s.Results.Page(t.Context(), results.PageQuery{Limit: limit}); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
	first, ok, err := s.Results.FirstPlace(t.Context(), results.PageQuery{Game: "petteia", Since: ended(8)})
	if err != nil || !ok || first.ID != "m09" {
		t.Errorf("first %+v, %v, %v", first, ok, err)
	}
	if _, ok, err := s.Results.FirstPlace(t.Context(), results.PageQuery{Game: "petteia", Since: ended(n + 8)}); ok || err != nil {
		t.Errorf("first after the last: %v, %v", ok, err)
	}
}

// whole returns a match with its moves.
func whole(t *testing.T, s *Store, id storage.MatchID) results.Finished {
	t.Helper()
	r, err := s.Results.Record(t.Context(), id, true)
	if err != nil {
		t.Fatal(err)
	}
	return r.Finished
}
