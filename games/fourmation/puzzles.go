package fourmation

import (
	_ "embed" // the puzzles
	"strings"

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

// sidesExchanged gives the pieces of each side to the other one.
var sidesExchanged = strings.NewReplacer("X", "O", "O", "X")

// lastMark stands for the last piece, of the side that has just moved.
const lastMark = '*'

// Canonical implements games.Symmetric: the board can be turned and mirrored as far as its shape stays, and the side to move has X.
func (game) Canonical(p games.Position) string {
	rows := p.Rows()
	if p.Turn() == games.Second {
		for i, row := range rows {
			rows[i] = sidesExchanged.Replace(row)
		}
	}
	if col, row, ok := p.(*Position).Last(); ok {
		line := []byte(rows[len(rows)-1-row])
		line[col] = lastMark
		rows[len(rows)-1-row] = string(line)
	}
	ways := board.Mirrored | board.Flipped
	if cols, rows := p.(*Position).Size(); cols == rows {
		ways |= board.Transposed
	}
	return board.Smallest(rows, ways)
}
