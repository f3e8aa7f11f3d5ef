package ui

import (
	"cmp"
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// keyNextMatch works on every screen while a match waits that is not on top.
var keyNextMatch = widget.Bind("ctrl+n", text.T("next match that waits for you"), "ctrl+n")

// countWaiting notes which matches wait for the player.
func (a *App) countWaiting(yours lobby.Yours) {
	a.waiting = nil
	for _, m := range yours.Matches {
		if m.YourTurn && !m.Both {
			a.waiting = append(a.waiting, m.Ref)
		}
	}
}

// nextMatch returns the match that has waited longest for the player, or the one after that on top; ok is false if no other waits.
func (a *App) nextMatch() (ref lobby.Ref, ok bool) {
	if len(a.waiting) == 0 {
		return lobby.Ref{}, false
	}
	m, onMatch := a.Top().(screen.MatchScreen)
	if !onMatch {
		return a.waiting[0], true
	}
	at := slices.IndexFunc(a.waiting, func(r lobby.Ref) bool { return r.ID == m.MatchID() })
	ref = a.waiting[(at+1)%len(a.waiting)]
	return ref, ref.ID != m.MatchID()
}

// canNextMatch says whether ctrl+n leads anywhere now.
func (a *App) canNextMatch() bool {
	_, ok := a.nextMatch()
	return ok
}

// showNextMatch shows the board of the next match that waits for the player, instead of that of another match.
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
	n := len(a.waiting)
	if n == 0 || n == 1 && title != "" {
		return title
	}
	return fmt.Sprintf("(%d) %s", n, cmp.Or(title, a.env.Say.T("your move")))
}
