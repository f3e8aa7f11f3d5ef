package ui

import (
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// noticeLines are the lines between the body and the footer, from top to bottom. Each stays until it is over or the player hides it.
type noticeLines struct {
	recovery     recoveryCode
	announcement announcement
	call         callLine
	challenge    challengeLine
	invitation   invitationLine
	told         tellLine
}

// lines returns how many lines there are in a window of the given width.
func (n *noticeLines) lines(width int) int {
	return len(n.recovery.lines(width)) + len(n.call.lines(width)) + n.announcement.lines(width) + n.challenge.lines(width) + len(n.invitation.lines(width)) + len(n.told.lines(width))
}

// canHide reports whether esc hides any of the lines.
func (n *noticeLines) canHide() bool {
	return n.challenge.shown != nil || n.invitation.key().Enabled() || n.told.key().Enabled() || n.recovery.shown() || n.announcement.words != ""
}

// hide hides the challenge or declines the invitation, the next time the line of another player, the recovery code, and then the announcement.
func (n *noticeLines) hide() {
	switch {
	case n.challenge.shown != nil:
		n.challenge.setAside()
	case n.invitation.key().Enabled():
		n.invitation.decline()
	case n.told.key().Enabled():
		n.told.hide()
	case n.recovery.shown():
		n.recovery.code = ""
	default:
		n.announcement.show("")
	}
}

func (n *noticeLines) draw(p *widget.Page) {
	n.recovery.draw(p)
	n.announcement.draw(p)
	n.call.draw(p)
	n.challenge.draw(p)
	n.invitation.draw(p)
	n.told.draw(p)
}

// A recoveryCode is a new code, which is shown once, in the lobby. It stays until the player hides it, not only until the next key.
// Boards need the lines themselves.
type recoveryCode struct {
	env     *screen.Env
	screens *stack
	code    string // "": there is none, or the player has hidden it
}

// shown reports whether the code is on the page.
func (r *recoveryCode) shown() bool { return r.code != "" && len(r.screens.slots) == 1 }

// lines returns the code and the name of the key that hides it, because the footer has no room.
func (r *recoveryCode) lines(width int) []string {
	if !r.shown() {
		return nil
	}
	return text.Wrap(r.env.Say.RecoveryCode(r.code)+" "+r.env.Say.T("Esc hides it."), widget.Measure(width)-2*widget.Margin)
}

func (r *recoveryCode) draw(p *widget.Page) {
	for _, line := range r.lines(p.Width) {
		p.Line(widget.Margin, r.env.Theme.Accent, line)
	}
}
