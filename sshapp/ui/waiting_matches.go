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

	turn  []lobby.Ref // wait for the player's move, the longest wait first
	begun []lobby.Ref // joined by an opponent since, and not looked at by the player yet
	told  string      // the note about the newest of begun
	event lobby.Ref   // the newest match of an event that has begun: the lists may show it a moment later; zero when they have, or when it was looked at
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

// take notes which matches wait for the player.
func (w *waitingMatches) take(yours lists.Yours) {
	running := map[storage.MatchID]bool{}
	w.turn = nil
	for _, m := range yours.Matches {
		running[m.ID] = !m.Started.IsZero()
		if m.Waits() {
			w.turn = append(w.turn, m.Ref)
		}
	}
	w.begun = slices.DeleteFunc(w.begun, func(r lobby.Ref) bool { return !running[r.ID] && r != w.event })
	if running[w.event.ID] {
		w.event = lobby.Ref{}
	}
}

// begins notes that a match of an event begins.
func (w *waitingMatches) begins(ref lobby.Ref) {
	w.event = ref
	if !slices.Contains(w.begun, ref) {
		w.begun = append(w.begun, ref)
	}
}

// looksAt notes that the player looks at the board of a match now.
func (w *waitingMatches) looksAt(id storage.MatchID) {
	if w.event.ID == id {
		w.event = lobby.Ref{}
	}
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
