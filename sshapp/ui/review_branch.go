package ui

import (
	"slices"

	"ludoteca/games"
	"ludoteca/sshapp/ui/boardview"
)

// branchPlies is how long a branch gets: nobody tries more moves by hand.
const branchPlies = 1000

// A branch is moves that were not played: they leave the match after some of its moves. A branch is never changed once
// made.
type branch struct {
	reel    *reel
	from    int          // after how many moves of the match
	moves   []games.Move // legal ones
	at      int          // how many of these are on the board
	kind    branchKind
	playing bool // the reader moves on the board; the last move is on it then
}

// A branchKind is what a branch is there for.
type branchKind uint8

const (
	betterLine branchKind = iota // what would have been better than the next move of the match
	bestLine                     // what is expected from here
	ownMoves                     // what the reader wants to try
)

// lineOf returns a branch with as much of a line as can be played, and its first move on the board; nil for none.
func lineOf(r *reel, from int, line []games.Move, kind branchKind) *branch {
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
	return &branch{reel: r, from: from, moves: line[:legal:legal], at: 1, kind: kind}
}

// to returns the branch with another number of its moves on the board.
func (b *branch) to(at int) *branch {
	next := *b
	next.at = max(min(at, len(b.moves)), 0)
	return &next
}

// play returns the branch after a legal move of the reader; ok is false if it is long enough.
func (b *branch) play(m games.Move) (next *branch, ok bool) {
	if b.at >= branchPlies {
		return b, false
	}
	own := *b
	own.moves = append(slices.Clip(b.moves[:b.at]), m)
	own.at, own.kind = len(own.moves), ownMoves
	return &own, true
}

// back returns the branch without its last move; ok is false if it has none.
func (b *branch) back() (next *branch, ok bool) {
	if b.at == 0 {
		return b, false
	}
	own := *b
	own.moves = b.moves[: b.at-1 : b.at-1]
	own.at = len(own.moves)
	return &own, true
}

// whole are all moves that lead to the board: those of the match, then those of the branch.
func (b *branch) whole() []games.Move {
	return slices.Concat(b.reel.moves[:b.from], b.moves[:b.at])
}

// position returns the position after some of the moves.
func (b *branch) position(at int) games.Position {
	p := b.reel.position(b.from)
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
func (b *branch) scene() (now, before *boardview.Scene, last games.Move) {
	if b.at == 0 {
		now, _ = b.reel.scene(b.from)
		return now, nil, ""
	}
	p, m := b.position(b.at-1), b.moves[b.at-1]
	return boardview.Of(b.position(b.at), p, m), boardview.Of(p, nil, ""), m
}
