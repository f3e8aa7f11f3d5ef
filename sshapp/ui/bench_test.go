package ui

import (
	"fmt"
	"runtime"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// BenchmarkLobbyView draws the whole lobby page with full lists, as after every key.
func BenchmarkLobbyView(b *testing.B) {
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 200, Height: 50}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			a := NewApp(b.Context(), Config{Lobby: uitest.FullLobby().Services(), Pages: pages.All(), Who: uitest.Ana, Term: "xterm-256color"})
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

// BenchmarkLobbyKey moves the cursor in the menu or the lists and draws the page, for a player and for a guest.
func BenchmarkLobbyKey(b *testing.B) {
	for _, who := range []lobby.User{uitest.Ana, uitest.Guest} {
		for _, column := range []string{"menu", "lists"} {
			b.Run(who.Name+"/"+column, func(b *testing.B) {
				key := lobbyKey(b, who, column == "lists")
				b.ReportAllocs()
				for b.Loop() {
					key()
				}
			})
		}
	}
}

// lobbyGarbage is the most memory that a key in the lobby may take in the screens, in bytes. With thousands of guests it is what brings
// the collections that keys wait for.
const lobbyGarbage = 1200

// TestLobbyKeyGarbage counts the memory that is taken for a key in the lobby.
func TestLobbyKeyGarbage(t *testing.T) {
	const keys = 500
	for _, who := range []lobby.User{uitest.Ana, uitest.Guest} {
		for _, inLists := range []bool{false, true} {
			press := lobbyKey(t, who, inLists)
			taken := func() (bytes uint64) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range keys {
					press()
				}
				runtime.ReadMemStats(&after)
				return (after.TotalAlloc - before.TotalAlloc) / keys
			}
			taken() // what is made once is there from then on
			if got := taken(); got > lobbyGarbage {
				t.Errorf("a key of %s, in the lists: %v, takes %d bytes, want at most %d", who.Name, inLists, got, lobbyGarbage)
			}
		}
	}
}

// lobbyKey opens a lobby with full lists, with the cursor in the menu or the lists. The function that it returns presses a key there,
// which moves the cursor, and draws the page.
func lobbyKey(tb testing.TB, who lobby.User, inLists bool) (press func()) {
	a := NewApp(tb.Context(), Config{Lobby: uitest.FullLobby().Services(), Pages: pages.All(), Who: who, Term: "xterm-256color"})
	a.Init()
	a.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	lists, yours := uitest.ManyLists()
	a.Update(nextListsMsg{who: who, lists: screen.ListsMsg{Lists: lists, Yours: yours}})
	if inLists {
		a.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	}
	c := canvas.New(80, 24)
	keys, pressed := [...]tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyUp}}, 0
	return func() {
		a.Update(keys[pressed%len(keys)])
		pressed++
		c.Clear()
		a.Draw(c)
	}
}
