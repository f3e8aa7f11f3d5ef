package accountpage

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	noticestore "ludoteca/storage/notices"
)

// TestNoticesPage: a player gives an address, types its code, and ends the notices; the settings say what is on.
func TestNoticesPage(t *testing.T) {
	club := uitest.FullLobby()
	club.Sends = []noticestore.Kind{noticestore.Mail}
	env := &screen.Env{Lobby: club.Services(), Ctx: t.Context(), Who: uitest.Ana, Theme: widget.NewTheme("", colorprofile.ANSI256, false)}
	s := newNotices(env)
	run := func(cmd tea.Cmd) {
		for cmd != nil {
			s, cmd = s.Update(cmd())
		}
	}
	press := func(names ...string) {
		for _, name := range names {
			for _, k := range uitest.Pressed(name) {
				next, cmd := s.Update(k)
				s = next
				run(cmd)
			}
		}
	}
	drawn := func(s screen.Screen) string {
		c := canvas.New(80, 23)
		s.Draw(c, c.Bounds())
		return strings.Join(strings.Fields(c.Plain()), " ")
	}
	sees := func(wants ...string) {
		t.Helper()
		for _, want := range wants {
			if page := drawn(s); !strings.Contains(page, want) {
				t.Errorf("%q is not on the page: %s", want, page)
			}
		}
	}
	settingsSay := func(want string) {
		t.Helper()
		p := NewSettings(env)
		if cmd := p.Init(); cmd != nil {
			p, _ = p.Update(cmd())
		}
		if page := drawn(p); !strings.Contains(page, "Notices "+want) {
			t.Errorf("the settings don't say %q: %s", want, page)
		}
	}
	run(s.Init())
	sees("You get no notices.", "[ Notices by mail ]")
	settingsSay("off")
	if page := drawn(s); strings.Contains(page, "ntfy") || strings.Contains(page, "No more notices") {
		t.Errorf("the page offers what isn't there: %s", page)
	}
	press("enter")
	sees("Your email address:")
	press("ana, eve", "enter")
	sees("You get no notices.")
	if club.Contact.Pending != nil {
		t.Error("a wrong address waits for a code")
	}
	press("enter", "x", "esc")
	if s.(noticesScreen).HandlesEsc() {
		t.Error("esc does not withdraw the question")
	}
	press("enter", "ana@example.com", "enter")
	sees("A code was sent to ana@example.com.", "A code is on its way.", "[ Type the code ]", "[ No more notices ]")
	settingsSay("a code waits")
	press("home", "enter", "wrong", "enter")
	sees("A code was sent to ana@example.com.")
	press("enter", strings.ToLower(uitest.NoticeCode), "enter")
	sees("Notices go by mail to ana@example.com.", "The address is confirmed.")
	settingsSay("by mail")
	press("end", "enter", "x")
	if club.Contact.Confirmed == nil {
		t.Error("the notices end without a second enter")
	}
	press("enter")
	sees("Enter once more.")
	press("enter")
	sees("You get no notices.", "the club has forgotten your address")
}

// TestNoNoticesRow: the settings have no row for notices in a club that sends none, nor for guests.
func TestNoNoticesRow(t *testing.T) {
	for _, guest := range []bool{false, true} {
		club, who := uitest.FullLobby(), uitest.Ana
		if guest {
			who, club.Sends = uitest.Guest, []noticestore.Kind{noticestore.Ntfy}
		}
		p := NewSettings(&screen.Env{Lobby: club.Services(), Ctx: t.Context(), Who: who, Theme: widget.NewTheme("", colorprofile.ANSI256, false)})
		if p.Init() != nil {
			t.Errorf("guest %v: the settings ask for notices", guest)
		}
		c := canvas.New(80, 23)
		if p.Draw(c, c.Bounds()); strings.Contains(c.Plain(), "Notices") {
			t.Errorf("guest %v: there is a row for notices:\n%s", guest, c.Plain())
		}
	}
}
