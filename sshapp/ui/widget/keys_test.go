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
// two actions for a key the first one counts. The screen is asked: here it is "on" or anything else.
func TestKeyActions(t *testing.T) {
	set := func(to string) func(string) (string, tea.Cmd) {
		return func(string) (string, tea.Cmd) { return to, nil }
	}
	on := func(s string) bool { return s == "on" }
	k := Actions[string]{
		Footer: []Action[string]{
			On("enter", "choose", set("footer"), "enter"),
			On("tab", "other column", set("disabled"), "tab").When(on),
			On("x", "no other side", set("unlisted"), "x").Listed(on),
			Typed[string]("letters", "the code"),
		},
		Others: []Action[string]{On("enter", "again", set("others"), "enter"), On("home", "first", set("others"), "home").Doing(func(s string) string { return "what " + s + " does" })},
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
		if run, ok := k.Find("off", msg.String()); ok {
			got, _ = run("off", msg)
		}
		if got != tt.want {
			t.Errorf("key %q does %q, want %q", tt.key, got, tt.want)
		}
	}
	if run, ok := k.Find("on", "tab"); !ok {
		t.Error("the key tab does nothing on a screen where it is enabled")
	} else if got, _ := run("on", tea.KeyPressMsg{Code: tea.KeyTab}); got != "disabled" {
		t.Errorf("the key tab does %q where it is enabled", got)
	}
	for _, tt := range []struct {
		screen       string
		footer, help []string
	}{
		{"off", []string{"enter", "letters"}, []string{"enter", "letters", "home"}},
		{"on", []string{"enter", "tab", "x", "letters"}, []string{"enter", "tab", "x", "letters", "home"}},
	} {
		if got := keyNames(Shown(k.ShortHelp(tt.screen))); !slices.Equal(got, tt.footer) {
			t.Errorf("%s: the footer names %q, want %q", tt.screen, got, tt.footer)
		}
		help := Shown(k.FullHelp(tt.screen)...)
		if got := keyNames(help); !slices.Equal(got, tt.help) {
			t.Errorf("%s: help names %q, want %q", tt.screen, got, tt.help)
		}
		if got, want := help[len(help)-1].Help().Desc, "what "+tt.screen+" does"; got != want {
			t.Errorf("%s: help says %q, want %q", tt.screen, got, want)
		}
	}
}
