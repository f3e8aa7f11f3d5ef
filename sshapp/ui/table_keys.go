package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/ui/boardview"
)

// key does what a key means at the board: letters and digits are a move being typed, arrows and enter choose places.
func (s matchScreen) key(msg tea.KeyPressMsg) (matchScreen, tea.Cmd) {
	name := msg.String()
	switch {
	case s.failed:
		return s.retry()
	case s.view == nil:
		return s, nil
	}
	if s.asked != cmdNone && name != "enter" {
		s.asked, s.problem = cmdNone, ""
		if name == "esc" {
			return s, nil
		}
	}
	switch name {
	case "ctrl+f":
		return s.turn(), nil
	case "ctrl+x":
		return s.startCommand(cmdAbort)
	case "ctrl+t":
		return s.startCommand(cmdHint)
	case "ctrl+z":
		return s.startCommand(cmdTakeBack)
	case "enter":
		return s.enter()
	case "esc":
		s.moveInput = s.cancel(s.scene)
		return s, nil
	case "tab":
		s.moveInput = s.complete(s.available())
		return s, nil
	case "?":
		if !s.isCommand() { // no move has one
			return s, push(newHelp(s.env, s))
		}
	}
	d, arrow := steps[name]
	if s.typed.text == "" {
		switch order, ok := s.shortcut(name); {
		case arrow:
			return s.step(d), nil
		case ok:
			return s.startCommand(order)
		}
	} else if arrow && s.arrowMoves(s.scene, d) {
		s.moveInput = s.acceptTyped(s.scene)
		return s.step(d), nil
	}
	return s.typing(msg), nil
}

// retry asks anew for what could not be had.
func (s matchScreen) retry() (matchScreen, tea.Cmd) {
	s.failed, s.problem = false, ""
	if s.seat == nil {
		return s, s.Init()
	}
	return s, s.next()
}

// typing takes a key into the line.
func (s matchScreen) typing(msg tea.KeyPressMsg) matchScreen {
	if s.takesText(msg) {
		s.moveInput = s.insertKey(msg)
	}
	return s
}

// An arrow is a step of the cursor in directions of the screen.
type arrow struct{ x, y int }

// steps are the arrow keys.
var steps = map[string]arrow{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

// takesText says whether a key may go into the line: moves while there is a match to move in, commands always.
func (s matchScreen) takesText(msg tea.KeyPressMsg) bool {
	return s.typed.text != "" || msg.Text == "/" || s.running() && s.plays()
}

// turn turns the board round.
func (s matchScreen) turn() matchScreen {
	if can, _ := s.scene.Turns(); can {
		s.turned = !s.turned
	} else {
		s.problem = s.env.say.T("This board has no other side.")
	}
	return s
}

// step moves the cursor.
func (s matchScreen) step(d arrow) matchScreen {
	if s.yours() {
		s.moveInput = s.moveInput.step(s.scene, d, s.flipped())
	}
	return s
}

// enter carries out what is typed, or chooses what is under the cursor.
func (s matchScreen) enter() (matchScreen, tea.Cmd) {
	switch {
	case s.asked != cmdNone:
		order := s.asked
		s.asked = cmdNone
		return s.runCommand(order)
	case s.typed.text != "":
		return s.enterTyped()
	case s.can(cmdJoin):
		return s.startCommand(cmdJoin)
	case !s.yours():
		return s, nil
	}
	return s.choose(s.scene.Choose(s.sel))
}

// choose takes in what a choice came to: the hand has changed, a move is made, or neither and why.
func (s matchScreen) choose(h boardview.Selection, m games.Move, err error) (matchScreen, tea.Cmd) {
	s.sel, s.problem = h, whyNot(s.env.say, err)
	if m == "" {
		return s, nil
	}
	return s.send(m)
}

// send makes a move.
func (s matchScreen) send(m games.Move) (matchScreen, tea.Cmd) {
	s.sending = m
	s.typed, s.problem = entry{}, ""
	ctx, seat, ply := s.env.ctx, s.seat, s.view.Ply()
	return s, func() tea.Msg { return movedMsg{m, seat.Move(ctx, m, ply)} }
}

func (s matchScreen) click(msg tea.MouseClickMsg) (matchScreen, tea.Cmd) {
	if !s.yours() || msg.Button != tea.MouseLeft {
		return s, nil
	}
	sp := s.layout(s.size.Width, s.size.Height)
	s.moveInput = s.acceptTyped(s.scene)
	return s.choose(s.scene.Click(s.sel, s.scene.Spot(sp.board, s.state(), msg.X-sp.x, msg.Y-sp.y)))
}

// wheel turns the wheel that is held, or moves the cursor up and down.
func (s matchScreen) wheel(msg tea.MouseWheelMsg) matchScreen {
	if s.scene == nil {
		return s
	}
	dy := sign(wheel(msg))
	if can, _ := s.scene.Turns(); !can && s.sel.From != boardview.Nowhere {
		return s.step(arrow{x: dy})
	}
	return s.step(arrow{y: dy})
}

func sign(n int) int { return min(max(n, -1), 1) }
