package wording

import (
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/quick"
	"ludoteca/storage"
)

// Looking describes the state of a search for a quick match, in parts: the opponents that it looks for, its duration, and how many others look
// for the same.
func (s Words) Looking(l quick.Looking) []string {
	whom := s.T("looking for anybody")
	if l.To > 0 {
		whom = s.T("looking between %d and %d", l.From, l.To)
	}
	waited := s.T("%d s", int(l.Waited/time.Second))
	if l.Waited >= time.Minute {
		waited = s.T("%d min", int(l.Waited/time.Minute))
	}
	others := s.T("nobody else is looking")
	if l.Others > 0 {
		others = s.N(l.Others, "1 other is looking", "%d others are looking")
	}
	return []string{whom, waited, others}
}

// QuickCall says that an opponent is found for a quick match, and that the reader, or else the opponent, is called from something else.
func (s Words) QuickCall(c quick.Call, game func(id string) (games.Game, error)) string {
	what := s.Clock(c.Want.Clock)
	if g, err := game(c.Want.Game); err == nil {
		what = s.Spell(g.About().Name) + ", " + what
	}
	left := int(c.Left / time.Second)
	if c.You {
		// Translators: %s is a kind of match, such as: Tanks, 5+3.
		return s.T("An opponent is found: %s. You have %d s", what, left)
	}
	// Translators: %s is a kind of match, such as: Tanks, 5+3.
	return s.T("An opponent is found: %s. They are called, and have %d s to come.", what, left)
}

// Sought says how many players look for a kind of quick match: 1 player looks for Tanks or Petteia, 5+3, rated.
func (s Words) Sought(k lists.Sought, game func(id string) (games.Game, error)) string {
	var names []string
	for _, id := range k.Games {
		if g, err := game(id); err == nil {
			names = append(names, s.Spell(g.About().Name))
		}
	}
	what := strings.Join(names, " / ") + ", " + s.QuickClock(k.Clock, k.Class)
	if k.Rated {
		what += ", " + s.T("rated")
	} else {
		what += ", " + s.T("casual")
	}
	// Translators: %s is a kind of match, such as: Tanks, 5+3, rated.
	return s.N(len(k.People), "%d looks for %s", "%d look for %s", len(k.People), what)
}

// Challenge describes a challenge to the reader: ana challenges you: Petteia, 5+3, rated, you play first.
func (s Words) Challenge(g games.Game, o lists.Offer) string { return s.Challenges(g, o)[0] }

// Challenges is Challenge in several lengths, the longest first: without the side, and with the game alone.
func (s Words) Challenges(g games.Game, o lists.Offer) []string {
	name := s.Spell(g.About().Name)
	kind := s.T("casual")
	if o.Rated {
		kind = s.T("rated")
	}
	long := name + ", " + s.Clock(o.Clock) + ", " + kind
	var all []string
	for _, what := range []string{long + ", " + s.YouPlay(o.Side), long, name} {
		all = append(all, s.T("%s challenges you: %s", s.Name(o.By.Name), what))
	}
	return all
}

// Unanswered returns what has become of a challenge or a rematch offer that was not accepted. mine reports whether the reader made it.
// It returns "" if the reader themselves ended it.
func (s Words) Unanswered(v *lobby.View, mine bool) string {
	free := games.First
	if v.Seats[free].Kind != storage.Free {
		free = games.Second
	}
	by, to := s.Name(v.Seats[free.Other()].Name), s.Name(v.Reserved.Name)
	declined := v.EndedBy == storage.SeatOf(free)
	withdrawn := v.EndedBy == storage.SeatOf(free.Other())
	until := v.Until()
	switch {
	case declined && mine && v.RematchOf != "":
		return s.Declines(OfRematch, to)
	case declined && mine:
		return s.Declines(OfChallenge, to)
	case declined, withdrawn && mine:
		return ""
	case withdrawn:
		return s.NoLongerWaits(by)
	case !until.IsZero() && !v.Ended.Before(until) && mine:
		return s.T("%s has not answered in time.", to)
	case !until.IsZero() && !v.Ended.Before(until):
		return s.T("%s's challenge has lapsed.", by)
	case mine:
		return s.T("Your match against %s has not begun, and is called off.", to)
	}
	return s.T("%s's challenge is called off.", by)
}

// ToAnswer returns the sentence that names the player for whom an open challenge waits, and how long it waits.
func (s Words) ToAnswer(v *lobby.View, now time.Time) string {
	name, until := s.Name(v.Reserved.Name), v.Until()
	if until.IsZero() {
		return s.T("Waiting for %s to accept.", name) + " " + s.T("It waits under Your matches.")
	}
	left := (max(until.Sub(now), 0) + time.Second - 1) / time.Second
	return s.T("Waiting for %s to accept: %d s left.", name, int(left))
}
