package boardview

import (
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/sshapp/text"
)

const ringLength = 6

// wheels is the board of Flügelrad.
type wheels struct {
	pos    *flugelrad.Position
	last   int // the wheel turned last, -1 for none
	free   [flugelrad.Wheels]bool
	linked [flugelrad.Points + 1]bool
	win    [flugelrad.Points + 1]bool
}

func flugelradScene(p *flugelrad.Position, before games.Position, last games.Move) *Scene {
	w := &wheels{pos: p, last: -1}
	if before != nil {
		w.last = int(last[0] - '0')
	}
	legal := p.Legal()
	choices := make([]choice, len(legal))
	for i, m := range legal {
		wheel := Spot(m[0] - '0')
		choices[i] = choice{m, wheel, unturned + Spot(m[2]-'0')}
		w.free[wheel] = true
	}
	for _, side := range []games.Side{games.First, games.Second} {
		for _, point := range p.Linked(side) {
			w.linked[point] = true
		}
	}
	for _, point := range p.Winning() {
		w.win[point] = true
	}
	return &Scene{p, choices, w, flugelradFacts{p}}
}

const middleWheel Spot = 3

// start returns the middle wheel, or the first one that can be turned: a game starts with the middle one empty, and a
// newcomer's first enter should not be refused.
func (w *wheels) start(games.Side) Spot {
	if first := slices.Index(w.free[:], true); first >= 0 && !w.free[middleWheel] {
		return Spot(first)
	}
	return middleWheel
}

func (w *wheels) lastMove() Spot {
	if w.last >= 0 {
		return Spot(w.last)
	}
	return middleWheel
}

func (w *wheels) valid(sel Selection) bool {
	if sel.From == Nowhere {
		return sel.Cursor >= 0 && sel.Cursor < flugelrad.Wheels
	}
	return sel.From >= 0 && sel.From < flugelrad.Wheels && sel.Cursor >= unturned && sel.Cursor < unturned+ringLength
}

// arrow turns the wheel that is chosen, or goes to the next wheel in a direction of the screen.
func (w *wheels) arrow(sel Selection, dx, dy int, _ bool) Selection {
	if sel.From != Nowhere {
		sel.Cursor = unturned + (sel.Cursor-unturned-Spot(dx)+ringLength)%ringLength
		return sel
	}
	row, col := flugelrad.WheelPlace(int(sel.Cursor))
	best, nearest := sel.Cursor, 0
	for wheel := range flugelrad.Wheels {
		r, c := flugelrad.WheelPlace(wheel)
		r, c = r-row, c-col
		if r*dy < 0 || c*dx < 0 || dy != 0 && r == 0 || dx != 0 && c == 0 {
			continue
		}
		// Straight on comes first, then the nearer one; of two wheels above or below, the left one.
		far := 4*abs(r) + abs(c)
		if dx != 0 {
			far = abs(c) + 8*abs(r)
		}
		if nearest == 0 || far < nearest {
			best, nearest = Spot(wheel), far
		}
	}
	sel.Cursor = best
	return sel
}

func abs(n int) int { return max(n, -n) }

func (w *wheels) pick(sel Selection) Selection { return Selection{unturned, sel.Cursor} }

func (w *wheels) release(sel Selection) Selection {
	if sel.From != Nowhere {
		sel.Cursor = sel.From
	}
	return Selection{sel.Cursor, Nowhere}
}

func (w *wheels) attempt(sel Selection) string {
	wheel, steps := sel.Cursor, Spot(1)
	if sel.From != Nowhere {
		wheel, steps = sel.From, sel.Cursor-unturned
	}
	return string([]byte{'0' + byte(wheel), ':', '0' + byte(steps)})
}

func (w *wheels) refuse(Spot, games.Side) error { return nil }

func (w *wheels) turns() (can, sided bool) { return false, false }

func (w *wheels) pieces(side games.Side) []string {
	var all []string
	for point := 1; point <= flugelrad.Points; point++ {
		if s, held := w.pos.At(point); held && s == side {
			all = append(all, number(point))
		}
	}
	return all
}

type flugelradFacts struct{ *flugelrad.Position }

func (f flugelradFacts) standing(say text.Say, side games.Side) string {
	if f.Options()["chain"] == 1 {
		return say.T("longest chain %d of %d", f.Largest(side), f.Needed())
	}
	// Translators: balls, the most that are linked of those that win.
	return say.T("linked %d of %d", f.Largest(side), f.Needed())
}

func (f flugelradFacts) notes(say text.Say, _ [2]string) []Note {
	if f.Result().Over {
		return nil
	}
	var notes []Note
	if limit := f.Allowed(); limit > 0 && f.Repeated() == limit-1 && limit > 2 {
		notes = append(notes, Note{Words: say.T("This position has come up %d times: once more is a draw.", f.Repeated()), Urgent: true})
	}
	if limit := f.Limit(); limit > 0 && 4*f.Turns() >= 3*limit {
		notes = append(notes, Note{Words: say.T("Turn %d of %d; then it is a draw.", f.Turns()+1, limit),
			Urgent: f.Turns()+10 >= limit})
	}
	for wheel := range flugelrad.Wheels {
		switch f.Barred(wheel) {
		case flugelrad.JustTurned:
			notes = append(notes, Note{Words: say.T("Wheel %d was turned just now.", wheel)})
		case flugelrad.NoBalls:
			notes = append(notes, Note{Words: say.T("Wheel %d is empty.", wheel)})
		case flugelrad.SameBalls:
			notes = append(notes, Note{Words: say.T("Wheel %d is full of the same balls.", wheel)})
		}
	}
	return notes
}

// low implements counters.
func (f flugelradFacts) low(say text.Say) (all []string) {
	if limit := f.Allowed(); limit > 0 && f.Repeated() > 1 && (f.Repeated() < limit-1 || limit <= 2) {
		all = append(all, say.T("This position has come up %d times; %d are a draw.", f.Repeated(), limit))
	}
	if limit := f.Limit(); limit > 0 && 4*f.Turns() < 3*limit {
		all = append(all, say.T("Turn %d of %d; then it is a draw.", f.Turns()+1, limit))
	}
	return all
}

func (f flugelradFacts) legend(say text.Say, _ bool) string {
	return say.T("> < is your cursor, < > the wheel that you turn, [ ] a wheel that can be turned, ( ) the one turned last. A double line joins balls of one side, * * are those that win.")
}

func (f flugelradFacts) effect(say text.Say, m games.Move) string { return ends(say, f.Position, m) }

// A wheelSize says where a row and a column of the layout table of the rule sheet come to stand.
type wheelSize struct {
	width, height int
	dx, dy        int  // from one row or column to the next
	left, top     int  // of column 0 and row 0
	links         bool // sloping links are drawn, and brackets around the points
}

// wheelSizes are the drawings of the rule sheet, the largest first. The largest has balls of three lines.
var wheelSizes = [...]wheelSize{
	{103, 39, 8, 6, 3, 1, true},
	{51, 19, 4, 3, 1, 0, true},
	{51, 13, 4, 2, 1, 0, true},
	{25, 7, 2, 1, 0, 0, false},
}

func (z *wheelSize) point(row, col int) (x, y int) { return z.left + z.dx*col, z.top + z.dy*row }

// large reports whether balls take three lines.
func (z *wheelSize) large() bool { return z.dy > 3 }

// ballLines returns how many lines the place of a ball has, with a gap.
func (z *wheelSize) ballLines() int {
	if z.large() {
		return 4
	}
	return 1
}

func (w *wheels) fit(width, height int, _ State) Layout {
	for size, z := range wheelSizes {
		if z.width <= width && z.height <= height {
			return Layout{Width: z.width, Height: z.height, size: size}
		}
	}
	return w.smallest(width, height, State{})
}

func (w *wheels) smallest(width, height int, _ State) Layout {
	last := len(wheelSizes) - 1
	z := wheelSizes[last]
	return Layout{Width: min(z.width, max(width, 0)), Height: min(z.height, max(height, 0)), size: last}
}

func (w *wheels) plainLayout() Layout {
	z := wheelSizes[len(wheelSizes)-2]
	return w.fit(z.width, z.height, State{})
}

// chosen returns the wheel that is chosen or under the cursor.
func (w *wheels) chosen(sel Selection) int {
	switch {
	case !w.valid(sel):
		return int(middleWheel)
	case sel.From != Nowhere:
		return int(sel.From)
	}
	return int(sel.Cursor)
}

func (w *wheels) cursorCell(l Layout, st State) (x, y int) {
	return wheelSizes[l.size].point(flugelrad.WheelPlace(w.chosen(st.Selection)))
}

// spot returns the wheel in which or next to which a cell lies; in the wheel that is chosen, the sides of its middle.
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

// A wheelDrawing draws the wheels.
type wheelDrawing struct {
	drawing
	*wheels
	size  *wheelSize
	st    State
	balls string // by point, as they are or as the turn of the chosen wheel would leave them
	lit   int    // the wheel that stands out, -1 for none
}

func (w *wheels) draw(d drawing, _ *Scene, l Layout, st State) {
	p := wheelDrawing{drawing: d, wheels: w, size: &wheelSizes[l.size], st: st, lit: -1}
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

// preview reports whether the drawing shows a turn of a wheel that isn't played yet.
func (p *wheelDrawing) preview() bool {
	return p.st.Yours && p.st.Selection.From != Nowhere && p.st.Selection.Cursor != unturned
}

// drawRing draws the six links of a wheel. A link between two balls of one side is double.
func (p *wheelDrawing) drawRing(wheel int) {
	role := Line
	if wheel == p.lit {
		role = Cursor
		if p.st.Selection.From != Nowhere {
			role = Selected
		}
	}
	ring := flugelrad.WheelPoints(wheel)
	for i, from := range ring {
		to := ring[(i+1)%ringLength]
		role := role
		double := p.ball(from) != '.' && p.ball(from) == p.ball(to)
		if double && wheel != p.lit {
			role = sideRole(p.ball(from).side())
		}
		p.drawLink(from, to, double, role)
	}
}

func (p *wheelDrawing) drawLink(from, to int, double bool, role Role) {
	x1, y1 := p.size.point(flugelrad.PointPlace(from))
	x2, y2 := p.size.point(flugelrad.PointPlace(to))
	if y1 > y2 || y1 == y2 && x1 > x2 {
		x1, y1, x2, y2 = x2, y2, x1, y1
	}
	if y1 == y2 {
		p.drawAcross(x1, x2, y1, double, role)
		return
	}
	if !p.size.links {
		return
	}
	slope, dir := p.slope(x2 < x1), sign(x2-x1)
	for y := y1 + 1; y < y2; y++ {
		x := x1 + dir*2
		switch {
		case p.size.dy == 3:
			x = x1 + dir*(2*(y-y1)-1)
		case p.size.large() && (y == y1+1 || y == y2-1):
			continue // beside the balls
		case p.size.large():
			x = x1 + dir*(y-y1+1)
		}
		p.set(x, y, slope, role)
		if double {
			p.set(x+1, y, slope, role)
		}
	}
}

func (p *wheelDrawing) slope(left bool) rune {
	if left {
		return p.either('╱', '/')
	}
	return p.either('╲', '\\')
}

func (p *wheelDrawing) drawAcross(x1, x2, y int, double bool, role Role) {
	r := p.either('─', '-')
	if double {
		r = p.either('═', '=')
	}
	margin := 1
	switch {
	case p.size.large():
		margin = 4
	case p.size.links:
		margin = 2
	}
	for x := x1 + margin; x <= x2-margin; x++ {
		p.set(x, y, r, role)
	}
}

// drawPoint draws a point and its ball. Brackets of the winning balls are stars.
func (p *wheelDrawing) drawPoint(point int) {
	x, y := p.size.point(flugelrad.PointPlace(point))
	b := p.ball(point)
	switch {
	case b != '.' && p.size.large():
		p.stamp(x, y, largeShapes.disc(b.side(), p.theme.ASCII), sideRole(b.side()))
	case b != '.':
		p.set(x, y, token(b.side(), p.theme.ASCII), sideRole(b.side()))
	case !p.size.links:
		p.set(x, y, p.either('·', '.'), Line)
	}
	won := p.win[point] && !p.preview()
	switch role := p.pointRole(point, b); {
	case won:
		p.pair(x, y, p.size.ballLines(), '*', '*', Win)
	case p.size.large() && b != '.' && role == Line:
	case p.size.large() && b != '.':
		p.pair(x, y, p.size.ballLines(), '(', ')', role)
	case p.size.links:
		p.around(x, y, 1, '(', ')', role)
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
// that is chosen shows the move instead.
func (p *wheelDrawing) drawNumber(wheel int) {
	x, y := p.size.point(flugelrad.WheelPlace(wheel))
	digit := rune('0' + wheel)
	chosen := wheel == p.lit && p.st.Selection.From != Nowhere
	switch {
	case chosen && p.st.Selection.Cursor == unturned:
		p.set(x, y, digit, Selected)
		p.around(x, y, 2, '<', '>', Selected)
	case chosen:
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

// The narration of Flügelrad.

func (f flugelradFacts) piece(n Narrator, side games.Side, _ rune) string {
	return n.tell(side, text.T("your ball"), text.T("%s's ball"))
}

func (f flugelradFacts) pieces(n Narrator, side games.Side) string {
	return n.tell(side, text.T("Your balls"), text.T("Balls of %s"))
}

func (f flugelradFacts) called() []string { return []string{text.T("ball"), text.T("balls")} }

func (f flugelradFacts) happens(n Narrator, m games.Move) []string {
	next, err := f.Play(m)
	if err != nil {
		return nil
	}
	turn, wheel, steps := f.Turn(), string(m[0]), int(m[2]-'0')
	words := n.Say.N(steps, "%s turns wheel %s one step to the left.", "%s turns wheel %s by %d steps to the left.", n.Names[turn], wheel, steps)
	if n.you(turn) {
		words = n.Say.N(steps, "You turn wheel %s one step to the left.", "You turn wheel %s by %d steps to the left.", wheel, steps)
	}
	all := []string{words}
	s := n.scene(next)
	// Translators: the number of a wheel, and what is on it.
	all = append(all, n.Say.T("On wheel %s now, clockwise from its upper left: %s.", wheel, n.contents(s, s.board.places().wheel(wheel))))
	for _, side := range n.sides() {
		if now := next.(*flugelrad.Position).Largest(side); now != f.Largest(side) && !n.Brief {
			all = append(all, n.tell(side, text.T("You have %d linked."), text.T("%s has %d linked."), now))
		}
	}
	return all
}

// place says on which wheels a point is, and to which balls of the same side a ball is linked.
func (f flugelradFacts) place(n Narrator, at Spot) (all []string) {
	w := flugelradScene(f.Position, nil, "").board.places()
	var on, linked []string
	for wheel := range flugelrad.Wheels {
		if slices.Contains(w.wheel(number(wheel)), at) {
			on = append(on, number(wheel))
		}
	}
	all = append(all, n.Say.N(len(on), "It is on wheel %s.", "It is on wheels %s.", strings.Join(on, ", ")))
	side, _, held := w.pieceAt(at)
	if !held {
		return all
	}
	for _, next := range w.next(at) {
		if of, _, held := w.pieceAt(next); held && of == side {
			linked = append(linked, number(int(next)))
		}
	}
	if len(linked) == 0 {
		return append(all, n.Say.T("It is linked to no ball of its side."))
	}
	return append(all, n.Say.T("It is linked to %s.", strings.Join(linked, ", ")))
}

func (f flugelradFacts) threat(say text.Say, m games.Move) string { return f.effect(say, m) }

// possible says which turns move what is on a point, and whereto.
func (w *wheels) possible(n Narrator, s *Scene, at Spot) []string {
	var words []string
	for _, c := range s.choices {
		ring := w.places().wheel(number(int(c.from)))
		i := slices.Index(ring, at)
		if i < 0 {
			continue
		}
		to := ring[(i+ringLength-int(c.to-unturned))%ringLength]
		words = append(words, n.Say.T("%s moves it to %d", string(c.move), int(to)))
	}
	if len(words) == 0 {
		return []string{n.Say.T("No wheel that can be turned now moves it.")}
	}
	return []string{text.Sentence(strings.Join(words, ", "))}
}

// turns returns the legal turns of a wheel.
func (n Narrator) turns(s *Scene, wheel string) []string {
	var words []string
	for _, c := range s.choices {
		if number(int(c.from)) == wheel {
			words = append(words, n.withEffect(s, string(c.move), c.move))
		}
	}
	if len(words) == 0 {
		return []string{n.Say.T("Wheel %s can't be turned now.", wheel)}
	}
	return []string{n.tell(s.pos.Turn(), text.T("You can play %s."), text.T("%s can play %s."), strings.Join(words, ", "))}
}
