package text

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// TestRulesInEveryLanguage holds that every game has its page of rules in each language that is offered.
func TestRulesInEveryLanguage(t *testing.T) {
	for _, g := range catalog.All() {
		about := g.About()
		if len(about.HowTo) != len(languages) {
			t.Errorf("%s has its rules in %d languages, %d are offered", about.ID, len(about.HowTo), len(languages))
		}
		for _, l := range languages[1:] {
			if page := (Say{language: l}).HowTo(about); page == about.HowTo["en"] || page != about.HowTo[l.code] {
				t.Errorf("no rules of %s in %s", about.ID, l.name)
			}
		}
	}
}

// TestHowToFallsBack: a language or a game without a page of its own shows the English one.
func TestHowToFallsBack(t *testing.T) {
	page := "# The aim\nTo win."
	for _, s := range []Say{{}, {language: &language{code: "nl"}}, {language: &language{code: "pt"}}} {
		if got := s.HowTo(&games.About{ID: "hopscotch", HowTo: map[string]string{"en": page}}); got != page {
			t.Errorf("%s shows %q", s.Code(), got)
		}
	}
}
