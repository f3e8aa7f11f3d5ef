package petteia

import (
	"cmp"

	"ludoteca/games"
	"ludoteca/games/board"
)

// rules is what one complete set of options comes to. All states of a game share it; it never changes.
type rules struct {
	toWin      int  // captures that win
	safeEntry  bool // a man may move between two enemies and stays
	repetition int  // how often a position comes up for a draw; 0: never a draw
	quietLimit int  // how many turns without a capture are a draw; 0: never a draw
	options    games.Options
}

// A State is the rules: a position that plays moves and takes them back. It implements games.State. The code of a move is
// the index of its step in steps.
type State struct {
	present
	past  []present     // before each of the moves that can be taken back
	seen  board.History // the positions up to the present one; empty if the repetition rule is off
	rules *rules
}

// present is what a move changes.
type present struct {
	men   [2]set
	taken [2]int16 // captures of each side
	quiet int32    // turns since the last capture
	turn  games.Side
	games.Ending
}

var _ games.State = (*State)(nil)

// The reasons why a game ends, by their numbers in an Ending.
const (
	byCaptures uint8 = iota + 1
	byNoMoves
	byRepetition
	byNoProgress
)

// reasons are the reason codes of the rule sheet.
var reasons = [...]string{
	byCaptures:   "captures",
	byNoMoves:    "no_moves",
	byRepetition: "repetition",
	byNoProgress: "no_progress",
}

// Turn is the side to move.
func (s *State) Turn() games.Side { return s.turn }

// Result reports whether the game is over.
func (s *State) Result() games.Result { return s.ResultOf(s.turn, reasons[:]) }

// Moves appends the codes of all legal moves in ascending order, which is the order of their texts.
func (s *State) Moves(dst []games.Code) []games.Code {
	if !s.Running() {
		return dst
	}
	occupied := s.occupied()
	for men := s.men[s.turn]; ; {
		c, ok := men.next()
		if !ok {
			return dst
		}
		men = men.without(only(c))
		for code := games.Code(c) * stepsOfCell; code < (games.Code(c)+1)*stepsOfCell; code++ {
			if steps[code].free(occupied) {
				dst = append(dst, code)
			}
		}
	}
}

func (s *State) occupied() set { return s.men[0].with(s.men[1]) }

// Play makes a legal move, as the section "A turn" says; the numbers are its steps.
func (s *State) Play(c games.Code) {
	s.past = append(s.past, s.present)
	st := &steps[c]
	mover, enemy := s.turn, s.turn.Other()
	// 1: the man moves.
	own := s.men[mover].without(only(st.from)).with(only(st.to))
	s.men[mover] = own
	s.quiet++
	// 2: it captures.
	if s.men[enemy].meets(places[st.to].adjacent) {
		if captured := capturedBy(st.to, own, s.men[enemy]); captured != (set{}) {
			s.capture(enemy, captured)
		}
		// 3: without safe entry it may be captured itself.
		if !s.rules.safeEntry && flanked(st.to, s.men[enemy]) {
			s.capture(mover, only(st.to))
		}
	}
	s.turn = enemy
	s.checkEnd()
}

// Undo takes the last move back.
func (s *State) Undo() {
	if s.rules.repetition > 0 {
		s.seen.Remove()
	}
	last := len(s.past) - 1
	s.present = s.past[last]
	s.past = s.past[:last]
}

// capturedBy returns the men of the enemy that a man of the mover captures that has just come to cell c.
func capturedBy(c Cell, mover, enemy set) (captured set) {
	for _, p := range places[c].pairs {
		if p.next.meets(enemy) && p.beyond.meets(mover) {
			captured = captured.with(p.next)
		}
	}
	return captured
}

// flanked reports whether enemies stand on both sides of cell c in its row or in its column.
func flanked(c Cell, enemy set) bool {
	for _, f := range places[c].flanks {
		if f.within(enemy) {
			return true
		}
	}
	return false
}

// capture takes men of one side off the board and counts them for the other.
func (s *State) capture(side games.Side, men set) {
	s.men[side] = s.men[side].without(men)
	s.taken[side.Other()] += int16(men.len())
	s.quiet = 0
}

// checkEnd works out the result for the side that now is to move, in the order of the section "End of the game".
func (s *State) checkEnd() {
	mover, next, toWin := s.turn.Other(), s.turn, int16(s.rules.toWin)
	times := 0
	if s.rules.repetition > 0 {
		times = int(s.seen.Add(s.key()))
	}
	switch {
	case s.taken[mover] >= toWin:
		s.Reason, s.Outcome = byCaptures, -1
	case s.taken[next] >= toWin:
		s.Reason, s.Outcome = byCaptures, 1
	case !s.canMove():
		s.Reason, s.Outcome = byNoMoves, int8(cmp.Compare(s.taken[next], s.taken[mover]))
	case s.rules.repetition > 0 && times >= s.rules.repetition:
		s.Reason, s.Outcome = byRepetition, 0
	case s.rules.quietLimit > 0 && int(s.quiet) >= s.rules.quietLimit:
		s.Reason, s.Outcome = byNoProgress, 0
	}
}

// key returns the cells of both sides, without a gap.
func (s *State) key() board.Key {
	return board.Key{s.men[0].lo, s.men[1].lo, uint64(s.men[0].hi)<<32 | uint64(s.men[1].hi)}
}

// canMove reports whether the side to move has a legal move: a man with an empty cell beside it.
func (s *State) canMove() bool { return !spread(s.men[s.turn]).within(s.occupied()) }

// Clone returns an independent copy.
func (s *State) Clone() games.State { return s.clone() }

// clone leaves out the positions before the last capture: a captured man never comes back.
func (s *State) clone() *State {
	return &State{present: s.present, rules: s.rules, seen: s.seen.Newest(int(s.quiet) + 1)}
}
