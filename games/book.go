package games

// Booked is an optional ability of a Game: to have an opening book built in, and to make it.
type Booked interface {
	// BookPlans returns the plans of the built-in book.
	BookPlans() []BookPlan

	// NewBookMaker returns a maker that has nothing yet. The error says in words why there can't be such a book.
	NewBookMaker(plan BookPlan) (BookMaker, error)

	// MergeBooks returns the book that is made of the parts of several makers of this game.
	MergeBooks(parts []BookMaker) []byte
}

// A BookPlan says what a book is to cover for one set of options.
type BookPlan struct {
	Options Options // complete
	Full    int     // up to this ply the book has all positions
	Follow  int     // and up to this ply all positions that follow from the moves in the book by any reply
	Nodes   int     // the largest number of positions to look at for one move
}

// A BookMaker makes the part of a book that one plan asks for, ply by ply:
//
//	for n := maker.NextPly(); n > 0; n = maker.NextPly() {
//		for i := range n {
//			maker.Add(i, maker.Choose(i, stop)) // Choose may be called by several goroutines
//		}
//	}
type BookMaker interface {
	// NextPly goes on to the next ply and returns how many of its positions should have a move; 0 at the end. All positions of
	// the ply before must have been handed to Add.
	NextPly() int

	// Ply returns how many plies the positions are after the start.
	Ply() int

	// Choose looks for a move for position i of the ply. It gives up soon after stop has returned true. The same position
	// gives the same choice unless it was stopped.
	Choose(i int, stop func() bool) BookChoice

	// Add puts the choice for position i into the book.
	Add(i int, c BookChoice) error
}

// A BookChoice is what a BookMaker has found for a position.
type BookChoice struct {
	Found bool
	Lost  bool // all moves lose
	Nodes int  // positions looked at
	Move  int  // the maker's own number of the move, if one is found
}
