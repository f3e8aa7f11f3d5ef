package fourmation

import (
	"slices"

	"ludoteca/games"
)

// An advisor sorts the moves of a position by whether they can be answered by a forced line.
type advisor struct {
	solver
	own, other, reach cells
	moves             []int // the numbers of the cells of reach
	most              int   // positions to look at
	complete          bool  // the moves that advise leaves out are proven to be no better
}

// The solver spends at most a quarter of its positions on the question whether the side to move can force a line, and as
// many on whether the other can. What is left goes to the single moves, in rounds of growing thoroughness.
const (
	questionShare = 4
	firstRound    = 1 << 10
	roundFactor   = 8
)

var _ games.Advisor = (*Search)(nil)

// Advise returns the moves that are proven best: one that forces a line, else those against which the other can't force
// one, else those of which this is not known. On boards larger than 8 by 8 it has no advice.
func (n *Search) Advise(nodes int, stop func() bool) games.Advice {
	if n.end != running || max(n.cols, n.rows) > gridSide {
		return games.Advice{}
	}
	a := newAdvisor(&n.State, nodes, stop)
	moves := a.advise(&n.State)
	advice := games.Advice{Nodes: a.nodes, Complete: a.complete}
	for _, c := range moves {
		advice.Moves = append(advice.Moves, codeOf(c))
	}
	return advice
}

func newAdvisor(s *State, nodes int, stop func() bool) *advisor {
	a := &advisor{most: nodes}
	a.solver = solver{
		grid: newGrid(int(s.cols), int(s.rows), int(s.win)), table: newProofs(nodes, maxProofs), limit: nodes, stop: stop,
	}
	a.own, a.other = s.cells(s.turn), s.cells(s.turn.Other())
	a.reach = a.all
	if s.last != none {
		a.reach = a.around[gridCell(cell(s.last))] &^ (a.own | a.other)
	}
	for c := a.reach; c != 0; c &= c - 1 {
		a.moves = append(a.moves, c.first())
	}
	return a
}

// cells returns the pieces of a side. The board must not be larger than a grid.
func (s *State) cells(side games.Side) cells {
	var set cells
	for row := range int(s.rows) {
		set |= cells(s.lines[side].across[row]) << (row * gridSide)
	}
	return set
}

// gridCell returns the number of a cell in a grid.
func gridCell(c cell) int { return c.row()*gridSide + c.col() }

// advise returns the moves, as numbers of cells; none if there is nothing to say for any of them.
func (a *advisor) advise(s *State) []int {
	if line := a.completing(a.own) & a.reach; line != 0 {
		a.complete = true
		return []int{line.first()}
	}
	begun := s.last != none
	if c, found := a.winning(begun); found {
		a.complete = true
		return []int{c}
	}
	if moves := bookMoves(book, s); len(moves) > 0 {
		return moves
	}
	if begun && a.ask(a.own, a.other, a.reach, false, a.most/questionShare) == succeeds {
		return nil // all is lost: let the other find out how
	}
	safe, open := a.sort(true, a.most)
	a.complete = len(safe) == 0 || len(open) == 0
	if len(safe) > 0 {
		return safe
	}
	return open
}

// winning looks for a move that forces a line. The first move of a game is none of few, so these are tried one by one.
func (a *advisor) winning(begun bool) (c int, found bool) {
	limit := a.most / questionShare
	if begun && a.ask(a.own, a.other, a.reach, true, limit) != succeeds {
		return 0, false
	}
	if begun {
		limit = a.most // the table knows the move, or did
	}
	won, _ := a.sort(false, limit)
	if len(won) == 0 {
		return 0, false
	}
	return won[0], true
}

// ask looks at so many positions at most to answer a question.
func (a *advisor) ask(own, other, reach cells, attacking bool, nodes int) answer {
	if a.limit = min(a.nodes+nodes, a.most); a.spent() {
		return unknown
	}
	return a.attack(own, other, reach, attacking)
}

// sort asks of each move whether the side that answers it fails as the attacker, or else as the defender, until limit
// positions have been looked at. It returns the moves for which it does, and those for which this is unknown; as a
// defender it need not fail twice.
func (a *advisor) sort(attacking bool, limit int) (good, open []int) {
	open = slices.Clone(a.moves)
	for round := firstRound; len(open) > 0 && a.nodes < limit && !a.stopped; round *= roundFactor {
		left := open[:0]
		for _, c := range open {
			switch a.ask(a.other, a.own|1<<c, a.around[c]&^(a.own|a.other), attacking, min(round, limit-a.nodes)) {
			case reached(!attacking):
				if good = append(good, c); !attacking {
					return good, nil
				}
			case unknown:
				left = append(left, c)
			}
		}
		open = left
	}
	return good, open
}
