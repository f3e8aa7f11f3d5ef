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
			b.WriteString("  " + text.Fit(k.Help().Key, 14) + k.Help().Desc + "\n")
		}
	}
	page := newReader(e, of.Title(), b.String())
	page.help = true
	return page
}

// wideHelp is from which width of a window on the help of a board stands beside it, and boardBeside how wide the board's part
// is then at least: it keeps its own panel. helpMost is how wide the help gets.
const (
	wideHelp    = 120
	boardBeside = 80
	helpMost    = widget.Readable + 4
)

// helpBeside reports whether the help on top of the stack stands beside the board that it explains.
func (a *App) helpBeside() bool {
	n := len(a.stack)
	if n < 2 || a.size.Width < wideHelp || !isHelp(a.top()) {
		return false
	}
	switch a.stack[n-2].screen.(type) {
	case matchScreen, reviewScreen:
		return true
	}
	return false
}

// isHelp reports whether a screen is a help page.
func isHelp(s screen) bool {
	r, ok := s.(reader)
	return ok && r.help
}
