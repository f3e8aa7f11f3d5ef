package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/tells"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// readTellsAgain is how long a session waits after an error of the store.
const readTellsAgain = 5 * time.Second

// A tellLine shows the newest line that another player has written to the session's player above the footer of every screen, until the player hides
// it or goes to the page where it is answered.
type tellLine struct {
	env   *screen.Env
	bell  bell
	shown tells.Line // the zero value: there is none
	more  int        // earlier lines that the player has not hidden
}

type (
	// A toldMsg holds lines that others have written to the player.
	toldMsg struct {
		from  *tells.Incoming
		lines []tells.Line
		err   error
	}
	tellAgainMsg struct{ from *tells.Incoming }
)

var keyReply = widget.Bind("ctrl+r", text.T("answer the line"), "ctrl+r")

// awaitTells waits for lines to the session's player.
func awaitTells(ctx context.Context, from *tells.Incoming) tea.Cmd {
	if from == nil {
		return nil
	}
	return func() tea.Msg {
		lines, err := from.Next(ctx)
		return toldMsg{from, lines, err}
	}
}

// takeTold shows lines that others have written to the player, unless the page on top does.
func (a *App) takeTold(msg toldMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, lobby.ErrBusy):
		return screen.After(a.env.Ctx, readTellsAgain, tellAgainMsg{msg.from})
	case msg.err != nil:
		return nil // the session ends, or the club does
	}
	cmds := []tea.Cmd{awaitTells(a.env.Ctx, msg.from)}
	page, ok := a.Top().(screen.TellsPage)
	if ok {
		cmds = append(cmds, a.nav.sendTop(screen.ToldMsg{}))
	}
	others := slices.DeleteFunc(slices.Clone(msg.lines), func(l tells.Line) bool { return ok && strings.EqualFold(l.By, page.Peer()) })
	return tea.Batch(append(cmds, a.notices.told.take(others))...)
}

// take shows the newest of some lines.
func (n *tellLine) take(lines []tells.Line) tea.Cmd {
	if len(lines) == 0 {
		return nil
	}
	if n.key().Enabled() {
		n.more++
	}
	n.shown, n.more = lines[len(lines)-1], n.more+len(lines)-1
	return n.bell.ring()
}

// hide takes the line away.
func (n *tellLine) hide() { n.shown, n.more = tells.Line{}, 0 }

// key is the key that leads to the page of the line.
func (n *tellLine) key() key.Binding { return widget.When(n.shown.Text != "", keyReply) }

// answer opens the page of the lines between the player and the one who has written.
func (a *App) answerTell() tea.Cmd {
	name := a.notices.told.shown.By
	a.notices.told.hide()
	if a.cfg.Pages.Tells == nil {
		return nil
	}
	return a.nav.push(a.cfg.Pages.Tells(a.env, name))
}

// lines returns the line in a window of the given width.
func (n *tellLine) lines(width int) []string {
	if n.shown.Text == "" {
		return nil
	}
	say, dot := n.env.Say, n.env.Theme.Dot
	words := say.Talk().Told(n.shown)
	if n.more > 0 {
		words += dot + say.N(n.more, "one line before", "%d lines before")
	}
	return text.Wrap(words+dot+say.T("%s answers, %s hides it", "ctrl+r", "esc"), width-2*widget.Margin)
}

func (n *tellLine) draw(p *widget.Page) {
	for _, line := range n.lines(p.Width) {
		p.Line(widget.Margin, n.env.Theme.Accent, line)
	}
}
