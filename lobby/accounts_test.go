package lobby_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/standings"
	"ludoteca/storage/accounts"
)

func TestAccounts(t *testing.T) {
	c := newClub(t)
	if c.ana.Kind != "player" || c.ana.Name != "ana" || c.ana.Player() == "" {
		t.Errorf("ana is %+v", c.ana)
	}
	who, _, err := c.Accounts.SignIn(t.Context(), "key of ana")
	if who != c.ana || err != nil {
		t.Errorf("signing in again: %+v, %v", who, err)
	}
	_, err = c.Accounts.SignUp(t.Context(), "another key", "ANA")
	wantErr(t, "the name of another", err, lobby.ErrNameTaken)
	_, err = c.Accounts.SignUp(t.Context(), "key of ana", "anabel")
	wantErr(t, "a second name", err, lobby.ErrHasAccount)
	_, err = c.Accounts.SignUp(t.Context(), "another key", "root")
	if e := (*names.Error)(nil); !errors.As(err, &e) {
		t.Errorf("a reserved name: %v", err)
	}
	for in, want := range map[string]string{"bia": "bia", "ana": "", "root": "", "\x1b[2J": "", "": ""} {
		if got := c.Accounts.SuggestName(t.Context(), in); got != want {
			t.Errorf("SuggestName(%q) = %q, want %q", in, got, want)
		}
	}
	wantErr(t, "a guest's settings", c.Accounts.SaveSettings(t.Context(), c.guest, c.settingsOf(c.ana)), lobby.ErrNeedsKey)
	_, err = c.Standings.Profile(t.Context(), lobby.User{}, "nobody-here")
	wantErr(t, "an unknown profile", err, lobby.ErrNoSuchPlayer)
	_, err = c.Standings.Profile(t.Context(), lobby.User{}, "\x00")
	wantErr(t, "a bad name", err, lobby.ErrNoSuchPlayer)
	if keys, err := c.Accounts.Fingerprints(t.Context(), c.ana); err != nil || len(keys) != 1 || keys[0] != "key of ana" {
		t.Errorf("keys: %v, %v", keys, err)
	}
}

// TestOldNames: what was a good name once finds its player for ever, however strict names have become since.
func TestOldNames(t *testing.T) {
	c := newClub(t)
	const name = "Ludoteca"
	if _, _, err := names.Check(name); err == nil {
		t.Fatalf("%s is a good name today", name)
	}
	old := accounts.Player{Name: name, NameKey: "ludoteca", Since: time.Unix(1e9, 0).UTC()}
	if _, err := c.store.SignUp(t.Context(), old, "key of old"); err != nil {
		t.Fatal(err)
	}
	if p, err := c.Standings.Profile(t.Context(), lobby.User{}, "LUDOTECA"); err != nil || p.Name != name {
		t.Errorf("Profile = %+v, %v", p, err)
	}
	if _, _, err := c.Results.History(t.Context(), standings.HistoryQuery{Name: name, Limit: 1}); err != nil {
		t.Errorf("History: %v", err)
	}
}

func TestGuestNames(t *testing.T) {
	c := newClub(t)
	one, same, other := c.Accounts.Guest("1"), c.Accounts.Guest("1"), c.Accounts.Guest("2")
	if one != same || one.ID == other.ID {
		t.Errorf("guests %+v, %+v, %+v", one, same, other)
	}
	if _, _, err := names.Check(one.Name); err == nil {
		t.Errorf("a player could be called %s", one.Name)
	}
	if strings.Contains(one.ID, "1") && len(one.ID) < 32 {
		t.Errorf("the id %s can be guessed", one.ID)
	}
}

func TestSettings(t *testing.T) {
	c := newClub(t)
	s := c.settingsOf(c.ana)
	s.Mute, s.Theme = true, "dark"
	if err := c.Accounts.SaveSettings(t.Context(), c.ana, s); err != nil {
		t.Fatal(err)
	}
	if got := c.settingsOf(c.ana); got != s {
		t.Errorf("settings %+v, want %+v", got, s)
	}
}
