package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/news"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// An Announcer returns the bulletin as soon as its number is above after. Start with 0.
type Announcer func(ctx context.Context, after uint64) (b bulletin.Bulletin, number uint64, err error)

// An announcement is the line as the screens show it, above the footer.
type announcement struct {
	env    *screen.Env
	next   Announcer // nil: there are none
	words  string    // "" while there is none, or the player has hidden it
	number uint64
	told   bulletin.Bulletin // the last bulletin

	storeFull bool // why the node is cut off, if it is
}

type (
	announcedMsg struct {
		bulletin bulletin.Bulletin
		number   uint64
		err      error
	}
	announcementOverMsg struct{ number uint64 }
)

var keyHide = widget.Bind("esc", text.T("hide the message"), "esc")

// await waits for one that is newer.
func (n *announcement) await() tea.Cmd {
	next, ctx, after := n.next, n.env.Ctx, n.number
	if next == nil {
		return nil
	}
	return func() tea.Msg {
		b, number, err := next(ctx, after)
		return announcedMsg{b, number, err}
	}
}

// take shows a new announcement until its time is over.
func (n *announcement) take(msg announcedMsg) tea.Cmd {
	if msg.err != nil {
		return nil // the session ends, or the club does
	}
	b, now := msg.bulletin, n.env.Now()
	left, words := b.Until.Sub(now), n.words // the same text, shown or hidden by the player
	if b.Text == "" || left <= 0 {
		words = ""
	}
	for _, i := range news.Bulletin(n.told, b, now) {
		if i.Kind == news.Announced {
			words = i.Text
		}
	}
	n.number, n.told = msg.number, b
	n.env.CutOff, n.storeFull = b.CutOff, b.StoreFull
	n.show(words)
	if words == "" {
		return n.await()
	}
	return tea.Batch(n.await(), screen.After(n.env.Ctx, left, announcementOverMsg{msg.number}))
}

// over takes an announcement away whose time is over.
func (n *announcement) over(msg announcementOverMsg) {
	if msg.number == n.number {
		n.show("")
	}
}

// show shows words, or none if they are "".
func (n *announcement) show(words string) { n.words = n.env.Say.Spell(text.Clean(words)) }

// lines returns how many lines there are in a window of the given width.
func (n *announcement) lines(width int) int {
	lines := len(n.cutOff(width))
	if n.words != "" {
		lines++
	}
	return lines
}

// cutOff returns the message that the node is cut off from the store, or that the store is full. The player can't hide it.
func (n *announcement) cutOff(width int) []string {
	if n.env.CutOff.IsZero() {
		return nil
	}
	return text.Wrap(n.env.Say.CutOff(true, n.storeFull), widget.Measure(width)-2*widget.Margin)
}

func (n *announcement) draw(p *widget.Page) {
	for _, line := range n.cutOff(p.Width) {
		p.Line(widget.Margin, n.env.Theme.Accent, line)
	}
	if n.words == "" {
		return
	}
	line := n.env.Say.T("From the operator: %s", n.words)
	p.Line(widget.Margin, n.env.Theme.Dim, text.Cut(line, p.Width-2*widget.Margin))
}
