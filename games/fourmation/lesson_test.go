package fourmation

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestLesson: each step of the lesson asks for what the rules say of it.
func TestLesson(t *testing.T) {
	gamestest.Lesson(t, New(), map[string]gamestest.Goal{
		"The first piece": gamestest.Plays("d4"),
		"Touch the last piece": func(_ games.Position, m games.Move, _ games.Position) bool {
			return m[0] >= 'c' && m[0] <= 'e' && m[1] >= '3' && m[1] <= '5'
		},
		"Four in a line":  gamestest.Wins,
		"Diagonals count": gamestest.Wins,
		"Keep them away": gamestest.EveryReply(func(before games.Position, reply games.Move, after games.Position) bool {
			return !gamestest.Wins(before, reply, after)
		}),
		"No reply is a draw": func(_ games.Position, _ games.Move, after games.Position) bool {
			return after.Result() == games.Drawn("no_moves")
		},
		"The line comes first": func(before games.Position, m games.Move, after games.Position) bool {
			full := gamestest.Cell(after, "f7") != '.' && gamestest.Cell(after, "f6") != '.' && gamestest.Cell(after, "g6") != '.'
			return gamestest.Wins(before, m, after) && full && m == "g7"
		},
		"Open at both ends": gamestest.EveryReply(func(_ games.Position, _ games.Move, after games.Position) bool {
			for _, m := range after.Legal() {
				if next, err := after.Play(m); err == nil && gamestest.Wins(after, m, next) {
					return true
				}
			}
			return false
		}),
		"Take the win": gamestest.Wins,
	})
}

// TestLessonCoversExamples: every example of the rule sheet has a step, or a reason why it has none.
func TestLessonCoversExamples(t *testing.T) {
	const (
		level   = "it is about a computer player"
		options = "the rules are the same on other boards"
	)
	gamestest.Examples(t, New(), "RULES.md", []gamestest.Example{
		{About: "The first piece goes anywhere", Step: "The first piece"},
		{About: "Only the opponent's latest", Step: "Touch the last piece"},
		{About: "In a corner three", Step: "No reply is a draw"},
		{About: "A column of four; the game", Step: "Four in a line"},
		{About: "A column of four by", Step: "Four in a line"},
		{About: "A row, closed", Step: "Four in a line"},
		{About: "A rising diagonal", Step: "Diagonals count"},
		{About: "A falling diagonal", Step: "Diagonals count"},
		{About: "Lines and neighbours do not wrap", Not: "no board game wraps, and who tries it is refused"},
		{About: "Lines and neighbours do not wrap", Not: "no board game wraps, and who tries it is refused"},
		{About: "Filling a gap", Not: "a longer line is rare, and wins as one expects"},
		{About: "With a gap", Step: "Open at both ends"},
		{About: "No empty neighbour", Step: "No reply is a draw"},
		{About: "The line comes first", Step: "The line comes first"},
		{About: "The same on a small board", Not: options},
		{About: "The report's own example", Not: options},
		{About: "A board that is not square", Not: options},
		{About: "On the empty board", Not: level},
		{About: "General case", Not: level},
		{About: "Avoiding the opponent's win", Step: "Keep them away"},
		{About: "Every move loses", Step: "Open at both ends"},
		{About: "Winning beats", Not: level},
	})
}
