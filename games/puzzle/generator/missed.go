package generator

import (
	"context"
	"math"
	"slices"

	"ludoteca/games"
	"ludoteca/games/puzzle"
)

const (
	// missedMemory is the bytes of the table of the search for a missed win: a club makes these puzzles beside its matches.
	missedMemory = 8 << 20

	// missedTries is how many of the moves that win are tried as the solution.
	missedTries = 3
)

// Missed makes the puzzle of a position from a match in which the side to move wins within some plies, and checks it. Unlike in the puzzles of a
// Generator, several first moves may win: each of them is right. The solution begins with best if that wins as fast as any. The puzzle has no
// ID. About nodes positions are looked at. The error says why there is no puzzle, or is that of ctx.
func Missed(ctx context.Context, g games.Game, p games.Position, plies int, best games.Move, nodes int) (*puzzle.Puzzle, error) {
	start, err := games.Study(g, p.String())
	if err != nil {
		return nil, err
	}
	n := New(g, nil)
	n.memory = missedMemory
	b, err := newBuilder(ctx, n, start)
	if err != nil {
		return nil, err
	}
	b.most, b.end = math.MaxInt-1, nodes
	made := &puzzle.Puzzle{Game: g, Start: start}
	if made.Plies, err = b.fewest(min(plies, puzzle.MaxPlies)); err == nil {
		made.Beyond = made.Plies
		made.Solution, err = b.solution(made.Plies, best)
	}
	if err == nil {
		err = b.replies(made, true)
	}
	if err == nil {
		_, err = made.Check(ctx, max(0, nodes-b.decider.Nodes()))
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return made, nil
}

// fewest returns within how many plies the side wins, at most some.
func (b *builder) fewest(most int) (plies int, err error) {
	for plies = 1; plies <= most; plies += 2 {
		wins, known := b.decider.Wins(b.pos, b.side, plies, b.budget(plies))
		switch {
		case !known:
			return 0, errUnknown
		case wins:
			return plies, nil
		}
	}
	return 0, errNone
}

// solution returns the step of a move that wins within some plies, of best if it can.
func (b *builder) solution(plies int, best games.Move) (*puzzle.Step, error) {
	all, err := b.winners(plies, b.most)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(all, func(c games.Code) bool { return b.state.Move(c) == best }); at > 0 {
		all[0], all[at] = all[at], all[0]
	}
	err = errNone
	for _, c := range all[:min(len(all), missedTries)] {
		b.steps = 0
		step, failed := b.step(c, plies-1, true)
		switch {
		case failed != nil:
			err = failed
		case len(step.String()) > mostText:
			err = errLarge
		default:
			return step, nil
		}
	}
	return nil, err
}
