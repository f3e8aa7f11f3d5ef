package proof

import (
	"context"

	"ludoteca/games"
)

// A solver looks for a strategy by depth-first proof-number search (Nagai: Df-pn Algorithm for Searching AND/OR Trees,
// 2002) within a number of plies.
//
// A position has two numbers: phi says how many positions at least would have to turn out well for the side to move to
// reach what it wants, delta how many for the other side. What one side wants is that the claim is true, what the other one
// wants is that it is not. A side needs one good move, and the other one an answer to each:
//
//	phi = min of the deltas below              phi 1, delta 3      A to move
//	delta = sum of the phis below           /       |        \
//	                                phi 2         phi 0         phi 1     B to move
//	                                delta 1       delta never   delta 4
//	                                  ^ most promising: next
//
// 0 and never are certain. The search always goes on where the least is missing, and only comes back up when another move
// has become more promising. So it goes deep where answers are few and forced, which is where wins are.
//
// The plies that are left belong to what the table knows a position by. So no position comes back below itself, whatever
// the game, and a win within fewer plies can be asked for by itself.
type solver struct {
	pos   games.Search
	table table
	done  <-chan struct{}

	side games.Side // of the claim
	aim  Aim

	nodes   int // looked at so far
	limit   int // may be looked at
	stopped bool

	moves    []games.Ranked // of the positions of the present line, one list after the other
	children []child        // the same
}

// numbers are the two of a position, from the point of view of the side to move.
type numbers struct{ phi, delta uint32 }

// never is the number of what can't be.
const never = 1 << 30

// A child is a move and the numbers of the position after it.
type child struct {
	numbers
	code games.Code
}

func newSolver(ctx context.Context, pos games.Search, t table) *solver {
	return &solver{
		pos: pos, table: t, done: ctx.Done(),
		moves: make([]games.Ranked, 0, 1024), children: make([]child, 0, 1024),
	}
}

// ended says whether the context is done.
func (s *solver) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// solve says whether a claim is true, or unknown after so many nodes.
func (s *solver) solve(c Claim, nodes int) answer {
	s.side, s.aim = c.Side, c.Aim
	s.limit, s.stopped = s.nodes+nodes, false
	n := s.visit(c.Plies, numbers{never, never})
	if s.pos.Turn() != s.side {
		n.phi, n.delta = n.delta, n.phi
	}
	switch {
	case n.phi == 0:
		return yes
	case n.delta == 0:
		return no
	}
	return unknown
}

// Choose returns the move of the strategy that solve has found: the one in the table, or if it is there no more, the one
// that another search finds. pos need not be the solver's own.
func (s *solver) Choose(pos games.Search, left int) (games.Code, bool) {
	own := s.pos
	s.pos = pos
	defer func() { s.pos = own }()
	key := s.key(left)
	if e := s.table.find(key); e != nil && e.phi == 0 {
		return games.Code(e.code), true
	}
	s.stopped = false
	if n := s.explore(left, key, numbers{never, never}); n.phi != 0 {
		return 0, false
	}
	if e := s.table.find(key); e != nil {
		return games.Code(e.code), true
	}
	return 0, false
}

// visit returns the numbers of a position once one of them is no longer below that of want, and of any at all once the
// nodes are spent.
func (s *solver) visit(left int, want numbers) numbers {
	key := s.key(left)
	if e := s.table.find(key); e != nil && (e.phi == 0 || e.delta == 0) {
		return e.numbers
	}
	return s.explore(left, key, want)
}

// explore is visit for a position that the table has no answer for.
func (s *solver) explore(left int, key uint64, want numbers) numbers {
	base, before := len(s.children), s.nodes
	defer func() { s.children = s.children[:base] }()
	s.expand(left)
	if s.stopped {
		return numbers{1, 1} // not all children are there
	}
	for {
		children := s.children[base:]
		n, best, second := sum(children)
		if n.phi >= want.phi || n.delta >= want.delta || n.phi == 0 || n.delta == 0 || s.stopped {
			s.table.put(entry{key: key, numbers: n, code: uint32(children[best].code), work: uint32(s.nodes-before) + 2})
			return n
		}
		c := &children[best]
		below := numbers{
			phi:   want.delta - (n.delta - c.phi),
			delta: min(want.phi, second+second/4+1),
		}
		s.pos.Play(c.code)
		got := s.visit(left-1, below)
		s.pos.Undo()
		s.children[base+best].numbers = got
	}
}

// sum returns the numbers of a position with these children, the most promising of them, and the delta of the next one.
func sum(children []child) (n numbers, best int, second uint32) {
	n.phi, second = never, never
	for i := range children {
		c := &children[i]
		if c.phi == never {
			n.delta = never
		} else if n.delta != never {
			n.delta = min(n.delta+c.phi, never-1)
		}
		switch {
		case c.delta < n.phi:
			second = n.phi
			n.phi, best = c.delta, i
		case c.delta < second:
			second = c.delta
		}
	}
	if n.phi == 0 {
		n.delta = never
	}
	return n, best, second
}

// expand appends the children of a position, up to the first one that is all the side to move wants.
func (s *solver) expand(left int) {
	base := len(s.moves)
	s.moves = s.pos.Moves(s.moves)
	foremost(s.moves[base:])
	for i := base; i < len(s.moves); i++ {
		code := s.moves[i].Code
		s.pos.Play(code)
		s.count()
		n := s.look(left - 1)
		s.pos.Undo()
		s.children = append(s.children, child{n, code})
		if n.delta == 0 || s.stopped {
			break
		}
	}
	s.moves = s.moves[:base]
}

// foremost puts the move with the highest rank in front.
func foremost(moves []games.Ranked) {
	best := 0
	for i := range moves {
		if moves[i].Rank > moves[best].Rank {
			best = i
		}
	}
	if best > 0 {
		moves[0], moves[best] = moves[best], moves[0]
	}
}

// sooner returns the entry of a position in which the claim is known to come true with two plies fewer: so it does with these.
func (s *solver) sooner(left int) *entry {
	if left <= 2 {
		return nil
	}
	e := s.table.find(s.key(left - 2))
	if e == nil || e.numbers != s.settled(true) {
		return nil
	}
	return e
}

// promising returns the moves that a last one is chosen from: those that the game ranks above others, for so it ranks the ones
// that win. Where one wins that it does not, the win is found a move later.
func promising(moves []games.Ranked) []games.Ranked {
	n := 0
	for i := range moves {
		if moves[i].Rank > 0 {
			moves[n], moves[i] = moves[i], moves[n]
			n++
		}
	}
	return moves[:n]
}

// count counts a node and looks at the context now and then.
func (s *solver) count() {
	s.nodes++
	if s.nodes >= s.limit || s.nodes%nodesBetweenLooks == 0 && s.ended() {
		s.stopped = true
	}
}

// look returns the first numbers of a position: what is known, what one move more decides, or a guess. The guess is that
// each move of the side of the claim has to be answered on its own, while one answer goes for all of the other side's. (That
// the number of those counts is the usual guess. It took twice as many positions for the wins five and seven plies before
// the end of games of Momentum, and as many in the other games.)
func (s *solver) look(left int) numbers {
	if over, outcome := s.pos.Over(); over {
		return s.end(outcome)
	}
	if left == 0 {
		return s.settled(false)
	}
	key := s.key(left)
	if e := s.table.find(key); e != nil {
		return e.numbers
	}
	if e := s.sooner(left); e != nil {
		s.table.put(entry{key: key, numbers: e.numbers, code: e.code, work: 1})
		return e.numbers
	}
	base := len(s.moves)
	s.moves = s.pos.Moves(s.moves)
	moves := s.moves[base:]
	s.moves = s.moves[:base]
	foremost(moves)
	e := entry{key: key, numbers: numbers{1, 1}, work: 1}
	if s.pos.Turn() == s.side {
		e.delta = uint32(len(moves))
	}
	if last := left == 1 && s.pos.Turn() == s.side; last {
		e.numbers = numbers{never, 0} // unless a move does it
		moves = promising(moves)
	} else {
		moves = moves[:1]
	}
	for _, m := range moves {
		if s.ends(m.Code) {
			e.numbers, e.code = numbers{0, never}, uint32(m.Code)
			break
		}
		if s.stopped {
			return numbers{1, 1}
		}
	}
	s.table.put(e)
	return e.numbers
}

// ends says whether a move ends the game as the side that makes it wants.
func (s *solver) ends(c games.Code) bool {
	s.pos.Play(c)
	s.count()
	over, outcome := s.pos.Over()
	wants := over && s.end(outcome).delta == 0
	s.pos.Undo()
	return wants
}

// end returns the numbers of a game that is over.
func (s *solver) end(outcome int) numbers {
	if s.pos.Turn() != s.side {
		outcome = -outcome
	}
	return s.settled(outcome > 0 || outcome == 0 && s.aim == ToHold)
}

// settled returns the numbers of a position in which the claim has come true, or not.
func (s *solver) settled(claim bool) numbers {
	if claim == (s.pos.Turn() == s.side) {
		return numbers{0, never}
	}
	return numbers{never, 0}
}

// key returns what the table knows the position by, with the claim and the plies left to it.
func (s *solver) key(left int) uint64 {
	k := s.pos.Key() ^ (uint64(left)<<2|uint64(s.side)<<1|uint64(s.aim))*0x9e3779b97f4a7c15
	k ^= k >> 32
	k *= 0xd6e8feb86659fd93
	return k ^ k>>29
}
