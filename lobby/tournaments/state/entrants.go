package state

import (
	"slices"
	"time"

	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// An Entrant is a player in a tournament.
type Entrant struct {
	Number int // from 1 in the order of entry
	Who    storage.Occupant
	Rating int       // at the entry
	At     time.Time // of the last entry
	Rank   int       // the starting rank, from 1, the strongest first; 0 before the tournament has begun, and for one who had withdrawn by then
	Paused bool
	Out    string // why the entrant takes no part any more: a reason of Withdrawn; "" takes part
	Late   int    // matches that the entrant has not begun in time

	Matches []*Pairing // in the order of pairing, byes included
	free    time.Time  // since when the entrant has had no match
	comings int
}

// In reports whether the entrant takes part.
func (e *Entrant) In() bool { return e.Out == "" }

// Playing returns the match of the entrant that goes on, of several the first; nil if there is none.
func (e *Entrant) Playing() *Pairing {
	for _, p := range slices.Backward(e.Matches) {
		if !p.Decided() {
			return p
		}
	}
	return nil
}

// Entrants are all who have entered a tournament, in the order of their numbers, with those who have withdrawn.
type Entrants []*Entrant

// Find returns the entrant that an occupant is; nil if there is none. Of computer players it finds none, because one may be there more than once.
func (all Entrants) Find(who storage.Occupant) *Entrant {
	if !who.Kind.HasAccount() {
		return nil
	}
	for _, e := range all {
		if e.Who.Kind.HasAccount() && e.Who.ID == who.ID {
			return e
		}
	}
	return nil
}

// Players counts the entrants who take part.
func (all Entrants) Players() (n int) {
	for _, e := range all {
		if e.In() {
			n++
		}
	}
	return n
}

// rank gives each entrant who takes part a starting rank, and returns how many there are: by rating, then by entry. The one of a simultaneous
// exhibition, who announced it, is the first; one is nil in other tournaments.
func (all Entrants) rank(one *Entrant, begun time.Time) int {
	var in Entrants
	for _, e := range all {
		if e.In() {
			in = append(in, e)
			e.free = later(e.free, begun)
		}
	}
	slices.SortStableFunc(in, func(a, b *Entrant) int { return b.Rating - a.Rating })
	if one != nil && one.In() {
		in = slices.DeleteFunc(in, func(e *Entrant) bool { return e == one })
		in = slices.Insert(in, 0, one)
	}
	for i, e := range in {
		e.Rank = i + 1
	}
	return len(in)
}

// byRank returns the entrants by their starting ranks.
func (all Entrants) byRank() map[int]*Entrant {
	ranks := make(map[int]*Entrant, len(all))
	for _, e := range all {
		if e.Rank > 0 {
			ranks[e.Rank] = e
		}
	}
	return ranks
}

// numbered returns pairs of starting ranks as pairs of numbers of entrants.
func (all Entrants) numbered(pairs []pairings.Pair) []tournaments.Pair {
	ranks := all.byRank()
	made := make([]tournaments.Pair, 0, len(pairs))
	for _, p := range pairs {
		pair := tournaments.Pair{First: ranks[p.First].Number}
		if p.Second != 0 {
			pair.Second = ranks[p.Second].Number
		}
		made = append(made, pair)
	}
	return made
}
