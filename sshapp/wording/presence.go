package wording

import (
	"fmt"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/text"
)

// Presence are the sentences about who is where: at a board, in the club, or gone.
type Presence struct{ say Words }

// Presence returns the sentences about who is where.
func (s Words) Presence() Presence { return Presence{s} }

// Nearness returns the presence of a player at a board in a word or two: here, away, gone, gone for 3 min. A player whose last activity was a
// command may or may not be gone: seen 3 min ago.
func (w Presence) Nearness(p lobby.Presence, now time.Time) string {
	switch p.Near {
	case lobby.Here:
		// Translators: at this board, or in the club.
		return w.say.T("here")
	case lobby.Away:
		// Translators: connected, but at another board or without a key for some minutes.
		return w.say.T("away")
	}
	switch gone := now.Sub(p.Since); {
	case p.Command && gone >= time.Minute:
		return w.say.T("seen %s ago", w.say.Span(gone))
	case p.Command:
		return w.say.T("seen just now")
	case gone >= time.Minute:
		return w.say.T("gone for %s", w.say.Span(gone))
	}
	// Translators: a player who is not connected.
	return w.say.T("gone")
}

// Whereabouts returns Nearness as a sentence about the named player.
func (w Presence) Whereabouts(name string, p lobby.Presence, now time.Time) string {
	gone := now.Sub(p.Since)
	switch {
	case p.Near == lobby.Here:
		return w.say.T("%s is here.", name)
	case p.Near == lobby.Away:
		return w.say.T("%s is away.", name)
	case p.Command && gone >= time.Minute:
		return w.say.T("%s was seen %s ago.", name, w.say.Span(gone))
	case p.Command:
		return w.say.T("%s was seen just now.", name)
	case gone >= time.Minute:
		return w.say.T("%s has been gone for %s.", name, w.say.Span(gone))
	}
	return w.say.T("%s is gone.", name)
}

// Spectators returns the number of spectators of a match and as many of their names as fit into cells: "2 watching: bia, guest-4". It returns ""
// without spectators.
func (w Presence) Spectators(of lobby.Spectators, cells int) string {
	if of.Count == 0 {
		return ""
	}
	words := w.say.N(of.Count, "1 watching:", "%d watching:")
	const more = " " + text.Ellipsis
	for i, o := range of.Names {
		next := words + " " + w.say.Name(o.Name)
		if i < of.Count-1 {
			next += ","
		}
		room := cells
		if i < of.Count-1 {
			room -= text.Width(more)
		}
		if text.Width(next) > room {
			return text.Cut(words+more, cells)
		}
		words = next
	}
	if len(of.Names) < of.Count {
		words += more
	}
	return words
}

// Ago returns the time since an event in few letters: 40 s, 3 min, 2 h.
func (s Words) Ago(d time.Duration) string {
	if d = max(d, 0); d < time.Minute {
		return s.T("%d s", int(d/time.Second))
	}
	return s.Span(d)
}

// ComeBack returns the sentence that an opponent has gone and has the time left to come back before the match can be claimed.
func (w Presence) ComeBack(name string, p lobby.Presence, left time.Duration) string {
	shown := w.say.TimeLeft(left)
	if left = max(left, 0); left < showTenths { // tenths of a second would hurry people where nothing hurries
		shown = fmt.Sprintf("0:%02d", left/time.Second)
	}
	return w.comeBack(name, p, shown)
}

// ComeBackInWords is ComeBack for reading aloud.
func (w Presence) ComeBackInWords(name string, p lobby.Presence, left time.Duration) string {
	return w.comeBack(name, p, w.say.TimeInWords((left + time.Second/2).Truncate(time.Second)))
}

func (w Presence) comeBack(name string, p lobby.Presence, shown string) string {
	switch {
	case p.Command:
		return w.say.T("%s has %s to come back.", name, shown)
	case p.Dropped:
		return w.say.T("%s's line dropped: %s to come back.", name, shown)
	}
	return w.say.T("%s has left: %s to come back.", name, shown)
}

// HasGone returns the sentence that an opponent is no longer connected.
func (w Presence) HasGone(name string, dropped bool) string {
	if dropped {
		return w.say.T("%s's line dropped.", name)
	}
	return w.say.T("%s has left.", name)
}

// MayClaim returns the reason why a match can be claimed: the opponent has not come back, or, if silent is true, hasn't moved for long in a
// match without a clock.
func (w Presence) MayClaim(name string, silent bool) string {
	if silent {
		return w.say.T("%s has not moved for three days.", name)
	}
	return w.say.T("%s has not come back.", name)
}

// Doing returns the activity of a user who is here: lobby; playing rui, 12:04 left; watching Petteia; away 3 min. game is the name of
// the game that they watch.
func (w Presence) Doing(p lists.Present, game string, now time.Time) string {
	switch p.Doing {
	case lists.Playing:
		return w.playing(p, now)
	case lists.Watching:
		if p.Match == "" {
			return w.say.T("watching a private match")
		}
		return w.say.T("watching %s", game)
	case lists.IsAway:
		return w.say.T("away %s", w.say.Ago(now.Sub(p.Since)))
	}
	return w.say.T("lobby")
}

func (w Presence) playing(p lists.Present, now time.Time) string {
	if p.Match == "" {
		return w.say.T("in a private match")
	}
	opponent := w.say.Name(p.Opponent.Name)
	if !p.Clock.Shown {
		return w.say.T("playing %s", opponent)
	}
	left := p.Clock.Left
	if p.Clock.Running {
		left -= max(now.Sub(p.Clock.Since), 0)
	}
	return w.say.T("playing %s, %s left", opponent, w.say.TimeLeft(left))
}
