package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/notices"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// An Announcer returns the bulletin as soon as its number is above after. Start with 0.
type Announcer func(ctx context.Context, after uint64) (b notices.Bulletin, number uint64, err error)

// An announcement is the line as the screens show it, above the footer.
type announcement struct {
	words  string // "" while there is none, or the player has hidden it
	number uint64
	told   notices.Bulletin // the last bulletin with a new text

	storeFull bool // why the node is cut off, if it is
}

type (
	announcedMsg struct {
		bulletin notices.Bulletin
		number   uint64
		err      error
	}
	announcementOverMsg struct{ number uint64 }
)

var keyHide = widget.Bind("esc", text.T("hide the message"), "esc")

// awaitAnnouncement waits for one that is newer.
func (a *App) awaitAnnouncement() tea.Cmd {
	next, ctx, after := a.cfg.Bulletin, a.env.Ctx, a.announced.number
	if next == nil {
		return nil
	}
	return func() tea.Msg {
		b, number, err := next(ctx, after)
		return announcedMsg{b, number, err}
	}
}

// takeAnnouncement shows a new announcement until its time is over.
func (a *App) takeAnnouncement(msg announcedMsg) tea.Cmd {
	if msg.err != nil {
		return nil // the session ends, or the club does
	}
	b := msg.bulletin
	left := b.Until.Sub(a.env.Now())
	if left <= 0 {
		b.Text = ""
	}
	a.announced.number = msg.number
	if b.Text == a.announced.told.Text && b.Until.Equal(a.announced.told.Until) {
		b.Text = a.announced.words // the same text, shown or hidden by the player
	} else {
		a.announced.told = b
	}
	before := a.announcementLines()
	a.env.CutOff, a.announced.storeFull = b.CutOff, b.StoreFull
	cmds := []tea.Cmd{a.announce(b.Text, before), a.awaitAnnouncement()}
	if b.Text != "" {
		cmds = append(cmds, screen.After(a.env.Ctx, left, announcementOverMsg{msg.number}))
	}
	return tea.Batch(cmds...)
}

// announce shows a line above the footer, or none if words is "". before is the number of lines there so far; if it changes, screens are
// resized.
func (a *App) announce(words string, before int) tea.Cmd {
	a.announced.words = a.env.Say.Spell(text.Clean(words))
	if before == a.announcementLines() {
		return nil
	}
	return a.resize()
}

// recoveryLines returns the lines with a new recovery code, which is shown once, in the lobby. They stay until the player hides them, not only
// until the next key. The lines name the key that hides them, because the footer has no room. Boards need the lines themselves.
func (a *App) recoveryLines() []string {
	if a.recovery == "" || len(a.stack) > 1 {
		return nil
	}
	return text.Wrap(a.env.Say.RecoveryCode(a.recovery)+" "+a.env.Say.T("Esc hides it."), a.size.Width-2*widget.Margin)
}

func (a *App) announcementLines() int {
	n := len(a.recoveryLines())
	if a.announced.words != "" {
		n++
	}
	return n + len(a.cutOffLines())
}

// cutOffLines returns the message that the node is cut off from the store, or that the store is full. The player can't hide it.
func (a *App) cutOffLines() []string {
	if a.env.CutOff.IsZero() {
		return nil
	}
	return text.Wrap(a.env.Say.CutOff(true, a.announced.storeFull), a.size.Width-2*widget.Margin)
}

// canHide reports whether esc hides a challenge, the recovery code or the announcement. A screen that wants esc gets it first.
func (a *App) canHide() bool {
	return (len(a.recoveryLines())+a.challengeLines() > 0 || a.announced.words != "") && !handlesEsc(a.Top())
}

// hide hides the challenge, the next time the recovery code, and then the announcement.
func (a *App) hide() tea.Cmd {
	if a.challenge.shown != nil {
		return a.setChallengeAside()
	}
	if len(a.recoveryLines()) == 0 {
		return a.announce("", a.announcementLines())
	}
	a.recovery = ""
	return a.resize()
}

func (a *App) drawAnnouncement(p *widget.Page) {
	for _, line := range a.recoveryLines() {
		p.Line(widget.Margin, a.env.Theme.Accent, line)
	}
	for _, line := range a.cutOffLines() {
		p.Line(widget.Margin, a.env.Theme.Accent, line)
	}
	if a.announced.words == "" {
		return
	}
	line := a.env.Say.T("From the operator: %s", a.announced.words)
	p.Line(widget.Margin, a.env.Theme.Dim, text.Cut(line, p.Width-2*widget.Margin))
}
