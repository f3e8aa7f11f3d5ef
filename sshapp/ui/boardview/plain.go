package boardview

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/sshapp/text"
)

// plainScene draws the board text of a game that has no view of its own.
func plainScene(p games.Position) *Scene {
	g := rowsGrid(p.Rows())
	choices := g.choices(p.Legal())
	for i := range choices {
		if choices[i].to == Nowhere { // no cell of this board: it can only be typed
			choices[i].from = Nowhere
		}
	}
	return &Scene{p, choices, g, plainFacts{}}
}

// rowsGrid returns the grid of a board text, top row first.
func rowsGrid(rows []string) *grid {
	cols := 1
	for _, row := range rows {
		cols = max(cols, len(row))
	}
	g := newGrid(cols, max(len(rows), 1))
	for i, row := range rows {
		for col, r := range []byte(row) {
			if r != '.' {
				g.cells[g.at(col, len(rows)-1-i)] = cell{piece: rune(r), side: usualSide(r)}
			}
		}
	}
	return g
}

// usualSide guesses the side of a piece from its letter in a board text, only for its look: X and capitals are mostly the first side's, O and
// small letters the second's.
func usualSide(piece byte) games.Side {
	if piece == 'O' || piece >= 'a' && piece <= 'z' {
		return games.Second
	}
	return games.First
}

// signs lists the pieces of a board text with their cells. Only the game knows their sides.
func signs(rows []string) []string {
	var all []string
	for i, row := range slices.Backward(rows) {
		for col, r := range []byte(row) {
			if r != '.' {
				all = append(all, string(rune(r))+" "+board.Name(col, len(rows)-1-i))
			}
		}
	}
	return all
}

type plainFacts struct{}

func (plainFacts) standing(text.Say, games.Side) string { return "" }
func (plainFacts) notes(text.Say, [2]string) []Note     { return nil }
func (plainFacts) effect(text.Say, games.Move) string   { return "" }

func names(col, row int) string { return board.Name(col, row) }
