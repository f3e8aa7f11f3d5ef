package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/ui/boardview"
)

// try lets the reader make moves of his own from the board on.
func (s review) tryMoves() review {
	if !s.view.Over {
		s.problem = s.env.say.T("You can try moves here when the match is over.")
		return s
	}
	if s.scene.Position().Result().Over {
		s.problem = s.env.say.T("The game is over here. Go back some moves first.")
		return s
	}
	b := variation{timeline: s.timeline, from: s.at}
	if s.variation != nil {
		b = *s.variation
		b.moves = b.moves[:b.at:b.at]
	}
	b.kind, b.trying = ownMoves, true
	s.variation, s.input = &b, moveInput{}
	return s.show()
}

// playKey does what a key means where the reader tries moves: what it means at the board of a match.
func (s review) tryKey(msg tea.KeyPressMsg) (review, tea.Cmd) {
	name := msg.String()
	empty := s.input.typed.text == ""
	d, arrow := steps[name]
	switch {
	case name == "ctrl+f":
		return s.turn(), nil
	case name == "enter" && empty:
		return s.choose(s.scene.Choose(s.input.sel)), nil
	case name == "enter" && s.input.isCommand():
		return s.enterCommand()
	case name == "enter":
		return s.enterTyped(), nil
	case name == "tab":
		s.input = s.input.complete(s.available())
		return s, nil
	case name == "esc":
		return s.cancel(), nil
	case name == "?" && !s.input.isCommand():
		return s, push(newHelp(s.env, s))
	case name == "backspace" && empty:
		return s.takeBack(), nil
	case arrow && (empty || s.input.arrowMoves(s.scene, d)):
		s.input = s.input.acceptTyped(s.scene).step(s.scene, d, s.flipped())
		return s, nil
	}
	s.input = s.input.insertKey(msg)
	return s, nil
}

// choose takes in what a choice on the board came to.
func (s review) choose(h boardview.Selection, m games.Move, err error) review {
	s.input.sel, s.problem = h, whyNot(s.env.say, err)
	if m == "" {
		return s
	}
	return s.play(m)
}

// enterTyped makes the move that is typed.
func (s review) enterTyped() review {
	m, err := s.input.typedMove(s.scene.Position())
	if err != nil {
		s.problem = s.env.say.Error(err)
		return s
	}
	return s.play(m)
}

// available are the commands that can do something now.
func (s review) available() []command {
	all := []command{cmdPlay, cmdHelp, cmdToLobby, cmdQuit}
	if can, _ := s.scene.Turns(); can {
		all = append(all, cmdFlip)
	}
	return append(all, cmdTakeBack)
}

// enterCommand carries out the command that is typed.
func (s review) enterCommand() (review, tea.Cmd) {
	var c command
	s.input, c = s.input.command(s.env.say, s.available())
	s.problem = s.input.problem
	switch c {
	case cmdTakeBack:
		return s.takeBack(), nil
	case cmdPlay:
		return s.playOn()
	case cmdFlip:
		return s.turn(), nil
	case cmdHelp:
		return s, push(newHelp(s.env, s))
	case cmdToLobby:
		return s, home
	case cmdQuit:
		return s, leave
	case cmdNone:
	default:
		s.problem = s.env.say.T("That can't be done now.")
	}
	return s, nil
}

// play makes a legal move in the branch.
func (s review) play(m games.Move) review {
	next, ok := s.variation.play(m)
	if !ok {
		s.problem = s.env.say.T("That is far enough from the match.")
		return s
	}
	s.variation, s.input = next, moveInput{}
	return s.show()
}

// takeBack takes the last move of the reader back.
func (s review) takeBack() review {
	next, ok := s.variation.back()
	if !ok {
		s.problem = s.env.say.T("Nothing to take back: what comes before was played.")
		return s
	}
	s.variation, s.input = next, moveInput{}
	return s.show()
}

// letGo is esc: it empties the line, lets go of what is held, or ends the trying. What was tried stays to be looked
// at.
func (s review) cancel() review {
	if s.input.typed.text != "" || s.input.sel.From != boardview.Nowhere {
		s.input = s.input.cancel(s.scene)
		return s
	}
	if len(s.variation.moves) == 0 {
		return s.goTo(s.at)
	}
	b := *s.variation
	b.trying = false
	s.variation = &b
	return s.show()
}
