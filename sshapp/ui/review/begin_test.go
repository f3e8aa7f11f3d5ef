package review

import (
	"testing"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// begin starts a session, in which a match is shown as its review, in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	cfg.Pages = screen.Pages{Lobby: uitest.NewHome(), DeepLink: newmatch.NewDeepLink, Match: New, Review: NewNamed, Together: NewTogether}
	return apptest.Begin(t, w, h, cfg)
}
