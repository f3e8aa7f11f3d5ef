// Package flugelrad plays Flügelrad: a turn rotates one of seven wheels with all that is in it, and the first to have
// six balls hanging together wins. RULES.md beside this file is the exact statement of the rules.
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

// sides are the balls of both players.
type sides [2]grid

// turn returns the balls after a turn of a wheel.
func (s sides) turn(wheel, steps int) sides {
	return sides{table.turn(s[games.First], wheel, steps), table.turn(s[games.Second], wheel, steps)}
}

// noWheel is the wheel turned last before the first turn.
const noWheel = -1

// State is a mutable position that implements games.State. The code of a move is 5*wheel + steps-1, so codes sort like
// the texts of the moves.
type State struct {
	balls  sides
	last   int // the wheel turned last, or noWheel
	turns  int
	turn   games.Side
	result games.Result
	rules  *rules

	seen board.History // empty if no repetition ends the game
}

var _ games.State = (*State)(nil)

const (
	stepsOfWheel = 5
	allTurns     = Wheels * stepsOfWheel
)

func code(wheel, steps int) games.Code       { return games.Code(wheel*stepsOfWheel + steps - 1) }
func decode(c games.Code) (wheel, steps int) { return int(c / stepsOfWheel), int(c%stepsOfWheel) + 1 }

// Turn is the side to move.
func (s *State) Turn() games.Side { return s.turn }

// Result says whether the game is over.
func (s *State) Result() games.Result { return s.result }

// Moves appends the codes of the legal moves in the order of their texts.
func (s *State) Moves(dst []games.Code) []games.Code {
	if s.result.Over {
		return dst
	}
	for c := range games.Code(allTurns) {
		if wheel, steps := decode(c); !s.locked(wheel) && s.balls.turn(wheel, steps) != s.balls {
			dst = append(dst, c)
		}
	}
	return dst
}

// locked says whether a wheel was turned just now and may therefore not be turned.
func (s *State) locked(wheel int) bool { return s.rules.freshWheel && wheel == s.last }

// Play makes a legal move.
func (s *State) Play(c games.Code) {
	wheel, steps := decode(c)
	s.settle(wheel, s.balls.turn(wheel, steps))
}

// settle makes the turn of a wheel that leads to the given balls.
func (s *State) settle(wheel int, balls sides) {
	s.balls = balls
	s.last = wheel
	s.turns++
	s.turn = s.turn.Other()
	s.end(table.wheel(wheel))
}

// end works out the result after a turn, or of the first position. Only points of changed can have come to belong to a
// winning group.
func (s *State) end(changed grid) {
	mover, times := s.turn.Other(), s.remember()
	switch {
	case s.rules.winning(s.balls[mover], changed) != 0:
		s.result = games.Won(mover, connection)
	case s.rules.winning(s.balls[s.turn], changed) != 0:
		s.result = games.Won(s.turn, connection)
	case s.rules.repetition > 0 && times >= s.rules.repetition:
		s.result = games.Drawn(repetition)
	case s.rules.moveLimit > 0 && s.turns >= s.rules.moveLimit:
		s.result = games.Drawn(moveLimit)
	}
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

// remember notes the position for the repetition rule and returns how often it has come up; 0 if the rule is off.
func (s *State) remember() int {
	if s.rules.repetition == 0 {
		return 0
	}
	return int(s.seen.Add(keyIn(&s.balls)))
}

func keyIn(s *sides) board.Key { return board.Key{uint64(s[0]), uint64(s[1])} }

// Playout plays uniformly random legal moves to the end, or for limit plies if that is positive. It draws among the
// turns of all wheels that are not locked until one changes something, as nearly all do.
func (s *State) Playout(r *games.Random, limit int) (plies int) {
	for !s.result.Over && (limit <= 0 || plies < limit) {
		wheel, steps := decode(s.draw(r))
		balls := s.balls.turn(wheel, steps)
		if balls == s.balls {
			continue
		}
		s.settle(wheel, balls)
		plies++
	}
	return plies
}

// draw returns any turn of a wheel that is not locked.
func (s *State) draw(r *games.Random) games.Code {
	if s.last == noWheel || !s.rules.freshWheel {
		return games.Code(r.N(allTurns))
	}
	c := games.Code(r.N(allTurns - stepsOfWheel))
	if c >= code(s.last, 1) {
		c += stepsOfWheel
	}
	return c
}

// Set makes s a copy of from, which must be a state of a game with the same options.
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

// Position returns the present position.
func (s *State) Position() games.Position {
	p := new(Position)
	p.s.Set(s)
	return p
}
