package boardview

import (
	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
)

// A Role is the meaning of a character in a drawing. A Theme gives each role its style.
type Role uint8

// The roles.
const (
	Plain       Role = iota
	Line             // grid lines, links, empty points
	Label            // letters and numbers around the board
	CursorLabel      // the letter and the number of the cell under the cursor
	First            // pieces of the side that began
	Second           // pieces of the other side
	Legal            // where a move can go
	Forced           // where it has to go
	Idle             // where a move of the other side can go
	Last             // the brackets around both ends of the last move
	Taken            // what the last move captured, pushed or turned
	Target           // the brackets around what a move would capture
	Cursor           // the brackets around the place under the cursor
	Selected         // the brackets around what has been chosen first; the wheel that is being turned
	Win              // the marks of a winning line or group
	Roles            // how many there are
)

// A Theme sets the look of a session's boards: whether they may use more than ASCII, and the style of each role. The zero value is
// UTF-8 without colours.
type Theme struct {
	ASCII  bool
	Styles [Roles]canvas.Style
}

// A drawing is a rectangle of a canvas with coordinates of its own. Whatever lies outside is left out.
type drawing struct {
	canvas *canvas.Canvas
	x, y   int // of the upper left cell, on the canvas
	theme  *Theme
}

// set draws one character, which must be one cell wide.
func (d drawing) set(x, y int, r rune, role Role) {
	d.canvas.Set(d.x+x, d.y+y, d.theme.Styles[role], r)
}

// line draws a horizontal line of a character that is one cell wide.
func (d drawing) line(x, y, cells int, r rune, role Role) {
	d.canvas.Repeat(canvas.Area(d.x+x, d.y+y, cells, 1), d.theme.Styles[role], r)
}

// write draws characters from left to right.
func (d drawing) write(x, y int, s string, role Role) {
	d.canvas.Text(d.x+x, d.y+y, d.theme.Styles[role], s)
}

// number draws a number that ends at column x.
func (d drawing) number(x, y, n int, role Role) {
	for {
		d.set(x, y, rune('0'+n%10), role)
		if n /= 10; n == 0 {
			return
		}
		x--
	}
}

// around draws a character at either side of a cell, distance cells away.
func (d drawing) around(x, y, distance int, left, right rune, role Role) {
	d.set(x-distance, y, left, role)
	d.set(x+distance, y, right, role)
}

// either returns the first character where UTF-8 can be shown, else the second.
func (d drawing) either(utf8, ascii rune) rune {
	if d.theme.ASCII {
		return ascii
	}
	return utf8
}

// token returns how a side without kinds of pieces is shown.
func token(side games.Side, ascii bool) rune {
	switch {
	case ascii && side == games.First:
		return 'X'
	case ascii:
		return 'O'
	case side == games.First:
		return '●'
	}
	return '○'
}

// sideRole returns the role of a side's pieces.
func sideRole(side games.Side) Role { return First + Role(side) }

func sign(n int) int { return min(max(n, -1), 1) }
