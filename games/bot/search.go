package bot

import (
	"context"
	"math"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/games/deadline"
)

// Values of positions, from the point of view of the side to move. A win counts less the later it comes, so that the
// search takes the shortest way to a win and the longest to a loss.
const (
	infinite = 32_000
	victory  = 31_000           // a win now; after n plies it is victory - n
	decided  = victory - maxPly // values from here on are forced wins
)

// maxPly is how many plies ahead the deepest line can be.
const maxPly = 96

// noMove is the code of no move.
const noMove = ^games.Code(0)

// pollNodes is how many nodes pass between two looks at the context and the clock: far less than a millisecond's worth.
const pollNodes = 256

// Pruning. All of it happens only in null windows, where the question is whether a position is worth beta or not, and
// where neither side has a forced win in sight; so wins and losses are never made up.
const (
	futilityDepth  = 3  // reverse futility: the largest depth at which a position may be cut off
	futilityMargin = 80 // for each ply of the depth: by how much the evaluation must exceed beta

	lateDepth  = 3 // late move pruning: the largest depth at which moves may be left out
	lateAlways = 6 // the least number of moves that are searched
	lateShare  = 3 // further moves for each 40 legal ones at depth 1; the square of the depth multiplies it

	nullMoveDepth = 3 // the least depth at which null moves are tried
	unknownDepth  = 4 // the least depth at which a position without a hash move is searched one ply less deeply
)

// reductions says by how many plies the i-th move of a position is reduced, by depth and i: late moves of a good order seldom
// turn out to be the best.
var reductions = func() (table [64][64]int8) {
	for depth := 1; depth < 64; depth++ {
		for i := 1; i < 64; i++ {
			table[depth][i] = int8(0.4 + math.Log(float64(depth))*math.Log(float64(i))/2.4)
		}
	}
	return table
}()

// lateMoveReduction returns by how many plies the i-th move is searched less deeply.
func lateMoveReduction(depth, i int) int {
	return min(int(reductions[min(depth, 63)][min(i, 63)]), depth-2)
}

// moveLimit returns how many of the moves are searched at a depth at least; the quiet ones after them are pruned.
func moveLimit(depth, moves int) int {
	if depth > lateDepth {
		return moves
	}
	return lateAlways + lateShare*depth*depth*moves/40
}

// A search is one search for a move by iterative deepening: principal variation search (Reinefeld: An Improvement to the
// Scout Tree-Search Algorithm, 1983) with a transposition table, null moves, pruning, and a quiescence search.
//
// A search takes all its memory from its workspace, but for the table, which grows a few times. Its result depends on the
// position, the numbers drawn for the root moves and the budget of nodes. It depends on a clock only if ctx ends before the nodes
// are spent, and never on earlier searches in the workspace.
type search struct {
	pos    games.Search
	staged games.Staged // pos, if it is
	table  transpositionTable
	memory *tableMemory // that the table grows in
	size   int          // that the table may grow to
	until  deadline.Deadline

	candidates  []games.Code // if there are any: the root moves that are searched
	held        bool         // there are candidates, and all are proven not to lose
	rootInexact bound        // inexact if the other root moves may be better
	plain       bool         // fixed depth without pruning, reductions and extensions; for tests

	noisyPlies int                 // how many noisy moves in a row the quiescence search follows
	plan       *timePlan           // under a clock: when it has thought enough
	report     func(*searchResult) // gets what each depth has found; nil: nobody asks
	contempt   int                 // how much worse than equal a draw is for the side to move at the root
	repeats    bool                // a draw may come from a repetition

	nodes     int // visited so far
	limit     int // may be visited
	nextCheck int // the number of the node at which checkLimits is due
	nextPoll  int // the number of the node at which the context is looked at
	stopped   bool
	inexact   bound // inexact if any value since this was none rests on an evaluation

	moves        []games.Ranked // of all plies of the present line, one list after the other
	blocks       []block        // of their ranks, where they have been ranked
	killers      [maxPly][2]games.Code
	history      [2][1 << historyBits]int16
	countermoves [2][1 << historyBits]games.Code // by side and the move before: what has refuted it
	path         [maxPly + 2]games.Code          // by ply: the move that led there; noMove at the root and for a null move
	pv           [maxPly + 1][maxPly]games.Code  // by ply: the principal variation from there
	pvLength     [maxPly + 1]int
}

// A searchResult is what a search has found, in the codes of the game.
type searchResult struct {
	code  games.Code
	value int
	line  []games.Code
	depth int
	nodes int

	proven bool // no evaluation had a part in the value
	held   bool // the move is proven not to lose
}

// A rootMove is a move of the position that the search is about.
type rootMove struct {
	code  games.Code
	bonus int // what the player likes about it beyond its value
	guess int // what it is worth at first sight
}

// run searches for the best move, one ply deeper each time until the nodes are spent, ctx has ended, or the game is
// decided. Each move gets a bonus of up to spread, by chance: this is how a player chooses among moves that seem nearly
// as good as each other, and a weak one errs.
//
// However few the nodes, each move is looked at once, so that no win in one is missed.
func (s *search) run(spread, maxDepth int, r *games.Random) searchResult {
	roots := s.orderRootMoves(spread, r)
	best := searchResult{code: roots[0].code, value: roots[0].guess, depth: 1, line: []games.Code{roots[0].code}}
	if best.value == victory-1 {
		best.proven = true
		best.nodes = s.nodes
		return best
	}
	for depth := 1; depth <= maxDepth && !s.stopped; depth++ {
		s.inexact = s.rootInexact
		s.searchRoot(roots, depth, &best)
		if s.stopped {
			break
		}
		best.proven = s.inexact == none
		if s.report != nil {
			best.nodes = s.nodes
			s.report(&best)
		}
		if best.proven || victory-max(best.value, -best.value) <= depth || len(roots) == 1 {
			break // deeper is no better
		}
		if s.plan != nil && s.thoughtEnough(roots, depth, &best) {
			break
		}
	}
	best.nodes = s.nodes
	return best
}

// thoughtEnough reports whether a search under a clock ends after this depth: by its plan, or because the best move is sure.
func (s *search) thoughtEnough(roots []rootMove, depth int, best *searchResult) bool {
	s.plan.finished(best, time.Now())
	return s.plan.enough() || s.plan.maybeSure() && s.sure(roots, depth-sureLess, best)
}

// sure reports whether no root move comes near the first, which is the best, when searched to a depth: a player who needs to be so far ahead
// to expect 73 % of the points can't be wrong by much.
func (s *search) sure(roots []rootMove, depth int, best *searchResult) bool {
	alpha := best.value - s.plan.scale
	if best.value >= decided || alpha <= -decided {
		return false
	}
	for _, m := range roots[1:] {
		s.path[1] = m.code
		s.pos.Play(m.code)
		v := -s.negamax(depth-1, -alpha-1, -alpha, 1, true)
		s.pos.Undo()
		if v > alpha || s.stopped {
			return false
		}
	}
	return true
}

// A game's advice may cost 1/advisorShare of the nodes and of the time. The budget of an advisor is no larger than what it can
// look at in its time, at adviceRate nodes per microsecond. The advisor divides its work and sizes its table by this budget: to
// clear a larger table would cost time that is missing then, up to 12 µs for each page of 4 KiB.
const (
	advisorShare = 2
	adviceRate   = 6
)

// advise asks the game which moves are worth searching; the search looks at no others. What that costs is taken from its
// nodes, and is at most 1/advisorShare of a budget.
func (s *search) advise(ctx context.Context, budget int) {
	advisor, ok := s.pos.(games.Advisor)
	if !ok {
		return
	}
	if end, limited := ctx.Deadline(); limited {
		sooner, stop := context.WithTimeout(ctx, time.Until(end)/advisorShare)
		defer stop()
		ctx = sooner
	}
	early := deadline.Of(ctx)
	nodes := min(int64(budget/advisorShare), max(1, early.Left().Microseconds()*adviceRate))
	advice := advisor.Advise(int(nodes), early.Passed)
	s.candidates, s.held = advice.Moves, advice.Held && len(advice.Moves) > 0
	if len(advice.Moves) > 0 && !advice.Complete {
		s.rootInexact = inexact
	}
	s.nodes += advice.Nodes
}

// orderRootMoves returns the root moves, the best at first sight first, in a random order where they are equal.
func (s *search) orderRootMoves(spread int, r *games.Random) []rootMove {
	moves := s.pos.Moves(nil)
	if len(s.candidates) > 0 {
		moves = slices.DeleteFunc(moves, func(m games.Ranked) bool { return !slices.Contains(s.candidates, m.Code) })
	}
	roots := make([]rootMove, len(moves))
	for i, m := range moves {
		j := r.N(i + 1)
		roots[i] = roots[j]
		roots[j] = rootMove{code: m.Code}
	}
	for i := range roots {
		m := &roots[i]
		m.bonus = r.N(spread + 1)
		s.pos.Play(m.code)
		s.nodes++
		if over, outcome := s.pos.Over(); over {
			m.guess = -s.endValue(outcome, 1)
		} else {
			m.guess = -s.pos.Evaluate()
		}
		s.pos.Undo()
	}
	slices.SortStableFunc(roots, func(x, y rootMove) int { return y.guess - x.guess })
	return roots
}

// searchRoot searches all root moves to a depth and puts the best first. If it is stopped on the way, the best so far
// counts, for the first of them was the best of the depth before.
func (s *search) searchRoot(roots []rootMove, depth int, best *searchResult) {
	top := -infinite
	for i := range roots {
		m := roots[i]
		v := s.searchRootMove(m, i, depth, max(top-m.bonus, -infinite))
		if s.stopped {
			return
		}
		liked := v
		if v > -decided && v < decided {
			liked += m.bonus
		}
		if liked <= top {
			continue
		}
		top = liked
		*best = searchResult{code: m.code, value: v, depth: depth, line: append(best.line[:0], m.code)}
		best.line = append(best.line, s.pv[1][:s.pvLength[1]]...)
		copy(roots[1:i+1], roots[:i])
		roots[0] = m
	}
}

// searchRootMove returns the value of the i-th root move, or a bound that is not above alpha.
func (s *search) searchRootMove(m rootMove, i, depth, alpha int) int {
	s.path[1] = m.code
	s.pos.Play(m.code)
	defer s.pos.Undo()
	if i > 0 {
		v := -s.negamax(depth-1, -alpha-1, -alpha, 1, true)
		if v <= alpha || s.stopped {
			return v
		}
	}
	return -s.negamax(depth-1, -infinite, -alpha, 1, true)
}

// A node is what is known about a position before its moves are searched.
type node struct {
	key    uint64
	hash   games.Code // the hash move, or noMove
	static int        // the evaluation if it may prune moves, else -infinite
}

// negamax returns what the position is worth if each side plays its best for depth plies more, as far as that lies
// between alpha and beta; outside of them it is a bound only. It means nothing once the search is stopped. nullAllowed
// says that a null move may be tried: two in a row would find out nothing.
func (s *search) negamax(depth, alpha, beta, ply int, nullAllowed bool) int {
	s.pvLength[ply] = 0
	if over, outcome := s.pos.Over(); over {
		s.visit()
		return s.endValue(outcome, ply)
	}
	if depth <= 0 {
		return s.quiescence(alpha, beta, ply, 0)
	}
	if s.visit() {
		return 0
	}
	if ply >= maxPly-1 {
		s.inexact = inexact
		return s.pos.Evaluate()
	}
	// A win that comes later than one already found, or a loss before the one that is feared, changes nothing.
	if alpha, beta = max(alpha, -victory+ply), min(beta, victory-ply-1); alpha >= beta {
		return alpha
	}
	n := node{key: s.pos.Key(), hash: noMove, static: -infinite}
	if known := s.table.find(n.key); known != nil {
		if v, enough := s.cutoff(known, depth, alpha, beta, ply); enough {
			return v
		}
		n.hash = known.code
	}
	if beta-alpha == 1 && !s.plain && beta < decided && beta > -decided {
		n.static = s.pos.Evaluate()
		if depth <= futilityDepth && n.static-futilityMargin*depth >= beta { // reverse futility
			s.inexact = inexact
			return n.static
		}
		if nullAllowed && depth >= nullMoveDepth && n.static >= beta {
			if v, enough := s.nullMove(depth, beta, ply); enough {
				return v
			}
		}
	}
	if n.hash == noMove && depth >= unknownDepth && !s.plain {
		depth-- // the order will be poor: what this finds out will make it better the next time
	}
	var moves movePicker
	moves.begin(s, n.hash, depth, ply)
	if moves.only() && ply < maxPly/2 && !s.plain {
		depth++ // there is nothing to choose
	}
	before := s.inexact
	s.inexact = none
	v := s.searchMoves(&n, &moves, depth, alpha, beta, ply)
	moves.end()
	s.inexact |= before
	return v
}

// endValue returns the value of a game that is over after ply plies. A draw by repetition is one on this way only, while
// the table remembers positions without the way to them: it proves nothing.
func (s *search) endValue(outcome, ply int) int {
	if outcome == 0 && s.repeats {
		s.inexact = inexact
	}
	switch {
	case outcome != 0:
		return outcome * (victory - ply)
	case ply%2 == 0:
		return -s.contempt
	default:
		return s.contempt
	}
}

// cutoff returns the value that the table has for a position if it is deep enough and settles the question.
func (s *search) cutoff(e *entry, depth, alpha, beta, ply int) (value int, enough bool) {
	if int(e.depth) < depth || s.plain && int(e.depth) != depth {
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
		s.inexact |= e.bound & inexact
	}
	return v, enough
}

// nullMove searches what happens if the side to move passes: if that is good enough already, a move will be
// (Donninger: Null Move and Deep Search, 1993). A win found in this way is none, for passing is not allowed.
func (s *search) nullMove(depth, beta, ply int) (value int, enough bool) {
	if !s.pos.Pass() {
		return 0, false
	}
	before := s.inexact
	s.path[ply+1] = noMove
	v := -s.negamax(depth-3-depth/5, -beta, -beta+1, ply+1, false)
	s.pos.Undo()
	if v < beta || s.stopped {
		s.inexact = before
		return 0, false
	}
	s.inexact = inexact
	return min(v, decided-1), true
}

// searchMoves returns the value of the best move of a position and stores it in the table.
func (s *search) searchMoves(n *node, moves *movePicker, depth, alpha, beta, ply int) int {
	best, bestMove, kind := -infinite, noMove, upper
	for i := 0; ; i++ {
		code, quiet, ok := moves.next()
		if !ok {
			break
		}
		if quiet && i >= moveLimit(depth, moves.count()) && n.static > -infinite && best > -decided {
			s.inexact = inexact
			break
		}
		v := s.searchMove(code, i, quiet, depth, alpha, beta, ply)
		if s.stopped {
			return 0
		}
		if v <= best {
			continue
		}
		best, bestMove = v, code
		if v > alpha {
			alpha, kind = v, exact
			s.extendPV(ply, code)
		}
		if v >= beta {
			kind = lower
			s.updateHistory(moves.tried(), depth, ply)
			break
		}
	}
	s.table.put(entry{
		key: n.key, code: bestMove, value: int16(toTable(best, ply)), depth: int8(depth), bound: kind | s.inexact,
	})
	return best
}

// searchMove returns the value of the i-th move. All moves but the first are searched with a null window at alpha first, late quiet
// ones at less depth; only moves that turn out better than alpha get the whole depth and window.
func (s *search) searchMove(code games.Code, i int, quiet bool, depth, alpha, beta, ply int) (v int) {
	s.path[ply+1] = code
	s.pos.Play(code)
	less := 0
	if quiet && depth >= 3 && i >= 3 && !s.plain {
		less = lateMoveReduction(depth, i)
	}
	if i > 0 {
		v = -s.negamax(depth-1-less, -alpha-1, -alpha, ply+1, true)
	}
	if less > 0 && v > alpha && !s.stopped {
		v = -s.negamax(depth-1, -alpha-1, -alpha, ply+1, true)
	}
	if i == 0 || v > alpha && v < beta && !s.stopped {
		v = -s.negamax(depth-1, -beta, -alpha, ply+1, true)
	}
	s.pos.Undo()
	return v
}

// extendPV makes the principal variation from ply the move and what follows it.
func (s *search) extendPV(ply int, c games.Code) {
	n := s.pvLength[ply+1]
	s.pv[ply][0] = c
	copy(s.pv[ply][1:], s.pv[ply+1][:n])
	s.pvLength[ply] = min(n+1, maxPly)
}

// quiescence returns the value of a position at the end of a line, after the captures and the like that are still to
// come. The side to move may leave it at the evaluation, unless the game says that it must choose. The table is not
// asked: to look there takes as long as it saves.
func (s *search) quiescence(alpha, beta, ply, noisy int) int {
	if s.visit() {
		return 0
	}
	s.inexact = inexact
	if s.plain || ply >= maxPly-1 || noisy >= s.noisyPlies {
		return s.pos.Evaluate()
	}
	base := len(s.moves)
	moves, must := s.pos.Noisy(s.moves)
	s.moves = moves
	v := s.searchNoisy(moves[base:], must, alpha, beta, ply, noisy)
	s.moves = s.moves[:base]
	return v
}

// searchNoisy returns the value of the best of the noisy moves, or the evaluation if none has to be made.
func (s *search) searchNoisy(moves []games.Ranked, must bool, alpha, beta, ply, noisy int) int {
	best := -infinite
	if !must {
		best = s.pos.Evaluate()
		if best >= beta {
			return best
		}
		alpha = max(alpha, best)
	}
	for i := range moves {
		v := s.searchNoisyMove(pickNoisy(moves, i).Code, alpha, beta, ply, noisy)
		if s.stopped {
			return 0
		}
		best = max(best, v)
		if alpha = max(alpha, v); alpha >= beta {
			break
		}
	}
	return best
}

// searchNoisyMove returns the value of a noisy move.
func (s *search) searchNoisyMove(c games.Code, alpha, beta, ply, noisy int) (v int) {
	s.pos.Play(c)
	if over, outcome := s.pos.Over(); over {
		s.visit()
		v = -s.endValue(outcome, ply+1)
	} else {
		v = -s.quiescence(-beta, -alpha, ply+1, noisy+1)
	}
	s.pos.Undo()
	return v
}

// visit counts a node and reports whether the search has to end.
func (s *search) visit() (stop bool) {
	s.nodes++
	return s.nodes >= s.nextCheck && s.checkLimits()
}

// checkLimits lets the table grow where that is due, and looks whether the nodes are spent or the context has ended. It
// reports whether the search has to end, and once it has done so it is due at every node.
func (s *search) checkLimits() (stop bool) {
	if s.nodes > len(s.table) && len(s.table) < s.size {
		s.grow()
	}
	if s.nodes > s.limit {
		s.stopped = true
	} else if s.nodes >= s.nextPoll {
		s.nextPoll = s.nodes + pollNodes
		s.stopped = s.until.Passed()
	}
	if s.stopped {
		s.nextCheck = 0
		return true
	}
	s.nextCheck = min(s.nextPoll, s.limit+1)
	if len(s.table) < s.size {
		s.nextCheck = min(s.nextCheck, len(s.table)+1)
	}
	return false
}

// growthTime is how much time must be left for each entry of a larger table: new memory takes up to 12 µs for a page of 256
// entries, which nothing can interrupt, and a larger table is worth little so near the end.
const growthTime = 50 * time.Nanosecond

// grow replaces the table by a larger one, or ends its growth if there is no time for it.
func (s *search) grow() {
	if s.until.Left() < growthTime*time.Duration(len(s.table)*growth) {
		s.size = len(s.table)
		return
	}
	s.table = s.memory.grown(s.table, s.size, s.until)
	s.nextPoll = s.nodes // that took its time
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
