package boardview

import (
	"strconv"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
)

// A wheelSize says where a row and a column of the layout table of the rule sheet come to stand.
type wheelSize struct {
	width, height int
	dx, dy        int  // from one row or column to the next
	left          int  // of column 0
	links         bool // sloping links are drawn, and brackets around the points
}

// wheelSizes are the three drawings of the rule sheet, the largest first.
var wheelSizes = [...]wheelSize{
	{51, 19, 4, 3, 1, true},
	{51, 13, 4, 2, 1, true},
	{25, 7, 2, 1, 0, false},
}

func (z *wheelSize) point(row, col int) (x, y int) { return z.left + z.dx*col, z.dy * row }

func (w *wheels) fit(width, height int, _ State) Layout {
	for size, z := range wheelSizes {
		if z.width <= width && z.height <= height {
			return Layout{Width: z.width, Height: z.height, size: size}
		}
	}
	last := len(wheelSizes) - 1
	z := wheelSizes[last]
	return Layout{Width: min(z.width, max(width, 0)), Height: min(z.height, max(height, 0)), size: last}
}

func (w *wheels) plainLayout() Layout {
	z := wheelSizes[1]
	return w.fit(z.width, z.height, State{})
}

// chosen is the wheel that is held or under the cursor.
func (w *wheels) chosen(h Selection) int {
	switch {
	case !w.valid(h):
		return int(middleWheel)
	case h.From != Nowhere:
		return int(h.From)
	}
	return int(h.Cursor)
}

func (w *wheels) cursorCell(l Layout, st State) (x, y int) {
	return wheelSizes[l.size].point(flugelrad.WheelPlace(w.chosen(st.Selection)))
}

// spot is the wheel in which or next to which a cell lies; in the wheel that is held, the sides of its middle.
func (w *wheels) spot(l Layout, st State, x, y int) Spot {
	z := &wheelSizes[l.size]
	best, nearest := Nowhere, 0
	for wheel := range flugelrad.Wheels {
		cx, cy := z.point(flugelrad.WheelPlace(wheel))
		// Counted in rows and columns of the table, where a wheel's points are 2 apart from its middle.
		dx, dy := float(x-cx)/float(z.dx), float(y-cy)/float(z.dy)*1.7
		far := int(100 * (dx*dx + dy*dy))
		if far <= 625 && (best == Nowhere || far < nearest) {
			best, nearest = Spot(wheel), far
		}
	}
	if best == Nowhere || best != st.Selection.From {
		return best
	}
	switch cx, _ := z.point(flugelrad.WheelPlace(int(best))); {
	case x < cx-1:
		return turnLeft
	case x > cx+1:
		return turnRight
	}
	return turnDone
}

func float(n int) float64 { return float64(n) }

func number(n int) string { return strconv.Itoa(n) }

// A ball is what is on a point: 'X', 'O' or '.'.
type ball byte

func (b ball) side() games.Side {
	if b == 'O' {
		return games.Second
	}
	return games.First
}

// A wheelPen draws the wheels.
type wheelDrawing struct {
	*canvas
	*wheels
	size  *wheelSize
	st    State
	balls string // by point, as they are or as the wheel that is held would leave them
	lit   int    // the wheel that stands out, -1 for none
	ascii bool
}

func (w *wheels) draw(c *canvas, _ *Scene, l Layout, st State, ascii bool) {
	p := wheelDrawing{canvas: c, wheels: w, size: &wheelSizes[l.size], st: st, lit: -1, ascii: ascii}
	p.balls = w.pos.Preview(0, 0)
	if st.Yours {
		p.lit = w.chosen(st.Selection)
		if st.Selection.From != Nowhere && w.valid(st.Selection) {
			p.balls = w.pos.Preview(p.lit, int(st.Selection.Cursor-unturned))
		}
	}
	for wheel := range flugelrad.Wheels {
		if wheel != p.lit {
			p.drawRing(wheel)
		}
	}
	if p.lit >= 0 {
		p.drawRing(p.lit)
	}
	for point := 1; point <= flugelrad.Points; point++ {
		p.drawPoint(point)
	}
	for wheel := range flugelrad.Wheels {
		p.drawNumber(wheel)
	}
}

func (p *wheelDrawing) ball(point int) ball { return ball(p.balls[point-1]) }

// preview says that the balls shown are not those of the position.
func (p *wheelDrawing) preview() bool {
	return p.st.Yours && p.st.Selection.From != Nowhere && p.st.Selection.Cursor != unturned
}

// drawRing draws the six links of a wheel. Those between two balls of one side are double: the balls hang together.
func (p *wheelDrawing) drawRing(wheel int) {
	ink := Line
	if wheel == p.lit {
		ink = Cursor
		if p.st.Selection.From != Nowhere {
			ink = Selected
		}
	}
	ring := flugelrad.WheelPoints(wheel)
	for i, from := range ring {
		to := ring[(i+1)%ringLength]
		ink := ink
		double := p.ball(from) != '.' && p.ball(from) == p.ball(to)
		if double && wheel != p.lit {
			ink = sideRole(p.ball(from).side())
		}
		p.drawLink(from, to, double, ink)
	}
}

func (p *wheelDrawing) drawLink(from, to int, double bool, ink Role) {
	x1, y1 := p.size.point(flugelrad.PointPlace(from))
	x2, y2 := p.size.point(flugelrad.PointPlace(to))
	if y1 > y2 || y1 == y2 && x1 > x2 {
		x1, y1, x2, y2 = x2, y2, x1, y1
	}
	if y1 == y2 {
		p.drawAcross(x1, x2, y1, double, ink)
		return
	}
	if !p.size.links {
		return
	}
	slope, dir := p.slope(x2 < x1), sign(x2-x1)
	for y := y1 + 1; y < y2; y++ {
		x := x1 + dir*2
		if p.size.dy == 3 {
			x = x1 + dir*(2*(y-y1)-1)
		}
		p.set(x, y, slope, ink)
		if double {
			p.set(x+1, y, slope, ink)
		}
	}
}

func (p *wheelDrawing) slope(left bool) rune {
	if left {
		return p.either('╱', '/')
	}
	return p.either('╲', '\\')
}

func (p *wheelDrawing) drawAcross(x1, x2, y int, double bool, ink Role) {
	r := p.either('─', '-')
	if double {
		r = p.either('═', '=')
	}
	margin := 1
	if p.size.links {
		margin = 2
	}
	for x := x1 + margin; x <= x2-margin; x++ {
		p.set(x, y, r, ink)
	}
}

func (p *wheelDrawing) either(utf8, ascii rune) rune {
	if p.ascii {
		return ascii
	}
	return utf8
}

// drawPoint draws a point and its ball. Brackets of the winning balls are stars.
func (p *wheelDrawing) drawPoint(point int) {
	x, y := p.size.point(flugelrad.PointPlace(point))
	b := p.ball(point)
	switch {
	case b != '.':
		p.set(x, y, token(b.side(), p.ascii), sideRole(b.side()))
	case !p.size.links:
		p.set(x, y, p.either('·', '.'), Line)
	}
	won := p.win[point] && !p.preview()
	switch ink := p.pointRole(point, b); {
	case won:
		p.around(x, y, 1, '*', '*', Win)
	case p.size.links:
		p.around(x, y, 1, '(', ')', ink)
	}
}

func (p *wheelDrawing) pointRole(point int, b ball) Role {
	if p.lit >= 0 {
		for _, on := range flugelrad.WheelPoints(p.lit) {
			if on == point {
				if p.st.Selection.From != Nowhere {
					return Selected
				}
				return Cursor
			}
		}
	}
	if b != '.' && p.linked[point] && !p.preview() {
		return sideRole(b.side())
	}
	return Line
}

// drawNumber draws the number of a wheel: in brackets if it can be turned, in round ones if it was turned last. The wheel
// that is held shows the move instead.
func (p *wheelDrawing) drawNumber(wheel int) {
	x, y := p.size.point(flugelrad.WheelPlace(wheel))
	digit := rune('0' + wheel)
	held := wheel == p.lit && p.st.Selection.From != Nowhere
	switch {
	case held && p.st.Selection.Cursor == unturned:
		p.set(x, y, digit, Selected)
		p.around(x, y, 2, '<', '>', Selected)
	case held:
		p.write(x-1, y, p.attempt(p.st.Selection), Selected)
		p.around(x, y, p.either2(3, 2), '<', '>', Selected)
	case wheel == p.lit:
		p.set(x, y, digit, CursorLabel)
		p.around(x, y, 1, '>', '<', Cursor)
	case wheel == p.last:
		p.set(x, y, digit, Last)
		p.around(x, y, 1, '(', ')', Last)
	case p.free[wheel]:
		p.set(x, y, digit, Plain)
		if p.size.links {
			p.around(x, y, 1, '[', ']', Label)
		}
	default:
		p.set(x, y, digit, Line)
	}
}

func (p *wheelDrawing) either2(large, small int) int {
	if p.size.links {
		return large
	}
	return small
}
