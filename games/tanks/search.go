package tanks

import (
	"ludoteca/games"
)

// The ranks of moves.
const (
	winRank     = 90_000
	captureRank = 1_000
	advanceRank = 500 // to within two rows of the far row
	exchange    = 60  // how much less than one's own tank one taken for it has to be worth for a bad exchange
	hangRank    = -60 // onto a cell where the enemy can capture
)

// A Search looks ahead from a State. Tanks that are captured leave their number to the last of their army, and take it
// back when they return.
type Search struct {
	board   [boardCells]content
	list    [2][maxTanks]tank
	count   [2]int
	sums    [2]int32                         // by side: the worth of all tanks
	worths  [2][Medium + 1][boardCells]int32 // by side, kind and cell
	kinds   [Medium + 1]int32                // what a tank counts for its kind alone
	runners [2]int                           // tanks in the row before the far row
	before  [2]int                           // that row

	turnValue, runnerValue int

	past    []trace
	hash    uint64
	size    int
	turn    games.Side
	over    bool
	outcome int8 // for the side that would be to move: 1, -1
}

// A trace is what it takes to take a move back.
type trace struct {
	from, to cell
	victim   tank
	number   int8 // of the victim, or none
}

const none = -1

var _ games.Search = (*Search)(nil)

// SearchWith returns the position for looking ahead, with an evaluation of the given weights.
func (s *State) SearchWith(values []int) games.Search {
	n := &Search{board: s.board, size: int(s.size), turn: s.turn, past: make([]trace, 0, 128)}
	n.before = [2]int{n.size - 2, 1}
	n.weigh(values)
	for side := range n.worths {
		n.list[side] = s.armies[side].list
		n.count[side] = int(s.armies[side].tanks())
		for _, t := range n.list[side][:n.count[side]] {
			n.put(games.Side(side), t)
		}
	}
	r := s.Result()
	n.over, n.outcome = r.Over, int8(r.For(s.turn))
	return n
}

// put adds what a tank counts to the sums, and take takes it out.
func (n *Search) put(side games.Side, t tank) {
	n.sums[side] += n.worths[side][t.kind()][t.cell()]
	if t.cell().row() == n.before[side] {
		n.runners[side]++
	}
	n.hash ^= keyOf(side, t)
}

func (n *Search) take(side games.Side, t tank) {
	n.sums[side] -= n.worths[side][t.kind()][t.cell()]
	if t.cell().row() == n.before[side] {
		n.runners[side]--
	}
	n.hash ^= keyOf(side, t)
}

// keyOf is the part of a tank in the hash of a position.
func keyOf(side games.Side, t tank) uint64 {
	k := (uint64(t)<<1 | uint64(side)) * 0x9e3779b97f4a7c15
	k ^= k >> 32
	k *= 0xbf58476d1ce4e5b9
	k ^= k >> 29
	k *= 0x94d049bb133111eb
	return k ^ k>>32
}

// Turn is the side to move.
func (n *Search) Turn() games.Side { return n.turn }

// Over says whether the game is over, and how for the side that would be to move.
func (n *Search) Over() (over bool, outcome int) { return n.over, int(n.outcome) }

// Key hashes the tanks and the turn.
func (n *Search) Key() uint64 { return n.hash ^ uint64(n.turn)*0xd6e8feb86659fd93 }

// Play makes a legal move.
func (n *Search) Play(c games.Code) {
	from, to := cells(c)
	mover, enemy := n.turn&1, n.turn.Other()&1
	me, victim := n.board[from], n.board[to]
	step := trace{from: from, to: to, number: none}
	n.board[from] = empty
	if victim != empty {
		step.number = int8(victim.number())
		step.victim = n.list[enemy][victim.number()]
		n.take(enemy, step.victim)
		n.count[enemy]--
		last := n.list[enemy][n.count[enemy]]
		n.list[enemy][victim.number()] = last
		n.board[last.cell()] = victim // its class and the number that is free now
	}
	n.board[to] = me
	t := n.list[mover][me.number()]
	n.take(mover, t)
	n.put(mover, t.to(to))
	n.list[mover][me.number()] = t.to(to)
	n.past = append(n.past, step)
	n.turn = enemy
	if to.row() == n.far(mover) || n.count[enemy] == 0 {
		n.over, n.outcome = true, -1
	}
}

// far is the row that a side wants to reach.
func (n *Search) far(side games.Side) int {
	if side == games.First {
		return n.size - 1
	}
	return 0
}

// Pass gives the turn away while both sides have moves to spare. Where few tanks are left it does nothing: there having
// to move may be what loses.
func (n *Search) Pass() bool {
	if n.over || min(n.count[0], n.count[1]) < manyTanks {
		return false
	}
	n.past = append(n.past, trace{number: none})
	n.turn = n.turn.Other()
	return true
}

const manyTanks = 5

// Undo takes the last move or pass back.
func (n *Search) Undo() {
	step := n.past[len(n.past)-1]
	n.past = n.past[:len(n.past)-1]
	enemy := n.turn & 1
	n.turn = n.turn.Other()
	n.over, n.outcome = false, 0
	if step.from == step.to {
		return
	}
	mover := n.turn & 1
	me := n.board[step.to]
	t := n.list[mover][me.number()]
	n.take(mover, t)
	n.put(mover, t.to(step.from))
	n.list[mover][me.number()] = t.to(step.from)
	n.board[step.from], n.board[step.to] = me, empty
	if step.number == none {
		return
	}
	last := n.list[enemy][step.number]
	n.list[enemy][n.count[enemy]] = last
	n.board[last.cell()] = tankOf(enemy) | content(n.count[enemy])
	n.count[enemy]++
	n.list[enemy][step.number] = step.victim
	n.board[step.to] = tankOf(enemy) | content(step.number)
	n.put(enemy, step.victim)
}

// Moves appends all legal moves.
func (n *Search) Moves(dst []games.Ranked) []games.Ranked { return n.generate(dst, false) }

// Noisy appends the captures and the moves to the far row.
func (n *Search) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	return n.generate(dst, true), false
}

// generate appends the legal moves, or the noisy ones of them.
func (n *Search) generate(dst []games.Ranked, noisy bool) []games.Ranked {
	if n.over {
		return dst
	}
	mover := n.turn & 1
	forward := ways[mover].forward
	for _, t := range n.list[mover][:n.count[mover]] {
		from, kind := t.cell(), t.kind()
		for far := uint(0); far <= 1 && (far == 0 || kind != Medium); far++ {
			for side := range uint(3) {
				to := from + cell((forward+side-1)<<far)
				if ways[mover].onto[uint(kind)*8+far*4+side]>>n.board[to].class()&1 == 0 {
					continue
				}
				if noisy && n.board[to] == empty && to.row() != n.far(mover) {
					continue
				}
				rank := n.rank(mover, t, to)
				if noisy && rank < 0 {
					continue
				}
				dst = append(dst, games.Ranked{Code: code(from, to), Rank: rank})
			}
		}
	}
	return dst
}

// rank guesses how good a move is.
func (n *Search) rank(mover games.Side, t tank, to cell) int32 {
	left := n.far(mover) - to.row()
	left = max(left, -left)
	if left == 0 {
		return winRank
	}
	enemy := mover.Other()
	if what := n.board[to]; what != empty {
		victim := n.list[enemy&1][what.number()]
		if left > 2 && n.worths[enemy&1][victim.kind()][to]+exchange < n.worths[mover&1][t.kind()][to] && n.hit(enemy, to) {
			return hangRank // it is taken back, and the exchange is a bad one
		}
		return captureRank + 10*n.worths[enemy&1][victim.kind()][to] - n.kinds[t.kind()]
	}
	if n.hit(enemy, to) {
		return hangRank
	}
	if left <= 2 {
		return advanceRank
	}
	return 0
}

// hit says whether a tank of a side can capture on a cell.
func (n *Search) hit(side games.Side, c cell) bool {
	side &= 1
	back, class := ways[side].forward, tankOf(side).class()
	for far := range uint(2) {
		for way := range uint(3) {
			from := (c - cell((back+way-1)<<far)) % boardCells
			if what := n.board[from]; what.class() == class {
				kind := n.list[side][what.number()].kind()
				if reach[kind][far][way]&foe != 0 {
					return true
				}
			}
		}
	}
	return false
}
