package storagetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
)

func namesAndKeys(t *testing.T, s Store) {
	ctx := t.Context()
	in := accounts.Player{Name: "Ann", NameKey: "ann", Since: start, Settings: accounts.Settings{Theme: "dark"}}
	ann, err := s.SignUp(ctx, in, "SHA256:a")
	if err != nil {
		t.Fatal(err)
	}
	in.ID = ann.ID
	same(t, "the new player", ann, in)
	bob := signUp(t, s, "bob")
	if ann.ID == "" || ann.ID == bob.ID {
		t.Errorf("ids %q and %q", ann.ID, bob.ID)
	}
	for _, tt := range []struct {
		name string
		call func() error
		want error
	}{
		{"sign up under a taken name", func() error {
			_, err := s.SignUp(ctx, accounts.Player{Name: "ANN", NameKey: "ann"}, "SHA256:new")
			return err
		}, storage.ErrNameTaken},
		{"free name of a taken name", func() error { return s.FreeName(ctx, "ann", "ann") }, storage.ErrNameTaken},
		{"free name", func() error { return s.FreeName(ctx, "nobody", "nobody") }, nil},
		{"sign up with a taken key", func() error {
			_, err := s.SignUp(ctx, accounts.Player{Name: "Cid", NameKey: "cid"}, "SHA256:a")
			return err
		}, storage.ErrKeyTaken},
		{"sign up without a name", func() error {
			_, err := s.SignUp(ctx, accounts.Player{}, "SHA256:new")
			return err
		}, storage.ErrInvalid},
		{"sign up without a key", func() error {
			_, err := s.SignUp(ctx, accounts.Player{Name: "Cid", NameKey: "cid"}, "")
			return err
		}, storage.ErrInvalid},
		{"add another's key", func() error { return s.AddKey(ctx, ann.ID, "SHA256:bob") }, storage.ErrKeyTaken},
		{"add a key to nobody", func() error { return s.AddKey(ctx, "nobody", "SHA256:new") }, storage.ErrNotFound},
		{"add no key", func() error { return s.AddKey(ctx, ann.ID, "") }, storage.ErrInvalid},
		{"add a key", func() error { return s.AddKey(ctx, ann.ID, "SHA256:0") }, nil},
		{"add a key twice", func() error { return s.AddKey(ctx, ann.ID, "SHA256:a") }, nil},
	} {
		if err := tt.call(); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	keys, err := s.Keys(ctx, ann.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "keys", keys, []string{"SHA256:0", "SHA256:a"})
	for what, read := range map[string]func() (accounts.Player, error){
		"by id":         func() (accounts.Player, error) { return s.Player(ctx, ann.ID) },
		"by name":       func() (accounts.Player, error) { return s.PlayerByName(ctx, "ann") },
		"by first key":  func() (accounts.Player, error) { return s.PlayerByKey(ctx, "SHA256:a") },
		"by second key": func() (accounts.Player, error) { return s.PlayerByKey(ctx, "SHA256:0") },
	} {
		p, err := read()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		same(t, what, p, ann)
	}
	if _, err := s.PlayerByKey(ctx, "SHA256:new"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a refused call left its key behind: %v", err)
	}
}

func settings(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	want := accounts.Settings{Theme: "dark", Charset: "ascii", Mute: true, Language: "de", Opponent: "club", Clock: "5+3", QuickGame: "petteia,tanks", QuickClock: "blitz", QuickCasual: true, QuickSet: "decisive", QuickAsked: true, TelevisionOff: true, Notify: true}
	if err := s.SaveSettings(t.Context(), ann.ID, want); err != nil {
		t.Fatal(err)
	}
	ann.Settings = want
	for _, p := range []accounts.Player{ann, bob} {
		got, err := s.Player(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "player", got, p)
	}
	if err := s.SaveSettings(t.Context(), "nobody", want); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("settings of nobody: %v, want ErrNotFound", err)
	}
}

func standings(t *testing.T, s Store) {
	ann, bob, cid := signUp(t, s, "ann"), signUp(t, s, "bob"), signUp(t, s, "cid")
	play(t, s, "m2222222", record("ABCDEF", "tanks", person(ann), person(bob), "second", 1))
	play(t, s, "m3333333", record("BCDEFG", "tanks", person(bob), person(cid), "first", 2))
	play(t, s, "m4444444", record("CDEFGH", "tank", person(ann), person(cid), "first", 3))
	for game, want := range map[string][]string{
		"tanks": {"bob", "cid", "ann"}, "tank": {"ann", "cid"}, "petteia": nil, "": nil,
	} {
		rows, err := s.Standings(t.Context(), game)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, row := range rows {
			names = append(names, row.Name)
			all, err := s.Ratings(t.Context(), row.Player, []string{game, "petteia"})
			if err != nil {
				t.Fatal(err)
			}
			same(t, "the same rating", row.Rating, all.Now[game])
			some, err := s.RatingsIn(t.Context(), game, []storage.PlayerID{"nobody", row.Player})
			if err != nil {
				t.Fatal(err)
			}
			same(t, "the same rating beside others", some, map[storage.PlayerID]results.Rating{row.Player: row.Rating})
			if i > 0 && row.Rating.Rating > rows[i-1].Rating.Rating {
				t.Errorf("%s: %s comes after a worse one", game, row.Name)
			}
		}
		same(t, "standings of "+game, names, want)
	}
}

func recomputing(t *testing.T, s Store) {
	var seats []storage.Occupant
	for _, name := range []string{"ann", "bob", "cid", "dan"} {
		seats = append(seats, person(signUp(t, s, name)))
	}
	for i := range 30 {
		first, second := seats[i%4], seats[(i+1+i/4%3)%4]
		f := record(fmt.Sprintf("CODE%02d", i), []string{"tank", "tanks"}[i/3%2], first, second,
			[]string{"first", "draw", "second", "first", ""}[i%5], i*7*60)
		play(t, s, storage.MatchID(fmt.Sprintf("m%d", i)), f)
	}
	before := snapshot(t, s, nil, []storage.PlayerID{storage.PlayerID(seats[0].ID)}, nil)
	got, err := s.Recompute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "report", got, results.RecomputeReport{Results: 24, Ratings: 8})
	same(t, "after it", snapshot(t, s, nil, []storage.PlayerID{storage.PlayerID(seats[0].ID)}, nil), before)
}

func nothingFound(t *testing.T, s Store) {
	ctx := t.Context()
	signUp(t, s, "ann")
	for what, call := range map[string]func() error{
		"Log":              func() error { _, err := s.Log(ctx, "m2222222", 1, 0); return err },
		"Finished":         func() error { _, err := s.Finished(ctx, "m2222222"); return err },
		"ByCode":           func() error { _, err := s.ByCode(ctx, "ABCDEF", start); return err },
		"Player":           func() error { _, err := s.Player(ctx, "nobody"); return err },
		"Players":          func() error { _, err := s.Players(ctx, []storage.PlayerID{"nobody"}); return err },
		"PlayerByKey":      func() error { _, err := s.PlayerByKey(ctx, "SHA256:x"); return err },
		"PlayerByName":     func() error { _, err := s.PlayerByName(ctx, "nobody"); return err },
		"Keys":             func() error { _, err := s.Keys(ctx, "nobody"); return err },
		"Player of no id":  func() error { _, err := s.Player(ctx, ""); return err },
		"Analysis":         func() error { _, err := s.Analysis(ctx, "m2222222"); return err },
		"Log of no id":     func() error { _, err := s.Log(ctx, "", 1, 0); return err },
		"Player of half":   func() error { _, err := s.PlayerByName(ctx, "an"); return err },
		"ByCode of a zero": func() error { _, err := s.ByCode(ctx, "\x00", start); return err },
	} {
		if err := call(); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", what, err)
		}
	}
	ratings, err := s.Ratings(ctx, "nobody", everyGame, "2001Q1")
	if len(ratings.Now)+len(ratings.Seasons) > 0 || err != nil {
		t.Errorf("ratings of nobody: %v, %v", ratings, err)
	}
}

func endedContext(t *testing.T, s Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ann := signUp(t, s, "ann")
	for what, call := range map[string]func() error{
		"Append": func() error {
			return s.Append(ctx, "m2222222", []matchstore.Event{opened("ABCDEF", guest, robot)}, matchstore.Summary{})
		},
		"SignUp": func() error {
			_, err := s.SignUp(ctx, accounts.Player{Name: "bob", NameKey: "bob"}, "SHA256:bob")
			return err
		},
		"AddKey":       func() error { return s.AddKey(ctx, ann.ID, "SHA256:bob") },
		"SaveSettings": func() error { return s.SaveSettings(ctx, ann.ID, accounts.Settings{Mute: true}) },
		"SaveAnalysis": func() error { return s.SaveAnalysis(ctx, "m2222222", analysed(2, 0)) },
		"Analysis":     func() error { _, err := s.Analysis(ctx, "m2222222"); return err },
		"Player":       func() error { _, err := s.Player(ctx, ann.ID); return err },
		"History":      func() error { _, err := s.History(ctx, results.HistoryQuery{Limit: 1}); return err },
		"Recompute":    func() error { _, err := s.Recompute(ctx); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", what, err)
		}
	}
	got, err := s.Player(t.Context(), ann.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "player", got, ann)
	if _, err := s.Log(t.Context(), "m2222222", 1, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the match is there: %v", err)
	}
	if _, err := s.PlayerByKey(t.Context(), "SHA256:bob"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the key is there: %v", err)
	}
}
