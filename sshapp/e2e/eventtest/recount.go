package eventtest

import "fmt"

// A count is what the matches of an entrant that are decided come to.
type count struct {
	points           float64
	played           int
	won, drawn, lost int
	streak           int // wins in a row up to now
}

// recount counts the points of all entrants from the pairings, as the rules of the kind say: an arena gives 2 for a win and 1 for a draw, doubled
// from the third win in a row on; other kinds give 1 for a win and for a bye, and a half for a draw.
func recount(kind string, pairings []Pairing) map[string]*count {
	all := map[string]*count{}
	of := func(name string) *count {
		if all[name] == nil {
			all[name] = &count{}
		}
		return all[name]
	}
	for _, p := range pairings {
		switch p.Result {
		case "first":
			of(p.First).add(kind, 1)
			of(p.Second).add(kind, 0)
		case "second":
			of(p.First).add(kind, 0)
			of(p.Second).add(kind, 1)
		case "draw":
			of(p.First).add(kind, 0.5)
			of(p.Second).add(kind, 0.5)
		default:
			if p.Second == "" && kind != "arena" {
				of(p.First).points++
			}
		}
	}
	return all
}

// add adds a match with a score of 1, a half or 0.
func (c *count) add(kind string, score float64) {
	points := score
	if kind == "arena" {
		points *= 2
		if c.streak >= 2 {
			points *= 2
		}
	}
	c.points += points
	c.played++
	c.streak++
	switch score {
	case 1:
		c.won++
	case 0:
		c.lost++
	default:
		c.drawn++
	}
	if score < 1 {
		c.streak = 0
	}
}

// checkStanding returns what is wrong with the standing of a page, by a recount of its pairings.
func checkStanding(p Page) (faults []string) {
	all := recount(p.Kind, p.Pairings)
	places := map[string]bool{}
	for i, place := range p.Standing {
		if places[place.Name] {
			faults = append(faults, fmt.Sprintf("%s has two places", place.Name))
		}
		places[place.Name] = true
		c := all[place.Name]
		if c == nil {
			c = &count{}
		}
		if place.Points != c.points {
			faults = append(faults, fmt.Sprintf("%s has %v points, and by the results %v", place.Name, place.Points, c.points))
		}
		if p.Kind == "arena" && (place.Streak != c.streak || len(place.Tiebreaks) != 1 || place.Tiebreaks[0] != float64(c.won)) {
			faults = append(faults, fmt.Sprintf("%s has a streak of %d and the wins %v, and by the results %d and %d", place.Name, place.Streak, place.Tiebreaks, c.streak, c.won))
		}
		if i > 0 && place.Points > p.Standing[i-1].Points {
			faults = append(faults, fmt.Sprintf("%s stands below %s with more points", place.Name, p.Standing[i-1].Name))
		}
		if rank := 1 + better(p, all, c); p.Kind == "arena" && place.Rank != rank {
			faults = append(faults, fmt.Sprintf("%s has rank %d, and by the results %d", place.Name, place.Rank, rank))
		}
	}
	for name := range all {
		if !places[name] {
			faults = append(faults, fmt.Sprintf("%s has played, and has no place", name))
		}
	}
	return faults
}

// better counts the entrants of an arena who stand above one: by points, then wins, then fewer matches.
func better(p Page, all map[string]*count, than *count) (n int) {
	for _, place := range p.Standing {
		c := all[place.Name]
		if c == nil {
			c = &count{}
		}
		switch {
		case c.points != than.points:
			if c.points > than.points {
				n++
			}
		case c.won != than.won:
			if c.won > than.won {
				n++
			}
		case c.played < than.played:
			n++
		}
	}
	return n
}
