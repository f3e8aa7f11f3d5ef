package lessonpage

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

func TestEveryGameCanBeLearned(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true}
	for i, g := range club.Games() {
		walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
			s.GoTo("Learn the games")
			for range i {
				s.Keys("down")
			}
			s.Keys("r")
			s.Sees(g.About().Name)
			s.Keys("end")
			lines := s.App.Top().(screen.Reader).Prose.Lines(80)
			if last := lines[len(lines)-1]; last == "" {
				t.Errorf("the rules of %s end with an empty line", g.About().ID)
			} else {
				s.Sees(last)
			}
		})
	}
}

// TestRulesLookLikeTheBoard: forms and drawings in the rules show pieces as the boards of the theme do, and sentences name no side
// by such a sign.
func TestRulesLookLikeTheBoard(t *testing.T) {
	for _, g := range (&uitest.FakeLobby{AllGames: true}).Games() {
		about := g.About()
		if about.Sides[games.First] != "X" {
			continue
		}
		for _, ascii := range []bool{false, true} {
			e := &screen.Env{Theme: &widget.Theme{ASCII: ascii}}
			shown, other := "●", "X"
			if ascii {
				shown, other = other, shown
			}
			if name := describe.SideName(e, about, 0); name != shown {
				t.Errorf("%s: the first side is %s, want %s", about.ID, name, shown)
			}
			for _, l := range text.Languages() {
				e.Say = wording.In(l.Code)
				for line := range strings.SplitSeq(describe.Rules(e, about), "\n") {
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
