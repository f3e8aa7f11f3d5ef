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

// A Search is a State to search: it ranks moves and evaluates positions.
type Search struct {
	State

	tables games.Tables // of the learned evaluation; nil for the one by weights

	turnWorth  int // the weights of the evaluation, set by setWeights
	linkWorth  int
	rimWorth   int
	midWorth   int
	groupWorth [ballsEach + 1]int // by size
}

var (
	_ games.Search    = (*Search)(nil)
	_ games.Staged    = (*Search)(nil)
	_ games.Learner   = (*Search)(nil)
	_ games.Learnable = (*State)(nil)
)

// SearchWith returns the position to search, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{State: *s.clone()}
	n.past = make([]present, 0, 128)
	n.setWeights(values)
	return n
}

// SearchLearned returns the position to search, with an evaluation by tables.
func (s *State) SearchLearned(t games.Tables) games.Learner {
	n := &Search{State: *s.clone(), tables: t[:entries:entries]}
	n.past = make([]present, 0, 128)
	return n
}

// Key is a hash of the balls, the turn and the wheel that is locked, and of the number of turns where the limit is near.
func (n *Search) Key() uint64 {
	k := board.Mix(board.Mix(uint64(n.sides[0].balls)^(uint64(n.turn)+1)*0x9e3779b97f4a7c15) ^ uint64(n.sides[1].balls))
	if n.rules.freshWheel {
		k ^= uint64(n.last+2) * 0xd6e8feb86659fd93
	}
	if limit := int32(n.rules.moveLimit); limit > 0 && n.turns > limit-lastTurns {
		k ^= board.Mix(uint64(n.turns))
	}
	return k
}

// lastTurns is how many turns before the limit it begins to matter.
const lastTurns = 24

// Pass does nothing: a turn may well be a burden.
func (n *Search) Pass() bool { return false }

// Moves appends all legal turns. Turns that link more have a higher rank.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked {
	if !n.Running() {
		return dst
	}
	own, enemy, unlocked := &n.sides[n.turn], &n.sides[n.turn.Other()], n.unlocked()
	wins, losses := n.rules.wins(own, unlocked), n.rules.wins(enemy, unlocked)
	for wheel := range Wheels {
		lanes, rest := linksAfter(own, enemy, wheel)
		of := unlocked.of(wheel) &^ n.idle(wheel)
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

// Best returns the turn of the highest rank if that is at least least, which must be above 0.
func (n *Search) Best(least int32) (c games.Code, ok bool) {
	own, enemy, unlocked := &n.sides[n.turn], &n.sides[n.turn.Other()], n.unlocked()
	if c, ok = n.rules.firstWin(own, unlocked); ok {
		return c, true
	}
	enough := (int(least) + linkRank - 1) / linkRank
	c, ok = n.mostLinks(unlocked, enough)
	if ok && n.rules.makes(enemy, c) {
		c, ok = n.mostLinks(unlocked&^n.rules.wins(enemy, unlocked), enough)
	}
	return c, ok
}

// Legal reports whether c is the code of a legal turn here.
func (n *Search) Legal(c games.Code) bool {
	if c >= allTurns || n.unlocked()&only(c) == 0 {
		return false
	}
	wheel, _ := decode(c)
	return n.idle(wheel).turns(wheel)&only(c) == 0
}

// Forced returns false: there is never only one legal turn.
func (n *Search) Forced() bool { return false }

// mostLinks returns the first of some turns after which the side to move has more links than its enemy than after any other,
// if they are enough.
func (n *Search) mostLinks(turns turnSet, enough int) (most games.Code, ok bool) {
	own, enemy := &n.sides[n.turn], &n.sides[n.turn.Other()]
	for wheel := range Wheels {
		lanes, rest := linksAfter(own, enemy, wheel)
		if !anyFrom(lanes, min(max(enough-rest, 0), manyLinks)) {
			continue
		}
		of := turns.of(wheel) &^ n.idle(wheel)
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
	if !n.Running() {
		return dst, false
	}
	if c, ok := n.rules.firstWin(&n.sides[n.turn], n.unlocked()); ok {
		return append(dst, games.Ranked{Code: c, Rank: winRank}), true
	}
	return dst, false
}
