package newmatch

import (
	"testing"
	"testing/synctest"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// menu opens what these tests are about.
func menu() []uitest.HomeItem {
	return []uitest.HomeItem{
		{Words: "Play the computer", Open: func(e *screen.Env) screen.Screen { return New(e, AgainstComputer) }},
		{Words: "Quick match", Open: NewQuick},
		{Words: "New match...", Open: func(e *screen.Env) screen.Screen { return New(e, AgainstPerson) }},
		{Words: "Join by code...", Open: NewJoin},
		{Words: "Challenge rui", Open: newChallengeOfRui},
		{Words: "Two at this keyboard", Open: func(e *screen.Env) screen.Screen { return New(e, AtOneKeyboard) }},
	}
}

// begin starts a session in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	cfg.Pages = apptest.Home(menu()...)
	return apptest.Begin(t, w, h, cfg)
}

// walk runs a test in a bubble with a session at 80x24.
func walk(t *testing.T, cfg ui.Config, f func(t *testing.T, s *uitest.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, begin(t, 80, 24, cfg)) })
}
