package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestEntry types into a line of at most 8 cells. Of each text, | stands where the cursor is.
func TestEntry(t *testing.T) {
	key := func(code rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: code} }
	ctrl := func(letter rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: letter, Mod: tea.ModCtrl} }
	words := func(s string) tea.KeyPressMsg { return tea.KeyPressMsg{Text: s} }
	left, home := key(tea.KeyLeft), key(tea.KeyHome)
	for _, tt := range []struct {
		name string
		keys []tea.KeyPressMsg
		want string
	}{
		{"nothing", nil, "|"},
		{"at the end", []tea.KeyPressMsg{words("a"), words("é")}, "aé|"},
		{"in the middle", []tea.KeyPressMsg{words("aé"), left, words("b")}, "ab|é"},
		{"left of the start", []tea.KeyPressMsg{words("é"), left, left, words("b")}, "b|é"},
		{"right of the end", []tea.KeyPressMsg{words("é"), left, key(tea.KeyRight), key(tea.KeyRight)}, "é|"},
		{"home and end", []tea.KeyPressMsg{words("ab"), home, words("c"), key(tea.KeyEnd), words("d")}, "cabd|"},
		{"ctrl+a and ctrl+e", []tea.KeyPressMsg{words("ab"), ctrl('a'), words("c"), ctrl('e'), words("d")}, "cabd|"},
		{"backspace", []tea.KeyPressMsg{words("aéb"), left, key(tea.KeyBackspace)}, "a|b"},
		{"backspace at the start", []tea.KeyPressMsg{words("a"), home, key(tea.KeyBackspace)}, "|a"},
		{"delete", []tea.KeyPressMsg{words("éa"), home, key(tea.KeyDelete)}, "|a"},
		{"delete at the end", []tea.KeyPressMsg{words("a"), key(tea.KeyDelete)}, "a|"},
		{"ctrl+u", []tea.KeyPressMsg{words("abc"), left, ctrl('u')}, "|c"},
		{"a full line", []tea.KeyPressMsg{words("12345678"), words("9")}, "12345678|"},
		{"a wide letter that does not fit", []tea.KeyPressMsg{words("1234567"), words("王")}, "1234567|"},
		{"as far as it fits", []tea.KeyPressMsg{words("123456789")}, "12345678|"},
		{"control characters", []tea.KeyPressMsg{words("a\x1b\u202eb")}, "ab|"},
		{"marks typed one by one", []tea.KeyPressMsg{words("\u0e17"), words("\u0e35"), words("\u0e48")}, "\u0e17\u0e35\u0e48|"},
		{"a mark that composes", []tea.KeyPressMsg{words("eb"), left, words("\u0301")}, "é|b"},
		{"a mark on nothing", []tea.KeyPressMsg{words("\u0301"), words("a")}, "a|"},
		{"a mark in a full line", []tea.KeyPressMsg{words("1234567e"), words("\u0301")}, "1234567é|"},
		{"a tower of marks", []tea.KeyPressMsg{words("q"), words("\u0301"), words("\u0301"), words("\u0301")}, "q\u0301\u0301|"},
		{"a letter before a mark", []tea.KeyPressMsg{words("q\u0301"), left, words("e")}, "qé|"},
		{"a family at once", []tea.KeyPressMsg{words("👨\u200d👩\u200d👧a")}, "👨a|"},
		{"a family in pieces", []tea.KeyPressMsg{words("👨"), words("\u200d"), words("👩"), words("\u200d👧"), words("👧")}, "👨👧|"},
		{"a joiner, and then somewhere else", []tea.KeyPressMsg{words("👧👨\u200d"), home, words("👩")}, "👩|👧👨"},
		{"a joiner between two", []tea.KeyPressMsg{words("👨👩"), left, words("\u200d")}, "👨|👩"},
		{"a flag in pieces", []tea.KeyPressMsg{words("\U0001f1f5"), words("\U0001f1f9")}, "PT|"},
		{"a mark whose letter is deleted", []tea.KeyPressMsg{words("q\u0301b"), home, key(tea.KeyDelete)}, "|b"},
	} {
		var e Entry
		for _, msg := range tt.keys {
			used := false
			if e, used = e.Typed(msg, 8); !used {
				t.Errorf("%s: the key %q is not used", tt.name, msg.String())
			}
		}
		if got := e.Text[:e.at] + "|" + e.Text[e.at:]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	e, _ := Entry{}.Typed(words("王a"), 8)
	if got, used := e.Typed(key(tea.KeyUp), 8); used || got != e {
		t.Errorf("the key up is used, or makes %+v of %+v", got, e)
	}
	if e.Column() != 3 {
		t.Errorf("behind %q the cursor is in column %d, want 3", e.Text, e.Column())
	}
}
