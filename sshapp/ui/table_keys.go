package ui

import (
	"errors"
	"strings"

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
	case "enter":
		return s.enter()
	case "esc":
		return s.letGo(), nil
	case "tab":
		return s.complete(), nil
	}
	d, arrow := steps[name]
	if s.typed.text == "" {
		switch order, ok := s.shortcut(name); {
		case name == "?":
			return s, push(newHelp(s.env, s))
		case arrow:
			return s.step(d.x, d.y), nil
		case ok:
			return s.order(order)
		}
	} else if arrow && s.typed.text[0] != '/' && (d.y != 0 || s.preview()) {
		s.hand, s.typed = s.meant(), entry{} // what was typed is taken up by the arrows
		return s.step(d.x, d.y), nil
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
	if !s.takesText(msg) {
		return s
	}
	if msg.Text == "/" && !strings.HasPrefix(s.typed.text, "/") {
		s.typed = entry{} // no move has a slash: this is a command
	}
	if typed, ok := s.typed.typed(msg, typedCells); ok {
		return s.retyped(typed)
	}
	return s
}

// steps are the arrow keys.
var steps = map[string]struct{ x, y int }{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

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

// letGo is esc: it empties the line, or lets go of what is held.
func (s table) letGo() table {
	s.problem = ""
	if s.typed.text != "" {
		s.typed = entry{}
		return s
	}
	s.hand = s.scene.Release(s.hand)
	return s
}

// step moves the cursor.
func (s table) step(dx, dy int) table {
	if s.yours() {
		s.hand, s.problem = s.scene.Move(s.hand, dx, dy, s.flipped()), ""
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
	s.hand, s.problem = h, s.reason(err)
	if m == "" {
		return s, nil
	}
	return s.send(m)
}

// reason says why a choice is none.
func (s table) reason(err error) string {
	say := s.env.say
	switch {
	case errors.Is(err, boardview.ErrNotYours):
		return say.T("Choose one of your own pieces first.")
	case errors.Is(err, boardview.ErrStuck):
		return say.T("This piece can't move now. Choose another one.")
	case errors.Is(err, boardview.ErrUnturned):
		return say.T("Turn the wheel first, with left and right.")
	}
	return say.Error(err)
}

// send makes a move.
func (s table) send(m games.Move) (table, tea.Cmd) {
	s.sending = sending{m, s.view.Ply()}
	s.typed, s.problem = entry{}, ""
	ctx, seat, ply := s.env.ctx, s.seat, s.view.Ply()
	return s, func() tea.Msg { return movedMsg{m, seat.Move(ctx, m, ply)} }
}

func (s table) click(msg tea.MouseClickMsg) (table, tea.Cmd) {
	if !s.yours() || msg.Button != tea.MouseLeft {
		return s, nil
	}
	sp := s.spread(s.size.Width, s.size.Height)
	s.hand, s.typed = s.meant(), entry{}
	return s.choose(s.scene.Click(s.hand, s.scene.Spot(sp.board, s.state(), msg.X-sp.x, msg.Y-sp.y)))
}

// wheel turns the wheel that is held, or moves the cursor up and down.
func (s table) wheel(msg tea.MouseWheelMsg) table {
	if s.scene == nil {
		return s
	}
	dy := sign(wheel(msg))
	if can, _ := s.scene.Turns(); !can && s.hand.Held != boardview.Nowhere {
		return s.step(dy, 0)
	}
	return s.step(0, dy)
}

func sign(n int) int { return min(max(n, -1), 1) }
