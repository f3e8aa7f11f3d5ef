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
	env  *screen.Env
	note *note
	bell bell

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

// take notes which matches wait for the player, and tells of one that has just begun. onTop is the match whose board the player looks at.
func (w *waitingMatches) take(yours lists.Yours, onTop storage.MatchID) tea.Cmd {
	var cmds []tea.Cmd
	running, open := map[storage.MatchID]bool{}, map[storage.MatchID]bool{}
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
		if w.open[m.ID] && m.ID != onTop {
			w.begun = append(w.begun, m.Ref)
			cmds = append(cmds, w.tellBegun(m))
		}
	}
	for id := range w.open {
		if !open[id] && !running[id] && id != onTop {
			cmds = append(cmds, w.askEnd(id))
		}
	}
	w.open = open
	w.begun = slices.DeleteFunc(w.begun, func(r lobby.Ref) bool { return !running[r.ID] })
	return tea.Batch(cmds...)
}

// challengeOverMsg says in words what has come of a challenge of the player's that is over; "" if they have withdrawn it.
type challengeOverMsg struct{ words string }

// askEnd asks what has become of a match of the player's that is over and was never joined. At its board the player sees it anyway.
func (w *waitingMatches) askEnd(id storage.MatchID) tea.Cmd {
	l, ctx, who, say := w.env.Lobby, w.env.Ctx, w.env.Who, w.env.Say
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
func (w *waitingMatches) challengeOver(msg challengeOverMsg) tea.Cmd {
	if msg.words == "" || w.note.asking() {
		return nil
	}
	w.note.set(msg.words)
	return w.bell.ring()
}

// tellBegun notes that an opponent has taken the free seat of a match, unless a question waits for the player.
func (w *waitingMatches) tellBegun(m lists.Mine) (bell tea.Cmd) {
	g, err := w.env.Lobby.Game(m.Game)
	if err != nil || w.note.asking() {
		return nil
	}
	say := w.env.Say
	w.told = say.T("Your match with %s begins: %s", say.Name(m.Opponent.Name), say.Spell(g.About().Name)) + w.env.Theme.Dot + "ctrl+n"
	w.note.set(w.told)
	return w.bell.ring()
}

// looksAt notes that the player looks at the board of a match now.
func (w *waitingMatches) looksAt(id storage.MatchID) {
	count := len(w.begun)
	w.begun = slices.DeleteFunc(w.begun, func(r lobby.Ref) bool { return r.ID == id })
	if len(w.begun) < count && w.note.words == w.told {
		w.note.set("")
	}
}

// next returns the first match to which ctrl+n leads, or the one after that on top; ok is false if there is no other.
func (w *waitingMatches) next(onTop storage.MatchID) (ref lobby.Ref, ok bool) {
	all := w.all()
	if len(all) == 0 {
		return lobby.Ref{}, false
	}
	at := slices.IndexFunc(all, func(r lobby.Ref) bool { return r.ID == onTop })
	ref = all[(at+1)%len(all)]
	return ref, ref.ID != onTop
}

// key is ctrl+n, where it does something.
func (w *waitingMatches) key(onTop storage.MatchID) key.Binding {
	_, ok := w.next(onTop)
	return widget.When(ok, keyNextMatch)
}

// title adds to what a screen says in the window's title how many matches wait: when there are several, or the screen says nothing.
func (w *waitingMatches) title(title string) string {
	n := len(w.turn)
	if n == 0 || n == 1 && title != "" {
		return title
	}
	return fmt.Sprintf("(%d) %s", n, cmp.Or(title, w.env.Say.T("your move")))
}

// showNextMatch replaces the shown board by the board of the next match that waits for the player.
func (a *App) showNextMatch() tea.Cmd {
	onTop, atBoard := a.nav.screens.match()
	ref, ok := a.waiting.next(onTop)
	if !ok {
		return nil
	}
	return a.navigate(screen.MatchMsg{Ref: ref, Replace: atBoard && len(a.nav.screens.slots) > 1})
}
