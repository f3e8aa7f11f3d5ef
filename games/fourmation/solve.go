package fourmation

import (
	"math/bits"

	"ludoteca/games"
	"ludoteca/games/dfpn"
)

// The solver answers one kind of question for certain: can this side force a line, whatever the other does? A side against
// which no line can be forced need not lose, so two such questions decide a position.
//
// It is a depth-first proof-number search (package dfpn). One side, the attacker, has to force a line; a draw is as good
// as a win to the defender. The search finds forcing lines however long they are. No position comes up twice in a game,
// which spares it all troubles with repetition.
//
// The search is fast because the next piece touches the last one: only cells that a path over empty cells connects with the
// last piece will ever be used. The other cells are dead, and so are pieces that no line of their owner can use any more.
// Positions that differ only in dead cells are one to the table.
//
// Some moves need no search: one that lets the other complete a line loses, a defender that can play into a dead end draws,
// and an attacker with no line left to fill can't win.

// pollPositions is how many positions pass between two looks at whether to stop: much less than a millisecond's worth.
const pollPositions = 1 << 8

// A question is a position from the point of view of the side to move.
type question struct {
	own, other cells
	attacking  bool   // the side to move is the attacker
	exits      cells  // the moves to look at: they neither lose at once nor lead into a dead end
	key        uint64 // stands for all positions that have the same answer for the same reasons
}

// An answer is what is known about an attack.
type answer int8

const (
	unknown answer = iota
	succeeds
	fails
)

// reached is the answer when a side has reached what it wants: the attacker a line, the other the end without one.
func reached(attacker bool) answer {
	if attacker {
		return succeeds
	}
	return fails
}

// A solver answers questions about one board, within a number of positions. What it finds out serves the later ones.
type solver struct {
	*grid
	table   dfpn.Table
	search  dfpn.Solver[question]
	line    []question  // from the one that was asked to the present one
	nodes   int         // positions looked at so far
	limit   int         // may be looked at
	stop    func() bool // asked now and then
	poll    int         // when to ask next
	stopped bool
}

var _ dfpn.Tree[question] = (*solver)(nil)

// A reply is a question that a move leads to.
type reply = dfpn.Child[question]

// The most memory that a player's solver takes for its table, and the least that it has entries.
const (
	maxTable   = 16 << 20
	minEntries = 1 << 12
)

// newTable returns a table of at most most bytes for a search of nodes positions, which looks into a quarter to a half of them.
func newTable(nodes, most int) dfpn.Table {
	entries := min(max(nodes/2, minEntries), most/dfpn.EntryBytes)
	return dfpn.Table(nil).Cleared(entries*dfpn.EntryBytes, entries)
}

// attack reports whether the attacker, the side to move or the other one, can force a line. The side to move may
// play on the cells of reach, which are at most 8.
func (s *solver) attack(own, other, reach cells, attacking bool) answer {
	if s.completing(own)&reach != 0 {
		return reached(attacking)
	}
	q := question{own: own, other: other, attacking: attacking}
	if a := s.look(&q, reach); a != unknown {
		return a
	}
	n := s.known(&q)
	if !n.Settled() && !s.spent() {
		s.line = append(s.line[:0], q)
		s.search.Tree, s.search.Table = s, s.table
		n = s.search.Solve()
	}
	switch {
	case n.Phi == 0:
		return reached(attacking)
	case n.Delta == 0:
		return reached(!attacking)
	}
	return unknown
}

// look fills in the rest of a question in which the side to move can't close a line, and answers it if no search is needed.
func (g *grid) look(q *question, reach cells) answer {
	attacking := q.attacking
	empty := g.all &^ (q.own | q.other)
	q.exits = reach & near(empty)
	if q.exits == 0 || !attacking && q.exits != reach {
		return fails // there is a dead end, and it suits the defender
	}
	if q.exits &^= near(g.completing(q.other) & empty); q.exits == 0 {
		// Each move lets the other close a line, but for those into a dead end.
		return reached(!attacking)
	}
	way := connected(reach, empty)
	own, other := g.open(q.own|way), g.open(q.other|way)
	if attacking && own&way == 0 || !attacking && other&way == 0 {
		return fails
	}
	q.key = mix(q.own&own, q.other&other, way, reach)
	if attacking {
		q.key = ^q.key
	}
	return unknown
}

// mix hashes what matters about a position. The book is sorted by it, so it can't change without a new book.
func mix(own, other, way, reach cells) uint64 {
	h := uint64(own)*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(uint64(other)*0xd6e8feb86659fd93, 17) ^
		bits.RotateLeft64(uint64(way)*0xa0761d6478bd642f, 31) ^ bits.RotateLeft64(uint64(reach)*0xe7037ed1a0b428db, 47)
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// known returns the first numbers of a question: those in the table, or one move for the side to move and all of its moves
// for the other.
func (s *solver) known(q *question) dfpn.Numbers {
	if e := s.table.Find(q.key); e != nil {
		return e.Numbers
	}
	return dfpn.Numbers{Phi: 1, Delta: uint32(q.exits.count())}
}

// Key stands for the present question.
func (s *solver) Key() uint64 { return s.line[len(s.line)-1].key }

// Expand appends the undecided replies to the present question, up to the first reply that is decided in favour of the side to move.
func (s *solver) Expand(dst []reply) (replies []reply, complete bool) {
	q := s.line[len(s.line)-1]
	empty := s.all &^ (q.own | q.other)
	for exits := q.exits; exits != 0; exits &= exits - 1 {
		s.nodes++
		c := exits.first()
		r := reply{Move: uint32(c), Position: question{own: q.other, other: q.own | 1<<c, attacking: !q.attacking}}
		switch s.look(&r.Position, s.around[c]&empty) {
		case reached(q.attacking):
			r.Numbers = dfpn.Disproven
		case reached(!q.attacking):
			continue
		default:
			r.Numbers = s.known(&r.Position)
		}
		if r.Phi == 0 {
			continue
		}
		if dst = append(dst, r); r.Delta == 0 {
			break
		}
	}
	return dst, true
}

// Play goes on with the question that a reply is.
func (s *solver) Play(r *reply) { s.line = append(s.line, r.Position) }

// Undo goes back.
func (s *solver) Undo() { s.line = s.line[:len(s.line)-1] }

// Nodes returns how many positions have been looked at.
func (s *solver) Nodes() int { return s.nodes }

// Stopped reports whether the search has to end.
func (s *solver) Stopped() bool { return s.spent() }

// spent reports whether the search has to end.
func (s *solver) spent() bool {
	if s.nodes >= s.poll {
		s.poll = s.nodes + pollPositions
		s.stopped = s.stopped || s.stop()
	}
	return s.stopped || s.nodes >= s.limit
}

// A gridSearch is a Search on a board that a grid can hold.
type gridSearch struct {
	*Search
	grid *grid
}

var (
	_ games.Attacked = (*gridSearch)(nil)
	_ games.Advisor  = (*gridSearch)(nil)
)

// Attack looks at the present position as the solver does.
func (n *gridSearch) Attack(attacker games.Side, dst []games.Code) (moves []games.Code, key uint64, outlook games.Outlook) {
	q := question{own: n.cells(n.turn), other: n.cells(n.turn.Other()), attacking: n.turn == attacker}
	reach := n.grid.all
	if n.cell != none {
		reach = n.grid.around[gridCell(cell(n.cell))] &^ (q.own | q.other)
	}
	a := unknown
	if closing := n.grid.completing(q.own) & reach; closing != 0 {
		a, q.exits = reached(q.attacking), closing
	} else if a = n.grid.look(&q, reach); a == fails && !q.attacking {
		if q.exits = reach &^ near(n.grid.all&^(q.own|q.other)); q.exits == 0 {
			q.exits = reach // the attacker has no line left, wherever the defender plays
		}
	}
	for exits := q.exits; exits != 0; exits &= exits - 1 {
		dst = append(dst, codeOf(exits.first()))
	}
	switch a {
	case succeeds:
		return dst, q.key, games.Forced
	case fails:
		return dst, q.key, games.Held
	}
	return dst, q.key, games.Open
}
