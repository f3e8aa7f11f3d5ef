package ui

import (
	"slices"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
)

// The states that a timeline keeps are at least so many plies apart, and so many at most. The longest match has 30,000 plies:
// a step in it replays some 2,000 of them, in about a millisecond.
const (
	timelineEvery  = 64
	timelineStates = 16
)

// A timeline is a match that can be looked at after any of its moves. It keeps some states, and replays from the nearest one
// before. It is immutable.
type timeline struct {
	moves  []games.Move
	every  int
	states []games.State // after 0, every, 2*every, ... moves
	turns  []games.Side  // whose turn it is after 0, 1, 2, ... moves
}

// newTimeline replays a match once. The error says that a move of it is illegal.
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
		c, err := state.Code(m)
		if err != nil {
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
		c, _ := state.Code(m) // newTimeline has played it
		state.Play(c)
	}
	return state.Position()
}

// scene returns the board after a number of moves, with the last of them marked. before is the scene before that move, nil
// at the start.
func (r *timeline) scene(ply int) (now, before *boardview.Scene) {
	if ply == 0 {
		return boardview.New(r.position(0), nil, ""), nil
	}
	last, m := r.position(ply-1), r.moves[ply-1]
	return boardview.New(r.position(ply), last, m), boardview.New(last, nil, "")
}

// variationPlies is how long a variation gets: nobody tries more moves by hand.
const variationPlies = 1000

// A variation is moves that were not played, from the board after some moves of the match. It is immutable.
type variation struct {
	timeline *timeline
	from     int          // after how many moves of the match
	moves    []games.Move // legal ones
	at       int          // how many of these are on the board
	kind     variationKind
	trying   bool // the player moves on the board; the last move is on it then
}

// A variationKind says what a variation shows.
type variationKind uint8

const (
	betterLine variationKind = iota // what would have been better than the next move of the match
	bestLine                        // what is expected from here
	ownMoves                        // what the player tries
)

// newVariation returns a variation with as much of a line as is legal, and its first move on the board; nil for none.
func newVariation(r *timeline, from int, line []games.Move, kind variationKind) *variation {
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
	return &variation{timeline: r, from: from, moves: line[:legal:legal], at: 1, kind: kind}
}

// to returns the variation with another number of its moves on the board.
func (v *variation) to(at int) *variation {
	next := *v
	next.at = max(min(at, len(v.moves)), 0)
	return &next
}

// play returns the variation with a legal move after the board; ok is false if it is as long as it gets.
func (v *variation) play(m games.Move) (next *variation, ok bool) {
	if v.at >= variationPlies {
		return v, false
	}
	own := *v
	own.moves = append(slices.Clip(v.moves[:v.at]), m)
	own.at, own.kind = len(own.moves), ownMoves
	return &own, true
}

// tryMoves returns an empty variation after a number of moves of the match, for the player to move on.
func tryMoves(t *timeline, from int) *variation {
	return &variation{timeline: t, from: from, kind: ownMoves, trying: true}
}

// try returns the variation as far as it is on the board, for the player to move on.
func (v *variation) try() *variation {
	own := *v
	own.moves = v.moves[:v.at:v.at]
	own.kind, own.trying = ownMoves, true
	return &own
}

// tried returns the variation to be looked at: the player no longer moves.
func (v *variation) tried() *variation {
	own := *v
	own.trying = false
	return &own
}

// back returns the variation without its last move; ok is false if it has none.
func (v *variation) back() (next *variation, ok bool) {
	if v.at == 0 {
		return v, false
	}
	own := *v
	own.moves = v.moves[: v.at-1 : v.at-1]
	own.at = len(own.moves)
	return &own, true
}

// allMoves returns all moves that lead to the board: those of the match, then those of the variation.
func (v *variation) allMoves() []games.Move {
	return slices.Concat(v.timeline.moves[:v.from], v.moves[:v.at])
}

// position returns the position after some of the moves.
func (v *variation) position(at int) games.Position {
	p := v.timeline.position(v.from)
	if at == 0 {
		return p
	}
	state := p.State()
	for _, m := range v.moves[:at] {
		c, _ := state.Code(m) // all of them have been found legal
		state.Play(c)
	}
	return state.Position()
}

// scene returns the board, with the last move marked. before is the scene before that move, nil where the variation begins.
func (v *variation) scene() (now, before *boardview.Scene, last games.Move) {
	if v.at == 0 {
		now, _ = v.timeline.scene(v.from)
		return now, nil, ""
	}
	p, m := v.position(v.at-1), v.moves[v.at-1]
	return boardview.New(v.position(v.at), p, m), boardview.New(p, nil, ""), m
}
