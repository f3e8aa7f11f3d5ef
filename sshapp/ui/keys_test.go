package ui

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestKeyActions: a disabled action neither matches nor appears, an unlisted one only matches, a typed one only appears, and of
// two actions for a key the first one counts.
func TestKeyActions(t *testing.T) {
	set := func(to string) func(string) (string, tea.Cmd) {
		return func(string) (string, tea.Cmd) { return to, nil }
	}
	k := keyActions[string]{
		footer: []keyAction[string]{
			on("enter", "choose", set("footer"), "enter"),
			on("tab", "other column", set("disabled"), "tab").enabled(false),
			on("x", "no other side", set("unlisted"), "x").listed(false),
			typed[string]("letters", "the code"),
		},
		others: []keyAction[string]{on("enter", "again", set("others"), "enter"), on("home", "first", set("others"), "home")},
	}
	tests := []struct{ key, want string }{
		{"enter", "footer"}, {"tab", ""}, {"x", "unlisted"}, {"letters", ""}, {"home", "others"}, {"end", ""}, {"", ""},
	}
	for _, tt := range tests {
		msg := tea.KeyPressMsg{Text: tt.key}
		if code, ok := named[tt.key]; ok {
			msg = tea.KeyPressMsg(code)
		}
		got := ""
		if run, ok := k.find(msg); ok {
			got, _ = run("", msg)
		}
		if got != tt.want {
			t.Errorf("key %q does %q, want %q", tt.key, got, tt.want)
		}
	}
	if got, want := keyNames(shown(k.ShortHelp())), []string{"enter", "letters"}; !slices.Equal(got, want) {
		t.Errorf("the footer names %q, want %q", got, want)
	}
	if got, want := keyNames(shown(k.FullHelp()...)), []string{"enter", "letters", "home"}; !slices.Equal(got, want) {
		t.Errorf("help names %q, want %q", got, want)
	}
}
