package lessonpage

import (
	"testing"
	"testing/synctest"

	"ludoteca/games"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// begin starts a session in a window of the given size, on a menu with the list of games. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	cfg.Pages = apptest.Home(uitest.HomeItem{Words: "Learn the games", Open: NewList})
	cfg.Pages.NewMatch = func(e *screen.Env, g games.Game) screen.Screen {
		return uitest.NewHome(uitest.HomeItem{Words: "a match of " + g.About().ID})(e)
	}
	return apptest.Begin(t, w, h, cfg)
}

// walk runs a test in a bubble with a session at 80x24.
func walk(t *testing.T, cfg ui.Config, f func(t *testing.T, s *uitest.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, begin(t, 80, 24, cfg)) })
}
