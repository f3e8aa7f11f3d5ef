package ui

import (
	"strconv"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ludoteca/sshapp/ui/boardview"
)

// A style is how a piece of text is set off: the sequences before and after it, rendered once per theme. The zero
// value is plain text. Styles don't nest.
type style struct{ on, off string }

// A theme is how a session's pages look: whether they may use more than ASCII, and the styles by what they mean.
// It is never changed once made.
type theme struct {
	name    string
	ascii   bool
	profile colorprofile.Profile

	plain  style
	bold   style // titles, the chosen line
	dim    style // what is said in passing
	gone   style // what is no longer there
	accent style // the one accent: where you are, what waits for you
	cursor style // the cell under the cursor
	first  style // the side that began: blue
	second style // the other: orange
	mark   style // the last move
	legal  style // where a move can go
	taken  style // what the last move captured, pushed or turned; what a move would capture

	dot     string // between hints, of one cell with spaces around it
	pick    string // before the chosen line
	waiting string // before what waits for you
	left    string // around a value that can be changed
	right   string
	up      string // more above
	down    string // more below

	look *boardview.Look // how boards look
}

// A shade is one colour for each kind of terminal: true colour, its place among 256, and among 16.
type shade struct {
	rgb   uint32
	of256 uint8
	of16  uint8
}

// A palette is the colours for one kind of background.
type palette struct{ accent, first, second, dim shade }

// Blue and orange are told apart by all common kinds of colour-blind eyes. No terminal is asked for its background, so
// the middle palette, which reads on both, is what a newcomer sees.
var (
	onDark = palette{
		accent: shade{0x6fc2ae, 79, 14}, first: shade{0x74aefc, 75, 12},
		second: shade{0xf2a65a, 215, 11}, dim: shade{0x9a9a9a, 247, 7},
	}
	onLight = palette{
		accent: shade{0x17705f, 23, 6}, first: shade{0x1f5fbf, 25, 4},
		second: shade{0xa85500, 130, 3}, dim: shade{0x666666, 241, 8},
	}
	onEither = palette{
		accent: shade{0x2c9a83, 36, 6}, first: shade{0x3f86e0, 68, 12},
		second: shade{0xd27d1e, 172, 3}, dim: shade{0x858585, 102, 0},
	}
)

// charsetASCII is how the choice of plain ASCII is kept in settings.
const charsetASCII = "ascii"

// The names of themes, as they are kept in settings. The empty name is the automatic one.
const (
	themeAuto  = ""
	themeDark  = "dark"
	themeLight = "light"
	themePlain = "plain"
)

// newTheme renders the theme of the given name.
func newTheme(name string, profile colorprofile.Profile, ascii bool) *theme {
	t := &theme{name: name, ascii: ascii, profile: profile}
	colours := onEither
	switch name {
	case themeDark:
		colours = onDark
	case themeLight:
		colours = onLight
	case themePlain:
		profile = min(profile, colorprofile.Ascii)
	}
	t.bold = render(ansi.Style{}.Bold(), shade{}, profile)
	t.dim = render(ansi.Style{}, colours.dim, profile)
	if profile < colorprofile.ANSI || profile == colorprofile.ANSI && colours.dim.of16 == 0 {
		t.dim = render(ansi.Style{}.Faint(), shade{}, profile)
	}
	t.gone = style{t.dim.on + render(ansi.Style{}.Strikethrough(true), shade{}, profile).on, t.dim.off}
	t.accent = render(ansi.Style{}.Bold(), colours.accent, profile)
	t.cursor = render(ansi.Style{}.Reverse(true), shade{}, profile)
	t.first = render(ansi.Style{}.Bold(), colours.first, profile)
	t.second = render(ansi.Style{}.Bold(), colours.second, profile)
	t.mark = render(ansi.Style{}.Underline(true), shade{}, profile)
	t.legal = render(ansi.Style{}, colours.accent, profile)
	t.taken = render(ansi.Style{}.Underline(true), colours.accent, profile)
	t.dot, t.pick, t.waiting, t.left, t.right, t.up, t.down = " · ", "›", "!", "‹", "›", "↑", "↓"
	if ascii {
		t.dot, t.pick, t.left, t.right, t.up, t.down = " - ", ">", "<", ">", "^", "v"
	}
	t.look = boardLook(t)
	return t
}

// render makes the sequences of a style with attributes and a colour, as far as the terminal has it. A terminal without
// any escape sequences gets none.
func render(attributes ansi.Style, colour shade, profile colorprofile.Profile) style {
	y := attributes
	switch {
	case profile <= colorprofile.NoTTY:
		return style{}
	case colour == shade{} || profile < colorprofile.ANSI:
	case profile == colorprofile.ANSI:
		y = append(y, strconv.Itoa(int(sgr16(colour.of16))))
	case profile == colorprofile.ANSI256:
		y = append(y, "38;5;"+strconv.Itoa(int(colour.of256)))
	default:
		r, g, b := colour.rgb>>16, colour.rgb>>8&0xff, colour.rgb&0xff
		y = append(y, "38;2;"+strconv.Itoa(int(r))+";"+strconv.Itoa(int(g))+";"+strconv.Itoa(int(b)))
	}
	if len(y) == 0 {
		return style{}
	}
	return style{y.String(), ansi.ResetStyle}
}

// sgr16 is the number that selects one of the 16 colours for text.
func sgr16(colour uint8) uint8 {
	if colour < 8 {
		return 30 + colour
	}
	return 90 + colour - 8
}
