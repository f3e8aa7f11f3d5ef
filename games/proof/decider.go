package proof

import (
	"context"

	"ludoteca/games"
	"ludoteca/games/dfpn"
)

// A Decider finds out whether a side can force a win within a number of plies, in one position after the other. It remembers what
// it has found, so all positions must be of one game with the same options.
//
// What it finds is not checked; see Prove. The strategy of either answer can be handed to Check.
type Decider struct{ solver *solver }

// tableNodes is more than any table of a Decider has room for: the memory alone bounds it.
const tableNodes = 1 << 40

// NewDecider returns a Decider with a table of at most memory bytes. What is undecided when ctx ends stays so.
func NewDecider(ctx context.Context, memory int) *Decider {
	s := newSolver(ctx, nil, dfpn.Table(nil).Cleared(min(memory, MaxMemory), tableNodes))
	s.many = true
	return &Decider{s}
}

// Wins reports whether a side can force a win from pos within some plies. It gives up after looking at the given number of
// positions, and known is false then. The game must not be over in pos, which is as before when Wins returns.
func (d *Decider) Wins(pos games.Search, side games.Side, plies, nodes int) (wins, known bool) {
	if plies <= 0 {
		return false, true
	}
	d.solver.moveTo(pos)
	got := d.solver.solve(Claim{side, ToWin, plies}, nodes)
	return got == yes, got != unknown
}

// Strategy returns the strategy by which the last answer of Wins holds: that of the side for a win, or that of the other side
// to prevent it. It looks at no more than the given number of positions, and serves until Wins is called again.
func (d *Decider) Strategy(nodes int) Strategy {
	d.solver.limit = d.solver.nodes + nodes
	return d.solver
}

// Nodes returns how many positions the Decider has looked at.
func (d *Decider) Nodes() int { return d.solver.nodes }
