package accountpage

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
)

// TestZonePage: the page takes the name of a time zone, refuses what is none, and nothing is UTC.
func TestZonePage(t *testing.T) {
	env := &screen.Env{Lobby: uitest.FullLobby().Services(), Ctx: t.Context(), Who: uitest.Ana, Now: func() time.Time { return uitest.Noon },
		Theme: widget.NewTheme("", colorprofile.ANSI256, false)}
	s := newZone(env)
	press := func(names ...string) {
		t.Helper()
		for _, name := range names {
			for _, k := range uitest.Pressed(name) {
				s, _ = s.Update(k)
			}
		}
		env.Settings = s.(screen.SettingsChooser).Settings() // as App does
		env.Say = env.Say.Chosen(env.Settings)
	}
	paste := func(words string) { s, _ = s.Update(tea.PasteMsg{Content: words}) }
	sees := func(want string) {
		t.Helper()
		c := canvas.New(40, 17)
		s.Draw(c, c.Bounds())
		if page := strings.Join(strings.Fields(c.Plain()), " "); !strings.Contains(page, want) {
			t.Errorf("the page is\n%s\nwant %q", c.Plain(), want)
		}
	}
	minute := func(zone string) string {
		at, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		return uitest.Noon.In(at).Format("2006-01-02 15:04 ") + zone
	}
	sees(minute("UTC"))
	paste("Europe/Lisbon")
	press("enter")
	sees(minute("Europe/Lisbon"))
	paste("Europe/Lisboa\x1b[31m")
	press("enter")
	sees("is no time zone")
	if env.Settings.Zone != "Europe/Lisbon" {
		t.Errorf("the zone is %q after a wrong one", env.Settings.Zone)
	}
	for range zoneCells {
		press("backspace")
	}
	press("enter")
	sees(minute("UTC"))
	if env.Settings.Zone != "" {
		t.Errorf("the zone is %q, want none", env.Settings.Zone)
	}
}
