package petteia

import (
	"slices"

	"ludoteca/games"
)

// outcomeOf returns the men that a legal move captures, and whether the man that makes it is lost.
func (s *State) outcomeOf(code games.Code) (captured set, lost bool) {
	st := &steps[code]
	own := s.men[s.turn].without(only(st.from)).with(only(st.to))
	enemy := s.men[s.turn.Other()]
	captured = capturedBy(st.to, own, enemy)
	return captured, !s.rules.safeEntry && flanked(st.to, enemy.without(captured))
}

// Greedy returns the moves that capture most; losing the man that moves counts as one capture less. It is the second level that the
// rule sheet suggests, captures first.
func (p *Position) Greedy() []games.Move {
	var moves []games.Move
	best := -1 // the worst that a move can do
	for _, code := range p.s.Moves(make([]games.Code, 0, maxMen*stepsOfCell)) {
		captured, lost := p.s.outcomeOf(code)
		gain := captured.len()
		if lost {
			gain--
		}
		if gain > best {
			best, moves = gain, moves[:0]
		}
		if gain == best {
			moves = append(moves, texts[code])
		}
	}
	return moves
}

// The weights of the evaluation: their places in ownWeights.
const (
	manWeight      = iota
	lastWeight     // for each man captured of the last three that win
	mobilityWeight // for each move
	pendingOwn     // for each cell where the side to move could capture
	pendingEnemy   // for each cell where the other could
	weightCount
)

// ownWeights are in hundredths of a man. How far men have advanced, how they stand to each other, and cells where they would
// capture but can't come to were worth nothing beside these.
var ownWeights = [weightCount]games.Weight{
	manWeight:      {Name: "man", Value: 100},
	lastWeight:     {Name: "last men", Value: 60},
	mobilityWeight: {Name: "mobility", Value: 1},
	pendingOwn:     {Name: "own captures", Value: 15},
	pendingEnemy:   {Name: "enemy captures", Value: -30},
}

// Weights returns the weights of the evaluation.
func (s *State) Weights() []games.Weight { return slices.Clone(ownWeights[:]) }

// Search returns the position to search, with the learned evaluation. At the same number of positions it makes 60 to 77 % of the
// points against the weights alone with every option that was tried, and half of them with captures_to_win=12, where all games are
// drawn.
func (s *State) Search() games.Search { return s.SearchLearned(builtIn) }

// facts are what both the evaluation and the lists of moves need to know about a position. They are worked out once.
type facts struct {
	known    bool
	value    int32 // of a running game to the side to move
	moves    int32 // how many the side to move has
	captures set   // the cells where the side to move has a man that can come there and captures
}

// Evaluate says what the position is worth to the side to move.
func (n *Search) Evaluate() int {
	if n.tables != nil {
		return games.Clamp(n.Base() + n.lookUp())
	}
	return int(n.look().value)
}

// look returns the facts about the present position.
func (n *Search) look() *facts {
	f := &n.facts[len(n.facts)-1]
	if !f.known {
		n.workOut(f)
	}
	return f
}

// workOut is look for the first time.
func (n *Search) workOut(f *facts) {
	w := &n.weights
	me, other := n.turn, n.turn.Other()
	own, enemy := n.men[me], n.men[other]
	ownReach, enemyReach, ownMoves, enemyMoves := slides(own, enemy)
	captures := captureCells(own, enemy).and(ownReach)
	toWin := int16(n.rules.toWin)
	v := w[manWeight]*int(n.taken[me]-n.taken[other]) + w[mobilityWeight]*(ownMoves-enemyMoves)
	v += w[pendingOwn] * captures.len()
	v += w[pendingEnemy] * captureCells(enemy, own).and(enemyReach).len()
	v += w[lastWeight] * int(max(0, n.taken[me]+3-toWin)-max(0, n.taken[other]+3-toWin))
	*f = facts{known: true, value: int32(v), moves: int32(ownMoves), captures: captures}
}
