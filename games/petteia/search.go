package petteia

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
)

// A Search looks ahead from a State. Each move makes a new scene, and to take it back is to return to the one before.
type Search struct {
	*scene // the present one, the last of scenes
	scenes []scene
	trail  board.Trail // since the last capture before the root
	rules  *settings

	weights [weightCount]int
}

// A scene is what a move changes, and what is known about a position.
type scene struct {
	men     [2]set
	taken   [2]int16
	quiet   int32
	key     uint64
	turn    games.Side
	over    bool
	outcome int8 // for the side that would be to move: 1, 0, -1
	sight   sight
}

var _ games.Search = (*Search)(nil)

// SearchWith returns the position for looking ahead, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{rules: s.rules, scenes: make([]scene, 0, 128)}
	n.push()
	n.men, n.turn, n.quiet = s.men, s.turn, int32(s.quiet)
	n.taken = [2]int16{int16(s.taken[0]), int16(s.taken[1])}
	n.trail.Grow(s.seen.Len() + 128)
	for i := range s.seen.Len() {
		n.trail.Push(keyOf(menOf(s.seen.At(i)), s.turn^games.Side((s.seen.Len()-1-i)&1)))
	}
	copy(n.weights[:], values)
	n.key = keyOf(n.men, n.turn)
	if n.trail.Len() == 0 {
		n.trail.Push(n.key)
	}
	n.over, n.outcome = s.result.Over, int8(s.result.For(n.turn))
	return n
}

// keyOf hashes the men and the turn.
func keyOf(men [2]set, turn games.Side) uint64 {
	k := mix(men[0].lo ^ (uint64(turn)+1)*0x9e3779b97f4a7c15)
	k = mix(k ^ men[1].lo)
	return mix(k ^ uint64(men[0].hi)<<32 ^ uint64(men[1].hi))
}

// mix spreads the bits of a number over all of it.
func mix(k uint64) uint64 {
	k ^= k >> 32
	k *= 0xbf58476d1ce4e5b9
	k ^= k >> 29
	k *= 0x94d049bb133111eb
	return k
}

// Game is the ID of the game.
func (n *Search) Game() string { return about.ID }

// Turn is the side to move.
func (n *Search) Turn() games.Side { return n.turn }

// Over says whether the game is over, and how for the side that would be to move.
func (n *Search) Over() (over bool, outcome int) { return n.over, int(n.outcome) }

// Key is a hash of the men and the turn, and of the quiet turns where the limit is near.
func (n *Search) Key() uint64 {
	k := n.key ^ uint64(n.taken[0])<<8 ^ uint64(n.taken[1])
	if limit := n.rules.quietLimit; limit > 0 && int(n.quiet) > limit-quietPlies {
		k ^= mix(uint64(n.quiet))
	}
	return k
}

// quietPlies is how many quiet turns before the limit it begins to matter.
const quietPlies = 24

// Pass gives the turn away.
func (n *Search) Pass() bool {
	if n.over || n.rules.quietLimit > 0 && int(n.quiet) >= n.rules.quietLimit-1 {
		return false
	}
	now := n.scene
	next := n.push()
	next.men, next.taken, next.quiet, next.turn = now.men, now.taken, now.quiet+1, now.turn.Other()
	next.key = keyOf(next.men, next.turn)
	n.trail.Push(next.key)
	return true
}

// push makes a new scene the present one. Nothing in it means anything yet, but the game is running and nobody has looked.
func (n *Search) push() *scene {
	last := len(n.scenes)
	if last == cap(n.scenes) {
		n.scenes = slices.Grow(n.scenes, 1)
	}
	n.scenes = n.scenes[:last+1]
	n.scene = &n.scenes[last]
	n.over, n.outcome, n.sight.known = false, 0, false
	return n.scene
}

// Undo takes the last move or pass back.
func (n *Search) Undo() {
	n.trail.Pop()
	n.scenes = n.scenes[:len(n.scenes)-1]
	n.scene = &n.scenes[len(n.scenes)-1]
}

// Play makes a legal move, as State.move does.
func (n *Search) Play(c games.Code) {
	now := n.scene
	next := n.push()
	mover, enemy := now.turn, now.turn.Other()
	next.men, next.taken, next.quiet, next.turn = now.men, now.taken, now.quiet+1, enemy
	st := &steps[c]
	own, theirs := now.men[mover].without(only(st.from)).with(only(st.to)), now.men[enemy]
	next.men[mover] = own
	if around := &places[st.to]; theirs.meets(around.adjacent) {
		if prey := caught(st.to, own, theirs); prey != (set{}) {
			next.remove(enemy, prey)
		}
		if !n.rules.safeEntry && flanked(st.to, next.men[enemy]) {
			next.remove(mover, only(st.to))
		}
	}
	next.key = keyOf(next.men, enemy)
	n.trail.Push(next.key)
	n.settle()
}

// remove takes captured men off the board.
func (s *scene) remove(side games.Side, prey set) {
	s.men[side] = s.men[side].without(prey)
	s.taken[side.Other()] += int16(prey.len())
	s.quiet = 0
}

// settle checks the end of the game, in the order of State.settle.
func (n *Search) settle() {
	mover, next, toWin := n.turn.Other(), n.turn, int16(n.rules.toWin)
	switch {
	case n.taken[mover] >= toWin:
		n.over, n.outcome = true, -1
	case n.taken[next] >= toWin:
		n.over, n.outcome = true, 1
	case !n.canMove():
		n.over, n.outcome = true, sign(n.taken[next]-n.taken[mover])
	case n.quiet >= 4 && n.repeated(),
		n.rules.quietLimit > 0 && int(n.quiet) >= n.rules.quietLimit:
		n.over, n.outcome = true, 0
	}
}

func sign(v int16) int8 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// canMove says whether the side to move has a man with an empty cell beside him.
func (n *Search) canMove() bool {
	occupied := n.men[0].with(n.men[1])
	return !spread(n.men[n.turn]).within(occupied)
}

// repeated says whether the present position has come up as often as makes a draw. With another number of men it can't
// have been there.
func (n *Search) repeated() bool {
	enough := n.rules.repetition
	return enough > 0 && n.trail.Times(n.key, enough) >= enough
}
