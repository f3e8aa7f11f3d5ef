package terminal

import (
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
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
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
			frame := s.draw(nil, &step.view, step.ring)
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
		for i := range s.cells {
			s.cells[i] = blank
		}
		v := view(styles)
		fmt.Fprintf(&got, "%s:\n", profile)
		for _, part := range strings.SplitAfter(fmt.Sprintf("%q", s.draw(nil, &v, false)), "m") {
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
			want := blank
			if cx, cy := x-s.left, y-s.top; 0 <= cx && cx < s.canvas.Width && 0 <= cy && cy < s.canvas.Height {
				want = s.cells[cy*s.canvas.Width+cx]
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

// describe gives a cell in the words of emulated.
func (s *screen) describe(c cell) string {
	if c.glyph() == rightHalf {
		return "right half"
	}
	return fmt.Sprintf("%q %v %v %08b", s.clusters.append(nil, c.glyph()), rgbOf(c.fg), rgbOf(c.bg), c.style().attrs)
}

func emulated(c *uv.Cell) string {
	if c == nil || c.Width == 0 && c.Content == "" {
		return "right half"
	}
	set := func(have bool, bit attrs) attrs {
		if have {
			return bit
		}
		return 0
	}
	has := func(bit uint8) bool { return c.Style.Attrs&bit != 0 }
	a := set(has(uv.AttrBold), bold) | set(has(uv.AttrFaint), faint) | set(has(uv.AttrItalic), italic) |
		set(c.Style.Underline != 0, underline) | set(has(uv.AttrBlink), blink) | set(has(uv.AttrReverse), reverse) |
		set(has(uv.AttrConceal), conceal) | set(has(uv.AttrStrikethrough), strike)
	return fmt.Sprintf("%q %v %v %08b", c.Content, hex(c.Style.Fg), hex(c.Style.Bg), a)
}

func rgbOf(c colour) string {
	switch {
	case c == 0:
		return hex(nil)
	case c&colourKind == rgbColour:
		return hex(color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff})
	default:
		return hex(ansi.IndexedColor(uint8(c)))
	}
}

func hex(c color.Color) string {
	if c == nil {
		return "default"
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// TestManyClusters shows more grapheme clusters than the table holds: it starts anew, and the client with it.
func TestManyClusters(t *testing.T) {
	s := newScreen(newPalette(colorprofile.ANSI, false), false)
	s.resize(Window{20, 2})
	emu := newEmulator(t, s.canvas)
	for i := range 4 * maxClusters {
		v := view(fmt.Sprintf("%c\u0301%c\u0302|stays", 'a'+i%26, 'À'+i))
		emu.Write(s.draw(nil, &v, false))
		if i%50 == 0 || len(s.clusters.texts) < 4 {
			compareScreen(t, v.Content, emu, s)
		}
		if got := len(s.clusters.texts); got > maxClusters+2 {
			t.Fatalf("after %d frames the table holds %d clusters, want at most %d", i+1, got, maxClusters+2)
		}
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
		emu.Write(s.draw(nil, &v, false))
		if got := strings.Join(screenLines(emu), "|"); got != f.want {
			t.Errorf("%q shows %q, want %q", f.content, got, f.want)
		}
	}
}

// TestSmallerWindowKeepsLittle: whoever had a large window once doesn't hold its cells for good, and dragging a window makes
// no new ones.
func TestSmallerWindowKeepsLittle(t *testing.T) {
	s := newScreen(newPalette(colorprofile.TrueColor, false), false)
	s.resize(Window{240, 70})
	if made := testing.AllocsPerRun(10, func() {
		for _, size := range []Window{{80, 24}, {120, 30}, {1, 1}, {240, 70}} {
			s.resize(size)
		}
	}); made > 0 {
		t.Errorf("a window that is dragged makes %v pieces of memory", made)
	}
	for _, size := range []Window{{240, 70}, {80, 24}, {100, 30}, {1, 1}} {
		s.resize(size)
		s.settle()
		if got, need := cap(s.cells), size.Width*size.Height; got < need || got > need+maxSpareCells {
			t.Errorf("a window of %v that stays so keeps %d cells", size, got)
		}
	}
}
