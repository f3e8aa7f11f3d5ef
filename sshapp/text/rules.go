package text

import (
	"embed"

	"ludoteca/games"
)

// rules are the pages of rules in the other languages, as rules/LANGUAGE/GAME.txt. They are laid out like
// games.About.HowTo.
//
//go:embed rules
var rules embed.FS

// HowTo returns the page of rules of a game, in English if there is none in the language of s.
func (s Say) HowTo(about *games.About) string {
	page, err := rules.ReadFile("rules/" + s.Code() + "/" + about.ID + ".txt")
	if err != nil {
		return about.HowTo
	}
	return string(page)
}
