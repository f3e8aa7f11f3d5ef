package fourmation

import (
	"bytes"
	"fmt"
	"strings"

	"ludoteca/games"
	"ludoteca/games/board"
)

var _ games.Editable = game{}

const fieldLast = "last"

// Pieces are the letters of the board text.
func (game) Pieces() string { return string(marks[:]) }

// Fields is the previous move. The side to move follows from the pieces.
func (game) Fields(o games.Options) []games.Field {
	return []games.Field{
		{Key: fieldLast, Min: -1, Max: o[optCols]*o[optRows] - 1, Label: "Last piece", Kind: games.Cell},
	}
}

// Draft takes a position apart.
func (game) Draft(p games.Position) games.Draft {
	last := -1
	if col, row, ok := p.(*Position).Last(); ok {
		cols, _ := p.(*Position).Size()
		last = row*cols + col
	}
	return games.Draft{Options: p.Options(), Rows: p.Rows(), Fields: map[string]int{fieldLast: last}}
}

// Settle makes the last piece a piece of the player who has just moved: the piece at at if it is theirs, else the last piece of d
// if it is theirs, else the first of theirs.
func (game) Settle(d games.Draft, at int) games.Draft {
	mark := marks[toMove(d).Other()]
	for _, last := range []int{at, d.Fields[fieldLast]} {
		if last >= 0 && last < d.Cells() && d.At(last) == mark {
			return d.Set(fieldLast, last)
		}
	}
	for last := range d.Cells() {
		if d.At(last) == mark {
			return d.Set(fieldLast, last)
		}
	}
	return d.Set(fieldLast, -1)
}

// toMove returns the side to move, which follows from the pieces.
func toMove(d games.Draft) games.Side {
	all := []byte(strings.Join(d.Rows, ""))
	if bytes.Count(all, marks[:1]) > bytes.Count(all, marks[1:]) {
		return games.Second
	}
	return games.First
}

// Text is the one-line text of a draft.
func (game) Text(d games.Draft) string {
	last := "-"
	if at := d.Fields[fieldLast]; at >= 0 {
		cols := d.Options[optCols]
		last = board.Name(at%cols, at/cols)
	}
	return board.Join(append(about.Changed(d.Options), fmt.Sprintf("last=%s turn=%c", last, marks[toMove(d)])), d.Rows)
}
