package people

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
)

// TestReport: a player reports another one from the profile, and must say why.
func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name string
		who  lobby.User
		keys []string
		err  error
		did  string
		sees []string
		on   string
	}{
		{"with a reason", uitest.Ana, []string{"r", "rude? q", "enter"}, nil, `report bia "": rude? q`, []string{"Thank you.", "about bia", "esc back"}, "people.report"},
		{"once", uitest.Ana, []string{"r", "rude", "enter", "enter", "x", "enter"}, nil, `report bia "": rude`, []string{"Thank you."}, "people.report"},
		{"without a reason", uitest.Ana, []string{"r", "enter"}, nil, "", []string{"Why?", "of your last"}, "people.report"},
		{"refused, to be sent again", uitest.Ana, []string{"r", "rude", "enter"}, lobby.ErrManyReports, `report bia "": rude`, []string{"rude_", "enter report"}, "people.report"},
		{"thought better of", uitest.Ana, []string{"r", "rude", "esc"}, nil, "", []string{"r report"}, "people.profile"},
		{"a guest", uitest.Guest, []string{"r"}, nil, "", nil, "people.profile"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			club.Player.Name, club.Player.ID = "bia", "p3"
			walk(t, ui.Config{Lobby: club.Services(), Who: tt.who}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Leaderboard")
				s.Keys("enter")
				club.Err = tt.err
				s.Keys(tt.keys...)
				s.OnScreen(tt.on)
				s.Sees(tt.sees...)
				did := slices.DeleteFunc(slices.Clone(club.Did), func(what string) bool { return !strings.HasPrefix(what, "report") })
				if got := strings.Join(did, ", "); got != tt.did {
					t.Errorf("did %q, want %q", got, tt.did)
				}
			})
		})
	}
}

// TestReportIsBounded: whatever is pasted, the reason has an end, and the line stays inside the window.
func TestReportIsBounded(t *testing.T) {
	club := uitest.FullLobby()
	club.Player.ID = "p3"
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Leaderboard")
		s.Keys("enter", "r")
		s.Send(tea.PasteMsg{Content: strings.Repeat("x\x1b[2J", 10_000)})
		if n := len(s.App.Top().(report).reason.Text); n > reasonCells {
			t.Errorf("a reason of %d bytes", n)
		}
		uitest.StaysInside(t, s.App, 40, 20)
	})
}
