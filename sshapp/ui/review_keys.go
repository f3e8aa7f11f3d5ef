package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
)

// reviewPage is how many moves the page keys go.
const reviewPage = 20

// key does what a key means in the match, in a branch, or where the reader tries moves.
func (s review) key(msg tea.KeyPressMsg) (review, tea.Cmd) {
	if s.trying() {
		return s.tryKey(msg)
	}
	name := msg.String()
	if d, ok := reviewSteps[name]; ok {
		return s.step(d), nil
	}
	if s.analysis.failed != "" && slices.Contains([]string{"n", "p", "b", "m"}, name) {
		s.analysis = matchAnalysis{} // whoever wants the analysis asks for it anew
		return s, s.waitForAnalysis()
	}
	switch name {
	case "home":
		return s.step(-s.shown()), nil
	case "end":
		return s.step(s.length() - s.shown()), nil
	case "esc":
		return s.goTo(s.at), nil
	case "ctrl+f", "f":
		return s.turn(), nil
	case "n":
		return s.seek(1), nil
	case "p":
		return s.seek(-1), nil
	case "b":
		return s.better(), nil
	case "a":
		return s.tryMoves(), nil
	case "g":
		s.hidden = !s.hidden
	case "m":
		return s.list()
	case "c":
		return s.playOn()
	}
	return s, nil
}

// strides are the keys that go some moves on or back.
var reviewSteps = map[string]int{
	"left": -1, "backspace": -1, "right": 1, "enter": 1, "space": 1,
	"up": -2, "down": 2, "pgup": -reviewPage, "pgdown": reviewPage,
}

// place is how many moves are on the board, of length moves: of the branch or of the match.
func (s review) shown() int {
	if s.variation != nil {
		return s.variation.at
	}
	return s.at
}

func (s review) length() int {
	if s.variation != nil {
		return len(s.variation.moves)
	}
	return len(s.view.Moves)
}

// stride goes some moves on, or back.
func (s review) step(moves int) review {
	if s.variation == nil {
		return s.goTo(s.at + moves)
	}
	s.variation = s.variation.to(s.variation.at + moves)
	return s.show()
}

// turn turns the board round.
func (s review) turn() review {
	if can, _ := s.scene.Turns(); can {
		s.turned = !s.turned
	} else {
		s.problem = s.env.say.T("This board has no other side.")
	}
	return s
}

// known says whether the analysis is there, and if it isn't, why.
func (s review) analysisReady() (review, bool) {
	say := s.env.say
	switch {
	case s.analysis.ready():
		return s, true
	case !s.view.Over:
		s.problem = say.T("Mistakes are looked for when the match is over.")
	case len(s.view.Moves) == 0:
		s.problem = say.T("There is no analysis of this match.")
	default:
		s.problem = cmp.Or(s.analysis.progress(say), say.T("looking for mistakes ..."))
	}
	return s, false
}

// seek goes to the next mistake in a direction.
func (s review) seek(direction int) review {
	s, ok := s.analysisReady()
	if !ok {
		return s
	}
	if ply, ok := s.analysis.seek(s.at, direction); ok {
		return s.goTo(ply)
	}
	_, others := s.analysis.seek(s.at, -direction)
	switch say := s.env.say; {
	case !others && s.analysis.mark(s.at) == analysis.Fine:
		s.problem = say.T("No mistakes were found in this match.")
	case direction > 0:
		s.problem = say.T("No mistakes after this move; p goes back.")
	default:
		s.problem = say.T("No mistakes before this move; n goes on.")
	}
	return s
}

// better shows the line that would have been better than the move on the board if that was a mistake, else what is
// expected from here.
func (s review) better() review {
	s, ok := s.analysisReady()
	if !ok {
		return s
	}
	from, kind := s.at, bestLine
	if s.analysis.mark(s.at) != analysis.Fine {
		from, kind = s.at-1, betterLine
	}
	line := newVariation(s.timeline, from, s.analysis.points[from].Line, kind)
	if line == nil {
		s.problem = s.env.say.T("There is no line to show here.")
		return s
	}
	s.variation = line
	return s.show()
}

// list goes to the page with all mistakes in words.
func (s review) list() (review, tea.Cmd) {
	s, ok := s.analysisReady()
	if !ok {
		return s, nil
	}
	return s, push(newReader(s.env, s.Title(), s.mistakeList()))
}

// playOn goes to the form of a match against the computer from the board on: a casual one, of its own.
func (s review) playOn() (review, tea.Cmd) {
	say, v := s.env.say, s.view
	moves := v.Moves[:s.at:s.at]
	if s.variation != nil {
		moves = s.variation.allMoves()
	}
	side, plays := v.Side(s.env.who)
	if !plays || v.Holds(s.env.who, side.Other()) {
		side = s.scene.Position().Turn()
	}
	switch {
	case !v.Over:
		s.problem = say.T("You can play on from here when the match is over.")
	case s.scene.Position().Result().Over:
		s.problem = say.T("The game is over here. Go back some moves first.")
	default:
		choice := [...]lobby.Choice{games.First: lobby.PlayFirst, games.Second: lobby.PlaySecond}[side]
		if form, ok := newSetupFrom(s.env, v.Game, v.Options, moves, choice); ok {
			return s, push(form)
		}
		s.problem = say.Error(lobby.ErrNoSuchGame)
	}
	return s, nil
}

// click chooses on the board where moves are tried, and goes to a move on the graph.
func (s review) click(msg tea.MouseClickMsg) review {
	sp := s.layout(s.size.Width, s.size.Height)
	if ply, ok := s.graphAt(sp, msg.X, msg.Y); ok {
		return s.goTo(ply)
	}
	if !s.trying() {
		return s
	}
	s.problem = ""
	s.input = s.input.acceptTyped(s.scene)
	return s.choose(s.scene.Click(s.input.sel, s.scene.Spot(sp.board, s.state(), msg.X-sp.x, msg.Y-sp.y)))
}

// wheel goes one move on or back; where moves are tried, it moves the hand.
func (s review) wheel(msg tea.MouseWheelMsg) review {
	dy := sign(wheel(msg))
	switch {
	case s.view == nil:
		return s
	case !s.trying():
		return s.step(dy)
	}
	d := arrow{y: dy}
	if can, _ := s.scene.Turns(); !can && s.input.sel.From != boardview.Nowhere {
		d = arrow{x: dy}
	}
	if !s.input.isCommand() {
		s.input = s.input.acceptTyped(s.scene).step(s.scene, d, s.flipped())
	}
	return s
}
