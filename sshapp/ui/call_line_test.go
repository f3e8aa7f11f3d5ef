package ui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/quick"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// TestCalledFromPractice: a player who waits for a quick match plays the computer meanwhile, is called, and goes to the board with one key. The other
// match waits among their own.
func TestCalledFromPractice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		var notified []string
		ana := begin(t, 80, 24, Config{Lobby: screen.Of(club), Fingerprint: "SHA256:ana", Suggested: "ana", Now: time.Now,
			Notify: func(_, body string) tea.Cmd { notified = append(notified, body); return nil }})
		ana.Keys("enter")
		ana.Pass(time.Second)
		ana.App.Env().Settings.Notify = true
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		want := quick.First(quick.Choice{Game: "petteia"})
		seek := func() (quick.Search, context.CancelFunc) {
			t.Helper()
			ctx, stop := context.WithCancel(t.Context())
			s, err := club.Quick.Seek(ctx, bia, want)
			if err != nil {
				t.Fatal(err)
			}
			return s, stop
		}
		// The form remembers the game; clock and mode are as in a first quick match.
		ana.App.Env().Settings = club.Quick.RememberQuick(ana.App.Env().Settings, want)
		ana.App.Env().Settings.QuickAsked = true
		ana.GoTo("Quick match")
		ana.Pass(time.Second)
		ana.Sees("Meanwhile p plays the computer", "looking between")
		ana.Keys("p")
		ana.Sees("play the computer", "Petteia")
		ana.Misses("Clock")
		ana.Keys("end")
		ana.Sees("This match has no clock")
		ana.Keys("enter")
		ana.Pass(time.Second)
		ana.AtMatch()
		ana.Misses("ctrl+g")
		practice := club.Lists.Yours(ana.App.Env().Who).Matches
		if len(practice) != 1 {
			t.Fatalf("ana has %d matches", len(practice))
		}

		// bia comes, and ana doesn't go.
		bells := ana.Bells
		_, stop := seek()
		ana.Pass(time.Second)
		ana.Sees("An opponent is found: Petteia", "You have 9 s · ctrl+g goes there")
		if ana.Bells == bells || len(notified) != 1 {
			t.Errorf("it rang %d times, and notified %q", ana.Bells-bells, notified)
		}
		ana.Pass(3 * time.Second)
		ana.Sees("You have 6 s")
		ana.Pass(8 * time.Second)
		ana.Misses("ctrl+g")
		ana.Sees("you did not come within 10 s")
		stop()
		ana.Keys("esc")
		ana.Sees("you did not come within 10 s", "enter look again")
		ana.Misses("p play the computer")
		ana.Keys("enter")
		ana.Pass(time.Second)

		// ana goes on with the match against the computer, and to that against bia when she is called.
		ana.Keys("ctrl+n")
		ana.Pass(time.Second)
		ana.AtMatch()
		search, stop := seek()
		defer stop()
		ana.Pass(2 * time.Second)
		ana.Sees("You have 8 s")
		ana.Keys("?", "end")
		ana.Sees("go to your quick match")
		ana.Keys("esc")
		ana.Keys("ctrl+g")
		ana.Pass(time.Second)
		ana.AtMatch()
		ana.Sees("bia")
		ana.Misses("An opponent is found")
		found, _, err := search.Next(t.Context(), 0)
		if err != nil || found.Match.ID == "" {
			t.Errorf("bia has found %+v, %v", found, err)
		}
		v, err := club.Seats.At(t.Context(), bia, found.Match)
		if err != nil {
			t.Fatal(err)
		}
		now, err := v.Now(t.Context())
		if err != nil || now.Over || now.Clock.Setting != clock.NewFischer(5, 3) {
			t.Errorf("bia plays %+v, %v", now, err)
		}
		all := club.Lists.Yours(ana.App.Env().Who).Matches
		if len(all) != 2 {
			t.Errorf("ana has %d matches, want that against the computer too", len(all))
		}
		for _, m := range all {
			if m.ID == practice[0].ID && m.LastAt != practice[0].LastAt {
				t.Error("the match against the computer has gone on")
			}
		}
	})
}

// TestOtherIsCalled: a player who is at the page is told that the opponent is called, and what comes of it.
func TestOtherIsCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		ana := begin(t, 80, 24, Config{Lobby: screen.Of(club), Fingerprint: "SHA256:ana", Suggested: "ana", Now: time.Now})
		ana.Keys("enter")
		ana.Pass(time.Second)
		want := quick.First(quick.Choice{Game: "petteia"})
		var searches []quick.Search
		for _, name := range []string{"bia", "caio"} {
			u, err := club.Accounts.SignUp(t.Context(), "SHA256:"+name, name)
			if err != nil {
				t.Fatal(err)
			}
			w := want
			w.Rated = name == "bia" // of another kind: the two don't meet
			s, err := club.Quick.Seek(t.Context(), u, w)
			if err != nil {
				t.Fatal(err)
			}
			s.SetAway(true)
			synctest.Wait()
			searches = append(searches, s)
		}
		ana.App.Env().Settings = club.Quick.RememberQuick(ana.App.Env().Settings, want)
		ana.App.Env().Settings.QuickAsked = true
		ana.GoTo("Quick match")
		ana.Pass(time.Second)
		ana.Sees("An opponent is found: Petteia", "They are called, and have 9 s to")
		ana.Pass(11 * time.Second)
		ana.Sees("Your opponent has not come. The club goes on looking for you.", "looking between", "12 s")
		late := errors.New("none")
		for after := uint64(0); errors.Is(late, lobby.ErrMissedCall) == false; {
			var err error
			if _, after, err = searches[1].Next(t.Context(), after); err != nil {
				late = err
				break
			}
		}
		if !errors.Is(late, lobby.ErrMissedCall) {
			t.Errorf("caio's search: %v", late)
		}
	})
}

// TestSearchStays: home leads to the page on which a player waits, and a full stack doesn't drop it.
func TestSearchStays(t *testing.T) {
	var s stack
	s.add(echoing{})
	s.add(calling{words: "come"})
	for range 2 * maxStack {
		s.makeRoom()
		s.add(echoing{})
	}
	page, at := s.waiting()
	if at != 1 || page == nil || page.Call() != "come" || len(s.slots) != maxStack {
		t.Errorf("%v waits at %d of %d screens", page, at, len(s.slots))
	}
	n := navigator{screens: s, env: &screen.Env{}}
	_, at = n.screens.waiting()
	if n.screens.cut(at + 1); n.screens.last() != 1 {
		t.Errorf("%d screens are left", len(n.screens.slots))
	}
	if page, _ := n.screens.waiting(); page != nil {
		t.Errorf("%v waits on top", page)
	}
}

// calling is a page that waits and calls.
type calling struct {
	echoing
	words string
}

func (calling) Waits() bool    { return true }
func (c calling) Call() string { return c.words }
