// Package boardview shows positions: drawn on a canvas of any size in UTF-8 or ASCII, and in plain words.
//
// A Scene is a position prepared for it. It knows what can be chosen, by keys, by clicks and by typing, and which move a
// selection means; it draws itself, with marks for the last move; and it knows the facts that stand beside the board.
//
//	position, the one before, last move --New--> Scene --Fit--> Layout --Draw--> canvas
//	                                               ^               |
//	                                   Selection --+-- keys, clicks+
//
// A Scene is immutable, a Selection is a value, and nothing here does I/O. A new game is one more file, with a function that
// makes its Scene, and a line in New.
package boardview

import (
	"strings"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/games/fourmation"
	"ludoteca/games/momentum"
	"ludoteca/games/petteia"
	"ludoteca/games/tanks"
	"ludoteca/sshapp/text"
)

// A Spot is a place that can be chosen: a cell of a square board, counted row by row from a1; a wheel of Flügelrad, or,
// once a wheel is chosen, how far to turn it.
type Spot int

// Nowhere is no spot.
const Nowhere Spot = -1

// A Selection is what a player has chosen on the board.
type Selection struct {
	Cursor Spot
	From   Spot // what has been chosen first, a piece or a wheel, or Nowhere
}

// A Scene is one position, ready to be shown. It is immutable.
type Scene struct {
	pos     games.Position
	choices []choice
	board   surface
	facts   facts
}

// A surface is the kind of board that a scene is drawn on.
type surface interface {
	// start returns where the cursor of a player of a side stands at first.
	start(side games.Side) Spot

	// lastMove returns the place where the last move went, or start.
	lastMove() Spot

	// valid reports whether a selection is one of this board.
	valid(sel Selection) bool

	// arrow moves the cursor by one step, in directions of the screen.
	arrow(sel Selection, dx, dy int, flip bool) Selection

	// pick returns the selection with what is under the cursor chosen first, release with nothing chosen.
	pick(sel Selection) Selection
	release(sel Selection) Selection

	// attempt returns the text of the move that the selection stands for, legal or not.
	attempt(sel Selection) string

	// refuse says why nothing can be chosen first at a spot; nil leaves that to the rules of the game.
	refuse(at Spot, turn games.Side) error

	// fit chooses the size of the drawing, draw draws it, and spot returns the place at a cell of it.
	fit(w, h int, st State) Layout
	draw(d drawing, s *Scene, l Layout, st State)
	spot(l Layout, st State, x, y int) Spot

	// plainLayout returns the layout for plain text.
	plainLayout() Layout

	// cursorCell returns the cell where the terminal's own cursor belongs.
	cursorCell(l Layout, st State) (x, y int)

	// pieces lists the places of a side's pieces in words.
	pieces(side games.Side) []string

	// turns reports whether the board can be turned round, and sided whether each side plays from its own edge.
	turns() (can, sided bool)
}

// facts is what a game has to say beside its board.
type facts interface {
	// standing says in few words how a side stands, for the line below the player's name; "" for nothing.
	standing(say text.Say, side games.Side) string

	// notes says how things stand, what matters most first. names are the players.
	notes(say text.Say, names [2]string) []Note

	// effect says in few words what else a legal move would do; "" for nothing.
	effect(say text.Say, m games.Move) string
}

// pieceKinds is an optional ability of facts, for games with pieces of several kinds: their letters.
type pieceKinds interface{ kindLetters(side games.Side) string }

// legend is an optional ability of facts: what the signs on the board mean.
type legend interface {
	legend(say text.Say, ascii bool) string
}

// reserves is an optional ability of facts, for games with pieces in hand: how many a side has.
type reserves interface{ Hand(side games.Side) int }

// A Note is a sentence about how things stand.
type Note struct {
	Words  string
	Urgent bool   // it matters for the very next move
	You    string // the words for the side to move, if they are others
}

// New prepares a position. before is the position from which last led to it; both are zero if that is unknown or there was no
// move yet. A game without a view of its own is drawn from its board text and takes typed moves.
func New(p, before games.Position, last games.Move) *Scene {
	if before == nil {
		last = ""
	}
	switch p := p.(type) {
	case *momentum.Position:
		return momentumScene(p, before, last)
	case *petteia.Position:
		return petteiaScene(p, before, last)
	case *fourmation.Position:
		return fourmationScene(p, last)
	case *flugelrad.Position:
		return flugelradScene(p, before, last)
	case *tanks.Position:
		return tanksScene(p, before, last)
	}
	return plainScene(p)
}

// Position returns the position of the scene.
func (s *Scene) Position() games.Position { return s.pos }

// AtLastMove returns the selection with the cursor where the last move went.
func (s *Scene) AtLastMove() Selection { return Selection{s.board.lastMove(), Nowhere} }

// Start returns the selection with which a player of a side, or a spectator, comes to the board.
func (s *Scene) Start(side games.Side) Selection { return Selection{s.board.start(side), Nowhere} }

// Turns reports whether the board can be turned round, and whether each side plays from its own edge, which players should
// see at the bottom.
func (s *Scene) Turns() (can, sided bool) { return s.board.turns() }

// Standing says in few words how a side stands: "in hand 4"; "" for nothing.
func (s *Scene) Standing(say text.Say, side games.Side) string { return s.facts.standing(say, side) }

// Reserve returns a token for each piece that a side has in hand; "" in games without such pieces.
func (s *Scene) Reserve(side games.Side, ascii bool) string {
	if h, ok := s.facts.(reserves); ok {
		return strings.Repeat(string(token(side, ascii)), h.Hand(side))
	}
	return ""
}

// Legend says what the signs on the board mean; "" for nothing.
func (s *Scene) Legend(say text.Say, ascii bool) string {
	if f, ok := s.facts.(legend); ok {
		return f.legend(say, ascii)
	}
	return ""
}

// Notes says how things stand, what matters most first. names are the players.
func (s *Scene) Notes(say text.Say, names [2]string) []Note { return s.facts.notes(say, names) }

// Effect says in few words what else a legal move would do: "captures d4"; "" for nothing.
func (s *Scene) Effect(say text.Say, m games.Move) string {
	if m == "" {
		return ""
	}
	return s.facts.effect(say, m)
}

// Token returns how the pieces of a side are shown, in a few cells.
func (s *Scene) Token(side games.Side, ascii bool) string {
	if k, ok := s.facts.(pieceKinds); ok {
		return k.kindLetters(side)
	}
	return string(token(side, ascii))
}
