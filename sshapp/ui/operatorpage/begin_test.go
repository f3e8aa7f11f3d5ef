package operatorpage

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// menu opens what these tests are about.
func menu() []uitest.HomeItem {
	return []uitest.HomeItem{
		{Words: "Operator", Open: New},
	}
}

// begin starts a session in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return uitest.Noon }
	}
	if cfg.Term == "" {
		cfg.Term = "xterm-256color"
	}
	cfg.Bell, cfg.Pages = uitest.RingBell, screen.Pages{Lobby: uitest.NewHome(menu()...), Match: uitest.NewBoard}
	return uitest.Start(t, w, h, ui.NewApp(t.Context(), cfg))
}

// walk runs a test in a bubble with a session at 80x24.
func walk(t *testing.T, cfg ui.Config, f func(t *testing.T, s *uitest.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, begin(t, 80, 24, cfg)) })
}
