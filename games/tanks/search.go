package tanks

import (
	"math/bits"

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
	forces [2]force                         // by side
	inside uint32                           // the columns of the board

	turnValue, runnerValue int

	tables games.Tables // of the learned evaluation; nil for the one by hand
	views  [2]view      // of the sides, if there are tables
}

// A score is what the tanks on the board add up to.
type score struct {
	worths  [2]int32 // by side
	runners [2]int32 // tanks in the row before the far row
	hash    uint64
}

var _ games.Search = (*Search)(nil)

// SearchWith returns the position to search, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search { return s.search(values, nil) }

func (s *State) search(values []int, t games.Tables) *Search {
	n := &Search{State: *s.clone(), scores: make([]score, 0, 128), tables: t}
	n.past = make([]played, 0, cap(n.scores))
	n.before = [2]int{int(n.size) - 2, 1}
	n.inside = (1<<n.size - 1) << uint(at(0, 0)%stride)
	n.setWeights(values)
	for side := range n.armies {
		for _, t := range n.armies[side].list() {
			n.count(games.Side(side), t, 1)
			n.toggle(games.Side(side), t)
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
	mover, enemy := n.turn&1, n.turn.Other()&1
	t := n.armies[mover].tanks[n.board[from].number()]
	n.count(mover, t, -1)
	n.count(mover, t.to(to), 1)
	n.toggle(mover, t)
	n.toggle(mover, t.to(to))
	if what := n.board[to]; what != empty {
		victim := n.armies[enemy].tanks[what.number()]
		n.count(enemy, victim, -1)
		n.toggle(enemy, victim)
	}
	n.State.Play(c)
}

// Undo takes the last move or pass back.
func (n *Search) Undo() {
	if move := n.past[len(n.past)-1]; move != (played{}) {
		from, to := cells(move.code)
		mover, enemy := n.turn.Other()&1, n.turn&1
		t := n.armies[mover].tanks[n.board[to].number()]
		n.toggle(mover, t)
		n.toggle(mover, t.to(from))
		if move.number != none {
			n.toggle(enemy, move.victim)
		}
	}
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
	own, foes := &n.forces[n.turn&1].all, &n.forces[n.turn.Other()&1].all
	forward, farRow := cell(directions[n.turn&1].forward), n.far(n.turn)
	for _, t := range n.armies[n.turn&1].list() {
		takes := &captureColumns[t.kind()%(Medium+1)]
		front := t.cell() + forward
		row, col := front/stride%rowWords, front%stride
		near, far := (col-1)%32, (col-2)%32
		to := foes[row] >> near & takes[0]
		if !noisy || front.row() == farRow {
			to |= (n.inside &^ foes[row] &^ own[row]) >> near & threeColumns
		}
		if to != 0 {
			dst = n.appendMoves(dst, t, front-1, to, noisy)
		}
		front += forward
		if to = foes[front/stride%rowWords] >> far & takes[1]; to != 0 {
			dst = n.appendMoves(dst, t, front-2, to, noisy)
		}
	}
	return dst
}

// appendMoves appends the moves of a tank to a set of cells, counted from the first; only the noisy ones if it is asked to.
func (n *Search) appendMoves(dst []games.Ranked, t tank, first cell, to uint32, noisy bool) []games.Ranked {
	for ; to != 0; to &= to - 1 {
		c := first + cell(bits.TrailingZeros32(to))
		if rank := n.rank(t, c); !noisy || rank >= 0 {
			dst = append(dst, games.Ranked{Code: code(t.cell(), c), Rank: rank})
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
	f, forward, col := &n.forces[side], cell(directions[side].forward), c%stride
	near, far := (c-forward)/stride%rowWords, (c-2*forward)/stride%rowWords
	var hits uint32
	for kind := range captureColumns {
		takes := &captureColumns[kind]
		hits |= f.kinds[kind][near]>>((col-1)%32)&takes[0] | f.kinds[kind][far]>>((col-2)%32)&takes[1]
	}
	return hits != 0
}

// toggle puts a tank on the board as the search sees it, or takes it away.
func (n *Search) toggle(side games.Side, t tank) {
	n.forces[side&1].toggle(t)
	if n.tables != nil {
		n.views[games.First].toggle(side, t, t.cell().row())
		n.views[games.Second].toggle(side.Other(), t, learnedSize-1-t.cell().row())
	}
}

// A force is where the tanks of a side stand: a set of columns for each row of cells, the walls' rows too.
type force struct {
	kinds [Medium + 1][rowWords]uint32
	all   [rowWords]uint32
}

// rowWords is more than there are rows, so that an index cut to its bits is always inside.
const rowWords = boardCells / stride

// toggle puts a tank there or takes it away.
func (f *force) toggle(t tank) {
	row, bit := t.cell()/stride, uint32(1)<<(t.cell()%stride)
	f.kinds[t.kind()%(Medium+1)][row%rowWords] ^= bit
	f.all[row%rowWords] ^= bit
}

// threeColumns are those to which a tank can go over one cell.
const threeColumns = 0b111

// captureColumns are those in which each kind captures over one cell, counted from the one to its left, and over two
// cells, counted from the second to its left.
var captureColumns = func() (all [Medium + 1][2]uint32) {
	for kind, distances := range reach {
		for far, ways := range distances {
			for way, may := range ways {
				all[kind][far] |= uint32(may&foe) / foe << (way << far)
			}
		}
	}
	return all
}()
