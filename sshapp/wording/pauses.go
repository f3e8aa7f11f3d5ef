package wording

import (
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// Paused says why the clock of a match stands at a time, one sentence a reason; nothing if it runs.
func (s Words) Paused(m *match.Summary, who match.User, now time.Time) (sentences []string) {
	for _, p := range m.Pauses.At(now) {
		sentences = append(sentences, s.Pause(m, who, p))
	}
	return sentences
}

// Pause says for what the clock of a match stands.
func (s Words) Pause(m *match.Summary, who match.User, p match.Pause) string {
	until := s.Minute(p.Until)
	switch {
	case p.Kind == match.Adjourned && m.HasBot():
		for _, seat := range m.Seats {
			if seat.Kind != storage.Bot && !who.Is(seat) {
				return s.T("The match waits for %s: its clock stands.", s.Occupant(seat))
			}
		}
		return s.T("The match waits for you: its clock stands until your next move, or until %s.", until)
	case p.Kind == match.Adjourned:
		return s.T("The match is adjourned until %s: its clock stands.", until)
	case m.Holds(who, p.By.Side()):
		return s.T("You are on vacation until %s: the clock stands.", until)
	}
	return s.T("%s is on vacation until %s: the clock stands.", s.Name(m.Seats[p.By.Side()].Name), until)
}

// PauseOver says that a pause has ended, and that the clock of the match runs again if it does at a time.
func (s Words) PauseOver(m *match.Summary, who match.User, p match.Pause, at time.Time) string {
	var words string
	switch {
	case p.Kind == match.Adjourned && m.HasBot():
		words = s.T("The match goes on.")
	case p.Kind == match.Adjourned:
		words = s.T("The match is no longer adjourned.")
	case m.Holds(who, p.By.Side()):
		words = s.T("Your vacation is over.")
	default:
		words = s.T("The vacation of %s is over.", s.Name(m.Seats[p.By.Side()].Name))
	}
	if len(m.Pauses.At(at)) == 0 {
		words += " " + s.T("The clock runs again.")
	}
	return words
}

// OnVacation says of a player in a list until which day they are on vacation; "" if they are not.
func (s Words) OnVacation(until time.Time) string {
	if until.IsZero() {
		return ""
	}
	return s.T("on vacation until %s", s.Date(until))
}

// Vacation says until when the player with a name is on vacation.
func (s Words) Vacation(name string, until time.Time) string {
	return s.T("%s is on vacation until %s.", s.Name(name), s.Minute(until))
}
