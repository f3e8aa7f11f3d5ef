package ui

import (
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/uitest"
)

func TestStart(t *testing.T) {
	tests := []struct {
		name  string
		start Start
		err   error
		sees  string
		table bool
	}{
		{"join", StartJoin, nil, "", true},
		{"join a full match", StartJoin, lobby.ErrSeatTaken, "", true},
		{"join nothing", StartJoin, lobby.ErrNoSuchMatch, "Nobody here knows the code K7QM2X", false},
		{"join too often", StartJoin, &lobby.ThrottledError{Wait: 6 * time.Second}, "Wait 6 s", false},
		{"watch", StartWatch, nil, "", true},
		{"watch nothing", StartWatch, lobby.ErrNoSuchMatch, "Nobody here knows the code K7QM2X", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := Config{Lobby: (&uitest.FakeLobby{Err: tt.err}).Services(), Who: uitest.Ana, Start: tt.start, Code: "k7qm2x"}
			walk(t, cfg, func(t *testing.T, s *uitest.Session) {
				if tt.table {
					s.AtMatch()
				} else {
					s.Sees(tt.sees)
				}
				s.Keys("esc")
				s.OnScreen("lobbypage.lobbyScreen")
			})
		})
	}
}
