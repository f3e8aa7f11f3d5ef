package games

// MaxEvaluation is the largest number that Search.Evaluate may return, either way. What is decided counts more.
const MaxEvaluation = 20_000

// Searchable is an optional ability of a State, which computer players that search ask for.
type Searchable interface {
	// Search returns the present position to search. It shares nothing with the state that changes later.
	Search() Search
}

// A Weight is a number that an evaluation is made of, and what it is called.
type Weight struct {
	Name  string
	Value int
}

// Tunable is an optional ability of a State: to be searched with other weights than the game's own, so that better
// ones can be looked for.
type Tunable interface {
	Searchable

	// Weights returns the game's own weights.
	Weights() []Weight

	// SearchWith is Search with these values in place of the game's own, as many and in the same order. It does not
	// keep the list.
	SearchWith(values []int) Search
}

// ValuesOf returns the values of weights, for Tunable.SearchWith.
func ValuesOf(weights []Weight) []int {
	values := make([]int, len(weights))
	for i, w := range weights {
		values[i] = w.Value
	}
	return values
}

// A Ranked is a move with a guess at how good it is, by which moves are put in order before they are tried.
type Ranked struct {
	Code Code

	// Rank says how early a move is tried: it is 0 for a move of which nothing is known, more for a move that captures,
	// threatens or wins, and less for a move that seems bad. It is from -100,000 to 100,000.
	Rank int32
}

// A Search is a position to search: it takes moves back as fast as it makes them, follows all the rules,
// those about repetition and limits included, and knows what positions are worth. It allocates nothing once its buffers
// have grown and is not safe for use by several goroutines.
type Search interface {
	// Turn is the side to move.
	Turn() Side

	// Over reports whether the game is over, and the outcome for the side that would be to move: 1 is a win, -1 a loss,
	// 0 a draw.
	Over() (over bool, outcome int)

	// Moves appends all legal moves; none after the end.
	Moves(dst []Ranked) []Ranked

	// Noisy appends the legal moves that may change the evaluation at one blow, such as captures. must says that
	// the side to move can't leave it at the evaluation and has to choose one of them; there is at least one then.
	Noisy(dst []Ranked) (moves []Ranked, must bool)

	// Play makes a legal move.
	Play(c Code)

	// Pass gives the turn to the other side without a move and returns true. Where having to move may be a burden, a pass
	// would prove nothing: there Pass does nothing and returns false. No game allows a pass; the search uses it for null
	// moves.
	Pass() bool

	// Undo takes the last Play or Pass back.
	Undo()

	// Evaluate says what a running game is worth to the side to move, from -MaxEvaluation to MaxEvaluation; a man,
	// a marble or the like counts some 100.
	Evaluate() int

	// Key is a hash of everything that matters for the rest of the game. Earlier positions that a repetition rule
	// remembers don't enter.
	Key() uint64
}

// Staged is an optional ability of a Search in which listing all moves takes long. The move picker asks it for the moves
// that it would try first, and lists the others only if these were not enough. None of the methods is called after the end.
type Staged interface {
	// Best returns the move to which Moves gives the highest rank, the first in its list of several such. ok is false
	// if that rank is below least, which is above 0.
	Best(least int32) (c Code, ok bool)

	// Legal reports whether c is the code of a legal move here. c may be any number: the code of a move in another position
	// of the game, or of no move at all.
	Legal(c Code) bool

	// Forced reports whether there is exactly one legal move.
	Forced() bool
}

// An Advisor is an optional ability of a Search, for games in which some moves can be proven to be best.
type Advisor interface {
	// Advise returns moves of which none is worse than any other legal move. It looks at nodes positions at most, calls
	// stop now and then, and ends soon after stop has returned true. It allocates its memory anew for each call. The same
	// position and number of nodes give the same advice unless it was stopped.
	Advise(nodes int, stop func() bool) Advice
}

// Advice is what an Advisor knows about the moves of a position.
type Advice struct {
	Moves    []Code // the moves worth searching; none means all
	Complete bool   // the others are proven to be no better
	Held     bool   // these moves are proven not to lose
	Nodes    int    // how many positions it has looked at
}

// Attacked is an optional ability of a Search, for games in which a look at a position tells much about whether one side, the
// attacker, can force a win. Proofs ask for it. Positions of such a game never come up again.
type Attacked interface {
	// Attack looks at the present position, which is not over. If the outlook is Open, Attack appends the moves that are worth
	// a try: the other moves help neither side. If the side to move has reached its aim, Attack appends moves that keep it; for
	// the attacker these are moves that win at once. An outlook of Forced with the other side to move means that the attacker
	// wins with its next move. key is a hash of all that decides whether and how the attack succeeds: open positions with the
	// same key have the same answer by the same moves.
	Attack(attacker Side, dst []Code) (moves []Code, key uint64, outlook Outlook)
}

// An Outlook is what a look at a position tells about an attack.
type Outlook int8

// The outlooks. Open says nothing.
const (
	Open   Outlook = iota
	Forced         // the attacker can force a win
	Held           // the attacker can't
)
