package boardview

import (
	"slices"
	"strconv"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/games/flugelrad"
	"ludoteca/sshapp/text"
)

// gridPlaces are the cells of a grid.
type gridPlaces struct{ *grid }

func (g *grid) places() places { return gridPlaces{g} }

func (g gridPlaces) all() []Spot {
	spots := make([]Spot, len(g.cells))
	for i := range spots {
		spots[i] = Spot(i)
	}
	return spots
}

func (g gridPlaces) spotName(at Spot) string { return g.name(at) }

func (g gridPlaces) spotOf(name string) (at Spot, ok bool) {
	at = g.named(games.Move(name))
	return at, at != Nowhere
}

func (g gridPlaces) names(say text.Say) string {
	return say.T("Places are %s to %s.", board.Name(0, 0), board.Name(g.cols-1, g.rows-1))
}

func (g gridPlaces) pieceAt(at Spot) (side games.Side, letter rune, held bool) {
	c := g.cells[at]
	return c.side, c.piece, c.piece != 0
}

func (g gridPlaces) row(name string) (spots []Spot) {
	row, ok := board.Number(name, g.rows)
	if !ok || row == 0 {
		return nil
	}
	for col := range g.cols {
		spots = append(spots, g.at(col, row-1))
	}
	return spots
}

func (g gridPlaces) column(name string) (spots []Spot) {
	if len(name) != 1 || name[0] < 'a' || int(name[0]-'a') >= g.cols {
		return nil
	}
	for row := range g.rows {
		spots = append(spots, g.at(int(name[0]-'a'), row))
	}
	return spots
}

func (g gridPlaces) wheel(string) []Spot { return nil }

func (g gridPlaces) wheelNames() []string { return nil }

func (g gridPlaces) rowNames() (names []string) {
	for row := g.rows; row > 0; row-- {
		names = append(names, strconv.Itoa(row))
	}
	return names
}

func (g gridPlaces) next(at Spot) (spots []Spot) {
	col, row := g.place(at)
	for r := max(row-1, 0); r <= min(row+1, g.rows-1); r++ {
		for c := max(col-1, 0); c <= min(col+1, g.cols-1); c++ {
			if next := g.at(c, r); next != at {
				spots = append(spots, next)
			}
		}
	}
	return spots
}

// wheelPlaces are the points of wheels, by their numbers, 1 to 30.
type wheelPlaces struct{ *wheels }

func (w *wheels) places() places { return wheelPlaces{w} }

func (w wheelPlaces) all() (spots []Spot) {
	for point := 1; point <= flugelrad.Points; point++ {
		spots = append(spots, Spot(point))
	}
	return spots
}

func (w wheelPlaces) spotName(at Spot) string { return number(int(at)) }

func (w wheelPlaces) spotOf(name string) (at Spot, ok bool) {
	point, ok := board.Number(name, flugelrad.Points)
	return Spot(point), ok && point > 0
}

func (w wheelPlaces) names(say text.Say) string {
	return say.T("Places are the points 1 to %d, in rows 1 to %d from the top and on wheels 0 to %d.", flugelrad.Points, len(w.rowNames()), flugelrad.Wheels-1)
}

func (w wheelPlaces) pieceAt(at Spot) (side games.Side, letter rune, held bool) {
	side, held = w.pos.At(int(at))
	return side, pieceOf(side), held
}

// row returns the points of a row of the drawing, counted from the top.
func (w wheelPlaces) row(name string) (spots []Spot) {
	rows := w.rows()
	row, ok := board.Number(name, len(rows))
	if !ok || row == 0 {
		return nil
	}
	for _, at := range w.all() {
		if r, _ := flugelrad.PointPlace(int(at)); r == rows[row-1] {
			spots = append(spots, at)
		}
	}
	slices.SortFunc(spots, func(a, b Spot) int {
		_, x := flugelrad.PointPlace(int(a))
		_, y := flugelrad.PointPlace(int(b))
		return x - y
	})
	return spots
}

// rows returns the rows of the drawing that have points, the top one first.
func (w wheelPlaces) rows() (rows []int) {
	for _, at := range w.all() {
		row, _ := flugelrad.PointPlace(int(at))
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

func (w wheelPlaces) column(string) []Spot { return nil }

func (w wheelPlaces) wheel(name string) (spots []Spot) {
	wheel, ok := board.Number(name, flugelrad.Wheels-1)
	if !ok {
		return nil
	}
	for _, point := range flugelrad.WheelPoints(wheel) {
		spots = append(spots, Spot(point))
	}
	return spots
}

func (w wheelPlaces) wheelNames() (names []string) {
	for wheel := range flugelrad.Wheels {
		names = append(names, strconv.Itoa(wheel))
	}
	return names
}

func (w wheelPlaces) rowNames() (names []string) {
	for row := range w.rows() {
		names = append(names, strconv.Itoa(row+1))
	}
	return names
}

// next returns the points that a link joins with a point.
func (w wheelPlaces) next(at Spot) (spots []Spot) {
	for p, q := range flugelrad.Links() {
		switch int(at) {
		case p:
			spots = append(spots, Spot(q))
		case q:
			spots = append(spots, Spot(p))
		}
	}
	slices.Sort(spots)
	return slices.Compact(spots)
}
