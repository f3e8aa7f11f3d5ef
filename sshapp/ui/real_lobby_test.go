package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestTwoPeopleMeet walks two newcomers through a real club: one offers a match, the other sees it and takes it.
func TestTwoPeopleMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		bia := begin(t, 80, 24, Config{Lobby: screen.Of(club), Fingerprint: "SHA256:bia", Suggested: "bia", Now: time.Now})
		rui := begin(t, 80, 24, Config{Lobby: screen.Of(club), Fingerprint: "SHA256:rui", Suggested: "rui", Now: time.Now})
		bia.Keys("enter")
		rui.Keys("enter")
		bia.GoTo("New match...")
		bia.Keys("down", "down", "right", "enter") // rated
		bia.AtMatch()
		rui.Pass(time.Second)
		rui.Sees("2 here", "bia", "rated")

		rui.Keys("tab", "enter")
		rui.AtMatch()
		rui.Keys("esc")
		bia.Keys("esc")
		rui.Pass(time.Second)
		bia.Pass(time.Second)
		rui.Sees("vs bia")
		bia.Sees("vs rui")
		rui.Misses("none just now")
		bia.Misses("seat free")
	})
}

// TestGuestMeetsTheComputer: the match against the computer stands under Your matches, and after the computer's move it is the
// guest's.
func TestGuestMeetsTheComputer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		s := begin(t, 40, 20, Config{Lobby: screen.Of(club), Who: club.Accounts.Guest("connection 1"), Now: time.Now})
		s.Keys("enter", "end", "up", "up", "up", "up", "right", "right", "enter") // second: the computer begins
		s.AtMatch()
		s.Keys("esc", "tab")
		s.Pass(5 * time.Second)
		s.Sees("vs Random", "your move")
		if s.Bells != 1 {
			t.Errorf("the bell rang %d times, want once for the computer's move", s.Bells)
		}
	})
}

// TestOfferGoesAway: an offer that its owner withdraws greys out before it disappears.
func TestOfferGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(club.Presence.Enter(bia))
		ref, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", Options: games.Options{"captures_to_win": 3}, Public: true})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: club.Accounts.Guest("connection 1"), Now: time.Now})
		s.Pass(time.Second)
		s.Sees("captures", "bia")
		seat, err := club.Seats.At(t.Context(), bia, ref)
		if err != nil {
			t.Fatal(err)
		}
		if err := seat.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Second)
		s.Sees("bia")
		s.Pass(3 * time.Second)
		s.Misses("bia")
	})
}

// TestNewOpponent: a new opponent is asked for a match that is as rated as the one before, even if that ended too soon to count.
func TestNewOpponent(t *testing.T) {
	for _, rated := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			club := uitest.OpenLobby(t)
			bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
			if err != nil {
				t.Fatal(err)
			}
			caio, err := club.Accounts.SignUp(t.Context(), "SHA256:caio", "caio")
			if err != nil {
				t.Fatal(err)
			}
			ref, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", Rated: rated})
			if err != nil {
				t.Fatal(err)
			}
			s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: caio, Start: StartJoin, Code: ref.Code, Now: time.Now})
			s.AtMatch()
			seat, err := club.Seats.At(t.Context(), bia, ref)
			if err != nil {
				t.Fatal(err)
			}
			if err := seat.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Pass(time.Second)
			s.Keys("n")
			s.Pass(time.Second)
			offers := club.Lists.Now(caio).Offers
			if len(offers) != 1 || offers[0].By.Name != "caio" || offers[0].Rated != rated {
				t.Errorf("after a match that was rated %v, the offers are %+v", rated, offers)
			}
		})
	}
}

// TestLounge: the lounge is quiet until it is opened by tab; from then on its newest line stands in the lobby.
func TestLounge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		var players []lobby.User
		for _, name := range []string{"bia", "rui"} {
			u, err := club.Accounts.SignUp(t.Context(), "SHA256:"+name, name)
			if err != nil {
				t.Fatal(err)
			}
			players = append(players, u)
		}
		bia, rui := players[0], players[1]
		time.Sleep(lounge.YoungFor)
		say := func(words string) {
			t.Helper()
			if _, err := club.Lounge.Say(t.Context(), bia, words); err != nil {
				t.Fatal(err)
			}
		}
		say("who plays?")
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: rui, Now: time.Now})
		s.Pass(time.Second)
		s.Misses("who plays?")
		s.Keys("tab", "tab")
		s.Pass(time.Second)
		s.Sees("LOUNGE", "bia: who plays?", "enter send", "Settings")
		s.Misses("OPEN OFFERS")
		s.Keys("q?", "enter")
		s.Pass(time.Second)
		s.Sees("rui: q?")
		s.Keys("half", "tab")
		s.Pass(time.Second)
		s.Sees("OPEN OFFERS", "Lounge: rui: q?")
		say("tea!")
		s.Pass(time.Second)
		s.Sees("Lounge: bia: tea!")
		s.Keys("tab", "tab")
		s.Sees("> half")
		s.Keys("esc")
		s.Sees("OPEN OFFERS", "> Play the computer")
		if _, kept, err := club.Accounts.SignIn(t.Context(), "SHA256:rui"); err != nil || !kept.Lounge {
			t.Errorf("rui's settings: %+v, %v", kept, err)
		}
		again := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: rui, Settings: accounts.Settings{Lounge: true}, Now: time.Now})
		again.Pass(time.Second)
		again.Sees("Lounge: bia: tea!")
		guest := begin(t, 40, 20, Config{Lobby: screen.Of(club), Who: club.Accounts.Guest("1"), Now: time.Now})
		guest.Keys("tab", "tab", "hello", "enter")
		guest.Pass(time.Second)
		guest.Sees("LOUNGE", "bia: tea!", "> hello")
	})
}

// TestTells: a line of another player stands above the footer until it is answered or hidden, and covers nothing.
func TestTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		var players []lobby.User
		for _, name := range []string{"bia", "rui"} {
			u, err := club.Accounts.SignUp(t.Context(), "SHA256:"+name, name)
			if err != nil {
				t.Fatal(err)
			}
			players = append(players, u)
		}
		bia, rui := players[0], players[1]
		for _, pair := range [][2]lobby.User{{bia, rui}, {rui, bia}} {
			if _, err := club.Relations.Relate(t.Context(), pair[0], relations.Following, pair[1].Name, true); err != nil {
				t.Fatal(err)
			}
		}
		tell := func(words string) {
			t.Helper()
			if _, err := club.Tells.Tell(t.Context(), bia, "rui", words); err != nil {
				t.Fatal(err)
			}
		}
		tell("tea?")
		s := begin(t, 80, 24, Config{Lobby: screen.Of(club), Who: rui, Now: time.Now})
		s.Pass(time.Second)
		s.Sees("bia tells you: tea?", "ctrl+r answers, esc hides it", "Settings", "NOW PLAYING")
		if s.Bells != 1 {
			t.Errorf("the bell rang %d times, want once", s.Bells)
		}
		s.Keys("esc")
		s.Misses("tells you")
		tell("or coffee?")
		tell("or nothing?")
		s.Pass(time.Second)
		s.Sees("bia tells you: or nothing?", "one line before")
		s.Keys("ctrl+r")
		s.Pass(time.Second)
		s.Sees("bia: tea?", "bia: or coffee?", "bia: or nothing?", "enter send")
		s.Misses("tells you")
		s.Keys("tea, please")
		s.Keys("enter")
		s.Pass(time.Second)
		s.Sees("rui: tea, please")
		tell("good")
		s.Pass(time.Second)
		s.Sees("bia: good")
		s.Misses("tells you")
		s.Keys("esc")
		s.Pass(time.Second)
		s.Misses("tells you")
		if all, err := club.Tells.Kept(t.Context(), bia); err != nil || len(all) != 5 || all[3].Text != "tea, please" {
			t.Errorf("bia has %+v, %v", all, err)
		}
	})
}
