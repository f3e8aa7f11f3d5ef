package ui

import (
	"strings"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// newHelp returns the help page of a screen, which lists its keys.
func newHelp(e *env, of screen, keys keyMap) screen {
	var b strings.Builder
	if h, ok := of.(helpProvider); ok {
		b.WriteString(strings.TrimSpace(h.Help()))
		b.WriteString("\n\n")
	}
	b.WriteString("# " + e.say.T("Keys") + "\n")
	for i, group := range keys.FullHelp() {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, k := range widget.Shown(group) {
			b.WriteString("  " + text.Fit(e.say.T(k.Help().Key), 14) + e.say.T(k.Help().Desc) + "\n")
		}
	}
	page := newReader(e, of.Title(), b.String())
	page.help = true
	return page
}

// isHelp reports whether a screen is a help page.
func isHelp(s screen) bool {
	r, ok := s.(reader)
	return ok && r.help
}
