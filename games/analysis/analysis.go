// Package analysis says where a game was won and lost: what every position of it was worth, which moves threw something
// away, and what would have been better.
package analysis

import (
	"math"

	"ludoteca/games"
)

// Version is the version of the analysis method. An analysis by an older version is made anew.
const Version = 3

// An Analysis is what is known of one game. It is immutable.
type Analysis struct {
	Version int
	Nodes   int     // how many positions were looked at for each position of the game
	Points  []Point // Points[i] is the position after i moves: one more than there are moves
}

// A Point is one position of the game.
type Point struct {
	// Value is what the position is worth to the first side, from -games.MaxEvaluation to games.MaxEvaluation; a man,
	// a marble or the like is some 100. A decided or proven position is at the end of that range, a
	// drawn one is 0.
	Value int

	// Chance is the share of the points that the first side may expect from here, from 0 to 1: Value on a scale that
	// people can read. The graph and the marks use the same scale.
	Chance float64

	// Proven says that the value is no estimate: it has been proven, and checked against every defence. The position
	// after the last move of a game that its rules ended is proven too.
	Proven Judgement
	Plies  int // to the end, if Proven is a win, at most, against any defence; 0 if the game is over

	Best games.Move   // the best move found; "" after the end
	Line []games.Move // what both sides are then expected to play, Best first, at most MaxLine moves

	Mark Mark        // of the move that was played from here
	Why  games.Claim `json:",omitzero"` // one reason for the mark; the zero value if none is known
}

// MaxLine is the length in plies of the longest line that an analysis keeps.
const MaxLine = 16

// A Judgement is a proven value.
type Judgement uint8

// The judgements. The numbers are stored; never change them.
const (
	Unproven Judgement = iota
	ProvenFirst
	ProvenSecond
	ProvenDraw
)

// A Mark says how much a move gave away.
type Mark uint8

// The marks, by the size of what was given away: a tenth of a point at least, a fifth, three tenths. The numbers are
// stored; never change them.
const (
	Fine       Mark = iota
	Inaccuracy      // ?!
	Mistake         // ?
	Blunder         // ??
)

// String returns the word that programs print for a judgement: "" while nothing is proven.
func (v Judgement) String() string {
	switch v {
	case ProvenFirst:
		return games.First.String()
	case ProvenSecond:
		return games.Second.String()
	case ProvenDraw:
		return "draw"
	}
	return ""
}

// String returns the word that programs print for a mark: "" for a move that needs none.
func (m Mark) String() string {
	switch m {
	case Inaccuracy:
		return "inaccuracy"
	case Mistake:
		return "mistake"
	case Blunder:
		return "blunder"
	}
	return ""
}

// Sign returns the sign that people write after a move: "?!", "?", "??", or "".
func (m Mark) Sign() string { return [...]string{"", "?!", "?", "??"}[m] }

// decided reports whether the position is a proven win of either side.
func (p *Point) decided() bool { return p.Proven == ProvenFirst || p.Proven == ProvenSecond }

// Chances are kept in thousandths: more than an estimate is worth, and few enough to be stored and compared exactly.
const (
	sure  = 1000
	drawn = 0.5
)

// chanceOf returns the share of the points that the first side may expect from an estimate: never none or all of them,
// which only a proof can promise.
func chanceOf(value int, scale float64) float64 {
	return estimate(1 / (1 + math.Exp(-float64(value)/scale)))
}

// estimate rounds a chance to thousandths, and keeps it off 0 and 1, which only a proof can promise.
func estimate(chance float64) float64 {
	return min(max(math.Round(chance*sure), 1), sure-1) / sure
}

// shareOf returns the thousandths that are left to a side.
func shareOf(chance float64, side games.Side) int {
	first := int(math.Round(chance * sure))
	if side == games.First {
		return first
	}
	return sure - first
}

// What a move must give away to be marked, in thousandths of a point.
const (
	inaccuracy = 100
	mistake    = 200
	blunder    = 300
)

// markOf returns the mark of the move that side played from point to next.
func markOf(point, next *Point, played games.Move, side games.Side) Mark {
	if played == point.Best { // always so for the only move
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
	if point.threwProofAway(next, side) {
		mark = max(mark, Mistake)
	}
	return mark
}

// threwProofAway reports whether side had a proven win and now has a proven draw or loss, or had a draw and has a loss.
func (p *Point) threwProofAway(next *Point, side games.Side) bool {
	switch {
	case p.won(side):
		return next.Proven == ProvenDraw || next.won(side.Other())
	case p.Proven == ProvenDraw:
		return next.won(side.Other())
	}
	return false
}

// Winner returns the side whose win is proven, if a win is.
func (p *Point) Winner() (winner games.Side, won bool) {
	switch p.Proven {
	case ProvenFirst:
		return games.First, true
	case ProvenSecond:
		return games.Second, true
	}
	return games.First, false
}

// won reports whether the position is a proven win of side.
func (p *Point) won(side games.Side) bool {
	winner, won := p.Winner()
	return won && winner == side
}
