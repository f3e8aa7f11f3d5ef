package tanks

import (
	"ludoteca/games"
	"ludoteca/games/board"
)

// The ranks of moves.
const (
	winRank     = 90_000
	captureRank = 1_000
	advanceRank = 500 // to within two rows of the far row
	exchange    = 60  // how much less than one's own tank one taken for it has to be worth for a bad exchange
	hangRank    = -60 // onto a cell where the enemy can capture
)

// A Search is a State to search: it ranks moves and evaluates positions.
type Search struct {
	State
	score  score
	scores []score // before each of the moves that can be taken back

	worths [2][Medium + 1][boardCells]int32 // by side, kind and cell
	kinds  [Medium + 1]int32                // what a tank counts for its kind alone
	before [2]int                           // by side: the row before the far row

	turnValue, runnerValue int
}

// A score is what the tanks on the board add up to.
type score struct {
	worths  [2]int32 // by side
	runners [2]int32 // tanks in the row before the far row
	hash    uint64
}

var _ games.Search = (*Search)(nil)

// SearchWith returns the position to search, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{State: *s.clone(), scores: make([]score, 0, 128)}
	n.past = make([]played, 0, cap(n.scores))
	n.before = [2]int{int(n.size) - 2, 1}
	n.weigh(values)
	for side := range n.armies {
		for _, t := range n.armies[side].list() {
			n.count(games.Side(side), t, 1)
		}
	}
	return n
}

// count adds a tank to the score, or takes it out if by is -1.
func (n *Search) count(side games.Side, t tank, by int32) {
	side &= 1
	n.score.worths[side] += by * n.worths[side][t.kind()][t.cell()]
	if t.cell().row() == n.before[side] {
		n.score.runners[side] += by
	}
	n.score.hash ^= keyOf(side, t)
}

// keyOf is the part of a tank in the hash of a position.
func keyOf(side games.Side, t tank) uint64 {
	return board.Mix((uint64(t)<<1 | uint64(side)) * 0x9e3779b97f4a7c15)
}

// Key hashes the tanks and the turn.
func (n *Search) Key() uint64 { return n.score.hash ^ uint64(n.turn)*0xd6e8feb86659fd93 }

// Play makes a legal move.
func (n *Search) Play(c games.Code) {
	n.scores = append(n.scores, n.score)
	from, to := cells(c)
	t := n.armies[n.turn&1].tanks[n.board[from].number()]
	n.count(n.turn, t, -1)
	n.count(n.turn, t.to(to), 1)
	if victim := n.board[to]; victim != empty {
		n.count(n.turn.Other(), n.armies[n.turn.Other()&1].tanks[victim.number()], -1)
	}
	n.State.Play(c)
}

// Undo takes the last move or pass back.
func (n *Search) Undo() {
	n.State.Undo()
	last := len(n.scores) - 1
	n.score = n.scores[last]
	n.scores = n.scores[:last]
}

// Pass gives the turn away while both sides have moves to spare. Where few tanks are left it does nothing: there having
// to move may be what loses.
func (n *Search) Pass() bool {
	if !n.Running() || min(n.armies[0].count, n.armies[1].count) < manyTanks {
		return false
	}
	n.scores = append(n.scores, n.score)
	n.past = append(n.past, played{})
	n.turn = n.turn.Other()
	return true
}

const manyTanks = 5

// Moves appends all legal moves, tank by tank.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked { return n.generate(dst, false) }

// Noisy appends the captures that seem good, and the moves to the far row.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	return n.generate(dst, true), false
}

// generate appends the legal moves, or the noisy ones of them.
func (n *Search) generate(dst []games.Ranked, noisy bool) []games.Ranked {
	if !n.Running() {
		return dst
	}
	d, farRow := &directions[n.turn&1], n.far(n.turn)
	for _, t := range n.armies[n.turn&1].list() {
		for far := uint(0); far <= 1 && (far == 0 || t.kind() != Medium); far++ {
			for way := range uint(3) {
				to, ok := d.target(&n.board, t, far, way)
				if !ok || noisy && n.board[to] == empty && to.row() != farRow {
					continue
				}
				if rank := n.rank(t, to); !noisy || rank >= 0 {
					dst = append(dst, games.Ranked{Code: code(t.cell(), to), Rank: rank})
				}
			}
		}
	}
	return dst
}

// rank guesses how good a move of a tank is.
func (n *Search) rank(t tank, to cell) int32 {
	mover, enemy := n.turn&1, n.turn.Other()&1
	left := n.far(mover) - to.row()
	left = max(left, -left)
	if left == 0 {
		return winRank
	}
	if what := n.board[to]; what != empty {
		victim := n.armies[enemy].tanks[what.number()]
		gain, loss := n.worths[enemy][victim.kind()][to], n.worths[mover][t.kind()][to]
		if left > 2 && gain+exchange < loss && n.hit(enemy, to) {
			return hangRank // it is taken back, and the exchange is a bad one
		}
		return captureRank + 10*gain - n.kinds[t.kind()]
	}
	if n.hit(enemy, to) {
		return hangRank
	}
	if left <= 2 {
		return advanceRank
	}
	return 0
}

// hit reports whether a tank of a side can capture on a cell.
func (n *Search) hit(side games.Side, c cell) bool {
	side &= 1
	back, class := directions[side].forward, tankOf(side).class()
	for far := range uint(2) {
		for way := range uint(3) {
			from := (c - cell((back+way-1)<<far)) % boardCells
			if what := n.board[from]; what.class() == class {
				kind := n.armies[side].tanks[what.number()].kind()
				if reach[kind][far][way]&foe != 0 {
					return true
				}
			}
		}
	}
	return false
}
