package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/news"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
)

// A yoursMsg holds the newest list of the player's own matches and offers, and what is new in it.
type yoursMsg struct {
	from  *news.Reader
	yours lists.Yours
	items []news.Item
	err   error
}

// awaitYours waits for something newer that concerns the player.
func awaitYours(e *screen.Env, from *news.Reader) tea.Cmd {
	ctx := e.Ctx
	return func() tea.Msg {
		yours, items, err := from.Next(ctx)
		return yoursMsg{from, yours, items, err}
	}
}

// takeYours sends what is new in the player's own lists to the parts that show it.
func (a *App) takeYours(msg yoursMsg) tea.Cmd {
	if msg.err != nil || msg.from.User().Key() != a.env.Who.Key() {
		return nil // the session ends, or the club does, or another wait has taken over
	}
	if name := msg.yours.Name; name != "" {
		a.env.Who.Name = name // another session, or an operator, may have changed it
	}
	a.waiting.take(msg.yours)
	cmds := []tea.Cmd{awaitYours(a.env, msg.from), a.notices.challenge.take(msg.yours.Invitations)}
	for _, i := range msg.items {
		cmds = append(cmds, a.matchNews.tell(i))
	}
	a.matchNews.take(msg.yours)
	return tea.Batch(cmds...)
}

// A matchNews tells what happens at matches that the player doesn't look at: by notes, by the bell and, if the player likes, by notifications.
type matchNews struct {
	env     *screen.Env
	screens *stack
	note    *note
	bell    bell
	waiting *waitingMatches
	notify  func(title, body string) tea.Cmd // nil: there are no notifications

	// seen has the matches of the newest lists, and whether the player has seen the end of each at its board: the lists may show an end after the
	// board, and by then the player may look at the next match.
	seen map[storage.MatchID]bool
}

// take notes which matches the newest lists have.
func (n *matchNews) take(yours lists.Yours) {
	seen := make(map[storage.MatchID]bool, len(yours.Matches))
	for i := range yours.Matches {
		id := yours.Matches[i].ID
		seen[id] = n.seen[id]
	}
	n.seen = seen
}

// look notes what the player sees now.
func (n *matchNews) look() {
	if m := n.screens.board(); m != nil && m.Ended() {
		if _, listed := n.seen[m.MatchID()]; listed {
			n.seen[m.MatchID()] = true
		}
	}
}

// An endMsg says what it means that a match has gone from the player's lists. ok is false if that is nothing to tell.
type endMsg struct {
	item news.Item
	ok   bool
}

// tell tells an item, unless the player looks at the board that shows it or has seen it there.
func (n *matchNews) tell(i news.Item) tea.Cmd {
	about := i.Match.ID
	if i.Kind == news.Rematch {
		about = i.Challenge.RematchOf
	}
	switch {
	case n.screens.shows(about), n.screens.shows(i.Match.ID), i.Kind == news.Ended && n.seen[about]:
		return nil
	case i.Kind == news.Ended && !i.Invited:
		return n.askEnd(i.Match)
	case i.Kind == news.Begins:
		return n.tellBegun(i)
	case i.Kind == news.Paired:
		return nil // tellEvent calls the player
	case i.Kind == news.Rematch:
		return n.tellNote(i, n.words(i))
	case i.Kind == news.Challenged, i.Kind == news.Offered, i.Kind == news.YourMove && !i.Own:
		return n.alert(i) // the challenge stands above the footer, and the window's title counts the matches that wait
	}
	return nil
}

// askEnd asks what it means that a match is no longer among the player's own.
func (n *matchNews) askEnd(ref lobby.Ref) tea.Cmd {
	l, ctx, who := n.env.Lobby, n.env.Ctx, n.env.Who
	return func() tea.Msg {
		seat, err := l.At(ctx, who, ref)
		if err != nil {
			return nil // it is forgotten
		}
		end, ok := news.Resolve(ctx, seat)
		end.Match = ref // with the code
		return endMsg{end, ok}
	}
}

// tellEnd tells how a match of the player has ended, or what has come of an offer.
func (n *matchNews) tellEnd(msg endMsg) tea.Cmd {
	if !msg.ok || n.screens.shows(msg.item.Match.ID) {
		return nil
	}
	return n.tellNote(msg.item, n.words(msg.item))
}

// tellBegun tells that an opponent has taken the free seat of a match, to which ctrl+n leads then.
func (n *matchNews) tellBegun(i news.Item) tea.Cmd {
	n.waiting.begun = append(n.waiting.begun, i.Match)
	g, err := n.env.Lobby.Game(i.Mine.Game)
	if err != nil {
		return nil
	}
	say := n.env.Say
	words := say.T("Your match with %s begins: %s", say.Name(i.By.Name), say.Spell(g.About().Name)) + n.env.Theme.Dot + "ctrl+n"
	if !n.note.asking() {
		n.waiting.told = words
	}
	return n.tellNote(i, words)
}

// tellNote shows the words of an item as a note and rings, unless a question waits for the player.
func (n *matchNews) tellNote(i news.Item, words string) tea.Cmd {
	if words == "" || n.note.asking() {
		return nil
	}
	n.note.set(words)
	return n.alert(i)
}

// alert rings the bell for an item, and shows it as a notification if it asks the player to do something.
func (n *matchNews) alert(i news.Item) tea.Cmd {
	ring := n.bell.ring()
	if n.notify == nil || !n.env.Settings.Notify || !i.WantsAct() && i.Kind != news.Begins {
		return ring
	}
	words := n.words(i)
	if n.env.Theme.ASCII {
		words = text.ASCII(words)
	}
	return tea.Batch(ring, n.notify(n.env.Greeting.Name(), words))
}

func (n *matchNews) words(i news.Item) string {
	if i.OfEvents() {
		return n.env.Say.Events().News(i)
	}
	return n.env.Say.News(i, n.env.Lobby.Game)
}
