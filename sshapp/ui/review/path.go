package review

import (
	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
)

// A path is where a review stands: after some moves of the match, or in a variation from there. It is a value: every step returns another one.
type path struct {
	view      *lobby.View // nil until it has come
	timeline  *Timeline
	at        int        // after how many moves of the match
	variation *Variation // what was not played, if that is on the board
	ended     bool       // the match has ended since it was read
}

// goTo returns the path after a number of moves of the match, or after all of them if there are fewer.
func (p path) goTo(at int) path {
	p.at, p.variation = max(min(at, len(p.view.Moves)), 0), nil
	return p
}

// step goes some moves on, or back.
func (p path) step(moves int) path {
	if p.variation == nil {
		return p.goTo(p.at + moves)
	}
	p.variation = p.variation.To(p.variation.At + moves)
	return p
}

// trying reports whether the player tries moves: letters are moves now.
func (p path) trying() bool { return p.variation != nil && p.variation.Trying }

// atEnd reports whether the last position of the match is on the board.
func (p path) atEnd() bool { return p.variation == nil && p.at == len(p.view.Moves) }

// shown returns how many moves are on the board, of length moves: of the variation or of the match.
func (p path) shown() int {
	if p.variation != nil {
		return p.variation.At
	}
	return p.at
}

func (p path) length() int {
	if p.variation != nil {
		return len(p.variation.Moves)
	}
	return len(p.view.Moves)
}

// inMatch returns how many moves of the match lead to the board.
func (p path) inMatch() int {
	if p.variation != nil {
		return p.variation.From
	}
	return p.at
}

// moves returns all moves that lead to the board.
func (p path) moves() []games.Move {
	if p.variation != nil {
		return p.variation.AllMoves()
	}
	return p.view.Moves[:p.at:p.at]
}

// board returns the board, with the last move marked, and that move. before is the scene before it, or nil where the line begins.
func (p path) board() (now, before *boardview.Scene, last games.Move) {
	if p.variation != nil {
		return p.variation.Scene()
	}
	now, before = p.timeline.Scene(p.at)
	if p.at > 0 {
		last = p.view.Moves[p.at-1]
	}
	return now, before, last
}

// try lets the player try moves from the board on.
func (p path) try() path {
	if p.variation != nil {
		p.variation = p.variation.Try()
	} else {
		p.variation = TryMoves(p.timeline, p.at)
	}
	return p
}

// done ends the trying. What was tried stays to be looked at.
func (p path) done() path {
	if len(p.variation.Moves) == 0 {
		return p.goTo(p.at)
	}
	p.variation = p.variation.Tried()
	return p
}
