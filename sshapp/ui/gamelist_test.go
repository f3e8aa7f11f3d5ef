package ui

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

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

// TestRulesLookLikeTheBoard: forms and drawings in the rules show pieces as the boards of the theme do, and sentences name no side
// by such a sign.
func TestRulesLookLikeTheBoard(t *testing.T) {
	for _, g := range (&fakeLobby{allGames: true}).Games() {
		about := g.About()
		if about.Sides[games.First] != "X" {
			continue
		}
		for _, ascii := range []bool{false, true} {
			e := &env{theme: &widget.Theme{ASCII: ascii}}
			shown, other := "●", "X"
			if ascii {
				shown, other = other, shown
			}
			if name := sideName(e, about, 0); name != shown {
				t.Errorf("%s: the first side is %s, want %s", about.ID, name, shown)
			}
			for _, l := range text.Languages() {
				e.say = text.In(l.Code)
				for line := range strings.SplitSeq(rulesOf(e, about), "\n") {
					if strings.HasPrefix(line, " ") && strings.Contains(line, other) {
						t.Errorf("%s, %s: %q has %s", about.ID, l.Name, line, other)
					}
					if !strings.HasPrefix(line, " ") && strings.Contains(" "+line, " X ") {
						t.Errorf("%s, %s: %q names a side by its sign", about.ID, l.Name, line)
					}
				}
			}
		}
	}
}
