package ui

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/sshapp/text"
)

func TestPage(t *testing.T) {
	bold := style{"<b>", "</b>"}
	tests := []struct {
		name string
		draw func(*page)
		want string
	}{
		{"columns", func(p *page) { p.to(2).put(bold, "ab").to(6).put(style{}, "c").end() }, "  <b>ab</b>  c"},
		{"a column passed already", func(p *page) { p.put(style{}, "abcd").to(2).put(style{}, "e").end() }, "abcde"},
		{"cut at the edge", func(p *page) { p.to(7).put(bold, "abcdef").end() }, "       <b>ab…</b>"},
		{"beyond the edge", func(p *page) { p.to(12).put(bold, "a").end() }, ""},
		{"no spaces behind", func(p *page) { p.field(style{}, "ab", 8).end() }, "ab"},
		{"a field is cut", func(p *page) { p.field(bold, "abcdef", 4).put(style{}, "g").end() }, "<b>abc…</b>g"},
		{"numbers stand at the right", func(p *page) { p.number(style{}, "42", 5).put(style{}, "x").end() }, "   42x"},
		{"wide letters", func(p *page) { p.to(7).put(style{}, "王さん").end() }, "       王…"},
		{"lines beyond the last", func(p *page) { p.down(2); p.line(0, style{}, "a"); p.line(0, style{}, "b") }, "\n\na"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPage(10, 3)
			tt.draw(p)
			if got := p.String(); got != tt.want {
				t.Errorf("page %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPageStaysInside draws anything anywhere: no line may grow over the width, nor the page over its height.
func TestPageStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPage(rapid.IntRange(0, 30).Draw(t, "width"), rapid.IntRange(0, 5).Draw(t, "height"))
		number := rapid.IntRange(-2, 40)
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			words := text.Clean(rapid.String().Draw(t, "words"))
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				p.to(number.Draw(t, "column")).put(style{"\x1b[1m", "\x1b[m"}, words)
			case 1:
				p.field(style{}, words, number.Draw(t, "cells"))
			case 2:
				p.number(style{}, words, number.Draw(t, "cells"))
			case 3:
				p.end()
			case 4:
				p.end()
				p.raw(words)
			case 5:
				p.down(number.Draw(t, "line"))
			}
		}
		lines := strings.Split(p.String(), "\n")
		if len(lines) > max(p.height, 1) {
			t.Fatalf("%d lines on a page of %d", len(lines), p.height)
		}
		for _, line := range lines {
			if text.Width(line) > p.width {
				t.Fatalf("a line of %d cells on a page of %d: %q", text.Width(line), p.width, line)
			}
		}
	})
}
