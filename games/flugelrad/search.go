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

// A Search looks ahead from a State. It keeps a scene of each position on the way to the present one, so that to take a
// turn back is to go back to the last.
type Search struct {
	*scene         // the present one: scenes[ply]
	scenes []scene // those after the present one are old, to be used again
	ply    int
	trail  board.Trail
	rules  *rules

	turnWorth  int // the weights of the evaluation, made ready by weigh
	linkWorth  int
	rimWorth   int
	midWorth   int
	groupWorth [ballsEach + 1]int // by size
}

// A scene is what a turn changes.
type scene struct {
	sides   [2]shape
	key     uint64
	turns   int32
	last    int8
	turn    games.Side
	over    bool
	outcome int8 // for the side that would be to move: 1, 0, -1
}

var (
	_ games.Search = (*Search)(nil)
	_ games.Staged = (*Search)(nil)
)

// SearchWith returns the position for looking ahead, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{rules: s.rules, scenes: make([]scene, 1, 64)}
	n.scene = &n.scenes[0]
	n.weigh(values)
	n.last, n.turn, n.turns = int8(s.last), s.turn, int32(s.turns)
	for side, balls := range s.balls {
		n.look(&n.sides[side], balls)
	}
	n.trail.Grow(s.seen.Len() + 128)
	for i := range s.seen.Len() {
		k := s.seen.At(i)
		n.trail.Push(keyOf(sides{grid(k[0]), grid(k[1])}, s.turn^games.Side((s.seen.Len()-1-i)&1)))
	}
	n.key = keyOf(s.balls, n.turn)
	if n.trail.Len() == 0 {
		n.trail.Push(n.key)
	}
	n.over, n.outcome = s.result.Over, int8(s.result.For(n.turn))
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
	before := n.step()
	for side := range n.sides {
		from, to := &before.sides[side], &n.sides[side]
		if balls := table.turn(from.balls, wheel, steps); balls == from.balls {
			*to = *from
		} else {
			n.look(to, balls)
		}
	}
	n.last = int8(wheel)
	n.turns = before.turns + 1
	n.turn = before.turn.Other()
	n.key = keyOf(sides{n.sides[0].balls, n.sides[1].balls}, n.turn)
	n.trail.Push(n.key)
	switch r := n.rules; {
	case n.sides[before.turn].won:
		n.over, n.outcome = true, -1
	case n.sides[n.turn].won:
		n.over, n.outcome = true, 1
	default:
		n.over, n.outcome = n.repeated() || r.moveLimit > 0 && int(n.turns) >= r.moveLimit, 0 // what was there is old
	}
}

// step makes the next scene the present one, as it was left, and returns the one before.
func (n *Search) step() (before *scene) {
	n.ply++
	if n.ply == len(n.scenes) {
		n.scenes = append(n.scenes, scene{})
	}
	n.scene = &n.scenes[n.ply]
	return &n.scenes[n.ply-1]
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
	n.ply--
	n.scene = &n.scenes[n.ply]
}

// Moves appends all legal turns. Those that link more are to be tried first.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked {
	if n.over {
		return dst
	}
	own, enemy, free := &n.sides[n.turn], &n.sides[n.turn.Other()], n.free()
	wins, losses := n.rules.wins(own, free), n.rules.wins(enemy, free)
	for wheel := range Wheels {
		lanes, rest := linksAfter(own, enemy, wheel)
		of := free.of(wheel) &^ same(own, enemy, wheel)
		for c := code(wheel, 1); of != 0; c++ {
			if of&1 != 0 {
				rank := int32(linkRank * (rest + laneOf(lanes)))
				if wins&only(c) != 0 {
					rank = winRank
				} else if losses&only(c) != 0 {
					rank = loseRank
				}
				dst = append(dst, games.Ranked{Code: c, Rank: rank})
			}
			lanes >>= linkBits
			of >>= 1
		}
	}
	return dst
}

// free returns the turns of all wheels but the one that was turned just now and may therefore not be turned.
func (n *Search) free() turnSet {
	if n.rules.freshWheel && n.last != noWheel {
		return everyOne &^ allSteps.turns(int(n.last))
	}
	return everyOne
}

// Best returns the turn of the highest rank if that is at least least, which must be above 0.
func (n *Search) Best(least int32) (c games.Code, ok bool) {
	own, enemy, free := &n.sides[n.turn], &n.sides[n.turn.Other()], n.free()
	if c, ok = n.rules.firstWin(own, free); ok {
		return c, true
	}
	enough := (int(least) + linkRank - 1) / linkRank
	c, ok = mostLinks(own, enemy, free, enough)
	if ok && n.rules.makes(enemy, c) {
		c, ok = mostLinks(own, enemy, free&^n.rules.wins(enemy, free), enough)
	}
	return c, ok
}

// Legal reports whether c is the code of a legal turn here.
func (n *Search) Legal(c games.Code) bool {
	if c >= allTurns || n.free()&only(c) == 0 {
		return false
	}
	wheel, _ := decode(c)
	return same(&n.sides[n.turn], &n.sides[n.turn.Other()], wheel).turns(wheel)&only(c) == 0
}

// Forced returns false: there is never only one legal turn.
func (n *Search) Forced() bool { return false }

// mostLinks returns the first of some turns after which a side has more links than his enemy than after any other, if they
// are enough.
func mostLinks(own, enemy *shape, turns turnSet, enough int) (most games.Code, ok bool) {
	for wheel := range Wheels {
		lanes, rest := linksAfter(own, enemy, wheel)
		if !anyFrom(lanes, min(max(enough-rest, 0), manyLinks)) {
			continue
		}
		of := turns.of(wheel) &^ same(own, enemy, wheel)
		for c := code(wheel, 1); of != 0; c++ {
			if links := rest + laneOf(lanes); of&1 != 0 && links >= enough {
				most, ok, enough = c, true, links+1
			}
			lanes >>= linkBits
			of >>= 1
		}
	}
	return most, ok
}

// Noisy appends the first turn that wins.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	if n.over {
		return dst, false
	}
	if c, ok := n.rules.firstWin(&n.sides[n.turn], n.free()); ok {
		return append(dst, games.Ranked{Code: c, Rank: winRank}), true
	}
	return dst, false
}
