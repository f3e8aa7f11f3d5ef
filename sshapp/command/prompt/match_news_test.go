package prompt

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/storagetest"
)

// TestTellMatch: each side and a spectator are told the moves of others with the time that is left, and when that is little.
func brief() Manner { return Manner{Brief: true} }

func TestTellMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{Games: catalog.All()})
		if err != nil {
			t.Fatal(err)
		}
		defer club.Close()
		people := map[string]lobby.User{}
		for _, name := range []string{"ana", "rui", "zoe"} {
			if people[name], err = club.Accounts.SignUp(t.Context(), "SHA256:"+name, name); err != nil {
				t.Fatal(err)
			}
		}
		clock, err := lobby.ParseClock("2+1")
		if err != nil {
			t.Fatal(err)
		}
		ref, err := club.Seats.Open(t.Context(), people["ana"], seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range people { // all are present
			club.Presence.Visit(who, false).At(ref.ID)
		}
		seats, told := map[string]*seats.Seat{}, map[string]chan string{}
		follow := func(name string) {
			seat, err := club.Seats.At(t.Context(), people[name], ref)
			if err != nil {
				t.Fatal(err)
			}
			v, err := seat.Now(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			lines := make(chan string, 10)
			seats[name], told[name] = seat, lines
			go tellMatch(t.Context(), wording.Words{}, brief, seat, v, func(words string, _ []lobby.OpenOffer) { lines <- words }, func(*lobby.View) {}) // ends with the match
		}
		expect := func(name string, want ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			for len(told[name]) > 0 {
				got = append(got, <-told[name])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s is told %q, want %q", name, got, want)
			}
		}
		move := func(name string, m games.Move) {
			t.Helper()
			if err := seats[name].Move(t.Context(), m, lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
		}
		follow("ana")
		if _, err := club.Seats.Join(t.Context(), people["rui"], origin.Origin{}, ref.Code); err != nil {
			t.Fatal(err)
		}
		follow("rui")
		follow("zoe")
		expect("ana", "The match begins: ana against rui. Your first move: 30 seconds left. Your move.")
		expect("rui")
		move("ana", "a1")
		expect("ana")
		expect("rui", "ana places a piece on a1. Your first move: 30 seconds left. Your move.")
		expect("zoe", "ana places a piece on a1. First move of rui: 30 seconds left.")
		move("rui", "b2")
		time.Sleep(50 * time.Second)
		move("ana", "b1")
		expect("ana", "rui places a piece on b2. You have 2 minutes left, rui has 2 minutes. Your move.")
		expect("rui", "ana places a piece on b1. You have 2 minutes left, ana has 1 minute and 11 seconds. Your move.")
		expect("zoe", "rui places a piece on b2. ana has 2 minutes left, rui has 2 minutes.", "ana places a piece on b1. ana has 1 minute and 11 seconds left, rui has 2 minutes.")
		time.Sleep(60 * time.Second)
		expect("rui", "You have 1 minute left.")
		expect("ana", "rui has 1 minute left.")
		time.Sleep(50 * time.Second)
		expect("rui", "You have 30 seconds left.", "You have 10 seconds left.")
		move("rui", "c2")
		expect("ana", "rui has 30 seconds left.", "rui has 10 seconds left.", "rui places a piece on c2. You have 1 minute and 11 seconds left, rui has 11 seconds. Your move.")
		time.Sleep(2 * time.Minute)
		const end = "rui wins: ana ran out of time."
		expect("ana", "You have 1 minute left.", "You have 30 seconds left.", "You have 10 seconds left.", end)
		expect("rui", "ana has 1 minute left.", "ana has 30 seconds left.", "ana has 10 seconds left.", "You win: ana ran out of time.")
	})
}

// TestWarningsOfDays: in a correspondence match there is a warning for the last hour too.
func TestWarningsOfDays(t *testing.T) {
	for clock, want := range map[string]string{"3d": "[1h0m0s 1m0s 30s 10s]", "5+3": "[1m0s 30s 10s]", "180+0": "[1m0s 30s 10s]", "none": "[]"} {
		set, err := lobby.ParseClock(clock)
		if err != nil {
			t.Fatal(err)
		}
		v := &lobby.View{}
		v.Clock.Setting, v.Clock.Since, v.Clock.Moved = set, time.Now(), [2]bool{true, true}
		v.Clock.Left = [2]time.Duration{set.Base, set.Base}
		if got := fmt.Sprint(warnings(v)); got != want {
			t.Errorf("%s: %s, want %s", clock, got, want)
		}
	}
}
