package boardview

import (
	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/sshapp/text"
)

// plainScene draws the board text of a game that has no view of its own.
func plainScene(p games.Position) *Scene {
	rows := p.Rows()
	cols := 1
	for _, row := range rows {
		cols = max(cols, len(row))
	}
	g := newGrid(cols, max(len(rows), 1))
	for i, row := range rows {
		for col, r := range []byte(row) {
			if r != '.' {
				g.cells[g.at(col, len(rows)-1-i)] = cell{piece: rune(r)}
			}
		}
	}
	choices := g.choices(p.Legal())
	for i := range choices {
		if choices[i].to == Nowhere { // no cell of this board: it can only be typed
			choices[i].from = Nowhere
		}
	}
	return &Scene{p, choices, g, plainFacts{}}
}

type plainFacts struct{}

func (plainFacts) standing(text.Say, games.Side) string { return "" }
func (plainFacts) notes(text.Say, [2]string) []Note     { return nil }
func (plainFacts) effect(text.Say, games.Move) string   { return "" }

func names(col, row int) string { return board.Name(col, row) }
