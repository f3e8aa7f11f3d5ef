package accountpage

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	accountstore "ludoteca/storage/accounts"
	"ludoteca/storage/schema"
)

// TestAccountBeforeItHasLoaded: until the account has come the page is empty, and no key, click or paste asks or does anything. Then the
// cursor is on the first row. If the account can't be loaded, the page says why.
func TestAccountBeforeItHasLoaded(t *testing.T) {
	env := &screen.Env{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Theme: widget.NewTheme("", colorprofile.ANSI256, false)}
	var s = newAccount(env)
	send := func(msg tea.Msg) {
		t.Helper()
		next, cmd := s.Update(msg)
		if s = next; cmd != nil || s.Typing() {
			t.Fatalf("%v (%T) asks or does something before the account has loaded", msg, msg)
		}
	}
	page := func() string {
		c := canvas.New(80, 23)
		s.Draw(c, c.Bounds())
		return strings.TrimSpace(c.Plain())
	}
	send(tea.WindowSizeMsg{Width: 80, Height: 23})
	for _, name := range []string{"enter", "tab", "enter", "x", "enter", "enter", "down", "end"} {
		for _, press := range uitest.Pressed(name) {
			send(press)
		}
	}
	for y := range 23 {
		send(tea.MouseClickMsg{X: 4, Y: y, Button: tea.MouseLeft})
	}
	send(tea.PasteMsg{Content: "ana"})
	if got := page(); got != "" {
		t.Errorf("before the account has loaded the page is\n%s", got)
	}
	send(accountMsg{err: errors.New("no disk")})
	if got := page(); got == "" || strings.Contains(got, "Recovery code") {
		t.Errorf("when the account can't be loaded the page is\n%s", got)
	}
	send(accountMsg{now: schema.Account{Account: accountstore.Account{
		Player: accountstore.Player{Name: "ana"}, Keys: []accountstore.Key{{Fingerprint: "SHA256:one"}, {Fingerprint: "SHA256:two"}},
	}}})
	if got := page(); !strings.HasPrefix(got, "> Name") || !strings.Contains(got, "SHA256:two") {
		t.Errorf("when the account has loaded the page is\n%s", got)
	}
}
