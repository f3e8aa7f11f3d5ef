package games

// Puzzled is an optional ability of a Game: it comes with puzzles.
type Puzzled interface {
	// Puzzles returns the puzzles as text, which package puzzle reads.
	Puzzles() string
}

// Symmetric is an optional ability of a Game: its board can be turned or mirrored, or its sides exchanged, without a change to
// what the best moves are.
type Symmetric interface {
	// Canonical returns the same text for all positions of this game with the same options that turn into each other, and
	// another text for other positions. Moves played and the like, which count only towards a draw, may be left out.
	Canonical(p Position) string
}
