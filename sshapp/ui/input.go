package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/screen"
)

// isInput reports whether msg is something that a person did at the terminal.
func isInput(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseClickMsg, tea.MouseWheelMsg, tea.PasteMsg:
		return true
	}
	return false
}

// input takes what a person did at the terminal. A question owns it; otherwise it is for the club or the screen on top.
func (a *App) input(msg tea.Msg) tea.Cmd {
	small := tooSmall(a.nav.window)
	switch {
	case a.note.asking():
		return a.answerQuestion(msg)
	case asking(a.Top()) && !small:
		return a.answerScreen(msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.MouseMsg:
		return a.mouse(msg)
	case tea.PasteMsg:
		if !small {
			a.note.set("")
			return a.nav.sendTop(msg)
		}
	}
	return nil
}

// answerQuestion takes the input that follows the question of a note: the same key again leads out, anything else only withdraws the question.
// ctrl+c leaves as ever.
func (a *App) answerQuestion(msg tea.Msg) tea.Cmd {
	asked := a.note.asks
	a.note.set("")
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch k := a.keys(); {
	case asked == leaveQuestion && key.Matches(press, k.leave):
		return a.settings.quit()
	case asked == backQuestion && key.Matches(press, k.back):
		return a.nav.back()
	case asked == backQuestion && key.Matches(press, k.leave):
		return a.leave()
	}
	return nil
}

func asking(s screen.Screen) bool {
	q, ok := s.(screen.Questioner)
	return ok && q.Asking()
}

// answerScreen sends input to the screen that has asked something. ctrl+c cancels the question and leaves as ever.
func (a *App) answerScreen(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	leaves := ok && press.String() == "ctrl+c"
	if ok && press.Code == tea.KeyKpEnter {
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	a.note.set("")
	cmd := a.nav.sendTop(msg)
	if leaves {
		return tea.Batch(cmd, a.leave())
	}
	return cmd
}

// mouse sends clicks and the wheel to the screen on top, with positions counted from the top left of its body.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	onBody, ok := a.nav.layout().onBody(msg)
	if !ok || tooSmall(a.nav.window) {
		return nil
	}
	if _, ok := msg.(tea.MouseClickMsg); ok {
		a.note.set("")
	}
	return a.nav.sendTop(onBody)
}

// A keyName is the name of a key press, made once: key.Matches asks for it with each binding.
type keyName string

func (n keyName) String() string { return string(n) }

// key handles the keys that work on every screen, and sends all others to the screen on top.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	top, k, name := a.Top(), a.keys(), keyName(msg.String())
	if key.Matches(name, k.leave) {
		return a.leave()
	}
	a.note.set("")
	if tooSmall(a.nav.window) {
		return nil
	}
	switch {
	case key.Matches(name, k.hide):
		a.notices.hide()
		return nil
	case key.Matches(name, k.accept), key.Matches(name, k.decline):
		return a.notices.challenge.answer(key.Matches(name, k.accept))
	case key.Matches(name, k.call):
		return a.answerCall()
	case key.Matches(name, k.join):
		return a.notices.invitation.accept()
	case key.Matches(name, k.reply):
		return a.answerTell()
	case key.Matches(name, k.redraw):
		return tea.ClearScreen
	case key.Matches(name, k.next):
		return a.showNextMatch()
	case key.Matches(name, k.event):
		return a.showEvent()
	case key.Matches(name, k.help) && k.onHelp:
		return a.nav.back()
	case key.Matches(name, k.help):
		return a.navigate(screen.HelpMsg{})
	case key.Matches(name, k.back) && !handlesEsc(top):
		return a.askBack()
	case key.Matches(name, k.back):
		msg = tea.KeyPressMsg{Code: tea.KeyEscape}
	case key.Matches(name, k.letters):
		msg = tea.KeyPressMsg{Code: arrows[string(name)]}
	case msg.Code == tea.KeyKpEnter:
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	return a.nav.sendTop(msg)
}

// leave ends the session, unless a board has a question to ask first.
func (a *App) leave() tea.Cmd {
	if question := a.nav.screens.leaveQuestion(); question != "" {
		a.note.ask(leaveQuestion, question)
		return nil
	}
	return a.settings.quit()
}

// askBack goes back from the screen on top, unless that has a question to ask first.
func (a *App) askBack() tea.Cmd {
	if c, ok := a.Top().(screen.BackConfirmer); ok && c.ConfirmBack() != "" {
		a.note.ask(backQuestion, c.ConfirmBack())
		return nil
	}
	return a.nav.back()
}
