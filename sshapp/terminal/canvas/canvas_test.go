package canvas

import (
	"image/color"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

var red = Style{Fg: Indexed(1), Attrs: Bold}

func TestText(t *testing.T) {
	tests := []struct {
		name string
		area Rect // drawn on, of a canvas of 8x2 that is full of dots
		x, y int
		text string
		want string
		next int
	}{
		{"in the middle", Area(0, 0, 8, 2), 1, 1, "abc", "........\n.abc....", 4},
		{"cut at the right", Area(0, 0, 8, 2), 5, 0, "abcdef", ".....abc\n........", 8},
		{"cut at the left", Area(0, 0, 8, 2), -2, 0, "abcdef", "cdef....\n........", 4},
		{"above", Area(0, 0, 8, 2), 1, -1, "abc", "........\n........", 4},
		{"below", Area(0, 0, 8, 2), 1, 2, "abc", "........\n........", 4},
		{"beyond the right", Area(0, 0, 8, 2), 9, 0, "abc", "........\n........", 9},
		{"cut by a part", Area(2, 1, 3, 1), 1, 1, "abcdef", "........\n..bcd...", 5},
		{"another row than a part's", Area(2, 1, 3, 1), 3, 0, "abc", "........\n........", 5},
		{"a part that sticks out", Area(6, 1, 9, 9), 6, 1, "abc", "........\n......ab", 8},
		{"wide", Area(0, 0, 8, 2), 1, 0, "漢字", ".漢字...\n........", 5},
		{"half a wide one at the right", Area(0, 0, 4, 2), 1, 0, "漢字", ".漢 ....\n........", 4},
		{"half a wide one at the left", Area(1, 0, 4, 2), 0, 0, "漢字", ". 字....\n........", 4},
		{"half a wide one at the left, in another row", Area(1, 0, 4, 1), 0, 1, "漢字", "........\n........", 4},
		{"clusters", Area(0, 0, 8, 2), 0, 0, "e\u0301👨‍👩‍👧‍👦|", "e\u0301👨‍👩‍👧‍👦|....\n........", 4},
		{"a mark without a letter", Area(0, 0, 8, 2), 0, 0, "\u0301a", "a.......\n........", 1},
		{"controls", Area(0, 0, 8, 2), 0, 0, "a\x00\a\b\t\n\r\x7f\u009b\u0085b", "ab......\n........", 2},
		{"an escape sequence", Area(0, 0, 8, 2), 0, 0, "\x1b[31mb", "[31mb...\n........", 5},
		{"directions and nothings", Area(0, 0, 8, 2), 0, 0, "a\u202e\u2066\u200bb\u2028", "ab......\n........", 2},
		{"invalid", Area(0, 0, 8, 2), 0, 0, "a\xffé\xe2\x94b", "aéb.....\n........", 3},
		{"nothing", Area(0, 0, 8, 2), 3, 0, "", "........\n........", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(8, 2)
			for y := range 2 {
				c.Text(0, y, Style{}, "........")
			}
			if next := c.Sub(tt.area).Text(tt.x, tt.y, Style{}, tt.text); next != tt.next {
				t.Errorf("Text(%d, %d, %q) = %d, want %d", tt.x, tt.y, tt.text, next, tt.next)
			}
			if got := c.Plain(); got != tt.want {
				t.Errorf("Text(%d, %d, %q) drew\n%s\nwant\n%s", tt.x, tt.y, tt.text, got, tt.want)
			}
			checkRows(t, c)
		})
	}
}

// TestOverwriting draws over halves of wide characters by each way there is.
func TestOverwriting(t *testing.T) {
	tests := []struct {
		name string
		draw func(c *Canvas)
		want string
	}{
		{"left half", func(c *Canvas) { c.Text(1, 0, Style{}, "x") }, ".x 字."},
		{"right half", func(c *Canvas) { c.Text(2, 0, Style{}, "x") }, ". x字."},
		{"between two", func(c *Canvas) { c.Text(2, 0, Style{}, "犬") }, ". 犬 ."},
		{"one character", func(c *Canvas) { c.Set(3, 0, Style{}, '│') }, ".漢│ ."},
		{"a wide one", func(c *Canvas) { c.Set(0, 0, Style{}, '犬') }, "犬 字."},
		{"a control character", func(c *Canvas) { c.Set(1, 0, Style{}, '\n') }, ".漢字."},
		{"filled", func(c *Canvas) { c.Fill(Area(2, 0, 2, 1), Style{}) }, ".    ."},
		{"a part cleared", func(c *Canvas) { c.Sub(Area(2, 0, 1, 1)).Clear() }, ".  字."},
		{"a cell", func(c *Canvas) { c.SetCell(4, 0, &uv.Cell{Content: "x", Width: 1}) }, ".漢 x."},
		{"no cell", func(c *Canvas) { c.SetCell(4, 0, nil) }, ".漢  ."},
		{"a placeholder", func(c *Canvas) { c.SetCell(2, 0, &uv.Cell{}) }, ".漢字."},
		{"a lying width", func(c *Canvas) { c.SetCell(0, 0, &uv.Cell{Content: "x", Width: 4}) }, "x漢字."},
		{"more than a character", func(c *Canvas) { c.SetCell(0, 0, &uv.Cell{Content: "xyz", Width: 1}) }, "x漢字."},
		{"a sequence", func(c *Canvas) { c.SetCell(0, 0, &uv.Cell{Content: "\x1b[2J\axyz", Width: 1}) }, " 漢字."},
		{"string sequences before", func(c *Canvas) { c.SetCell(0, 0, &uv.Cell{Content: "\x1bPq\x1b\\\x1b_G\x1b\\x", Width: 1}) }, "x漢字."},
		{"a string sequence without end", func(c *Canvas) { c.SetCell(0, 0, &uv.Cell{Content: "\x1bPqx", Width: 1}) }, " 漢字."},
		{"a string sequence alone", func(c *Canvas) { c.SetCell(0, 0, &uv.Cell{Content: "\x1b_x\x1b\\", Width: 1}) }, " 漢字."},
		{"outside", func(c *Canvas) { c.Sub(Area(0, 0, 2, 1)).SetCell(2, 0, nil) }, ".漢字."},
		{"restyled", func(c *Canvas) { c.Restyle(Area(2, 0, 2, 1), red) }, ".漢字."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(6, 1)
			c.Text(0, 0, Style{}, ".漢字.")
			tt.draw(c)
			if got := c.Plain(); got != tt.want {
				t.Errorf("drew %q, want %q", got, tt.want)
			}
			checkRows(t, c)
		})
	}
}

func TestString(t *testing.T) {
	c := New(10, 3)
	x := c.Text(1, 0, red, "ana")
	c.Text(x, 0, Style{Fg: RGB(1, 2, 3)}, " 漢 ")
	c.Fill(Area(0, 1, 2, 1), Style{Bg: Indexed(200)})
	want := " \x1b[1;31mana\x1b[0;38;2;1;2;3m 漢 \x1b[m\n\x1b[48;5;200m  \x1b[m\n"
	if got := c.String(); got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := c.Plain(), " ana 漢\n\n"; got != want {
		t.Errorf("Plain() = %q, want %q", got, want)
	}
	back := New(10, 3)
	uv.NewStyledString(want).Draw(back, back.Bounds())
	if got := back.String(); got != want {
		t.Errorf("String(), drawn again, is %q, want %q", got, want)
	}
	if got, want := c.Sub(Area(6, 0, 2, 1)).Plain(), ""; got != want { // the right half of one character and a space
		t.Errorf("a part is %q, want %q", got, want)
	}
	if got, want := c.Sub(Area(4, 0, 2, 1)).Plain(), ""; got != want { // a space and a left half
		t.Errorf("a part is %q, want %q", got, want)
	}
}

// TestRepeat fills a part with a character, and with nothing that isn't one cell wide.
func TestRepeat(t *testing.T) {
	for _, tt := range []struct {
		r    rune
		want string
	}{
		{'-', "漢字\n ---"}, {'─', "漢字\n ───"}, {'·', "漢字\n ···"},
		{'漢', "漢字\n漢字"}, {'\u0301', "漢字\n漢字"}, {'\n', "漢字\n漢字"}, {'\x7f', "漢字\n漢字"},
	} {
		c := New(4, 2)
		c.Text(0, 0, red, "漢字")
		c.Text(0, 1, red, "漢字")
		c.Repeat(Area(1, 1, 9, 9), Style{}, tt.r)
		if got := c.Plain(); got != tt.want {
			t.Errorf("%q drew\n%s\nwant\n%s", tt.r, got, tt.want)
		}
		checkRows(t, c)
	}
}

func TestRestyle(t *testing.T) {
	c := New(6, 1)
	c.Text(0, 0, Style{}, "a漢字b")
	c.Restyle(Area(2, 0, 2, 1), red) // the right half of one, the left half of another
	want := "a漢\x1b[1;31m字\x1b[mb"
	if got := c.String(); got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	checkRows(t, c)
}

func TestMapText(t *testing.T) {
	c := New(12, 1)
	c.Text(0, 0, red, "aé漢e\u0301👍│b")
	c.MapText(func(text string) string {
		switch text {
		case "é", "e\u0301":
			return "e"
		case "│":
			return "much"
		case "👍":
			return ""
		}
		return "??"
	})
	if got, want := c.Plain(), "ae??e  mb"; got != want {
		t.Errorf("Plain() = %q, want %q", got, want)
	}
	if got, want := c.String(), "\x1b[1;31mae??e  mb\x1b[m"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

// TestClusters: Clear bounds how many clusters are kept, and each of them is cut.
func TestClusters(t *testing.T) {
	var table Clusters
	c := New(0, 0)
	resets := 0
	for i := range 5 * maxClusters {
		c.Reset(4, 1, &table)
		c.Text(0, 0, Style{}, string(rune('一'+i))+"\u0301")
		if n := len(table.texts); n > maxClusters {
			t.Fatalf("%d clusters are kept, want at most %d", n, maxClusters)
		}
		if table.Full() {
			table.Reset()
			resets++
		}
	}
	if resets != 5 {
		t.Errorf("the table was full %d times, want 5", resets)
	}
	c.Reset(4, 1, &table)
	c.Text(0, 0, Style{}, "e"+strings.Repeat("\u0301", 200))
	if got := len(c.Plain()); got > maxClusterBytes {
		t.Errorf("a cluster of %d bytes is kept, want at most %d", got, maxClusterBytes)
	}
	c.Reset(4, 1, &table)
	c.Text(0, 0, Style{}, "e"+strings.Repeat("\u0301", 200))
	other := New(0, 0)
	other.Reset(4, 1, &table)
	other.Text(0, 0, Style{}, "e"+strings.Repeat("\u0301", 200))
	if c.At(0, 0) != other.At(0, 0) {
		t.Error("equal cells of two canvases with the same clusters differ")
	}
}

// TestLongClusters: a cluster of exactly the bound is kept whole, and a longer one up to the last rune within the bound.
func TestLongClusters(t *testing.T) {
	for _, tt := range []struct {
		letter      string
		marks, kept int
	}{{"e", 23, 47}, {"é", 23, maxClusterBytes}, {"e", 24, 47}, {"é", 24, maxClusterBytes}} {
		cluster := tt.letter + strings.Repeat("\u0301", tt.marks)
		c := New(4, 1)
		c.Text(0, 0, Style{}, cluster+"x")
		if got := c.Plain(); got != cluster[:tt.kept]+"x" {
			t.Errorf("of a cluster of %d bytes and a letter %d bytes are kept, want %d: %q", len(cluster), len(got), tt.kept+1, got)
		}
	}
}

func TestCellAt(t *testing.T) {
	c := New(4, 1)
	c.Text(0, 0, Style{Fg: Indexed(9), Bg: RGB(1, 2, 3), Attrs: Bold | Faint | Italic | Underline | Blink | Reverse | Conceal | Strike}, "漢x")
	for x := range 3 {
		was := c.At(x, 0)
		cell := c.CellAt(x, 0)
		c.SetCell(x, 0, cell)
		if got := c.At(x, 0); got != was {
			t.Errorf("cell %d is %v after %v was set, want %v", x, got, cell, was)
		}
	}
	if cell := c.CellAt(0, 0); cell.Content != "漢" || cell.Width != 2 || cell.Style.Fg != ansi.BrightRed || cell.Style.Bg != (color.RGBA{1, 2, 3, 0xff}) {
		t.Errorf("cell 0 is %+v", cell)
	}
	if cell := c.CellAt(3, 0); !cell.Equal(&uv.EmptyCell) {
		t.Errorf("a blank is %+v", cell)
	}
	if c.CellAt(4, 0) != nil || c.CellAt(0, -1) != nil || c.Sub(Area(1, 0, 1, 1)).CellAt(0, 0) != nil {
		t.Error("there are cells outside")
	}
}

func TestReset(t *testing.T) {
	c := New(-1, 4)
	c.Text(0, 0, Style{}, "abc")
	for _, size := range [][2]int{{5, 2}, {240, 70}, {1, 1}, {0, 0}, {3, 1}} {
		c.Text(0, 0, red, "abc")
		c.Reset(size[0], size[1], c.clusters)
		if c.Bounds() != Area(0, 0, size[0], size[1]) || strings.Trim(c.String(), "\n") != "" {
			t.Errorf("reset to %v: %v %q", size, c.Bounds(), c.String())
		}
	}
}

// checkRows fails unless each wide character has both of its halves, and each text is fit to be shown.
func checkRows(t *testing.T, c *Canvas) {
	t.Helper()
	for y := range c.height {
		row := c.Row(y)
		for x, cell := range row {
			switch cell.Columns() {
			case 0:
				if x == 0 || row[x-1].Columns() != 2 || row[x-1].Style() != cell.Style() {
					t.Fatalf("%d,%d is a right half without a left half: %v", x, y, row)
				}
			case 2:
				if x+1 == len(row) || row[x+1].Columns() != 0 {
					t.Fatalf("%d,%d is a left half without a right half: %v", x, y, row)
				}
			}
			text := string(c.clusters.AppendText(nil, cell))
			if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > maxClusterBytes {
				t.Fatalf("%d,%d has the text %q", x, y, text)
			}
			if w := ansi.StringWidth(text); w != cell.Columns() && !cell.Ambiguous() {
				t.Fatalf("%d,%d: %q is %d columns wide, want %d", x, y, text, w, cell.Columns())
			}
		}
	}
}

// FuzzCanvas draws hostile text in all ways: it never leaves its area, and the cells stay whole.
func FuzzCanvas(f *testing.F) {
	for i, s := range []string{"abc", "漢字ab", "a👍b", "👨‍👩‍👧‍👦|🇵🇹|", "e\u0301x", "\x1b[1;31mred\x1b[m\n\x1b[44mblue\n", "a\tb\r\nc\x1b[5Hd",
		"\x1b]0;t", "\x1b[38:2::1:2:3mq", "ᄀ\u1161", "\u0600a", "a\x1b[m\u0301", "\u009b2J", "1️⃣♥️", "a\xff\u0301", "0\xf0\x7f0", "\x1bP漢"} {
		f.Add(s, i-3, i%3-1, uint8(i), uint8(i%4))
	}
	f.Fuzz(func(t *testing.T, text string, x, y int, left, width uint8) {
		c := New(12, 3)
		for y := range 3 {
			c.Text(0, y, Style{}, "漢............")
		}
		x, y = x%20, y%5
		area := Area(int(left%12), 0, int(width%12)+1, 2)
		part := c.Sub(area)
		if next := part.Text(x, y, red, text); next < min(x, 12) || next > max(x, 12) {
			t.Fatalf("Text(%d, %d, %q) = %d", x, y, text, next)
		}
		checkRows(t, c)
		part.SetCell(x, y, &uv.Cell{Content: text, Width: x, Style: uv.Style{Fg: color.White}})
		checkRows(t, c)
		for y := range 3 {
			for x := range 12 {
				if inside(area, x, y) || c.Row(y)[x].IsBlank() { // blank: half of a character that lay across an edge
					continue
				}
				if cell := c.Row(y)[x]; cell.Style() != (Style{}) {
					t.Fatalf("%q drew %v at %d,%d, outside of %v", text, cell, x, y, area)
				}
			}
		}
		uv.NewStyledString(text).Draw(part, area)
		checkRows(t, c)
		c.MapText(func(string) string { return text })
		checkRows(t, c)
		_, _ = c.String(), part.Plain()
	})
}

// tokens are what the contents of FuzzContent are made of: all that the canvas and ultraviolet's buffer keep in the same way.
var tokens = []string{
	"a", "Z", " ", "~", "\n", "\r\n", "é", "ñ", "│", "─", "█", "●", "○", "·", "漢", "字", "👍", "👍🏽", "👨‍👩‍👧‍👦", "🇵🇹", "e\u0301", "1️⃣", "⚡", "♥️",
	"\x1b[m", "\x1b[1m", "\x1b[2;3m", "\x1b[22m", "\x1b[4m", "\x1b[24m", "\x1b[7m", "\x1b[27m", "\x1b[31m", "\x1b[92m", "\x1b[39m", "\x1b[45m",
	"\x1b[106m", "\x1b[49m", "\x1b[38;5;200m", "\x1b[48;5;17m", "\x1b[38;2;1;2;3m", "\x1b[48;2;200;100;50m", "\x1b[9m", "\x1b[0;5;8m", "\x1b[28;25m",
	"\x1b[38;2;0;114;178;1m", "© ", "® ", "한국어", "ไทย", "न्दी",
}

// FuzzContent compares what becomes of a string with SGR sequences on a canvas and in ultraviolet's own buffer, which Bubble Tea's
// renderer draws in.
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
		width = width%40 + 1
		got := New(int(width), 4)
		want := uv.NewScreenBuffer(int(width), 4)
		want.Method = ansi.GraphemeWidth
		uv.NewStyledString(text.String()).Draw(got, got.Bounds())
		uv.NewStyledString(text.String()).Draw(want, want.Bounds())
		for y := range 4 {
			for x := range int(width) {
				cell := *want.CellAt(x, y)
				cell.Style.Attrs &^= uv.AttrRapidBlink
				if g := got.CellAt(x, y); !g.Equal(&cell) {
					t.Fatalf("%q at %d,%d is %+v, ultraviolet says %+v", text.String(), x, y, *g, cell)
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

// BenchmarkDraw writes all cells of an 80x24 window anew.
func BenchmarkDraw(b *testing.B) {
	c := New(80, 24)
	b.ReportAllocs()
	for b.Loop() {
		c.Clear()
		for y := range 24 {
			x := c.Text(0, y, red, "│ ● │ · │ and some text of the same row")
			c.Text(x, y, Style{}, "that goes on in another style to the edge of it")
		}
	}
}
