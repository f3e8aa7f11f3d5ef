package momentum

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

// The ranks of moves.
const (
	winRank  = 90_000
	swapRank = 200
	gainRank = 300 // for each enemy marble pushed off
	loseRank = 250 // for each of one's own
)

// A Search is a State to search: it ranks moves and evaluates positions.
type Search struct {
	State
	codes []games.Code // of the moves of one position; kept for its memory
	rings [rings]set

	weights [weightCount]int
	tables  games.Tables // nil where the evaluation by hand stands alone
}

var _ games.Search = (*Search)(nil)

// SearchWith returns the position to search, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{State: *s.clone()}
	n.past = make([]present, 0, Limit)
	copy(n.weights[:], values)
	for _, at := range s.rules.squares {
		last := s.rules.size - 1
		ring := min(at.col(), at.row(), last-at.col(), last-at.row())
		if ring < len(n.rings) {
			n.rings[ring].add(at, 1)
		}
	}
	return n
}

// Pass gives the turn away, unless a side has one marble left: then all depends on whose turn it is.
func (n *Search) Pass() bool {
	if !n.canPass(n.rules.each) {
		return false
	}
	n.past = append(n.past, n.present)
	n.ply++
	n.turn = n.turn.Other()
	return true
}

func (s *standing) canPass(each int) bool {
	return s.Running() && s.ply < Limit-1 && max(s.placed[0], s.placed[1]) < each-1 && !s.canSwap()
}

// Moves appends all legal moves.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked {
	n.codes = n.State.Moves(n.codes[:0])
	pushes := n.countPushes()
	for _, c := range n.codes {
		m := games.Ranked{Code: c, Rank: swapRank}
		if square(c) != swap {
			m.Rank = pushes.rank(square(c))
		}
		dst = append(dst, m)
	}
	return dst
}

// Noisy appends the drops that push an enemy marble off, or win. They are all there are if the enemy has one left.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	if !n.Running() {
		return dst, false
	}
	drops := n.forced()
	if drops.n == 0 {
		return dst, false
	}
	must = n.enemyHasOneLeft(n.rules.each)
	pushes := n.countPushes()
	for _, at := range drops.squares[:drops.n] {
		if rank := pushes.rank(at); rank > 0 || must {
			dst = append(dst, games.Ranked{Code: games.Code(at), Rank: rank})
		}
	}
	return dst, must
}

// A pushCount is how many marbles drops would push off, by square.
type pushCount struct {
	lost, gained [256]uint8
	wins         bool // a drop wins that loses nothing
}

func (p *pushCount) rank(at square) int32 {
	if p.wins && p.lost[at] == 0 {
		return winRank
	}
	return gainRank*int32(p.gained[at]) - loseRank*int32(p.lost[at])
}

// countPushes goes from each marble on the rim along each line that leads inward: the drop beyond the line pushes it off.
func (n *Search) countPushes() (p pushCount) {
	p.wins = n.placed[n.turn] == n.rules.each-1
	for _, at := range n.rules.squares {
		if !n.rules.rim.has(at) || !n.held.has(at) {
			continue
		}
		count := &p.gained
		if n.owner(at) == n.turn {
			count = &p.lost
		}
		for _, d := range n.rules.inward[at] {
			if _, beyond := n.line(at, d); n.rules.board.has(beyond) {
				count[beyond]++
			}
		}
	}
	return p
}

// Key hashes the marbles, the turn, and near its end the number of moves.
func (n *Search) Key() uint64 {
	k := n.key()
	for i := range n.held {
		k = board.Mix(k ^ n.held[i])
		k = board.Mix(k ^ n.second[i] + 0x632be59bd9b4e019)
	}
	return k
}

// key stands for whose turn it is and, where it matters, how many moves were made.
func (s *standing) key() uint64 {
	k := uint64(s.turn) + 1
	if s.ply <= 1 || s.ply >= Limit-lastPlies {
		k += uint64(s.ply) << 8
	}
	return k
}

// lastPlies is how many moves before the limit it begins to matter.
const lastPlies = 24
