package tanks

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

var _ games.Editable = game{}

const fieldTurn = "turn"

// Pieces are the letters of the board text, the kinds in the order in which people hear of them.
func (game) Pieces() string { return "MTDmtd" }

// Fields is the side to move.
func (game) Fields(games.Options) []games.Field {
	return []games.Field{{Key: fieldTurn, Max: 1, Label: "To move", Kind: games.ToMove}}
}

// Draft takes a position apart.
func (game) Draft(p games.Position) games.Draft {
	return games.Draft{Options: p.Options(), Rows: p.Rows(), Fields: map[string]int{fieldTurn: int(p.Turn())}}
}

// Settle returns d as it is: nothing follows from the tanks.
func (game) Settle(d games.Draft, _ int) games.Draft { return d }

// Text is the one-line text of a draft.
func (game) Text(d games.Draft) string {
	return board.Join(append([]string{"turn=" + sides[d.Fields[fieldTurn]]}, about.Changed(d.Options)...), d.Rows)
}
