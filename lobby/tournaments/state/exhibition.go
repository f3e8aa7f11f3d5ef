package state

import (
	"cmp"
	"slices"

	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage/tournaments"
)

// exhibitor returns the entrant who plays all others in a simultaneous exhibition: the announcer; nil if there is none.
func exhibitor(s *State) *Entrant {
	if s.Settings.Plan() != tournaments.Simul {
		return nil
	}
	return s.Entrants.Find(s.Settings.By)
}

// exhibitionStanding puts the one of a simultaneous exhibition first, and counts points without streaks.
func exhibitionStanding(s *State, places []pairings.Place) []pairings.Place {
	one := exhibitor(s)
	for i, p := range places {
		sum := 0
		for _, e := range s.Entrants {
			if e.Rank != p.Number {
				continue
			}
			for _, m := range e.Matches {
				if m.Decided() && !m.Bye() {
					points, _ := m.points(e.Number)
					sum += points
				}
			}
		}
		places[i].Points, places[i].Streak = sum, 0
	}
	is := func(p pairings.Place) int {
		if one != nil && p.Number == one.Rank {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(places, func(a, b pairings.Place) int {
		return cmp.Or(is(a)-is(b), b.Points-a.Points, a.Number-b.Number)
	})
	for i := range places {
		if places[i].Rank = i + 1; i > 1 && places[i].Points == places[i-1].Points {
			places[i].Rank = places[i-1].Rank
		}
	}
	return places
}
