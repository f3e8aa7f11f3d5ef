package newmatch

import (
	"testing"

	"ludoteca/lobby/learning"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/results"
)

// TestLessonOfANewGameIsOffered: the form offers the lesson of a game that is new to the player, and no other. One key opens it, and esc leads
// back to the form.
func TestLessonOfANewGameIsOffered(t *testing.T) {
	const offer = "The key t opens a short lesson."
	for _, tt := range map[string]struct {
		club   *uitest.FakeLobby
		guest  bool
		offers bool
	}{
		"a new player":         {club: &uitest.FakeLobby{}, offers: true},
		"a guest":              {club: &uitest.FakeLobby{}, guest: true, offers: true},
		"a lesson was begun":   {club: &uitest.FakeLobby{Learned: learning.Lessons{"momentum": {Solved: 1}}}},
		"a match was finished": {club: &uitest.FakeLobby{Finished: []results.Finished{{ID: "m1", Game: "momentum"}}}},
	} {
		cfg := ui.Config{Lobby: tt.club.Services(), Who: uitest.Ana}
		if tt.guest {
			cfg.Who = uitest.Guest
		}
		walk(t, cfg, func(t *testing.T, s *uitest.Session) {
			s.GoTo("Play the computer")
			if !tt.offers {
				s.Keys("t")
				s.Misses(offer)
				s.OnScreen("newmatch.setup")
				return
			}
			s.Reads(offer)
			s.Keys("down")
			s.Misses(offer) // it belongs to the game
			s.Keys("up", "t")
			s.Sees("step 1 of 10", "The first marble")
			s.Keys("esc")
			s.OnScreen("newmatch.setup")
		})
	}
}
