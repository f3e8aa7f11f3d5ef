package fourmation

import "math/bits"

// The solver answers one kind of question for certain: can this side force a line, whatever the other does? Who can't be
// beaten in this sense need not lose, so two such questions decide a position.
//
// It is a depth-first proof-number search (Nagai: Df-pn Algorithm for Searching AND/OR Trees, 2002). One side, the attacker,
// has to force a line; a draw is as good as a win to the defender. Each position has two numbers: how many positions
// must at least still be decided to prove the attack, and how many to refute it. The search always goes on where that is
// the fewest, so it finds forcing lines however long they are. No position comes up twice in a game, which spares it all
// troubles with repetition.
//
//	     position: attacker to move           proof = the least of its moves,
//	       /       |       \                  disproof = the sum of its moves;
//	    c3        c4        d5                with the defender to move the other way round
//	  1 / 4     2 / 3     1 / 2
//
// What makes it fast is that the game is a walk: the next piece touches the last one, so only cells that a way over
// empty cells leads to from there will ever be used. All else is stone, and pieces that no line of their owner can use any
// more are stone as well. Positions that differ in nothing but stone are one to the table.
//
// Some moves need no search: one that lets the other complete a line loses, a defender who can play into a dead end
// draws, and an attacker with no line left to fill can't win.

// never is the number of what can't be proved; proved, the number is 0.
const never = 1<<16 - 1

// pollPositions is how many positions pass between two looks at whether to stop: much less than a millisecond's worth.
const pollPositions = 1 << 10

// A question is a position from the point of view of the side to move.
type question struct {
	own, other cells
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
	table   proofs
	nodes   int         // positions looked at so far
	limit   int         // may be looked at
	stop    func() bool // asked now and then
	poll    int         // when to ask next
	stopped bool
}

// attack says whether the attacker, who is the side to move or else the other, can force a line. The side to move may
// play on the cells of reach, which are at most 8.
func (s *solver) attack(own, other, reach cells, attacking bool) answer {
	if s.completing(own)&reach != 0 {
		return reached(attacking)
	}
	q := question{own: own, other: other}
	if a := s.look(&q, reach, attacking); a != unknown {
		return a
	}
	mine, theirs := s.known(&q)
	if mine != 0 && theirs != 0 && !s.spent() {
		mine, theirs = s.search(&q, attacking, never, never)
	}
	switch {
	case mine == 0:
		return reached(attacking)
	case theirs == 0:
		return reached(!attacking)
	}
	return unknown
}

// look fills in the rest of a question in which the side to move can't close a line, and answers it if no search is needed.
func (s *solver) look(q *question, reach cells, attacking bool) answer {
	empty := s.all &^ (q.own | q.other)
	q.exits = reach & near(empty)
	if q.exits == 0 || !attacking && q.exits != reach {
		return fails // there is a dead end, and it suits the defender
	}
	if q.exits &^= near(s.completing(q.other) & empty); q.exits == 0 {
		// Each move lets the other close a line, but for those into a dead end.
		return reached(!attacking)
	}
	way := connected(reach, empty)
	own, other := s.open(q.own|way), s.open(q.other|way)
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

// known returns the numbers of a question: how much it takes at least until the side to move has reached what it wants,
// and until the other has.
func (s *solver) known(q *question) (mine, theirs int) {
	if p := s.table.find(q.key); p != nil {
		return int(p.mine), int(p.theirs)
	}
	return 1, q.exits.count()
}

// A reply is a question that a move leads to, with its numbers.
type reply struct {
	question
	mine, theirs int
}

// search goes on with a question until it is answered, or one of its numbers has reached its limit and there is more
// to be gained elsewhere.
func (s *solver) search(q *question, attacking bool, mineLimit, theirsLimit int) (mine, theirs int) {
	var all [8]reply
	began := s.nodes
	replies, won := s.expand(q, attacking, all[:0])
	for !won && len(replies) > 0 {
		var best, second int
		best, second, mine, theirs = choose(replies)
		if mine >= mineLimit || theirs >= theirsLimit || s.spent() {
			s.table.put(q.key, mine, theirs, s.nodes-began)
			return mine, theirs
		}
		r := &replies[best]
		limit := never
		if theirsLimit < never {
			limit = theirsLimit - theirs + r.mine
		}
		// A quarter above the next best saves going to and fro (Pawlewicz, Lew: Improving Depth-First PN-Search, 2006).
		r.mine, r.theirs = s.search(&r.question, !attacking, limit, min(mineLimit, second+second/4+1))
		won = r.theirs == 0
		if r.mine == 0 {
			*r = replies[len(replies)-1]
			replies = replies[:len(replies)-1]
		}
	}
	mine, theirs = never, 0
	if won {
		mine, theirs = 0, never
	}
	s.table.put(q.key, mine, theirs, s.nodes-began)
	return mine, theirs
}

// expand appends the replies to a question that are not yet decided to dst, which has room for them. won says that one of
// them is decided the way that the side to move wants.
func (s *solver) expand(q *question, attacking bool, dst []reply) (replies []reply, won bool) {
	empty := s.all &^ (q.own | q.other)
	for exits := q.exits; exits != 0; exits &= exits - 1 {
		s.nodes++
		c := exits.first()
		dst = append(dst, reply{question: question{own: q.other, other: q.own | 1<<c}})
		r := &dst[len(dst)-1]
		switch s.look(&r.question, s.around[c]&empty, !attacking) {
		case reached(attacking):
			return nil, true
		case reached(!attacking):
			dst = dst[:len(dst)-1]
			continue
		}
		r.mine, r.theirs = s.known(&r.question)
		if r.theirs == 0 {
			return nil, true
		}
		if r.mine == 0 {
			dst = dst[:len(dst)-1]
		}
	}
	return dst, false
}

// choose returns the reply with which the side to move comes nearest to what it wants, how near the next best comes, and
// the numbers that follow for the side to move.
func choose(replies []reply) (best, second, mine, theirs int) {
	mine, second = never, never
	for i := range replies {
		r := &replies[i]
		if r.theirs < mine || r.theirs == mine && r.mine < replies[best].mine {
			best, mine, second = i, r.theirs, mine
		} else {
			second = min(second, r.theirs)
		}
		theirs = min(theirs+r.mine, never-1)
	}
	return best, second, mine, theirs
}

// spent says whether the search has to end.
func (s *solver) spent() bool {
	if s.nodes >= s.poll {
		s.poll = s.nodes + pollPositions
		s.stopped = s.stopped || s.stop()
	}
	return s.stopped || s.nodes >= s.limit
}
