package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// A challengeLine shows a challenge above the footer of every screen, until the player answers or hides it or it ends. Challenges that
// waited before the session began are only in the lobby's lists.
type challengeLine struct {
	shown  *lists.Offer     // nil: there is none
	stake  *standings.Stake // of it; nil: it isn't rated, or the stake isn't known yet
	hidden []storage.MatchID
	aside  *lists.Offer // the newest that the player has hidden and that is open still; nil: there is none
	begun  bool         // something was heard
}

type (
	// A yoursMsg holds the newest list of the player's own matches and offers.
	yoursMsg struct {
		who    lobby.User
		yours  lists.Yours
		number uint64
		err    error
	}

	// A challengeStakeMsg holds the possible changes of the player's rating by a rated challenge.
	challengeStakeMsg struct {
		id    storage.MatchID
		stake *standings.Stake
	}

	// challengeAnsweredMsg says what has come of the answer to a challenge.
	challengeAnsweredMsg struct {
		ref lobby.Ref // of the match that was accepted; the zero value if it was declined
		err error
	}
)

var (
	keyAcceptChallenge  = widget.Bind("ctrl+y", text.T("accept the challenge"), "ctrl+y")
	keyShowChallenge    = widget.Bind("ctrl+y", text.T("show the challenge"), "ctrl+y") // that was hidden
	keyDeclineChallenge = widget.Bind("ctrl+d", text.T("decline the challenge"), "ctrl+d")
)

// awaitYours waits for something newer that concerns the player.
func (a *App) awaitYours(after uint64) tea.Cmd {
	l, ctx, who := a.env.Lobby, a.env.Ctx, a.env.Who
	return func() tea.Msg {
		yours, number, err := l.NextYours(ctx, who, after)
		return yoursMsg{who, yours, number, err}
	}
}

// takeYours shows the newest challenge that the player has not hidden, and notes which matches wait.
func (a *App) takeYours(msg yoursMsg) tea.Cmd {
	if msg.err != nil || msg.who.Key() != a.env.Who.Key() {
		return nil // the session ends, or the club does, or another wait has taken over
	}
	if name := msg.yours.Name; name != "" {
		a.env.Who.Name = name // another session, or an operator, may have changed it
	}
	cmds := []tea.Cmd{a.countWaiting(msg.yours), a.awaitYours(msg.number)}
	c := &a.challenge
	was := c.shown
	c.shown, c.aside = nil, nil
	var hidden []storage.MatchID
	for _, o := range msg.yours.Invitations {
		switch {
		case o.RematchOf != "":
		case !c.begun && o.Until.IsZero() || slices.Contains(c.hidden, o.ID):
			hidden, c.aside = append(hidden, o.ID), &o
		default:
			c.shown = &o
		}
	}
	c.hidden, c.begun = hidden, true
	if (was == nil) != (c.shown == nil) {
		cmds = append(cmds, a.resize())
	}
	if c.shown == nil || was == nil || was.ID != c.shown.ID {
		if c.stake != nil {
			c.stake = nil
			cmds = append(cmds, a.resize())
		}
		cmds = append(cmds, a.loadChallengeStake())
	}
	if c.shown != nil && (was == nil || was.ID != c.shown.ID) && !a.env.Settings.Mute && a.cfg.Bell != nil {
		cmds = append(cmds, a.cfg.Bell)
	}
	return tea.Batch(cmds...)
}

// loadChallengeStake loads what the challenge that is shown would do to the player's rating, if it is rated.
func (a *App) loadChallengeStake() tea.Cmd {
	if a.challenge.shown == nil || !a.challenge.shown.Rated {
		return nil
	}
	l, ctx, who, id := a.env.Lobby, a.env.Ctx, a.env.Who, a.challenge.shown.ID
	return func() tea.Msg {
		stake, _ := l.OfferStake(ctx, who, id) // without it the line is missing, and nothing else
		return challengeStakeMsg{id, stake}
	}
}

// takeChallengeStake shows the stake below its challenge.
func (a *App) takeChallengeStake(msg challengeStakeMsg) tea.Cmd {
	if c := &a.challenge; c.shown != nil && c.shown.ID == msg.id && msg.stake != nil {
		c.stake = msg.stake
		return a.resize()
	}
	return nil
}

// hideChallenge takes the line away. The challenge stays in the lobby's lists.
func (a *App) hideChallenge() tea.Cmd {
	a.challenge.hidden = append(a.challenge.hidden, a.challenge.shown.ID)
	a.challenge.shown, a.challenge.stake = nil, nil
	return a.resize()
}

// setChallengeAside takes the line away and says how it comes back.
func (a *App) setChallengeAside() tea.Cmd {
	a.challenge.aside = a.challenge.shown
	a.setNote(a.env.Say.T("ctrl+y shows the challenge again."))
	return a.hideChallenge()
}

// showChallenge shows a hidden challenge again, so that a player never accepts an invisible one.
func (a *App) showChallenge() tea.Cmd {
	c := &a.challenge
	c.shown, c.aside = c.aside, nil
	c.hidden = slices.DeleteFunc(slices.Clone(c.hidden), func(id storage.MatchID) bool { return id == c.shown.ID })
	return tea.Batch(a.resize(), a.loadChallengeStake())
}

// answerChallenge accepts or declines the shown challenge. If none is shown, it shows the hidden one again.
func (a *App) answerChallenge(accept bool) tea.Cmd {
	if a.challenge.shown == nil {
		return a.showChallenge()
	}
	l, ctx, who, o := a.env.Lobby, a.env.Ctx, a.env.Who, a.challenge.shown
	hide := a.hideChallenge()
	return tea.Batch(hide, func() tea.Msg {
		if accept {
			ref, err := l.Take(ctx, who, o.ID)
			return challengeAnsweredMsg{ref, err}
		}
		seat, err := l.At(ctx, who, o.Ref)
		if err == nil {
			err = seat.Abort(ctx)
		}
		return challengeAnsweredMsg{err: err}
	})
}

// challengeAnswered goes to the match that was accepted.
func (a *App) challengeAnswered(msg challengeAnsweredMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		a.setNote(a.env.Say.Error(msg.err))
	case msg.ref.ID != "":
		return a.navigate(screen.MatchMsg{Ref: msg.ref})
	default:
		a.setNote(a.env.Say.T("Declined."))
	}
	return nil
}

func (a *App) challengeLines() int {
	lines := len(a.challengeText())
	if lines > 0 && a.challenge.stake != nil {
		lines++
	}
	return lines
}

// challengeText returns the text of the visible challenge and its keys: one line if there is room for the game, else two. It returns nil
// if no challenge is shown.
func (a *App) challengeText() []string {
	o := a.challenge.shown
	if o == nil {
		return nil
	}
	say := a.env.Say
	room := a.size.Width - 2*widget.Margin
	words, answers := say.T("%s challenges you", say.Name(o.By.Name)), say.T("%s accepts, %s declines", "ctrl+y", "ctrl+d")
	g, err := a.env.Lobby.Game(o.Game)
	if err != nil {
		return []string{text.Cut(words, room), text.Cut(answers, room)}
	}
	lengths := say.Challenges(g, *o)
	for _, words := range lengths {
		if line := words + a.env.Theme.Dot + answers; text.Width(line) <= room {
			return []string{line}
		}
	}
	for _, words = range lengths {
		if text.Width(words) <= room {
			break
		}
	}
	return []string{text.Cut(words, room), text.Cut(answers, room)}
}

// challengeKeys are the keys that answer the challenge that is shown, or show one again.
func (a *App) challengeKeys() (accept, decline key.Binding) {
	switch {
	case a.challenge.shown != nil:
		return keyAcceptChallenge, keyDeclineChallenge
	case a.challenge.aside != nil:
		return keyShowChallenge, widget.When(false, keyDeclineChallenge)
	}
	return widget.When(false, keyAcceptChallenge), widget.When(false, keyDeclineChallenge)
}

func (a *App) drawChallenge(p *widget.Page) {
	for _, line := range a.challengeText() {
		p.Line(widget.Margin, a.env.Theme.Accent, line)
	}
	if stake := a.challenge.stake; stake != nil && a.challenge.shown != nil {
		stakes := strings.Join(a.env.Say.Stake(*stake), a.env.Theme.Dot)
		p.Line(widget.Margin, a.env.Theme.Dim, text.Cut(stakes, p.Width-2*widget.Margin))
	}
}
