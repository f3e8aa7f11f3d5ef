package flugelrad

import (
	_ "embed" // the puzzles
	"fmt"

	"ludoteca/games"
)

var (
	_ games.Puzzled   = game{}
	_ games.Symmetric = game{}
)

//go:embed puzzles.txt
var puzzles string

// Puzzles implements games.Puzzled. `ludoteca puzzles` makes them.
func (game) Puzzles() string { return puzzles }

// Canonical implements games.Symmetric: the board can be turned and mirrored, and the side to move has X. A mirror image is turned
// the other way, which changes the numbers of steps but not the positions that turns lead to.
func (game) Canonical(p games.Position) string {
	s := p.(*Position).s
	balls := s.balls()
	if s.turn == games.Second {
		balls[games.First], balls[games.Second] = balls[games.Second], balls[games.First]
	}
	smallest := ""
	for _, symmetry := range symmetries() {
		var image [2]grid
		for side := range balls {
			for _, point := range points(balls[side]) {
				image[side] |= table.bit[symmetry[point]]
			}
		}
		last := int(s.last)
		if last != noWheel {
			last = imageOfWheel(symmetry, last)
		}
		text := fmt.Sprintf("%d %s", last, textOf(image))
		if smallest == "" || text < smallest {
			smallest = text
		}
	}
	return smallest
}
