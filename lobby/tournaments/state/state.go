// Package state computes the state of a tournament as a fold over the entries of its log, and decides which entries follow by themselves. It has
// no goroutine, no clock and no random source of its own, and does no I/O: the same log and the same time give the same decision.
package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// # A tournament is its log
//
// Only State.apply says what an entry means. It is used on entries that are about to be written and on those that were read, so in no log a player plays
// two matches of a tournament at once, or twice in a round.
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

	// maxComings is how often one may enter, pause and resume, all together. In a log of busyLog entries it is fewComings.
	maxComings = 40
	fewComings = 6
	busyLog    = tournaments.MaxEntries / 4
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

// A Pairing is a pair of a tournament. It is never changed: another one takes its place when there is a result.
type Pairing struct {
	tournaments.Pair
	Round  int
	At     time.Time // of the pairing
	Ended  time.Time // of the result; zero while the match goes on
	Result string    // first, second or draw; "" while the match goes on, for a bye, and for a void match
	Reason string    // of the result
}

// Bye reports whether the pairing is a bye.
func (p *Pairing) Bye() bool { return p.Second == 0 }

// Decided reports whether nothing is to be played any more.
func (p *Pairing) Decided() bool { return p.Match == "" || !p.Ended.IsZero() }

// Side returns the side of an entrant in the pairing.
func (p *Pairing) Side(number int) games.Side {
	if p.First == number {
		return games.First
	}
	return games.Second
}

// Opponent returns the number of the opponent of an entrant; 0: a bye.
func (p *Pairing) Opponent(number int) int { return p.First + p.Second - number }

// points returns what a decided pairing is worth for an entrant, and whether it was decided without a match.
func (p *Pairing) points(number int) (points int, forfeit bool) {
	forfeit = p.Match == "" && p.Pair.Result != "draw" || p.Reason == tournaments.Unbegun || p.Reason == tournaments.Missing
	switch p.Result {
	case "first", "second":
		if p.Result == p.Side(number).String() {
			return pairings.Win, forfeit
		}
		return pairings.Loss, forfeit
	}
	if p.Bye() {
		return pairings.Win, false
	}
	return pairings.Draw, forfeit
}

// A Round is a round of a tournament. An arena and a simultaneous exhibition have one.
type Round struct {
	Number   int
	At       time.Time
	Pairings []*Pairing
	DoneAt   time.Time // when its last match was decided; zero while one goes on
}

// A State is a tournament after the entries of its log. Next and Extend don't change it; Apply does.
type State struct {
	ID       storage.TournamentID
	Seq      uint64 // number of the last entry; 0 if there is none
	Settings *tournaments.Settings
	Stage    tournaments.Stage
	Reason   string // why it was called off
	LastAt   time.Time
	Begun    time.Time // zero: it has yet to begin
	Entrants []*Entrant
	Rounds   []Round

	open    []place // of the matches that go on
	ranked  int     // entrants with a starting rank
	started int     // entrants with a starting rank when it began
	order   []act   // results and withdrawals in the order of the log, for the bracket of a knockout
}

// A place is where a pairing stands in State.Rounds.
type place struct{ round, index int }

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
	c.Entrants = make([]*Entrant, len(s.Entrants))
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
		if r := &s.Rounds[e.Round-1]; !s.goesOn(e.Round) {
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

// LateEntry reports whether one may enter a tournament that runs.
func (s *State) LateEntry() bool {
	if s.Stage != tournaments.Running || s.full() {
		return false
	}
	switch s.Settings.Plan() {
	case tournaments.Arena:
		return true
	case tournaments.Swiss:
		return len(s.Rounds) <= s.Settings.Rounds/2
	}
	return false
}

// Pauses reports whether entrants may pause.
func (s *State) Pauses() bool {
	plan := s.Settings.Plan()
	return plan == tournaments.Arena || plan == tournaments.Swiss
}

// Find returns the entrant that an occupant is; nil if there is none. Of computer players it finds none, because one may be there more than once.
func (s *State) Find(who storage.Occupant) *Entrant {
	if !who.Kind.HasAccount() {
		return nil
	}
	for _, e := range s.Entrants {
		if e.Who.Kind.HasAccount() && e.Who.ID == who.ID {
			return e
		}
	}
	return nil
}

// Entrant returns the entrant with a number, nil if there is none.
func (s *State) Entrant(number int) *Entrant {
	if number < 1 || number > len(s.Entrants) {
		return nil
	}
	return s.Entrants[number-1]
}

// Players counts the entrants who take part.
func (s *State) Players() (n int) {
	for _, e := range s.Entrants {
		if e.In() {
			n++
		}
	}
	return n
}

// MayReturn reports whether an entrant who takes no part may enter again.
func (s *State) MayReturn(e *Entrant) bool {
	return e.Out != tournaments.ByAbsence && e.Out != tournaments.ByAccount && e.comings < maxComings &&
		(s.Stage == tournaments.Open || s.Settings.Plan() == tournaments.Arena && s.LateEntry())
}

func (s *State) enter(e tournaments.Entry) error {
	old := s.Find(e.Who)
	switch {
	case s.Stage != tournaments.Open && !s.LateEntry():
		return errors.New("nobody may enter any more")
	case s.Players() >= s.Settings.Most:
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
	if who == nil || !who.In() || who.Paused == pauses || !s.Pauses() || who.comings >= maxComings {
		return errors.New("the entrant can't pause or go on now")
	}
	who.Paused, who.free = pauses, e.At
	who.comings++
	return nil
}

// MayPause reports whether an entrant may pause, or go on after a pause.
func (s *State) MayPause(e *Entrant) bool { return e.In() && s.Pauses() && e.comings < maxComings }

// Restless reports whether an entrant has come and gone so often that they must neither pause nor enter again: one more entry is left, to resume. A
// log that fills with such entries has no room for matches.
func (s *State) Restless(e *Entrant) bool {
	return e.comings >= maxComings-1 || e.comings >= fewComings && s.Seq >= busyLog
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
		s.rank()
	}
	s.Rounds = append(s.Rounds, Round{Number: e.Round, At: e.At})
	return nil
}

// rank gives each entrant who takes part a starting rank: by rating, then by entry. The one of a simultaneous exhibition, who announced it, is
// the first.
func (s *State) rank() {
	var in []*Entrant
	for _, e := range s.Entrants {
		if e.In() {
			in = append(in, e)
			e.free = later(e.free, s.Begun)
		}
	}
	slices.SortStableFunc(in, func(a, b *Entrant) int { return b.Rating - a.Rating })
	if one := s.One(); one != nil && one.In() {
		in = slices.DeleteFunc(in, func(e *Entrant) bool { return e == one })
		in = slices.Insert(in, 0, one)
	}
	for i, e := range in {
		e.Rank = i + 1
	}
	s.ranked, s.started = len(in), len(in)
}

// One returns the entrant who plays all others in a simultaneous exhibition: the announcer; nil if there is none.
func (s *State) One() *Entrant {
	if s.Settings.Plan() != tournaments.Simul {
		return nil
	}
	return s.Find(s.Settings.By)
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
		case who == s.One():
			continue // plays many matches at the same time
		case p.Match != "" && who.Playing() != nil:
			return fmt.Errorf("entrant %d plays already", number)
		case plan != tournaments.Arena && plan != tournaments.Knockout && len(who.Matches) > 0 && who.Matches[len(who.Matches)-1].Round == e.Round:
			return fmt.Errorf("entrant %d is paired twice in round %d", number, e.Round)
		}
	}
	if made.Match != "" {
		for _, o := range s.open {
			if s.at(o).Match == made.Match {
				return errors.New("two matches have one id")
			}
		}
		s.open = append(s.open, place{e.Round - 1, len(round.Pairings)})
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

// at returns the pairing at a place.
func (s *State) at(p place) *Pairing { return s.Rounds[p.round].Pairings[p.index] }

// goesOn reports whether a match of a round goes on.
func (s *State) goesOn(round int) bool {
	return slices.ContainsFunc(s.open, func(p place) bool { return p.round == round-1 })
}

// Playing returns the pairings whose matches go on.
func (s *State) Playing() []*Pairing {
	all := make([]*Pairing, len(s.open))
	for i, p := range s.open {
		all[i] = s.at(p)
	}
	return all
}

// result decides a match.
func (s *State) result(e tournaments.Entry) error {
	i := slices.IndexFunc(s.open, func(p place) bool { return s.at(p).Match == e.Match })
	if i < 0 {
		return errors.New("the match doesn't go on")
	}
	where := s.open[i]
	old := s.at(where)
	made := *old
	made.Ended, made.Result, made.Reason = e.At, e.Result, e.Reason
	s.open = slices.Delete(s.open, i, i+1)
	s.Rounds[where.round].Pairings[where.index] = &made
	for _, number := range []int{made.First, made.Second} {
		who := s.Entrant(number)
		who.Matches[slices.Index(who.Matches, old)] = &made
		who.free = e.At
		if e.Reason == tournaments.Unbegun && e.Result != made.Side(number).String() {
			who.Late++
		}
	}
	s.order = append(s.order, act{pairing: &made})
	if !s.goesOn(where.round + 1) {
		s.Rounds[where.round].DoneAt = e.At
	}
	return nil
}

// full reports whether the log has no room for what a further round or match may bring.
func (s *State) full() bool { return s.Seq+4*tournaments.MaxEntrants >= tournaments.MaxEntries }

// EndsAt returns when an arena pairs nobody any more; zero for other tournaments.
func (s *State) EndsAt() time.Time {
	if s.Settings.Plan() != tournaments.Arena {
		return time.Time{}
	}
	return later(s.Settings.Begins, s.Begun).Add(s.Settings.Span)
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
		ID: s.ID, Seq: s.Seq, At: s.LastAt, Settings: *s.Settings, Stage: s.Stage, Players: s.Players(), Round: len(s.Rounds), Rounds: s.AllRounds(),
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
