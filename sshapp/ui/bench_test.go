package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/terminal/canvas"
)

// BenchmarkLobbyView draws the whole lobby page with full lists, as after every key.
func BenchmarkLobbyView(b *testing.B) {
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 200, Height: 50}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			a := NewApp(b.Context(), Config{Lobby: fullLobby(), Who: ana, Term: "xterm-256color"})
			a.Init()
			a.Update(size)
			lists, yours := manyLists()
			a.Update(nextListsMsg{who: ana, lists: listsMsg{lists, yours}})
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
	a := NewApp(b.Context(), Config{Lobby: fullLobby(), Who: ana, Term: "xterm-256color"})
	a.Init()
	a.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	lists, yours := manyLists()
	a.Update(nextListsMsg{who: ana, lists: listsMsg{lists, yours}})
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

// BenchmarkBoardKey moves the cursor on each board and draws the page: what a key costs without its way through the terminal.
func BenchmarkBoardKey(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			a := NewApp(b.Context(), Config{Lobby: fullLobby(), Who: ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
			s := playing(b, g, 80, 22)
			s.env = a.env
			a.stack = []slot{{1, newLobby(a.env)}, {2, s}}
			keys := []tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyRight}}
			c := canvas.New(80, 24)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.Update(keys[i%2])
				c.Clear()
				a.Draw(c)
			}
		})
	}
}
