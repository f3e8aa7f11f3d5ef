package games

// A Claim is one reason why a move was a mistake. It is data; sentences are made of it elsewhere. A claim is true by the rules: playing on
// from the position shows what its kind says.
type Claim struct {
	Kind  string   // what is claimed: WouldWin, LetsWin, or a kind of the game; "" for no claim
	Move  Move     // the better move, or the reply of the other side; "" if there is none to name
	Cells []string // the places on the board that it is about, sorted
	Count int      // how many things it is about, or how many moves
}

// The kinds of claims that every game knows.
const (
	// WouldWin: Move would have won within Count moves of the side, whatever the other side does. The move played doesn't.
	WouldWin = "would_win"

	// LetsWin: after the move played the other side wins within Count of its moves, the first of which is Move.
	LetsWin = "lets_win"
)

// An Explainer is an optional ability of a Position: to say what the rules show about a mistake.
type Explainer interface {
	// Explain returns what the move played gives away in comparison with the move better, the most important claim first. Both moves are
	// legal here. An engine documents what each of its kinds means.
	Explain(played, better Move) []Claim
}
