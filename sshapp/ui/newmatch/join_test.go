package newmatch

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
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
			club := &uitest.FakeLobby{Err: tt.err}
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Join by code...")
				s.Keys(tt.keys...)
				if diff := cmp.Diff(tt.joined, club.Joined); diff != "" {
					t.Errorf("joined (-want +got):\n%s", diff)
				}
				if tt.sees == "" {
					s.AtMatch()
				} else {
					s.Sees(tt.sees)
				}
			})
		})
	}
}

// TestJoinShowsCharacters: what is no code is shown as it was typed, in as many places as it takes.
func TestJoinShowsCharacters(t *testing.T) {
	for typed, want := range map[string]string{
		"é1": "É 1 _ _ _ _", "日a": "日  A _ _ _", "日本語": "日  本  語", "éééééé": "É É É É É É",
	} {
		walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
			s.GoTo("Join by code...")
			s.Send(tea.PasteMsg{Content: typed})
			s.Sees(want)
		})
	}
	club := &uitest.FakeLobby{Err: lobby.ErrNoSuchMatch}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Join by code...")
		s.Keys("éééééé", "enter", "a")
		s.Sees("A _ _ _ _ _")
	})
}

// TestJoinHelp: no code has a question mark.
func TestJoinHelp(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Join by code...")
		s.Sees("? help")
		s.Keys("k7", "?")
		s.OnScreen("screen.Reader")
		s.Keys("?")
		s.Sees("K 7 _ _ _ _")
	})
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
			club := uitest.FullLobby()
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Join by code...")
				s.Keys(tt.typed)
				s.Send(tea.PasteMsg{Content: tt.pasted})
				s.Keys("enter")
				if diff := cmp.Diff([]string{"K7QM2X"}, club.Joined); diff != "" {
					t.Errorf("joined (-want +got):\n%s", diff)
				}
			})
		})
	}
}
