package lists

import (
	"slices"

	"ludoteca/lobby/match"
)

// maxSought is how many kinds of quick matches the lists name.
const maxSought = 4

// soughtOf groups what players look for by kind, the kind of the most players first.
func soughtOf(all []Sought) (kinds []Sought) {
	for _, s := range all {
		at := slices.IndexFunc(kinds, func(k Sought) bool { return sameKind(k, s) })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, Sought{Games: s.Games, Clock: s.Clock, Class: s.Class, Rated: s.Rated})
		}
		kinds[at].People = append(kinds[at].People, s.People...)
	}
	slices.SortStableFunc(kinds, func(a, b Sought) int { return len(b.People) - len(a.People) })
	return kinds[:min(len(kinds), maxSought)]
}

func sameKind(a, b Sought) bool {
	return a.Clock == b.Clock && a.Class == b.Class && a.Rated == b.Rated && slices.Equal(a.Games, b.Games)
}

// shownSought returns what others than a user look for, without players who have blocked the user or whom the user has blocked.
func (s *Service) shownSought(u match.User, all []Sought) []Sought {
	hidden := func(who match.User) bool { return who.Key() == u.Key() || s.config.Relations.Blocks(u, who) }
	if !slices.ContainsFunc(all, func(k Sought) bool { return slices.ContainsFunc(k.People, hidden) }) {
		return all
	}
	var shown []Sought
	for _, k := range all {
		if k.People = slices.DeleteFunc(slices.Clone(k.People), hidden); len(k.People) > 0 {
			shown = append(shown, k)
		}
	}
	return shown
}

// sumOf returns how many players look for some kinds.
func sumOf(kinds []Sought) (n int) {
	for _, k := range kinds {
		n += len(k.People)
	}
	return n
}
