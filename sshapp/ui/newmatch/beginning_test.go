package newmatch

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// TestMatchFromAPositionOfOnesOwn goes from the form to the board on which a position is set up, and back: against any opponent,
// the match is asked for with the position, and is casual.
func TestMatchFromAPositionOfOnesOwn(t *testing.T) {
	const from = "ply=1 turn=O ......./......./......./...X.../......./......./......."
	options := games.Options{"size": 7, "marbles": 8}
	toPosition := []string{"down", "down", "down", "down", "down", "down", "enter"}
	tests := []struct {
		name string
		keys []string
		want seats.Spec
	}{
		{"any player", []string{"x", "ctrl+o", "enter"}, seats.Spec{Game: "momentum", Options: options, Public: true, From: from}},
		{"a friend", []string{"x", "ctrl+o", "enter", "home", "down", "down", "down", "right"},
			seats.Spec{Game: "momentum", Options: options, From: from}},
		{"the computer", []string{"x", "ctrl+o", "enter", "home", "right"},
			seats.Spec{Game: "momentum", Options: options, Bot: "random", Public: true, From: from}},
		{"at this keyboard, with a clock", []string{"x", "ctrl+o", "enter", "home", "right", "right", "down", "down", "down", "down", "right", "right", "right"},
			seats.Spec{Game: "momentum", Options: options, Hotseat: true, From: from, Clock: uitest.ClockOfTest("5+3")}},
		{"two computers are no choice", []string{"x", "ctrl+o", "enter", "home", "right", "right", "right"},
			seats.Spec{Game: "momentum", Options: options, Public: true, From: from}},
		{"changed again", []string{"x", "enter", "up", "enter", "ctrl+o", "enter"}, seats.Spec{Game: "momentum", Options: options, Public: true, From: from}},
		{"the start is no position of its own", []string{"x", "space", "enter"}, seats.Spec{Game: "momentum", Options: options, Public: true}},
		{"given up on the board", []string{"x", "esc", "down"}, seats.Spec{Game: "momentum", Options: options, Public: true}},
		{"given up in the form", []string{"x", "enter", "up", "right", "down"}, seats.Spec{Game: "momentum", Options: options, Public: true}},
		{"another game has another start", []string{"x", "enter", "home", "down", "right", "left", "end"}, seats.Spec{Game: "momentum", Options: options, Public: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("New match...")
				s.Keys(toPosition...)
				s.OnScreen("positionpage.positionScreen")
				s.Keys(tt.keys...)
				s.Keys("enter")
				if len(club.Opened) != 1 {
					t.Fatalf("opened %d matches, want 1:\n%s", len(club.Opened), s.Page())
				}
				if diff := cmp.Diff(tt.want, club.Opened[0]); diff != "" {
					t.Errorf("opened (-want +got):\n%s", diff)
				}
				s.AtMatch()
				s.Keys("esc")
				s.OnScreen("uitest.homePage") // neither form nor board is in the way back
			})
		})
	}
}

// TestRatedFormBecomesCasual: a form that was rated asks for a casual match once it begins from a position, and doesn't offer the
// choice.
func TestRatedFormBecomesCasual(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("New match...")
		s.Keys("down", "down", "right", "down", "down", "down", "down", "enter", "x", "enter")
		s.Sees("Begins from", "a position")
		s.Misses("The match is", "Board size")
		s.Keys("enter")
		if len(club.Opened) != 1 || club.Opened[0].Rated || club.Opened[0].From == "" {
			t.Errorf("opened %+v", club.Opened)
		}
	})
}

// TestPlayOnLeadsToTheWholeForm: a match after some moves can have any opponent, and its position can be changed.
func TestPlayOnLeadsToTheWholeForm(t *testing.T) {
	g, _ := catalog.Find("momentum")
	options := games.Options{"size": 7, "marbles": 8}
	moves := []games.Move{"d4", "swap"}
	const after = "ply=2 turn=X ......./......./......./...O.../......./......./......."
	tests := []struct {
		name string
		keys []string
		want seats.Spec
	}{
		{"the computer at first", nil, seats.Spec{Game: "momentum", Options: options, Bot: "random", Side: seats.PlayFirst, Public: true, Moves: moves}},
		{"a person", []string{"left"}, seats.Spec{Game: "momentum", Options: options, Side: seats.PlayFirst, Public: true, Moves: moves}},
		{"a friend", []string{"left", "down", "down", "right"}, seats.Spec{Game: "momentum", Options: options, Side: seats.PlayFirst, Moves: moves}},
		{"at one keyboard", []string{"right"}, seats.Spec{Game: "momentum", Options: options, Hotseat: true, Moves: moves}},
		{"changed", []string{"end", "up", "enter", "enter"},
			seats.Spec{Game: "momentum", Options: options, Bot: "random", Side: seats.PlayFirst, Public: true, From: after}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				club := uitest.FullLobby()
				s := begin(t, 80, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana})
				form, ok := NewFrom(s.App.Env(), g, options, "", moves, seats.PlayFirst)
				if !ok {
					t.Fatal("no form")
				}
				s.Answer(screen.PushMsg{To: form})
				s.Sees("play on from move 2", "Begins from")
				s.Keys(tt.keys...)
				s.Keys("enter")
				if len(club.Opened) != 1 {
					t.Fatalf("opened %d matches, want 1:\n%s", len(club.Opened), s.Page())
				}
				if diff := cmp.Diff(tt.want, club.Opened[0]); diff != "" {
					t.Errorf("opened (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestBeginningTakesNoPaste: a paste into the form changes nothing.
func TestBeginningTakesNoPaste(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Guest}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("New match...")
		before := s.Page()
		s.Send(tea.PasteMsg{Content: "ply=1 turn=O X"})
		if s.Page() != before {
			t.Errorf("the form has changed:\n%s", s.Page())
		}
	})
}
