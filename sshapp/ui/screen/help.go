package screen

import (
	"strings"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// NewHelp returns the help page of a screen. The page lists the given keys.
func NewHelp(e *Env, of Screen, keys keyMap) Screen {
	var b strings.Builder
	if h, ok := of.(helpProvider); ok {
		b.WriteString(strings.TrimSpace(h.Help()))
		b.WriteString("\n\n")
	}
	b.WriteString("# " + e.Say.T("Keys") + "\n")
	for i, group := range keys.FullHelp() {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, k := range widget.Shown(group) {
			b.WriteString("  " + text.Fit(e.Say.T(k.Help().Key), 14) + e.Say.T(k.Help().Desc) + "\n")
		}
	}
	page := NewReader(e, of.Title(), b.String())
	page.help = true
	return page
}

// IsHelp reports whether a screen is a help page.
func IsHelp(s Screen) bool {
	r, ok := s.(Reader)
	return ok && r.help
}
