package ui

import (
	"slices"

	"ludoteca/games"
	"ludoteca/sshapp/ui/boardview"
)

// branchPlies is how long a branch gets: nobody tries more moves by hand.
const variationPlies = 1000

// A branch is moves that were not played: they leave the match after some of its moves. A branch is never changed once
// made.
type variation struct {
	timeline *timeline
	from     int          // after how many moves of the match
	moves    []games.Move // legal ones
	at       int          // how many of these are on the board
	kind     variationKind
	trying   bool // the reader moves on the board; the last move is on it then
}

// A branchKind is what a branch is there for.
type variationKind uint8

const (
	betterLine variationKind = iota // what would have been better than the next move of the match
	bestLine                        // what is expected from here
	ownMoves                        // what the reader wants to try
)

// lineOf returns a branch with as much of a line as can be played, and its first move on the board; nil for none.
func newVariation(r *timeline, from int, line []games.Move, kind variationKind) *variation {
	state := r.position(from).State()
	legal := 0
	for _, m := range line {
		c, ok := state.Code(m)
		if !ok || state.Result().Over {
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

// to returns the branch with another number of its moves on the board.
func (b *variation) to(at int) *variation {
	next := *b
	next.at = max(min(at, len(b.moves)), 0)
	return &next
}

// play returns the branch after a legal move of the reader; ok is false if it is long enough.
func (b *variation) play(m games.Move) (next *variation, ok bool) {
	if b.at >= variationPlies {
		return b, false
	}
	own := *b
	own.moves = append(slices.Clip(b.moves[:b.at]), m)
	own.at, own.kind = len(own.moves), ownMoves
	return &own, true
}

// back returns the branch without its last move; ok is false if it has none.
func (b *variation) back() (next *variation, ok bool) {
	if b.at == 0 {
		return b, false
	}
	own := *b
	own.moves = b.moves[: b.at-1 : b.at-1]
	own.at = len(own.moves)
	return &own, true
}

// whole are all moves that lead to the board: those of the match, then those of the branch.
func (b *variation) allMoves() []games.Move {
	return slices.Concat(b.timeline.moves[:b.from], b.moves[:b.at])
}

// position returns the position after some of the moves.
func (b *variation) position(at int) games.Position {
	p := b.timeline.position(b.from)
	if at == 0 {
		return p
	}
	state := p.State()
	for _, m := range b.moves[:at] {
		c, _ := state.Code(m) // all of them have been found legal
		state.Play(c)
	}
	return state.Position()
}

// scene shows the board, with the last move marked. before is the scene before that move, nil where the branch begins.
func (b *variation) scene() (now, before *boardview.Scene, last games.Move) {
	if b.at == 0 {
		now, _ = b.timeline.scene(b.from)
		return now, nil, ""
	}
	p, m := b.position(b.at-1), b.moves[b.at-1]
	return boardview.New(b.position(b.at), p, m), boardview.New(p, nil, ""), m
}
