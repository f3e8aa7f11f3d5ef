package boardview

import (
	"strings"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

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

// Sentences describes a position in words, for people who hear a board: where the pieces of each side are, how things stand,
// and whose turn it is.
func Sentences(say text.Say, about *games.About, p games.Position) []string {
	s := New(p, nil, "")
	names := [2]string{say.T(about.Sides[games.First]), say.T(about.Sides[games.Second])}
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
	for _, note := range s.Notes(say, names) {
		all = append(all, note.Words)
	}
	if r := p.Result(); r.Over {
		return append(all, say.Ending(about, r.String(), r.Reason, names[0], names[1])+".")
	}
	return append(all, say.T("%s is to move.", names[p.Turn()]))
}
