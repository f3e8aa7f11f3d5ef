package newmatch

import (
	"testing"

	"ludoteca/lobby/learning"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestProposal: the form proposes the computer player that suits the player in the chosen game, and says how likely a win is, as long as none was
// chosen by hand. Without a practice rating in the game it proposes the one chosen last.
func TestProposal(t *testing.T) {
	rated := learning.PracticeStandings{"momentum": {Estimate: rating.Estimate{Rating: 812, Deviation: 90}, Played: 24}}
	for _, tt := range []struct {
		name   string
		kept   learning.PracticeStandings
		guest  bool
		keys   []string
		sees   string
		misses string
		bot    string
	}{
		{"without a rating", nil, false, nil, "Random (bot)", "your chance", "random"},
		{"a guest", rated, true, nil, "Random (bot)", "your chance", "random"},
		{"with a rating", rated, false, nil, "Greedy (bot)", "Random", "greedy"},
		{"with words", rated, false, []string{"down"}, "your chance: 40%", "Random", "greedy"},
		{"in another game", rated, false, []string{"right"}, "Random (bot)", "your chance", "random"},
		{"and back", rated, false, []string{"right", "left"}, "Greedy (bot)", "Random", "greedy"},
		{"chosen by hand", rated, false, []string{"down", "right"}, "Random (bot)", "Greedy", "random"},
		{"chosen by hand for another game", rated, false, []string{"right", "down", "right", "up", "left"}, "Greedy (bot)", "Random", "greedy"},
		{"chosen by hand and kept", rated, false, []string{"down", "right", "up", "right", "left"}, "Random (bot)", "Greedy", "random"},
	} {
		club := &uitest.FakeLobby{Practised: tt.kept}
		cfg := ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Opponent: "random"}}
		if tt.guest {
			cfg.Who = uitest.Guest
		}
		t.Run(tt.name, func(t *testing.T) {
			walk(t, cfg, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Play the computer")
				s.Keys(tt.keys...)
				s.Sees(tt.sees)
				s.Misses(tt.misses)
				s.Keys("enter")
				if len(club.Opened) != 1 || club.Opened[0].Bot != tt.bot {
					t.Errorf("opened %+v, want a match against %s", club.Opened, tt.bot)
				}
			})
		})
	}
}
