package proof

import (
	"context"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/games/deadline"
	"ludoteca/games/dfpn"
)

// A solver looks for a strategy by proof-number search (package dfpn) within a number of plies. What the side of the claim
// wants is that the claim is true, what the other one wants is that it is not.
//
// The plies that are left belong to what the table knows a position by. So no position comes back below itself, whatever
// the game, and a win within fewer plies can be asked for by itself.
type solver struct {
	search dfpn.Solver[struct{}]
	pos    games.Search
	left   int // plies from the present position
	until  deadline.Deadline

	side games.Side // of the claim
	aim  Aim
	far  bool // the claim is for more than nearPlies

	nodes   int // looked at so far
	limit   int // may be looked at
	stopped bool

	moves []games.Ranked // of the positions of the present line, one list after the other
}

var _ dfpn.Tree[struct{}] = (*solver)(nil)

// A child is a move and the numbers of the position after it.
type child = dfpn.Child[struct{}]

func newSolver(ctx context.Context, pos games.Search, t dfpn.Table) *solver {
	s := &solver{pos: pos, until: deadline.Of(ctx), moves: make([]games.Ranked, 0, 1024)}
	s.search = dfpn.Solver[struct{}]{Tree: s, Table: t}
	return s
}

// ended says whether the context is done, or its time is up.
func (s *solver) ended() bool { return s.until.Passed() }

// Claims for more than nearPlies are searched otherwise than nearer ones: with another guess of first numbers, and following
// a line longer. From 4Mation's e3 f3, a win within 37 plies is found after 8 million positions so, with either alone after 15
// and 21 million, and with neither after 28 million. See TestFarWin.
const (
	nearPlies = 19
	farSlack  = 2
)

// solve says whether a claim is true, or unknown after so many nodes.
func (s *solver) solve(c Claim, nodes int) answer {
	s.side, s.aim, s.far = c.Side, c.Aim, c.Plies > nearPlies
	s.search.Slack = 0
	if s.far {
		s.search.Slack = farSlack
	}
	s.limit, s.stopped, s.left = s.nodes+nodes, false, c.Plies
	n := s.search.Solve()
	if s.pos.Turn() != s.side {
		n.Phi, n.Delta = n.Delta, n.Phi
	}
	switch {
	case n.Phi == 0:
		return yes
	case n.Delta == 0:
		return no
	}
	return unknown
}

// Choose returns the move of the strategy that solve has found: the one in the table, or if it is there no more, the one
// that another search finds. pos need not be the solver's own.
func (s *solver) Choose(pos games.Search, left int) (games.Code, bool) {
	own := s.pos
	s.pos, s.left, s.stopped = pos, left, false
	defer func() { s.pos = own }()
	key := s.Key()
	if e := s.search.Table.Find(key); e != nil && e.Phi == 0 {
		return games.Code(e.Move), true
	}
	if n := s.search.Explore(); n.Phi != 0 {
		return 0, false
	}
	if e := s.search.Table.Find(key); e != nil {
		return games.Code(e.Move), true
	}
	return 0, false
}

// Play makes the move to a child.
func (s *solver) Play(c *child) {
	s.pos.Play(games.Code(c.Move))
	s.left--
}

// Undo takes the last move back.
func (s *solver) Undo() {
	s.pos.Undo()
	s.left++
}

// Nodes returns how many positions have been looked at.
func (s *solver) Nodes() int { return s.nodes }

// Stopped reports whether the search has to end.
func (s *solver) Stopped() bool { return s.stopped }

// Expand appends the children of the present position, up to the first one that is all the side to move wants.
func (s *solver) Expand(dst []child) (children []child, complete bool) {
	base := len(s.moves)
	s.moves = s.pos.Moves(s.moves)
	bestFirst(s.moves[base:])
	for i := base; i < len(s.moves); i++ {
		c := child{Move: uint32(s.moves[i].Code)}
		s.Play(&c)
		s.count()
		c.Numbers = s.firstNumbers()
		s.Undo()
		dst = append(dst, c)
		if c.Delta == 0 || s.stopped {
			break
		}
	}
	s.moves = s.moves[:base]
	return dst, !s.stopped
}

// bestFirst puts the move with the highest rank in front.
func bestFirst(moves []games.Ranked) {
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

// provenSooner returns the entry of a position in which the claim is known to come true with two plies fewer than left: so it
// does with left.
func (s *solver) provenSooner(left int) *dfpn.Entry {
	if left <= 2 {
		return nil
	}
	e := s.search.Table.Find(s.key(left - 2))
	if e == nil || e.Numbers != s.settled(true) {
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

// firstNumbers returns the first numbers of the present position: what is known, what one move more decides, or a guess. The
// usual guess is that each move has to be answered on its own. For near claims, one answer goes for all moves of the other
// side: the usual guess took twice as many positions for the wins five and seven plies before the end of games of Momentum,
// and as many in the other games. For far claims it leads to the lines in which the other side has few moves.
func (s *solver) firstNumbers() dfpn.Numbers {
	left := s.left
	if over, outcome := s.pos.Over(); over {
		return s.end(outcome)
	}
	if left == 0 {
		return s.settled(false)
	}
	key := s.key(left)
	if e := s.search.Table.Find(key); e != nil {
		return e.Numbers
	}
	if e := s.provenSooner(left); e != nil {
		s.search.Table.Put(dfpn.Entry{Key: key, Numbers: e.Numbers, Move: e.Move, Work: 1})
		return e.Numbers
	}
	base := len(s.moves)
	s.moves = s.pos.Moves(s.moves)
	moves := s.moves[base:]
	s.moves = s.moves[:base]
	bestFirst(moves)
	e := dfpn.Entry{Key: key, Numbers: dfpn.Numbers{Phi: 1, Delta: 1}, Work: 1}
	if s.far || s.pos.Turn() == s.side {
		e.Delta = uint32(len(moves))
	}
	if last := left == 1 && s.pos.Turn() == s.side; last {
		e.Numbers = dfpn.Disproven // unless a move does it
		moves = promising(moves)
	} else {
		moves = moves[:1]
	}
	for _, m := range moves {
		if s.ends(m.Code) {
			e.Numbers, e.Move = dfpn.Proven, uint32(m.Code)
			break
		}
		if s.stopped {
			return dfpn.Numbers{Phi: 1, Delta: 1}
		}
	}
	s.search.Table.Put(e)
	return e.Numbers
}

// ends says whether a move ends the game as the side that makes it wants.
func (s *solver) ends(c games.Code) bool {
	s.pos.Play(c)
	s.count()
	over, outcome := s.pos.Over()
	wants := over && s.end(outcome).Delta == 0
	s.pos.Undo()
	return wants
}

// end returns the numbers of a game that is over.
func (s *solver) end(outcome int) dfpn.Numbers {
	if s.pos.Turn() != s.side {
		outcome = -outcome
	}
	return s.settled(outcome > 0 || outcome == 0 && s.aim == ToHold)
}

// settled returns the numbers of a position in which the claim has come true, or not.
func (s *solver) settled(claim bool) dfpn.Numbers {
	if claim == (s.pos.Turn() == s.side) {
		return dfpn.Proven
	}
	return dfpn.Disproven
}

// Key returns what the table knows the present position by.
func (s *solver) Key() uint64 { return s.key(s.left) }

// key returns what the table knows the present position by, with the claim and the plies left to it.
func (s *solver) key(left int) uint64 {
	return board.Mix(s.pos.Key() ^ (uint64(left)<<2|uint64(s.side)<<1|uint64(s.aim))*0x9e3779b97f4a7c15)
}
