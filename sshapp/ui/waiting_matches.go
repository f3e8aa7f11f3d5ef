package ui

import (
	"cmp"
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// keyNextMatch works on every screen while a match waits, or has begun, that is not on top.
var keyNextMatch = widget.Bind("ctrl+n", text.T("next match that waits for you"), "ctrl+n")

// waitingMatches are the matches to which ctrl+n leads.
type waitingMatches struct {
	turn  []lobby.Ref              // wait for the player's move, the longest wait first
	begun []lobby.Ref              // joined by an opponent since, and not looked at by the player yet
	open  map[storage.MatchID]bool // the player's matches with a free seat
	told  string                   // the note about the newest of begun
}

// all returns the matches that wait for a move, then the others.
func (w *waitingMatches) all() []lobby.Ref {
	all := slices.Clone(w.turn)
	for _, r := range w.begun {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// countWaiting notes which matches wait for the player, and tells of one that has just begun while the player is on another screen.
func (a *App) countWaiting(yours lists.Yours) tea.Cmd {
	var cmds []tea.Cmd
	w, running, open := &a.waiting, map[storage.MatchID]bool{}, map[storage.MatchID]bool{}
	w.turn = nil
	for _, m := range yours.Matches {
		if m.Started.IsZero() {
			open[m.ID] = true
			continue
		}
		running[m.ID] = true
		if m.Waits() {
			w.turn = append(w.turn, m.Ref)
		}
		if w.open[m.ID] && !a.isOnTop(m.ID) {
			w.begun = append(w.begun, m.Ref)
			cmds = append(cmds, a.tellBegun(m))
		}
	}
	for id := range w.open {
		if !open[id] && !running[id] && !a.isOnTop(id) {
			cmds = append(cmds, a.askEnd(id))
		}
	}
	w.open = open
	w.begun = slices.DeleteFunc(w.begun, func(r lobby.Ref) bool { return !running[r.ID] })
	return tea.Batch(cmds...)
}

// challengeOverMsg says in words what has come of a challenge of the player's that is over; "" if they have withdrawn it.
type challengeOverMsg struct{ words string }

// askEnd asks what has become of a match of the player's that is over and was never joined. At its board the player sees it anyway.
func (a *App) askEnd(id storage.MatchID) tea.Cmd {
	l, ctx, who, say := a.env.Lobby, a.env.Ctx, a.env.Who, a.env.Say
	return func() tea.Msg {
		seat, err := l.At(ctx, who, lobby.Ref{ID: id})
		if err != nil {
			return nil // it is forgotten
		}
		v, err := seat.Now(ctx)
		for err == nil && !v.Over { // the lists know of the end a moment before the board
			v, err = seat.Next(ctx, v.Seq)
		}
		if err != nil || v.Reserved.Kind == storage.Free {
			return nil
		}
		return challengeOverMsg{say.Unanswered(v, true)}
	}
}

// challengeOver says what has come of a challenge, unless the player is asked something.
func (a *App) challengeOver(msg challengeOverMsg) tea.Cmd {
	if msg.words == "" || a.leaveAsked || a.backAsked {
		return nil
	}
	a.setNote(msg.words)
	if a.env.Settings.Mute {
		return nil
	}
	return a.cfg.Bell
}

// tellBegun notes that an opponent has taken the free seat of a match, unless a question waits for the player.
func (a *App) tellBegun(m lists.Mine) (bell tea.Cmd) {
	g, err := a.env.Lobby.Game(m.Game)
	if err != nil || a.leaveAsked || a.backAsked {
		return nil
	}
	say := a.env.Say
	a.waiting.told = say.T("Your match with %s begins: %s", say.Name(m.Opponent.Name), say.Spell(g.About().Name)) + a.env.Theme.Dot + "ctrl+n"
	a.setNote(a.waiting.told)
	if a.env.Settings.Mute {
		return nil
	}
	return a.cfg.Bell
}

// looksAt notes that the player looks at the board of a match now.
func (a *App) looksAt(id storage.MatchID) {
	w, count := &a.waiting, len(a.waiting.begun)
	w.begun = slices.DeleteFunc(w.begun, func(r lobby.Ref) bool { return r.ID == id })
	if len(w.begun) < count && a.note == w.told {
		a.setNote("")
	}
}

// isOnTop reports whether the player looks at the board of a match.
func (a *App) isOnTop(id storage.MatchID) bool {
	m, ok := a.Top().(screen.MatchScreen)
	return ok && m.MatchID() == id
}

// nextMatch returns the first match to which ctrl+n leads, or the one after that on top; ok is false if there is no other.
func (a *App) nextMatch() (ref lobby.Ref, ok bool) {
	all := a.waiting.all()
	if len(all) == 0 {
		return lobby.Ref{}, false
	}
	m, onMatch := a.Top().(screen.MatchScreen)
	if !onMatch {
		return all[0], true
	}
	at := slices.IndexFunc(all, func(r lobby.Ref) bool { return r.ID == m.MatchID() })
	ref = all[(at+1)%len(all)]
	return ref, ref.ID != m.MatchID()
}

// canNextMatch reports whether ctrl+n leads anywhere now.
func (a *App) canNextMatch() bool {
	_, ok := a.nextMatch()
	return ok
}

// showNextMatch replaces the shown board by the board of the next match that waits for the player.
func (a *App) showNextMatch() tea.Cmd {
	ref, ok := a.nextMatch()
	if !ok {
		return nil
	}
	_, onMatch := a.Top().(screen.MatchScreen)
	return a.navigate(screen.MatchMsg{Ref: ref, Replace: onMatch && len(a.stack) > 1})
}

// nextMatchKey is ctrl+n, where it does something.
func (a *App) nextMatchKey() key.Binding { return widget.When(a.canNextMatch(), keyNextMatch) }

// waitingTitle adds to what a screen says in the window's title how many matches wait: when there are several, or the screen
// says nothing.
func (a *App) waitingTitle(title string) string {
	n := len(a.waiting.turn)
	if n == 0 || n == 1 && title != "" {
		return title
	}
	return fmt.Sprintf("(%d) %s", n, cmp.Or(title, a.env.Say.T("your move")))
}
