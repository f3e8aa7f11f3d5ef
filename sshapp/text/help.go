package text

import (
	"strings"

	"ludoteca/lobby"
	"ludoteca/storage"
)

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
