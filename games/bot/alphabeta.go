package bot

import "ludoteca/games"

// Values of positions, from the point of view of the side to move. A win counts less the later it comes, so that the
// search goes the shortest way to its own and the longest to the other's.
const (
	infinite = 32_000
	victory  = 31_000           // a win now; after n plies it is victory - n
	decided  = victory - maxPly // values from here on are wins, proven to the last reply
)

// maxPly is how many plies ahead the deepest line can be.
const maxPly = 96

// pollNodes is how many nodes pass between two looks at the context: far less than a millisecond's worth.
const pollNodes = 256

// An alphaBeta is one search for a move by iterative deepening: principal variation search (Reinefeld: An Improvement to
// the Scout Tree-Search Algorithm, 1983) with a table of positions, and a search of the noisy moves alone at the leaves.
//
// Everything it needs lies on a desk from its beginning, but for the table, which grows a few times. What it finds depends
// on the position, the numbers drawn for the moves of the root and the nodes it may visit, never on a clock, unless ctx
// ends before the nodes are spent, and never on what was done at the desk before.
type alphaBeta struct {
	pos    games.Search
	staged games.Staged // pos, if it is
	table  table
	memory *tables // that the table grows in
	size   int     // that the table may grow to
	done   <-chan struct{}
	only   []games.Code // if there are any: the moves of the root that are looked at
	rest   bound        // unseen if it isn't known that the others are no better
	exact  bool         // plain fixed depth, without whatever is only likely to be right; for tests

	noisy    int  // how many plies of noisy moves in a row are looked at
	contempt int  // how much worse than equal a draw is for the side to move at the root
	repeats  bool // a draw may come from a repetition

	nodes   int // visited so far
	limit   int // may be visited
	next    int // the number of the node at which something is due: see due
	poll    int // when the context is looked at again
	stopped bool
	unseen  bound // unseen if any value since this was none rests on an evaluation

	moves   []games.Ranked // of all plies of the present line, one list after the other
	blocks  []block        // of their ranks, where they have been put in order
	killers [maxPly][2]games.Code
	history [2][1 << historyBits]int16
	answers [2][1 << historyBits]games.Code // by side and the move before: what has refuted it
	path    [maxPly + 2]games.Code          // by ply: the move that led there; noMove at the root and for a pass
	line    [maxPly + 1][maxPly]games.Code  // by ply: the best line from there
	lengths [maxPly + 1]int
}

// spent counts a node and says whether the search has to end.
func (a *alphaBeta) spent() bool {
	a.nodes++
	return a.nodes >= a.next && a.due()
}

// due does what is due from time to time: it lets the table grow, and looks whether the nodes are spent or nobody waits any
// more. It says whether the search has to end, and once it has said so something is due at every node.
func (a *alphaBeta) due() bool {
	if a.nodes > len(a.table) && len(a.table) < a.size {
		a.table = a.memory.grown(a.table, a.size, a.done)
	}
	if a.nodes > a.limit {
		a.stopped = true
	} else if a.nodes >= a.poll {
		a.poll = a.nodes + pollNodes
		select {
		case <-a.done:
			a.stopped = true
		default:
		}
	}
	if a.stopped {
		a.next = 0
		return true
	}
	a.next = min(a.poll, a.limit+1)
	if len(a.table) < a.size {
		a.next = min(a.next, len(a.table)+1)
	}
	return false
}

// value returns what the position is worth if each side plays its best for depth plies more, as far as that lies between
// alpha and beta; outside of them it is a bound only. It means nothing once the search is stopped.
func (a *alphaBeta) value(depth, alpha, beta, ply int, mayPass bool) int {
	a.lengths[ply] = 0
	if over, outcome := a.pos.Over(); over {
		a.spent()
		return a.end(outcome, ply)
	}
	if depth <= 0 {
		return a.leaf(alpha, beta, ply, 0)
	}
	if a.spent() {
		return 0
	}
	if ply >= maxPly-1 {
		a.unseen = unseen
		return a.pos.Evaluate()
	}
	// A win that comes later than one already found, or a loss before the one that is feared, changes nothing.
	if alpha, beta = max(alpha, -victory+ply), min(beta, victory-ply-1); alpha >= beta {
		return alpha
	}
	n := node{key: a.pos.Key(), first: noMove, static: -infinite}
	if known := a.table.find(n.key); known != nil {
		if v, enough := a.recall(known, depth, alpha, beta, ply); enough {
			return v
		}
		n.first = known.code
	}
	if beta-alpha == 1 && !a.exact && beta < decided && beta > -decided {
		n.static = a.pos.Evaluate()
		if v, enough := a.hopeless(n.static, depth, beta); enough {
			return v
		}
		if mayPass && depth >= 3 && n.static >= beta {
			if v, enough := a.passed(depth, beta, ply); enough {
				return v
			}
		}
	}
	if n.first == noMove && depth >= unknownDepth && !a.exact {
		depth-- // the order will be poor: what this finds out will make it better the next time
	}
	return a.branch(&n, depth, alpha, beta, ply)
}

// A node is what is known about a position before its moves are tried.
type node struct {
	key    uint64
	first  games.Code // the move to begin with, or noMove
	static int        // the evaluation if it may cut moves off, else -infinite
}

// noMove is the code of no move.
const noMove = ^games.Code(0)

// end returns the value of a game that is over after ply plies. A draw by repetition is one on this way only, while the
// table remembers positions without the way to them: it proves nothing.
func (a *alphaBeta) end(outcome, ply int) int {
	if outcome == 0 && a.repeats {
		a.unseen = unseen
	}
	switch {
	case outcome != 0:
		return outcome * (victory - ply)
	case ply%2 == 0:
		return -a.contempt
	default:
		return a.contempt
	}
}

// recall returns the value that the table has for a position if it is deep enough and settles the question.
func (a *alphaBeta) recall(e *entry, depth, alpha, beta, ply int) (value int, enough bool) {
	if int(e.depth) < depth || a.exact && int(e.depth) != depth {
		return 0, false
	}
	v := fromTable(int(e.value), ply)
	switch e.bound.kind() {
	case exact:
		enough = true
	case lower:
		enough = v >= beta
	default:
		enough = v <= alpha
	}
	if enough {
		a.unseen |= e.bound & unseen
	}
	return v, enough
}

// passed tries what happens if the side to move does nothing: if that is good enough already, a move will be
// (Donninger: Null Move and Deep Search, 1993). A win found in this way is none, for nobody may pass.
func (a *alphaBeta) passed(depth, beta, ply int) (value int, enough bool) {
	if !a.pos.Pass() {
		return 0, false
	}
	before := a.unseen
	a.path[ply+1] = noMove
	v := -a.value(depth-3-depth/5, -beta, -beta+1, ply+1, false)
	a.pos.Undo()
	if v < beta || a.stopped {
		a.unseen = before
		return 0, false
	}
	a.unseen = unseen
	return min(v, decided-1), true
}

// branch tries the moves of a position and remembers what came out.
func (a *alphaBeta) branch(n *node, depth, alpha, beta, ply int) int {
	before := a.unseen
	a.unseen = none
	var moves movePicker
	moves.begin(a, n.first, depth, ply)
	if len(moves.list.moves) == 1 && ply < maxPly/2 && !a.exact {
		depth++ // there is nothing to choose
	}
	v := a.best(n, &moves, depth, alpha, beta, ply)
	moves.done()
	a.unseen |= before
	return v
}

// remember puts what came out into the table.
func (a *alphaBeta) remember(n *node, code games.Code, v, depth, ply int, kind bound) {
	a.table.put(entry{key: n.key, code: code, value: int16(toTable(v, ply)), depth: int8(depth), bound: kind | a.unseen})
}

// best tries the moves of a position and returns the value of the best of them.
func (a *alphaBeta) best(n *node, moves *movePicker, depth, alpha, beta, ply int) int {
	best, bestMove, kind := -infinite, noMove, upper
	for i := 0; ; i++ {
		code, quiet, ok := moves.next()
		if !ok {
			break
		}
		if quiet && i >= late(depth, len(moves.list.moves)) && n.static > -infinite && best > -decided {
			a.unseen = unseen
			break
		}
		v := a.try(code, i, quiet, depth, alpha, beta, ply)
		if a.stopped {
			return 0
		}
		if v <= best {
			continue
		}
		best, bestMove = v, code
		if v > alpha {
			alpha, kind = v, exact
			a.extend(ply, code)
		}
		if v >= beta {
			kind = lower
			a.reward(moves.sofar(), depth, ply)
			break
		}
	}
	a.remember(n, bestMove, best, depth, ply, kind)
	return best
}

// try returns the value of the i-th move. All but the first are first asked only whether they are better than alpha at
// all, late quiet ones at less depth; those that are get the whole window and depth.
func (a *alphaBeta) try(code games.Code, i int, quiet bool, depth, alpha, beta, ply int) (v int) {
	a.path[ply+1] = code
	a.pos.Play(code)
	less := 0
	if quiet && depth >= 3 && i >= 3 && !a.exact {
		less = reduction(depth, i)
	}
	if i > 0 {
		v = -a.value(depth-1-less, -alpha-1, -alpha, ply+1, true)
	}
	if less > 0 && v > alpha && !a.stopped {
		v = -a.value(depth-1, -alpha-1, -alpha, ply+1, true)
	}
	if i == 0 || v > alpha && v < beta && !a.stopped {
		v = -a.value(depth-1, -beta, -alpha, ply+1, true)
	}
	a.pos.Undo()
	return v
}

// extend makes the best line from ply the move and what follows it.
func (a *alphaBeta) extend(ply int, c games.Code) {
	n := a.lengths[ply+1]
	a.line[ply][0] = c
	copy(a.line[ply][1:], a.line[ply+1][:n])
	a.lengths[ply] = min(n+1, maxPly)
}

// toTable and fromTable turn values that count from the root into ones that count from the position, and back. Only wins
// and losses differ.
func toTable(v, ply int) int {
	switch {
	case v >= decided:
		return v + ply
	case v <= -decided:
		return v - ply
	}
	return v
}

func fromTable(v, ply int) int {
	switch {
	case v >= decided:
		return v - ply
	case v <= -decided:
		return v + ply
	}
	return v
}
