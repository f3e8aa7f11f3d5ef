package wording

import (
	"strings"

	"ludoteca/games"
)

// Planned puts a line of moves that a side has prepared from a position on into a sentence.
func (s Words) Planned(p games.Position, side games.Side, line []games.Move) string {
	var parts []string
	var theirs, own []string
	say := func() {
		a, b := strings.Join(theirs, " "), strings.Join(own, " ")
		switch {
		case a == "":
			parts = append(parts, s.T("Next: %s", b))
		case len(parts) == 0:
			parts = append(parts, s.T("If %s, then %s", a, b))
		default:
			// Translators: a planned line goes on: "If e4, then d5; after that, if c3, then b6."
			parts = append(parts, s.T("after that, if %s, then %s", a, b))
		}
		theirs, own = nil, nil
	}
	for _, m := range line {
		mine := p.Turn() == side
		next, err := p.Play(m)
		if err != nil {
			break
		}
		p = next
		switch {
		case mine:
			own = append(own, string(m))
		case len(own) > 0:
			say()
			fallthrough
		default:
			theirs = append(theirs, string(m))
		}
	}
	if len(own) > 0 {
		say()
	}
	return strings.Join(parts, "; ") + "."
}
