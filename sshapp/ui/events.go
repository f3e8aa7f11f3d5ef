package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/news"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	tournamentstore "ludoteca/storage/tournaments"
)

// keyEvent works on every screen while the player takes part in an event that runs, and at the board of any event.
var keyEvent = widget.Bind("ctrl+e", text.T("the event"), "ctrl+e")

// An eventsMsg holds what is new in the events of the player.
type eventsMsg struct {
	from  *news.EventReader
	who   storage.Occupant
	items []news.Item
	err   error
}

// awaitEvents waits for something new in the player's events; it does nothing in a club without events.
func awaitEvents(e *screen.Env, from *news.EventReader) tea.Cmd {
	if e.Lobby.Events.Reader == nil {
		return nil
	}
	ctx, who := e.Ctx, e.Who.Occupant()
	if from == nil {
		from = news.NewEventReader(e.Lobby.Events.Reader, e.Who, e.Now)
	}
	return func() tea.Msg {
		items, err := from.Next(ctx)
		return eventsMsg{from, who, items, err}
	}
}

// takeEvents tells what is new in the player's events.
func (a *App) takeEvents(msg eventsMsg) tea.Cmd {
	if msg.err != nil || !a.env.Is(msg.who) {
		return nil // the session ends, or another wait has taken over
	}
	cmds := []tea.Cmd{awaitEvents(a.env, msg.from)}
	for _, i := range msg.items {
		cmds = append(cmds, a.matchNews.tellEvent(i))
	}
	return tea.Batch(cmds...)
}

// tellEvent tells what has happened in an event of the player. ctrl+n leads to a match that has begun.
func (n *matchNews) tellEvent(i news.Item) tea.Cmd {
	words := n.words(i)
	if i.Kind == news.EventRound {
		if n.screens.shows(i.Match.ID) {
			return nil
		}
		n.waiting.begins(i.Match)
		words += n.env.Theme.Dot + "ctrl+n"
		if !n.note.asking() {
			n.waiting.told = words
		}
	}
	return n.tellNote(i, words)
}

// boardEvent returns the event to which the board on top belongs, or else the one that runs and in which the player takes part; ok is false if there
// is none.
func (a *App) boardEvent() (ref tournaments.Ref, ok bool) {
	if a.env.Lobby == nil || a.env.Lobby.Events.Reader == nil || a.cfg.Pages.Event == nil {
		return ref, false
	}
	if b, at := a.Top().(screen.EventBoard); at {
		if of := b.EventBoard(); of.ID != "" {
			return tournaments.Ref{ID: of.ID, Code: of.Code}, true
		}
	}
	listing, _ := a.env.Lobby.Events.Reader.Watch()
	for _, p := range listing.Parts(a.env.Who) {
		if p.View.Stage == tournamentstore.Running {
			return p.View.Ref(), true
		}
	}
	return ref, false
}

// eventKey is ctrl+e, where it does something.
func (a *App) eventKey() key.Binding {
	ref, ok := a.boardEvent()
	if e, at := a.Top().(screen.EventPage); ok && at {
		ok = e.EventID() != ref.ID
	}
	return widget.When(ok, keyEvent)
}

// showEvent shows the page of the event: the one that the board on top was opened from, or a new one.
func (a *App) showEvent() tea.Cmd {
	ref, ok := a.boardEvent()
	if !ok {
		return nil
	}
	if below := len(a.nav.screens.slots) - 2; below >= 0 {
		if e, at := a.nav.screens.slots[below].screen.(screen.EventPage); at && e.EventID() == ref.ID {
			return a.nav.back()
		}
	}
	return a.nav.push(a.cfg.Pages.Event(a.env, ref))
}
