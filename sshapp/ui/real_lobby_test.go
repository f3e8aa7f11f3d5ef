package ui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

var _ Lobby = (*lobby.Lobby)(nil)

// openLobby opens a real club with a store in memory. It must be called in a bubble.
func openLobby(t *testing.T) *lobby.Lobby {
	t.Helper()
	l, err := lobby.New(t.Context(), storagetest.NewMemory(rateOldAccounts), lobby.Config{
		Games: catalog.All(), Levels: []lobby.Level{{ID: "random", Name: "Random", Move: anyMove,
			Sentence: "Plays any move that is allowed: a first opponent that everybody beats."}},
		Seed: func() uint64 { return 7 }, BotDelay: lobby.DefaultBotDelay, AnalysisNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// rateOldAccounts rates matches as if nobody had signed up just now.
func rateOldAccounts(m storage.RatedMatch) [2]storage.RatingChange {
	m.Young = [2]bool{}
	return storagetest.Rate(m)
}

// anyMove chooses a move at random.
func anyMove(_ context.Context, p games.Position, r *games.Random) (games.Move, error) {
	legal := p.Legal()
	return legal[r.N(len(legal))], nil
}

// TestTwoPeopleMeet walks two newcomers through a real club: one offers a match, the other sees it and takes it.
func TestTwoPeopleMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := openLobby(t)
		bia := begin(t, 80, 24, Config{Lobby: club, Fingerprint: "SHA256:bia", Suggested: "bia", Now: time.Now})
		rui := begin(t, 80, 24, Config{Lobby: club, Fingerprint: "SHA256:rui", Suggested: "rui", Now: time.Now})
		bia.keys("enter")
		rui.keys("enter")
		bia.goTo("New match...")
		bia.keys("down", "down", "right", "enter") // rated
		bia.atMatch()
		rui.pass(time.Second)
		rui.sees("2 here", "bia", "rated")

		rui.keys("tab", "enter")
		rui.atMatch()
		rui.keys("esc")
		bia.keys("esc")
		rui.pass(time.Second)
		bia.pass(time.Second)
		rui.sees("vs bia")
		bia.sees("vs rui")
		rui.misses("none yet")
		bia.misses("seat free")
	})
}

// TestGuestMeetsTheComputer: the match against the computer stands under Your matches, and after the computer's move it is the
// guest's.
func TestGuestMeetsTheComputer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := openLobby(t)
		s := begin(t, 40, 20, Config{Lobby: club, Who: club.Guest("connection 1"), Now: time.Now})
		s.keys("enter", "end", "up", "up", "up", "right", "right", "enter") // second: the computer begins
		s.atMatch()
		s.keys("esc", "tab")
		s.pass(5 * time.Second)
		s.sees("vs Random", "your move")
		if s.bells != 1 {
			t.Errorf("the bell rang %d times, want once for the computer's move", s.bells)
		}
	})
}

// TestOfferGoesAway: an offer that its owner takes back greys out before it goes.
func TestOfferGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := openLobby(t)
		bia, err := club.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(club.Enter(bia))
		ref, err := club.Open(t.Context(), bia, lobby.Spec{Game: "petteia", Options: games.Options{"captures_to_win": 3}, Public: true})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, 80, 24, Config{Lobby: club, Who: club.Guest("connection 1"), Now: time.Now})
		s.pass(time.Second)
		s.sees("captures", "bia")
		seat, err := club.At(t.Context(), bia, ref)
		if err != nil {
			t.Fatal(err)
		}
		if err := seat.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.pass(time.Second)
		s.sees("bia")
		s.pass(greyFor)
		s.misses("bia")
	})
}

// TestNewOpponent: a new opponent is asked for a match that is as rated as the one before, even if that ended too soon to count.
func TestNewOpponent(t *testing.T) {
	for _, rated := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			club := openLobby(t)
			bia, err := club.SignUp(t.Context(), "SHA256:bia", "bia")
			if err != nil {
				t.Fatal(err)
			}
			caio, err := club.SignUp(t.Context(), "SHA256:caio", "caio")
			if err != nil {
				t.Fatal(err)
			}
			ref, err := club.Open(t.Context(), bia, lobby.Spec{Game: "petteia", Rated: rated})
			if err != nil {
				t.Fatal(err)
			}
			s := begin(t, 80, 24, Config{Lobby: club, Who: caio, Start: StartJoin, Code: ref.Code, Now: time.Now})
			s.atMatch()
			seat, err := club.At(t.Context(), bia, ref)
			if err != nil {
				t.Fatal(err)
			}
			if err := seat.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.pass(time.Second)
			s.keys("n")
			s.pass(time.Second)
			offers := club.Lists(caio).Offers
			if len(offers) != 1 || offers[0].By.Name != "caio" || offers[0].Rated != rated {
				t.Errorf("after a match that was rated %v, the offers are %+v", rated, offers)
			}
		})
	}
}
