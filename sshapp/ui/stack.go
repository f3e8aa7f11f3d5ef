package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// deepest is how many screens a session keeps, each upon the one it was opened from. Nobody goes back further than that,
// and whoever never goes back takes no more memory.
const deepest = 20

// navigate carries out where a screen wants to go.
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
	case leaveMsg:
		return tea.Quit
	}
	return nil
}

// push puts a screen on top. If too many lie below it, the one right above the lobby goes.
func (a *App) push(s screen) tea.Cmd {
	if len(a.stack) == deepest {
		a.stack[1].close()
		a.stack = slices.Delete(a.stack, 1, 2)
	}
	a.last++
	a.stack = append(a.stack, slot{a.last, s})
	at := len(a.stack) - 1
	size := a.send(at, a.body())
	return tea.Batch(size, address(a.last, a.stack[at].screen.Init()), a.list())
}

// back leaves the lowest n screens.
func (a *App) back(n int) tea.Cmd {
	a.drop(n)
	a.note = ""
	return tea.Batch(a.send(n-1, resumedMsg{}), a.list())
}

// drop takes all screens but the lowest n from the stack.
func (a *App) drop(n int) {
	for _, slot := range a.stack[n:] {
		slot.close()
	}
	clear(a.stack[n:])
	a.stack = a.stack[:n]
}

// close ends what a screen waits for beyond its page.
func (s slot) close() {
	if c, ok := s.screen.(closer); ok {
		c.Close()
	}
}
