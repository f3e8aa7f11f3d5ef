package ui

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// keptIsTrue fails the test if a page shows anything else than one of which nothing was drawn before. All sessions under test
// come by here after each step.
func keptIsTrue(t testing.TB, a *App) {
	t.Helper()
	anew := *a
	anew.stack = slices.Clone(a.stack)
	for i := range anew.stack {
		switch s := anew.stack[i].screen.(type) {
		case matchScreen:
			s.kept = nil
			anew.stack[i].screen = s
		case review:
			s.board = nil
			anew.stack[i].screen = s
		}
	}
	got, want := a.View(), anew.View()
	if diff := cmp.Diff(want.Content, got.Content); diff != "" {
		t.Errorf("what was drawn before is still there (-anew +got):\n%s", diff)
	}
	if got.WindowTitle != want.WindowTitle {
		t.Errorf("the window is called %q, want %q", got.WindowTitle, want.WindowTitle)
	}
}
