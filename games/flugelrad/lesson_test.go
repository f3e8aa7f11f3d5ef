package flugelrad

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestLesson: each step of the lesson asks for what the rules say of it.
func TestLesson(t *testing.T) {
	loses := func(before games.Position, after games.Position) bool { return after.Result().For(before.Turn()) < 0 }
	noWin := gamestest.EveryReply(func(before games.Position, m games.Move, after games.Position) bool {
		return !gamestest.Wins(before, m, after)
	})
	gamestest.Lesson(t, New(), map[string]gamestest.Goal{
		"Turn a wheel":          gamestest.Plays("0:1"),
		"Locked and empty":      gamestest.Anything,
		"Something must change": func(_ games.Position, m games.Move, _ games.Position) bool { return m[0] == '5' },
		"Six linked balls":      gamestest.Wins,
		"Any shape":             gamestest.Wins,
		"No line, no link":      gamestest.Wins,
		"Their balls turn too": func(before games.Position, _ games.Move, after games.Position) bool {
			return !loses(before, after)
		},
		"Both at once": gamestest.Wins,
		"Lock a wheel": noWin,
	})
}

// TestLessonCoversExamples: every example of the rule sheet has a step, or a reason why it has none.
func TestLessonCoversExamples(t *testing.T) {
	const rare = "it ends few games, and the board says it when it is near"
	gamestest.Examples(t, New(), "RULES.md", []gamestest.Example{
		{About: "The start", Step: "Locked and empty"},
		{About: "One step of wheel 0", Step: "Turn a wheel"},
		{About: "The report's own example", Step: "Turn a wheel"},
		{About: "One to five steps", Step: "Turn a wheel"},
		{About: "One step of the other wheels", Not: "all wheels turn alike"},
		{About: "One step of the middle wheel", Not: "all wheels turn alike"},
		{About: "The wheel turned last", Step: "Locked and empty"},
		{About: "With `fresh_wheel` = 0", Not: "it is an option that is off by default"},
		{About: "A turn that changes nothing", Step: "Something must change"},
		{About: "Wheel 2 reads", Step: "Something must change"},
		{About: "Six in a chain", Step: "Six linked balls"},
		{About: "Six in a group that branches", Step: "Any shape"},
		{About: "The link 21-22 counts", Not: "it is a link like any other, and the board draws it"},
		{About: "The second player's turn", Step: "Their balls turn too"},
		{About: "Both have six", Step: "Both at once"},
		{About: "The same with the second player", Step: "Both at once"},
		{About: "Threefold repetition", Not: rare},
		{About: "Without `fresh_wheel`", Not: "it is an option that is off by default"},
		{About: "The two-hundredth turn", Not: rare},
		{About: "The greedy computer player", Not: "it is a whole game"},
		{About: "A whole random game", Not: "it is a whole game"},
	})
}
