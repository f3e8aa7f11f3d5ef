package momentum

import (
	"fmt"

	"ludoteca/games"
	"ludoteca/games/board"
)

var _ games.Editable = game{}

const fieldPly = "ply"

// Pieces are the letters of the board text.
func (game) Pieces() string { return string(marks[:]) }

// Fields is the number of moves made, from which the side to move follows.
func (game) Fields(games.Options) []games.Field {
	return []games.Field{
		{Key: fieldPly, Max: Limit - 1, Label: "Moves made", Kind: games.Plies},
	}
}

// Draft takes a position apart.
func (game) Draft(p games.Position) games.Draft {
	return games.Draft{Options: p.Options(), Rows: p.Rows(), Fields: map[string]int{fieldPly: p.(*Position).Ply()}}
}

// Settle returns d as it is: nothing follows from the marbles.
func (game) Settle(d games.Draft, _ int) games.Draft { return d }

// Text is the one-line text of a draft.
func (game) Text(d games.Draft) string {
	ply := d.Fields[fieldPly]
	return board.Join(append(about.Changed(d.Options), fmt.Sprintf("ply=%d turn=%c", ply, marks[ply%2])), d.Rows)
}
