// Package dfpn is depth-first proof-number search: it finds out whether the side to move can force what it wants, whatever
// the other side does (Nagai: Df-pn Algorithm for Searching AND/OR Trees, 2002). What is wanted, and in which game, is up
// to a Tree.
//
// A position has two numbers: phi says how many positions at least would have to turn out well for the side to move to
// reach what it wants, delta how many for the other side. A side needs one good move, and the other one an answer to each:
//
//	phi = min of the deltas below              phi 1, delta 3      A to move
//	delta = sum of the phis below           /       |        \
//	                                phi 2         phi 0         phi 1     B to move
//	                                delta 1       delta never   delta 4
//	                                  ^ most promising: next
//
// 0 and Never are certain. The search always goes on where the least is missing, and only comes back up when another move
// has become more promising. So it goes deep where answers are few and forced, which is where wins are.
//
// The package is pure: no clock, no randomness, no I/O, no goroutine.
package dfpn

// Numbers are phi and delta of a position, from the point of view of the side to move.
type Numbers struct{ Phi, Delta uint32 }

// Never is the number of a result that is impossible.
const Never = 1 << 30

// The numbers of positions in which the side to move reaches what it wants, or can't.
var (
	Proven    = Numbers{0, Never}
	Disproven = Numbers{Never, 0}
)

// Settled reports whether the numbers are certain.
func (n Numbers) Settled() bool { return n.Phi == 0 || n.Delta == 0 }

// A Child is a move and the position after it.
type Child[P any] struct {
	Position P // what the tree needs to know of it
	Numbers
	Move uint32 // what the table remembers the move by
}

// A Tree is what a Solver searches. It is at one position at a time.
type Tree[P any] interface {
	// Key stands for all that matters about the present position. No position may come up again below itself with
	// the same key.
	Key() uint64

	// Expand appends the children of the present position to dst, with the numbers that the table has for them or with a
	// guess. It may leave out children after one with a Delta of 0, and any with a Phi of 0. complete is false if Expand had
	// to stop on the way.
	Expand(dst []Child[P]) (children []Child[P], complete bool)

	// Play goes to a child, Undo back.
	Play(c *Child[P])
	Undo()

	// Nodes returns how many positions have been looked at.
	Nodes() int

	// Stopped reports whether the search has to end.
	Stopped() bool
}

const usualSlack = 4

// A Solver searches a tree. The numbers that it finds go into its table and serve later searches.
type Solver[P any] struct {
	Tree  Tree[P]
	Table Table

	// Slack is how far a line is followed after another has become as promising: until its number exceeds the other's by
	// 1/Slack. 0 stands for usualSlack.
	Slack uint32

	children []Child[P] // of the positions of the present line, one list after the other
}

// Solve searches until the numbers of the tree's position are settled, and returns them. They may be any once the tree is stopped.
func (s *Solver[P]) Solve() Numbers { return s.visit(Numbers{Never, Never}) }

// visit searches the present position until Phi or Delta is no longer below its value in want, and returns the numbers. They may
// be any once the tree is stopped.
func (s *Solver[P]) visit(want Numbers) Numbers {
	key := s.Tree.Key()
	if e := s.Table.Find(key); e != nil && e.Settled() {
		return e.Numbers
	}
	return s.explore(key, want)
}

// Explore is like Solve, but searches the tree's position itself even if the table has an answer for it. It is for tables that
// have lost a part of the answer.
func (s *Solver[P]) Explore() Numbers { return s.explore(s.Tree.Key(), Numbers{Never, Never}) }

// explore is visit for a position that the table has no answer for.
func (s *Solver[P]) explore(key uint64, want Numbers) Numbers {
	base, before := len(s.children), s.Tree.Nodes()
	slack := s.Slack
	if slack == 0 {
		slack = usualSlack
	}
	defer func() { s.children = s.children[:base] }()
	var complete bool
	if s.children, complete = s.Tree.Expand(s.children); !complete {
		return Numbers{1, 1}
	}
	for {
		children := s.children[base:]
		n, best, second := sum(children)
		if n.Phi >= want.Phi || n.Delta >= want.Delta || n.Settled() || s.Tree.Stopped() {
			e := Entry{Key: key, Numbers: n, Work: uint32(s.Tree.Nodes()-before) + 2}
			if len(children) > 0 {
				e.Move = children[best].Move
			}
			s.Table.Put(e)
			return n
		}
		c := &children[best]
		below := Numbers{
			Phi: want.Delta - (n.Delta - c.Phi),
			// Some more than the next best saves going to and fro (Pawlewicz, Lew: Improving Depth-First PN-Search, 2006).
			Delta: min(want.Phi, second+second/slack+1),
		}
		s.Tree.Play(c)
		got := s.visit(below)
		s.Tree.Undo()
		s.children[base+best].Numbers = got
	}
}

// sum returns the numbers of a position with these children, the most promising of them, and the delta of the next one.
func sum[P any](children []Child[P]) (n Numbers, best int, second uint32) {
	n.Phi, second = Never, Never
	for i := range children {
		c := &children[i]
		if c.Phi == Never {
			n.Delta = Never
		} else if n.Delta != Never {
			n.Delta = min(n.Delta+c.Phi, Never-1)
		}
		switch {
		case c.Delta < n.Phi:
			second = n.Phi
			n.Phi, best = c.Delta, i
		case c.Delta < second:
			second = c.Delta
		}
	}
	if n.Phi == 0 {
		n.Delta = Never
	}
	return n, best, second
}
