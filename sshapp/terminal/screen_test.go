package terminal

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"ludoteca/sshapp/terminal/canvas"
)

var update = flag.Bool("update", false, "write the golden files anew")

// board is a piece of a screen as the club's are: lines, pieces, two colours, something lit.
const board = "Momentum 7x7\n" +
	"┌───┬───┐  \x1b[1mana\x1b[m\n" +
	"│ \x1b[38;2;0;114;178m●\x1b[m │ · │  \x1b[2m9:41\x1b[m\n" +
	"└───┴───┘"

// step is one view in a script, or a new window size before it.
type step struct {
	name   string
	resize Window
	view   tea.View
	ring   bool
}

func view(content string, changes ...func(*tea.View)) tea.View {
	v := fullScreen(content)
	for _, change := range changes {
		change(&v)
	}
	return v
}

func withCursor(x, y int, shape tea.CursorShape, blink bool) func(*tea.View) {
	return func(v *tea.View) {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Shape, v.Cursor.Blink = shape, blink
	}
}

// scripts are the golden frames: each runs on a screen of its own.
var scripts = []struct {
	name    string
	term    string
	profile colorprofile.Profile
	window  Window
	steps   []step
}{
	{"changes", "xterm", colorprofile.TrueColor, Window{30, 4}, []step{
		{name: "first", view: view(board)},
		{name: "the same again", view: view(board)},
		{name: "one cell", view: view(strings.Replace(board, "·", "○", 1))},
		{name: "two cells close together", view: view(strings.Replace(board, "│ · │", "│●·●│", 1))},
		{name: "a line shorter", view: view(strings.Replace(board, "Momentum 7x7", "M", 1))},
		{name: "a line gone", view: view(strings.Replace(board, "Momentum 7x7", "", 1))},
		{name: "style only", view: view(strings.Replace(board, "ana", "\x1b[4;7mana", 1))},
		{name: "more lines and columns than there are", view: view("1\n2\n3\n4\n5" + strings.Repeat("x", 50))},
		{name: "and a bell", view: view("1\n2\n3\n4"), ring: true},
		{name: "nothing", view: view("")},
	}},
	{"modes", "xterm", colorprofile.ANSI, Window{20, 3}, []step{
		{name: "on the normal screen", view: tea.NewView("x")},
		{name: "alternate screen", view: view("x")},
		{name: "cursor", view: view("x", withCursor(1, 0, tea.CursorBar, false))},
		{name: "cursor elsewhere", view: view("x", withCursor(3, 2, tea.CursorBlock, true))},
		{name: "cursor outside", view: view("x", withCursor(20, 0, tea.CursorBlock, true))},
		{name: "mouse", view: view("x", func(v *tea.View) { v.MouseMode = tea.MouseModeCellMotion })},
		{name: "more mouse", view: view("x", func(v *tea.View) { v.MouseMode = tea.MouseModeAllMotion })},
		{name: "focus, no paste marks", view: view("x", func(v *tea.View) { v.ReportFocus, v.DisableBracketedPasteMode = true, true })},
		{name: "title", view: view("x", func(v *tea.View) { v.WindowTitle = "your \x1b]2;evil\a move \u202eé" })},
		{name: "title gone", view: view("x")},
		{name: "back to the normal screen", view: tea.NewView("x")},
	}},
	{"resizes", "xterm", colorprofile.ANSI, Window{20, 3}, []step{
		{name: "first", view: view("abc\ndef")},
		{name: "smaller", resize: Window{2, 1}, view: view("abc\ndef")},
		{name: "one cell", resize: Window{1, 1}, view: view("abc\ndef")},
		{name: "larger than the canvas", resize: Window{244, 80}, view: view("abc\ndef", withCursor(0, 1, tea.CursorBlock, true))},
		{name: "absurd", resize: Window{2_000_000_000, 2_000_000_000}, view: view("abc")},
		{name: "unknown", resize: Window{0, 0}, view: view("abc")},
	}},
	{"wide characters", "xterm", colorprofile.ANSI, Window{12, 3}, []step{
		{name: "chinese", view: view("漢字ab")},
		{name: "moved by one", view: view(" 漢字ab")},
		{name: "half overwritten", view: view(" x字ab")},
		{name: "at the edge", view: view("0123456789a漢")},
		{name: "emoji", view: view("a👍b")},
		{name: "next to an emoji", view: view("a👍c")},
		{name: "a family and a flag", view: view("👨‍👩‍👧‍👦|🇵🇹|")},
		{name: "letters with marks", view: view("e\u0301ab o\u0308")},
		{name: "far too many marks", view: view("e" + strings.Repeat("\u0301", 200) + "|")},
		{name: "plain again", view: view("ab")},
	}},
	{"not for a screen", "xterm", colorprofile.ANSI, Window{20, 3}, []step{
		{name: "sequences", view: view("a\x1b[5;5Hb\x1b]0;t\ac\x1b[2Jd\x1bPq\x1b\\e\x1b(0f")},
		{name: "controls", view: view("a\bb\rc\x7fd\ve\tf\u009bg\u202eh\u200bi\xffj")},
		{name: "line ends", view: view("a\r\nb\nc\r\n")},
		{name: "unfinished", view: view("a\x1b[12")},
	}},
	{"vt100", "vt100", colorprofile.ASCII, Window{20, 3}, []step{
		{name: "first", view: view("\x1b[1;3;38;5;9mbold\x1b[m and \x1b[4:3;9munderlined\x1b[m", withCursor(2, 0, tea.CursorBar, false),
			func(v *tea.View) { v.WindowTitle, v.MouseMode, v.ReportFocus = "title", tea.MouseModeAllMotion, true })},
		{name: "one cell", view: view("\x1b[1mBold", withCursor(2, 0, tea.CursorBar, false))},
	}},
	{"linux", "linux", colorprofile.ANSI, Window{20, 3}, []step{
		{name: "first", view: view("\x1b[91;48;2;255;128;0mcolours\x1b[m")},
	}},
}

func TestGoldenFrames(t *testing.T) {
	var got strings.Builder
	for _, script := range scripts {
		s := newScreen(newPalette(script.profile, isPlain(script.term)), isPlain(script.term))
		s.resize(script.window)
		emu := newEmulator(t, script.window)
		fmt.Fprintf(&got, "== %s\n", script.name)
		for _, step := range script.steps {
			if step.resize != (Window{}) || step.name == "unknown" {
				s.resize(step.resize)
				emu = newEmulator(t, Window{min(max(step.resize.Width, 80), 500), min(max(step.resize.Height, 24), 100)})
			}
			frame := s.draw(&step.view, step.ring)
			emu.Write(frame)
			fmt.Fprintf(&got, "%s:\n", step.name)
			for _, part := range strings.SplitAfter(fmt.Sprintf("%q", frame), "H") {
				fmt.Fprintf(&got, "\t%s\n", part)
			}
			if step.resize.Width < 1000 {
				compareScreen(t, script.name+", "+step.name, emu, s)
			}
		}
		fmt.Fprintf(&got, "restored:\n\t%q\n", s.modes.restore(nil, s))
	}
	golden(t, "frames.golden", got.String())
}

// TestColourProfiles draws the same styles with each profile.
func TestColourProfiles(t *testing.T) {
	const styles = "\x1b[31m1\x1b[0;97;44m2\x1b[0;38;5;208m3\x1b[0;38;2;0;114;178m4\x1b[0;48:2::213:94:0m5\x1b[0;38:5:17m6" +
		"\x1b[0;1;2;3;4;5;7;8;9m7\x1b[22;23;24;25;27;28;29m8\x1b[58;2;1;2;3;1m9\x1b[39;49;99;777;;1m0\x1b[ma"
	var got strings.Builder
	for _, profile := range []colorprofile.Profile{
		colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII, colorprofile.NoTTY, colorprofile.Unknown,
	} {
		s := newScreen(newPalette(profile, false), false)
		s.resize(Window{20, 1})
		s.modes.begun, s.modes.alt, s.modes.paste, s.known = true, true, true, true
		clear(s.shown)
		v := view(styles)
		fmt.Fprintf(&got, "%s:\n", profile)
		for _, part := range strings.SplitAfter(fmt.Sprintf("%q", s.draw(&v, false)), "m") {
			fmt.Fprintf(&got, "\t%s\n", part)
		}
	}
	golden(t, "profiles.golden", got.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func newEmulator(t testing.TB, size Window) *vt.Emulator {
	emu := vt.NewEmulator(size.Width, size.Height)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(io.Discard, emu)
	}()
	t.Cleanup(func() {
		emu.InputPipe().(io.Closer).Close()
		<-drained
	})
	return emu
}

// compareScreen checks that the emulator shows what the driver believes the client shows, and nothing around the canvas.
func compareScreen(t *testing.T, name string, emu *vt.Emulator, s *screen) {
	t.Helper()
	for y := range emu.Height() {
		for x := range emu.Width() {
			want := canvas.Cell{}
			if cx, cy := x-s.left, y-s.top; 0 <= cx && cx < s.size.Width && 0 <= cy && cy < s.size.Height {
				want = s.shown[cy*s.size.Width+cx]
			}
			if got, want := emulated(emu.CellAt(x, y)), s.describe(want); got != want {
				t.Fatalf("%s: the emulator shows %s at %d,%d, want %s", name, got, x, y, want)
			}
		}
	}
	if m := &s.modes; m.cursorOn && !s.plain && s.x >= 0 {
		if at := emu.CursorPosition(); at.X != s.left+s.x || at.Y != s.top+s.y {
			t.Fatalf("%s: the emulator's cursor is at %v, want %d,%d", name, at, s.left+s.x, s.top+s.y)
		}
	}
}

// draw draws a view with a string and returns what the client is sent.
func (s *screen) draw(v *tea.View, ring bool) []byte {
	c := canvas.New(0, 0)
	s.prepare(c)
	drawContent(c, v.Content)
	return s.frame(nil, c, v, ring)
}

// describe gives a cell, as the client has it, in the words of emulated.
func (s *screen) describe(c canvas.Cell) string {
	if c.Columns() == 0 {
		return "right half"
	}
	style := s.palette.style(c.Style())
	return fmt.Sprintf("%q %v %v %08b", s.clusters.AppendText(nil, c), hex(style.Fg.Color()), hex(style.Bg.Color()), style.Attrs)
}

func emulated(c *uv.Cell) string {
	if c == nil || c.Width == 0 && c.Content == "" {
		return "right half"
	}
	set := func(have bool, bit canvas.Attrs) canvas.Attrs {
		if have {
			return bit
		}
		return 0
	}
	has := func(bit uint8) bool { return c.Style.Attrs&bit != 0 }
	a := set(has(uv.AttrBold), canvas.Bold) | set(has(uv.AttrFaint), canvas.Faint) | set(has(uv.AttrItalic), canvas.Italic) |
		set(c.Style.Underline != 0, canvas.Underline) | set(has(uv.AttrBlink), canvas.Blink) | set(has(uv.AttrReverse), canvas.Reverse) |
		set(has(uv.AttrConceal), canvas.Conceal) | set(has(uv.AttrStrikethrough), canvas.Strike)
	return fmt.Sprintf("%q %v %v %08b", c.Content, hex(c.Style.Fg), hex(c.Style.Bg), a)
}

func hex(c color.Color) string {
	if c == nil {
		return "default"
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// TestManyClusters shows more grapheme clusters than the canvas tells apart: it starts anew, and the client with it.
func TestManyClusters(t *testing.T) {
	s := newScreen(newPalette(colorprofile.ANSI, false), false)
	s.resize(Window{20, 2})
	emu := newEmulator(t, s.size)
	redrawn := 0
	for i := range 1000 {
		v := view(fmt.Sprintf("%c\u0301%c\u0302|stays", 'a'+i%26, 'À'+i))
		frame := s.draw(&v, false)
		emu.Write(frame)
		whole := bytes.Contains(frame, []byte("\x1b[2J"))
		if whole {
			redrawn++
		}
		if i%50 == 0 || whole {
			compareScreen(t, v.Content, emu, s)
		}
	}
	if redrawn < 2 || redrawn > 20 {
		t.Errorf("of 1000 frames %d are drawn whole, want the first and few others", redrawn)
	}
}

// TestInvalidUTF8 is left out, wherever it stands, and whatever the frame before was.
func TestInvalidUTF8(t *testing.T) {
	frames := []struct{ content, want string }{
		{"ab\xffc\nd", "abc|d"},
		{"ab\xffc\nd\xe2\x94", "abc|d"},
		{"abc\nd", "abc|d"},
		{"abc\nd\xff\xfee", "abc|de"},
		{"a\x1b]0;t\nu\a\xffb\nd", "ab|d"},
	}
	s := newScreen(newPalette(colorprofile.TrueColor, false), false)
	s.resize(Window{10, 2})
	emu := newEmulator(t, Window{10, 2})
	for _, f := range frames {
		v := fullScreen(f.content)
		emu.Write(s.draw(&v, false))
		if got := strings.Join(screenLines(emu), "|"); got != f.want {
			t.Errorf("%q shows %q, want %q", f.content, got, f.want)
		}
	}
}

// TestSmallerWindowKeepsLittle: a session that had a large window once doesn't keep its cells for good.
func TestSmallerWindowKeepsLittle(t *testing.T) {
	s := newScreen(newPalette(colorprofile.TrueColor, false), false)
	for _, size := range []Window{{240, 70}, {80, 24}, {100, 30}, {1, 1}} {
		s.resize(size)
		if got, need := cap(s.shown), size.Width*size.Height; got < need || got > 4*need {
			t.Errorf("a window of %v keeps %d cells", size, got)
		}
	}
}

// TestLongContent: what takes ultraviolet long is taken out before, and the rest is the same.
func TestLongContent(t *testing.T) {
	for _, junk := range []string{"\a", "\x1b[K", "\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1bPq\x1b\\", "\x1b(0", "\x7f"} {
		c := canvas.New(30, 2)
		drawContent(c, "\x1b[1mbold "+strings.Repeat(junk, longContent)+"\x1b[0;31mred\nline"+junk)
		want := "\x1b[1mbold \x1b[0;31mred\x1b[m\n\x1b[31mline\x1b[m"
		if got := c.String(); got != want {
			t.Errorf("with much of %q there is %q, want %q", junk, got, want)
		}
	}
}

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
			emu.Write(s.draw(&v, false))
			compareScreen(t, text, emu, s)
		}
		fresh := newScreen(newPalette(p, false), false)
		fresh.resize(size)
		v := fullScreen(c)
		fresh.draw(&v, false)
		for i := range s.shown {
			if got, want := s.describe(s.shown[i]), fresh.describe(fresh.shown[i]); got != want {
				t.Fatalf("cell %d is %s after other frames, %s by itself", i, got, want)
			}
		}
	})
}

// TestSharedCanvas: sessions that draw on one canvas in turn, in windows of their own, see nothing of each other.
func TestSharedCanvas(t *testing.T) {
	c := canvas.New(0, 0)
	var screens []*screen
	var emus []*vt.Emulator
	for _, size := range []Window{{30, 5}, {12, 3}, {50, 2}} {
		s := newScreen(newPalette(colorprofile.TrueColor, false), false)
		s.resize(size)
		screens, emus = append(screens, s), append(emus, newEmulator(t, size))
	}
	contents := []string{board, "e\u0301漢👍🏽", "\x1b[7m字o\u0302\nx", "a", "o\u0302e\u0301", "", strings.Repeat("│漢", 60)}
	for i := range 40 {
		s, emu := screens[i%3], emus[i%3]
		v := view(contents[i%len(contents)])
		s.prepare(c)
		drawContent(c, v.Content)
		emu.Write(s.frame(nil, c, &v, false))
		compareScreen(t, fmt.Sprint("frame ", i), emu, s)
	}
}
