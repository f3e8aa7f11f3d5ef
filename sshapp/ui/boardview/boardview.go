// Package boardview shows positions: drawn on a canvas of any size in UTF-8 or ASCII, and in plain words.
//
// A Scene is a position that is prepared to be shown. It knows what can be chosen by keys, clicks and typing, and which move a
// selection means. It draws itself, with marks for the last move, and knows the facts that stand beside the board.
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
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// New prepares a position. last is the move that led to it, and before the position before that move. Both are zero if they are unknown or
// there was no move yet. A game without a view of its own is drawn from its board text and takes typed moves.
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

// Text returns the board of a position in plain ASCII with its coordinates, for where nothing else can be shown. The lines
// have no trailing spaces.
func Text(p games.Position) []string {
	s := New(p, nil, "")
	st := State{Selection: s.AtLastMove(), Over: true}
	l := s.board.plainLayout()
	c := canvas.New(l.Width, l.Height)
	s.Draw(c, c.Bounds(), &Theme{ASCII: true}, l, st)
	return strings.Split(c.Plain(), "\n")
}

// Facts returns a line for each fact that the rules depend on and the board doesn't show: the standing of each side, the counters that end the
// game, and what matters for the next move. names are the names of the players.
func Facts(say text.Say, names [2]string, p games.Position) []string {
	s := New(p, nil, "")
	var all []string
	for side, name := range names {
		if standing := s.Standing(say, games.Side(side)); standing != "" {
			all = append(all, say.T("%s: %s", name, standing))
		}
	}
	return append(all, s.remarks(say, names)...)
}

// remarks returns the notes of a scene, with the counters in front that are too low for a note.
func (s *Scene) remarks(say text.Say, names [2]string) (all []string) {
	if c, ok := s.facts.(counters); ok && !s.pos.Result().Over {
		all = c.low(say)
	}
	for _, note := range s.Notes(say, names) {
		all = append(all, note.Words)
	}
	return all
}

// An Ending puts the end of a game into words, as wording.Words.Ending does.
type Ending func(about *games.About, o games.Options, result, reason, first, second string) string

// Sentences describes a position in words, for people with a screen reader: the places of each side's pieces, the standing, and
// the side to move, or how the game ended.
func Sentences(say text.Say, ending Ending, about *games.About, p games.Position) []string {
	s := New(p, nil, "")
	names := [2]string{say.T(about.Sides[games.First]), say.T(about.Sides[games.Second])}
	var all []string
	if _, plain := s.facts.(plainFacts); plain {
		all = append(all, strings.Join(signs(p.Rows()), ", ")+".")
	} else {
		all = s.sides(say, names)
	}
	all = append(all, s.remarks(say, names)...)
	if r := p.Result(); r.Over {
		return append(all, ending(about, p.Options(), r.String(), r.Reason, names[0], names[1])+".")
	}
	return append(all, say.T("%s is to move.", names[p.Turn()]))
}

// sides says of each side where its pieces are and how it stands.
func (s *Scene) sides(say text.Say, names [2]string) []string {
	var all []string
	for side, name := range names {
		where := s.board.pieces(games.Side(side))
		words := say.T("%s: nothing on the board", name)
		if len(where) > 0 {
			words = say.T("%s: %s", name, strings.Join(where, ", "))
		}
		if standing := s.Standing(say, games.Side(side)); standing != "" {
			words += "; " + standing
		}
		all = append(all, words+".")
	}
	return all
}
