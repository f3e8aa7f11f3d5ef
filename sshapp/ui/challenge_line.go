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
	env  *screen.Env
	note *note
	bell bell // of challenges that come with the session

	shown  *lists.Offer     // nil: there is none
	stake  *standings.Stake // of it; nil: it isn't rated, or the stake isn't known yet
	hidden []storage.MatchID
	aside  *lists.Offer // the newest that the player has hidden and that is open still; nil: there is none
	begun  bool         // something was heard
}

type (
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

// take shows the newest challenge that the player has not hidden.
func (c *challengeLine) take(invitations []lists.Offer) tea.Cmd {
	was := c.shown
	c.shown, c.aside = nil, nil
	var hidden []storage.MatchID
	for _, o := range invitations {
		switch {
		case o.RematchOf != "":
		case !c.begun && o.Until.IsZero() || slices.Contains(c.hidden, o.ID):
			hidden, c.aside = append(hidden, o.ID), &o
		default:
			c.shown = &o
		}
	}
	first := !c.begun
	c.hidden, c.begun = hidden, true
	if c.shown != nil && was != nil && was.ID == c.shown.ID {
		return nil
	}
	c.stake = nil
	if first && c.shown != nil {
		return tea.Batch(c.loadStake(), c.bell.ring())
	}
	return c.loadStake() // matchNews rings
}

// loadStake loads what the challenge that is shown would do to the player's rating, if it is rated.
func (c *challengeLine) loadStake() tea.Cmd {
	if c.shown == nil || !c.shown.Rated {
		return nil
	}
	l, ctx, who, id := c.env.Lobby, c.env.Ctx, c.env.Who, c.shown.ID
	return func() tea.Msg {
		stake, _ := l.OfferStake(ctx, who, id) // without it the line is missing, and nothing else
		return challengeStakeMsg{id, stake}
	}
}

// takeStake shows the stake below its challenge.
func (c *challengeLine) takeStake(msg challengeStakeMsg) {
	if c.shown != nil && c.shown.ID == msg.id && msg.stake != nil {
		c.stake = msg.stake
	}
}

// hide takes the line away. The challenge stays in the lobby's lists.
func (c *challengeLine) hide() {
	c.hidden = append(c.hidden, c.shown.ID)
	c.shown, c.stake = nil, nil
}

// setAside takes the line away and says how it comes back.
func (c *challengeLine) setAside() {
	c.aside = c.shown
	c.note.set(c.env.Say.T("ctrl+y shows the challenge again."))
	c.hide()
}

// show shows a hidden challenge again, so that a player never accepts an invisible one.
func (c *challengeLine) show() tea.Cmd {
	c.shown, c.aside = c.aside, nil
	c.hidden = slices.DeleteFunc(slices.Clone(c.hidden), func(id storage.MatchID) bool { return id == c.shown.ID })
	return c.loadStake()
}

// answer accepts or declines the shown challenge. If none is shown, it shows the hidden one again.
func (c *challengeLine) answer(accept bool) tea.Cmd {
	if c.shown == nil {
		return c.show()
	}
	l, ctx, who, o := c.env.Lobby, c.env.Ctx, c.env.Who, c.shown
	c.hide()
	return func() tea.Msg {
		if accept {
			ref, err := l.Take(ctx, who, o.ID)
			return challengeAnsweredMsg{ref, err}
		}
		seat, err := l.At(ctx, who, o.Ref)
		if err == nil {
			err = seat.Abort(ctx)
		}
		return challengeAnsweredMsg{err: err}
	}
}

// challengeAnswered goes to the match that was accepted.
func (a *App) challengeAnswered(msg challengeAnsweredMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		a.note.set(a.env.Say.Error(msg.err))
	case msg.ref.ID != "":
		return a.navigate(screen.MatchMsg{Ref: msg.ref})
	default:
		a.note.set(a.env.Say.T("Declined."))
	}
	return nil
}

// lines returns how many lines there are in a window of the given width.
func (c *challengeLine) lines(width int) int {
	lines := len(c.text(width))
	if lines > 0 && c.stake != nil {
		lines++
	}
	return lines
}

// text returns the text of the visible challenge and its keys: one line if there is room for the game, else two. It returns nil
// if no challenge is shown.
func (c *challengeLine) text(width int) []string {
	o := c.shown
	if o == nil {
		return nil
	}
	say := c.env.Say
	room := width - 2*widget.Margin
	words, answers := say.T("%s challenges you", say.Name(o.By.Name)), say.T("%s accepts, %s declines", "ctrl+y", "ctrl+d")
	g, err := c.env.Lobby.Game(o.Game)
	if err != nil {
		return []string{text.Cut(words, room), text.Cut(answers, room)}
	}
	lengths := say.Challenges(g, *o)
	for _, words := range lengths {
		if line := words + c.env.Theme.Dot + answers; text.Width(line) <= room {
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

// keys are the keys that answer the challenge that is shown, or show one again.
func (c *challengeLine) keys() (accept, decline key.Binding) {
	switch {
	case c.shown != nil:
		return keyAcceptChallenge, keyDeclineChallenge
	case c.aside != nil:
		return keyShowChallenge, widget.When(false, keyDeclineChallenge)
	}
	return widget.When(false, keyAcceptChallenge), widget.When(false, keyDeclineChallenge)
}

func (c *challengeLine) draw(p *widget.Page) {
	for _, line := range c.text(p.Width) {
		p.Line(widget.Margin, c.env.Theme.Accent, line)
	}
	if c.stake != nil && c.shown != nil {
		stakes := strings.Join(c.env.Say.Stake(*c.stake), c.env.Theme.Dot)
		p.Line(widget.Margin, c.env.Theme.Dim, text.Cut(stakes, p.Width-2*widget.Margin))
	}
}
