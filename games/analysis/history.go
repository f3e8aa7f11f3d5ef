package analysis

import (
	"context"
	"fmt"

	"ludoteca/games"
)

// Bounds of the states that a history keeps. A step of the analysis of the longest game replays some 2,000 plies, which takes
// about a millisecond.
const (
	stateEvery = 64 // the least number of plies between two states
	maxStates  = 16

	pollPlies = 256 // how many plies are replayed between two looks at the context
)

// A history is a game that can be looked at after any of its moves. It keeps a state here and there and replays from the one
// before, because a position may remember all that came before it.
type history struct {
	moves  []games.Move
	codes  []games.Code
	sides  []games.Side // sides[i] is to move after i moves
	every  int
	states []games.State // after 0, every, 2*every, ... moves
}

// newHistory replays a game once, from any position.
func newHistory(ctx context.Context, start games.Position, moves []games.Move) (*history, error) {
	t := &history{
		moves: moves, codes: make([]games.Code, len(moves)), sides: make([]games.Side, len(moves)+1),
		every: max(stateEvery, len(moves)/maxStates+1),
	}
	state := start.State()
	for i, m := range moves {
		if i%pollPlies == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if i%t.every == 0 {
			t.states = append(t.states, state.Clone())
		}
		code, err := state.Code(m)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		t.codes[i], t.sides[i] = code, state.Turn()
		state.Play(code)
	}
	t.sides[len(moves)] = state.Turn()
	if len(t.states) == 0 {
		t.states = append(t.states, state.Clone())
	}
	return t, nil
}

// mover returns the side to move after i moves.
func (t *history) mover(i int) games.Side { return t.sides[i] }

// position returns the position after i moves.
func (t *history) position(i int) games.Position {
	from := min(i/t.every, len(t.states)-1)
	state := t.states[from].Clone()
	for _, c := range t.codes[from*t.every : i] {
		state.Play(c)
	}
	return state.Freeze()
}
