package petteia

import (
	"fmt"

	"ludoteca/games"
	"ludoteca/games/board"
)

var _ games.Editable = game{}

// The keys of the fields.
const (
	fieldTurn   = "turn"
	fieldFirst  = "captured_first"
	fieldSecond = "captured_second"
	fieldQuiet  = "quiet"
)

// Pieces are the letters of the board text.
func (game) Pieces() string { return signs }

// mostQuiet is how many quiet turns can be set up where nothing ends the game after them.
const mostQuiet = 9999

// Fields are the side to move, the captures, and the turns since the last one.
func (game) Fields(o games.Options) []games.Field {
	quiet := mostQuiet
	if limit := o[keyQuietLimit]; limit > 0 {
		quiet = limit - 1
	}
	return []games.Field{
		{Key: fieldTurn, Max: 1, Label: "To move", Kind: games.ToMove},
		{Key: fieldFirst, Max: maxMen, Label: "Captures of X"},
		{Key: fieldSecond, Max: maxMen, Label: "Captures of O"},
		{Key: fieldQuiet, Max: quiet, Label: "Quiet turns"},
	}
}

// Draft takes a position apart.
func (game) Draft(p games.Position) games.Draft {
	s := p.(*Position).s
	return games.Draft{Options: p.Options(), Rows: p.Rows(), Fields: map[string]int{
		fieldTurn: int(s.turn), fieldFirst: int(s.taken[0]), fieldSecond: int(s.taken[1]), fieldQuiet: int(s.quiet),
	}}
}

// Settle returns d as it is: nothing follows from the men.
func (game) Settle(d games.Draft, _ int) games.Draft { return d }

// Text is the one-line text of a draft.
func (game) Text(d games.Draft) string {
	f := d.Fields
	state := fmt.Sprintf("turn=%c captured=%d,%d quiet=%d", signs[f[fieldTurn]], f[fieldFirst], f[fieldSecond], f[fieldQuiet])
	return board.Join(append([]string{state}, about.Changed(d.Options)...), d.Rows)
}
