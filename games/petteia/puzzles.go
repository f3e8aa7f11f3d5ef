package petteia

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

// sidesExchanged gives the men of each side to the other one.
var sidesExchanged = strings.NewReplacer("X", "O", "O", "X")

// Canonical implements games.Symmetric: men move alike in both directions, so the board can be mirrored and flipped. The side to
// move has X.
func (game) Canonical(p games.Position) string {
	rows, turn := p.Rows(), p.Turn()
	if turn == games.Second {
		for i, row := range rows {
			rows[i] = sidesExchanged.Replace(row)
		}
	}
	taken := p.(*Position).s.taken
	return fmt.Sprintf("%d,%d %s", taken[turn], taken[turn.Other()], board.Smallest(rows, board.Mirrored|board.Flipped))
}
