package flugelrad

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

// winRank is the rank of a turn that wins, loseRank of one that makes the enemy win.
const (
	winRank  = 90_000
	loseRank = -90_000
	linkRank = 20 // for each link that a turn makes for one side or breaks for the other
)

// A Search looks ahead from a State. Copies of the past are how it takes turns back.
type Search struct {
	scene
	past  []scene
	trail board.Trail
	rules *rules
	rim   grid

	weights [weightCount]int
}

// A scene is what a turn changes.
type scene struct {
	balls   sides
	key     uint64
	turns   int32
	last    int8
	turn    games.Side
	over    bool
	outcome int8 // for the side that would be to move: 1, 0, -1
}

var _ games.Search = (*Search)(nil)

// SearchWith returns the position for looking ahead, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{rules: s.rules, past: make([]scene, 0, 128)}
	copy(n.weights[:], values)
	n.balls, n.last, n.turn, n.turns = s.balls, int8(s.last), s.turn, int32(s.turns)
	n.trail.Grow(s.seen.Len() + 128)
	for i := range s.seen.Len() {
		k := s.seen.At(i)
		n.trail.Push(keyOf(sides{grid(k[0]), grid(k[1])}, s.turn^games.Side((s.seen.Len()-1-i)&1)))
	}
	n.key = keyOf(n.balls, n.turn)
	if n.trail.Len() == 0 {
		n.trail.Push(n.key)
	}
	n.over, n.outcome = s.result.Over, int8(s.result.For(n.turn))
	inner := grid(0)
	for w := range Wheels {
		for v := range w {
			inner |= table.wheel(w) & table.wheel(v)
		}
		n.rim |= table.wheel(w)
	}
	n.rim &^= inner
	return n
}

// keyOf hashes the balls and the turn.
func keyOf(balls sides, turn games.Side) uint64 {
	return mix(mix(uint64(balls[0])^(uint64(turn)+1)*0x9e3779b97f4a7c15) ^ uint64(balls[1]))
}

// mix spreads the bits of a number over all of it.
func mix(k uint64) uint64 {
	k ^= k >> 32
	k *= 0xbf58476d1ce4e5b9
	k ^= k >> 29
	k *= 0x94d049bb133111eb
	return k ^ k>>32
}

// Game is the ID of the game.
func (n *Search) Game() string { return about.ID }

// Turn is the side to move.
func (n *Search) Turn() games.Side { return n.turn }

// Over says whether the game is over, and how for the side that would be to move.
func (n *Search) Over() (over bool, outcome int) { return n.over, int(n.outcome) }

// Key is a hash of the balls, the turn and the wheel that is locked, and of the number of turns where the limit is near.
func (n *Search) Key() uint64 {
	k := n.key
	if n.rules.freshWheel {
		k ^= uint64(n.last+2) * 0xd6e8feb86659fd93
	}
	if limit := int32(n.rules.moveLimit); limit > 0 && n.turns > limit-lastTurns {
		k ^= mix(uint64(n.turns))
	}
	return k
}

// lastTurns is how many turns before the limit it begins to matter.
const lastTurns = 24

// Play makes a legal turn, as State.settle does.
func (n *Search) Play(c games.Code) {
	wheel, steps := decode(c)
	n.past = append(n.past, n.scene)
	n.balls = n.balls.turn(wheel, steps)
	n.last = int8(wheel)
	n.turns++
	n.turn = n.turn.Other()
	n.key = keyOf(n.balls, n.turn)
	n.trail.Push(n.key)
	changed := table.wheel(wheel)
	switch r := n.rules; {
	case r.winning(n.balls[n.turn.Other()], changed) != 0:
		n.over, n.outcome = true, -1
	case r.winning(n.balls[n.turn], changed) != 0:
		n.over, n.outcome = true, 1
	case n.repeated(), r.moveLimit > 0 && int(n.turns) >= r.moveLimit:
		n.over, n.outcome = true, 0
	}
}

// repeated says whether the present position has come up as often as makes a draw.
func (n *Search) repeated() bool {
	enough := n.rules.repetition
	return enough > 0 && n.trail.Times(n.key, enough) >= enough
}

// Pass does nothing: a turn may well be a burden.
func (n *Search) Pass() bool { return false }

// Undo takes the last turn back.
func (n *Search) Undo() {
	n.trail.Pop()
	last := len(n.past) - 1
	n.scene = n.past[last]
	n.past = n.past[:last]
}

// Moves appends all legal turns. Those that link more are to be tried first.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked {
	if n.over {
		return dst
	}
	for wheel := range Wheels {
		if n.locked(wheel) {
			continue
		}
		changed := table.wheel(wheel)
		may := [2]bool{n.rules.mayWin(n.balls[0], changed), n.rules.mayWin(n.balls[1], changed)}
		for steps := 1; steps <= stepsOfWheel; steps++ {
			if balls := n.balls.turn(wheel, steps); balls != n.balls {
				dst = append(dst, games.Ranked{Code: code(wheel, steps), Rank: n.rank(balls, changed, may)})
			}
		}
	}
	return dst
}

// locked says whether a wheel was turned just now and may therefore not be turned.
func (n *Search) locked(wheel int) bool { return n.rules.freshWheel && wheel == int(n.last) }

// mayWin says whether a turn of a wheel can make a winning group of balls; where it says no, none of its turns does. It
// counts the balls that would hang together if all holes of the wheel were full.
func (r *rules) mayWin(balls, wheel grid) bool {
	inside, outside := count(balls&wheel), balls&^wheel
	if inside == 0 {
		return false // nothing of this side moves
	}
	for hang := wheel; ; {
		grown := hang | table.near(hang)&outside
		switch {
		case count(grown&outside)+inside >= r.connect:
			return true
		case grown == hang:
			return false
		}
		hang = grown
	}
}

// rank says what a turn leads to; may says for which sides it may win.
func (n *Search) rank(balls sides, changed grid, may [2]bool) int32 {
	own, enemy := n.turn, n.turn.Other()
	switch {
	case may[own] && n.rules.winning(balls[own], changed) != 0:
		return winRank
	case may[enemy] && n.rules.winning(balls[enemy], changed) != 0:
		return loseRank
	}
	return int32(linkRank * (links(balls[own]) - links(balls[enemy])))
}

// Noisy appends the turns that win.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	if n.over {
		return dst, false
	}
	own := n.balls[n.turn]
	for wheel := range Wheels {
		changed := table.wheel(wheel)
		if n.locked(wheel) || !n.rules.mayWin(own, changed) {
			continue
		}
		for steps := 1; steps <= stepsOfWheel; steps++ {
			// A turn that wins changes something, or the game would be over.
			if n.rules.winning(table.turn(own, wheel, steps), changed) != 0 {
				return append(dst, games.Ranked{Code: code(wheel, steps), Rank: winRank}), true
			}
		}
	}
	return dst, false
}

// links returns the number of links between balls.
func links(balls grid) int {
	return count(balls&table.east&(balls>>1)) + count(balls&table.southWest&(balls>>8)) +
		count(balls&table.southEast&(balls>>9))
}
