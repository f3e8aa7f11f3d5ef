package quick

import (
	"strings"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/seats"
	"ludoteca/storage/accounts"
)

// LastQuick returns the quick match that a player asked for last, as their settings say; ok is false if there was none, or the club does
// not have that game any more.
func (m *Service) LastQuick(s accounts.Settings) (w Wanted, ok bool) {
	return LastQuick(m.config.Games, s)
}

// LastQuick is Service.LastQuick for a club with some games.
func LastQuick(all []games.Game, s accounts.Settings) (w Wanted, ok bool) {
	for id := range strings.SplitSeq(s.QuickGame, ",") {
		g, found := games.Find(all, id)
		if id == "" || !found {
			continue
		}
		c := Choice{Game: g.About().ID}
		if set, ok := g.About().OptionSet(s.QuickSet); ok {
			c.Options = set.Options
		}
		w.Games = append(w.Games, c)
	}
	if len(w.Games) == 0 {
		return Wanted{}, false
	}
	w.Rated = !s.QuickCasual
	if c, class, err := ParseClock(s.QuickClock); err == nil {
		w.Clock, w.Class = c, class
	}
	return w, true
}

// First returns the first quick match of a player who has not chosen the clock and whether it is rated.
func First(games ...Choice) Wanted { return Wanted{Games: games, Clock: clock.Blitz.Usual()} }

// RememberQuick returns settings that say which quick match a player has asked for last. Of options that are no option set the defaults
// are remembered.
func (m *Service) RememberQuick(s accounts.Settings, w Wanted) accounts.Settings {
	return RememberQuick(m.config.Games, s, w)
}

// RememberQuick is Service.RememberQuick for a club with some games.
func RememberQuick(all []games.Game, s accounts.Settings, w Wanted) accounts.Settings {
	var ids []string
	set := ""
	for _, c := range w.Games {
		g, ok := games.Find(all, c.Game)
		if !ok {
			continue
		}
		ids = append(ids, g.About().ID)
		if o, err := games.Complete(g, c.Options); err == nil {
			if of := g.About().SetOf(o); of != games.Classic {
				set = of
			}
		}
	}
	if len(ids) == 0 {
		return s
	}
	s.QuickGame, s.QuickCasual, s.QuickSet, s.QuickClock = strings.Join(ids, ","), !w.Rated, set, seats.StoredClock(w.Clock)
	if w.Class != clock.NoClass {
		s.QuickClock = string(w.Class)
	}
	return s
}
