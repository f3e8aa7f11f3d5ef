package petteia

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// capturesOf returns the goal of a step that asks for a number of captures in one move, without a loss.
func capturesOf(n int) gamestest.Goal {
	return func(before games.Position, _ games.Move, after games.Position) bool {
		return gamestest.Count(after, "O") == gamestest.Count(before, "O")-n && gamestest.Count(after, "X") == gamestest.Count(before, "X")
	}
}

// TestLesson: each step of the lesson asks for what the rules say of it.
func TestLesson(t *testing.T) {
	gamestest.Lesson(t, New(), map[string]gamestest.Goal{
		"Move like a rook": func(_ games.Position, m games.Move, after games.Position) bool {
			return m[:2] == "a1" && gamestest.Cell(after, "a7") == 'X'
		},
		"Close in on a man":      capturesOf(1),
		"Edge and corner":        capturesOf(1),
		"Two protect each other": capturesOf(1),
		"Three at once":          capturesOf(3),
		"Between two enemies":    gamestest.Plays("d1-d4"),
		"Without safe entry":     capturesOf(1),
		"See the threat":         gamestest.EveryReply(captureNothing),
		"Win the game":           gamestest.Wins,
	})
}

func captureNothing(before games.Position, _ games.Move, after games.Position) bool {
	return gamestest.Count(after, "XO") == gamestest.Count(before, "XO")
}

// TestLessonCoversExamples: every example of the rule sheet has a step, or a reason why it has none.
func TestLessonCoversExamples(t *testing.T) {
	const (
		rare   = "it ends few games, and the board says it when it is near"
		unsafe = "it is a detail of an option that is off by default"
	)
	gamestest.Examples(t, New(), "RULES.md", []gamestest.Example{
		{About: "The start", Step: "Move like a rook"},
		{About: "A man slides", Step: "Move like a rook"},
		{About: "A capture in a row", Step: "Close in on a man"},
		{About: "A capture in a column", Step: "Edge and corner"},
		{About: "Three at once", Step: "Three at once"},
		{About: "Two men side by side", Step: "Two protect each other"},
		{About: "Not diagonally", Step: "Edge and corner"},
		{About: "The edge does not capture", Step: "Edge and corner"},
		{About: "Along the edge", Step: "Edge and corner"},
		{About: "Safe entry", Step: "Between two enemies"},
		{About: "A man that moves between", Step: "Without safe entry"},
		{About: "Without safe entry: the man", Step: "Without safe entry"},
		{About: "Without safe entry: the mover's capture", Step: "Without safe entry"},
		{About: "Without safe entry: a capture", Not: unsafe},
		{About: "The seventh capture wins", Step: "Win the game"},
		{About: "Without safe entry both", Not: unsafe},
		{About: "Without safe entry a player", Not: unsafe},
		{About: "No legal move", Not: "it has never been seen in a game"},
		{About: "The same with equal", Not: "it has never been seen in a game"},
		{About: "Threefold repetition", Not: rare},
		{About: "With `repetition` = 2", Not: "it is an option that is off by default"},
		{About: "A different player to move", Not: rare},
		{About: "The hundredth turn", Not: rare},
		{About: "A whole game", Not: "it is a whole game"},
	})
}
