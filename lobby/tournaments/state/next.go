package state

import (
	"fmt"
	"math/rand/v2"
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
		return s.arenaAt()
	case plan == tournaments.Knockout:
		return s.knockoutAt()
	case len(s.open) > 0:
		return time.Time{}
	}
	return s.nextRoundAt()
}

// arenaAt returns when an arena ends, or two who wait and have just played each other may play again.
func (s *State) arenaAt() time.Time {
	var last time.Time
	waiting := 0
	for _, e := range s.Entrants {
		if since := s.WaitingSince(e); !since.IsZero() {
			waiting++
			last = later(last, since)
		}
	}
	if at := last.Add(pairings.Rematch); waiting > 1 && at.After(s.LastAt) && at.Before(s.EndsAt()) {
		return at
	}
	if len(s.open) == 0 {
		return later(s.EndsAt(), s.LastAt)
	}
	return s.EndsAt()
}

// nextRoundAt returns when the next round begins, in a tournament in rounds whose matches are all decided.
func (s *State) nextRoundAt() time.Time {
	last := s.Rounds[len(s.Rounds)-1]
	if last.DoneAt.IsZero() {
		return s.LastAt
	}
	return last.DoneAt.Add(s.pauseTime())
}

// pauseTime is how long after a match the next one begins.
func (s *State) pauseTime() time.Duration {
	if c, err := clock.Parse(s.Settings.Clock); err == nil && c.Kind == clock.Correspondence {
		return 0
	}
	return Break
}

// NextRoundAt returns when the next round begins; zero if matches go on, there is none, or the tournament is no such thing.
func (s *State) NextRoundAt() time.Time {
	plan := s.Settings.Plan()
	switch {
	case s.Stage != tournaments.Running || len(s.open) > 0 || plan == tournaments.Arena || plan == tournaments.Knockout || plan == tournaments.Simul,
		len(s.Rounds) >= s.AllRounds():
		return time.Time{}
	}
	return s.nextRoundAt()
}

// knockoutAt returns when the next match of a knockout begins; zero if nothing happens before a match is decided.
func (s *State) knockoutAt() (at time.Time) {
	b := s.Bracket()
	if _, over := b.Over(); over && len(s.open) == 0 {
		return s.LastAt
	}
	for _, m := range b.Ready() {
		if t, ok := s.readyAt(m); ok && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}

// readyAt returns when a match of a knockout can begin; ok is false while one of the two plays.
func (s *State) readyAt(m pairings.Meeting) (at time.Time, ok bool) {
	for _, rank := range []int{m.First, m.Second} {
		e := s.ranks()[rank]
		if e.Playing() != nil {
			return at, false
		}
		if t := e.free; len(e.Matches) > 0 {
			at = later(at, t.Add(s.pauseTime()))
		}
	}
	return at, true
}

// ranks returns the entrants by their starting ranks.
func (s *State) ranks() map[int]*Entrant {
	all := make(map[int]*Entrant, len(s.Entrants))
	for _, e := range s.Entrants {
		if e.Rank > 0 {
			all[e.Rank] = e
		}
	}
	return all
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
	for s.Players() < s.Settings.Fill {
		if err := d.add(tournaments.Entry{Kind: tournaments.Entered, Who: s.Settings.Filler}); err != nil {
			return err
		}
	}
	one := s.One()
	if s.Players() < s.Settings.Least || s.Settings.Plan() == tournaments.Simul && (one == nil || !one.In()) {
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
		case d.now.Before(s.EndsAt()) && !s.full():
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
	case len(s.Rounds) >= s.AllRounds() || s.full() || !d.enough():
		return d.end()
	case d.now.Before(s.nextRoundAt()):
		return nil
	}
	return d.nextRound()
}

// enough reports whether two entrants are left who take part.
func (d *decision) enough() bool { return d.state.Players() >= 2 }

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
	return d.pair(n, s.byRank(pairs), "")
}

// pairs returns the pairs of a round by starting ranks, which may have to be given first. Arenas and knockouts have none.
func (d *decision) pairs(n int) ([]pairings.Pair, error) {
	s := d.state
	if s.Stage == tournaments.Open {
		s = s.Clone()
		s.Begun = d.now
		s.rank()
	}
	switch s.Settings.Plan() {
	case tournaments.Swiss:
		all := s.entrants()
		return pairings.Swiss(all, s.Settings.Rounds, games.Side(s.Settings.Seed%2))
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

// byRank returns pairs of starting ranks as pairs of numbers of entrants.
func (s *State) byRank(pairs []pairings.Pair) []tournaments.Pair {
	ranks := s.ranks()
	all := make([]tournaments.Pair, 0, len(pairs))
	for _, p := range pairs {
		made := tournaments.Pair{First: ranks[p.First].Number}
		if p.Second != 0 {
			made.Second = ranks[p.Second].Number
		}
		all = append(all, made)
	}
	return all
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

// arena pairs those who wait in an arena.
func (d *decision) arena() error {
	s := d.state
	waiting := s.Waiting(d.now)
	if len(waiting) < 2 {
		return nil
	}
	source := rand.New(rand.NewPCG(s.Settings.Seed, s.Seq))
	pairs, err := pairings.Arena(waiting, source)
	if err != nil {
		return fmt.Errorf("%w: tournament %s: %w", ErrLog, s.ID, err)
	}
	return d.pair(1, s.byRank(pairs), "")
}

// Waiting returns those who wait for a match in an arena, by their starting ranks.
func (s *State) Waiting(now time.Time) (all []pairings.Waiting) {
	var scores map[int]int
	for _, e := range s.Entrants {
		if e.Rank == 0 || !e.In() || e.Paused || e.Playing() != nil {
			continue
		}
		if scores == nil {
			scores = s.scores()
		}
		w := pairings.Waiting{
			Number: e.Rank, Score: scores[e.Rank], Rating: float64(e.Rating), Waited: max(now.Sub(e.free), 0), Computer: e.Who.Kind == storage.Bot,
		}
		for _, p := range e.Matches {
			w.Last, w.Side = s.Entrant(p.Opponent(e.Number)).Rank, p.Side(e.Number)
			if w.Side == games.First {
				w.Balance++
			} else {
				w.Balance--
			}
		}
		all = append(all, w)
	}
	return all
}

// scores returns the points in an arena by starting ranks.
func (s *State) scores() map[int]int {
	places, err := pairings.ArenaStanding(s.entrants())
	if err != nil {
		return nil // apply has let nothing in that doesn't fit together
	}
	scores := make(map[int]int, len(places))
	for _, p := range places {
		scores[p.Number] = p.Points
	}
	return scores
}

// WaitingSince returns since when an entrant of an arena waits for a match; zero if the entrant doesn't.
func (s *State) WaitingSince(e *Entrant) time.Time {
	if s.Stage != tournaments.Running || s.Settings.Plan() != tournaments.Arena || !e.In() || e.Paused || e.Playing() != nil {
		return time.Time{}
	}
	return e.free
}

// knockout pairs the matches of a knockout that can begin, and ends it.
func (d *decision) knockout() error {
	if _, over := d.state.Bracket().Over(); over {
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
	for _, m := range s.Bracket().Ready() {
		at, ok := s.readyAt(m)
		if !ok || d.now.Before(at) {
			continue
		}
		g := group{m.Round + 1, s.stageClock(m.Stage)}
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
		if err := d.pair(g.round, s.byRank(ready[g]), g.clock); err != nil {
			return err
		}
	}
	return nil
}

// stageClock returns the clock of a stage of a tie: each stage has half the minutes of the one before, one at least; "" for that of the tournament.
func (s *State) stageClock(stage int) string {
	c, err := clock.Parse(s.Settings.Clock)
	if err != nil || stage == 0 || c.Kind != clock.Fischer {
		return ""
	}
	c.Base = max(c.Base>>stage, time.Minute).Truncate(time.Minute)
	return c.String()
}

// ClockOf returns the clock of a pairing.
func (s *State) ClockOf(p *Pairing) string {
	if p.Clock != "" {
		return p.Clock
	}
	return s.Settings.Clock
}

// GameOf returns what is played in a pairing.
func (s *State) GameOf(p *Pairing) tournaments.Game { return s.Settings.Games[p.Game] }

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
