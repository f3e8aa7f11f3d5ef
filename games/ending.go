package games

// An Ending is a Result as an engine keeps it: two bytes, because states keep one for each move that can be taken back. The zero
// value is a game that goes on.
type Ending struct {
	Reason  uint8 // the engine's number of the reason, from 1
	Outcome int8  // for the side that would be to move: 1 it has won, -1 it has lost, 0 it is a draw
}

// Running reports whether the game goes on.
func (e Ending) Running() bool { return e.Reason == 0 }

// Over reports whether the game is over, and the outcome for the side that would be to move.
func (e Ending) Over() (over bool, outcome int) { return e.Reason != 0, int(e.Outcome) }

// ResultOf returns the result of a game with a side to move. codes are the engine's reason codes by their numbers.
func (e Ending) ResultOf(turn Side, codes []string) Result {
	switch {
	case e.Reason == 0:
		return Result{}
	case e.Outcome == 0:
		return Drawn(codes[e.Reason])
	case e.Outcome > 0:
		return Won(turn, codes[e.Reason])
	}
	return Won(turn.Other(), codes[e.Reason])
}
