package state

import (
	"cmp"
	"slices"

	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage/tournaments"
)

// A Place is where an entrant stands. Points and tie-breaks are as in pairings.Place.
type Place struct {
	pairings.Place
	Entrant *Entrant
}

// Standing returns the places of all entrants, the best first. Before the tournament has begun it is the list of entrants by their ratings. Those
// who withdrew before it began are left out.
func (s *State) Standing() []Place {
	var in []*Entrant
	for _, e := range s.Entrants {
		if e.Rank > 0 || s.Begun.IsZero() && e.In() {
			in = append(in, e)
		}
	}
	if s.Begun.IsZero() {
		slices.SortStableFunc(in, func(a, b *Entrant) int { return b.Rating - a.Rating })
		all := make([]Place, len(in))
		for i, e := range in {
			all[i] = Place{pairings.Place{Rank: i + 1, Number: e.Number}, e}
		}
		return all
	}
	byRank := make(map[int]*Entrant, len(in))
	for _, e := range in {
		byRank[e.Rank] = e
	}
	var places []pairings.Place
	var err error
	switch plan := s.Settings.Plan(); plan {
	case tournaments.Knockout:
		if b := s.Bracket(); b != nil {
			places = b.Standing()
		}
	case tournaments.Arena, tournaments.Simul:
		places, err = pairings.ArenaStanding(s.entrants())
		if plan == tournaments.Simul {
			places = s.exhibition(places)
		}
	default:
		places, err = pairings.Standing(s.entrants(), plan == tournaments.Robin)
	}
	if err != nil {
		return nil // apply has let nothing in that doesn't fit together
	}
	all := make([]Place, 0, len(places))
	for _, p := range places {
		e := byRank[p.Number]
		p.Number = e.Number
		all = append(all, Place{p, e})
	}
	return all
}

// exhibition puts the one of a simultaneous exhibition first, and counts points without streaks.
func (s *State) exhibition(places []pairings.Place) []pairings.Place {
	one := s.One()
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

// entrants returns the entrants as pairing knows them: by their starting ranks, with their rounds. In an arena and a simultaneous exhibition a
// round is a match, and void matches are left out; else all have as many rounds as are over or running.
func (s *State) entrants() []pairings.Entrant {
	plan := s.Settings.Plan()
	together := plan != tournaments.Arena && plan != tournaments.Simul
	var all []pairings.Entrant
	for _, e := range s.Entrants {
		if e.Rank == 0 {
			continue
		}
		of := pairings.Entrant{Number: e.Rank, Absent: !e.In() || e.Paused}
		if together {
			of.Rounds = make([]pairings.Round, len(s.Rounds))
		}
		for _, p := range e.Matches {
			if !p.Decided() || !together && (p.Bye() || p.Result == "") {
				continue
			}
			r := s.round(e, p)
			if together {
				of.Rounds[p.Round-1] = r
			} else {
				of.Rounds = append(of.Rounds, r)
			}
		}
		all = append(all, of)
	}
	return all
}

// round returns a decided pairing as pairing knows it.
func (s *State) round(e *Entrant, p *Pairing) pairings.Round {
	r := pairings.Round{Side: p.Side(e.Number)}
	if r.Points, r.Forfeit = p.points(e.Number); p.Bye() && s.Settings.Plan() == tournaments.Robin {
		r.Points = pairings.Loss // everybody has as many of them
	}
	if other := s.Entrant(p.Opponent(e.Number)); other != nil {
		r.Opponent = other.Rank
	}
	return r
}

// Bracket returns the bracket of a knockout that has begun; nil for other tournaments. Its numbers are starting ranks.
func (s *State) Bracket() *pairings.Bracket {
	if s.Settings.Plan() != tournaments.Knockout || s.Begun.IsZero() {
		return nil
	}
	numbers := make([]int, s.started)
	for i := range numbers {
		numbers[i] = i + 1
	}
	b, err := pairings.NewBracket(numbers)
	if err != nil {
		return nil // there are two entrants at least
	}
	for _, a := range s.order {
		switch p := a.pairing; {
		case p == nil:
			if rank := s.Entrant(a.withdrawn).Rank; rank > 0 {
				_ = b.Withdraw(rank) // the error: the entrant takes no part
			}
		default:
			first, second := s.Entrant(p.First), s.Entrant(p.Second)
			x, _ := p.points(p.First)
			y, _ := p.points(p.Second)
			_ = b.Result(pairings.Pair{First: first.Rank, Second: second.Rank}, x, y) // the error: one has withdrawn, so the tie is decided
		}
	}
	return b
}
