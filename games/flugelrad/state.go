// Package flugelrad plays Flügelrad: a turn rotates one of seven wheels with all that is in it, and the first to have
// six linked balls wins. RULES.md beside this file is the exact statement of the rules.
//
// State is the rules; geometry.go explains how it sees the board.
package flugelrad

import (
	"math/bits"

	"ludoteca/games"
	"ludoteca/games/board"
)

// rules is what one complete set of options comes to. All states of a game share it; it never changes.
type rules struct {
	options    games.Options
	connect    int
	chain      bool
	freshWheel bool
	repetition int // 0: none
	moveLimit  int // 0: none
}

func newRules(o games.Options) *rules {
	return &rules{
		options:    o,
		connect:    o[optConnect],
		chain:      o[optChain] == 1,
		freshWheel: o[optFreshWheel] == 1,
		repetition: o[optRepetition],
		moveLimit:  o[optMoveLimit],
	}
}

// noWheel is the wheel turned last before the first turn.
const noWheel = -1

// A State is the rules: a position that plays turns and takes them back. It implements games.State. The code of a move is
// 5*wheel + steps-1, so codes sort like the texts of the moves.
type State struct {
	present
	past  []present     // before each of the turns that can be taken back
	seen  board.History // the positions up to the present one; empty if the repetition rule is off
	rules *rules
}

// present is what a turn changes.
type present struct {
	sides [2]shape
	turns int32
	last  int8 // the wheel turned last, or noWheel
	turn  games.Side
	games.Ending
}

var _ games.State = (*State)(nil)

// A shape is the balls of one side and how they are linked.
type shape struct {
	balls  grid
	groups [mostGroups]grid // the groups of two balls and more
	count  uint8            // how many there are
	links  uint8            // between two balls
	won    bool             // enough balls are linked
}

// mostGroups is how many groups of two balls and more a side can have: a power of two, as setShape needs it.
const mostGroups = ballsEach / 2

// The reasons why a game ends, by their numbers in an Ending.
const (
	byConnection uint8 = iota + 1
	byRepetition
	byMoveLimit
)

// reasons are the reason codes of the rule sheet.
var reasons = [...]string{byConnection: "connection", byRepetition: "repetition", byMoveLimit: "move_limit"}

const (
	stepsOfWheel = 5
	allTurns     = Wheels * stepsOfWheel
)

func code(wheel, steps int) games.Code       { return games.Code(wheel*stepsOfWheel + steps - 1) }
func decode(c games.Code) (wheel, steps int) { return int(c / stepsOfWheel), int(c%stepsOfWheel) + 1 }

// A stepSet is a set of turns of one wheel: bit 0 is one step.
type stepSet uint8

// A turnSet is a set of turns: each has the bit of its code.
type turnSet uint64

const (
	everyStep stepSet = 1<<stepsOfWheel - 1
	everyTurn turnSet = 1<<allTurns - 1
)

// only returns the set of one turn.
func only(c games.Code) turnSet { return 1 << c }

// first returns the first turn of a set that is not empty.
func (t turnSet) first() games.Code { return games.Code(bits.TrailingZeros64(uint64(t))) }

// of returns the turns of a wheel.
func (t turnSet) of(wheel int) stepSet { return stepSet(t>>(wheel*stepsOfWheel)) & everyStep }

// turns returns the turns of a wheel as a set of turns of all.
func (s stepSet) turns(wheel int) turnSet { return turnSet(s) << (wheel * stepsOfWheel) }

// Turn is the side to move.
func (s *State) Turn() games.Side { return s.turn }

// Result reports whether the game is over.
func (s *State) Result() games.Result { return s.ResultOf(s.turn, reasons[:]) }

// Moves appends the codes of the legal moves in the order of their texts.
func (s *State) Moves(dst []games.Code) []games.Code {
	if !s.Running() {
		return dst
	}
	for legal := s.legal(); legal != 0; legal &= legal - 1 {
		dst = append(dst, legal.first())
	}
	return dst
}

// legal returns the legal turns of a running game.
func (s *State) legal() turnSet {
	legal := s.unlocked()
	for wheel := range Wheels {
		legal &^= s.idle(wheel).turns(wheel)
	}
	return legal
}

// unlocked returns the turns of all wheels but the one that was turned just now and may therefore not be turned.
func (s *State) unlocked() turnSet {
	if s.rules.freshWheel && s.last != noWheel {
		return everyTurn &^ everyStep.turns(int(s.last))
	}
	return everyTurn
}

// idle returns the turns of a wheel that change nothing.
func (s *State) idle(wheel int) stepSet {
	shift := table.shift[wheel] & 63
	return table.still[gatherRing(s.sides[0].balls>>shift&ring)] & table.still[gatherRing(s.sides[1].balls>>shift&ring)]
}

// Play makes a legal move.
func (s *State) Play(c games.Code) {
	s.past = append(s.past, s.present)
	wheel, steps := decode(c)
	for i := range s.sides {
		side := &s.sides[i]
		if balls := table.turn(side.balls, wheel, steps); balls != side.balls {
			s.rules.setShape(side, balls)
		}
	}
	s.last = int8(wheel)
	s.turns++
	s.turn = s.turn.Other()
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

// setUp puts the balls of both sides on the board and works out the result.
func (s *State) setUp(balls [2]grid) {
	for side := range s.sides {
		s.rules.setShape(&s.sides[side], balls[side])
	}
	s.checkEnd()
}

// checkEnd works out the result after a turn, or of the first position.
func (s *State) checkEnd() {
	times := 0
	if s.rules.repetition > 0 {
		times = int(s.seen.Add(board.Key{uint64(s.sides[0].balls), uint64(s.sides[1].balls)}))
	}
	switch {
	case s.sides[s.turn.Other()].won:
		s.Reason, s.Outcome = byConnection, -1
	case s.sides[s.turn].won:
		s.Reason, s.Outcome = byConnection, 1
	case s.rules.repetition > 0 && times >= s.rules.repetition:
		s.Reason, s.Outcome = byRepetition, 0
	case s.rules.moveLimit > 0 && int(s.turns) >= s.rules.moveLimit:
		s.Reason, s.Outcome = byMoveLimit, 0
	}
}

// setShape makes s the shape of balls.
func (r *rules) setShape(s *shape, balls grid) {
	east := balls & (balls >> 1) & table.east
	southWest := balls & (balls >> 8) & table.southWest
	southEast := balls & (balls >> 9) & table.southEast
	rest := east | east<<1 | southWest | southWest<<8 | southEast | southEast<<9 // all balls with a link
	s.balls = balls
	s.links = uint8(count(east) + count(southWest) + count(southEast))
	i, most := 0, 0
	for ; rest != 0; i++ {
		group, size := rest, count(rest)
		if size > 3 { // three balls or two, none of them alone, are one group
			group = table.group(rest, rest&-rest)
			size = count(group)
		}
		rest &^= group
		s.groups[i%mostGroups] = group
		most = max(most, size)
	}
	s.count = uint8(i)
	s.won = most >= r.connect && (!r.chain || r.winning(balls, everywhere) != 0)
}

// winning returns a group of balls that wins and has one of the points of from, or 0. Where a chain is asked for it
// returns the balls of one. Balls without a link to another one are put aside first, which mostly leaves too few.
func (r *rules) winning(balls, from grid) grid {
	balls &= table.near(balls)
	if count(balls) < r.connect {
		return 0
	}
	for from &= balls; from != 0; {
		group := table.group(balls, from&-from)
		from &^= group
		if count(group) < r.connect {
			continue
		}
		if r.chain {
			group = chainIn(group, r.connect)
		}
		if group != 0 {
			return group
		}
	}
	return 0
}

func count(g grid) int { return bits.OnesCount64(uint64(g)) }

// chainIn returns a chain of n balls of a group, each linked to the next, or 0 if there is none.
func chainIn(group grid, n int) grid {
	for from := group; from != 0; from &= from - 1 {
		first := from & -from
		if chain := chainFrom(first, group&^first, n); chain != 0 {
			return chain
		}
	}
	return 0
}

// chainFrom returns a chain of n balls that begins with first and goes on with some of the rest, or 0.
func chainFrom(first, rest grid, n int) grid {
	if n == 1 {
		return first
	}
	for next := table.near(first) & rest; next != 0; next &= next - 1 {
		ball := next & -next
		if chain := chainFrom(ball, rest&^ball, n-1); chain != 0 {
			return first | chain
		}
	}
	return 0
}

// Clone returns an independent copy.
func (s *State) Clone() games.State { return s.clone() }

func (s *State) clone() *State {
	return &State{present: s.present, rules: s.rules, seen: s.seen.Newest(s.seen.Len())}
}
