package proof

import (
	"context"
	"math"
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/games/deadline"
	"ludoteca/games/dfpn"
)

// A solver looks for a strategy by proof-number search (package dfpn) within a number of plies, or within any number. The side of the
// claim wants the claim to be true, the other side wants it to be false.
//
// Within a number of plies, the plies that are left belong to what the table knows a position by. So no position comes back
// below itself, whatever the game, and a win within fewer plies can be asked for by itself.
//
// A win within any number of plies is looked for without them, so that each position is searched once, however it comes up. Where
// a position comes back below itself, the side of the claim has won nothing by then, and the line counts as a failure. A win that
// is found so needs no such line; that there is none is not certain.
type solver struct {
	search   dfpn.Solver[struct{}]
	pos      games.Search
	attacked games.Attacked // pos, if it has this ability
	left     int            // plies from the present position
	until    deadline.Deadline

	side   games.Side // of the claim
	aim    Aim
	far    bool // the claim is for more than nearPlies
	free   bool // the claim is for any number of plies
	many   bool // one table serves several positions
	attack bool // the game is asked for its outlook on attacks
	cut    bool // a line was broken off, so that a failure is not certain

	nodes   int // looked at so far
	limit   int // may be looked at
	stopped bool

	moves []games.Ranked // of the positions of the present line, one list after the other
	codes []games.Code   // of one position
	above []uint64       // the keys of the positions above the present one, if the claim is free
}

var _ dfpn.Tree[struct{}] = (*solver)(nil)

// A child is a move and the numbers of the position after it.
type child = dfpn.Child[struct{}]

func newSolver(ctx context.Context, pos games.Search, t dfpn.Table) *solver {
	s := &solver{until: deadline.Of(ctx), moves: make([]games.Ranked, 0, 1024)}
	s.search = dfpn.Solver[struct{}]{Tree: s, Table: t}
	s.moveTo(pos)
	return s
}

// moveTo makes pos the position that is searched.
func (s *solver) moveTo(pos games.Search) {
	s.pos = pos
	s.attacked, _ = pos.(games.Attacked)
}

// ended reports whether the context is done, or its time is up.
func (s *solver) ended() bool { return s.until.Passed() }

// Claims for more than nearPlies are searched with another guess of first numbers than nearer ones: see guess.
const nearPlies = 19

// solve reports whether a claim is true, or unknown after the given number of nodes. A claim of a win in at most MaxPlies is searched
// within any number of plies. So is every claim of MaxPlies in a game whose positions never come up again.
func (s *solver) solve(c Claim, nodes int) answer {
	s.side, s.aim, s.far = c.Side, c.Aim, c.Plies > nearPlies
	s.free = c.Plies >= MaxPlies && (c.Aim == ToWin || s.attacked != nil)
	s.attack = s.attacked != nil && (c.Aim == ToWin || s.free)
	s.cut, s.above = false, s.above[:0]
	s.limit, s.stopped, s.left = s.nodes+nodes, false, c.Plies
	n := s.numbers()
	if s.pos.Turn() != s.side {
		n.Phi, n.Delta = n.Delta, n.Phi
	}
	switch {
	case n.Phi == 0:
		return yes
	case n.Delta == 0 && !s.cut:
		return no
	}
	return unknown
}

// numbers returns the numbers of the present position after a search. The game's keys are for positions with an open outlook.
func (s *solver) numbers() dfpn.Numbers {
	if s.attack && s.many {
		if n, _ := s.outlook(); n.Settled() {
			return n
		}
	}
	return s.search.Solve()
}

// Choose returns the move of the strategy that solve has found. If the table has lost the move, Choose searches again. pos need
// not be the solver's own.
func (s *solver) Choose(pos games.Search, _ []games.Code, left int) (games.Code, bool) {
	own := s.pos
	s.moveTo(pos)
	defer s.moveTo(own)
	s.left, s.stopped, s.above = left, false, s.above[:0]
	if s.attack {
		if n, move := s.outlook(); n.Phi == 0 {
			if s.tooLate() {
				move = s.pos.Moves(nil)[0].Code // the attacker wins a ply too late, so any move holds
			}
			return move, true
		}
	}
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
	if s.mayRepeat() {
		s.above = append(s.above, s.Key())
	}
	s.play(games.Code(c.Move))
}

// Undo takes the last move back.
func (s *solver) Undo() {
	s.undo()
	if s.mayRepeat() {
		s.above = s.above[:len(s.above)-1]
	}
}

// mayRepeat reports whether a position could come back below itself.
func (s *solver) mayRepeat() bool { return s.free && !s.attack }

func (s *solver) play(c games.Code) {
	s.pos.Play(c)
	s.left--
}

func (s *solver) undo() {
	s.pos.Undo()
	s.left++
}

// Nodes returns how many positions have been looked at.
func (s *solver) Nodes() int { return s.nodes }

// Stopped reports whether the search has to end.
func (s *solver) Stopped() bool { return s.stopped }

// Expand appends the children of the present position, up to the first that gives the side to move all that it wants.
func (s *solver) Expand(dst []child) (children []child, complete bool) {
	base := len(s.moves)
	if s.attack {
		s.codes, _, _ = s.attacked.Attack(s.attacker(), s.codes[:0])
		for _, c := range s.codes {
			s.moves = append(s.moves, games.Ranked{Code: c})
		}
	} else {
		s.moves = s.pos.Moves(s.moves)
		bestFirst(s.moves[base:])
	}
	if s.mayRepeat() {
		s.above = append(s.above, s.Key())
		defer func() { s.above = s.above[:len(s.above)-1] }()
	}
	for i := base; i < len(s.moves); i++ {
		c := child{Move: uint32(s.moves[i].Code)}
		s.play(s.moves[i].Code)
		s.count()
		c.Numbers = s.firstNumbers()
		s.undo()
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
	if left <= 2 || s.free {
		return nil
	}
	e := s.search.Table.Find(s.key(left - 2))
	if e == nil || e.Numbers != s.settled(true) {
		return nil
	}
	return e
}

// promising returns the moves from which the last move is chosen: all moves with a rank above 0, because games rank winning moves so.
// If a winning move has a lower rank, the win is found a move later.
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

// firstNumbers returns the first numbers of the present position: what is known, what one move more decides, or a guess.
func (s *solver) firstNumbers() dfpn.Numbers {
	if s.attack {
		return s.firstOfAttack()
	}
	left := s.left
	if over, outcome := s.pos.Over(); over {
		return s.end(outcome)
	}
	key := s.key(left)
	if left == 0 || s.free && slices.Contains(s.above, key) {
		s.cut = s.cut || s.free
		return s.settled(false)
	}
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
	e := dfpn.Entry{Key: key, Numbers: s.guess(len(moves)), Work: 1}
	if last := left == 1 && !s.free && s.pos.Turn() == s.side; last {
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

// guess returns the first numbers of a position with the given number of moves, of which nothing is known.
//
// Wins far ahead are looked for where the side of the claim is ahead by the evaluation: each step by which it is further ahead
// halves its number and doubles the other side's (Nagai's df-pn+). Without it, a search within any number of plies loses itself
// in lines that are forced and lead nowhere.
//
// For near claims, one answer goes for all moves of the other side: to count them took twice as many positions for the wins five
// and seven plies before the end of games of Momentum, and as many in the other games.
func (s *solver) guess(moves int) dfpn.Numbers {
	if s.far && s.aim == ToWin {
		const even, most = 64, 10
		ahead := s.pos.Evaluate()
		own, other := even*math.Exp2(-float64(ahead)/halving), even*math.Exp2(float64(ahead)/halving)
		return dfpn.Numbers{Phi: uint32(min(max(own, 1), even<<most)), Delta: uint32(min(max(other, 1), even<<most))}
	}
	if s.far || s.pos.Turn() == s.side {
		return dfpn.Numbers{Phi: 1, Delta: uint32(moves)}
	}
	return dfpn.Numbers{Phi: 1, Delta: 1}
}

// halving is the evaluation that halves the number of the side that is ahead: two men or so. With half as much and with twice as
// much about as much is proven.
const halving = 200

// attacker returns the side that the claim says can, or can't, force a win.
func (s *solver) attacker() games.Side {
	if s.aim == ToWin {
		return s.side
	}
	return s.side.Other()
}

// firstOfAttack is firstNumbers in a game that tells its outlook on attacks.
func (s *solver) firstOfAttack() dfpn.Numbers {
	if over, outcome := s.pos.Over(); over {
		return s.end(outcome)
	}
	n, _ := s.outlook()
	return n
}

// outlook returns the first numbers of a running position by the outlook of the game, and if the side to move has what it wants, a
// move that keeps it.
func (s *solver) outlook() (n dfpn.Numbers, move games.Code) {
	codes, key, outlook := s.attacked.Attack(s.attacker(), s.codes[:0])
	s.codes = codes
	succeeds := outlook == games.Forced
	if s.tooLate() {
		succeeds, outlook = false, games.Held
	}
	if outlook != games.Open {
		if n = s.settled(succeeds == (s.aim == ToWin)); n.Phi == 0 && len(codes) > 0 {
			move = codes[0]
		}
		return n, move
	}
	if e := s.search.Table.Find(s.mixed(key, s.left)); e != nil {
		return e.Numbers, games.Code(e.Move)
	}
	return dfpn.Numbers{Phi: 1, Delta: uint32(len(codes))}, 0
}

// tooLate reports whether the attacker can't win any more within the plies that are left.
func (s *solver) tooLate() bool { return !s.free && s.left < s.soonest() }

// soonest returns how many plies the attacker takes to win at least.
func (s *solver) soonest() int {
	if s.pos.Turn() == s.attacker() {
		return 1
	}
	return 2
}

// ends reports whether a move ends the game as the side that makes it wants.
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
	if s.attack {
		_, key, _ := s.attacked.Attack(s.attacker(), s.codes[:0])
		return s.mixed(key, left)
	}
	return s.mixed(s.pos.Key(), left)
}

// anyPlies stands in keys for claims within any number of plies.
const anyPlies = 1 << 20

// mixed returns the key of a position of the game with the claim and the plies left to it. Whether an attack succeeds and whether it
// is held are one question.
func (s *solver) mixed(key uint64, left int) uint64 {
	if s.free {
		left = anyPlies
	}
	side, aim := s.side, s.aim
	if s.attack {
		side, aim = s.attacker(), ToWin
	}
	return board.Mix(key ^ (uint64(left)<<2|uint64(side)<<1|uint64(aim))*0x9e3779b97f4a7c15)
}
