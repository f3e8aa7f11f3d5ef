package fourmation

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
)

// A BookPlan says what a book is to cover for one set of options.
type BookPlan struct {
	Options games.Options // complete; columns and rows may be swapped
	Full    int           // all positions after so many plies and fewer
	Follow  int           // and what follows from the moves in the book, whatever the other side does, up to this ply
	Nodes   int           // positions to look at for one move of the book at most
	Entries int           // what the solver can remember: 16 bytes each
}

// BookProgress is how far the making of a book is: positions of a ply that are done, and those without a move in the
// book because all lose or none could be proven in time.
type BookProgress struct {
	Plan            int
	Ply, Done, All  int
	Lost, Undecided int
}

// Errors of MakeBook.
var (
	ErrBookBoard = errors.New("the book is for boards of at most 8 by 8")
	ErrStopped   = errors.New("stopped")
)

// MakeBook makes the book that plays for the side to move in all the positions of the plans, and returns what goes into
// book.bin. It tells progress after every position, and gives up with ErrStopped when stop says true. The same plans make
// the same book.
func MakeBook(plans []BookPlan, progress func(BookProgress), stop func() bool) ([]byte, error) {
	words := map[uint64]folded{}
	for i, plan := range plans {
		m, err := newBookMaker(plan, words, stop)
		if err != nil {
			return nil, err
		}
		m.progress.Plan = i
		m.tell = progress
		if err := m.run(); err != nil {
			return nil, err
		}
	}
	sorted := make([]uint64, 0, len(words))
	for w := range words {
		sorted = append(sorted, w)
	}
	slices.Sort(sorted)
	made := []byte(bookMagic)
	for _, w := range sorted {
		made = binary.BigEndian.AppendUint64(made, w)
	}
	return made, nil
}

// A bookMaker makes the part of a book for one set of options.
type bookMaker struct {
	solver
	BookPlan
	words    map[uint64]folded // by key and move: the position, to notice two with the same key
	keys     map[uint64]folded
	progress BookProgress
	tell     func(BookProgress)
}

func newBookMaker(plan BookPlan, words map[uint64]folded, stop func() bool) (*bookMaker, error) {
	cols, rows, win := plan.Options[optCols], plan.Options[optRows], plan.Options[optWin]
	if max(cols, rows) > gridSide {
		return nil, fmt.Errorf("%w, not %d by %d", ErrBookBoard, cols, rows)
	}
	m := &bookMaker{BookPlan: plan, words: words, keys: map[uint64]folded{}}
	m.solver = solver{
		grid: newGrid(max(cols, rows), min(cols, rows), win), table: newProofs(4*plan.Entries, plan.Entries), stop: stop,
	}
	return m, nil
}

// run goes from ply to ply. Positions within the full part lead on by every move, the others by the one of the book.
func (m *bookMaker) run() error {
	level := []folded{{last: none}}
	var after []folded // what the moves of the book have led to: the other side is to move
	for ply := 0; ply <= m.Follow && len(level)+len(after) > 0; ply++ {
		m.progress.Ply, m.progress.Done, m.progress.All = ply, 0, len(level)
		var booked, next []folded
		for _, f := range level {
			c, found := m.choose(f)
			if m.stopped {
				return ErrStopped
			}
			if found {
				if err := m.add(f, c); err != nil {
					return err
				}
				booked = append(booked, m.play(f, c))
			}
			m.progress.Done++
			m.tell(m.progress)
			if ply < m.Full {
				next = append(next, m.all(f)...)
			}
		}
		for _, f := range after {
			next = append(next, m.all(f)...)
		}
		level, after = unique(next), booked
	}
	return nil
}

// choose returns a move after which the other side can't force a line, and of several one that leads to good results in
// random games. found is false if there is none, if a line can be closed at once, or if none is proven in time.
func (m *bookMaker) choose(f folded) (c int, found bool) {
	own, other, reach := m.sides(f)
	if m.completing(own)&reach != 0 {
		return 0, false
	}
	open := m.liked(f, reach)
	for limit := 1 << 14; limit <= m.Nodes && len(open) > 0; limit *= 4 {
		left := open[:0]
		for _, c := range open {
			m.limit = m.nodes + limit
			switch m.attack(other, own|1<<c, m.around[c]&^(own|other), true) {
			case fails:
				return c, !m.stopped
			case unknown:
				left = append(left, c)
			}
		}
		open = left
	}
	if len(open) > 0 {
		m.progress.Undecided++
	} else {
		m.progress.Lost++
	}
	return 0, false
}

// liked returns the cells of reach, the best in random games first.
func (m *bookMaker) liked(f folded, reach cells) []int {
	const tries = 500
	s := m.state(f)
	r := games.NewRandom(bookKey(m.grid, f))
	list := make([]int, 0, reach.count())
	score := map[int]int{}
	for ; reach != 0; reach &= reach - 1 {
		c := reach.first()
		list = append(list, c)
		for range tries {
			game := s
			game.Play(games.Code(at(c%gridSide, c/gridSide)))
			game.Playout(r, 0)
			if game.end == line && game.turn == s.turn {
				score[c]--
			} else if game.end == line {
				score[c]++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return list
}

// state returns the position as the rules have it.
func (m *bookMaker) state(f folded) State {
	s := start(m.cols, m.rows, m.win)
	for side, set := range [2]cells{f.first, f.second} {
		for ; set != 0; set &= set - 1 {
			c := set.first()
			s.turn, s.end = games.Side(side), running
			s.Play(games.Code(at(c%gridSide, c/gridSide)))
		}
	}
	if f.last != none {
		// Playing on a cell that is held already settles where the next piece may go.
		s.turn, s.end = f.turn().Other(), running
		s.Play(games.Code(at(f.last%gridSide, f.last/gridSide)))
	}
	return s
}

func (f folded) turn() games.Side { return games.Side((f.first | f.second).count() % 2) }

// sides returns the pieces of the side to move and of the other, and where it may play.
func (m *bookMaker) sides(f folded) (own, other, reach cells) {
	own, other = f.first, f.second
	if f.turn() == games.Second {
		own, other = other, own
	}
	if f.last == none {
		return own, other, m.grid.all
	}
	return own, other, m.around[f.last] &^ (own | other)
}

// play returns the folded position after a move.
func (m *bookMaker) play(f folded, c int) folded {
	if f.turn() == games.First {
		f.first |= 1 << c
	} else {
		f.second |= 1 << c
	}
	f.last = c
	f, _ = f.fold(m.grid)
	return f
}

// all returns what all moves that don't close a line lead to, as far as the game goes on.
func (m *bookMaker) all(f folded) []folded {
	var next []folded
	own, _, reach := m.sides(f)
	for reach &^= m.completing(own); reach != 0; reach &= reach - 1 {
		to := m.play(f, reach.first())
		if _, _, on := m.sides(to); on != 0 {
			next = append(next, to)
		}
	}
	return next
}

// unique sorts positions and leaves one of each.
func unique(list []folded) []folded {
	slices.SortFunc(list, func(a, b folded) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second), cmp.Compare(a.last, b.last))
	})
	return slices.Compact(list)
}

// add puts a move into the book.
func (m *bookMaker) add(f folded, c int) error {
	key := bookKey(m.grid, f)
	if with, taken := m.keys[key]; taken && with != f {
		return fmt.Errorf("two positions have the key %x: %+v and %+v", key, with, f)
	}
	m.keys[key] = f
	m.words[key|uint64(c)] = f
	return nil
}
