package storagetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/learning"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// Accounts is the part of a store in which players change their own accounts; schema.Store says what each method does.
type Accounts interface {
	Account(ctx context.Context, id storage.PlayerID) (schema.Account, error)
	SetRecovery(ctx context.Context, id storage.PlayerID, hash string, now time.Time) error
	Recover(ctx context.Context, id storage.PlayerID, hash, next, fingerprint string, now time.Time) error
	OfferKey(ctx context.Context, id storage.PlayerID, hash string, now time.Time) error
	ClaimKey(ctx context.Context, hash, fingerprint string, now time.Time) (storage.PlayerID, error)
	RemoveKey(ctx context.Context, id storage.PlayerID, fingerprint string) error
	ChangeName(ctx context.Context, id storage.PlayerID, name, nameKey string, now time.Time) error
	Become(ctx context.Context, id, owner storage.PlayerID, now time.Time) error
	Adopt(ctx context.Context, owner, id storage.PlayerID) error
	DeletePlayer(ctx context.Context, id storage.PlayerID, now time.Time) (fingerprints []string, err error)
	Deletions(ctx context.Context) ([]storage.PlayerID, error)
	ForgetName(ctx context.Context, id storage.PlayerID) error
	TakeBackSignUp(ctx context.Context, id storage.PlayerID, now time.Time) error
	Relate(ctx context.Context, id storage.PlayerID, kind relationstore.Kind, other storage.PlayerID, on bool, now time.Time) (relationstore.Lists, error)
	Relations(ctx context.Context) (map[storage.PlayerID]relationstore.Lists, error)
	Learn(ctx context.Context, id storage.PlayerID, game string, solved int, done bool, now time.Time) error
	Lessons(ctx context.Context, ids ...storage.PlayerID) (learning.Lessons, error)
	TryPuzzle(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, game, puzzle string, solved bool, now time.Time, rate learning.PuzzleRate) (learning.PuzzleStanding, error)
	PuzzleStandings(ctx context.Context, ids ...storage.PlayerID) (learning.PuzzleStandings, error)
	PuzzlesTried(ctx context.Context, ids ...storage.PlayerID) (map[string]learning.PuzzleTry, error)
	PuzzleStrengths(ctx context.Context) (map[string]learning.Strength, error)
	Practice(ctx context.Context, ids ...storage.PlayerID) (map[string]results.Practice, error)
	PuzzleLeaders(ctx context.Context, game string, limit int) ([]learning.PuzzleLeader, error)
}

// account returns what the store keeps of a player.
func account(t tb, s Store, id storage.PlayerID) schema.Account {
	t.Helper()
	a, err := s.Account(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// wants fails the test for an answer that is not the wanted one.
func wants(t tb, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func addedKeys(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	wants(t, "a code", s.OfferKey(ctx, ann.ID, "old", minute(1)), nil)
	wants(t, "a code of nobody", s.OfferKey(ctx, "nobody", "h", minute(1)), storage.ErrNotFound)
	wants(t, "another code", s.OfferKey(ctx, ann.ID, "new", minute(1)), nil)
	for _, tt := range []struct {
		name, hash, key string
		at              int // minutes
		want            error
	}{
		{"a code that another one has replaced", "old", "SHA256:2", 2, storage.ErrNotFound},
		{"a code that never was", "none", "SHA256:2", 2, storage.ErrNotFound},
		{"no code", "", "SHA256:2", 2, storage.ErrInvalid},
		{"no key", "new", "", 2, storage.ErrInvalid},
		{"a key of ann's", "new", "SHA256:ann", 2, storage.ErrUnchanged},
		{"too late", "new", "SHA256:2", 11, storage.ErrNotFound},
		{"in time", "new", "SHA256:2", 10, nil},
		{"once more", "new", "SHA256:3", 10, storage.ErrNotFound},
	} {
		id, err := s.ClaimKey(ctx, tt.hash, tt.key, minute(tt.at))
		if wants(t, tt.name, err, tt.want); err == nil && id != ann.ID {
			t.Errorf("%s: the key is one of %s", tt.name, id)
		}
	}
	same(t, "keys", account(t, s, ann.ID).Keys, []accounts.Key{
		{Fingerprint: "SHA256:2", Added: minute(10)}, {Fingerprint: "SHA256:ann", Added: ann.Since},
	})
	wants(t, "a visit", s.Visited(ctx, ann.ID, "SHA256:2", netip.Prefix{}, true, minute(20)), nil)
	same(t, "the last visit", account(t, s, ann.ID).Keys[0].Used, minute(20))

	wants(t, "remove a stranger's", s.RemoveKey(ctx, ann.ID, "SHA256:bob"), storage.ErrNotFound)
	wants(t, "remove", s.RemoveKey(ctx, ann.ID, "SHA256:2"), nil)
	wants(t, "remove the last", s.RemoveKey(ctx, ann.ID, "SHA256:ann"), accounts.ErrLastKey)
	_, err := s.PlayerByKey(ctx, "SHA256:2")
	wants(t, "whose is a removed key", err, storage.ErrNotFound)
	_, err = s.SignUp(ctx, accounts.Player{Name: "cid", NameKey: "cid"}, "SHA256:2")
	wants(t, "sign up with a removed key", err, nil)

	for n := range accounts.MaxKeys - 1 {
		wants(t, "one more key", s.AddKey(ctx, bob.ID, fmt.Sprint("SHA256:many", n)), nil)
	}
	wants(t, "a code for one key too many", s.OfferKey(ctx, bob.ID, "much", minute(1)), accounts.ErrManyKeys)

	wants(t, "a code for the sweep", s.OfferKey(ctx, ann.ID, "swept", minute(30)), nil)
	if _, err := s.Sweep(ctx, minute(40)); err != nil {
		t.Fatal(err)
	}
	_, err = s.ClaimKey(ctx, "swept", "SHA256:9", minute(31))
	wants(t, "a code that was swept", err, storage.ErrNotFound)
}

// unusedAccounts: a key leaves an account for another one only if nothing ever happened there.
func unusedAccounts(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	claim := func(name string, n int, want error) {
		t.Helper()
		hash := fmt.Sprint("code", n)
		wants(t, "a code", s.OfferKey(ctx, ann.ID, hash, minute(n)), nil)
		_, err := s.ClaimKey(ctx, hash, "SHA256:"+name, minute(n))
		wants(t, "the key of "+name, err, want)
	}
	played, muted, reported, twoKeys, fresh := signUp(t, s, "played"), signUp(t, s, "muted"), signUp(t, s, "reported"), signUp(t, s, "two"), signUp(t, s, "fresh")
	play(t, s, "m2222222", record("ABCDEF", "tanks", person(ann), person(played), "first", 1))
	act(t, s, by("mute", 1), operators.Change{Mute: &operators.MuteChange{Player: muted.ID, Until: minute(90)}})
	if _, err := s.AddReport(ctx, operators.Report{At: minute(1), By: ann.ID, ByName: "ann", About: reported.ID, AboutName: "reported", Reason: "rude"}); err != nil {
		t.Fatal(err)
	}
	wants(t, "a second key", s.AddKey(ctx, twoKeys.ID, "SHA256:two2"), nil)
	for n, name := range []string{"played", "muted", "reported", "two"} {
		claim(name, n, storage.ErrKeyTaken)
	}
	follower := signUp(t, s, "follower")
	if _, err := s.Relate(ctx, follower.ID, relationstore.Following, ann.ID, true, minute(1)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []accounts.Player{played, muted, reported, twoKeys, follower} {
		wants(t, "take back the sign-up of "+p.Name, s.TakeBackSignUp(ctx, p.ID, minute(4)), storage.ErrKeyTaken)
	}
	wants(t, "take back the sign-up of nobody", s.TakeBackSignUp(ctx, "nobody", minute(4)), storage.ErrNotFound)
	hasty := signUp(t, s, "hasty")
	wants(t, "take back a sign-up", s.TakeBackSignUp(ctx, hasty.ID, minute(4)), nil)
	_, err := s.PlayerByKey(ctx, "SHA256:hasty")
	wants(t, "its key", err, storage.ErrNotFound)
	wants(t, "its name", s.FreeName(ctx, "hasty", "hasty"), nil)
	claim("fresh", 5, nil)
	p, err := s.PlayerByKey(ctx, "SHA256:fresh")
	if wants(t, "whose is the key", err, nil); p.ID != ann.ID {
		t.Errorf("the key of fresh belongs to %s", p.Name)
	}
	p, err = s.Player(ctx, fresh.ID)
	if wants(t, "the account", err, nil); p.Name != accounts.FormerPlayer || p.Deleted != minute(5) {
		t.Errorf("the account is %+v", p)
	}
	_, err = s.SignUp(ctx, accounts.Player{Name: "fresh", NameKey: "fresh"}, "SHA256:other")
	wants(t, "its name", err, nil)
}

func recovery(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	wants(t, "without a code", s.Recover(ctx, ann.ID, "one", "two", "SHA256:2", minute(1)), storage.ErrNotFound)
	wants(t, "a code", s.SetRecovery(ctx, ann.ID, "zero", minute(1)), nil)
	wants(t, "another", s.SetRecovery(ctx, ann.ID, "one", minute(2)), nil)
	wants(t, "a code of nobody", s.SetRecovery(ctx, "nobody", "one", minute(2)), storage.ErrNotFound)
	same(t, "when it was made", account(t, s, ann.ID).Recovery, minute(2))
	wants(t, "the old code", s.Recover(ctx, ann.ID, "zero", "two", "SHA256:2", minute(3)), storage.ErrNotFound)
	wants(t, "the code", s.Recover(ctx, ann.ID, "one", "two", "SHA256:2", minute(3)), nil)
	wants(t, "the code again", s.Recover(ctx, ann.ID, "one", "three", "SHA256:3", minute(3)), storage.ErrNotFound)
	wants(t, "the next code", s.Recover(ctx, ann.ID, "two", "three", "SHA256:3", minute(4)), nil)
	p, err := s.PlayerByKey(ctx, "SHA256:3")
	if wants(t, "the key", err, nil); p.ID != ann.ID {
		t.Errorf("the key belongs to %s", p.Name)
	}
}

func changedNames(t *testing.T, s Store) {
	ctx, day := t.Context(), 24*60
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	wants(t, "a taken name", s.ChangeName(ctx, ann.ID, "BOB", "bob", minute(1)), storage.ErrNameTaken)
	wants(t, "the same name", s.ChangeName(ctx, ann.ID, "ann", "ann", minute(1)), storage.ErrUnchanged)
	wants(t, "another name", s.ChangeName(ctx, ann.ID, "Eva", "eva", minute(1)), nil)
	var soon *accounts.RenamedError
	if err := s.ChangeName(ctx, ann.ID, "uma", "uma", minute(30*day)); !errors.As(err, &soon) || soon.Next != minute(30*day+1) {
		t.Errorf("within 30 days: %v", err)
	}
	for _, name := range []string{"eva", "ann"} {
		p, err := s.PlayerByName(ctx, name)
		if wants(t, name, err, nil); p.ID != ann.ID || p.Name != "Eva" {
			t.Errorf("%s is %+v", name, p)
		}
	}
	wants(t, "the former name", s.FreeName(ctx, "ann", "ann"), storage.ErrNameTaken)
	same(t, "former names", account(t, s, ann.ID).Former, []string{"ann"})
	wants(t, "after 30 days", s.ChangeName(ctx, ann.ID, "ann", "ann", minute(30*day+1)), nil)

	act(t, s, by("rename", 2), operators.Change{Rename: &operators.RenameChange{Player: bob.ID, Name: "Bo", NameKey: "bo"}})
	if err := s.ChangeName(ctx, bob.ID, "bob", "bob", minute(3)); !errors.As(err, &soon) {
		t.Errorf("back to the name that the operator took: %v", err)
	}
	act(t, s, by("close", 3), operators.Change{Closing: &operators.ClosedChange{Player: bob.ID, Closed: true}})
	act(t, s, by("mute", 9), operators.Change{Mute: &operators.MuteChange{Player: ann.ID, Until: minute(200 * day)}})
	wants(t, "a muted player", s.ChangeName(ctx, ann.ID, "amy", "amy", minute(150*day)), accounts.ErrRestricted)
	wants(t, "a closed account", s.ChangeName(ctx, bob.ID, "bea", "bea", minute(60*day)), accounts.ErrRestricted)
	if _, err := s.Sweep(ctx, minute(91*day)); err != nil {
		t.Fatal(err)
	}
	_, err := s.PlayerByName(ctx, "bob")
	wants(t, "a name after 90 days", err, storage.ErrNotFound)
}

func deletedPlayers(t *testing.T, s Store) {
	ctx, day := t.Context(), 24*60
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	wants(t, "settings", s.SaveSettings(ctx, ann.ID, accounts.Settings{Theme: "dark"}), nil)
	wants(t, "a visit", s.Visited(ctx, ann.ID, "SHA256:ann", netip.MustParsePrefix("192.0.2.0/24"), true, minute(1)), nil)
	wants(t, "a recovery code", s.SetRecovery(ctx, ann.ID, "code", minute(1)), nil)
	wants(t, "a key code", s.OfferKey(ctx, ann.ID, "key", minute(1)), nil)
	for n := range 3 {
		play(t, s, storage.MatchID(fmt.Sprint("m222222", n)), record(fmt.Sprint("ABCDE", n), "tanks", person(ann), person(bob), "first", n))
	}
	open := []matchstore.Event{opened("ZZZZZZ", person(ann), person(bob))}
	if err := s.Append(ctx, "m9999999", open, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}

	act(t, s, by("mute", 1), operators.Change{Mute: &operators.MuteChange{Player: ann.ID, Until: minute(9)}})
	_, err := s.DeletePlayer(ctx, ann.ID, minute(8))
	wants(t, "a muted player", err, accounts.ErrRestricted)
	keys, err := s.DeletePlayer(ctx, ann.ID, minute(10))
	wants(t, "delete", err, nil)
	same(t, "keys", keys, []string{"SHA256:ann"})
	_, err = s.DeletePlayer(ctx, ann.ID, minute(10))
	wants(t, "delete again", err, storage.ErrNotFound)

	for what, call := range map[string]func() error{
		"by name": func() error { _, err := s.PlayerByName(ctx, "ann"); return err },
		"by key":  func() error { _, err := s.PlayerByKey(ctx, "SHA256:ann"); return err },
		"account": func() error { _, err := s.Account(ctx, ann.ID); return err },
		"claim":   func() error { _, err := s.ClaimKey(ctx, "key", "SHA256:2", minute(10)); return err },
		"recover": func() error { return s.Recover(ctx, ann.ID, "code", "next", "SHA256:2", minute(10)) },
		"add key": func() error { return s.AddKey(ctx, ann.ID, "SHA256:2") },
		"rename":  func() error { return s.ChangeName(ctx, ann.ID, "eva", "eva", minute(10)) },
		"operator's rename": func() error {
			_, err := s.Act(ctx, by("rename", 11), operators.Change{Rename: &operators.RenameChange{Player: ann.ID, Name: "x", NameKey: "x"}})
			return err
		},
		"merge": func() error {
			_, err := s.Act(ctx, by("merge", 11), operators.Change{Keys: &operators.KeysChange{From: bob.ID, To: ann.ID}})
			return err
		},
	} {
		wants(t, what, call(), storage.ErrNotFound)
	}
	p, err := s.Player(ctx, ann.ID)
	wants(t, "what is left", err, nil)
	same(t, "what is left", p, accounts.Player{ID: ann.ID, Name: accounts.FormerPlayer, Since: ann.Since, Deleted: minute(10)})
	visits, err := s.Visits(ctx, ann.ID)
	if wants(t, "visits", err, nil); len(visits) > 0 {
		t.Errorf("visits %v", visits)
	}
	rows, err := s.Standings(ctx, "tanks")
	if wants(t, "standings", err, nil); len(rows) != 1 || rows[0].Player != bob.ID {
		t.Errorf("standings %v", rows)
	}
	wants(t, "the name", s.FreeName(ctx, "ann", "ann"), storage.ErrNameTaken)
	_, err = s.SignUp(ctx, accounts.Player{Name: "uma", NameKey: "uma"}, "SHA256:ann")
	wants(t, "the key", err, nil)

	late := record("ZZZZZZ", "tanks", person(ann), person(bob), "", 11)
	if _, err := s.Finish(ctx, "m9999999", []matchstore.Event{ended(2, "")}, late, nil); err != nil {
		t.Fatal(err)
	}
	pending, err := s.Deletions(ctx)
	wants(t, "deletions", err, nil)
	same(t, "deletions", pending, []storage.PlayerID{ann.ID})
	wants(t, "forget", s.ForgetName(ctx, ann.ID), nil)
	if pending, err = s.Deletions(ctx); err != nil || len(pending) > 0 {
		t.Errorf("deletions %v, %v", pending, err)
	}
	for _, id := range []storage.MatchID{"m2222220", "m2222221", "m2222222", "m9999999"} {
		f, err := s.Finished(ctx, id)
		if wants(t, string(id), err, nil); f.First.Name != accounts.FormerPlayer || f.First.ID != string(ann.ID) || f.Second.Name != "bob" {
			t.Errorf("%s: %+v, %+v", id, f.First, f.Second)
		}
	}
	report, err := s.Recompute(ctx)
	if err != nil || len(report.Differed) > 0 || report.Results != 3 {
		t.Errorf("ratings: %+v, %v", report, err)
	}
	if _, err := s.Sweep(ctx, minute(91*day)); err != nil {
		t.Fatal(err)
	}
	wants(t, "the name after 90 days", s.FreeName(ctx, "ann", "ann"), nil)
}

// forgottenRecords: the name goes from more records than one transaction takes.
func forgottenRecords(t *testing.T, s Store) {
	ann := signUp(t, s, "ann")
	const n = 101
	for i := range n {
		play(t, s, storage.MatchID(fmt.Sprintf("m%07d", i)), record(fmt.Sprintf("C%05d", i), "tanks", person(ann), guest, "first", i))
	}
	_, err := s.DeletePlayer(t.Context(), ann.ID, minute(n))
	wants(t, "delete", err, nil)
	wants(t, "forget", s.ForgetName(t.Context(), ann.ID), nil)
	rows, err := s.History(t.Context(), results.HistoryQuery{Player: ann.ID, Limit: 1000})
	if err != nil || len(rows) != n {
		t.Fatalf("%d records, %v", len(rows), err)
	}
	for _, f := range rows {
		if f.First.Name != accounts.FormerPlayer {
			t.Fatalf("%s still names %s", f.ID, f.First.Name)
		}
	}
}

// anyKeys makes random calls about keys and codes, and compares every answer with the plainest model.
func anyKeys(t *testing.T, open func(t *testing.T) Store) {
	s := open(t)
	defer closeStore(t, s)
	runs, made := 0, 0 // each run has players and keys of its own
	rapid.Check(t, func(r *rapid.T) {
		type code struct {
			of   storage.PlayerID
			ends time.Time
		}
		var players []storage.PlayerID
		owner := map[string]storage.PlayerID{}
		codes := map[string]code{}
		runs++
		run, before := fmt.Sprint(runs), made
		for _, name := range []string{"ann" + run, "bob" + run} {
			p := signUp(r, s, name)
			players = append(players, p.ID)
			owner["SHA256:"+name] = p.ID
			play(r, s, storage.MatchID("m-"+name), record("CODE-"+name, "tanks", person(p), guest, "first", 1)) // so that it isn't dropped
		}
		count := func(id storage.PlayerID) (n int) {
			for _, o := range owner {
				if o == id {
					n++
				}
			}
			return n
		}
		now := start
		key := rapid.SampledFrom([]string{"SHA256:ann" + run, "SHA256:bob" + run, "SHA256:1-" + run, "SHA256:2-" + run})
		r.Repeat(map[string]func(*rapid.T){
			"wait": func(r *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(1, 6).Draw(r, "minutes")) * time.Minute) },
			"offer": func(r *rapid.T) {
				id := rapid.SampledFrom(players).Draw(r, "player")
				made++
				if err := s.OfferKey(t.Context(), id, fmt.Sprint("code", made), now); err != nil {
					r.Fatal(err)
				}
				maps.DeleteFunc(codes, func(_ string, c code) bool { return c.of == id })
				codes[fmt.Sprint("code", made)] = code{id, now.Add(accounts.KeyCodeLife)}
			},
			"claim": func(r *rapid.T) {
				hash, k := fmt.Sprint("code", rapid.IntRange(max(made-1, before+1), made+1).Draw(r, "code")), key.Draw(r, "key")
				c, open := codes[hash]
				var want error
				switch {
				case !open || !now.Before(c.ends):
					want = storage.ErrNotFound
				case owner[k] == c.of:
					want = storage.ErrUnchanged
				case owner[k] != "":
					want = storage.ErrKeyTaken
				default:
					owner[k] = c.of
					delete(codes, hash)
				}
				id, err := s.ClaimKey(t.Context(), hash, k, now)
				if !errors.Is(err, want) || err == nil && id != c.of {
					r.Fatalf("ClaimKey(%s, %s) = %s, %v, want %s, %v", hash, k, id, err, c.of, want)
				}
			},
			"remove": func(r *rapid.T) {
				id, k := rapid.SampledFrom(players).Draw(r, "player"), key.Draw(r, "key")
				var want error
				switch {
				case owner[k] != id:
					want = storage.ErrNotFound
				case count(id) == 1:
					want = accounts.ErrLastKey
				default:
					delete(owner, k)
				}
				if err := s.RemoveKey(t.Context(), id, k); !errors.Is(err, want) {
					r.Fatalf("RemoveKey(%s) = %v, want %v", k, err, want)
				}
			},
			"sweep": func(r *rapid.T) {
				if _, err := s.Sweep(t.Context(), now); err != nil {
					r.Fatal(err)
				}
			},
			"": func(r *rapid.T) {
				for _, id := range players {
					var want []string
					for k, o := range owner {
						if o == id {
							want = append(want, k)
						}
					}
					slices.Sort(want)
					got, err := s.Keys(t.Context(), id)
					if err != nil || !slices.Equal(got, want) {
						r.Fatalf("keys %v, %v, want %v", got, err, want)
					}
				}
			},
		})
	})
}

func computerAccounts(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob, dan := signUp(t, s, "ann"), signUp(t, s, "bob"), signUp(t, s, "dan")
	if ann.Kind() != storage.Person {
		t.Errorf("a new account is of kind %q", ann.Kind())
	}
	var engines []accounts.Player
	for _, name := range []string{"e1", "e2", "e3", "e4"} {
		e := signUp(t, s, name)
		engines = append(engines, e)
		wants(t, "an unknown owner", s.Become(ctx, e.ID, "aaaaaaaaaaaaaaaa", minute(1)), storage.ErrNotFound)
		wants(t, "an account that owns itself", s.Become(ctx, e.ID, e.ID, minute(1)), accounts.ErrKinds)
		wants(t, "becoming", s.Become(ctx, e.ID, bob.ID, minute(1)), nil)
		wants(t, "becoming again", s.Become(ctx, e.ID, bob.ID, minute(2)), storage.ErrUnchanged)
		wants(t, "adopting by another player", s.Adopt(ctx, ann.ID, e.ID), storage.ErrNotFound)
		wants(t, "naming another owner", s.Become(ctx, e.ID, ann.ID, minute(2)), nil)
		wants(t, "adopting by the one before", s.Adopt(ctx, bob.ID, e.ID), storage.ErrNotFound)
	}
	wants(t, "an owner who is a computer account", s.Become(ctx, dan.ID, engines[0].ID, minute(3)), accounts.ErrKinds)
	for i, e := range engines {
		want := error(nil)
		if i == accounts.MaxEngines {
			want = accounts.ErrManyEngines
		}
		wants(t, "adopting", s.Adopt(ctx, ann.ID, e.ID), want)
	}
	wants(t, "naming another owner", s.Become(ctx, engines[0].ID, bob.ID, minute(4)), storage.ErrUnchanged)
	wants(t, "an owner becoming", s.Become(ctx, ann.ID, "", minute(4)), accounts.ErrPlayed)
	if a := account(t, s, engines[1].ID); a.Kind() != storage.Engine || a.Owner != ann.ID || !a.Became.Equal(minute(1)) {
		t.Errorf("a computer account is %+v", a.Player)
	}
	if _, err := s.DeletePlayer(ctx, engines[1].ID, minute(10)); err != nil {
		t.Fatal(err)
	}
	if a := account(t, s, ann.ID); !slices.Equal(a.Owned(), []storage.PlayerID{engines[0].ID, engines[2].ID}) {
		t.Errorf("the owner has %v after one was deleted", a.Owned())
	}
	wants(t, "adopting in its place", s.Adopt(ctx, ann.ID, engines[3].ID), nil)
}
