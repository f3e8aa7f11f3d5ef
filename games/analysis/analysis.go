// Package analysis says where a game was won and lost: what every position of it was worth, which moves threw something
// away, and what would have been better.
package analysis

import "ludoteca/games"

// Version is that of the method: an analysis of an older version is made anew.
const Version = 1

// An Analysis is what is known of one game. It is immutable.
type Analysis struct {
	Version int
	Nodes   int     // how many positions were looked at for each position of the game
	Points  []Point // Points[i] is the position after i moves: one more than there are moves
}

// A Point is one position of the game.
type Point struct {
	// Value is what the position is worth to the first side, from -games.MaxEvaluation to games.MaxEvaluation; a man,
	// marble or whatever the game is about is some 100. A decided or proven position is at the end of that range, a
	// drawn one is 0.
	Value int

	// Chance is the share of the points that the first side may expect from here, from 0 to 1: Value on a scale that
	// people can read, which is also that of the graph and of the marks.
	Chance float64

	// Proven says that the value is no estimate: it has been proven, and checked against every defence. The position
	// after the last move of a game that its rules ended is proven too.
	Proven Verdict
	Plies  int // to the end, if Proven is a win, at most, against any defence; 0 if the game is over

	Best games.Move   // the best move found; "" after the end
	Line []games.Move // what both sides are then expected to play, Best first, at most MaxLine moves

	Mark Mark // of the move that was played from here
}

// MaxLine is the length in plies of the longest line that an analysis keeps.
const MaxLine = 16

// A Verdict is a proven value.
type Verdict uint8

// The verdicts. The numbers are stored; never change them.
const (
	Unproven Verdict = iota
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
