package pairings

import (
	"cmp"
	"slices"
)

// A Place is where an entrant stands. Points and tie-breaks count in halves, but Berger in quarters: a product of two numbers of halves.
type Place struct {
	Rank   int // from 1; entrants that nothing tells apart share one
	Number int
	Points int

	// The tie-breaks of a Swiss and a round robin, in their order. The direct encounter comes last and is no number.
	CutBuchholz int // Buchholz without the lowest opponent
	Buchholz    int // points of all opponents
	Berger      int // Sonneborn-Berger: points of the opponents, each times the points made against them

	// What an arena counts.
	Wins, Played int
	Streak       int // wins in a row up to now
}

// onFire is the number of wins in a row after which the points of an arena count double.
const onFire = 2

// Standing ranks the entrants of a Swiss or, if robin, of a round robin by their points, Buchholz cut 1, Buchholz, Sonneborn-Berger and
// direct encounter. The tie-breaks follow FIDE's Handbook (C.07, in force since 2024). Rounds without a match count as in its article
// 16: a Swiss has a dummy opponent with the entrant's own points in them, and the absences at the end of an opponent's list count as draws
// for Buchholz; in a round robin a forfeit counts as a match, and a bye counts for nothing.
func Standing(entrants []Entrant, robin bool) ([]Place, error) {
	if err := check(entrants, true); err != nil {
		return nil, err
	}
	adjusted := make(map[int]int, len(entrants))
	byNumber := make(map[int]Entrant, len(entrants))
	for _, e := range entrants {
		byNumber[e.Number] = e
		adjusted[e.Number] = e.adjusted(robin)
	}
	places := make([]Place, len(entrants))
	for i, e := range entrants {
		places[i] = e.place(robin, adjusted)
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Or(byTieBreaks(a, b), cmp.Compare(a.Number, b.Number)) })
	for from := 0; from < len(places); {
		to := from + 1
		for to < len(places) && byTieBreaks(places[from], places[to]) == 0 {
			to++
		}
		byEncounter(places[from:to], from+1, byNumber, robin)
		from = to
	}
	return places, nil
}

// byTieBreaks orders places by everything but the direct encounter, the best first.
func byTieBreaks(a, b Place) int {
	return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.CutBuchholz, a.CutBuchholz),
		cmp.Compare(b.Buchholz, a.Buchholz), cmp.Compare(b.Berger, a.Berger))
}

// voluntary reports whether an entrant could have had a match in the round and had none: an absence or a match lost by forfeit.
func (r Round) voluntary() bool { return !r.played() && r.Points < Win }

// adjusted returns the points of e that count for its opponents.
func (e Entrant) adjusted(robin bool) int {
	last := len(e.Rounds)
	for last > 0 && e.Rounds[last-1].voluntary() {
		last--
	}
	sum := 0
	for i, r := range e.Rounds {
		if i >= last && r.Opponent == 0 && !robin {
			sum += Draw
		} else {
			sum += r.Points
		}
	}
	return sum
}

// place computes the tie-breaks of e. adjusted has the points of all entrants that count for others.
func (e Entrant) place(robin bool, adjusted map[int]int) Place {
	p := Place{Number: e.Number, Points: e.points()}
	cut, cutVoluntary := -1, false // the contribution that is cut: the lowest, and a voluntary one before all others
	for _, r := range e.Rounds {
		opponent, voluntary := 0, false
		switch {
		case r.played() || robin && r.Opponent != 0:
			opponent = adjusted[r.Opponent]
		case robin:
			continue
		default:
			opponent, voluntary = p.Points, r.voluntary()
		}
		p.Buchholz += opponent
		p.Berger += opponent * r.Points
		if r.played() {
			p.Played++
		}
		if r.played() && r.Points == Win {
			p.Wins++
		}
		if cut < 0 || voluntary && !cutVoluntary || voluntary == cutVoluntary && opponent < cut {
			cut, cutVoluntary = opponent, voluntary
		}
	}
	p.CutBuchholz = p.Buchholz - max(cut, 0)
	return p
}

// byEncounter ranks places that all other tie-breaks leave equal, from rank on, by the matches among them. If not all of them have met, an
// entrant comes first only if no other could pass it by winning the matches that are missing. The tied that remain are looked at again among
// themselves.
func byEncounter(places []Place, rank int, entrants map[int]Entrant, robin bool) {
	for i := range places {
		places[i].Rank = rank
	}
	if len(places) < 2 {
		return
	}
	tied := make(map[int]bool, len(places))
	for _, p := range places {
		tied[p.Number] = true
	}
	type score struct{ sure, most int }
	scores := make(map[int]score, len(places))
	all := true
	for _, p := range places {
		met := make(map[int][2]int) // by opponent: how often, and for how many points
		for _, r := range entrants[p.Number].Rounds {
			if tied[r.Opponent] && (r.played() || robin && r.Opponent != 0) {
				m := met[r.Opponent]
				met[r.Opponent] = [2]int{m[0] + 1, m[1] + r.Points}
			}
		}
		var s score
		for _, m := range met {
			s.sure += m[1] * meetings / m[0]
		}
		missing := len(places) - 1 - len(met)
		all = all && missing == 0
		s.most = s.sure + missing*Win*meetings
		scores[p.Number] = s
	}
	slices.SortFunc(places, func(a, b Place) int {
		x, y := scores[a.Number], scores[b.Number]
		return cmp.Or(cmp.Compare(y.sure, x.sure), cmp.Compare(y.most, x.most), cmp.Compare(a.Number, b.Number))
	})
	parts := [][]Place{places}
	if all {
		parts = nil
		for from := 0; from < len(places); {
			to := from + 1
			for to < len(places) && scores[places[to].Number] == scores[places[from].Number] {
				to++
			}
			parts, from = append(parts, places[from:to]), to
		}
	} else {
		for from := range len(places) - 1 {
			most := 0
			for _, p := range places[from+1:] {
				most = max(most, scores[p.Number].most)
			}
			if scores[places[from].Number].sure <= most {
				break
			}
			parts = append(parts[:from], places[from:from+1], places[from+1:])
		}
	}
	if len(parts) == 1 {
		return
	}
	for _, part := range parts {
		byEncounter(part, rank, entrants, robin)
		rank += len(part)
	}
}

// meetings makes the mean of up to three matches of two entrants a whole number.
const meetings = 6

// ArenaStanding ranks the entrants of an arena by their points, then wins, then the fewer matches. Rounds are the matches of an entrant in
// their order, and a round has the points of its match alone: a win counts 2 and a draw 1, twice as much after two wins in a row until
// a match is not won.
func ArenaStanding(entrants []Entrant) ([]Place, error) {
	if err := check(entrants, false); err != nil {
		return nil, err
	}
	places := make([]Place, len(entrants))
	for i, e := range entrants {
		p := Place{Number: e.Number}
		for _, r := range e.Rounds {
			if r.Opponent == 0 {
				continue
			}
			p.Played++
			if p.Streak >= onFire {
				p.Points += r.Points
			}
			p.Points += r.Points
			p.Streak++
			if r.Points < Win {
				p.Streak = 0
			} else {
				p.Wins++
			}
		}
		places[i] = p
	}
	better := func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.Wins, a.Wins), cmp.Compare(a.Played, b.Played))
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Or(better(a, b), cmp.Compare(a.Number, b.Number)) })
	for i := range places {
		places[i].Rank = i + 1
		if i > 0 && better(places[i-1], places[i]) == 0 {
			places[i].Rank = places[i-1].Rank
		}
	}
	return places, nil
}
