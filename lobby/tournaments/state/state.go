// Package state computes the state of a tournament as a fold over the entries of its log, and decides which entries follow by themselves. It has
// no goroutine, no clock and no random source of its own, and does no I/O: the same log and the same time give the same decision.
//
//	state.go        what each entry means
//	entrants.go     who takes part
//	rounds.go       who plays whom, and what came of it
//	may.go          who may enter, come back and pause
//	next.go         which entries follow by themselves, and when; what is special about kinds is in arena.go, knockout.go and exhibition.go
//	standing.go     the places of the entrants; crosstable.go has their results against each other
package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// # A tournament is its log
//
// Only State.apply says what an entry means. It is used on entries that are about to be written and on those that were read, so in no log a player
// plays two matches of a tournament at once, or twice in a round.
//
//	kind        by                   may come                         effect
//	announced   the announcer        first, and only first            the tournament is open for entrants
//	entered     a player, or the     while it is open; later where    a new entrant takes part, or one who has withdrawn does again
//	            owner for a          LateEntry says so
//	            computer player
//	withdrawn   the entrant, or      while the entrant takes part     the entrant is not paired any more. A match that goes on counts
//	            the owner
//	paused      the entrant          in an arena or a Swiss           the entrant is not paired until resumed
//	resumed     the entrant          while paused
//	round       the owner            when all matches of the round    the first one begins the tournament and fixes the starting ranks
//	                                 before are decided; in a
//	                                 knockout at any time
//	paired      the owner            during the round                 each pair is to play the match with the id of the pair, has a bye, or
//	                                                                  is decided without a match
//	result      the owner            while the match goes on          the match is decided
//	ended       the owner            when all matches are decided     the tournament is over
//	called_off  the owner, the       while it is open; by an          nothing more happens
//	            announcer or an      operator at any time
//	            operator

// ErrLog is wrapped by the errors about logs that make no sense, and about entries that can't follow.
var ErrLog = errors.New("not a log of a tournament")

const (
	// Break is how long after the last result of a round the next one begins, but for matches with days a move.
	Break = 30 * time.Second

	// MaxLate is how many matches an entrant may not begin in time: then the entrant is out.
	MaxLate = 2

	// MaxRobin is how many entrants a round robin may have, and MaxSimul a simultaneous exhibition.
	MaxRobin = 32
	MaxSimul = 64
)

// A State is a tournament after the entries of its log. Next and Extend don't change it; Apply does.
type State struct {
	ID       storage.TournamentID
	Seq      uint64 // number of the last entry; 0 if there is none
	Settings *tournaments.Settings
	Stage    tournaments.Stage
	Reason   string // why it was called off
	LastAt   time.Time
	Begun    time.Time // zero: it has yet to begin
	Entrants Entrants
	Rounds   []Round

	open    []*Pairing // whose matches go on
	ranked  int        // entrants with a starting rank
	started int        // entrants with a starting rank when it began
	order   []act      // results and withdrawals in the order of the log, for the bracket of a knockout
}

// An act is what a bracket is made from.
type act struct {
	pairing   *Pairing
	withdrawn int
}

// New returns the state of a tournament without entries.
func New(id storage.TournamentID) *State { return &State{ID: id} }

// Fold returns the state after a whole log. The error wraps ErrLog.
func Fold(id storage.TournamentID, log []tournaments.Entry) (*State, error) {
	s := New(id)
	if err := s.Apply(log...); err != nil {
		return nil, err
	}
	if s.Seq == 0 {
		return nil, fmt.Errorf("%w: tournament %s: it is empty", ErrLog, id)
	}
	return s, nil
}

// Clone returns a copy that Apply on the original doesn't change.
func (s *State) Clone() *State {
	c := *s
	c.Entrants = make(Entrants, len(s.Entrants))
	for i, e := range s.Entrants {
		copied := *e
		copied.Matches = slices.Clone(e.Matches)
		c.Entrants[i] = &copied
	}
	c.Rounds = make([]Round, len(s.Rounds))
	for i, r := range s.Rounds {
		r.Pairings = slices.Clone(r.Pairings)
		c.Rounds[i] = r
	}
	c.open, c.order = slices.Clone(s.open), slices.Clone(s.order)
	return &c
}

// Extend returns the entries with their numbers and times and the state after them. If at is before the last entry, its time is used. The error wraps
// ErrLog; s stays as it is.
func (s *State) Extend(entries []tournaments.Entry, at time.Time) (next *State, added []tournaments.Entry, err error) {
	at = later(storage.Stored(at), s.LastAt)
	next = s.Clone()
	for _, e := range entries {
		e.Seq, e.At = next.Seq+1, at
		if err := next.apply(e); err != nil {
			return nil, nil, err
		}
		added = append(added, e)
	}
	return next, added, nil
}

// Apply applies further entries. The error wraps ErrLog; the state must not be used after it.
func (s *State) Apply(entries ...tournaments.Entry) error {
	for _, e := range entries {
		if err := s.apply(e); err != nil {
			return err
		}
	}
	return nil
}

// apply applies one entry.
func (s *State) apply(e tournaments.Entry) (err error) {
	switch {
	case e.Seq != s.Seq+1:
		err = fmt.Errorf("number %d is next", s.Seq+1)
	case e.At.Before(s.LastAt):
		err = errors.New("the time goes backwards")
	case (e.Kind == tournaments.Announced) != (e.Seq == 1):
		err = errors.New("a log starts with announced, and only there")
	case s.Stage.Closed():
		err = errors.New("the tournament has ended")
	default:
		err = s.effect(e)
	}
	if err != nil {
		return fmt.Errorf("%w: tournament %s: entry %d, %s: %w", ErrLog, s.ID, e.Seq, e.Kind, err)
	}
	s.Seq, s.LastAt = e.Seq, e.At
	return nil
}

// effect does what an entry means.
func (s *State) effect(e tournaments.Entry) error {
	switch e.Kind {
	case tournaments.Announced:
		s.Settings, s.Stage = e.Settings, tournaments.Open
		return nil
	case tournaments.Entered:
		return s.enter(e)
	case tournaments.Withdrawn:
		return s.withdraw(e)
	case tournaments.Paused, tournaments.Resumed:
		return s.pause(e)
	case tournaments.Round:
		return s.begin(e)
	case tournaments.Paired:
		for _, p := range e.Pairs {
			if err := s.pair(e, p); err != nil {
				return err
			}
		}
		if r := &s.Rounds[e.Round-1]; !goesOn(s.open, e.Round) {
			r.DoneAt = e.At
		}
		return nil
	case tournaments.Result:
		return s.result(e)
	case tournaments.Ended:
		if s.Stage != tournaments.Running || len(s.open) > 0 {
			return errors.New("matches go on, or it has not begun")
		}
		s.Stage = tournaments.Over
		return nil
	case tournaments.CalledOff:
		if s.Stage != tournaments.Open && e.Reason != tournaments.ByOperator {
			return errors.New("it has begun")
		}
		s.Stage, s.Reason = tournaments.Off, e.Reason
		return nil
	}
	return errors.New("the kind is unknown")
}

// Entrant returns the entrant with a number, nil if there is none.
func (s *State) Entrant(number int) *Entrant {
	if number < 1 || number > len(s.Entrants) {
		return nil
	}
	return s.Entrants[number-1]
}

func (s *State) enter(e tournaments.Entry) error {
	old := s.Entrants.Find(e.Who)
	switch {
	case s.Stage != tournaments.Open && !s.LateEntry():
		return errors.New("nobody may enter any more")
	case s.Entrants.Players() >= s.Settings.Most:
		return errors.New("it is full")
	case old != nil && (old.In() || !s.MayReturn(old)):
		return errors.New("the player is in already, or may not come back")
	}
	if old == nil {
		old = &Entrant{Number: len(s.Entrants) + 1}
		s.Entrants = append(s.Entrants, old)
	}
	old.Who, old.Rating, old.At, old.Out, old.Paused = e.Who, e.Rating, e.At, "", false
	old.free = e.At
	old.comings++
	if s.Stage == tournaments.Running && old.Rank == 0 {
		s.ranked++
		old.Rank = s.ranked
	}
	return nil
}

func (s *State) withdraw(e tournaments.Entry) error {
	who := s.Entrant(e.Entrant)
	if who == nil || !who.In() || e.Reason == "" {
		return errors.New("there is no such entrant")
	}
	who.Out = e.Reason
	s.order = append(s.order, act{withdrawn: who.Number})
	return nil
}

func (s *State) pause(e tournaments.Entry) error {
	who, pauses := s.Entrant(e.Entrant), e.Kind == tournaments.Paused
	if who == nil || !who.In() || who.Paused == pauses || !allowsPauses(s.Settings.Plan()) || who.comings >= maxComings {
		return errors.New("the entrant can't pause or go on now")
	}
	who.Paused, who.free = pauses, e.At
	who.comings++
	return nil
}

// begin begins a round.
func (s *State) begin(e tournaments.Entry) error {
	switch {
	case e.Round != len(s.Rounds)+1:
		return fmt.Errorf("round %d is next", len(s.Rounds)+1)
	case len(s.open) > 0 && s.Settings.Plan() != tournaments.Knockout:
		return errors.New("matches of the round before go on")
	case e.Round > 1 && (s.Settings.Plan() == tournaments.Arena || s.Settings.Plan() == tournaments.Simul):
		return errors.New("there is one round")
	}
	if s.Stage == tournaments.Open {
		s.Stage, s.Begun = tournaments.Running, e.At
		s.started = s.Entrants.rank(exhibitor(s), e.At)
		s.ranked = s.started
	}
	s.Rounds = append(s.Rounds, Round{Number: e.Round, At: e.At})
	return nil
}

// pair adds a pair to a round.
func (s *State) pair(e tournaments.Entry, p tournaments.Pair) error {
	if e.Round < 1 || e.Round > len(s.Rounds) {
		return errors.New("the round has not begun")
	}
	round, plan := &s.Rounds[e.Round-1], s.Settings.Plan()
	if e.Round != len(s.Rounds) && plan != tournaments.Knockout {
		return errors.New("the round is over")
	}
	if p.Board != len(round.Pairings)+1 {
		return fmt.Errorf("board %d is next", len(round.Pairings)+1)
	}
	if p.Game >= len(s.Settings.Games) {
		return errors.New("there is no such game")
	}
	made := &Pairing{Pair: p, Round: e.Round, At: e.At}
	if made.Match == "" {
		made.Result, made.Ended = p.Result, e.At
		if !made.Bye() {
			s.order = append(s.order, act{pairing: made})
		}
	}
	for _, number := range []int{p.First, p.Second} {
		if number == 0 {
			continue
		}
		who := s.Entrant(number)
		switch {
		case who == nil || who.Rank == 0:
			return fmt.Errorf("entrant %d takes no part", number)
		case who == exhibitor(s):
			continue // plays many matches at the same time
		case p.Match != "" && who.Playing() != nil:
			return fmt.Errorf("entrant %d plays already", number)
		case plan != tournaments.Arena && plan != tournaments.Knockout && len(who.Matches) > 0 && who.Matches[len(who.Matches)-1].Round == e.Round:
			return fmt.Errorf("entrant %d is paired twice in round %d", number, e.Round)
		}
	}
	if made.Match != "" {
		if slices.ContainsFunc(s.open, func(o *Pairing) bool { return o.Match == made.Match }) {
			return errors.New("two matches have one id")
		}
		s.open = append(s.open, made)
		round.DoneAt = time.Time{}
	}
	round.Pairings = append(round.Pairings, made)
	for _, number := range []int{p.First, p.Second} {
		if who := s.Entrant(number); who != nil {
			who.Matches = append(who.Matches, made)
		}
	}
	return nil
}

// Playing returns the pairings whose matches go on.
func (s *State) Playing() []*Pairing { return slices.Clone(s.open) }

// result decides a match.
func (s *State) result(e tournaments.Entry) error {
	i := slices.IndexFunc(s.open, func(p *Pairing) bool { return p.Match == e.Match })
	if i < 0 {
		return errors.New("the match doesn't go on")
	}
	old := s.open[i]
	made := *old
	made.Ended, made.Result, made.Reason = e.At, e.Result, e.Reason
	s.open = slices.Delete(s.open, i, i+1)
	round := &s.Rounds[made.Round-1]
	round.Pairings[made.Board-1] = &made
	for _, number := range []int{made.First, made.Second} {
		who := s.Entrant(number)
		who.Matches[slices.Index(who.Matches, old)] = &made
		who.free = e.At
		if e.Reason == tournaments.Unbegun && e.Result != made.Side(number).String() {
			who.Late++
		}
	}
	s.order = append(s.order, act{pairing: &made})
	if !goesOn(s.open, made.Round) {
		round.DoneAt = e.At
	}
	return nil
}

// AllRounds returns how many rounds there will be; 0 if that isn't known yet.
func (s *State) AllRounds() int {
	switch s.Settings.Plan() {
	case tournaments.Swiss:
		return s.Settings.Rounds
	case tournaments.Robin:
		return pairings.RoundRobinRounds(s.started, s.Settings.Twice)
	case tournaments.Knockout:
		n := 0
		for players := 1; players < s.started; players *= 2 {
			n++
		}
		return n
	}
	if s.Stage == tournaments.Open {
		return 0
	}
	return 1
}

// Summary returns what lists show of the tournament.
func (s *State) Summary() tournaments.Summary {
	m := tournaments.Summary{
		ID: s.ID, Seq: s.Seq, At: s.LastAt, Settings: *s.Settings, Stage: s.Stage, Players: s.Entrants.Players(), Round: len(s.Rounds), Rounds: s.AllRounds(),
		Reason: s.Reason,
	}
	if s.Stage == tournaments.Over {
		if all := s.Standing(); len(all) > 0 {
			m.Winner = all[0].Entrant.Who.Name
		}
	}
	return m
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
