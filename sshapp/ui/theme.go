package ui

import (
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardview"
)

// A theme is how a session's pages look: the styles by what they mean, and the characters. It is never changed.
type theme struct {
	name    string
	ascii   bool
	profile colorprofile.Profile

	plain   canvas.Style
	bold    canvas.Style // titles, the chosen line
	dim     canvas.Style // of less importance
	removed canvas.Style // removed rows
	accent  canvas.Style // where the cursor is, what waits for the player
	first   canvas.Style // the side that began: blue
	second  canvas.Style // the other: orange
	legal   canvas.Style // where a move can go
	taken   canvas.Style // what the last move captured, pushed or turned; what a move would capture

	dot     string // between hints, of one cell with spaces around it
	pick    string // before the chosen line
	waiting string // before what waits for you
	left    string // around a value that can be changed
	right   string
	up      string // more above
	down    string // more below

	board *boardview.Theme // how boards look
}

// A shade is one colour for each kind of terminal: true colour, its number among 256, and among 16.
type shade struct {
	rgb   uint32
	of256 uint8
	of16  uint8
}

// A palette is the colours for one kind of background.
type palette struct{ accent, first, second, dim shade }

// Blue and orange differ for all common kinds of colour blindness. Terminals aren't asked for their background, so the default is the
// palette that can be read on either.
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

// charsetASCII is the setting for plain ASCII.
const charsetASCII = "ascii"

// The settings for themes. The empty one is the default.
const (
	themeAuto  = ""
	themeDark  = "dark"
	themeLight = "light"
	themePlain = "plain"
)

// newTheme resolves the theme of the given name.
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
	t.bold = resolve(canvas.Bold, shade{}, profile)
	t.dim = resolve(0, colours.dim, profile)
	if profile < colorprofile.ANSI || profile == colorprofile.ANSI && colours.dim.of16 == 0 {
		t.dim = resolve(canvas.Faint, shade{}, profile)
	}
	t.removed = t.dim
	t.removed.Attrs |= resolve(canvas.Strike, shade{}, profile).Attrs
	t.accent = resolve(canvas.Bold, colours.accent, profile)
	t.first = resolve(canvas.Bold, colours.first, profile)
	t.second = resolve(canvas.Bold, colours.second, profile)
	t.legal = resolve(0, colours.accent, profile)
	t.taken = resolve(canvas.Underline, colours.accent, profile)
	t.dot, t.pick, t.waiting, t.left, t.right, t.up, t.down = " · ", "›", "!", "‹", "›", "↑", "↓"
	if ascii {
		t.dot, t.pick, t.left, t.right, t.up, t.down = " - ", ">", "<", ">", "^", "v"
	}
	t.board = newBoardTheme(t)
	return t
}

// resolve returns a style with attributes and a colour, as far as the terminal has them. A terminal without escape sequences has
// none.
func resolve(attrs canvas.Attrs, colour shade, profile colorprofile.Profile) canvas.Style {
	y := canvas.Style{Attrs: attrs}
	switch {
	case profile <= colorprofile.NoTTY:
		return canvas.Style{}
	case colour == shade{} || profile < colorprofile.ANSI:
	case profile == colorprofile.ANSI:
		y.Fg = canvas.Indexed(colour.of16)
	case profile == colorprofile.ANSI256:
		y.Fg = canvas.Indexed(colour.of256)
	default:
		y.Fg = canvas.RGB(uint8(colour.rgb>>16), uint8(colour.rgb>>8), uint8(colour.rgb))
	}
	return y
}

// newBoardTheme returns how a theme shows boards.
func newBoardTheme(t *theme) *boardview.Theme {
	return &boardview.Theme{ASCII: t.ascii, Styles: [boardview.Roles]canvas.Style{
		boardview.Line: t.dim, boardview.Label: t.dim, boardview.CursorLabel: t.accent,
		boardview.First: t.first, boardview.Second: t.second,
		boardview.Legal: t.legal, boardview.Forced: t.accent, boardview.Idle: t.dim,
		boardview.Last: t.bold, boardview.Taken: t.legal, boardview.Target: t.accent,
		boardview.Cursor: t.accent, boardview.Selected: t.accent, boardview.Win: t.accent,
	}}
}
