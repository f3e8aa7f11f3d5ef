package fourmation

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
)

var _ games.Booked = game{}

// BookPlans returns the plans of the built-in book: the boards on which a proof from the beginning takes longer than a player
// has.
func (game) BookPlans() []games.BookPlan {
	usual := func(cols, rows, full, follow int) games.BookPlan {
		options := games.Options{optCols: cols, optRows: rows, optWin: 4}
		return games.BookPlan{Options: options, Full: full, Follow: follow, Nodes: 1 << 28}
	}
	return []games.BookPlan{usual(6, 5, 1, 1), usual(6, 6, 3, 3), usual(7, 5, 3, 3), usual(7, 6, 3, 4), usual(7, 7, 5, 5)}
}

// maxBookTable is the most memory that the solver takes for its table while it looks for one move of the book.
const maxBookTable = 128 << 20

// ErrBook is wrapped by the errors of NewBookMaker and Add.
var ErrBook = errors.New("no book")

// A bookMaker makes the part of a book that one plan asks for. Swapping columns and rows makes no difference.
type bookMaker struct {
	games.BookPlan
	grid     *grid
	ply      int // of openings
	openings []opening
	moved    []bookPosition // what the moves of the ply before have led to: the other side is to move at this ply
	chose    []bookPosition // what the moves of this ply have led to
	known    map[uint64]bookPosition
	entries  []uint64
}

// An opening is a position for which there should be a move in the book.
type opening struct{ bookPosition }

// NewBookMaker returns a maker that has nothing yet. The board must not be larger than 8 by 8.
func (game) NewBookMaker(plan games.BookPlan) (games.BookMaker, error) {
	m, err := newBookMaker(plan)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func newBookMaker(plan games.BookPlan) (*bookMaker, error) {
	cols, rows := plan.Options[optCols], plan.Options[optRows]
	if max(cols, rows) > gridSide {
		return nil, fmt.Errorf("%w for boards larger than 8 by 8: %d by %d", ErrBook, cols, rows)
	}
	if plan.Full < 0 || plan.Follow < plan.Full || plan.Nodes < 1 {
		return nil, fmt.Errorf("%w of %d plies, followed up to ply %d, with %d positions for a move", ErrBook, plan.Full,
			plan.Follow, plan.Nodes)
	}
	g := newGrid(max(cols, rows), min(cols, rows), plan.Options[optWin])
	return &bookMaker{BookPlan: plan, grid: g, ply: -1, known: map[uint64]bookPosition{}}, nil
}

// NextPly goes on to the next ply and returns how many positions it has, 0 at the end.
func (m *bookMaker) NextPly() int { return len(m.nextOpenings()) }

// nextOpenings goes on to the next ply and returns its positions, none at the end. All openings of the ply before must have been
// handed to add.
func (m *bookMaker) nextOpenings() []opening {
	next := []bookPosition{{last: none}}
	if m.ply >= 0 {
		next = nil
	}
	for _, f := range m.moved {
		next = append(next, f.all(m.grid)...)
	}
	for _, o := range m.openings {
		if m.ply < m.Full {
			next = append(next, o.all(m.grid)...)
		}
	}
	m.moved, m.chose, m.openings = m.chose, nil, nil
	if m.ply++; m.ply <= m.Follow {
		for _, f := range unique(next) {
			m.openings = append(m.openings, opening{f})
		}
	}
	return m.openings
}

// Ply returns how many pieces are on the board in the present openings.
func (m *bookMaker) Ply() int { return m.ply }

// Add puts the choice for the i-th of the openings into the book.
func (m *bookMaker) Add(i int, c games.BookChoice) error { return m.add(m.openings[i], c) }

func (m *bookMaker) add(o opening, c games.BookChoice) error {
	if !c.Found {
		return nil
	}
	key := bookKey(m.grid, o.bookPosition)
	if with, taken := m.known[key]; taken {
		return fmt.Errorf("%w: two positions have the key %x: %+v and %+v", ErrBook, key, with, o.bookPosition)
	}
	m.known[key] = o.bookPosition
	m.entries = append(m.entries, key|uint64(c.Move))
	m.chose = append(m.chose, o.play(m.grid, c.Move))
	return nil
}

// MergeBooks returns the book that is made of the parts of several makers: what goes into book.bin.
func (game) MergeBooks(parts []games.BookMaker) []byte {
	var entries []uint64
	for _, part := range parts {
		entries = append(entries, part.(*bookMaker).entries...)
	}
	slices.Sort(entries)
	data := []byte(bookMagic)
	for _, e := range slices.Compact(entries) {
		data = binary.BigEndian.AppendUint64(data, e)
	}
	return data
}

// Choose looks for a move for the i-th of the openings.
func (m *bookMaker) Choose(i int, stop func() bool) games.BookChoice {
	return m.choose(m.openings[i], stop)
}

// choose looks for a move after which the other side can't force a line, and prefers a move that is easy to answer
// wrongly. It gives up soon after stop has returned true. The same opening gives the same choice unless it was stopped.
func (m *bookMaker) choose(o opening, stop func() bool) games.BookChoice {
	own, other, reach := o.sides(m.grid)
	if m.grid.completing(own)&reach != 0 {
		return games.BookChoice{} // no book is needed
	}
	s := solver{grid: m.grid, stop: stop}
	open := o.byChance(m.grid, stop)
	const first, factor = 1 << 16, 8
	for limit := min(first, m.Nodes); limit <= m.Nodes && len(open) > 0 && !s.stopped; limit *= factor {
		s.table = newTable(limit, maxBookTable) // what is known from the round before costs little to find again
		left := open[:0]
		for _, c := range open {
			s.limit = s.nodes + limit
			switch s.attack(other, own|1<<c, m.grid.around[c]&^(own|other), true) {
			case fails:
				return games.BookChoice{Found: true, Nodes: s.nodes, Move: c}
			case unknown:
				left = append(left, c)
			}
		}
		open = left
	}
	return games.BookChoice{Lost: len(open) == 0, Nodes: s.nodes}
}

// byChance returns the legal moves, those with the best chances to win against an opponent that errs first.
func (o opening) byChance(g *grid, stop func() bool) []int {
	const nodes = 1 << 14
	s := o.state(g)
	r := games.NewRandom(bookKey(g, o.bookPosition))
	moves := newAdvisor(s, 0, stop).moves
	chances := map[int]float64{}
	for _, c := range moves {
		a := newAdvisor(s, nodes, stop)
		chances[c] = a.chance(c, nodes, r)
	}
	slices.SortStableFunc(moves, func(a, b int) int { return cmp.Compare(chances[b], chances[a]) })
	return moves
}

// state returns the position as the rules have it.
func (f bookPosition) state(g *grid) *State {
	s := start(g.cols, g.rows, g.win)
	put := func(c int, side games.Side) {
		s.turn, s.Ending = side, games.Ending{}
		s.Play(codeOf(c))
	}
	for side, set := range [2]cells{f.first, f.second} {
		for ; set != 0; set &= set - 1 {
			put(set.first(), games.Side(side))
		}
	}
	if f.last != none {
		put(f.last, f.turn().Other()) // once more, for what counts is where the last one lies
	}
	return s
}

// codeOf returns the code of a move on a cell of a grid.
func codeOf(c int) games.Code { return games.Code(at(c%gridSide, c/gridSide)) }

func (f bookPosition) turn() games.Side { return games.Side((f.first | f.second).count() % 2) }

// sides returns the pieces of the side to move and of the other, and where it may play.
func (f bookPosition) sides(g *grid) (own, other, reach cells) {
	own, other = f.first, f.second
	if f.turn() == games.Second {
		own, other = other, own
	}
	if f.last == none {
		return own, other, g.all
	}
	return own, other, g.around[f.last] &^ (own | other)
}

// play returns the canonical position after a move.
func (f bookPosition) play(g *grid, c int) bookPosition {
	if f.turn() == games.First {
		f.first |= 1 << c
	} else {
		f.second |= 1 << c
	}
	f.last = c
	f, _ = f.canonical(g)
	return f
}

// all returns what the moves lead to that don't end the game.
func (f bookPosition) all(g *grid) []bookPosition {
	var next []bookPosition
	own, _, reach := f.sides(g)
	for reach &^= g.completing(own); reach != 0; reach &= reach - 1 {
		to := f.play(g, reach.first())
		if _, _, on := to.sides(g); on != 0 {
			next = append(next, to)
		}
	}
	return next
}

// unique sorts positions and leaves one of each.
func unique(list []bookPosition) []bookPosition {
	slices.SortFunc(list, func(a, b bookPosition) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second), cmp.Compare(a.last, b.last))
	})
	return slices.Compact(list)
}
