package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// FuzzFrames draws three frames one after the other. After each the emulator must show what the driver believes, whatever the
// frames hold, and in the end the same as a client that got the last frame alone.
func FuzzFrames(f *testing.F) {
	seeds := []string{board, "", "漢字ab", "a👍b", "👨‍👩‍👧‍👦|🇵🇹|", "e\u0301" + "x", "\x1b[1;31mred\x1b[m\n\x1b[44mblue   \n", "a\tb\r\nc\x1b[5Hd",
		"xxxxxxxxxxxxxxxxxxxx", " 漢", "漢", "x字", "1\n2\n3\n4\n5\n6", "\x1b]0;t", "\x1b[38:2::1:2:3m\x1b[4:0mq", "ᄀ\u1161", "\u0600a", "🇵\x1b[1m🇹"}
	for i, a := range seeds {
		f.Add(a, seeds[(i+1)%len(seeds)], seeds[(i+5)%len(seeds)], uint8(i), uint8(i%5), uint8(i))
	}
	for _, rows := range [][3]string{ // of which some stay as they are, with another colour before them or another end
		{"a\n\x1b[31mb\nc", "a\n\x1b[32mb\nc", "a\nb\nc"},
		{"a\nb\nc", "a\nb", "a\nb\n\nd"},
		{"a\n\x1b]0;t\n", "a\n\x1b]0;t\nb\ac\n", "a\n\x1b]0;t\n"},
		{"a\xff\nb\nc", "a\xff\nb\nd", "a\nb\xe2\n\x80"},
		{"a\n\x1b]0;t\nb\a\xff\nc", "a\nb\n\xffc", "a\n\x1b]0;\xff\nb\a\nc"},
		{"a\n👍\nb", "c\n👍\nb", "c\n👍\nd"},
	} {
		f.Add(rows[0], rows[1], rows[2], uint8(19), uint8(3), uint8(3))
	}
	f.Fuzz(func(t *testing.T, a, b, c string, width, height, profile uint8) {
		size := Window{int(width%40) + 1, int(height%6) + 1}
		p := colorprofile.ASCII + colorprofile.Profile(profile%4)
		s := newScreen(newPalette(p, false), false)
		s.resize(size)
		emu := newEmulator(t, size)
		for _, text := range []string{a, b, c} {
			v := fullScreen(text)
			if width%3 == 0 {
				v.Cursor = tea.NewCursor(int(width)/3, int(height)/3)
			}
			emu.Write(s.draw(nil, &v, false))
			compareScreen(t, text, emu, s)
		}
		fresh := newScreen(newPalette(p, false), false)
		fresh.resize(size)
		v := fullScreen(c)
		fresh.draw(nil, &v, false)
		for i := range s.cells {
			if got, want := s.describe(s.cells[i]), fresh.describe(fresh.cells[i]); got != want {
				t.Fatalf("cell %d is %s after other frames, %s by itself", i, got, want)
			}
		}
	})
}

// tokens are what the contents of FuzzContent are made of: all that both this driver and ultraviolet show in the same way.
var tokens = []string{
	"a", "Z", " ", "~", "\n", "\r\n", "é", "ñ", "│", "─", "█", "●", "○", "·", "漢", "字", "👍", "👍🏽", "👨‍👩‍👧‍👦", "🇵🇹", "e\u0301", "1️⃣", "⚡", "♥️",
	"\x1b[m", "\x1b[1m", "\x1b[2;3m", "\x1b[22m", "\x1b[4m", "\x1b[24m", "\x1b[7m", "\x1b[27m", "\x1b[31m", "\x1b[92m", "\x1b[39m", "\x1b[45m",
	"\x1b[106m", "\x1b[49m", "\x1b[38;5;200m", "\x1b[48;5;17m", "\x1b[38;2;1;2;3m", "\x1b[48;2;200;100;50m", "\x1b[9m", "\x1b[0;5;8m", "\x1b[28;25m",
	"\x1b[38;2;0;114;178;1m", "© ", "® ", "한국어", "ไทย", "न्दी",
}

// FuzzContent compares what becomes of a frame with what ultraviolet, the library behind Bubble Tea's renderer, makes of it.
func FuzzContent(f *testing.F) {
	f.Add([]byte{0, 30, 12, 14, 4, 24, 18}, uint8(10))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(20))
	all := make([]byte, len(tokens))
	for i := range all {
		all[i] = byte(i)
	}
	f.Add(all, uint8(39))
	f.Fuzz(func(t *testing.T, b []byte, width uint8) {
		var text strings.Builder
		for _, b := range b {
			text.WriteString(tokens[int(b)%len(tokens)])
		}
		size := Window{int(width%40) + 1, 4}
		s := newScreen(newPalette(colorprofile.TrueColor, false), false)
		s.resize(size)
		v := fullScreen(text.String())
		s.draw(nil, &v, false)

		want := uv.NewScreenBuffer(size.Width, size.Height)
		want.Method = ansi.GraphemeWidth
		uv.NewStyledString(text.String()).Draw(want, want.Bounds())
		for y := range size.Height {
			for x := range size.Width {
				got, want := s.describe(s.cells[y*size.Width+x]), emulated(want.CellAt(x, y))
				if got != want {
					t.Fatalf("%q at %d,%d is %s, ultraviolet says %s", text.String(), x, y, got, want)
				}
			}
		}
	})
}

// TestNarrow checks the shortcut against the library it bypasses: each of its runes is one column, and none joins another.
func TestNarrow(t *testing.T) {
	n := 0
	for r := rune(0); r < utf8.MaxRune; r++ {
		if !narrow(r) {
			continue
		}
		n++
		for _, text := range []string{string(r), string(r) + "a", string(r) + "é", "a" + string(r), "漢" + string(r), string(r) + "─"} {
			first, _ := utf8.DecodeRuneInString(text)
			cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			if cluster != string(first) || first == r && width != 1 {
				t.Errorf("%U: %q begins with %q of %d columns, want one rune in one column", r, text, cluster, width)
			}
		}
	}
	if n < 500 {
		t.Errorf("%d runes take the shortcut, want it to be of use", n)
	}
}
