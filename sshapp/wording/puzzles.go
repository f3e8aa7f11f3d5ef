package wording

import (
	"fmt"
	"strings"

	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// PuzzleTask says what a puzzle asks of a player of a side, which is named as on the board.
func (s Words) PuzzleTask(side string, p *puzzle.Puzzle) string {
	// Translators: the first verb is a side, such as X or Bottom.
	return s.T("You are %s. You are to move, and win in %d moves at most. Only one first move does it: which one?", side, p.Moves())
}

// MissedTask says what the puzzle of a missed win asks of the player of a side, which is named as on the board.
func (s Words) MissedTask(side string, w *lobby.MissedWin) string {
	// Translators: the first verb is a side, such as X or Bottom.
	return s.N(w.Puzzle.Moves(), "You are %[1]s. You had a win in %[2]d move here, and missed it: which move is it?",
		"You are %[1]s. You had a win in %[2]d moves here, and missed it: which move begins it?", side, w.Puzzle.Moves())
}

// ShareOfPuzzle returns the line to share about the puzzle of a day, "" before it is solved. It is in English for all: who reads it need not know
// the language of the player who shares it.
func (s Words) ShareOfPuzzle(day string, a puzzle.Attempt) string {
	if day == "" || !a.Solved() {
		return ""
	}
	right, wrong := '■', '□'
	if s.OnlyASCII() {
		right, wrong = '#', '-'
	}
	var marks strings.Builder
	for _, ok := range a.Tries() {
		if ok {
			marks.WriteRune(right)
		} else {
			marks.WriteRune(wrong)
		}
	}
	// A puzzle takes two moves at least, so there are always several tries.
	line := fmt.Sprintf("Ludoteca %s %s %s %d tries · %s", day, s.Spell(a.Puzzle().Game.About().Name), marks.String(), len(a.Tries()), s.SSH("puzzle"))
	if s.OnlyASCII() {
		return text.ASCII(line)
	}
	return line
}
