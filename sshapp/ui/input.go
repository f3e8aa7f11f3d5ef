package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// An appKeys is the keys that work on every screen, beside those of the screen on top.
type appKeys struct {
	letters key.Binding // hjkl stand for the arrow keys where nothing is typed
	back    key.Binding
	help    key.Binding
	redraw  key.Binding
	leave   key.Binding

	say    text.Say
	top    keyMap
	onHelp bool // the help page is on top
}

// arrows are the keys that the letters stand for.
var arrows = map[string]rune{"h": tea.KeyLeft, "j": tea.KeyDown, "k": tea.KeyUp, "l": tea.KeyRight}

// keys returns the keys that work now.
func (a *App) keys() appKeys {
	say, top := a.env.say, a.top()
	free := !top.Typing()
	k := appKeys{
		say: say, top: top.Keys(), onHelp: isHelp(top),
		letters: when(free, bind(say.T("arrows, hjkl"), say.T("move, where nothing is typed"), "h", "j", "k", "l")),
		back:    when(len(a.stack) > 1, bind("esc", say.T("back"), "esc")),
		help:    when(free, bind("?", say.T("help"), "?")),
		redraw:  bind("ctrl+l", say.T("draw the screen again"), "ctrl+l"),
		leave:   bind("ctrl+c", say.T("leave"), "ctrl+c"),
	}
	if free {
		k.leave = bind("q", say.T("leave"), "q", "ctrl+c")
	}
	if k.onHelp {
		k.help.SetHelp("?", say.T("close"))
	}
	return k
}

// ShortHelp is the footer. It names the way out of the session only where there is no way back.
func (k appKeys) ShortHelp() []key.Binding {
	out := k.back
	if !out.Enabled() {
		out = k.leave
	}
	return shown(k.top.ShortHelp(), []key.Binding{k.help, out})
}

// FullHelp is the help page: the keys of the footer's screen, then all others.
func (k appKeys) FullHelp() [][]key.Binding {
	groups := k.top.FullHelp()
	var own []key.Binding
	if len(groups) > 0 {
		own = shown(groups[0])
	}
	name := "ctrl+c"
	if len(k.leave.Keys()) > 1 {
		name = "q, ctrl+c"
	}
	others := [][]key.Binding{own, {k.letters}}
	others = append(others, groups[min(1, len(groups)):]...)
	others = append(others, []key.Binding{
		k.back, renamed(k.help, "?", k.say.T("help for this screen")), k.redraw, renamed(k.leave, name, k.say.T("leave the club")),
	})
	return [][]key.Binding{own, shown(others...)[len(own):]}
}

// key handles the keys that work on every screen, and sends all others to the screen on top.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	top, k := a.top(), a.keys()
	if key.Matches(msg, k.leave) {
		return a.leave()
	}
	a.setNote("")
	if a.small() {
		return nil
	}
	switch {
	case key.Matches(msg, k.redraw):
		return tea.ClearScreen
	case key.Matches(msg, k.help) && k.onHelp:
		return a.back(len(a.stack) - 1)
	case key.Matches(msg, k.help):
		return a.showHelp()
	case key.Matches(msg, k.back) && !handlesEsc(top):
		return a.back(len(a.stack) - 1)
	case key.Matches(msg, k.letters):
		msg = tea.KeyPressMsg{Code: arrows[msg.String()]}
	case msg.Code == tea.KeyKpEnter:
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	return a.send(len(a.stack)-1, msg)
}

func handlesEsc(s screen) bool {
	e, ok := s.(escHandler)
	return ok && e.HandlesEsc()
}

// leave ends the session, unless the screen has a question to ask first.
func (a *App) leave() tea.Cmd {
	question := a.leaveQuestion()
	if question == "" {
		return a.quit()
	}
	a.note, a.leaveAsked = question, true
	return nil
}

// answerLeave takes the input that follows the question: the same key leaves, anything else only withdraws the question.
func (a *App) answerLeave(msg tea.Msg) tea.Cmd {
	a.setNote("")
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, a.keys().leave) {
		return a.quit()
	}
	return nil
}

func asking(s screen) bool {
	q, ok := s.(questioner)
	return ok && q.Asking()
}

// answerScreen sends input to the screen that has asked something. ctrl+c cancels the question and leaves as ever.
func (a *App) answerScreen(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	leaves := ok && press.String() == "ctrl+c"
	if ok && press.Code == tea.KeyKpEnter {
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	a.setNote("")
	cmd := a.send(len(a.stack)-1, msg)
	if leaves {
		return tea.Batch(cmd, a.leave())
	}
	return cmd
}

// isInput reports whether msg is something that a person did at the terminal.
func isInput(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseClickMsg, tea.MouseWheelMsg, tea.PasteMsg:
		return true
	}
	return false
}

// leaveQuestion is the question of the topmost board: its help may lie on it.
func (a *App) leaveQuestion() string {
	for i := len(a.stack) - 1; i >= 0; i-- {
		if l, ok := a.stack[i].screen.(leaveConfirmer); ok {
			return l.ConfirmLeave()
		}
	}
	return ""
}

// mouse sends clicks and the wheel to the screen on top, with positions counted from the top left of its body.
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
		a.setNote("")
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

// renamed returns b with another name and description.
func renamed(b key.Binding, name, what string) key.Binding {
	b.SetHelp(name, what)
	return b
}
