package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	tournamentstore "ludoteca/storage/tournaments"
)

// TestEventOnScreen: a player enters an event from the list, is called to the board when the match begins, finds back to the event, and sees the
// standing and the cross table at the end.
func TestEventOnScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		ana := begin(t, 80, 24, Config{Lobby: screen.Of(club), Fingerprint: "SHA256:ana", Suggested: "ana", Now: time.Now})
		ana.Keys("enter", "esc") // the recovery code is hidden
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		ana.Pass(time.Second)
		<-time.After(tournaments.MinAge)
		five, err := clock.Parse("5+3")
		if err != nil {
			t.Fatal(err)
		}
		ref, err := club.Tournaments.Announcer.Announce(t.Context(), bia, tournaments.Spec{
			Kind: tournamentstore.Swiss, Games: []tournaments.Game{{ID: "4mation"}}, Name: "Tea at five", Clock: five, Begins: time.Now().Add(5 * time.Minute), Rounds: 1, Least: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := club.Tournaments.Registration.Enter(t.Context(), bia, ref); err != nil {
			t.Fatal(err)
		}
		ana.GoTo("Events")
		ana.Pass(time.Second)
		ana.Sees("Tea at five", "begins in")
		ana.Keys("enter")
		ana.Pass(time.Second)
		ana.Sees("It begins", "bia", "e enter the event")
		ana.Keys("e")
		ana.Pass(time.Second)
		ana.Sees("You take part. It begins", "x leave the event")
		ana.Keys("esc", "esc")
		bells := ana.Bells
		ana.Pass(5 * time.Minute)
		ana.Sees("Tea at five", "bia", "ctrl+n")
		if ana.Bells == bells {
			t.Error("nothing rang")
		}
		ana.Send(tea.WindowSizeMsg{Width: 40, Height: 20})
		either := strings.NewReplacer("you play\n   second against", "you play\n   first against") // the colours are drawn
		uitest.Golden(t, "event-call-40x20", either.Replace(ana.Page()))
		ana.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
		ana.Keys("ctrl+n")
		ana.Pass(time.Second)
		ana.AtMatch()
		ana.Sees("Tea at five")
		ana.Keys("ctrl+e")
		ana.Pass(time.Second)
		ana.Sees("Swiss, 1 round", "bia", "round")
		ana.Keys("tab")
		ana.Sees("goes on")
		ana.Keys("enter")
		ana.Pass(time.Second)
		ana.AtMatch()
		moved := strings.Contains(ana.Page(), "your move") // the sides are drawn: if bia is first, there is no move to review
		if moved {
			ana.Keys("d", "4", "enter")
			ana.Pass(time.Second)
		}
		ana.Pass(2 * time.Minute) // bia doesn't move, and loses
		ana.Sees("ctrl+e the event")
		if moved {
			ana.Sees("review")
		}
		ana.Misses("rematch")
		ana.Keys("r")
		ana.AtMatch()
		ana.Misses("asks for a rematch", "Waiting for")
		ana.Keys("esc")
		ana.Keys("tab")
		ana.Sees("won by ana", "2+", "1-")
		ana.Keys("tab")
		for _, size := range [][2]int{{80, 24}, {40, 20}, {200, 50}} {
			ana.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			uitest.Golden(t, fmt.Sprintf("event-%dx%d", size[0], size[1]), strings.ReplaceAll(ana.Page(), ref.Code, "K7QM2X"))
		}
	})
}
