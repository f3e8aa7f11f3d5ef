// Package games says what a game is: a named set of rules with options, that makes immutable positions.
//
// Everything else (records, computer players, matches, screens, the command line) works from the interfaces here, so a game
// is one folder below this one, one line in games/catalog and one board view.
// The package and the engines below it are pure: no clock, no randomness of their own, no I/O, no goroutine.
package games

import (
	"slices"
	"strings"
)

// A Side is one of the two players of a game, always in the order of play.
type Side uint8

// The two sides. First makes the first move.
const (
	First Side = iota
	Second
)

// Other returns the opponent of s.
func (s Side) Other() Side { return s ^ 1 }

// String returns "first" or "second", the words of the command line and of stored results.
func (s Side) String() string {
	if s == First {
		return "first"
	}
	return "second"
}

// A Move is the canonical text of a move as the rule sheet of its game gives it: d4, a1-a5, 3:2, e2xe4, swap.
type Move string

// A Result reports whether a position ends its game, and how. The zero value is a game that goes on.
type Result struct {
	Over   bool
	Draw   bool   // only when Over
	Winner Side   // only when Over and not Draw
	Reason string // the reason code of the rule sheet; empty while the game goes on
}

// Won returns the result of a game that side s has won.
func Won(s Side, reason string) Result { return Result{Over: true, Winner: s, Reason: reason} }

// Drawn returns the result of a drawn game.
func Drawn(reason string) Result { return Result{Over: true, Draw: true, Reason: reason} }

// String returns "first", "second", "draw", or "" while the game goes on.
func (r Result) String() string {
	switch {
	case !r.Over:
		return ""
	case r.Draw:
		return "draw"
	default:
		return r.Winner.String()
	}
}

// For returns what a result is worth to a side: 1 if it has won, -1 if it has lost, 0 for a draw and while the game goes on.
func (r Result) For(s Side) int {
	switch {
	case !r.Over || r.Draw:
		return 0
	case r.Winner == s:
		return 1
	}
	return -1
}

// About describes a game to people and to programs. It is fixed data; callers must not change it.
type About struct {
	ID       string            // lower-case letters: what programs and files call the game
	Aliases  []string          // other ids that are accepted where a person or a program names the game
	Name     string            // as printed on its box
	Sentence string            // one sentence that says what the game is, with a full stop
	Brief    [3]string         // the rules in three lines of at most 38 columns, for the space beside a board
	HowTo    string            // the rules for people, in lines of at most 72 columns; a heading starts with "# "
	Options  []Option          // in the order in which a form asks for them
	Sets     []OptionSet       // options with a name, besides Classic; what is missing is the default
	Sides    [2]string         // what the sides are called at the board: "X" and "O", "Bottom" and "Top"
	Reasons  map[string]string // reason code -> the end in words, after "NAME wins: " or "Draw: "; {key} is the value of an option
}

// A Game is one set of rules. Implementations hold no changing state and may be used by any number of goroutines.
type Game interface {
	// About describes the game.
	About() *About

	// New returns the start position. The options must be complete, as Complete returns them; New refuses what
	// Complete would refuse.
	New(o Options) (Position, error)

	// Check looks at rules between options (each value is already known to be in its range) and says in words what
	// does not go together.
	Check(o Options) error

	// Longest returns the largest number of plies that a game with complete options o can last by its rules.
	// bounded is false if no option that is on ends every game, and plies is 0 then. Where only a repetition rule
	// ends the game it is bounded but plies is 0: there is no useful number.
	Longest(o Options) (plies int, bounded bool)

	// Parse reads the one-line text that Position.String writes: the header fields of the rule sheet in any order,
	// then the rows of the board separated by "/". Positions that no game can reach are accepted as far as they
	// have a meaning; anything else is refused with an error in words. Any input is safe.
	Parse(text string) (Position, error)
}

// Find returns the first of some games that has the given id or alias, in any letter case.
func Find(all []Game, name string) (g Game, ok bool) {
	for _, g := range all {
		names := append([]string{g.About().ID}, g.About().Aliases...)
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return g, true
		}
	}
	return nil, false
}

// A Position is an immutable value: Play returns another one. It may be shared by any number of goroutines.
type Position interface {
	// Turn is the side to move; after the end, the side that would have been.
	Turn() Side

	// Legal returns the legal moves sorted as byte strings: empty exactly when Result().Over.
	Legal() []Move

	// Play makes a move given in canonical text. The error is an *IllegalError, which wraps ErrIllegal and names
	// the broken rule; the position itself never changes.
	Play(m Move) (Position, error)

	// Read turns what a person typed into the canonical text of the move that is meant: outer spaces, upper case and
	// the other liberties that the rule sheet names are fine. The error is an *IllegalError if the text can't be a move of
	// this game at all. The move may still be illegal here: Play says so. Any input is safe.
	Read(typed string) (Move, error)

	// Result reports whether the game is over.
	Result() Result

	// Rows is the board text of the rule sheet, top row first, without its header line.
	Rows() []string

	// String is the position in one line, read back by Game.Parse: header, one space, rows joined by "/".
	String() string

	// Options returns the complete options of the game. Callers must not change the map.
	Options() Options

	// State returns a new mutable copy.
	State() State
}

// A Code is an engine's compact form of a move, with a meaning only within one game and one set of options.
type Code uint32

// A State is an engine's mutable position: the whole rules, compact. It plays moves and takes them back, both without
// allocating once its buffers have grown. It is not safe for use by several goroutines.
type State interface {
	// Turn is the side to move.
	Turn() Side

	// Result reports whether the game is over. It is cheap: Play has already worked it out.
	Result() Result

	// Moves appends the codes of all legal moves to dst, in an order of the engine's own; none after the end.
	Moves(dst []Code) []Code

	// Play makes a legal move. What happens after an illegal one is undefined.
	Play(c Code)

	// Undo takes the last Play back. There must be one since the state was made.
	Undo()

	// Clone returns an independent copy, which can't take back what was played before.
	Clone() State

	// Move returns the canonical text of a legal move.
	Move(c Code) Move

	// Code returns the code of a legal move. The error about another one is an *IllegalError, which wraps ErrIllegal
	// and names the broken rule.
	Code(m Move) (Code, error)

	// Freeze returns the present position as an immutable value, without a copy: the state must not be used any more.
	Freeze() Position
}

// LegalMoves returns the texts of the legal moves of a state, sorted as byte strings: what Position.Legal promises.
func LegalMoves(s State) []Move {
	codes := s.Moves(make([]Code, 0, 64))
	moves := make([]Move, len(codes))
	for i, c := range codes {
		moves[i] = s.Move(c)
	}
	slices.Sort(moves)
	return moves
}

// Greedy is an optional ability of a Position: the second level of computer players as the rule sheet of the game
// describes it, or ours where it has none.
type Greedy interface {
	// Greedy returns the moves among which the level chooses, each equally likely, sorted; empty after the end.
	Greedy() []Move
}

// Uniform is an optional ability of a Position, for games whose report lets its random player choose among fewer
// than all legal moves.
type Uniform interface {
	// Uniform returns the moves among which the random player chooses, each equally likely; empty after the end.
	Uniform() []Move
}
