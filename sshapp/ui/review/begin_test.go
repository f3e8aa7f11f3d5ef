package review

import (
	"testing"
	"time"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// begin starts a session, in which a match is shown as its review, in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return uitest.Noon }
	}
	if cfg.Term == "" {
		cfg.Term = "xterm-256color"
	}
	cfg.Bell, cfg.Pages = uitest.RingBell, screen.Pages{Lobby: uitest.NewHome(), DeepLink: newmatch.NewDeepLink, Match: New}
	return uitest.Start(t, w, h, ui.NewApp(t.Context(), cfg))
}
