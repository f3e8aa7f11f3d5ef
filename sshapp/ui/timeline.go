package ui

import (
	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
)

// How far apart the states of a reel are: at least so many plies, and so many states at most. The longest match has 30,000
// plies; a step in it replays some 2,000 of them, which takes about a millisecond.
const (
	timelineEvery  = 64
	timelineStates = 16
)

// A reel is a match that can be looked at after any of its moves. It keeps a state here and there, and replays from the
// one before. It is never changed once made.
type timeline struct {
	moves  []games.Move
	every  int
	states []games.State // after 0, every, 2*every, ... moves
	turns  []games.Side  // whose turn it is after 0, 1, 2, ... moves
}

// newReel replays a match once.
func newTimeline(v *lobby.View) (*timeline, error) {
	p, err := v.Game.New(v.Options)
	if err != nil {
		return nil, err
	}
	r := &timeline{moves: v.Moves, every: max(timelineEvery, (len(v.Moves)+timelineStates-1)/timelineStates)}
	state := p.State()
	r.turns = append(make([]games.Side, 0, len(v.Moves)+1), state.Turn())
	for i, m := range v.Moves {
		if i%r.every == 0 {
			r.states = append(r.states, state.Clone())
		}
		c, legal := state.Code(m)
		if !legal {
			return nil, games.Illegal(m, "not a move of this match")
		}
		state.Play(c)
		r.turns = append(r.turns, state.Turn())
	}
	if len(r.states) == 0 {
		r.states = []games.State{state}
	}
	return r, nil
}

// position returns the position after a number of moves, 0 to all.
func (r *timeline) position(ply int) games.Position {
	from := min(ply/r.every, len(r.states)-1)
	state := r.states[from].Clone()
	for _, m := range r.moves[from*r.every : ply] {
		c, _ := state.Code(m) // newReel has played it
		state.Play(c)
	}
	return state.Position()
}

// scene shows the board after a number of moves, with the last of them marked. before is the scene before that move, nil
// at the start.
func (r *timeline) scene(ply int) (now, before *boardview.Scene) {
	if ply == 0 {
		return boardview.New(r.position(0), nil, ""), nil
	}
	last, m := r.position(ply-1), r.moves[ply-1]
	return boardview.New(r.position(ply), last, m), boardview.New(last, nil, "")
}
