package accountpage

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/lobby"
	"ludoteca/lobby/vacations"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// A calendar is a service over the vacations of one player.
type calendar struct {
	now vacations.State
	err error
}

func (c *calendar) Until(storage.PlayerID) time.Time { return c.now.Until }

func (c *calendar) Of(context.Context, lobby.User) (vacations.State, error) { return c.now, c.err }

func (c *calendar) Begin(_ context.Context, _ lobby.User, until time.Time) (vacations.State, error) {
	if c.err == nil {
		c.now = vacations.State{Until: until, DaysLeft: c.now.DaysLeft - 6}
	}
	return c.now, c.err
}

func (c *calendar) End(context.Context, lobby.User) (vacations.State, error) {
	c.now.Until = time.Time{}
	return c.now, c.err
}

// TestVacationPage: the page shows the days left, begins a vacation of as many days as are chosen, and ends it.
func TestVacationPage(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	service := &calendar{now: vacations.State{DaysLeft: 8}}
	env := &screen.Env{Lobby: &screen.Lobby{Vacations: service}, Ctx: t.Context(), Now: func() time.Time { return now }, Who: uitest.Ana, Theme: widget.NewTheme("", colorprofile.ANSI256, false)}
	s := newVacation(env)
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
	sees := func(wants ...string) {
		t.Helper()
		c := canvas.New(80, 23)
		s.Draw(c, c.Bounds())
		page := strings.Join(strings.Fields(c.Plain()), " ")
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not on the page: %s", want, page)
			}
		}
	}
	run(s.Init())
	sees("You are not on vacation. 8 days of vacation are left this year.", "Vacation of 7 days")
	press("right", "right", "right")
	sees("Vacation of 8 days")
	press("left", "left", "o")
	sees("Vacation of 6 days")
	service.err = lobby.ErrOverdue
	press("enter", "esc")
	sees("Vacation of 6 days: enter begins it.")
	press("enter")
	sees("Vacation of 6 days. Enter once more")
	press("enter")
	sees("A move of yours is overdue", "You are not on vacation.")
	service.err = nil
	press("enter", "right")
	sees("You are not on vacation.", "Vacation of 6 days")
	press("enter")
	sees("You are not on vacation.")
	press("enter")
	sees("You are on vacation until 2026-12-07 08:00 UTC.", "2 days of vacation are left")
	press("enter", "o")
	sees("You are not on vacation.")
}
