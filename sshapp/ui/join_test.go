package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
)

func TestJoin(t *testing.T) {
	tests := []struct {
		name   string
		keys   []string
		err    error
		joined []string
		sees   string
	}{
		{"any case", []string{"k7Qm2x", "enter"}, nil, []string{"K7QM2X"}, ""},
		{"no longer than a code", []string{"k7qm2xyz", "enter"}, nil, []string{"K7QM2X"}, ""},
		{"spaces don't count", []string{"k7 q", "space", "m2x", "enter"}, nil, []string{"K7QM2X"}, ""},
		{"corrected", []string{"k7qm2y", "backspace", "x", "enter"}, nil, []string{"K7QM2X"}, ""},
		{"too short", []string{"k7q", "enter"}, nil, nil, "A code has six letters"},
		{"unknown", []string{"k7qm2y", "enter"}, lobby.ErrNoSuchMatch, []string{"K7QM2Y"}, "Nobody here knows the code K7QM2Y. Check it"},
		{"another after that", []string{"k7qm2y", "enter", "abcdef", "enter"}, lobby.ErrNoSuchMatch, []string{"K7QM2Y", "ABCDEF"}, "the code ABCDEF"},
		{"throttled", []string{"k7qm2y", "enter"}, &lobby.ThrottledError{Wait: 90 * time.Second}, []string{"K7QM2Y"}, "Wait 1 min"},
		{"full", []string{"k7qm2x", "enter"}, lobby.ErrSeatTaken, []string{"K7QM2X"}, "Press enter again to watch."},
		{"full, then watch", []string{"k7qm2x", "enter", "enter"}, lobby.ErrSeatTaken, []string{"K7QM2X"}, ""},
		{"over", []string{"k7qm2x", "enter"}, lobby.ErrOver, []string{"K7QM2X"}, "This match is over."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := &fakeLobby{err: tt.err}
			walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
				s.goTo("Join by code...")
				s.keys(tt.keys...)
				if diff := cmp.Diff(tt.joined, club.joined); diff != "" {
					t.Errorf("joined (-want +got):\n%s", diff)
				}
				if tt.sees == "" {
					s.atMatch()
				} else {
					s.sees(tt.sees)
				}
			})
		})
	}
}

func TestJoinPaste(t *testing.T) {
	tests := []struct{ name, typed, pasted string }{
		{"a code", "", " k7qm2x\r\n"},
		{"as it stands beside the board", "", "K 7 Q M 2 X"},
		{"behind a command", "", "ssh -t play.example.com join K7QM2X\n"},
		{"over another one", "abcdef", "k7qm2x"},
		{"the end of one", "k7q", "m2x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := fullLobby()
			walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
				s.goTo("Join by code...")
				s.keys(tt.typed)
				s.send(tea.PasteMsg{Content: tt.pasted})
				s.keys("enter")
				if diff := cmp.Diff([]string{"K7QM2X"}, club.joined); diff != "" {
					t.Errorf("joined (-want +got):\n%s", diff)
				}
			})
		})
	}
}
