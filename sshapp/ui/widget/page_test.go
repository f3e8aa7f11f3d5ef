package widget

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
		draw func(*Page)
		want string // with < for the start and > for the end of what is bold
	}{
		{"columns", func(p *Page) { p.To(2).Put(bold, "ab").To(6).Put(plain, "c").End() }, "  <ab>  c"},
		{"a column passed already", func(p *Page) { p.Put(plain, "abcd").To(2).Put(plain, "e").End() }, "abcde"},
		{"cut at the edge", func(p *Page) { p.To(7).Put(bold, "abcdef").End() }, "       <ab…>"},
		{"beyond the edge", func(p *Page) { p.To(12).Put(bold, "a").End() }, ""},
		{"no spaces behind", func(p *Page) { p.Field(plain, "ab", 8).End() }, "ab"},
		{"a field is cut", func(p *Page) { p.Field(bold, "abcdef", 4).Put(plain, "g").End() }, "<abc…>g"},
		{"numbers stand at the right", func(p *Page) { p.Number(plain, "42", 5).Put(plain, "x").End() }, "   42x"},
		{"wide letters", func(p *Page) { p.To(7).Put(plain, "王さん").End() }, "       王…"},
		{"lines beyond the last", func(p *Page) { p.Down(2); p.Line(0, plain, "a"); p.Line(0, plain, "b") }, "\n\na"},
		{"wrapped", func(p *Page) { p.Wrap(1, plain, "ab cd ef", 5) }, " ab cd\n ef"},
		{"a part", func(p *Page) {
			part := p.Part(2)
			part.Line(0, plain, "a")
			part.Line(0, plain, "b")
			part.Line(0, plain, "c")
			p.Line(0, plain, "d")
		}, "a\nb\nd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := canvas.New(13, 5)
			p := NewPage(c, canvas.Area(2, 1, 10, 3))
			tt.draw(&p)
			got := strings.NewReplacer("\x1b[1m", "<", "\x1b[m", ">").Replace(c.Sub(p.Area).String())
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
		p := NewPage(c, area)
		number := rapid.IntRange(-2, 40)
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			words := text.Clean(rapid.String().Draw(t, "words"))
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				p.To(number.Draw(t, "column")).Put(canvas.Style{Attrs: canvas.Bold}, words)
			case 1:
				p.Field(canvas.Style{}, words, number.Draw(t, "cells"))
			case 2:
				p.Number(canvas.Style{}, words, number.Draw(t, "cells"))
			case 3:
				p.End()
			case 4:
				part := p.Part(number.Draw(t, "height"))
				part.Line(0, canvas.Style{}, words)
			case 5:
				p.Down(number.Draw(t, "line"))
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
		p := NewPage(canvas.New(width+10, 1), canvas.Area(0, 0, width+10, 1))
		if p.Put(canvas.Style{}, words); p.At != width {
			t.Fatalf("%q takes %d columns, and Width says %d", words, p.At, width)
		}
	})
}
