package games

import (
	"maps"
	"slices"
	"strings"
)

// Editable is an optional ability of a Game: its positions can be set up by hand, piece by piece.
type Editable interface {
	Game

	// Pieces are the letters that a cell of the board text may hold besides the dot of an empty one.
	Pieces() string

	// Fields are what a position holds besides its board and its options, in the order of a form.
	Fields(o Options) []Field

	// Draft takes a position of this game apart.
	Draft(p Position) Draft

	// Settle returns d with the fields set that follow from the rest. at is the cell that was changed just now, -1 for none.
	Settle(d Draft, at int) Draft

	// Text is the one-line text of a draft. Parse reads it, or says why the draft is no position.
	Text(d Draft) string
}

// A Field is a number that a position holds besides its board.
type Field struct {
	Key      string
	Label    string // what a form calls it, at most 24 columns
	Min, Max int    // what can be set up; a position may hold more
	Kind     FieldKind
}

// A FieldKind says what the number of a field means.
type FieldKind uint8

// The kinds of fields.
const (
	Count  FieldKind = iota // how many of something
	ToMove                  // the side to move
	Plies                   // how many moves were made: the side to move follows from it
	Number                  // the number of something on the board; -1 is none
	Cell                    // a cell, counted row by row from a1; -1 is none
)

// SaysTurn reports whether the side to move is or follows from the field.
func (f Field) SaysTurn() bool { return f.Kind == ToMove || f.Kind == Plies }

// A Draft is a position that is being set up: what its text consists of. It may be no position at all. It is a value: every change
// returns another one.
type Draft struct {
	Options Options        // complete
	Rows    []string       // the board text, top row first; all rows are of the same length
	Fields  map[string]int // by key, every field of the game
}

// Cells returns how many cells the board text has.
func (d Draft) Cells() int { return len(d.Rows) * d.cols() }

func (d Draft) cols() int {
	if len(d.Rows) == 0 {
		return 0
	}
	return len(d.Rows[0])
}

// place returns the row and the column of a cell in the board text. Cells are counted row by row from a1, at the lower left.
func (d Draft) place(at int) (row, col int) {
	return len(d.Rows) - 1 - at/d.cols(), at % d.cols()
}

// At returns the letter of a cell.
func (d Draft) At(at int) byte {
	row, col := d.place(at)
	return d.Rows[row][col]
}

// Put returns the draft with another letter in a cell.
func (d Draft) Put(at int, letter byte) Draft {
	row, col := d.place(at)
	rows := slices.Clone(d.Rows)
	rows[row] = rows[row][:col] + string(rune(letter)) + rows[row][col+1:]
	d.Rows = rows
	return d
}

// Set returns the draft with another value of a field.
func (d Draft) Set(key string, v int) Draft {
	fields := maps.Clone(d.Fields)
	fields[key] = v
	d.Fields = fields
	return d
}

// Clear returns the draft with nothing on the board.
func (d Draft) Clear() Draft {
	rows := make([]string, len(d.Rows))
	for i, row := range d.Rows {
		rows[i] = strings.Repeat(string(emptyCell), len(row))
	}
	d.Rows = rows
	return d
}

// emptyCell is the letter of an empty cell in the board text of every game that can be edited.
const emptyCell = '.'
