package quick

import (
	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/seats"
	"ludoteca/storage/accounts"
)

// LastQuick returns the quick match that a player asked for last, as their settings say; ok is false if there was none, or the club does
// not have that game any more.
func (m *Service) LastQuick(s accounts.Settings) (spec seats.Spec, ok bool) {
	return LastQuick(m.config.Games, s)
}

// LastQuick is Service.LastQuick for a club with some games.
func LastQuick(all []games.Game, s accounts.Settings) (spec seats.Spec, ok bool) {
	g, ok := games.Find(all, s.QuickGame)
	if s.QuickGame == "" || !ok {
		return seats.Spec{}, false
	}
	spec = seats.Spec{Game: g.About().ID, Rated: !s.QuickCasual}
	if set, ok := g.About().OptionSet(s.QuickSet); ok {
		spec.Options = set.Options
	}
	if c, err := clock.Parse(s.QuickClock); err == nil {
		spec.Clock = c
	}
	return spec, true
}

// RememberQuick returns settings that say which quick match a player has asked for last. Of options that are no option set the defaults
// are remembered.
func (m *Service) RememberQuick(s accounts.Settings, spec seats.Spec) accounts.Settings {
	return RememberQuick(m.config.Games, s, spec)
}

// RememberQuick is Service.RememberQuick for a club with some games.
func RememberQuick(all []games.Game, s accounts.Settings, spec seats.Spec) accounts.Settings {
	g, ok := games.Find(all, spec.Game)
	if !ok {
		return s
	}
	s.QuickGame, s.QuickCasual, s.QuickSet, s.QuickClock = g.About().ID, !spec.Rated, "", seats.StoredClock(spec.Clock)
	if o, err := games.Complete(g, spec.Options); err == nil {
		if set := g.About().SetOf(o); set != games.Classic {
			s.QuickSet = set
		}
	}
	return s
}
