package ui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/together"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// An invitationLine shows above the footer of every screen that another person asks the player to look at a review with them, until the player
// answers or the invitation is over.
type invitationLine struct {
	env   *screen.Env
	bell  bell
	shown together.Invitation // the zero value: there is none
}

type (
	// An invitationMsg holds the invitation that waits for the player, or none.
	invitationMsg struct {
		from  *together.Invitations
		shown together.Invitation
		seq   uint64
		err   error
	}

	// A joinedMsg is the answer to an invitation that the player accepted.
	joinedMsg struct {
		seat *together.Seat
		ref  lobby.Ref
		err  error
	}
)

var keyJoinReview = widget.Bind("ctrl+g", text.T("look at the review together"), "ctrl+g")

// awaitInvitation waits for another invitation of the session's player than the one with a number.
func awaitInvitation(ctx context.Context, from *together.Invitations, after uint64) tea.Cmd {
	if from == nil {
		return nil
	}
	return func() tea.Msg {
		shown, seq, err := from.Next(ctx, after)
		return invitationMsg{from, shown, seq, err}
	}
}

// take shows an invitation, or that there is none.
func (i *invitationLine) take(msg invitationMsg) tea.Cmd {
	if msg.err != nil {
		return nil
	}
	var ring tea.Cmd
	if i.shown = msg.shown; i.shown != (together.Invitation{}) {
		ring = i.bell.ring()
	}
	return tea.Batch(ring, awaitInvitation(i.env.Ctx, msg.from, msg.seq))
}

// accept joins the review.
func (i *invitationLine) accept() tea.Cmd {
	club, ctx, who, ref := i.env.Lobby, i.env.Ctx, i.env.Who, i.shown.Match
	i.shown = together.Invitation{}
	return func() tea.Msg {
		seat, err := club.Together.Join(ctx, who)
		return joinedMsg{seat, ref, err}
	}
}

// decline takes the line away, and tells the person who waits that the player doesn't come.
func (i *invitationLine) decline() {
	i.shown = together.Invitation{}
	i.env.Lobby.Together.Decline(i.env.Who)
}

// joined opens the review that another person leads.
func (a *App) joined(msg joinedMsg) tea.Cmd {
	if msg.err != nil {
		a.note.set(a.env.Say.Error(msg.err))
		return nil
	}
	return a.nav.push(a.cfg.Pages.Together(a.env, msg.seat, msg.ref))
}

// key is the key that accepts the invitation.
func (i *invitationLine) key() key.Binding {
	return widget.When(i.shown != (together.Invitation{}), keyJoinReview)
}

// lines returns the words of the invitation in a window of the given width.
func (i *invitationLine) lines(width int) []string {
	if i.shown == (together.Invitation{}) {
		return nil
	}
	say := i.env.Say
	words := say.T("%s asks you to look at a review together", say.Name(i.shown.By.Name)) + i.env.Theme.Dot + say.T("%s joins, %s declines", "ctrl+g", "esc")
	return text.Wrap(words, width-2*widget.Margin)
}

func (i *invitationLine) draw(p *widget.Page) {
	for _, line := range i.lines(p.Width) {
		p.Line(widget.Margin, i.env.Theme.Accent, line)
	}
}
