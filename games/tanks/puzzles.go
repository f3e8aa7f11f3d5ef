package tanks

import (
	_ "embed" // the puzzles
	"strings"
	"unicode"

	"ludoteca/games"
	"ludoteca/games/board"
)

var (
	_ games.Puzzled   = game{}
	_ games.Symmetric = game{}
)

//go:embed puzzles.txt
var puzzles string

// Puzzles implements games.Puzzled. `ludoteca puzzles` makes them.
func (game) Puzzles() string { return puzzles }

// Canonical implements games.Symmetric: the board can be mirrored, and the side to move plays upwards, with capital letters.
func (game) Canonical(p games.Position) string {
	rows := p.Rows()
	if p.Turn() == games.Second {
		rows = board.Image(rows, board.Flipped)
		for i, row := range rows {
			rows[i] = strings.Map(otherCase, row)
		}
	}
	return board.Smallest(rows, board.Mirrored)
}

// otherCase returns the letter of the other side's tank of the same kind.
func otherCase(letter rune) rune {
	if unicode.IsUpper(letter) {
		return unicode.ToLower(letter)
	}
	return unicode.ToUpper(letter)
}
