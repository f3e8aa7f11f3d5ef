package lobby_test

import (
	"testing"

	"ludoteca/lobby"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// TestComputerAccount makes a computer account and holds that it is marked, and that nobody plays with it by hand.
func TestComputerAccount(t *testing.T) {
	o := newOffice(t)
	deep, err := o.Accounts.SignUp(t.Context(), keyOf("deep"), "deep")
	if err != nil {
		t.Fatal(err)
	}
	seat := o.played(4, true)
	wantErr(t, "an account that plays", o.Accounts.Become(t.Context(), o.ana, "", lobby.NoSessions{}), lobby.ErrPlayed)
	wantErr(t, "an owner whom nobody knows", o.Accounts.Become(t.Context(), deep, "nobody", lobby.NoSessions{}), lobby.ErrNoSuchPlayer)
	wantErr(t, "becoming", o.Accounts.Become(t.Context(), deep, "rui", o), nil)
	if o.told(keyOf("deep")) != lobby.ErrBecame {
		t.Errorf("the sessions of %v were ended", o.ended)
	}
	_, err = o.Lobby.Seats.Open(t.Context(), deep, seats.Spec{Game: "fourmation", Public: true})
	wantErr(t, "a session that began before", err, lobby.ErrNoAccount)

	deep, _, err = o.Accounts.SignIn(t.Context(), keyOf("deep"))
	if err != nil || deep.Kind != storage.Engine {
		t.Fatalf("it signs in as %+v, %v", deep, err)
	}
	wantErr(t, "an owner that it has not named", o.Accounts.Adopt(t.Context(), o.ana, "deep"), lobby.ErrNotNamed)
	wantErr(t, "adopting", o.Accounts.Adopt(t.Context(), o.rui, "deep"), nil)
	if p, err := o.Standings.Profile(t.Context(), o.ana, "deep"); err != nil || p.Kind != storage.Engine || p.Owner != "rui" {
		t.Errorf("its profile is %+v, %v", p, err)
	}
	_, err = o.Lobby.Seats.Open(t.Context(), deep, seats.Spec{Game: "fourmation", Public: true})
	wantErr(t, "opening by hand", err, lobby.ErrEngine)
	_, err = o.Lobby.Quick.Quick(t.Context(), deep, quick.One(seats.Spec{Game: "fourmation"}))
	wantErr(t, "a quick match", err, lobby.ErrEngine)
	_, err = o.Lobby.Quick.Seek(t.Context(), deep, quick.One(seats.Spec{Game: "fourmation"}))
	wantErr(t, "a search", err, lobby.ErrEngine)
	_, err = o.Operator.Merge(t.Context(), "deep", "ana", "why not")
	wantErr(t, "merging it into a player", err, lobby.ErrKinds)

	offer, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Public: true, Rated: true})
	if err != nil {
		t.Fatal(err)
	}
	programs := o.Lobby.Seats.Programs()
	_, err = programs.Take(t.Context(), deep, offer.ID)
	wantErr(t, "taking an offer of a person", err, lobby.ErrEngine)
	own, err := programs.Open(t.Context(), deep, seats.Spec{Game: "fourmation", Public: true, Rated: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.Lobby.Seats.Take(t.Context(), o.rui, own.ID)
	wantErr(t, "a rated match with the owner", err, lobby.ErrOwnEngine)
	if _, err := o.Lobby.Seats.Take(t.Context(), o.ana, own.ID); err != nil {
		t.Errorf("taking its offer: %v", err)
	}
	if v := o.view(o.seat(o.ana, own.ID)); v.Seats[0].Kind != storage.Engine && v.Seats[1].Kind != storage.Engine {
		t.Errorf("the seats are %+v", v.Seats)
	}
	if err := seat.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	people, err := o.Standings.Leaderboard(t.Context(), "fourmation")
	engines, err2 := o.Standings.EngineLeaderboard(t.Context(), "fourmation")
	if err != nil || err2 != nil || len(people) != 2 || len(engines) != 0 {
		t.Errorf("leaderboards %v, %v and %v, %v", people, err, engines, err2)
	}
}
