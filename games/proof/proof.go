// Package proof proves who wins a position, by a strategy that has an answer to everything the other side can do.
//
// A proof is made in two steps that know nothing of each other. The solver looks for a strategy with all that makes it
// fast: depth-first proof-number search with a table of positions. The table knows positions by a hash and without the way
// to them, while some games are drawn because of positions that were there before, or by a limit of moves; so what the
// solver finds may be wrong. Therefore Check then plays the strategy against every defence, by the whole rules and
// without a table, and only what it has seen to the last end is called proven.
package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/dfpn"
)

// A Result is how a position ends for the side to move if both sides play their best.
type Result uint8

// The results. Unproven says nothing about the position, only that the limits were too narrow to find out.
const (
	Unproven Result = iota
	Won
	Lost
	Drawn
)

// String returns "unproven", "won", "lost" or "drawn".
func (r Result) String() string {
	switch r {
	case Won:
		return "won"
	case Lost:
		return "lost"
	case Drawn:
		return "drawn"
	}
	return "unproven"
}

// A Proof is what Prove has found out about a position.
type Proof struct {
	Result Result

	// Plies is how many plies the game lasts at most if the winner follows the strategy that was checked, whatever the
	// other side does, and 0 for a draw. There may be a faster win, though the shorter depths have been tried.
	Plies int

	// Line is the game in which the loser holds out longest against that strategy: Plies moves. For a draw it is one of
	// the longest games in which both sides hold.
	Line []games.Move

	Nodes   int // positions that the solver has looked at
	Checked int // positions in which Check has played
}

// Limits bound the work of Prove. The solver alone, or with Check, looks at no more than Nodes positions.
type Limits struct {
	Nodes  int      // positions, at least 1
	Plies  int      // the longest win that is looked for; 0 or more than MaxPlies: MaxPlies
	Memory int      // bytes for the table, at most MaxMemory, rounded down to a power of two of entries, no more than suit Nodes; 0: UsualMemory
	Of     []Result // the results that are tried; none: all
}

// MaxPlies is how many plies a strategy can take at most.
const MaxPlies = 96

// The bytes that a table takes unless it is told otherwise, and at most.
const (
	UsualMemory = 24 << 20
	MaxMemory   = 4 << 30
)

// ErrNoSearch is returned for a game that can't be searched.
var ErrNoSearch = errors.New("the game has no search")

// Prove looks for a proof within the limits. The same position and limits give the same proof. A deadline of ctx limits
// the work too: what is unproven by then stays so. If ctx is cancelled, Prove returns the error of ctx.
func Prove(ctx context.Context, p games.Position, limits Limits) (Proof, error) {
	return new(Prover).Prove(ctx, p, limits)
}

// A Prover looks for one proof after the other. It keeps the memory of its table in between, but not the entries, so it finds the
// same as a new Prover. The zero value is ready.
type Prover struct{ table dfpn.Table }

// Prove is the function Prove. It may be called again when it has returned.
func (r *Prover) Prove(ctx context.Context, p games.Position, limits Limits) (Proof, error) {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return Proof{}, err
	}
	if r := p.Result(); r.Over {
		return Proof{Result: ended(r, p.Turn())}, nil
	}
	searchable, ok := p.State().(games.Searchable)
	if !ok {
		return Proof{}, ErrNoSearch
	}
	if limits.Memory <= 0 {
		limits.Memory = UsualMemory
	}
	limits.Memory = min(limits.Memory, MaxMemory)
	if limits.Plies <= 0 || limits.Plies > MaxPlies {
		limits.Plies = MaxPlies
	}
	if len(limits.Of) == 0 {
		limits.Of = []Result{Won, Lost, Drawn}
	}
	r.table = r.table.Cleared(limits.Memory, limits.Nodes)
	a := &attempt{root: p, solver: newSolver(ctx, searchable.Search(), r.table), limits: limits}
	a.run(ctx)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return Proof{}, err
	}
	a.proof.Nodes = a.solver.nodes
	return a.proof, nil
}

// ended returns the result of a game that is over.
func ended(r games.Result, turn games.Side) Result {
	switch {
	case r.Draw:
		return Drawn
	case r.Winner == turn:
		return Won
	}
	return Lost
}

// An attempt is one call of Prove.
type attempt struct {
	root   games.Position
	solver *solver
	limits Limits
	proof  Proof
	known  [Drawn]int // by result, Won or Lost: plies within which there is none
}

// depths are the plies within which the side to move is tried to win, one after the other; the other side is given one
// more. They find the shortest wins. What is farther ahead is looked for within any number of plies, or within all that are allowed.
var depths = [...]int{1, 3, 5, 7, 9, 13, nearPlies}

// drawShare divides the nodes: 1/drawShare of them is left for proofs of draws.
const drawShare = 4

// The work is done in rounds, each of twice as many nodes as the one before, so that it does not depend on how many are allowed. In a
// round both sides are tried with all nodes of the round within any number of plies, and with 1/depthShare of them within the next
// depth. A try goes on from what the table knows of the one before.
const (
	firstRound = 1 << 14 // nodes
	depthShare = 4
)

// run tries to prove one thing after the other until something is proven or the nodes are spent.
func (a *attempt) run(ctx context.Context) {
	spare := 0
	if a.wants(Drawn) && (a.wants(Won) || a.wants(Lost)) {
		spare = a.limits.Nodes / drawShare
	}
	next := 0 // of depths
	for nodes := firstRound; a.left() > spare && !a.solver.ended(); nodes = min(nodes*2, a.limits.Nodes) {
		for next < len(depths) {
			answer := a.round(ctx, depths[next], nodes/depthShare, spare)
			if answer == yes {
				return
			}
			if answer == unknown {
				break
			}
			next++
		}
		switch a.round(ctx, MaxPlies, nodes, spare) {
		case yes:
			return
		case no:
			spare = a.left() // nothing else is left to try
		}
	}
	if a.wants(Drawn) {
		a.draw(ctx)
	}
}

// round tries everything that is wanted within the given plies and not known to be impossible. Each try gets nodes positions, as long
// as more than spare are left. The answer is yes if something is proven and no if all of it is impossible.
func (a *attempt) round(ctx context.Context, plies, nodes, spare int) answer {
	all := no
	for _, t := range a.tries(plies) {
		if t.Plies <= a.known[t.result] {
			continue
		}
		switch a.try(ctx, t, min(nodes, a.left()-spare)) {
		case yes:
			a.shorten(ctx, t, a.known[t.result])
			return yes
		case no:
			a.known[t.result] = t.Plies
		case unknown:
			all = unknown
		}
	}
	return all
}

// tries returns what is tried within the given plies for the side to move, and within one ply more for the other side.
func (a *attempt) tries(plies int) (tries []try) {
	turn := a.root.Turn()
	if a.wants(Won) {
		tries = append(tries, try{Claim{turn, ToWin, min(plies, a.limits.Plies)}, Won})
	}
	if a.wants(Lost) {
		tries = append(tries, try{Claim{turn.Other(), ToWin, min(plies+1, a.limits.Plies)}, Lost})
	}
	return tries
}

// wants reports whether a result is to be tried.
func (a *attempt) wants(r Result) bool { return slices.Contains(a.limits.Of, r) }

// left returns how many positions may still be looked at.
func (a *attempt) left() int { return a.limits.Nodes - a.solver.nodes - a.proof.Checked }

// A try is a claim and what it says about the position if it is true.
type try struct {
	Claim
	result Result
}

// An answer is what came out of a try.
type answer uint8

const (
	unknown answer = iota
	yes            // it is proven, and the proof is checked
	no             // it is not so, or the strategy for it did not stand the check: there is nothing to try again
)

// try looks for a strategy with a budget of nodes, checks it and notes the proof.
func (a *attempt) try(ctx context.Context, t try, nodes int) answer {
	if nodes <= 0 || a.solver.ended() {
		return unknown
	}
	got := a.solver.solve(t.Claim, nodes)
	if got != yes {
		return got
	}
	report, ok := a.check(ctx, t.Claim)
	if !ok {
		return no
	}
	a.proof.Result, a.proof.Plies, a.proof.Line = t.result, report.Plies, report.Line
	return yes
}

// check has the strategy of the solver checked.
func (a *attempt) check(ctx context.Context, c Claim) (Report, bool) {
	a.solver.limit = a.solver.nodes + a.left()/2
	report, err := Check(ctx, a.root, c, a.solver, a.left()/2)
	a.proof.Checked += report.Nodes
	return report, err == nil
}

// shortenShare divides the nodes: one try to find a faster win may take 1/shortenShare of them.
const shortenShare = 4

// shorten looks for faster wins than the proven one. There is none within known plies. Each try takes at most a part of the nodes
// that the proof has taken.
func (a *attempt) shorten(ctx context.Context, t try, known int) {
	nodes := max(a.solver.nodes/shortenShare, firstRound)
	first := a.proof.Plies % 2 // wins of this side take an odd number of plies, or an even one
	for least := max(first, known+1); ; {
		least += (least + first) % 2
		most := a.proof.Plies - 2
		if least > most {
			return
		}
		t.Plies = least + (most-least)/4*2 // half of the way, and of the same kind
		if a.try(ctx, t, min(nodes, a.left()/shortenShare)) != yes {
			least = t.Plies + 1
		}
	}
}

// draw tries to prove that neither side can win: each of them has a strategy that loses against nothing.
func (a *attempt) draw(ctx context.Context) {
	longest := Report{}
	for _, side := range [...]games.Side{a.root.Turn(), a.root.Turn().Other()} {
		c := Claim{side, ToHold, a.limits.Plies}
		if nodes := a.left(); nodes <= 0 || a.solver.ended() || a.solver.solve(c, nodes/2) != yes {
			return
		}
		report, ok := a.check(ctx, c)
		if !ok {
			return
		}
		if report.Plies > longest.Plies {
			longest = report
		}
	}
	a.proof.Result, a.proof.Line = Drawn, longest.Line
}

// A Claim says that a side reaches its aim in at most Plies plies, whatever the other side does. For ToPrevent, Plies is how long
// the aim is kept.
type Claim struct {
	Side  games.Side
	Aim   Aim
	Plies int
}

// An Aim is what a side wants from the end of a game.
type Aim uint8

// The aims: to win, at least not to lose, or not to have lost within the plies of the claim. The solver looks for the first two; that
// a side can't win within some plies gives the other side a strategy for the third.
const (
	ToWin Aim = iota
	ToHold
	ToPrevent
)

// String returns the claim in words.
func (c Claim) String() string {
	what := "wins"
	switch c.Aim {
	case ToHold:
		what = "holds"
	case ToPrevent:
		return fmt.Sprintf("%s does not lose within %d plies", c.Side, c.Plies)
	}
	return fmt.Sprintf("%s %s in at most %d plies", c.Side, what, c.Plies)
}
