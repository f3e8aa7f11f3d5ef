package canvas

import (
	"image/color"
	"strconv"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A Color is what a cell asks of the terminal: its default, a number of its palette, or 24 bits of RGB. The zero value is the
// default. The driver replaces a colour that a terminal doesn't have by the nearest one that it has. The kind is in the top byte.
type Color uint32

const (
	indexedColor Color = 1 << 24
	rgbColor     Color = 2 << 24
	colorKind    Color = 0xff << 24
)

// Indexed returns a colour of the terminal's palette: 0 to 7 are the basic colours, 8 to 15 their bright forms, the rest is the
// usual cube of 256.
func Indexed(n uint8) Color { return indexedColor | Color(n) }

// RGB returns a colour by its red, green and blue.
func RGB(r, g, b uint8) Color { return rgbColor | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Index returns the number of a colour made by Indexed.
func (c Color) Index() (n uint8, ok bool) { return uint8(c), c&colorKind == indexedColor }

// Color returns c as a color.Color, or nil for the terminal's default.
func (c Color) Color() color.Color {
	switch c & colorKind {
	case indexedColor:
		if c&0xff < 16 {
			return ansi.BasicColor(c)
		}
		return ansi.IndexedColor(c)
	case rgbColor:
		return color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 0xff}
	default:
		return nil
	}
}

// colorOf is the reverse of Color.Color. What is transparent is the default.
func colorOf(c color.Color) Color {
	switch c := c.(type) {
	case nil:
		return 0
	case ansi.BasicColor:
		return Indexed(uint8(c))
	case ansi.IndexedColor:
		return Indexed(uint8(c))
	}
	r, g, b, a := c.RGBA()
	if a == 0 {
		return 0
	}
	return RGB(uint8(r>>8), uint8(g>>8), uint8(b>>8))
}

// Attrs is a set of text attributes. All kinds of underline are one: older terminals don't know the others.
type Attrs uint8

// The attributes, in the order of their SGR numbers.
const (
	Bold Attrs = 1 << iota
	Faint
	Italic
	Underline
	Blink
	Reverse
	Conceal
	Strike
)

// A Style is how a cell looks apart from its text. Styles are small values that can be compared. The zero value is the
// terminal's default.
type Style struct {
	Fg, Bg Color
	Attrs  Attrs
}

// uvAttrs are ultraviolet's bits for the attributes; underline is none of them.
var uvAttrs = [...]struct {
	ours   Attrs
	theirs uint8
}{
	{Bold, uv.AttrBold}, {Faint, uv.AttrFaint}, {Italic, uv.AttrItalic}, {Blink, uv.AttrBlink | uv.AttrRapidBlink},
	{Reverse, uv.AttrReverse}, {Conceal, uv.AttrConceal}, {Strike, uv.AttrStrikethrough},
}

// styleOf turns a style of ultraviolet's into ours. The colour of an underline is left out.
func styleOf(u *uv.Style) Style {
	s := Style{Fg: colorOf(u.Fg), Bg: colorOf(u.Bg)}
	if u.Underline != uv.UnderlineNone {
		s.Attrs = Underline
	}
	if u.Attrs == 0 {
		return s
	}
	for _, a := range uvAttrs {
		if u.Attrs&a.theirs != 0 {
			s.Attrs |= a.ours
		}
	}
	return s
}

// uv turns s into a style of ultraviolet's.
func (s Style) uv() uv.Style {
	u := uv.Style{Fg: s.Fg.Color(), Bg: s.Bg.Color()}
	if s.Attrs&Underline != 0 {
		u.Underline = uv.UnderlineSingle
	}
	for _, a := range uvAttrs {
		if s.Attrs&a.ours != 0 {
			u.Attrs |= a.theirs
		}
	}
	u.Attrs &^= uv.AttrRapidBlink
	return u
}

// AppendSGR adds the sequence that changes a terminal's pen from one style to another; nothing if they are the same.
func AppendSGR(buf []byte, from, to Style) []byte {
	if from == to {
		return buf
	}
	buf = append(buf, "\x1b["...)
	if to == (Style{}) {
		return append(buf, 'm')
	}
	if from.Attrs&^to.Attrs != 0 { // to take attributes away one by one is longer
		buf = append(buf, "0;"...)
		from = Style{}
	}
	for bit, added := 0, to.Attrs&^from.Attrs; added != 0; bit, added = bit+1, added>>1 {
		if added&1 != 0 {
			buf = append(buf, "12345789"[bit], ';')
		}
	}
	if from.Fg != to.Fg {
		buf = appendColor(buf, to.Fg, 30)
	}
	if from.Bg != to.Bg {
		buf = appendColor(buf, to.Bg, 40)
	}
	buf[len(buf)-1] = 'm'
	return buf
}

// appendColor adds the parameters of a colour and a semicolon. base is 30 for the text, 40 for what is behind it.
func appendColor(buf []byte, c Color, base int64) []byte {
	value := int64(c &^ colorKind)
	switch {
	case c == 0:
		buf = strconv.AppendInt(buf, base+9, 10)
	case c&colorKind == rgbColor:
		buf = strconv.AppendInt(buf, base+8, 10)
		buf = append(buf, ";2;"...)
		buf = strconv.AppendInt(buf, value>>16, 10)
		buf = append(buf, ';')
		buf = strconv.AppendInt(buf, value>>8&0xff, 10)
		buf = append(buf, ';')
		buf = strconv.AppendInt(buf, value&0xff, 10)
	case value < 8:
		buf = strconv.AppendInt(buf, base+value, 10)
	case value < 16:
		buf = strconv.AppendInt(buf, base+60+value-8, 10)
	default:
		buf = strconv.AppendInt(buf, base+8, 10)
		buf = append(buf, ";5;"...)
		buf = strconv.AppendInt(buf, value, 10)
	}
	return append(buf, ';')
}
