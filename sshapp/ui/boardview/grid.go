package boardview

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/sshapp/text"
)

// A grid is a square board.
type grid struct {
	cols, rows int
	cells      []cell  // row by row, a1 first
	first      [2]Spot // where the cursor of each side begins
	sided      bool    // each side plays from its own edge
	forced     bool    // the legal moves are the few that a rule forces
	last       []Spot  // both ends of the last move
	win        []Spot  // the winning line
}

// A cell is one cell of a grid.
type cell struct {
	piece rune // a letter, X and O standing for the tokens of the sides; 0 is none
	side  games.Side
	trace rune // what the last move left on an empty cell: one of the traces below; 0 is nothing
}

// The marks that the last move leaves on empty cells. The eight arrows show the direction in which a marble was pushed.
const (
	captured = '×'
	arrows   = "↙↓↘←·→↖↑↗" // by direction: down left, down, down right, left, and so on
)

// asciiTraces are the same in ASCII.
var asciiTraces = map[rune]rune{
	captured: '%', '↙': '/', '↓': 'v', '↘': '\\', '←': '<', '→': '>', '↖': '\\', '↑': '^', '↗': '/',
}

// arrow returns the trace of a push by one cell.
func arrow(dCol, dRow int) rune { return []rune(arrows)[3*(dRow+1)+dCol+1] }

func newGrid(cols, rows int) *grid {
	g := &grid{cols: cols, rows: rows, cells: make([]cell, cols*rows)}
	g.startAt(g.at(cols/2, rows/2))
	return g
}

// startAt lets the cursors of both sides begin at a place.
func (g *grid) startAt(at Spot) { g.first = [2]Spot{at, at} }

// at returns the spot of a cell.
func (g *grid) at(col, row int) Spot { return Spot(row*g.cols + col) }

// place returns the column and row of a spot.
func (g *grid) place(at Spot) (col, row int) { return int(at) % g.cols, int(at) / g.cols }

func (g *grid) name(at Spot) string { return board.Name(g.place(at)) }

// named returns the spot of a cell in canonical text.
func (g *grid) named(m games.Move) Spot {
	col, row, ok := board.Square(string(m), g.cols, g.rows)
	if !ok {
		return Nowhere
	}
	return g.at(col, row)
}

// ends returns the two cells of a move. The mark between them comes after a number, so an x is never taken for a column.
func (g *grid) ends(m games.Move) (from, to Spot) {
	if i := mark(m); i > 0 {
		return g.named(m[:i]), g.named(m[i+1:])
	}
	return Nowhere, g.named(m)
}

// mark returns the place of the mark between the two cells of a move, 0 if there is none.
func mark(m games.Move) int {
	for i := 1; i < len(m); i++ {
		if m[i] == '-' || m[i] == 'x' {
			return i
		}
	}
	return 0
}

// choices returns legal moves, each a cell or a pair of cells, as places to choose.
func (g *grid) choices(legal []games.Move) []choice {
	all := make([]choice, 0, len(legal))
	for _, m := range legal {
		from, to := g.ends(m)
		all = append(all, choice{m, from, to})
	}
	return all
}

// mark sets the cells of the last move.
func (g *grid) mark(spots ...Spot) {
	for _, at := range spots {
		if at != Nowhere {
			g.last = append(g.last, at)
		}
	}
}

func (g *grid) start(side games.Side) Spot { return g.first[side] }

func (g *grid) lastMove() Spot {
	if n := len(g.last); n > 0 {
		return g.last[n-1]
	}
	return g.first[games.First]
}

func (g *grid) valid(sel Selection) bool {
	return sel.Cursor >= 0 && int(sel.Cursor) < len(g.cells) && int(sel.From) < len(g.cells)
}

func (g *grid) arrow(sel Selection, dx, dy int, flip bool) Selection {
	if flip {
		dx, dy = -dx, -dy
	}
	col, row := g.place(sel.Cursor)
	col, row = min(max(col+dx, 0), g.cols-1), min(max(row-dy, 0), g.rows-1)
	sel.Cursor = g.at(col, row)
	return sel
}

func (g *grid) pick(sel Selection) Selection    { return Selection{sel.Cursor, sel.Cursor} }
func (g *grid) release(sel Selection) Selection { return Selection{sel.Cursor, Nowhere} }

func (g *grid) attempt(sel Selection) string {
	if sel.From == Nowhere {
		return g.name(sel.Cursor)
	}
	return g.name(sel.From) + "-" + g.name(sel.Cursor)
}

func (g *grid) refuse(Spot, games.Side) error { return nil }

func (g *grid) turns() (can, sided bool) { return true, g.sided }

func (g *grid) pieces(side games.Side) []string {
	var all []string
	for i, c := range g.cells {
		if c.piece != 0 && c.side == side {
			name := g.name(Spot(i))
			if c.piece != pieceOf(side) {
				name = string(c.piece) + " " + name
			}
			all = append(all, name)
		}
	}
	return all
}

// A pieceGrid is a grid whose moves take a piece from cell to cell.
type pieceGrid struct{ *grid }

func (g pieceGrid) refuse(at Spot, turn games.Side) error {
	if c := g.cells[at]; c.piece == 0 || c.side != turn {
		return ErrNotYours
	}
	return ErrStuck
}

// A gridSize is how far apart the cells of a grid are drawn.
type gridSize struct {
	dx, dy int
	lines  bool // with lines between the cells
}

// gridSizes are the sizes of cells, the largest first. A cell of the screen is about twice as high as wide.
var gridSizes = [...]gridSize{{12, 6, true}, {8, 4, true}, {4, 2, true}, {2, 1, false}}

const smallest = len(gridSizes) - 1

// digits returns how many columns the row numbers take.
func (g *grid) digits() int {
	if g.rows > 9 {
		return 2
	}
	return 1
}

// frame returns the layout of some columns and rows in a size, with letters and numbers around.
func (g *grid) frame(size, cols, rows int) Layout {
	z, d := gridSizes[size], g.digits()
	l := Layout{size: size, left: d, top: 1, cols: cols, rows: rows}
	l.Width, l.Height = 2*d+cols*z.dx+1, rows*z.dy+2
	if z.lines {
		l.left++
		l.Width += 2
		l.Height++
	}
	return l
}

func (g *grid) fit(w, h int, st State) Layout {
	for size := range gridSizes {
		if l := g.frame(size, g.cols, g.rows); l.Width <= w && l.Height <= h {
			return l
		}
	}
	return g.smallest(w, h, st)
}

func (g *grid) smallest(w, h int, st State) Layout {
	full := g.frame(smallest, g.cols, g.rows)
	if full.Width <= w && full.Height <= h {
		return full
	}
	cols := min(max(g.cols-(full.Width-w+1)/gridSizes[smallest].dx, 1), g.cols)
	rows := min(max(g.rows-(full.Height-h), 1), g.rows)
	l := g.frame(smallest, cols, rows)
	x, y := g.onScreen(g.cursor(st), st.Flip)
	l.Scroll = Scroll{scroll(st.Scroll.Col, x, cols, g.cols), scroll(st.Scroll.Row, y, rows, g.rows)}
	l.Width, l.Height = min(l.Width, max(w, 0)), min(l.Height, max(h, 0))
	return l
}

func (g *grid) plainLayout() Layout { return g.frame(smallest, g.cols, g.rows) }

// cursor returns the place that must be in view.
func (g *grid) cursor(st State) Spot {
	if !g.valid(st.Selection) {
		return g.lastMove()
	}
	return st.Selection.Cursor
}

// keep is the number of cells that stay in view beyond the cursor.
const keep = 2

// scroll returns the new first of shown cells of all. It moves as little as necessary to keep the cursor in view.
func scroll(first, cursor, shown, all int) int {
	margin := min(keep, (shown-1)/2)
	first = max(min(first, cursor-margin), cursor+margin-shown+1)
	return max(min(first, all-shown), 0)
}

// onScreen returns the column and row of a spot, counted from the upper left of the screen.
func (g *grid) onScreen(at Spot, flip bool) (x, y int) {
	col, row := g.place(at)
	if flip {
		return g.cols - 1 - col, row
	}
	return col, g.rows - 1 - row
}

// fromScreen is the reverse of onScreen.
func (g *grid) fromScreen(x, y int, flip bool) Spot {
	if flip {
		return g.at(g.cols-1-x, y)
	}
	return g.at(x, g.rows-1-y)
}

// middle returns the middle of a cell in the drawing; it may lie outside of what is shown.
func (g *grid) middle(l Layout, st State, at Spot) (x, y int, shown bool) {
	x, y = g.onScreen(at, st.Flip)
	x, y = x-l.Scroll.Col, y-l.Scroll.Row
	z := gridSizes[l.size]
	return l.left + x*z.dx + z.dx/2, l.top + y*z.dy + z.dy/2, min(x, y) >= 0 && x < l.cols && y < l.rows
}

func (g *grid) cursorCell(l Layout, st State) (x, y int) {
	x, y, _ = g.middle(l, st, g.cursor(st))
	return x, y
}

func (g *grid) spot(l Layout, st State, x, y int) Spot {
	z := gridSizes[l.size]
	x, y = x-l.left, y-l.top
	if x < 0 || y < 0 || x >= l.cols*z.dx || y >= l.rows*z.dy || z.lines && (x%z.dx == 0 || y%z.dy == 0) {
		return Nowhere
	}
	return g.fromScreen(x/z.dx+l.Scroll.Col, y/z.dy+l.Scroll.Row, st.Flip)
}

// A gridDrawing draws a grid.
type gridDrawing struct {
	drawing
	*grid
	scene *Scene
	l     Layout
	st    State
	size  gridSize
}

func (g *grid) draw(d drawing, s *Scene, l Layout, st State) {
	if !g.valid(st.Selection) {
		st.Selection = Selection{g.lastMove(), Nowhere}
	}
	p := gridDrawing{d, g, s, l, st, gridSizes[l.size]}
	if p.size.lines {
		p.drawLines()
	}
	p.drawLabels()
	p.drawCells()
	p.drawMarks()
	if !st.Over {
		p.drawTargets()
	}
	if st.Yours {
		p.drawSelection()
	}
	p.drawEdges()
}

// boxes are the characters of grid lines: corners and crossings row by row, then the line across and the line down.
var boxes = map[bool][]rune{false: []rune("┌┬┐├┼┤└┴┘─│"), true: []rune("+++++++++-|")}

// drawLines draws the lines between the cells.
func (p *gridDrawing) drawLines() {
	box := boxes[p.theme.ASCII]
	w, h := p.l.cols*p.size.dx, p.l.rows*p.size.dy
	for y := 0; y <= h; y++ {
		across := y%p.size.dy == 0
		if across {
			p.line(p.l.left, p.l.top+y, w+1, box[9], Line)
		}
		for x := 0; x <= w; x += p.size.dx {
			r := box[10]
			if across {
				r = box[3*third(y, h)+third(x, w)]
			}
			p.set(p.l.left+x, p.l.top+y, r, Line)
		}
	}
}

// third reports whether i is at the start, in the middle or at the end.
func third(i, end int) int {
	switch i {
	case 0:
		return 0
	case end:
		return 2
	}
	return 1
}

// drawLabels draws the letters above and below and the numbers on both sides. The labels of the cursor stand out.
func (p *gridDrawing) drawLabels() {
	here, hereRow := -1, -1
	if p.st.Yours {
		here, hereRow = p.place(p.st.Selection.Cursor)
	}
	bottom := p.l.top + p.l.rows*p.size.dy
	if p.size.lines {
		bottom++
	}
	for i := range p.l.cols {
		at := p.fromScreen(i+p.l.Scroll.Col, p.l.Scroll.Row, p.st.Flip)
		x, _, _ := p.middle(p.l, p.st, at)
		col, _ := p.place(at)
		role := Label
		if col == here {
			role = CursorLabel
		}
		p.set(x, 0, rune('a'+col), role)
		p.set(x, bottom, rune('a'+col), role)
	}
	for i := range p.l.rows {
		at := p.fromScreen(p.l.Scroll.Col, i+p.l.Scroll.Row, p.st.Flip)
		_, y, _ := p.middle(p.l, p.st, at)
		_, row := p.place(at)
		role := Label
		if row == hereRow {
			role = CursorLabel
		}
		d := p.digits()
		p.number(d-1, y, row+1, role)
		right := p.l.left + p.l.cols*p.size.dx + 1
		if p.size.lines {
			right++
		}
		if row < 9 {
			p.number(right, y, row+1, role)
		} else {
			p.number(right+1, y, row+1, role)
		}
	}
}

// drawCells draws the pieces, what the last move left behind, and a point on empty cells where no lines show them.
func (p *gridDrawing) drawCells() {
	for y := range p.l.rows {
		for x := range p.l.cols {
			at := p.fromScreen(x+p.l.Scroll.Col, y+p.l.Scroll.Row, p.st.Flip)
			mx, my, _ := p.middle(p.l, p.st, at)
			switch c := p.cells[at]; {
			case c.piece != 0:
				p.drawPiece(mx, my, c)
			case c.trace != 0:
				p.set(mx, my, p.trace(c.trace), Taken)
			case !p.size.lines:
				p.set(mx, my, p.either('·', '.'), Line)
			}
		}
	}
}

func (p *gridDrawing) trace(r rune) rune {
	if p.theme.ASCII {
		return asciiTraces[r]
	}
	return r
}

// brackets draws a pair of signs around a cell: as close as the size allows without touching the piece.
func (p *gridDrawing) brackets(at Spot, left, right rune, role Role) {
	x, y, shown := p.middle(p.l, p.st, at)
	if !shown {
		return
	}
	p.pair(x, y, p.size.dy, left, right, role)
}

// drawMarks marks the last move and the winning line.
func (p *gridDrawing) drawMarks() {
	for _, at := range p.last {
		p.brackets(at, '(', ')', Last)
	}
	for _, at := range p.win {
		p.brackets(at, '*', '*', Win)
	}
}

// drawTargets marks where a move can go: from the piece that is chosen, or anywhere if a move is a single cell.
func (p *gridDrawing) drawTargets() {
	role := Idle
	if p.st.Yours {
		role = Legal
	}
	for _, c := range p.scene.choices {
		x, y, shown := p.middle(p.l, p.st, c.to)
		if c.from != p.st.Selection.From || !shown {
			continue
		}
		switch at := p.cells[c.to]; {
		case at.piece != 0:
			p.brackets(c.to, '>', '<', Target)
		case p.forced:
			p.set(x, y, '!', Forced)
		case at.trace != 0:
			p.set(x, y, p.trace(at.trace), role)
		case p.size.lines:
			p.set(x, y, p.either('·', '.'), role)
		default:
			p.set(x, y, p.either('•', '*'), role)
		}
	}
}

// drawSelection marks what is chosen and the cell under the cursor.
func (p *gridDrawing) drawSelection() {
	if p.st.Selection.From != Nowhere {
		p.brackets(p.st.Selection.From, '<', '>', Selected)
	}
	at := p.st.Selection.Cursor
	p.brackets(at, '[', ']', Cursor)
	if p.size != gridSizes[smallest] {
		return
	}
	// Neighbours share the column between them here: a sign that closes both pairs stands in it.
	x, y := p.onScreen(at, p.st.Flip)
	mx, my, _ := p.middle(p.l, p.st, at)
	for _, dx := range []int{-1, 1} {
		if next := x + dx; next >= 0 && next < p.cols && p.marked(p.fromScreen(next, y, p.st.Flip)) {
			p.set(mx+dx, my, p.either('│', '|'), Cursor)
		}
	}
}

// marked reports whether a pair of signs other than the cursor stands around a cell.
func (p *gridDrawing) marked(at Spot) bool {
	if slices.Contains(p.last, at) || slices.Contains(p.win, at) || at == p.st.Selection.From {
		return true
	}
	return p.cells[at].piece != 0 && slices.ContainsFunc(p.scene.choices, func(c choice) bool {
		return c.to == at && c.from == p.st.Selection.From
	})
}

// drawEdges marks the sides at which there is more of the board than is shown: at the ends of the letters and of the numbers.
func (p *gridDrawing) drawEdges() {
	l, right, bottom := p.l, p.l.left+p.l.cols*p.size.dx, p.l.top+p.l.rows*p.size.dy
	for _, y := range []int{0, bottom} {
		if l.Scroll.Col > 0 {
			p.set(l.left, y, p.either('‹', '<'), CursorLabel)
		}
		if l.Scroll.Col+l.cols < p.cols {
			p.set(right, y, p.either('›', '>'), CursorLabel)
		}
	}
	for _, x := range []int{0, right + p.digits()} {
		if l.Scroll.Row > 0 {
			p.set(x, 0, p.either('↑', '^'), CursorLabel)
		}
		if l.Scroll.Row+l.rows < p.grid.rows {
			p.set(x, bottom, p.either('↓', 'v'), CursorLabel)
		}
	}
}

// A shape is a large piece, line by line, with its middle in the middle of a cell.
type shape []string

// shapes are large pieces by side: discs and rings, and hulls around the letters of tanks, with the barrel up or down.
type shapes struct{ discs, asciiDiscs, hulls, asciiHulls [2]shape }

// largeShapes fill cells of 8x4. hugeShapes fill cells of 12x6.
var (
	largeShapes = shapes{
		discs:      [2]shape{{"▗███▖", "█████", "▝███▘"}, {"╭───╮", "│   │", "╰───╯"}},
		asciiDiscs: [2]shape{{` \ / `, `  X  `, ` / \ `}, {` /-\ `, ` | | `, ` \-/ `}},
		hulls:      [2]shape{{"╭─┴─╮", "│   │", "╰───╯"}, {"╭───╮", "│   │", "╰─┬─╯"}},
		asciiHulls: [2]shape{{".-^-.", "|   |", "'---'"}, {".---.", "|   |", "'-v-'"}},
	}
	hugeShapes = shapes{
		discs: [2]shape{
			{" ▗▟███▙▖ ", "▟███████▙", "█████████", "▜███████▛", " ▝▜███▛▘ "},
			{" ╭─────╮ ", "╭╯     ╰╮", "│       │", "╰╮     ╭╯", " ╰─────╯ "},
		},
		asciiDiscs: [2]shape{
			{`  \   /  `, `   \ /   `, `    X    `, `   / \   `, `  /   \  `},
			{`  .---.  `, ` /     \ `, `|       |`, ` \     / `, `  '---'  `},
		},
		hulls: [2]shape{
			{"    │    ", "╭───┴───╮", "│       │", "│       │", "╰───────╯"},
			{"╭───────╮", "│       │", "│       │", "╰───┬───╯", "    │    "},
		},
		asciiHulls: [2]shape{
			{"    |    ", ".---^---.", "|       |", "|       |", "'-------'"},
			{".-------.", "|       |", "|       |", "'---v---'", "    |    "},
		},
	}
)

// disc returns the shape of a side's token.
func (s *shapes) disc(side games.Side, ascii bool) shape {
	if ascii {
		return s.asciiDiscs[side]
	}
	return s.discs[side]
}

// hull returns the shape of a side's tank.
func (s *shapes) hull(side games.Side, ascii bool) shape {
	if ascii {
		return s.asciiHulls[side]
	}
	return s.hulls[side]
}

// stamp draws a shape around a cell of the drawing.
func (d drawing) stamp(x, y int, s shape, role Role) {
	for i, line := range s {
		d.write(x-text.Width(line)/2, y-len(s)/2+i, line, role)
	}
}

// pair draws a pair of signs around the middle of a place that is dy lines high: beside a large piece on each of its lines.
func (d drawing) pair(x, y, dy int, left, right rune, role Role) {
	if dy < 4 {
		d.around(x, y, 1, left, right, role)
		return
	}
	for line := 1 - dy/2; line < dy/2; line++ {
		d.around(x, y+line, dy-1, left, right, role)
	}
}

func (p *gridDrawing) drawPiece(x, y int, c cell) {
	role, letter := sideRole(c.side), c.piece
	disc := letter == 'X' || letter == 'O'
	if disc {
		letter = token(c.side, p.theme.ASCII)
	}
	if p.size.dy < 4 {
		p.set(x, y, letter, role)
		return
	}
	all, side := &largeShapes, c.side
	if p.size.dy > 4 {
		all = &hugeShapes
	}
	if disc {
		p.stamp(x, y, all.disc(side, p.theme.ASCII), role)
		return
	}
	if p.st.Flip {
		side = side.Other() // what goes up the board comes down the screen
	}
	p.stamp(x, y, all.hull(side, p.theme.ASCII), role)
	p.set(x, y, letter, role)
}

// pieceOf is the letter of a side without kinds of pieces.
func pieceOf(side games.Side) rune { return token(side, true) }
