package newmatch

import (
	"testing"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
)

// TestStandingField: a player may keep a public offer open, a guest may not, nor is anything private kept open.
func TestStandingField(t *testing.T) {
	for _, tt := range []struct {
		name  string
		guest bool
		keys  []string
		sees  string
		kept  bool
	}{
		{"once", false, nil, "once", false},
		{"one at a time", false, []string{"right"}, "again and again, 1 at a time", true},
		{"four at a time", false, []string{"left"}, "again and again, 4 at a time", true},
		{"a private match", false, []string{"right", "up", "up", "up", "up", "right"}, "friends by code", false},
		{"a guest", true, nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club, who := uitest.FullLobby(), uitest.Ana
			if tt.guest {
				who = uitest.Guest
			}
			walk(t, ui.Config{Lobby: club.Services(), Who: who}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("New match...")
				for range 7 {
					s.Keys("down")
				}
				if at := s.App.Top().(setup).form.At(); (at == keyStanding) == tt.guest {
					t.Fatalf("the cursor is on %s", at)
				}
				if tt.guest {
					return
				}
				s.Keys(tt.keys...)
				s.Reads(tt.sees)
				s.Keys("enter")
				if kept := len(club.Did) > 0; kept != tt.kept || len(club.Opened) != 1 {
					t.Errorf("done %q, opened %+v", club.Did, club.Opened)
				}
			})
		})
	}
}
