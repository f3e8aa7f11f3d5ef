package text

import (
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

// Ending says in words how a match with options o ended: "ana wins: rui resigned", "rui wins: 7 captures". result and reason are
// those of a match that is over; first and second are the names of the two sides.
func (s Say) Ending(about *games.About, o games.Options, result, reason, first, second string) string {
	switch result {
	case "first":
		return s.T("%s wins: %s", first, s.reason(about, o, reason, second))
	case "second":
		return s.T("%s wins: %s", second, s.reason(about, o, reason, first))
	case "draw":
		return s.T("Draw: %s", s.reason(about, o, reason, ""))
	default:
		return s.T("No result: %s", s.reason(about, o, reason, ""))
	}
}

// reason says in words what a reason code means, one of a game or one of the club. loser is who lost, if somebody did.
func (s Say) reason(about *games.About, o games.Options, reason, loser string) string {
	switch reason {
	case "resigned":
		return s.T("%s resigned", loser)
	case "abandoned":
		return s.T("%s left", loser)
	case "aborted":
		return s.T("called off")
	case "length_limit":
		return s.T("the match got too long")
	}
	if about != nil && about.Reasons[reason] != "" {
		return o.Fill(s.T(about.Reasons[reason]))
	}
	return s.T("the match is over")
}

// What a position is worth to be called better, and much better: a man, marble or the like is some 100.
const (
	better     = 40
	muchBetter = 150
)

// Hint says a hint in words: the move, and what is known or believed about it.
func (s Say) Hint(h lobby.Hint) string {
	move := string(h.Move)
	switch {
	case h.Proven && h.Plies > 0:
		return s.T("A hint: %s wins in %d moves at most.", move, h.Plies)
	case h.Proven && h.Plies < 0:
		return s.T("A hint: %s. The other side wins all the same, but this is the longest way.", move)
	case !h.Ahead:
		return s.T("A hint: %s.", move)
	case h.Value >= muchBetter:
		return s.T("A hint: %s. You stand much better.", move)
	case h.Value >= better:
		return s.T("A hint: %s. You stand better.", move)
	case h.Value > -better:
		return s.T("A hint: %s. Both sides stand about equal.", move)
	case h.Value > -muchBetter:
		return s.T("A hint: %s. The other side stands better.", move)
	}
	return s.T("A hint: %s. The other side stands much better.", move)
}

// Helped says what help was taken in a match; "" for none.
func (s Say) Helped(h storage.Help) string {
	var words []string
	switch h.Hints {
	case 0:
	case 1:
		words = append(words, s.T("one hint"))
	default:
		words = append(words, s.T("%d hints", h.Hints))
	}
	switch h.Takebacks {
	case 0:
	case 1:
		words = append(words, s.T("one takeback"))
	default:
		words = append(words, s.T("%d takebacks", h.Takebacks))
	}
	if len(words) == 0 {
		return ""
	}
	return s.T("With help: %s.", strings.Join(words, ", "))
}

const day = 24 * time.Hour

// Span returns a length of time in at most two short words: "2 d 3 h", "5 min". Less than a minute is "now".
func (s Say) Span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return s.T("now")
	case d < time.Hour:
		return s.T("%d min", int(d/time.Minute))
	case d < 10*time.Hour && d%time.Hour >= time.Minute:
		return s.T("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
	case d < day:
		return s.T("%d h", int(d/time.Hour))
	case d < 10*day && d%day >= time.Hour:
		return s.T("%d d %d h", int(d/day), int(d%day/time.Hour))
	default:
		return s.T("%d d", int(d/day))
	}
}

// Date returns the day of t in UTC as 2006-01-02, which is read alike everywhere.
func Date(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// HowTo returns the page of rules of a game, in English if there is none in the language of s.
func (s Say) HowTo(about *games.About) string {
	if page, ok := about.HowToIn[s.Code()]; ok {
		return page
	}
	return about.HowTo
}
