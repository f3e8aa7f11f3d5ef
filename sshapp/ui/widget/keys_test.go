package widget

import (
	"slices"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// keyNames returns what footer or help call some bindings.
func keyNames(all []key.Binding) (names []string) {
	for _, b := range all {
		names = append(names, b.Help().Key)
	}
	return names
}

// TestKeyActions: a disabled action neither matches nor appears, an unlisted one only matches, a typed one only appears, and of
// two actions for a key the first one counts.
func TestKeyActions(t *testing.T) {
	set := func(to string) func(string) (string, tea.Cmd) {
		return func(string) (string, tea.Cmd) { return to, nil }
	}
	k := Actions[string]{
		Footer: []Action[string]{
			On("enter", "choose", set("footer"), "enter"),
			On("tab", "other column", set("disabled"), "tab").When(false),
			On("x", "no other side", set("unlisted"), "x").Listed(false),
			Typed[string]("letters", "the code"),
		},
		Others: []Action[string]{On("enter", "again", set("others"), "enter"), On("home", "first", set("others"), "home")},
	}
	named := map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "home": tea.KeyHome, "end": tea.KeyEnd}
	tests := []struct{ key, want string }{
		{"enter", "footer"}, {"tab", ""}, {"x", "unlisted"}, {"letters", ""}, {"home", "others"}, {"end", ""}, {"", ""},
	}
	for _, tt := range tests {
		msg := tea.KeyPressMsg{Text: tt.key}
		if code, ok := named[tt.key]; ok {
			msg = tea.KeyPressMsg{Code: code}
		}
		got := ""
		if run, ok := k.Find(msg); ok {
			got, _ = run("", msg)
		}
		if got != tt.want {
			t.Errorf("key %q does %q, want %q", tt.key, got, tt.want)
		}
	}
	if got, want := keyNames(Shown(k.ShortHelp())), []string{"enter", "letters"}; !slices.Equal(got, want) {
		t.Errorf("the footer names %q, want %q", got, want)
	}
	if got, want := keyNames(Shown(k.FullHelp()...)), []string{"enter", "letters", "home"}; !slices.Equal(got, want) {
		t.Errorf("help names %q, want %q", got, want)
	}
}
