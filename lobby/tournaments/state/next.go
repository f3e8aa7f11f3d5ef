package state

import (
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage"
	"ludoteca/storage/results"
	"ludoteca/storage/tournaments"
)

// Next returns the entries that follow at a time by themselves, without their numbers and times; none if nothing is due. newID returns a new id
// of a match each time. The error wraps ErrLog: the tournament can't go on.
func (s *State) Next(now time.Time, newID func() storage.MatchID) ([]tournaments.Entry, error) {
	d := decision{state: s.Clone(), now: later(storage.Stored(now), s.LastAt), newID: newID}
	if err := d.decide(); err != nil {
		return nil, err
	}
	for i := range d.entries {
		d.entries[i].Seq, d.entries[i].At = 0, time.Time{}
	}
	return d.entries, nil
}

// DueAt returns when Next may have something to say though no further entry comes; zero for never.
func (s *State) DueAt() time.Time {
	switch plan := s.Settings.Plan(); {
	case s.Stage == tournaments.Open:
		return s.Settings.Begins
	case s.Stage != tournaments.Running:
		return time.Time{}
	case plan == tournaments.Arena:
		return arenaAt(s)
	case plan == tournaments.Knockout:
		return knockoutAt(s)
	case len(s.open) > 0:
		return time.Time{}
	}
	return roundAt(s)
}

// roundAt returns when the next round begins, in a tournament in rounds whose matches are all decided.
func roundAt(s *State) time.Time {
	last := s.Rounds[len(s.Rounds)-1]
	if last.DoneAt.IsZero() {
		return s.LastAt
	}
	return last.DoneAt.Add(breakIn(s.Settings))
}

// breakIn returns how long after a match the next one begins.
func breakIn(set *tournaments.Settings) time.Duration {
	if c, err := clock.Parse(set.Clock); err == nil && c.Kind == clock.Correspondence {
		return 0
	}
	return Break
}

// NextRoundAt returns when the next round begins; zero if matches go on, there is none, or the tournament is no such thing.
func NextRoundAt(s *State) time.Time {
	plan := s.Settings.Plan()
	switch {
	case s.Stage != tournaments.Running || len(s.open) > 0 || plan == tournaments.Arena || plan == tournaments.Knockout || plan == tournaments.Simul,
		len(s.Rounds) >= s.AllRounds():
		return time.Time{}
	}
	return roundAt(s)
}

// A decision is the entries that follow at a time, and the state after them.
type decision struct {
	state   *State
	now     time.Time
	newID   func() storage.MatchID
	entries []tournaments.Entry
}

// add adds an entry.
func (d *decision) add(e tournaments.Entry) error {
	e.Seq, e.At = d.state.Seq+1, d.now
	if err := d.state.apply(e); err != nil {
		return err
	}
	d.entries = append(d.entries, e)
	return nil
}

func (d *decision) decide() error {
	s := d.state
	switch s.Stage {
	case tournaments.Open:
		if d.now.Before(s.Settings.Begins) {
			return nil
		}
		return d.begin()
	case tournaments.Running:
		for _, e := range s.Entrants {
			if e.In() && e.Late >= MaxLate {
				if err := d.add(tournaments.Entry{Kind: tournaments.Withdrawn, Entrant: e.Number, Reason: tournaments.ByAbsence}); err != nil {
					return err
				}
			}
		}
		return d.goOn()
	}
	return nil
}

// begin begins the tournament, or calls it off.
func (d *decision) begin() error {
	s := d.state
	for s.Entrants.Players() < s.Settings.Fill {
		if err := d.add(tournaments.Entry{Kind: tournaments.Entered, Who: s.Settings.Filler}); err != nil {
			return err
		}
	}
	one := exhibitor(s)
	if s.Entrants.Players() < s.Settings.Least || s.Settings.Plan() == tournaments.Simul && (one == nil || !one.In()) {
		return d.add(tournaments.Entry{Kind: tournaments.CalledOff, Reason: tournaments.ByFew})
	}
	return d.nextRound()
}

// goOn does what is due in a tournament that runs.
func (d *decision) goOn() error {
	s := d.state
	switch plan := s.Settings.Plan(); plan {
	case tournaments.Arena:
		switch {
		case d.now.Before(s.EndsAt()) && !full(s.Seq):
			return d.arena()
		case len(s.open) == 0:
			return d.end()
		}
		return nil
	case tournaments.Knockout:
		return d.knockout()
	}
	switch {
	case len(s.open) > 0:
		return nil
	case len(s.Rounds) >= s.AllRounds() || full(s.Seq) || !d.enough():
		return d.end()
	case d.now.Before(roundAt(s)):
		return nil
	}
	return d.nextRound()
}

// enough reports whether two entrants are left who take part.
func (d *decision) enough() bool { return d.state.Entrants.Players() >= 2 }

func (d *decision) end() error { return d.add(tournaments.Entry{Kind: tournaments.Ended}) }

// nextRound begins the next round and pairs it. A round that can't be paired ends the tournament instead.
func (d *decision) nextRound() error {
	s := d.state
	n := len(s.Rounds) + 1
	pairs, err := d.pairs(n)
	if err != nil {
		if n == 1 {
			return fmt.Errorf("%w: tournament %s: %w", ErrLog, s.ID, err)
		}
		return d.end()
	}
	if err := d.add(tournaments.Entry{Kind: tournaments.Round, Round: n}); err != nil {
		return err
	}
	switch s.Settings.Plan() {
	case tournaments.Arena:
		return d.arena()
	case tournaments.Knockout:
		return d.meetings()
	}
	return d.pair(n, s.Entrants.numbered(pairs), "")
}

// pairs returns the pairs of a round by starting ranks, which may have to be given first. Arenas and knockouts have none.
func (d *decision) pairs(n int) ([]pairings.Pair, error) {
	s := d.state
	if s.Stage == tournaments.Open {
		s = s.Clone()
		s.Begun = d.now
		s.started = s.Entrants.rank(exhibitor(s), s.Begun)
	}
	switch s.Settings.Plan() {
	case tournaments.Swiss:
		return pairings.Swiss(forPairing(s), s.Settings.Rounds, games.Side(s.Settings.Seed%2))
	case tournaments.Robin:
		return pairings.RoundRobin(s.started, n-1, s.Settings.Twice), nil
	case tournaments.Simul:
		var first, second []int
		for rank := 2; rank <= s.started; rank++ {
			switch {
			case s.Settings.Side == "first", s.Settings.Side == "" && rank%2 == 0:
				first = append(first, rank)
			default:
				second = append(second, rank)
			}
		}
		return append(pairings.Exhibition(1, first, games.First), pairings.Exhibition(1, second, games.Second)...), nil
	}
	return nil, nil
}

// pair pairs entrants in a round. A pair of which one takes no part is decided without a match, a pair of which none does is left out, and of two
// computer players it is drawn; in a knockout the first side wins.
func (d *decision) pair(round int, pairs []tournaments.Pair, clock string) error {
	s := d.state
	board := len(s.Rounds[round-1].Pairings)
	var made []tournaments.Pair
	for _, p := range pairs {
		first, second := s.Entrant(p.First), s.Entrant(p.Second)
		switch {
		case second == nil && !first.In(), second != nil && !first.In() && !second.In():
			continue
		case second == nil:
		case !first.In():
			p.Result = games.Second.String()
		case !second.In():
			p.Result = games.First.String()
		case first.Who.Kind == storage.Bot && second.Who.Kind == storage.Bot && s.Settings.Plan() == tournaments.Knockout:
			p.Result = games.First.String()
		case first.Who.Kind == storage.Bot && second.Who.Kind == storage.Bot:
			p.Result = games.Drawn("").String()
		default:
			p.Match = d.newID()
		}
		board++
		p.Board, p.Clock = board, clock
		if n := len(s.Settings.Games); s.Settings.Plan() == tournaments.Arena {
			p.Game = (board - 1) % n
		} else {
			p.Game = (round - 1) % n
		}
		made = append(made, p)
	}
	if len(made) == 0 {
		return nil
	}
	return d.add(tournaments.Entry{Kind: tournaments.Paired, Round: round, Pairs: made})
}

// Outcome returns the entry for the end of a match, from its record.
//
// A match that ends on time before both sides have moved is lost for the side that was to move: it was not begun in time. A void match is a draw,
// but for one that an entrant whose account is closed or deleted has lost; an arena doesn't count it.
func (s *State) Outcome(p *Pairing, f results.Finished) tournaments.Entry {
	e := tournaments.Entry{Kind: tournaments.Result, Match: p.Match, Result: f.Result}
	switch {
	case f.Result == "":
		e.Reason = tournaments.Void
		first, second := s.Entrant(p.First).Out == tournaments.ByAccount, s.Entrant(p.Second).Out == tournaments.ByAccount
		switch {
		case first && !second:
			e.Result = games.Second.String()
		case second && !first:
			e.Result = games.First.String()
		}
	case f.Reason == "timeout" && f.Plies-f.Start < 2:
		e.Reason = tournaments.Unbegun
	}
	return e
}
