package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/news"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/tells"
	"ludoteca/lobby/together"
	"ludoteca/sshapp/text"
)

// An arrivalsMsg names players whom the session's player follows and who have just come. err is set when no more will follow.
type arrivalsMsg struct {
	from  *relations.Arrivals
	names []string
	err   error
}

// A listeningMsg tells that the player is present from now on, by a visit, and that the session is told of arrivals, of invitations and of lines to
// the player.
type listeningMsg struct {
	from        *relations.Arrivals
	invitations *together.Invitations // nil: it is told of none
	told        *tells.Incoming       // nil: nobody writes to the player
	visit       *presence.Session
}

// awaitArrivals waits for players whom the session's player follows.
func awaitArrivals(ctx context.Context, from *relations.Arrivals) tea.Cmd {
	if from == nil {
		return nil
	}
	return func() tea.Msg {
		names, err := from.Next(ctx)
		return arrivalsMsg{from, names, err}
	}
}

// takeArrivals shows who has come as a note until the next key, unless the note has something else to say.
func (a *App) takeArrivals(msg arrivalsMsg) tea.Cmd {
	if msg.err != nil {
		return nil
	}
	items := news.ArrivalsOf(msg.names, a.env.Now())
	if a.note.words == "" {
		a.note.set(text.Cut(a.env.Say.News(items[len(items)-1], a.env.Lobby.Game), a.nav.window.Width))
	}
	return awaitArrivals(a.env.Ctx, msg.from)
}
