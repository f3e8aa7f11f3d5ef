package terminal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ludoteca/sshapp/terminal/canvas"
)

// A palette turns styles into styles that the terminal has.
type palette struct {
	profile colorprofile.Profile
	attrs   canvas.Attrs // what the terminal is trusted with

	// The nearest colour of 256 takes a microsecond to find, which would be most of what a key costs. A theme has a dozen
	// colours: a small table of the last ones holds nearly all of them.
	nearest [32]struct{ from, to canvas.Color }
}

func newPalette(profile colorprofile.Profile, plain bool) *palette {
	p := &palette{profile: profile, attrs: ^canvas.Attrs(0)}
	switch {
	case profile <= colorprofile.NoTTY:
		p.attrs = 0
	case plain:
		p.attrs = canvas.Bold | canvas.Underline | canvas.Blink | canvas.Reverse
	}
	return p
}

// style returns what the terminal shows for a style.
func (p *palette) style(s canvas.Style) canvas.Style {
	return canvas.Style{Fg: p.color(s.Fg), Bg: p.color(s.Bg), Attrs: s.Attrs & p.attrs}
}

// color returns the nearest colour that the profile has; below 16 colours that is the default.
func (p *palette) color(c canvas.Color) canvas.Color {
	switch {
	case c == 0 || p.profile <= colorprofile.ASCII:
		return 0
	case p.profile == colorprofile.TrueColor:
		return c
	}
	if n, ok := c.Index(); ok && (p.profile == colorprofile.ANSI256 || n < 16) {
		return c
	}
	slot := &p.nearest[(uint32(c)*2654435761)>>27]
	if slot.from != c {
		slot.from = c
		if p.profile == colorprofile.ANSI {
			slot.to = canvas.Indexed(uint8(ansi.Convert16(c.Color())))
		} else {
			slot.to = canvas.Indexed(uint8(ansi.Convert256(c.Color())))
		}
	}
	return slot.to
}

// plainTerms matches terminals that may print unknown sequences, or lack the common features of desktop terminals. They get no
// title, mouse, paste marks, synchronized output or alternate screen, and only the attributes of a VT100.
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
