package state

import (
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage/tournaments"
)

// bracket returns the bracket of a knockout that has begun; nil for other tournaments. Its numbers are starting ranks.
func bracket(s *State) *pairings.Bracket {
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

// knockoutAt returns when the next match of a knockout begins; zero if nothing happens before a match is decided.
func knockoutAt(s *State) (at time.Time) {
	b := bracket(s)
	if _, over := b.Over(); over && len(s.open) == 0 {
		return s.LastAt
	}
	for _, m := range b.Ready() {
		if t, ok := readyAt(s, m); ok && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}

// readyAt returns when a match of a knockout can begin; ok is false while one of the two plays.
func readyAt(s *State, m pairings.Meeting) (at time.Time, ok bool) {
	for _, rank := range []int{m.First, m.Second} {
		e := s.Entrants.byRank()[rank]
		if e.Playing() != nil {
			return at, false
		}
		if t := e.free; len(e.Matches) > 0 {
			at = later(at, t.Add(breakIn(s.Settings)))
		}
	}
	return at, true
}

// knockout pairs the matches of a knockout that can begin, and ends it.
func (d *decision) knockout() error {
	if _, over := bracket(d.state).Over(); over {
		if len(d.state.open) == 0 {
			return d.end()
		}
		return nil
	}
	return d.meetings()
}

// meetings pairs the matches of a knockout that can begin.
func (d *decision) meetings() error {
	s := d.state
	type group struct {
		round int
		clock string
	}
	ready := map[group][]pairings.Pair{}
	var groups []group
	for _, m := range bracket(s).Ready() {
		at, ok := readyAt(s, m)
		if !ok || d.now.Before(at) {
			continue
		}
		g := group{m.Round + 1, stageClock(s.Settings, m.Stage)}
		if ready[g] == nil {
			groups = append(groups, g)
		}
		ready[g] = append(ready[g], m.Pair)
	}
	for _, g := range groups {
		for len(s.Rounds) < g.round {
			if err := d.add(tournaments.Entry{Kind: tournaments.Round, Round: len(s.Rounds) + 1}); err != nil {
				return err
			}
		}
		if err := d.pair(g.round, s.Entrants.numbered(ready[g]), g.clock); err != nil {
			return err
		}
	}
	return nil
}

// stageClock returns the clock of a stage of a tie: each stage has half the minutes of the one before, one at least; "" for that of the tournament.
func stageClock(set *tournaments.Settings, stage int) string {
	c, err := clock.Parse(set.Clock)
	if err != nil || stage == 0 || c.Kind != clock.Fischer {
		return ""
	}
	c.Base = max(c.Base>>stage, time.Minute).Truncate(time.Minute)
	return c.String()
}
