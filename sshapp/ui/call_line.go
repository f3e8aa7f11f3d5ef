package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A callLine stands above the footer while the player is called to a page that waits for an opponent below other screens.
type callLine struct {
	env     *screen.Env
	screens *stack
}

var keyCall = widget.Bind("ctrl+g", text.T("go to your quick match"), "ctrl+g")

// words returns the words of the call; "" if there is none.
func (c *callLine) words() string {
	if page, _ := c.screens.waiting(); page != nil {
		return page.Call()
	}
	return ""
}

// key is the key that leads to the page.
func (c *callLine) key() key.Binding { return widget.When(c.words() != "", keyCall) }

// lines returns the line in a window of the given width.
func (c *callLine) lines(width int) []string {
	words := c.words()
	if words == "" {
		return nil
	}
	return text.Wrap(words+c.env.Theme.Dot+c.env.Say.T("%s goes there", "ctrl+g"), width-2*widget.Margin)
}

func (c *callLine) draw(p *widget.Page) {
	for _, line := range c.lines(p.Width) {
		p.Line(widget.Margin, c.env.Theme.Accent, line)
	}
}

// answerCall goes to the page that calls the player. The screens above it are gone then; a match there stays among the player's own.
func (a *App) answerCall() tea.Cmd {
	_, at := a.nav.screens.waiting()
	return a.nav.backTo(at + 1)
}

// called rings, and shows a notification if the player likes.
func (a *App) called(words string) tea.Cmd {
	ring := a.bell.ring()
	if a.cfg.Notify == nil || !a.env.Settings.Notify || words == "" {
		return ring
	}
	if a.env.Theme.ASCII {
		words = text.ASCII(words)
	}
	return tea.Batch(ring, a.cfg.Notify(a.env.Greeting.Name(), words))
}
