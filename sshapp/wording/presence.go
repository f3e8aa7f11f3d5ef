package wording

import (
	"fmt"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/text"
)

// Nearness returns the presence of a player at a board in a word or two: here, away, gone, gone for 3 min. A player whose last activity was a
// command may or may not be gone: seen 3 min ago.
func (s Words) Nearness(p lobby.Presence, now time.Time) string {
	switch p.Near {
	case lobby.Here:
		// Translators: at this board, or in the club.
		return s.T("here")
	case lobby.Away:
		// Translators: connected, but at another board or without a key for some minutes.
		return s.T("away")
	}
	switch gone := now.Sub(p.Since); {
	case p.Command && gone >= time.Minute:
		return s.T("seen %s ago", s.Span(gone))
	case p.Command:
		return s.T("seen just now")
	case gone >= time.Minute:
		return s.T("gone for %s", s.Span(gone))
	}
	// Translators: a player who is not connected.
	return s.T("gone")
}

// Whereabouts returns Nearness as a sentence about the named player.
func (s Words) Whereabouts(name string, p lobby.Presence, now time.Time) string {
	gone := now.Sub(p.Since)
	switch {
	case p.Near == lobby.Here:
		return s.T("%s is here.", name)
	case p.Near == lobby.Away:
		return s.T("%s is away.", name)
	case p.Command && gone >= time.Minute:
		return s.T("%s was seen %s ago.", name, s.Span(gone))
	case p.Command:
		return s.T("%s was seen just now.", name)
	case gone >= time.Minute:
		return s.T("%s has been gone for %s.", name, s.Span(gone))
	}
	return s.T("%s is gone.", name)
}

// Spectators returns the number of spectators of a match and as many of their names as fit into cells: "2 watching: bia, guest-4". It returns ""
// without spectators.
func (s Words) Spectators(of lobby.Spectators, cells int) string {
	if of.Count == 0 {
		return ""
	}
	words := s.N(of.Count, "1 watching:", "%d watching:")
	const more = " " + text.Ellipsis
	for i, o := range of.Names {
		next := words + " " + s.Name(o.Name)
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
func (s Words) ComeBack(name string, p lobby.Presence, left time.Duration) string {
	shown := s.TimeLeft(left)
	if left = max(left, 0); left < showTenths { // tenths of a second would hurry people where nothing hurries
		shown = fmt.Sprintf("0:%02d", left/time.Second)
	}
	return s.comeBack(name, p, shown)
}

// ComeBackInWords is ComeBack for reading aloud.
func (s Words) ComeBackInWords(name string, p lobby.Presence, left time.Duration) string {
	return s.comeBack(name, p, s.TimeInWords((left + time.Second/2).Truncate(time.Second)))
}

func (s Words) comeBack(name string, p lobby.Presence, shown string) string {
	switch {
	case p.Command:
		return s.T("%s has %s to come back.", name, shown)
	case p.Dropped:
		return s.T("%s's line dropped: %s to come back.", name, shown)
	}
	return s.T("%s has left: %s to come back.", name, shown)
}

// HasGone returns the sentence that an opponent is no longer connected.
func (s Words) HasGone(name string, dropped bool) string {
	if dropped {
		return s.T("%s's line dropped.", name)
	}
	return s.T("%s has left.", name)
}

// MayClaim returns the reason why a match can be claimed: the opponent has not come back, or, if silent is true, hasn't moved for long in a
// match without a clock.
func (s Words) MayClaim(name string, silent bool) string {
	if silent {
		return s.T("%s has not moved for three days.", name)
	}
	return s.T("%s has not come back.", name)
}

// Doing returns the activity of a user who is here: lobby; playing rui, 12:04 left; watching Petteia; away 3 min. game is the name of
// the game that they watch.
func (s Words) Doing(p lists.Present, game string, now time.Time) string {
	switch p.Doing {
	case lists.Playing:
		return s.playing(p, now)
	case lists.Watching:
		if p.Match == "" {
			return s.T("watching a private match")
		}
		return s.T("watching %s", game)
	case lists.IsAway:
		return s.T("away %s", s.Ago(now.Sub(p.Since)))
	}
	return s.T("lobby")
}

func (s Words) playing(p lists.Present, now time.Time) string {
	if p.Match == "" {
		return s.T("in a private match")
	}
	opponent := s.Name(p.Opponent.Name)
	if !p.Clock.Shown {
		return s.T("playing %s", opponent)
	}
	left := p.Clock.Left
	if p.Clock.Running {
		left -= max(now.Sub(p.Clock.Since), 0)
	}
	return s.T("playing %s, %s left", opponent, s.TimeLeft(left))
}
