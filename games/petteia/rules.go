package petteia

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

// Reason codes of the rule sheet.
const (
	reasonCaptures   = "captures"
	reasonNoMoves    = "no_moves"
	reasonRepetition = "repetition"
	reasonNoProgress = "no_progress"
)

// settings are the options of a game, looked up once.
type settings struct {
	toWin      int  // captures that win
	safeEntry  bool // a man may move between two enemies and stays
	repetition int  // a position that comes up so often is a draw; 0 = never
	quietLimit int  // so many turns without a capture are a draw; 0 = never
	options    games.Options
}

// A State is the whole game: both sides' men as sets of cells, for questions about cells, and as lists, for picking one
// man at random. It implements games.State; see there for what its methods promise.
type State struct {
	men    [2]set
	list   [2][army]Cell // in the order of the start; a captured man closes up the list
	count  [2]int        // how many of the list are on the board
	taken  [2]int        // captures of each side
	quiet  int           // turns since the last capture
	turn   games.Side
	result games.Result
	seen   board.History // since the last capture, for a captured man never comes back; empty if the repetition rule is off
	rules  *settings
}

// setUp puts the men of one side on the cells of the set, which are at most army.
func (s *State) setUp(side games.Side, men set) {
	s.men[side], s.count[side] = men, copy(s.list[side][:], men.slice())
}

// Turn is the side to move.
func (s *State) Turn() games.Side { return s.turn }

// Result says whether the game is over.
func (s *State) Result() games.Result { return s.result }

// Moves appends the codes of all legal moves in ascending order, which is the order of their texts.
func (s *State) Moves(dst []games.Code) []games.Code {
	if s.result.Over {
		return dst
	}
	occupied := s.occupied()
	for men := s.men[s.turn]; ; {
		c, ok := men.next()
		if !ok {
			return dst
		}
		men = men.without(only(c))
		for code := games.Code(c) * reach; code < (games.Code(c)+1)*reach; code++ {
			if steps[code].free(occupied) {
				dst = append(dst, code)
			}
		}
	}
}

func (s *State) occupied() set { return s.men[0].with(s.men[1]) }

// Play makes a legal move.
func (s *State) Play(c games.Code) {
	st := &steps[c]
	s.move(s.index(s.turn, st.from), st)
}

// index returns the place of the man on cell c in the list of his side.
func (s *State) index(side games.Side, c Cell) int {
	n := 0
	for s.list[side][n] != c {
		n++
	}
	return n
}

// move makes a legal step with the given man of the mover, as the section "A turn" says; the numbers are its steps.
func (s *State) move(man int, st *step) {
	mover, enemy := s.turn, s.turn.Other()
	// 1: the man moves.
	s.list[mover][man] = st.to
	s.men[mover] = s.men[mover].without(only(st.from)).with(only(st.to))
	s.quiet++
	// 2: he captures.
	if around := &places[st.to]; s.men[enemy].meets(around.adjacent) {
		if s.men[mover].meets(around.beyond) {
			if prey := caught(st.to, s.men[mover], s.men[enemy]); prey != (set{}) {
				s.take(enemy, prey)
			}
		}
		// 3: without safe entry he may be captured himself.
		if !s.rules.safeEntry && flanked(st.to, s.men[enemy]) {
			s.take(mover, only(st.to))
		}
	}
	s.turn = enemy
	s.settle()
}

// caught returns the men of the enemy that a man of the mover captures who has just come to cell c.
func caught(c Cell, mover, enemy set) (prey set) {
	for _, p := range places[c].pairs {
		if p.next.meets(enemy) && p.beyond.meets(mover) {
			prey = prey.with(p.next)
		}
	}
	return prey
}

// flanked says whether enemies stand on both sides of cell c in its row or in its column.
func flanked(c Cell, enemy set) bool {
	for _, f := range places[c].flanks {
		if f.within(enemy) {
			return true
		}
	}
	return false
}

// take takes men of one side off the board and counts them for the other.
func (s *State) take(side games.Side, prey set) {
	s.men[side] = s.men[side].without(prey)
	for c, ok := prey.next(); ok; c, ok = prey.next() {
		prey = prey.without(only(c))
		n := s.index(side, c)
		list := s.list[side][:s.count[side]]
		copy(list[n:], list[n+1:])
		s.count[side]--
		s.taken[side.Other()]++
	}
	s.quiet = 0
	s.seen.Forget()
}

// settle checks the end of the game for the side that now is to move, in the order of the section "End of the game".
func (s *State) settle() {
	mover, next := s.turn.Other(), s.turn
	times := s.remember()
	switch {
	case s.taken[mover] >= s.rules.toWin:
		s.result = games.Won(mover, reasonCaptures)
	case s.taken[next] >= s.rules.toWin:
		s.result = games.Won(next, reasonCaptures)
	case !s.canMove():
		s.result = stuck(s.taken)
	case s.rules.repetition > 0 && times >= s.rules.repetition:
		s.result = games.Drawn(reasonRepetition)
	case s.rules.quietLimit > 0 && s.quiet >= s.rules.quietLimit:
		s.result = games.Drawn(reasonNoProgress)
	}
}

// remember notes the position for the repetition rule and returns how often it has come up; 0 if the rule is off.
func (s *State) remember() int {
	if s.rules.repetition == 0 {
		return 0
	}
	return int(s.seen.Add(keyIn(&s.men)))
}

// keyIn returns the cells of both sides, without a gap.
func keyIn(men *[2]set) board.Key {
	return board.Key{men[0].lo, men[1].lo, uint64(men[0].hi)<<32 | uint64(men[1].hi)}
}

// menOf is keyIn the other way.
func menOf(k board.Key) [2]set { return [2]set{{k[0], uint32(k[2] >> 32)}, {k[1], uint32(k[2])}} }

// canMove says whether the side to move has a legal move: a man with an empty cell beside him.
func (s *State) canMove() bool {
	occupied := s.occupied()
	for _, c := range s.list[s.turn][:s.count[s.turn]] {
		if !places[c].adjacent.within(occupied) {
			return true
		}
	}
	return false
}

// stuck returns the result where the side to move can't.
func stuck(taken [2]int) games.Result {
	switch {
	case taken[games.First] > taken[games.Second]:
		return games.Won(games.First, reasonNoMoves)
	case taken[games.First] < taken[games.Second]:
		return games.Won(games.Second, reasonNoMoves)
	}
	return games.Drawn(reasonNoMoves)
}

// Playout plays uniformly random legal moves to the end of the game, or for limit plies if limit is positive.
//
// It lists no moves. It draws one of the mover's men and one of the 18 cells in his row and column, and draws both anew
// until the man can go there. Each legal move is one of the equally likely draws, so each is equally likely; more than
// half of the draws are legal. A running game always has a legal move, so the drawing ends.
func (s *State) Playout(r *games.Random, limit int) (plies int) {
	for !s.result.Over && (limit <= 0 || plies < limit) {
		occupied, draws := s.occupied(), s.count[s.turn]*reach
		for {
			n := r.N(draws)
			man := n / reach
			st := &steps[int(s.list[s.turn][man])*reach+n%reach]
			if st.free(occupied) {
				s.move(man, st)
				break
			}
		}
		plies++
	}
	return plies
}

// Set makes the receiver a copy of from, which must be a *State.
func (s *State) Set(from games.State) {
	other := from.(*State)
	own := s.seen
	own.Set(&other.seen)
	*s = *other
	s.seen = own
}

// Clone returns an independent copy.
func (s *State) Clone() games.State {
	c := new(State)
	c.Set(s)
	return c
}

// Move returns the text of a legal move.
func (s *State) Move(c games.Code) games.Move { return texts[c] }

// Code returns the code of a move, and whether it is legal here.
func (s *State) Code(m games.Move) (games.Code, bool) {
	code, err := s.check(m)
	return code, err == nil
}

// Position returns the present position as an immutable value.
func (s *State) Position() games.Position {
	p := new(Position)
	p.s.Set(s)
	return p
}
