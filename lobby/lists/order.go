package lists

import (
	"cmp"
	"slices"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
)

// inTurns sorts matches for a list that has room for most of them. When there are more, blocks of addresses take turns, and so do the people of
// a block: a person with many matches doesn't keep the matches of others off the list.
func inTurns[T any](r *registry.Registry, most int, matches []*match.Summary, order func(a, b *match.Summary) int, show func(*match.Summary) T) []T {
	slices.SortFunc(matches, order)
	if len(matches) > most {
		matches = takeTurns(r, matches)[:most]
		slices.SortFunc(matches, order)
	}
	out := make([]T, 0, len(matches))
	for _, m := range matches {
		out = append(out, show(m))
	}
	return out
}

// takeTurns reorders sorted matches by turn: first one match of each block of addresses, then a second one of each, and so on. Within a block,
// people take turns in the same way.
func takeTurns(r *registry.Registry, matches []*match.Summary) []*match.Summary {
	type turn struct {
		match *match.Summary
		of    int // matches of the same person before it
	}
	type group struct { // people who take turns together
		block  registry.Block
		person match.Key // if the block is not known
	}
	people := make([]match.Key, len(matches))
	for i, m := range matches {
		people[i] = match.KeyOf(m.Seats[games.First])
		if o := m.Seats[games.First]; !o.Kind.HasAccount() && o.Kind != storage.Guest {
			people[i] = match.KeyOf(m.Seats[games.Second])
		}
	}
	ofPerson, ofGroup := make(map[match.Key]int), make(map[group][]turn)
	for i, from := range r.Blocks(people...) {
		k, g := people[i], group{person: people[i]}
		if len(from) > 0 {
			g = group{block: from[len(from)-1]}
		}
		ofGroup[g] = append(ofGroup[g], turn{matches[i], ofPerson[k]})
		ofPerson[k]++
	}
	place := make(map[storage.MatchID]int, len(matches))
	for _, turns := range ofGroup {
		slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.of, b.of) })
		for i, t := range turns {
			place[t.match.ID] = i
		}
	}
	slices.SortStableFunc(matches, func(a, b *match.Summary) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return matches
}

// yoursOf returns the part of the lists of the user whom some matches concern.
func yoursOf(k match.Key, matches []*match.Summary) Yours {
	var y Yours
	u := match.User{Kind: k.Kind, ID: k.ID}
	for _, v := range matches {
		side, seated := v.Side(u)
		if !seated {
			y.Invitations = append(y.Invitations, offerOf(v))
			continue
		}
		both := v.Holds(u, games.First) && v.Holds(u, games.Second)
		y.Matches = append(y.Matches, Mine{
			Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Clock: v.Clock.Setting, Public: v.Public,
			Side: side, Both: both, Own: v.Opener == storage.SeatOf(side), YourTurn: v.YourTurn(u), Opponent: v.Seats[side.Other()],
			FreeSeat: FreeSeat{Reserved: v.Reserved, Range: v.Range, Until: v.Until()},
			Ply:      v.Plies, Origin: Origin{Start: v.Start, From: v.From, Tournament: v.Tournament},
			Helped: v.Helped, Offers: v.Offers, LastAt: v.LastAt, Opened: v.Opened, Started: v.Started, Stands: v.StandsUntil(),
		})
	}
	rank := func(m Mine) int {
		switch {
		case m.Waits():
			return 0
		case !m.Started.IsZero():
			return 1
		}
		return 2
	}
	slices.SortFunc(y.Matches, func(a, b Mine) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.LastAt.Compare(b.LastAt), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(y.Invitations, func(a, b Offer) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return y
}

func offerOf(v *match.Summary) Offer {
	side := v.FreeSide()
	return Offer{
		Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Clock: v.Clock.Setting,
		By: v.Seats[side.Other()], Strength: v.Strength[side.Other()], Side: side, Since: v.Opened, RematchOf: v.RematchOf,
		To: v.Reserved, Range: v.Range, Until: v.Until(), Ply: v.Plies, From: v.From,
	}
}

func runningOf(v *match.Summary) Running {
	return Running{
		Ref: match.Ref{ID: v.ID}, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Clock: v.Clock.Setting,
		Seats: v.Seats, Strength: v.Strength, Ply: v.Plies, Started: v.Started, Stands: v.StandsUntil(), Tournament: v.Tournament,
	}
}

// peopleFirst compares two offers for a list. Offers of computer accounts come last, older ones first.
func peopleFirst(a, b *match.Summary) int {
	last := func(m *match.Summary) int {
		if m.ByEngine() {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(last(a), last(b)), match.ByAge(a, b))
}

// strongestFirst compares two running matches for a list. Fewer computer players come first, then matches of events, then higher strength, then later
// starts.
func strongestFirst(a, b *match.Summary) int {
	return cmp.Or(cmp.Compare(botsIn(a), botsIn(b)), cmp.Compare(outsideEvents(a), outsideEvents(b)), -cmp.Compare(strengthIn(a), strengthIn(b)),
		b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID))
}

func outsideEvents(s *match.Summary) (n int) {
	if s.InTournament() {
		return 0
	}
	return 1
}

func botsIn(s *match.Summary) (n int) {
	for _, o := range s.Seats {
		if o.Kind == storage.Bot || o.Kind == storage.Engine {
			n++
		}
	}
	return n
}

// strengthIn returns the rating of the weaker person in a match less its deviation, or 0 if a person has no rating.
func strengthIn(s *match.Summary) float64 {
	var least []float64
	for side, o := range s.Seats {
		if o.Kind == storage.Bot {
			continue
		}
		r := s.Strength[side]
		if !r.Known {
			return 0
		}
		least = append(least, max(r.Rating-r.Deviation, 0))
	}
	if len(least) == 0 {
		return 0
	}
	return slices.Min(least)
}
