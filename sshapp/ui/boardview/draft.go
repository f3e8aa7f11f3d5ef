package boardview

import (
	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/sshapp/text"
)

// NewDraft prepares a board that is being set up. It is drawn like other boards of its game, whether it is a position or not. A Spot
// is a cell of the draft, and no move can be chosen. like is any position with the same options, and fields are the fields of the game.
func NewDraft(like games.Position, d games.Draft, fields []games.Field) *Scene {
	var f facts = plainFacts{}
	if kinds, ok := New(like, nil, "").facts.(pieceKinds); ok {
		f = struct {
			plainFacts
			pieceKinds
		}{plainFacts{}, kinds}
	}
	if _, ok := like.(*flugelrad.Position); ok {
		return &Scene{pos: like, board: newPoints(d, fields), facts: f}
	}
	g := rowsGrid(d.Rows)
	for _, f := range fields {
		if f.Kind == games.Cell {
			g.mark(Spot(d.Fields[f.Key]))
		}
	}
	return &Scene{pos: like, board: g, facts: f}
}

// points is a board of Flügelrad that is being set up: the cursor goes from point to point. Spot 0 is point 1.
type points struct {
	*wheels
	balls string
}

func newPoints(d games.Draft, fields []games.Field) points {
	p := points{&wheels{last: -1}, d.Rows[0]}
	for _, f := range fields {
		if f.Kind == games.Number {
			p.last = d.Fields[f.Key]
		}
	}
	return p
}

// middlePoint is a point in the middle of the board.
const middlePoint Spot = 18

func (p points) start(games.Side) Spot { return middlePoint }
func (p points) lastMove() Spot        { return middlePoint }

func (p points) valid(sel Selection) bool { return sel.Cursor >= 0 && int(sel.Cursor) < len(p.balls) }

// arrow goes to the next point in a direction of the screen. Points of the same row come first to the left and right; of two points
// above or below, the nearer one.
func (p points) arrow(sel Selection, dx, dy int, _ bool) Selection {
	row, col := flugelrad.PointPlace(int(sel.Cursor) + 1)
	best, nearest := sel.Cursor, 0
	for at := range Spot(len(p.balls)) {
		r, c := flugelrad.PointPlace(int(at) + 1)
		r, c = r-row, c-col
		if dx != 0 && c*dx <= 0 || dy != 0 && r*dy <= 0 {
			continue
		}
		far := abs(c) + 20*abs(r)
		if nearest == 0 || far < nearest {
			best, nearest = at, far
		}
	}
	sel.Cursor = best
	return sel
}

func (p points) pick(sel Selection) Selection    { return sel }
func (p points) release(sel Selection) Selection { return Selection{sel.Cursor, Nowhere} }
func (p points) attempt(sel Selection) string    { return number(int(sel.Cursor) + 1) }

func (p points) pieces(games.Side) []string { return nil }

func (p points) plainLayout() Layout { return p.wheels.plainLayout() }

func (p points) place(l Layout, at Spot) (x, y int) {
	return wheelSizes[l.size].point(flugelrad.PointPlace(int(at) + 1))
}

func (p points) cursorCell(l Layout, st State) (x, y int) {
	if !p.valid(st.Selection) {
		return p.place(l, middlePoint)
	}
	return p.place(l, st.Selection.Cursor)
}

// spot returns the point at a cell of the screen or right beside it.
func (p points) spot(l Layout, _ State, x, y int) Spot {
	reach := 1
	if wheelSizes[l.size].large() {
		reach = 2
	}
	for at := range Spot(len(p.balls)) {
		if px, py := p.place(l, at); abs(x-px) <= reach && abs(y-py) <= reach/2 {
			return at
		}
	}
	return Nowhere
}

func (p points) draw(d drawing, _ *Scene, l Layout, st State) {
	w := wheelDrawing{drawing: d, wheels: p.wheels, size: &wheelSizes[l.size], balls: p.balls, lit: -1}
	for wheel := range flugelrad.Wheels {
		w.drawRing(wheel)
	}
	for point := 1; point <= flugelrad.Points; point++ {
		w.drawPoint(point)
	}
	for wheel := range flugelrad.Wheels {
		w.drawNumber(wheel)
	}
	if st.Yours && p.valid(st.Selection) {
		x, y := p.place(l, st.Selection.Cursor)
		w.pair(x, y, w.size.ballLines(), '[', ']', Cursor)
	}
}

// Piece returns the character that a letter of the board text is shown as, and the side that the piece belongs to.
func Piece(letter byte, ascii bool) (shown rune, side games.Side) {
	side = usualSide(letter)
	if letter == 'X' || letter == 'O' {
		return token(side, ascii), side
	}
	return rune(letter), side
}

// CellName returns the name of a cell of a draft for people.
func (s *Scene) CellName(at Spot) string { return s.board.attempt(Selection{at, Nowhere}) }

// FieldValue returns the value of a field of a draft in words.
func (s *Scene) FieldValue(say text.Say, about *games.About, f games.Field, v int) string {
	switch {
	case f.Kind == games.ToMove:
		return say.T(about.Sides[v&1])
	case f.Kind == games.Plies:
		return number(v) + ", " + say.T("%s to move", say.T(about.Sides[v&1]))
	case v < 0:
		return say.C("a cell or a wheel", "none")
	case f.Kind == games.Cell:
		return s.CellName(Spot(v))
	}
	return number(v)
}
