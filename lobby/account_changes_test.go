package lobby_test

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/attempts"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	accountstore "ludoteca/storage/accounts"
)

func TestAccountCodes(t *testing.T) {
	c := newClub(t)
	seen := map[string]bool{}
	for range 100 {
		code, err := c.Keys.NewRecovery(t.Context(), c.ana)
		wantErr(t, "a recovery code", err, nil)
		if !regexp.MustCompile(`^([2-9A-HJKMNP-TV-Z]{4}-){5}[2-9A-HJKMNP-TV-Z]{4}$`).MatchString(code) || seen[code] {
			t.Fatalf("the code %q, seen before: %v", code, seen[code])
		}
		seen[code] = true
		if accounts.IsKeyCode(code) {
			t.Fatalf("the recovery code %q is taken for one of a key", code)
		}
	}
	key, _, err := c.Keys.OfferKey(t.Context(), c.ana)
	wantErr(t, "a key's code", err, nil)
	if !accounts.IsKeyCode(key) {
		t.Errorf("the code of a key %q is taken for a recovery code", key)
	}

	o := newOffice(t)
	for i := range 5 {
		code, err := o.Keys.NewRecovery(t.Context(), o.ana)
		wantErr(t, "a recovery code", err, nil)
		mine := keyOf(fmt.Sprint("new", i))
		from := origin.Origin{Person: mine}
		_, _, err = o.Keys.Recover(t.Context(), mine, from, "ana", code[1:], o)
		wantErr(t, "a part of the code", err, lobby.ErrRecovery)
		_, _, err = o.Keys.Recover(t.Context(), mine, from, "ana", strings.ToLower(strings.ReplaceAll(code, "-", " ")), o)
		wantErr(t, "the code in small letters, with blanks", err, nil)
	}
}

// TestWrongKeyCodes: a person or an address can guess codes of keys no faster than codes of matches.
func TestWrongKeyCodes(t *testing.T) {
	o := newOffice(t)
	tries := func(from func(i int) origin.Origin) (n int) {
		for n = range 100 {
			_, err := o.Keys.ClaimKey(t.Context(), "SHA256:new", from(n), "AAAA-BBBB-CCCC", o)
			if errors.Is(err, lobby.ErrThrottled) {
				return n
			}
			wantErr(t, "a wrong code", err, lobby.ErrNoKeyCode)
		}
		return n
	}
	if n := tries(func(int) origin.Origin { return origin.Origin{Person: "SHA256:new"} }); n > attempts.MaxWrongCodes+1 {
		t.Errorf("a person has %d tries", n)
	}
	here := netip.MustParseAddr("192.0.2.7")
	if n := tries(func(i int) origin.Origin { return origin.Origin{Person: keyOf(string(rune('a' + i))), Addr: here} }); n > attempts.MaxWrongCodes+1 {
		t.Errorf("an address has %d tries", n)
	}
	code, _, err := o.Keys.OfferKey(t.Context(), o.ana)
	wantErr(t, "a code", err, nil)
	for range 3 * attempts.MaxWrongCodes { // right codes cost nothing
		_, err := o.Keys.ClaimKey(t.Context(), keyOf("ana"), origin.Origin{Person: "SHA256:other"}, code, o)
		wantErr(t, "one's own key", err, lobby.ErrUnchanged)
	}
	o.played(4, false) // the key of an account in a match can't leave it
	n := 0
	for ; n < 100; n++ {
		if _, err := o.Keys.ClaimKey(t.Context(), keyOf("rui"), origin.Origin{Person: keyOf("rui")}, "AAAA-BBBB-CCCC", o); errors.Is(err, lobby.ErrThrottled) {
			break
		}
	}
	if n > attempts.MaxWrongCodes+1 {
		t.Errorf("a key with an account has %d tries", n)
	}
}

// TestWrongRecoveries: no person tries for long, and strangers who try a name don't keep its player from recovering the account.
func TestWrongRecoveries(t *testing.T) {
	o := newOffice(t)
	const burst = 5 // tries of one person
	tries := func(name string, from func(i int) origin.Origin) (n int) {
		for n = range 100 {
			_, _, err := o.Keys.Recover(t.Context(), "SHA256:new", from(n), name, "AAAA", o)
			if errors.Is(err, lobby.ErrThrottled) {
				return n
			}
			wantErr(t, "a wrong code", err, lobby.ErrRecovery)
		}
		return n
	}
	if n := tries("ana", func(int) origin.Origin { return origin.Origin{Person: "SHA256:new"} }); n != burst {
		t.Errorf("a person has %d tries", n)
	}
	if n := tries("nobody", func(int) origin.Origin { return origin.Origin{Person: "SHA256:other"} }); n != burst {
		t.Errorf("a person has %d tries at a name that nobody has", n)
	}
	code, err := o.Keys.NewRecovery(t.Context(), o.rui)
	wantErr(t, "a recovery code", err, nil)
	tries("RUI", func(i int) origin.Origin { return origin.Origin{Person: keyOf(strings.Repeat("a", i+1))} })
	_, _, err = o.Keys.Recover(t.Context(), "SHA256:mine", origin.Origin{Person: "SHA256:mine"}, "rui", code, o)
	wantErr(t, "after a hundred wrong codes of others", err, nil)
}

// TestKeyCodeEnds: a code lives ten minutes.
func TestKeyCodeEnds(t *testing.T) {
	o := newOffice(t)
	code, until, err := o.Keys.OfferKey(t.Context(), o.ana)
	wantErr(t, "a code", err, nil)
	if d := until.Sub(o.clock()); d > accountstore.KeyCodeLife || d < accountstore.KeyCodeLife-time.Minute {
		t.Errorf("it lives %v", d)
	}
	o.late.Store(int64(accountstore.KeyCodeLife))
	_, err = o.Keys.ClaimKey(t.Context(), "SHA256:new", origin.Origin{}, code, o)
	wantErr(t, "after ten minutes", err, lobby.ErrNoKeyCode)
}

// TestKeyOfAnotherAccount: a key with matches stays where it is; one whose account was never used moves, and its sessions end.
func TestKeyOfAnotherAccount(t *testing.T) {
	o := newOffice(t)
	fresh := o.account("fresh")
	_, err := o.Lobby.Seats.Open(t.Context(), o.rui, seats.Spec{Game: "fourmation"})
	wantErr(t, "open", err, nil)
	code, _, err := o.Keys.OfferKey(t.Context(), o.ana)
	wantErr(t, "a code", err, nil)
	_, err = o.Keys.ClaimKey(t.Context(), keyOf("rui"), origin.Origin{}, code, o)
	wantErr(t, "a key with an offer", err, lobby.ErrHasAccount)
	who, err := o.Keys.ClaimKey(t.Context(), keyOf("fresh"), origin.Origin{}, code, o)
	wantErr(t, "a key without matches", err, nil)
	if who != o.ana || len(o.ended) != 1 || o.ended[0] != keyOf("fresh") {
		t.Errorf("it belongs to %v, and %v ended", who, o.ended)
	}
	_, err = o.Lobby.Seats.Open(t.Context(), fresh, seats.Spec{Game: "fourmation"})
	wantErr(t, "a match of an account that is gone", err, lobby.ErrNoAccount)
}

// TestClosedAccountsChangeNothing: a closed account can't be changed by any request of a session that still uses it.
func TestClosedAccountsChangeNothing(t *testing.T) {
	o := newOffice(t)
	o.must(o.Operator.Close(t.Context(), "ana", "because"))
	ctx := t.Context()
	for what, call := range map[string]func() error{
		"rename":   func() error { _, err := o.Accounts.ChangeName(ctx, o.ana, "eva"); return err },
		"delete":   func() error { return o.Accounts.DeleteAccount(ctx, o.ana, o) },
		"offer":    func() error { _, _, err := o.Keys.OfferKey(ctx, o.ana); return err },
		"recovery": func() error { _, err := o.Keys.NewRecovery(ctx, o.ana); return err },
		"remove":   func() error { return o.Keys.RemoveKey(ctx, o.ana, keyOf("ana"), o) },
	} {
		wantErr(t, what, call(), lobby.ErrAccountClosed)
	}
}

// TestDeleteAccount: matches end at once, the other side wins a running one, and after a restart nothing names the player.
func TestDeleteAccount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := newOffice(t)
		o.must(o.Ban(t.Context(), "SHA256:"+strings.Repeat("A", 43), time.Time{}, "because"))
		over, running, young := o.played(len(win), true), o.played(4, false), o.played(1, false)
		wantErr(t, "delete", o.Accounts.DeleteAccount(t.Context(), o.ana, o), nil)
		if v := o.view(running); !v.Over || v.Result != "second" || v.Reason != "abandoned" || v.Seats[0].Name != accountstore.FormerPlayer {
			t.Errorf("the running match: %s %s %v", v.Result, v.Reason, v.Seats)
		}
		if v := o.view(young); !v.Over || v.Result != "" {
			t.Errorf("the young match: %s %s", v.Result, v.Reason)
		}
		if len(o.ended) == 0 || o.ended[len(o.ended)-1] != keyOf("ana") {
			t.Errorf("ended %v", o.ended)
		}
		_, err := o.Standings.Profile(t.Context(), lobby.User{}, "ana")
		wantErr(t, "the profile", err, lobby.ErrNoSuchPlayer)
		_, _, err = o.Accounts.SignIn(t.Context(), keyOf("ana"))
		wantErr(t, "the key", err, lobby.ErrNoAccount)
		_, err = o.Accounts.SignUp(t.Context(), keyOf("other"), "ana")
		wantErr(t, "the name", err, lobby.ErrNameTaken)

		o.shut()
		o.open()
		if len(o.Bans()) != 1 {
			t.Errorf("bans %v", o.Bans())
		}
		synctest.Wait() // what was not done before the end is done
		for _, s := range []*seats.Seat{over, running} {
			f, err := o.store.Results.Finished(t.Context(), s.ID())
			if err != nil || f.First.Name != accountstore.FormerPlayer {
				t.Errorf("the record of %s: %+v, %v", s.ID(), f.First, err)
			}
		}
	})
}

// TestDeletionGoesOn: what a deletion has not come to when the club stopped is done when it opens again.
func TestDeletionGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := newOffice(t)
		over, running := o.played(len(win), true), o.played(4, false)
		if _, err := o.store.Accounts.DeletePlayer(t.Context(), o.ana.Player(), o.clock()); err != nil {
			t.Fatal(err)
		}
		o.shut()
		o.open()
		running = o.seat(o.rui, running.ID())
		for {
			v := o.view(running)
			if v.Over {
				break
			}
			if _, err := running.Next(t.Context(), v.Seq); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		f, err := o.store.Results.Finished(t.Context(), over.ID())
		if err != nil || f.First.Name != accountstore.FormerPlayer {
			t.Errorf("the record: %+v, %v", f.First, err)
		}
	})
}
