package lobby_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// TestNamesAtOneKeyboard: two at one keyboard have names of their own in their match, also after a restart, in the rematch and in the
// record. It stays a match of one player alone: moves are taken back without asking, and nothing is counted.
func TestNamesAtOneKeyboard(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	ref, err := o.Lobby.Seats.Open(ctx, o.ana, seats.Spec{Game: "fourmation", Hotseat: true, Names: [2]string{"Zé", ""}})
	wantErr(t, "open", err, nil)
	seat := o.seat(o.ana, ref.ID)
	named := func(when string, s *seats.Seat, want ...string) {
		t.Helper()
		v := o.view(s)
		for side, name := range want {
			if (v.Seats[side] != storage.Occupant{Kind: storage.Person, ID: o.ana.ID, Name: name}) {
				t.Errorf("%s: side %d is %+v, want %s", when, side, v.Seats[side], name)
			}
		}
	}
	named("at first", seat, "Zé", "ana")
	for _, m := range win[:3] {
		wantErr(t, "move", seat.Move(ctx, m, lobby.AnyPly), nil)
	}
	wantErr(t, "take back", seat.Takeback(ctx), nil)
	if v := o.view(seat); len(v.Moves) != 2 {
		t.Errorf("%d moves are left, want 2", len(v.Moves))
	}
	o.shut()
	o.open()
	seat = o.seat(o.ana, ref.ID)
	named("after a restart", seat, "Zé", "ana")
	for _, m := range win[2:4] {
		wantErr(t, "move", seat.Move(ctx, m, lobby.AnyPly), nil)
	}
	wantErr(t, "resign", seat.Resign(ctx), nil)
	named("after the end", seat, "Zé", "ana")
	if f := o.kept(ref.ID); f.First.Name != "Zé" || f.Second.Name != "ana" || f.Rated || f.Public {
		t.Errorf("the record is %+v", f)
	}
	if got := o.historyOf(o.ana.Player()); len(got) != 1 {
		t.Errorf("the history is %v", got)
	}
	tally, err := o.store.Results.Tallies(ctx, o.ana.Player(), o.ana.Player())
	wantErr(t, "tallies", err, nil)
	if tally.Conduct.Started != 0 {
		t.Errorf("it is counted: %+v", tally)
	}
	again, err := seat.Rematch(ctx)
	wantErr(t, "rematch", err, nil)
	named("in the rematch", o.seat(o.ana, again.ID), "ana", "Zé")
	if _, err := o.Seats.Join(ctx, o.rui, origin.Origin{}, ref.Code); err == nil {
		t.Error("another user can join")
	}

	wantErr(t, "delete", o.Lobby.Accounts.DeleteAccount(ctx, o.ana, o), nil)
	if f := o.kept(ref.ID); f.First.Name != accounts.FormerPlayer || f.Second.Name != accounts.FormerPlayer {
		t.Errorf("after the account is deleted the record says %+v", f)
	}
}

// TestNamesAtOneKeyboardAreNames: whatever is typed is a name as accounts have them, or is refused, and other matches have none.
func TestNamesAtOneKeyboardAreNames(t *testing.T) {
	o := newOffice(t)
	for _, name := range []string{" ", "x\x1b[2J", "guest-2345", "a\u202eb", strings.Repeat("x", 10_000), "Pupil (bot)"} {
		_, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Hotseat: true, Names: [2]string{"ana", name}})
		if p := (*names.Error)(nil); !errors.As(err, &p) {
			t.Errorf("the name %.20q: %v", name, err)
		}
	}
	for name, want := range map[string]error{"RUI": lobby.ErrNameTaken, "Ana": nil, "zé": nil} {
		_, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Hotseat: true, Names: [2]string{"", name}})
		wantErr(t, "the name "+name, err, want)
	}
	_, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Names: [2]string{"zé", "bia"}})
	wantErr(t, "names in another match", err, lobby.ErrSpec)
}

// TestOneKeyboardWaitsForNobody: a match at one keyboard doesn't wait for its player, and has nobody's rating.
func TestOneKeyboardWaitsForNobody(t *testing.T) {
	o := newOffice(t)
	wantErr(t, "resign", o.played(4, true).Resign(t.Context()), nil) // ana has a rating
	ref, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Hotseat: true})
	wantErr(t, "open", err, nil)
	v := o.view(o.seat(o.ana, ref.ID))
	if v.Strength[0].Known || v.Strength[1].Known {
		t.Errorf("it has the ratings %+v", v.Strength)
	}
	if yours := o.Lists.Yours(o.ana).Matches; len(yours) != 1 || !yours[0].YourTurn || yours[0].Waits() {
		t.Errorf("ana has %+v", yours)
	}
}

// TestRenameIsHeard: what concerns a player says so when they have another name, no matter who has given it.
func TestRenameIsHeard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := newOffice(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a lobby that says nothing
		defer cancel()
		yours, n, err := o.Lists.NextYours(ctx, o.ana, 0)
		if err != nil || yours.Name != "ana" {
			t.Fatal(yours, err)
		}
		_, err = o.Accounts.ChangeName(ctx, o.ana, "anabela")
		wantErr(t, "rename", err, nil)
		if yours, n, err = o.Lists.NextYours(ctx, o.ana, n); err != nil || yours.Name != "anabela" {
			t.Fatalf("after a rename: %+v, %v", yours, err)
		}
		_, err = o.Operator.Rename(ctx, "anabela", "ana2", "x")
		wantErr(t, "an operator's rename", err, nil)
		if yours, _, err = o.Lists.NextYours(ctx, o.ana, n); err != nil || yours.Name != "ana2" {
			t.Errorf("after an operator's: %+v, %v", yours, err)
		}
	})
}
