package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/presence"
	"ludoteca/lobby/relations"
	"ludoteca/sshapp/text"
)

// arrivalsMsg names players whom this one follows and who have just come; err is set when no more will be told.
type arrivalsMsg struct {
	news  *relations.Arrivals
	names []string
	err   error
}

// listeningMsg says that the player is here from now on, by a visit, and that the session hears of arrivals.
type listeningMsg struct {
	news  *relations.Arrivals
	visit *presence.Session
}

// awaitArrivals waits for players whom this one follows. They come as a note, which the next key takes away.
func (a *App) awaitArrivals(news *relations.Arrivals) tea.Cmd {
	if news == nil {
		return nil
	}
	ctx := a.env.Ctx
	return func() tea.Msg {
		names, err := news.Next(ctx)
		return arrivalsMsg{news, names, err}
	}
}

// takeArrivals shows who has come, unless the note has something else to say.
func (a *App) takeArrivals(msg arrivalsMsg) tea.Cmd {
	if msg.err != nil {
		return nil
	}
	if a.note == "" {
		a.setNote(text.Cut(a.env.Say.Arrived(msg.names[len(msg.names)-1]), a.size.Width))
	}
	return a.awaitArrivals(msg.news)
}
