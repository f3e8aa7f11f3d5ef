// Package apptest starts sessions of the whole App for the tests of one package of screens.
package apptest

import (
	"testing"
	"time"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// Begin starts a session in a window of the given size, at uitest.Noon in a terminal of 256 colours unless cfg has other values. It must be
// called in a synctest bubble.
func Begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return uitest.Noon }
	}
	if cfg.Term == "" {
		cfg.Term = "xterm-256color"
	}
	cfg.Bell = uitest.RingBell
	return uitest.Start(t, w, h, ui.NewApp(t.Context(), cfg))
}

// Home returns pages with a plain menu in place of the lobby, and a plain board.
func Home(items ...uitest.HomeItem) screen.Pages {
	return screen.Pages{Lobby: uitest.NewHome(items...), Match: uitest.NewBoard}
}
