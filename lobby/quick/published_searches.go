package quick

import (
	"cmp"
	"slices"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
)

// A Sought is what a player in the pool looks for, on whatever node.
type Sought struct {
	Who    match.User
	Wanted // the options are left out
}

// maxSought is how many players Sought names: those who have waited longest.
const maxSought = 100

// Sought returns what players look for, those who have waited longest first, and a channel that is closed when that changes. The slice is never
// changed.
func (m *Service) Sought() (all []Sought, newer <-chan struct{}) {
	all, _, newer = m.sought.Watch()
	return all, newer
}

// publishSought publishes what the players look for, if that has changed.
func (p *pool) publishSought() {
	if !p.changed {
		return
	}
	p.changed = false
	waiting := make([]*entry, 0, len(p.waiting))
	for _, e := range p.waiting {
		waiting = append(waiting, e)
	}
	slices.SortFunc(waiting, func(a, b *entry) int {
		return cmp.Or(a.row.Since.Compare(b.row.Since), cmp.Compare(a.row.Who.Name, b.row.Who.Name))
	})
	all := make([]Sought, 0, min(len(waiting), maxSought))
	for _, e := range waiting[:min(len(waiting), maxSought)] {
		all = append(all, soughtOf(e))
	}
	p.service.sought.Publish(all)
}

func soughtOf(e *entry) Sought {
	s := Sought{Who: match.User(e.row.Who)}
	for _, w := range wishesOf(e.row) {
		s.Games = append(s.Games, Choice{Game: w.Want.Game})
		s.Clock, s.Class, s.Rated = w.Want.Clock, w.Want.Class, w.Want.Rated
	}
	if s.Class != clock.NoClass {
		s.Clock = clock.Setting{}
	}
	return s
}
