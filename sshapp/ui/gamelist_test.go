package ui

import (
	"testing"
)

func TestQuickMatch(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Quick match")
		s.keys("down", "enter")
		s.atMatch()
		if len(club.opened) != 1 || club.opened[0].Game != "petteia" || !club.opened[0].Rated {
			t.Errorf("asked for %+v, want a rated quick match of Petteia", club.opened)
		}
	})
}

func TestEveryGameCanBeLearned(t *testing.T) {
	club := &fakeLobby{allGames: true}
	for i, g := range club.Games() {
		walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
			s.goTo("Learn the games")
			for range i {
				s.keys("down")
			}
			s.keys("enter")
			s.sees(g.About().Name)
			s.keys("end")
			lines := s.app.top().(reader).prose.Lines(80)
			if last := lines[len(lines)-1]; last == "" {
				t.Errorf("the rules of %s end with an empty line", g.About().ID)
			} else {
				s.sees(last)
			}
		})
	}
}
