package analysis_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"ludoteca/games"
)

// What follows confirms claims by the rules alone: it makes legal moves and reads the board text. It shares nothing with engines and searches.

// A judge looks at positions until it has none left.
type judge struct {
	t    testing.TB
	left int
}

// play returns the position after a move.
func (j *judge) play(p games.Position, m games.Move) games.Position {
	j.t.Helper()
	j.left--
	next, err := p.Play(m)
	if err != nil {
		j.t.Fatalf("%s: %v", p, err)
	}
	return next
}

// wins reports whether a side wins within some plies whatever the other side does. It knows nothing once no positions are left.
func (j *judge) wins(p games.Position, side games.Side, plies int) bool {
	switch r := p.Result(); {
	case r.Over:
		return !r.Draw && r.Winner == side
	case plies == 0, j.left <= 0:
		return false
	}
	for _, m := range p.Legal() {
		won := j.wins(j.play(p, m), side, plies-1)
		if won == (p.Turn() == side) {
			return won
		}
	}
	return p.Turn() != side
}

// A grid is the board text by cell.
type grid map[string]byte

func gridOf(p games.Position) grid {
	g, rows := grid{}, p.Rows()
	for i, row := range rows {
		for col, letter := range []byte(row) {
			if len(rows) == 1 { // points have numbers
				g[fmt.Sprint(col+1)] = letter
				continue
			}
			g[cellName(col, len(rows)-1-i)] = letter
		}
	}
	return g
}

// cellName returns the name of a cell, with column and row counted from 0, and placeOf takes it apart.
func cellName(col, row int) string { return fmt.Sprintf("%c%d", 'a'+col, row+1) }

func placeOf(cell string) (col, row int) {
	row, _ = strconv.Atoi(cell[1:])
	return int(cell[0] - 'a'), row - 1
}

// owner returns the side that a letter of the board text belongs to.
func owner(letter byte) (side games.Side, held bool) {
	switch {
	case letter == '.':
		return 0, false
	case letter == 'O' || unicode.IsLower(rune(letter)):
		return games.Second, true
	}
	return games.First, true
}

// count returns how many pieces a side has.
func (g grid) count(side games.Side) (n int) {
	for _, letter := range g {
		if s, held := owner(letter); held && s == side {
			n++
		}
	}
	return n
}

// gone returns the cells that hold a piece of a side before a move and none after it.
func gone(before, after games.Position, side games.Side) (cells []string) {
	then := gridOf(after)
	for cell, letter := range gridOf(before) {
		if s, held := owner(letter); held && s == side && then[cell] == '.' {
			cells = append(cells, cell)
		}
	}
	slices.Sort(cells)
	return cells
}

// fallen returns how many pieces a side loses by a move. A piece that the move brings is none that was lost.
func fallen(before, after games.Position, side games.Side, brings int) int {
	if before.Turn() != side {
		brings = 0
	}
	return gridOf(before).count(side) + brings - gridOf(after).count(side)
}

// most returns the largest number that a function gives for a reply to a position. A swap captures and pushes nothing.
func (j *judge) most(p games.Position, of func(after games.Position) int) (n int) {
	for _, m := range p.Legal() {
		if m != "swap" {
			n = max(n, of(j.play(p, m)))
		}
	}
	return n
}

// confirm says what is wrong with a claim about a move played in place of a better one; nil if nothing is.
func (j *judge) confirm(pos games.Position, played, better games.Move, c games.Claim) error {
	side, other := pos.Turn(), pos.Turn().Other()
	after, instead := j.play(pos, played), j.play(pos, better)
	if !slices.IsSorted(c.Cells) {
		return fmt.Errorf("the cells are not sorted")
	}
	switch c.Kind {
	case games.WouldWin:
		if c.Move != better || !j.wins(instead, side, 2*c.Count-2) {
			return fmt.Errorf("%s doesn't win", c.Move)
		}
		if j.wins(after, side, 2*c.Count-2) {
			return fmt.Errorf("%s wins as well", played)
		}
		return nil
	case games.LetsWin:
		if !j.wins(j.play(after, c.Move), other, 2*c.Count-2) {
			return fmt.Errorf("%s doesn't win", c.Move)
		}
		return nil
	}
	subject, what, _ := strings.Cut(c.Kind, "_")
	switch subject {
	case "men", "man":
		return j.confirmMen(pos, after, instead, what, c)
	case "heavy", "destroyer", "medium":
		return j.confirmTank(pos, after, instead, subject, what, c)
	case "own", "push", "only":
		return j.confirmPush(pos, after, instead, c)
	case "line":
		return j.confirmLine(pos, after, instead, what, c)
	case "group":
		return j.confirmGroup(pos, after, instead, what, c)
	}
	return fmt.Errorf("the kind is not known")
}

func (j *judge) confirmMen(pos, after, instead games.Position, what string, c games.Claim) error {
	side, other := pos.Turn(), pos.Turn().Other()
	switch what {
	case "missed":
		if got := gone(pos, instead, other); !slices.Equal(got, c.Cells) || len(got) != c.Count || fallen(pos, after, other, 0) >= c.Count {
			return fmt.Errorf("it captures %v", got)
		}
	case "lost":
		if got := gone(after, j.play(after, c.Move), side); !slices.Equal(got, c.Cells) || len(got) != c.Count {
			return fmt.Errorf("it captures %v", got)
		}
		if n := j.most(instead, func(then games.Position) int { return fallen(instead, then, side, 0) }); n >= c.Count {
			return fmt.Errorf("%d men are captured after the better move", n)
		}
	case "walks_in":
		if len(c.Cells) != 1 || gridOf(after)[c.Cells[0]] != '.' || fallen(pos, after, side, 0) != 1 {
			return fmt.Errorf("no man is lost")
		}
	}
	return nil
}

func (j *judge) confirmTank(pos, after, instead games.Position, kind, what string, c games.Claim) error {
	// A heavy tank is a T.
	letter := strings.ToUpper(strings.Replace(kind, "heavy", "tank", 1))[0]
	from, then, side := pos, instead, pos.Turn().Other()
	if what == "lost" {
		from, then, side = after, j.play(after, c.Move), pos.Turn()
	}
	at, left := gridOf(from)[c.Cells[0]], gridOf(then)[c.Cells[0]]
	s, held := owner(at)
	now, taken := owner(left)
	if len(c.Cells) != 1 || !held || s != side || byte(unicode.ToUpper(rune(at))) != letter || !taken || now == side || fallen(from, then, side, 0) != 1 {
		return fmt.Errorf("on %v is %c, then %c", c.Cells, at, left)
	}
	if what == "missed" && fallen(pos, after, side, 0) == 1 && letter != 'T' {
		return fmt.Errorf("a tank is taken as well")
	}
	return nil
}

func (j *judge) confirmPush(pos, after, instead games.Position, c games.Claim) error {
	side, other := pos.Turn(), pos.Turn().Other()
	from, then, of := pos, instead, other
	switch c.Kind {
	case "own_pushed":
		then, of = after, side
	case "push_let":
		from, then, of = after, j.play(after, c.Move), side
	}
	cells := gone(from, then, of)
	if n := fallen(from, then, of, 1); n != c.Count || n != len(c.Cells) || slices.ContainsFunc(c.Cells, func(cell string) bool { return !slices.Contains(cells, cell) }) {
		return fmt.Errorf("%d marbles go off, %v are empty", n, cells)
	}
	switch c.Kind {
	case "own_pushed":
		if fallen(pos, instead, side, 1) >= c.Count {
			return fmt.Errorf("so does the better move")
		}
	case "push_missed", "only_push":
		if fallen(pos, after, other, 1) >= c.Count {
			return fmt.Errorf("so does the move played")
		}
		pushers := 0
		for _, m := range pos.Legal() {
			if m != "swap" && fallen(pos, j.play(pos, m), other, 1) > 0 {
				pushers++
			}
		}
		if (pushers == 1) != (c.Kind == "only_push") {
			return fmt.Errorf("%d moves push a marble off", pushers)
		}
	case "push_let":
		if j.most(instead, func(then games.Position) int { return fallen(instead, then, side, 1) }) >= c.Count {
			return fmt.Errorf("as many go off after the better move")
		}
	}
	return nil
}

// completes reports whether a piece of a side on a cell is in a line of pieces of that side.
func (g grid) completes(cell string, side games.Side, length int) bool {
	with := grid{cell: "XO"[side]}
	for at, letter := range g {
		if at != cell {
			with[at] = letter
		}
	}
	col, row := placeOf(cell)
	for _, step := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for first := -length + 1; first <= 0; first++ {
			whole := true
			for i := first; i < first+length; i++ {
				x, y := col+i*step[0], row+i*step[1]
				whole = whole && x >= 0 && y >= 0 && with[cellName(x, y)] == "XO"[side]
			}
			if whole {
				return true
			}
		}
	}
	return false
}

func (j *judge) confirmLine(pos, after, instead games.Position, what string, c games.Claim) error {
	const length = 4
	side, other := pos.Turn(), pos.Turn().Other()
	for _, cell := range c.Cells {
		switch had, did, could := gridOf(pos), gridOf(after), gridOf(instead); {
		case c.Count != length:
			return fmt.Errorf("a line of %d", c.Count)
		case what == "open" && (did[cell] != '.' || !did.completes(cell, other, length) || could[cell] == '.' || string(c.Move) != cell):
			return fmt.Errorf("%s doesn't complete a line, or not alone", cell)
		case what == "missed" && (could[cell] != '.' || !could.completes(cell, side, length) || had.completes(cell, side, length) || did[cell] == '.' && did.completes(cell, side, length)):
			return fmt.Errorf("%s completes no line, or does so anyway", cell)
		}
	}
	if len(c.Cells) == 0 {
		return fmt.Errorf("no cells")
	}
	return nil
}

// rings are the wheels of the rule sheet.
var rings = [][6]int{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 3}, {12, 5, 13, 14, 15, 16}, {4, 11, 17, 18, 19, 13}, {10, 20, 21, 22, 23, 17}, {14, 19, 24, 25, 26, 27}, {18, 23, 28, 29, 30, 24}}

// largest returns the size of the largest group of linked balls of a side.
func (g grid) largest(side games.Side) (size int) {
	var grow func(seen map[int]bool, at int)
	grow = func(seen map[int]bool, at int) {
		if seen[at] || g[fmt.Sprint(at)] != "XO"[side] {
			return
		}
		seen[at] = true
		for _, ring := range rings {
			if i := slices.Index(ring[:], at); i >= 0 {
				grow(seen, ring[(i+1)%6])
				grow(seen, ring[(i+5)%6])
			}
		}
	}
	for at := 1; at <= 30; at++ {
		seen := map[int]bool{}
		grow(seen, at)
		size = max(size, len(seen))
	}
	return size
}

func (j *judge) confirmGroup(pos, after, instead games.Position, what string, c games.Claim) error {
	side, other := pos.Turn(), pos.Turn().Other()
	had, did, could := gridOf(pos), gridOf(after), gridOf(instead)
	holds := false
	switch what {
	case "broken":
		holds = had.largest(side) == c.Count && did.largest(side) < c.Count && could.largest(side) >= c.Count
	case "lent":
		holds = did.largest(other) == c.Count && had.largest(other) < c.Count && could.largest(other) < c.Count
	case "let":
		holds = gridOf(j.play(after, c.Move)).largest(other) == c.Count && did.largest(other) < c.Count &&
			j.most(instead, func(then games.Position) int { return gridOf(then).largest(other) }) < c.Count
	case "left":
		holds = had.largest(other) == c.Count && did.largest(other) >= c.Count && could.largest(other) < c.Count
	case "missed":
		holds = could.largest(side) == c.Count && did.largest(side) < c.Count && had.largest(side) < c.Count
	}
	if !holds {
		return fmt.Errorf("the groups have %d and %d, then %d and %d, else %d and %d", had.largest(0), had.largest(1), did.largest(0), did.largest(1), could.largest(0), could.largest(1))
	}
	return nil
}
