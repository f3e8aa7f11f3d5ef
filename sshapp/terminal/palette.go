package terminal

import (
	"image/color"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A palette turns the colours of a frame into those the terminal has, and says which attributes it gets.
type palette struct {
	profile colorprofile.Profile
	attrs   attrs // what the terminal is trusted with

	// Converting RGB measures distances between colours, which is dear, and a theme has a dozen of them: a small table of
	// the last ones, by hash, holds practically all.
	seen [32]struct{ from, to colour }
}

func newPalette(profile colorprofile.Profile, plain bool) *palette {
	p := &palette{profile: profile, attrs: ^attrs(0)}
	switch {
	case profile <= colorprofile.NoTTY:
		p.attrs = 0
	case plain:
		p.attrs = bold | underline | blink | reverse
	}
	return p
}

// convert returns the nearest colour the profile has; below 16 colours that is the default.
func (p *palette) convert(c colour) colour {
	switch {
	case c == 0 || p.profile <= colorprofile.ASCII:
		return 0
	case p.profile == colorprofile.TrueColor:
		return c
	case c&colourKind == paletteColour && (p.profile == colorprofile.ANSI256 || c&^colourKind < 16):
		return c
	}
	slot := &p.seen[(uint32(c)*2654435761)>>27]
	if slot.from != c {
		slot.from, slot.to = c, nearest(c, p.profile)
	}
	return slot.to
}

func nearest(c colour, profile colorprofile.Profile) colour {
	var from color.Color = ansi.IndexedColor(uint8(c))
	if c&colourKind == rgbColour {
		from = color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 0xff}
	}
	if profile == colorprofile.ANSI {
		return paletteColour | colour(ansi.Convert16(from))
	}
	return paletteColour | colour(ansi.Convert256(from))
}

// plainTerms are terminals that may print what they don't understand, or that lack what every window on a desktop has: no
// title, mouse, paste marks, synchronized output or alternate screen for them, and only the attributes of a VT100.
var plainTerms = regexp.MustCompile(`^(|dumb|unknown|linux.*|vt[0-9].*|ansi.*|cons.*|pc.*|hurd.*|sun.*|wy.*|tvi.*|att.*|bsdos.*|beos.*)$`)

// monochromeTerms have no colours, though they are terminals.
var monochromeTerms = regexp.MustCompile(`^(vt[0-9].*|sun|wy.*|tvi.*|att.*|.*-m|.*-mono)$`)

const maxTermBytes = 64

func isPlain(term string) bool {
	return len(term) > maxTermBytes || plainTerms.MatchString(term)
}

// profileOf works out the colours of a client from its wishes. It reads nothing of the server's own environment and
// runs nothing, whatever the variables say.
func profileOf(term string, env []string) colorprofile.Profile {
	if len(term) > maxTermBytes {
		term = ""
	}
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "TERM=") })
	p := colorprofile.Env(append(env, "TERM="+term))
	if p <= colorprofile.ASCII {
		return p
	}
	noColour := slices.ContainsFunc(env, func(kv string) bool { // any value but none: https://no-color.org
		return strings.HasPrefix(kv, "NO_COLOR=") && kv != "NO_COLOR="
	})
	if noColour || monochromeTerms.MatchString(term) {
		return colorprofile.ASCII
	}
	return p
}
