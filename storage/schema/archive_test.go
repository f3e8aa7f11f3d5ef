package schema

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// TestArchive: pages of the archive, put together, are the matches that everybody may see, in the order of their ids, with what everybody may know of them.
func TestArchive(t *testing.T) {
	s := openStore(t, Config{Rate: addScores})
	ann, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: "Ann", NameKey: "ann", Since: sampleTime}, "SHA256:ann")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: "Bob", NameKey: "bob", Since: sampleTime}, "SHA256:bob")
	if err != nil {
		t.Fatal(err)
	}
	const n = 30
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			f := sampleRecord()
			f.ID, f.Rated, f.Public = storage.MatchID(fmt.Sprintf("m%02d", i)), i%3 == 0, i%5 == 0
			f.Moves[1] = "b1-b5"
			f.First, f.Second = storage.Occupant{Kind: storage.Person, ID: string(ann.ID), Name: "Ann"}, storage.Occupant{Kind: storage.Person, ID: string(bob.ID), Name: "Bob"}
			if i%2 == 1 {
				f.Second = storage.Occupant{Kind: storage.Guest, ID: "a connection", Name: "guest-1"}
			}
			f.Tournament = storage.TournamentBoard{ID: "t1", Code: "FEDCBA", Name: "Open", Board: 1}
			f.Temporary = i == 10
			number := uint64(0)
			if f.Rated {
				number = uint64(i + 1)
				if err := results.Changes.Put(tx, number, &[2]results.RatingChange{{After: results.Rating{Rating: float64(i)}, Weight: 1}, {Weight: 1}}); err != nil {
					return err
				}
			}
			if err := results.Records.Put(tx, f.ID, results.Record{Finished: f, Number: number}); err != nil {
				return err
			}
		}
		tx.Put(results.Records.Key("m21"), []byte("damaged"))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accounts.DeletePlayer(t.Context(), bob.ID, sampleTime); err != nil {
		t.Fatal(err)
	}
	if err := s.Accounts.ChangeName(t.Context(), ann.ID, "Anna", "anna", sampleTime); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range n {
		if (i%3 == 0 || i%5 == 0) && i != 10 && i != 21 {
			want = append(want, fmt.Sprintf("m%02d", i))
		}
	}
	for _, limit := range []int{1, 7, n, results.ArchiveLimit} {
		var got []string
		var damaged []storage.MatchID
		pages := 0
		for after := storage.MatchID(""); ; pages++ {
			page, err := s.Results.Archive(t.Context(), after, limit)
			if err != nil {
				t.Fatal(err)
			}
			damaged = append(damaged, page.Damaged...)
			for _, m := range page.Matches {
				got = append(got, string(m.ID))
				second := storage.Occupant{Kind: storage.Person, Name: accounts.FormerPlayer}
				if m.ID[2]%2 == 1 {
					second = storage.Occupant{Kind: storage.Guest, Name: "guest-1"}
				}
				first := storage.Occupant{Kind: storage.Person, ID: string(ann.ID), Name: "Ann"}
				if m.First != first || m.Second != second || m.Names != [2]string{"Anna", second.Name} || m.Code != "" || m.Tournament.Code != "" || len(m.Moves) != 3 || len(m.Times) != 3 {
					t.Errorf("%+v, now %q", m.Finished, m.Names)
				}
				if m.Rated != (m.Ratings != nil) || m.Rated && fmt.Sprintf("m%02d", int(m.Ratings[0].After.Rating)) != string(m.ID) {
					t.Errorf("%s has the ratings %+v", m.ID, m.Ratings)
				}
			}
			if !page.More {
				break
			}
			if page.Last <= after {
				t.Fatalf("a page after %s ends with %s", after, page.Last)
			}
			after = page.Last
		}
		if !slices.Equal(got, want) || !slices.Equal(damaged, []storage.MatchID{"m21"}) || pages != (n-1)/limit {
			t.Errorf("%d at a time: %q, damaged %q, %d more pages; want %q", limit, got, damaged, pages, want)
		}
	}
	for _, limit := range []int{0, results.ArchiveLimit + 1} {
		if _, err := s.Results.Archive(t.Context(), "", limit); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
}

// TestArchiveNamesTheClub: pages name the club by what stays with it, and two clubs differently.
func TestArchiveNamesTheClub(t *testing.T) {
	var names []string
	for range 2 {
		s := openStore(t, Config{})
		club := func() string {
			page, err := s.Results.Archive(t.Context(), "", 1)
			if err != nil {
				t.Fatal(err)
			}
			return page.Club
		}
		if got := club(); got != "" {
			t.Errorf("a club without visitors is %q", got)
		}
		if err := s.engine.Update(t.Context(), func(tx kv.Tx) error { _, err := accounts.SaltOf(tx); return err }); err != nil {
			t.Fatal(err)
		}
		names = append(names, club(), club())
	}
	if names[0] == "" || names[0] != names[1] || names[2] != names[3] || names[0] == names[2] {
		t.Errorf("two clubs are %q", names)
	}
}
