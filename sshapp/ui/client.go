package ui

import (
	"strings"

	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// A client is what a client says about itself and its terminal.
type client struct {
	term    string   // TERM
	environ []string // KEY=value
	address text.Address
}

// profile works out the colours of the client's terminal.
func (c client) profile() colorprofile.Profile {
	all := append(append(make([]string, 0, len(c.environ)+1), c.environ...), "TERM="+c.term)
	return colorprofile.Env(all)
}

// style works out language and theme from the client and the player's settings.
func (c client) style(e *screen.Env, profile colorprofile.Profile) {
	e.Say = wording.FromLocale(c.environ).ForASCII(text.IsASCII(c.environ, c.term)).At(c.address).Chosen(e.Settings)
	ascii := e.Say.OnlyASCII()
	if noColor(c.environ) {
		profile = min(profile, colorprofile.ASCII)
	}
	if e.Theme == nil || e.Theme.Name != e.Settings.Theme || e.Theme.Profile != profile || e.Theme.ASCII != ascii {
		e.Theme = widget.NewTheme(e.Settings.Theme, profile, ascii)
	}
}

// noColor reports whether the client asks for no colours (no-color.org): the variable counts unless it is empty.
func noColor(environ []string) bool {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "NO_COLOR="); ok && value != "" {
			return true
		}
	}
	return false
}
