package ui

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

func TestPage(t *testing.T) {
	plain, bold := canvas.Style{}, canvas.Style{Attrs: canvas.Bold}
	tests := []struct {
		name string
		draw func(*page)
		want string // with < for the start and > for the end of what is bold
	}{
		{"columns", func(p *page) { p.to(2).put(bold, "ab").to(6).put(plain, "c").end() }, "  <ab>  c"},
		{"a column passed already", func(p *page) { p.put(plain, "abcd").to(2).put(plain, "e").end() }, "abcde"},
		{"cut at the edge", func(p *page) { p.to(7).put(bold, "abcdef").end() }, "       <ab…>"},
		{"beyond the edge", func(p *page) { p.to(12).put(bold, "a").end() }, ""},
		{"no spaces behind", func(p *page) { p.field(plain, "ab", 8).end() }, "ab"},
		{"a field is cut", func(p *page) { p.field(bold, "abcdef", 4).put(plain, "g").end() }, "<abc…>g"},
		{"numbers stand at the right", func(p *page) { p.number(plain, "42", 5).put(plain, "x").end() }, "   42x"},
		{"wide letters", func(p *page) { p.to(7).put(plain, "王さん").end() }, "       王…"},
		{"lines beyond the last", func(p *page) { p.down(2); p.line(0, plain, "a"); p.line(0, plain, "b") }, "\n\na"},
		{"wrapped", func(p *page) { p.wrap(1, plain, "ab cd ef", 5) }, " ab cd\n ef"},
		{"a part", func(p *page) {
			p.part(2, func(p *page) { p.line(0, plain, "a"); p.line(0, plain, "b"); p.line(0, plain, "c") })
			p.line(0, plain, "d")
		}, "a\nb\nd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := canvas.New(13, 5)
			p := newPage(c, canvas.Area(2, 1, 10, 3))
			tt.draw(p)
			got := strings.NewReplacer("\x1b[1m", "<", "\x1b[m", ">").Replace(c.Sub(p.area).String())
			if want := tt.want + strings.Repeat("\n", 2-strings.Count(tt.want, "\n")); got != want {
				t.Errorf("page %q, want %q", got, want)
			}
			if at := c.String(); strings.TrimLeft(strings.Split(at, "\n")[0], " ") != "" {
				t.Errorf("something is drawn above the area:\n%s", at)
			}
		})
	}
}

// TestPageStaysInside draws anything anywhere: nothing reaches the cells around the area.
func TestPageStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const around = '#'
		c := canvas.New(40, 10)
		for y := range 10 {
			c.Text(0, y, canvas.Style{}, strings.Repeat(string(around), 40))
		}
		area := canvas.Area(3, 2, rapid.IntRange(0, 30).Draw(t, "width"), rapid.IntRange(0, 5).Draw(t, "height"))
		c.Fill(area, canvas.Style{})
		p := newPage(c, area)
		number := rapid.IntRange(-2, 40)
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			words := text.Clean(rapid.String().Draw(t, "words"))
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				p.to(number.Draw(t, "column")).put(canvas.Style{Attrs: canvas.Bold}, words)
			case 1:
				p.field(canvas.Style{}, words, number.Draw(t, "cells"))
			case 2:
				p.number(canvas.Style{}, words, number.Draw(t, "cells"))
			case 3:
				p.end()
			case 4:
				p.part(number.Draw(t, "height"), func(p *page) { p.line(0, canvas.Style{}, words) })
			case 5:
				p.down(number.Draw(t, "line"))
			}
		}
		for y := range 10 {
			for x := range 40 {
				inside := area.Min.X <= x && x < area.Max.X && area.Min.Y <= y && y < area.Max.Y
				if !inside && c.At(x, y).Rune() != around {
					t.Fatalf("column %d of line %d, outside the page, was drawn on:\n%s", x, y, c.Plain())
				}
			}
		}
	})
}

// TestPageAgreesOnWidths: what text.Clean lets through takes as many columns of the canvas as text.Width says.
func TestPageAgreesOnWidths(t *testing.T) {
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"\u0301", "\u200d", "\ufe0f", "é", "王", "●", "…", "ﬁ", "\U0001f1e9", "한", "\u0e33", "©", "👩‍🚀",
	}))
	rapid.Check(t, func(t *rapid.T) {
		words := text.Clean(strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "words"), ""))
		width := text.Width(words)
		p := newPage(canvas.New(width+10, 1), canvas.Area(0, 0, width+10, 1))
		if p.put(canvas.Style{}, words); p.at != width {
			t.Fatalf("%q takes %d columns, and Width says %d", words, p.at, width)
		}
	})
}
