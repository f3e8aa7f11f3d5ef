package accountpage

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
)

// TestNicknamePage: the page asks for the nickname that is typed, says why the guest can't have it, and how they are called when they can.
func TestNicknamePage(t *testing.T) {
	club := uitest.FullLobby()
	env := &screen.Env{Lobby: club.Services(), Ctx: t.Context(), Who: uitest.Guest, Theme: widget.NewTheme("", colorprofile.ANSI256, false)}
	s := newNickname(env)
	press := func(names ...string) {
		t.Helper()
		for _, name := range names {
			for _, k := range uitest.Pressed(name) {
				next, cmd := s.Update(k)
				s = next
				for cmd != nil {
					s, cmd = s.Update(cmd())
				}
			}
		}
	}
	sees := func(want string) {
		t.Helper()
		c := canvas.New(40, 17)
		s.Draw(c, c.Bounds())
		if page := strings.Join(strings.Fields(c.Plain()), " "); !strings.Contains(page, want) {
			t.Errorf("the page is\n%s\nwant %q", c.Plain(), want)
		}
	}
	press("enter")
	if len(club.Did) != 0 {
		t.Errorf("enter alone asks for %q", club.Did)
	}
	club.Err = lobby.ErrNameAlike
	press("o", "t", "t", "e", "r", "enter")
	sees("guest-otter This name is easily mistaken")
	if x, y, shown := s.(screen.CursorProvider).Cursor(); !shown || x != widget.MenuColumn+11 || y != textLine {
		t.Errorf("the cursor is at %d, %d", x, y)
	}
	club.Err = nil
	press("backspace", "enter")
	sees("You are guest-otte from now on.")
	next, _ := s.Update(tea.PasteMsg{Content: "bad\x1b[31mger\n"})
	if s = next; strings.ContainsAny(s.(nickname).typed.Text, "\x1b\n") {
		t.Errorf("a paste leaves %q", s.(nickname).typed.Text)
	}
	if got := strings.Join(club.Did, ", "); got != "nickname otter, nickname otte" {
		t.Errorf("asked for %q", got)
	}
}
