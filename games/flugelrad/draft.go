package flugelrad

import (
	"fmt"

	"ludoteca/games"
	"ludoteca/games/board"
)

var _ games.Editable = game{}

// The keys of the fields.
const (
	fieldTurn  = "turn"
	fieldLast  = "last"
	fieldTurns = "turns"
)

// Pieces are the letters of the board text.
func (game) Pieces() string { return string(marks[:]) }

// mostTurns is how many turns can be set up where no number of them ends the game.
const mostTurns = 9999

// Fields are the side to move, the wheel that is locked, and the turns played.
func (game) Fields(o games.Options) []games.Field {
	turns := mostTurns
	if limit := o[optMoveLimit]; limit > 0 {
		turns = limit - 1
	}
	return []games.Field{
		{Key: fieldTurn, Max: 1, Label: "To move", Kind: games.ToMove},
		{Key: fieldLast, Min: noWheel, Max: Wheels - 1, Label: "Locked wheel", Kind: games.Number},
		{Key: fieldTurns, Max: turns, Label: "Turns played"},
	}
}

// Draft takes a position apart.
func (game) Draft(p games.Position) games.Draft {
	s := p.(*Position).s
	return games.Draft{Options: p.Options(), Rows: p.Rows(), Fields: map[string]int{
		fieldTurn: int(s.turn), fieldLast: int(s.last), fieldTurns: int(s.turns),
	}}
}

// Settle returns d as it is: nothing follows from the balls.
func (game) Settle(d games.Draft, _ int) games.Draft { return d }

// Text is the one-line text of a draft.
func (game) Text(d games.Draft) string {
	header := []string{fmt.Sprintf("turn=%c", marks[d.Fields[fieldTurn]])}
	if last := d.Fields[fieldLast]; last != noWheel {
		header = append(header, fmt.Sprintf("last=%d", last))
	}
	header = append(header, fmt.Sprintf("turns=%d", d.Fields[fieldTurns]))
	return board.Join(append(header, about.Changed(d.Options)...), d.Rows)
}
