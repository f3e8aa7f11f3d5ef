package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/ui/boardview"
)

// key does what a key means at the board: letters and digits are a move being typed, arrows and enter choose places.
func (s table) key(msg tea.KeyPressMsg) (table, tea.Cmd) {
	name := msg.String()
	switch {
	case s.broken:
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
		return s.order(cmdAbort)
	case "ctrl+t":
		return s.order(cmdHint)
	case "ctrl+z":
		return s.order(cmdTakeBack)
	case "enter":
		return s.enter()
	case "esc":
		s.grip = s.letGo(s.scene)
		return s, nil
	case "tab":
		s.grip = s.complete(s.available())
		return s, nil
	case "?":
		if !s.commands() { // no move has one
			return s, push(newHelp(s.env, s))
		}
	}
	d, arrow := steps[name]
	if s.typed.text == "" {
		switch order, ok := s.shortcut(name); {
		case arrow:
			return s.step(d), nil
		case ok:
			return s.order(order)
		}
	} else if arrow && s.adopts(s.scene, d) {
		s.grip = s.adopt(s.scene)
		return s.step(d), nil
	}
	return s.typing(msg), nil
}

// retry asks anew for what could not be had.
func (s table) retry() (table, tea.Cmd) {
	s.broken, s.problem = false, ""
	if s.seat == nil {
		return s, s.Init()
	}
	return s, s.next()
}

// typing takes a key into the line.
func (s table) typing(msg tea.KeyPressMsg) table {
	if s.takesText(msg) {
		s.grip = s.takes(msg)
	}
	return s
}

// An arrow is a step of the cursor in directions of the screen.
type arrow struct{ x, y int }

// steps are the arrow keys.
var steps = map[string]arrow{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

// takesText says whether a key may go into the line: moves while there is a match to move in, commands always.
func (s table) takesText(msg tea.KeyPressMsg) bool {
	return s.typed.text != "" || msg.Text == "/" || s.running() && s.plays()
}

// turn turns the board round.
func (s table) turn() table {
	if can, _ := s.scene.Turns(); can {
		s.turned = !s.turned
	} else {
		s.problem = s.env.say.T("This board has no other side.")
	}
	return s
}

// step moves the cursor.
func (s table) step(d arrow) table {
	if s.yours() {
		s.grip = s.grip.step(s.scene, d, s.flipped())
	}
	return s
}

// enter carries out what is typed, or chooses what is under the cursor.
func (s table) enter() (table, tea.Cmd) {
	switch {
	case s.asked != cmdNone:
		order := s.asked
		s.asked = cmdNone
		return s.carryOut(order)
	case s.typed.text != "":
		return s.enterTyped()
	case s.can(cmdJoin):
		return s.order(cmdJoin)
	case !s.yours():
		return s, nil
	}
	return s.choose(s.scene.Choose(s.hand))
}

// choose takes in what a choice came to: the hand has changed, a move is made, or neither and why.
func (s table) choose(h boardview.Hand, m games.Move, err error) (table, tea.Cmd) {
	s.hand, s.problem = h, whyNot(s.env.say, err)
	if m == "" {
		return s, nil
	}
	return s.send(m)
}

// send makes a move.
func (s table) send(m games.Move) (table, tea.Cmd) {
	s.sending = m
	s.typed, s.problem = entry{}, ""
	ctx, seat, ply := s.env.ctx, s.seat, s.view.Ply()
	return s, func() tea.Msg { return movedMsg{m, seat.Move(ctx, m, ply)} }
}

func (s table) click(msg tea.MouseClickMsg) (table, tea.Cmd) {
	if !s.yours() || msg.Button != tea.MouseLeft {
		return s, nil
	}
	sp := s.spread(s.size.Width, s.size.Height)
	s.grip = s.adopt(s.scene)
	return s.choose(s.scene.Click(s.hand, s.scene.Spot(sp.board, s.state(), msg.X-sp.x, msg.Y-sp.y)))
}

// wheel turns the wheel that is held, or moves the cursor up and down.
func (s table) wheel(msg tea.MouseWheelMsg) table {
	if s.scene == nil {
		return s
	}
	dy := sign(wheel(msg))
	if can, _ := s.scene.Turns(); !can && s.hand.Held != boardview.Nowhere {
		return s.step(arrow{x: dy})
	}
	return s.step(arrow{y: dy})
}

func sign(n int) int { return min(max(n, -1), 1) }
