// Package boardview shows positions as text: drawn for a screen of any size in UTF-8 or ASCII, and in plain words.
//
// A Scene is a position prepared for it. It knows what can be chosen, by keys, by clicks and by typing, and which move a
// choice means; it draws itself, with marks for the last move; and it knows the facts that stand beside the board.
//
//	position, the one before, last move --Of--> Scene --Fit--> Layout --Draw--> lines
//	                                              ^               |
//	             Hand: cursor, what is held ------+-- keys, clicks+
//
// A Scene is immutable, a Hand is a value, and nothing here does I/O. A new game is one more file, with a function that
// makes its Scene, and a line in Of.
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
// once that is held, how far to turn it.
type Spot int

// Nowhere is no spot.
const Nowhere Spot = -1

// A Hand is where a player's hand is.
type Selection struct {
	Cursor Spot // the cursor
	From   Spot // what has been chosen first, or Nowhere
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
	// begin is where the cursor of a player of a side stands at first.
	start(side games.Side) Spot

	// newest is the place where the last move went, or begin.
	lastMove() Spot

	// valid says whether a hand can still be as it is.
	valid(h Selection) bool

	// arrow moves the hand by one step, in directions of the screen.
	arrow(h Selection, dx, dy int, flip bool) Selection

	// hold is the hand after it has taken what is under the cursor, release after it has let go.
	pick(h Selection) Selection
	release(h Selection) Selection

	// attempt is the text of the move that the hand stands for, legal or not.
	attempt(h Selection) string

	// refuse says why nothing can be taken up at a spot; nil leaves that to the rules of the game.
	refuse(at Spot, turn games.Side) error

	// fit chooses the size of the drawing, draw draws it, and spot is the place at a cell of it.
	fit(w, h int, st State) Layout
	draw(d drawing, s *Scene, l Layout, st State)
	spot(l Layout, st State, x, y int) Spot

	// plain is the layout for plain text.
	plainLayout() Layout

	// point is the cell where the terminal's own cursor belongs.
	cursorCell(l Layout, st State) (x, y int)

	// pieces lists the places of a side's pieces in words.
	pieces(side games.Side) []string

	// turns says whether the board can be turned round, and sided whether each side plays from its own edge.
	turns() (can, sided bool)
}

// facts is what a game has to say beside its board.
type facts interface {
	// standing is a side's part in few words, for the line below the player's name; "" if there is nothing.
	standing(say text.Say, side games.Side) string

	// notes says how things stand, what matters most first. names are the players.
	notes(say text.Say, names [2]string) []Note

	// does says in few words what a legal move would do beside its plain effect.
	effect(say text.Say, m games.Move) string
}

// kinds is an optional ability of facts, for games with pieces of several kinds: their letters.
type pieceKinds interface{ kindLetters(side games.Side) string }

// signs is an optional ability of facts: what the signs on the board mean.
type legend interface {
	legend(say text.Say, ascii bool) string
}

// hands is an optional ability of facts, for games with pieces beside the board: how many a side has there.
type reserves interface{ Hand(side games.Side) int }

// A Note is a sentence about how things stand.
type Note struct {
	Words  string
	Urgent bool   // it matters for the very next move
	You    string // the words for the one to move, if they are others
}

// Of prepares a position. before is the position from which last led to it; both are zero if that is unknown or there was
// no move yet. A game without a view of its own is drawn from its board text and takes typed moves.
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

// Newest is the hand at the place where the last move went.
func (s *Scene) AtLastMove() Selection { return Selection{s.board.lastMove(), Nowhere} }

// Begin returns the hand with which a player of a side, or whoever watches, comes to the board.
func (s *Scene) Start(side games.Side) Selection { return Selection{s.board.start(side), Nowhere} }

// Turns says whether the board can be turned round, and whether each side plays from its own edge, so that everybody should
// see his own at the bottom.
func (s *Scene) Turns() (can, sided bool) { return s.board.turns() }

// Standing is a side's part in few words: "in hand 4"; "" if there is nothing to say.
func (s *Scene) Standing(say text.Say, side games.Side) string { return s.facts.standing(say, side) }

// Hand shows the pieces that a side has yet to place, one token each; "" if the game has no such.
func (s *Scene) Reserve(side games.Side, ascii bool) string {
	if h, ok := s.facts.(reserves); ok {
		return strings.Repeat(string(token(side, ascii)), h.Hand(side))
	}
	return ""
}

// Signs says what the signs on the board mean; "" if there is nothing to say.
func (s *Scene) Legend(say text.Say, ascii bool) string {
	if f, ok := s.facts.(legend); ok {
		return f.legend(say, ascii)
	}
	return ""
}

// Notes says how things stand, what matters most first. names are the players.
func (s *Scene) Notes(say text.Say, names [2]string) []Note { return s.facts.notes(say, names) }

// Does says in few words what a legal move would do beside its plain effect: "captures d4"; "" for nothing.
func (s *Scene) Effect(say text.Say, m games.Move) string {
	if m == "" {
		return ""
	}
	return s.facts.effect(say, m)
}

// Token is how the pieces of a side are shown, in a few cells.
func (s *Scene) Token(side games.Side, ascii bool) string {
	if k, ok := s.facts.(pieceKinds); ok {
		return k.kindLetters(side)
	}
	return string(token(side, ascii))
}
