package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// What a screen's Cmd can ask of App instead of answering the screen.
type (
	pushMsg    struct{ to screen } // show another screen on top of this one
	replaceMsg struct{ to screen } // show another screen instead of this one
	homeMsg    struct{}            // back to the lobby
	helpMsg    struct{}            // show the help page of this screen
	leaveMsg   struct{}            // end the session
	noteMsg    struct{ words string }
	bellMsg    struct{}
)

func push(s screen) tea.Cmd    { return func() tea.Msg { return pushMsg{s} } }
func replace(s screen) tea.Cmd { return func() tea.Msg { return replaceMsg{s} } }
func home() tea.Msg            { return homeMsg{} }
func leave() tea.Msg           { return leaveMsg{} }
func showHelp() tea.Msg        { return helpMsg{} }

// note shows words above the footer until the next key.
func note(words string) tea.Cmd { return func() tea.Msg { return noteMsg{words} } }

// bell rings the terminal's bell, unless the player has switched it off.
func bell() tea.Msg { return bellMsg{} }

// maxStack is how many screens a session keeps, so that opening ever more of them takes no more memory.
const maxStack = 20

// A slot is a screen on the stack and the address of its answers.
type slot struct {
	id     uint64
	screen screen
}

// navigate shows the screen that another one asks for.
func (a *App) navigate(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pushMsg:
		return a.push(msg.to)
	case replaceMsg:
		a.drop(len(a.stack) - 1)
		return a.push(msg.to)
	case homeMsg:
		if len(a.stack) > 1 {
			return a.back(1)
		}
	case helpMsg:
		return a.showHelp()
	case leaveMsg:
		return a.quit()
	}
	return nil
}

// showHelp shows the help page of the screen on top.
func (a *App) showHelp() tea.Cmd { return a.push(newHelp(a.env, a.top(), a.keys())) }

// push puts a screen on top. On a full stack, the screen right above the lobby is dropped.
func (a *App) push(s screen) tea.Cmd {
	if len(a.stack) == maxStack {
		a.stack[1].close()
		a.stack = slices.Delete(a.stack, 1, 2)
	}
	a.lastID++
	a.stack = append(a.stack, slot{a.lastID, s})
	at := len(a.stack) - 1
	size := a.send(at, a.body())
	return tea.Batch(size, address(a.lastID, a.stack[at].screen.Init()), a.sendLists())
}

// back drops all screens but the lowest n.
func (a *App) back(n int) tea.Cmd {
	a.drop(n)
	a.setNote("")
	return tea.Batch(a.send(n-1, resumedMsg{}), a.sendLists())
}

// drop takes all screens but the lowest n from the stack.
func (a *App) drop(n int) {
	for _, slot := range a.stack[n:] {
		slot.close()
	}
	clear(a.stack[n:])
	a.stack = a.stack[:n]
}

// close tells a screen that it is gone.
func (s slot) close() {
	if c, ok := s.screen.(closable); ok {
		c.Close()
	}
}
