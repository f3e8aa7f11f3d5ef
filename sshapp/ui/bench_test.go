package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// BenchmarkLobbyView draws the whole lobby page with full lists, as after every key.
func BenchmarkLobbyView(b *testing.B) {
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 200, Height: 50}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			a := NewApp(b.Context(), Config{Lobby: uitest.FullLobby(), Pages: pages.All(), Who: uitest.Ana, Term: "xterm-256color"})
			a.Init()
			a.Update(size)
			lists, yours := uitest.ManyLists()
			a.Update(nextListsMsg{who: uitest.Ana, lists: screen.ListsMsg{Lists: lists, Yours: yours}})
			c := canvas.New(size.Width, size.Height)
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				a.Draw(c)
			}
		})
	}
}

// BenchmarkLobbyKey moves the cursor and draws the page.
func BenchmarkLobbyKey(b *testing.B) {
	a := NewApp(b.Context(), Config{Lobby: uitest.FullLobby(), Pages: pages.All(), Who: uitest.Ana, Term: "xterm-256color"})
	a.Init()
	a.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	lists, yours := uitest.ManyLists()
	a.Update(nextListsMsg{who: uitest.Ana, lists: screen.ListsMsg{Lists: lists, Yours: yours}})
	a.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	c := canvas.New(80, 24)
	keys := []tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyUp}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Update(keys[i%2])
		c.Clear()
		a.Draw(c)
	}
}
