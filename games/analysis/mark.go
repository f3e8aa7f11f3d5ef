package analysis

import "ludoteca/games"

// What a move must give away to be marked, in thousandths of a point.
const (
	inaccuracy = 100
	mistake    = 200
	blunder    = 300
)

// markOf returns the mark of the move that side played from point to next.
func markOf(point, next *Point, played games.Move, side games.Side) Mark {
	if played == point.Best { // so it is if nothing else could be played
		return Fine
	}
	mark := Fine
	switch lost := shareOf(point.Chance, side) - shareOf(next.Chance, side); {
	case lost >= blunder:
		mark = Blunder
	case lost >= mistake:
		mark = Mistake
	case lost >= inaccuracy:
		mark = Inaccuracy
	}
	if point.betterProven(next, side) {
		mark = max(mark, Mistake)
	}
	return mark
}

// betterProven says whether side had a proven win and now has a proven draw or loss, or had a draw and has a loss.
func (p *Point) betterProven(next *Point, side games.Side) bool {
	switch {
	case p.won(side):
		return next.Proven == ProvenDraw || next.won(side.Other())
	case p.Proven == ProvenDraw:
		return next.won(side.Other())
	}
	return false
}

// won says whether the position is a proven win of side.
func (p *Point) won(side games.Side) bool {
	if side == games.First {
		return p.Proven == ProvenFirst
	}
	return p.Proven == ProvenSecond
}
