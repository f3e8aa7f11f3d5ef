package wording

import (
	"time"

	"ludoteca/lobby/match"
)

// Paused says why the clock of a match stands at a time, one sentence a reason; nothing if it runs.
func (s Words) Paused(m *match.Summary, who match.User, now time.Time) (sentences []string) {
	for _, p := range m.PausesAt(now) {
		until := Minute(p.Until)
		switch {
		case p.Kind == match.Adjourned:
			sentences = append(sentences, s.T("The match is adjourned until %s: its clock stands.", until))
		case m.Holds(who, p.By.Side()):
			sentences = append(sentences, s.T("You are on vacation until %s: the clock stands.", until))
		default:
			sentences = append(sentences, s.T("%s is on vacation until %s: the clock stands.", s.Name(m.Seats[p.By.Side()].Name), until))
		}
	}
	return sentences
}

// Vacation says until when the player with a name is on vacation.
func (s Words) Vacation(name string, until time.Time) string {
	return s.T("%s is on vacation until %s.", s.Name(name), Minute(until))
}
