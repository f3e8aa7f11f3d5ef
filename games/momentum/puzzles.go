package momentum

import (
	_ "embed" // the puzzles
	"fmt"
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

// sidesExchanged gives the marbles of each side to the other one.
var sidesExchanged = strings.NewReplacer("X", "O", "O", "X")

// Canonical implements games.Symmetric: the board can be turned and mirrored, and the side to move has X.
func (game) Canonical(p games.Position) string {
	rows := p.Rows()
	if p.Turn() == games.Second {
		for i, row := range rows {
			rows[i] = sidesExchanged.Replace(row)
		}
	}
	return fmt.Sprintf("%t %s", p.(*Position).CanSwap(), board.Smallest(rows, board.Mirrored|board.Flipped|board.Transposed))
}
