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
	held              bool  // the moves that advise returns are proven not to lose
}

// The solver asks in rounds, each more thorough than the one before, so that what is easy is found first. At most half of
// its positions go to the questions whether either side can force a line; what is left goes to the single moves.
const (
	firstRound  = 1 << 10
	roundFactor = 8
	trapShare   = 4 // a quarter goes to finding out which of the safe moves is the best trap
)

var _ games.Advisor = (*Search)(nil)

// Advise returns the moves that are proven best: a move that forces a line, else the moves after which the opponent can't force
// one, else the moves for which this is unknown. On boards larger than 8 by 8 it has no advice.
func (n *Search) Advise(nodes int, stop func() bool) games.Advice {
	if !n.Running() || max(n.cols, n.rows) > gridSide {
		return games.Advice{}
	}
	a := newAdvisor(&n.State, nodes, stop)
	moves := a.advise(&n.State)
	advice := games.Advice{Nodes: a.nodes, Complete: a.complete, Held: a.held}
	for _, c := range moves {
		advice.Moves = append(advice.Moves, codeOf(c))
	}
	return advice
}

func newAdvisor(s *State, nodes int, stop func() bool) *advisor {
	a := &advisor{most: nodes}
	a.solver = solver{
		grid: newGrid(int(s.cols), int(s.rows), int(s.win)), table: newTable(nodes, maxTable), limit: nodes, stop: stop,
	}
	a.own, a.other = s.cells(s.turn), s.cells(s.turn.Other())
	a.reach = a.all
	if s.cell != none {
		a.reach = a.around[gridCell(cell(s.cell))] &^ (a.own | a.other)
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
		a.complete, a.held = true, true
		return []int{line.first()}
	}
	known := bookMoves(book, s)
	if s.cell == none {
		// There are too many first moves to ask for all at once.
		if won, _ := a.sort(false, a.most/2); len(won) > 0 {
			known, a.complete = won, true
		}
	} else {
		switch a.ask(len(known) > 0) {
		case succeeds:
			known, _ = a.sort(false, a.most)
			a.complete = len(known) > 0
		case fails:
			return nil // all is lost: let the other find out how
		}
	}
	if a.complete || s.cell == none && len(known) > 0 {
		a.held = true
		return known
	}
	safe, open := a.sort(true, a.most-a.most/trapShare)
	a.complete = len(safe) == 0 || len(open) == 0
	for _, c := range known {
		if slices.Contains(open, c) {
			safe = append(safe, c)
		}
	}
	if len(safe) > 0 {
		a.held = true
		return a.tempting(safe, a.most/trapShare)
	}
	return open
}

// ask asks whether the side to move can force a line, and whether the other can, unless it is known that it can't. The
// answer is whether the side to move succeeds or fails in this sense, or unknown if neither side can, or it is not known.
func (a *advisor) ask(held bool) answer {
	win, loss := unknown, unknown
	if held {
		loss = fails
	}
	for round := firstRound; (win == unknown || loss == unknown) && a.nodes < a.most/2 && !a.stopped; round *= roundFactor {
		a.limit = min(a.nodes+round, a.most)
		if win == unknown {
			win = a.attack(a.own, a.other, a.reach, true)
		}
		if win == succeeds {
			return succeeds
		}
		a.limit = min(a.nodes+round, a.most)
		if loss == unknown {
			loss = a.attack(a.own, a.other, a.reach, false)
		}
		if loss == succeeds {
			return fails
		}
	}
	if a.limit = a.most - a.most/trapShare; loss == unknown && a.attack(a.own, a.other, a.reach, false) == succeeds {
		return fails // safety is worth more than choice: it may take what is left for the single moves
	}
	return unknown
}

// sort asks of each move whether the side that answers it fails as the attacker, or else as the defender, until limit
// positions have been looked at. It returns the moves for which it does, one is enough if it is a defender, and those for
// which this is unknown. What the table knows is found even if nothing may be looked at any more.
func (a *advisor) sort(attacking bool, limit int) (good, open []int) {
	open = slices.Clone(a.moves)
	for round := firstRound; len(open) > 0; round *= roundFactor {
		left := open[:0]
		for _, c := range open {
			a.limit = min(a.nodes+round, limit)
			switch a.attack(a.other, a.own|1<<c, a.around[c]&^(a.own|a.other), attacking) {
			case reached(!attacking):
				if good = append(good, c); !attacking {
					return good, nil
				}
			case unknown:
				left = append(left, c)
			}
		}
		if open = left; a.nodes >= limit || a.stopped {
			break
		}
	}
	return good, open
}
