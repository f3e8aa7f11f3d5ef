package widget

import (
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardview"
)

// A Theme holds the look of a session's pages: the styles by their meaning, and the characters. It is never changed.
type Theme struct {
	Name    string
	ASCII   bool
	Profile colorprofile.Profile

	Plain   canvas.Style
	Bold    canvas.Style // titles, the chosen line
	Dim     canvas.Style // of less importance
	Removed canvas.Style // removed rows
	Accent  canvas.Style // where the cursor is, what waits for the player
	First   canvas.Style // the side that began: blue
	Second  canvas.Style // the other: orange
	legal   canvas.Style // where a move can go
	taken   canvas.Style // what the last move captured, pushed or turned; what a move would capture

	Dot     string // between hints, of one cell with spaces around it
	Pick    string // before the chosen line
	Waiting string // before what waits for you
	Left    string // around a value that can be changed
	Right   string
	Up      string // more above
	Down    string // more below
	Here    string // the presence of a player at a board: squares, because round marks are stones
	Away    string
	Gone    string

	Board *boardview.Theme // how boards look
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

// The settings for themes. The empty one is the default.
const (
	ThemeAuto  = ""
	ThemeDark  = "dark"
	ThemeLight = "light"
	ThemePlain = "plain"
)

// NewTheme resolves the theme of the given name.
func NewTheme(name string, profile colorprofile.Profile, ascii bool) *Theme {
	t := &Theme{Name: name, ASCII: ascii, Profile: profile}
	colours := onEither
	switch name {
	case ThemeDark:
		colours = onDark
	case ThemeLight:
		colours = onLight
	case ThemePlain:
		profile = min(profile, colorprofile.Ascii)
	}
	t.Bold = resolve(canvas.Bold, shade{}, profile)
	t.Dim = resolve(0, colours.dim, profile)
	if profile < colorprofile.ANSI || profile == colorprofile.ANSI && colours.dim.of16 == 0 {
		t.Dim = resolve(canvas.Faint, shade{}, profile)
	}
	t.Removed = t.Dim
	t.Removed.Attrs |= resolve(canvas.Strike, shade{}, profile).Attrs
	t.Accent = resolve(canvas.Bold, colours.accent, profile)
	t.First = resolve(canvas.Bold, colours.first, profile)
	t.Second = resolve(canvas.Bold, colours.second, profile)
	t.legal = resolve(0, colours.accent, profile)
	t.taken = resolve(canvas.Underline, colours.accent, profile)
	t.Dot, t.Pick, t.Waiting, t.Left, t.Right, t.Up, t.Down = " · ", "›", "!", "‹", "›", "↑", "↓"
	t.Here, t.Away, t.Gone = "■", "□", "✕"
	if ascii {
		t.Here, t.Away, t.Gone = "[+]", "[-]", "[x]"
		t.Dot, t.Pick, t.Left, t.Right, t.Up, t.Down = " - ", ">", "<", ">", "^", "v"
	}
	t.Board = newBoardTheme(t)
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
func newBoardTheme(t *Theme) *boardview.Theme {
	return &boardview.Theme{ASCII: t.ASCII, Styles: [boardview.Roles]canvas.Style{
		boardview.Line: t.Dim, boardview.Label: t.Dim, boardview.CursorLabel: t.Accent,
		boardview.First: t.First, boardview.Second: t.Second,
		boardview.Legal: t.legal, boardview.Forced: t.Accent, boardview.Idle: t.Dim,
		boardview.Last: t.Bold, boardview.Taken: t.legal, boardview.Target: t.Accent,
		boardview.Cursor: t.Accent, boardview.Selected: t.Accent, boardview.Win: t.Accent,
	}}
}
