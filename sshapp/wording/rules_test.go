package wording

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/text"
)

// TestRulesInEveryLanguage holds that every game has its page of rules in each language that is offered.
func TestRulesInEveryLanguage(t *testing.T) {
	for _, g := range catalog.All() {
		about := g.About()
		for _, l := range text.Languages()[1:] {
			if page := In(l.Code).HowTo(about); page == about.HowTo || page == "" {
				t.Errorf("no rules of %s in %s", about.ID, l.Name)
			}
		}
	}
}

// TestHowToFallsBack: a game without a page in the reader's language shows the English one.
func TestHowToFallsBack(t *testing.T) {
	page := "# The aim\nTo win."
	for _, s := range []Words{{}, In("de"), In("pt")} {
		if got := s.HowTo(&games.About{ID: "hopscotch", HowTo: page}); got != page {
			t.Errorf("%s shows %q", s.Code(), got)
		}
	}
}
