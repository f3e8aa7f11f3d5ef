// Package review holds what a review of a match shows: the board after each move, variations from what was played, and the
// analysis in words and as a graph.
package review

import (
	"slices"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
)

// A timeline keeps at most timelineStates states, at least timelineEvery plies apart. The longest match has 30,000 plies:
// a step in it replays some 2,000 of them, in about a millisecond.
const (
	timelineEvery  = 64
	timelineStates = 16
)

// A Timeline returns the board of a match after any of its moves. It keeps some states, and replays moves from the nearest earlier
// one. It is immutable.
type Timeline struct {
	moves  []games.Move
	every  int
	states []games.State // after 0, every, 2*every, ... moves
	Turns  []games.Side  // the side to move after 0, 1, 2, ... moves
}

// NewTimeline replays a match once. It returns an error if a move of the match is illegal.
func NewTimeline(v *lobby.View) (*Timeline, error) {
	p, err := v.Initial()
	if err != nil {
		return nil, err
	}
	r := &Timeline{moves: v.Moves, every: max(timelineEvery, (len(v.Moves)+timelineStates-1)/timelineStates)}
	state := p.State()
	r.Turns = append(make([]games.Side, 0, len(v.Moves)+1), state.Turn())
	for i, m := range v.Moves {
		if i%r.every == 0 {
			r.states = append(r.states, state.Clone())
		}
		c, err := state.Code(m)
		if err != nil {
			return nil, games.Illegal(m, "not a move of this match")
		}
		state.Play(c)
		r.Turns = append(r.Turns, state.Turn())
	}
	if len(r.states) == 0 {
		r.states = []games.State{state}
	}
	return r, nil
}

// position returns the position after a number of moves, 0 to all.
func (r *Timeline) position(ply int) games.Position {
	from := min(ply/r.every, len(r.states)-1)
	state := r.states[from].Clone()
	for _, m := range r.moves[from*r.every : ply] {
		c, _ := state.Code(m) // newTimeline has played it
		state.Play(c)
	}
	return state.Freeze()
}

// Scene returns the board after ply moves, with the last of them marked. before is the scene before that move, or nil
// at the start.
func (r *Timeline) Scene(ply int) (now, before *boardview.Scene) {
	if ply == 0 {
		return boardview.New(r.position(0), nil, ""), nil
	}
	last, m := r.position(ply-1), r.moves[ply-1]
	return boardview.New(r.position(ply), last, m), boardview.New(last, nil, "")
}

// variationPlies is the largest number of moves in a variation, more than a player tries by hand.
const variationPlies = 1000

// A Variation is a line of moves that were not played, after some moves of the match. It is immutable.
type Variation struct {
	timeline *Timeline
	From     int          // after how many moves of the match
	Moves    []games.Move // legal ones
	At       int          // how many of these are on the board
	Kind     VariationKind
	Trying   bool // the player moves on the board; the last move is on it then
}

// A VariationKind is the purpose of a variation.
type VariationKind uint8

const (
	BetterLine VariationKind = iota // what would have been better than the next move of the match
	BestLine                        // what is expected from here
	OwnMoves                        // what the player tries
)

// NewVariation returns a variation with the legal part of a line and its first move on the board. It returns nil if there is no legal move.
func NewVariation(r *Timeline, from int, line []games.Move, kind VariationKind) *Variation {
	state := r.position(from).State()
	legal := 0
	for _, m := range line {
		c, err := state.Code(m)
		if err != nil || state.Result().Over {
			break
		}
		state.Play(c)
		legal++
	}
	if legal == 0 {
		return nil
	}
	return &Variation{timeline: r, From: from, Moves: line[:legal:legal], At: 1, Kind: kind}
}

// To returns the variation with another number of its moves on the board.
func (v *Variation) To(at int) *Variation {
	next := *v
	next.At = max(min(at, len(v.Moves)), 0)
	return &next
}

// Play returns the variation with a legal move added after the shown board. ok is false if the variation has its full length.
func (v *Variation) Play(m games.Move) (next *Variation, ok bool) {
	if v.At >= variationPlies {
		return v, false
	}
	own := *v
	own.Moves = append(slices.Clip(v.Moves[:v.At]), m)
	own.At, own.Kind = len(own.Moves), OwnMoves
	return &own, true
}

// TryMoves returns an empty variation after a number of moves of the match, for the player to move on.
func TryMoves(t *Timeline, from int) *Variation {
	return &Variation{timeline: t, From: from, Kind: OwnMoves, Trying: true}
}

// Try returns the variation up to the shown board, for the player to move on.
func (v *Variation) Try() *Variation {
	own := *v
	own.Moves = v.Moves[:v.At:v.At]
	own.Kind, own.Trying = OwnMoves, true
	return &own
}

// Tried returns the variation for looking at it only: the player no longer moves.
func (v *Variation) Tried() *Variation {
	own := *v
	own.Trying = false
	return &own
}

// Back returns the variation without its last move; ok is false if it has none.
func (v *Variation) Back() (next *Variation, ok bool) {
	if v.At == 0 {
		return v, false
	}
	own := *v
	own.Moves = v.Moves[: v.At-1 : v.At-1]
	own.At = len(own.Moves)
	return &own, true
}

// AllMoves returns all moves that lead to the board: first moves of the match, then moves of the variation.
func (v *Variation) AllMoves() []games.Move {
	return slices.Concat(v.timeline.moves[:v.From], v.Moves[:v.At])
}

// position returns the position after some of the moves.
func (v *Variation) position(at int) games.Position {
	p := v.timeline.position(v.From)
	if at == 0 {
		return p
	}
	state := p.State()
	for _, m := range v.Moves[:at] {
		c, _ := state.Code(m) // all of them have been found legal
		state.Play(c)
	}
	return state.Freeze()
}

// Scene returns the board, with the last move marked. before is the scene before that move, or nil where the variation begins.
func (v *Variation) Scene() (now, before *boardview.Scene, last games.Move) {
	if v.At == 0 {
		now, _ = v.timeline.Scene(v.From)
		return now, nil, ""
	}
	p, m := v.position(v.At-1), v.Moves[v.At-1]
	return boardview.New(v.position(v.At), p, m), boardview.New(p, nil, ""), m
}
