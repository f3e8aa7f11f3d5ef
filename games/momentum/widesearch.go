package momentum

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
)

// A wideSearch is a wideState to search. It ranks and evaluates as a Search does by hand.
type wideSearch struct {
	wideState
	codes  []games.Code // of the moves of one position; kept for its memory
	pushed pushedOff

	weights [weightCount]int
}

var (
	_ games.Tunable = (*wideState)(nil)
	_ games.Search  = (*wideSearch)(nil)
)

// Weights returns the weights of the evaluation.
func (s *wideState) Weights() []games.Weight { return slices.Clone(ownWeights[:]) }

// Search returns the position to search.
func (s *wideState) Search() games.Search { return s.SearchWith(games.ValuesOf(ownWeights[:])) }

// SearchWith returns the position to search, with an evaluation of the given weights.
func (s *wideState) SearchWith(values []int) games.Search {
	n := &wideSearch{wideState: *s.clone()}
	n.past = make([]wideMove, 0, Limit)
	copy(n.weights[:], values)
	return n
}

// Pass gives the turn away as Search.Pass does.
func (n *wideSearch) Pass() bool {
	if !n.canPass(n.rules.each) {
		return false
	}
	n.past = append(n.past, wideMove{before: n.wide, shifted: len(n.shifted)})
	n.ply++
	n.turn = n.turn.Other()
	return true
}

// Moves appends all legal moves.
func (n *wideSearch) Moves(dst []games.Ranked) []games.Ranked {
	n.codes = n.wideState.Moves(n.codes[:0])
	n.countPushes()
	for _, c := range n.codes {
		m := games.Ranked{Code: c, Rank: swapRank}
		if c != games.Code(swap) {
			m.Rank = n.pushed.rank(spot(c))
		}
		dst = append(dst, m)
	}
	return dst
}

// Noisy appends the drops that push an enemy marble off, or win. They are all there are if the enemy has one left.
func (n *wideSearch) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	if !n.Running() {
		return dst, false
	}
	n.codes = n.appendForced(n.codes[:0])
	if len(n.codes) == 0 {
		return dst, false
	}
	must = n.enemyHasOneLeft(n.rules.each)
	n.countPushes()
	for _, c := range n.codes {
		if rank := n.pushed.rank(spot(c)); rank > 0 || must {
			dst = append(dst, games.Ranked{Code: c, Rank: rank})
		}
	}
	return dst, must
}

// pushedOff is how many marbles of the mover and of the enemy a drop would push off, by spot.
type pushedOff struct {
	lost, gained [spots]uint8
	wins         bool // a drop wins that loses nothing
}

func (p *pushedOff) rank(at spot) int32 {
	if p.wins && p.lost[at] == 0 {
		return winRank
	}
	return gainRank*int32(p.gained[at]) - loseRank*int32(p.lost[at])
}

// countPushes goes from each marble on the rim along each line that leads inward: the drop beyond the line pushes it off.
func (n *wideSearch) countPushes() {
	n.pushed = pushedOff{wins: n.placed[n.turn] == n.rules.each-1}
	mine := marbleOf(n.turn)
	for i := range n.rules.rim {
		from := &n.rules.rim[i]
		c := n.contents[from.at]
		if c&marble == 0 {
			continue
		}
		count := &n.pushed.gained
		if c == mine {
			count = &n.pushed.lost
		}
		for _, step := range from.inward {
			if _, beyond := n.line(from.at, step); n.contents[beyond] == empty {
				count[beyond]++
			}
		}
	}
}

// Evaluate says what the position is worth to the side to move.
func (n *wideSearch) Evaluate() int {
	w := &n.weights
	me, enemy, near := n.turn, n.turn.Other(), n.rules.each-1
	v := w[turnWeight] + n.worth(me) - n.worth(enemy)
	switch {
	case n.placed[enemy] == near && n.pushesOff():
		// It must be done.
	case n.placed[enemy] == near && n.placed[me] != near:
		v += w[noAnswerWeight]
	case max(n.placed[0], n.placed[1]) == near:
		v += w[oneLeftWeight]
	}
	return games.Clamp(v)
}

// pushesOff reports whether a drop pushes an enemy marble off.
func (n *wideSearch) pushesOff() bool {
	n.codes = n.appendForced(n.codes[:0])
	return len(n.codes) > 0
}

// worth is what the marbles of a side count.
func (n *wideSearch) worth(side games.Side) int {
	v := n.weights[marbleWeight] * n.placed[side]
	for ring := range rings {
		v += n.weights[ringWeights+ring] * int(n.ringed[side][ring])
	}
	return v
}

// Key hashes the marbles, the turn, and near its end the number of moves.
func (n *wideSearch) Key() uint64 { return n.hash ^ board.Mix(n.key()) }
