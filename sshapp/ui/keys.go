package ui

import (
	tea "charm.land/bubbletea/v2"
)

// letters are the keys that move where nothing is typed.
var letters = map[string]rune{"h": tea.KeyLeft, "j": tea.KeyDown, "k": tea.KeyUp, "l": tea.KeyRight}

// key does what a key does everywhere, and gives the others to the screen on top.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	top := a.top()
	typing := top.Typing()
	name := msg.String()
	if name == "ctrl+c" || name == "q" && !typing {
		return a.leave()
	}
	a.note, a.asked = "", false
	if a.small() {
		return nil
	}
	switch {
	case name == "ctrl+l":
		return tea.ClearScreen
	case name == "?" && isHelp(top):
		return a.back(len(a.stack) - 1)
	case name == "?" && !typing:
		return a.push(newHelp(a.env, top))
	case name == "esc" && len(a.stack) > 1 && !escaping(top):
		return a.back(len(a.stack) - 1)
	case msg.Code == tea.KeyKpEnter:
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	case !typing && letters[name] != 0:
		msg = tea.KeyPressMsg{Code: letters[name]}
	}
	return a.send(len(a.stack)-1, msg)
}

func escaping(s screen) bool {
	e, ok := s.(escHandler)
	return ok && e.HandlesEsc()
}

// leave ends the session, at once or after the screen's question has been asked.
func (a *App) leave() tea.Cmd {
	if question := a.leaving(); question != "" && !a.asked {
		a.note, a.asked = question, true
		return nil
	}
	return tea.Quit
}

// leaving is the question of the board that is nearest to the top: its help may lie on it.
func (a *App) leaving() string {
	for i := len(a.stack) - 1; i >= 0; i-- {
		if l, ok := a.stack[i].screen.(leaveConfirmer); ok {
			return l.ConfirmLeave()
		}
	}
	return ""
}

// mouse gives clicks and the wheel to the screen on top, with positions counted from the top left of its body.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	m.Y -= topLines
	body := a.body()
	if a.small() || m.X < 0 || m.Y < 0 || m.X >= body.Width || m.Y >= body.Height {
		return nil
	}
	top := len(a.stack) - 1
	switch msg.(type) {
	case tea.MouseClickMsg:
		a.note, a.asked = "", false
		return a.send(top, tea.MouseClickMsg(m))
	case tea.MouseWheelMsg:
		return a.send(top, tea.MouseWheelMsg(m))
	case tea.MouseReleaseMsg:
		return a.send(top, tea.MouseReleaseMsg(m))
	case tea.MouseMotionMsg:
		return a.send(top, tea.MouseMotionMsg(m))
	}
	return nil
}
