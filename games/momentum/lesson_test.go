package momentum

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestLesson: each step of the lesson asks for what the rules say of it.
func TestLesson(t *testing.T) {
	fallen := func(before, after games.Position, letter string) int {
		lost := gamestest.Count(before, letter) - gamestest.Count(after, letter)
		if letter == before.String()[len("ply=0 turn="):][:1] {
			lost++
		}
		return lost
	}
	gamestest.Lesson(t, New(), map[string]gamestest.Goal{
		"The first marble": gamestest.Plays("d4"),
		"Push a neighbour": func(_ games.Position, _ games.Move, after games.Position) bool {
			return gamestest.Cell(after, "e4") == '.'
		},
		"Only the last one moves": func(_ games.Position, _ games.Move, after games.Position) bool {
			return gamestest.Cell(after, "d4") == 'O' && gamestest.Cell(after, "e4") == 'X' && gamestest.Cell(after, "f4") == '.' && gamestest.Cell(after, "g4") == 'O'
		},
		"A gap ends the line": func(_ games.Position, _ games.Move, after games.Position) bool {
			return gamestest.Cell(after, "d4") == '.' && gamestest.Cell(after, "e4") == 'X' && gamestest.Cell(after, "f4") == 'O'
		},
		"Over the rim": func(before games.Position, _ games.Move, after games.Position) bool {
			return fallen(before, after, "O") == 1 && gamestest.Cell(after, "g5") == '.'
		},
		"Keep your own": func(before games.Position, _ games.Move, after games.Position) bool {
			return gamestest.Count(after, "O") == gamestest.Count(before, "O")-1 && gamestest.Count(after, "X") == gamestest.Count(before, "X")+1
		},
		"Eight directions": func(before games.Position, _ games.Move, after games.Position) bool {
			return gamestest.Count(after, "O") == gamestest.Count(before, "O")-3
		},
		"A forced push": func(before games.Position, _ games.Move, after games.Position) bool {
			return gamestest.Count(after, "O") < gamestest.Count(before, "O") && gamestest.Count(after, "X") == gamestest.Count(before, "X")+1
		},
		"The last marble": gamestest.Wins,
		"Swap":            gamestest.Plays("swap"),
	})
}

// TestLessonCoversExamples: every example of the rule sheet has a step, or a reason why it has none.
func TestLessonCoversExamples(t *testing.T) {
	const rare = "it ends few games, and the board says it when it is near"
	gamestest.Examples(t, New(), "RULES.md", []gamestest.Example{
		{About: "A drop with no neighbour", Step: "The first marble"},
		{About: "One neighbour is pushed", Step: "Push a neighbour"},
		{About: "Diagonally too", Step: "Push a neighbour"},
		{About: "A line of three", Step: "Only the last one moves"},
		{About: "The line ends at the first gap", Step: "A gap ends the line"},
		{About: "A marble on the rim", Step: "Over the rim"},
		{About: "A line that reaches the rim", Step: "The last marble"},
		{About: "All eight directions", Step: "Eight directions"},
		{About: "The situation pictured", Not: "it combines the steps about lines, neighbours and the rim"},
		{About: "The mover's own marble falls", Step: "Keep your own"},
		{About: "Swap: offered", Step: "Swap"},
		{About: "No swap later", Step: "Swap"},
		{About: "Forced: X has one marble left", Step: "A forced push"},
		{About: "The other forced drop", Step: "A forced push"},
		{About: "Not forced", Not: "every drop is legal then, so nothing can be asked"},
		{About: "The last marble does not win", Step: "The last marble"},
		{About: "Both have one marble left", Step: "A forced push"},
		{About: "Both have one marble left", Step: "The last marble"},
		{About: "Move limit, more marbles", Not: rare},
		{About: "Move limit, the side", Not: rare},
		{About: "Move limit, equal", Not: rare},
		{About: "Move 60", Not: rare},
		{About: "A whole game from the empty board", Not: "it is a whole game"},
		{About: "A whole game with a swap", Not: "it is a whole game"},
		{About: "Other options", Not: "the rules are the same on other boards"},
	})
}
