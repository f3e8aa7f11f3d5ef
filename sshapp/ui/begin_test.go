package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// begin starts a session in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg Config) *uitest.Session {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return uitest.Noon }
	}
	if cfg.Term == "" {
		cfg.Term = "xterm-256color"
	}
	cfg.Bell, cfg.Pages = uitest.RingBell, pages.All()
	return uitest.Start(t, w, h, NewApp(t.Context(), cfg))
}

// walk runs a test in a bubble with a session at 80x24.
func walk(t *testing.T, cfg Config, f func(t *testing.T, s *uitest.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, begin(t, 80, 24, cfg)) })
}

// open opens the match screen of a player or spectator.
func open(b *uitest.Match, who lobby.User, w, h int, settings accounts.Settings, environ ...string) *uitest.Session {
	b.T.Helper()
	return begin(b.T, w, h, Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: who, Start: StartWatch, Code: b.Ref.Code, Now: time.Now,
		Settings: settings, Environ: environ})
}
