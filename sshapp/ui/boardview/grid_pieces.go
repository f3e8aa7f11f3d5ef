package boardview

import "ludoteca/games"

// A shape is a large piece.
type shape [3]string

// Large pieces by side: discs and rings, and hulls around the letters of tanks, with the barrel up or down.
var (
	discs      = [2]shape{{"▗███▖", "█████", "▝███▘"}, {"╭───╮", "│   │", "╰───╯"}}
	asciiDiscs = [2]shape{{` \ / `, `  X  `, ` / \ `}, {` /-\ `, ` | | `, ` \-/ `}}
	hulls      = [2]shape{{"╭─┴─╮", "│   │", "╰───╯"}, {"╭───╮", "│   │", "╰─┬─╯"}}
	asciiHulls = [2]shape{{".-^-.", "|   |", "'---'"}, {".---.", "|   |", "'-v-'"}}
)

func (p *gridDrawing) drawPiece(x, y int, c cell) {
	ink, letter := sideRole(c.side), c.piece
	disc := letter == 'X' || letter == 'O'
	if disc {
		letter = token(c.side, p.ascii)
	}
	if p.size.dy < 4 {
		p.set(x, y, letter, ink)
		return
	}
	all, side := &hulls, c.side
	switch {
	case disc && p.ascii:
		all = &asciiDiscs
	case disc:
		all = &discs
	case p.ascii:
		all = &asciiHulls
	}
	if !disc && p.st.Flip {
		side = side.Other() // whoever goes up the board comes down the screen
	}
	for i, line := range all[side] {
		p.write(x-2, y-1+i, line, ink)
	}
	if !disc {
		p.set(x, y, letter, ink)
	}
}

// token is how a side without kinds of pieces is shown.
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

// inkOf is the ink of a side's pieces.
func sideRole(side games.Side) Role { return First + Role(side) }
