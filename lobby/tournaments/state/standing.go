package state

import (
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
	var in Entrants
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
	byRank := s.Entrants.byRank()
	var places []pairings.Place
	var err error
	switch plan := s.Settings.Plan(); plan {
	case tournaments.Knockout:
		if b := bracket(s); b != nil {
			places = b.Standing()
		}
	case tournaments.Arena, tournaments.Simul:
		places, err = pairings.ArenaStanding(forPairing(s))
		if plan == tournaments.Simul {
			places = exhibitionStanding(s, places)
		}
	default:
		places, err = pairings.Standing(forPairing(s), plan == tournaments.Robin)
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

// forPairing returns the entrants as package pairings knows them: by their starting ranks, with their rounds. In an arena and a simultaneous
// exhibition a round is a match, and void matches are left out; else all have as many rounds as are over or running.
func forPairing(s *State) []pairings.Entrant {
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
			r := roundOf(s, e, p)
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

// roundOf returns a decided pairing of an entrant as package pairings knows it.
func roundOf(s *State, e *Entrant, p *Pairing) pairings.Round {
	r := pairings.Round{Side: p.Side(e.Number)}
	if r.Points, r.Forfeit = p.points(e.Number); p.Bye() && s.Settings.Plan() == tournaments.Robin {
		r.Points = pairings.Loss // everybody has as many of them
	}
	if other := s.Entrant(p.Opponent(e.Number)); other != nil {
		r.Opponent = other.Rank
	}
	return r
}
