// Package match computes the state of a match as a fold over its events. It holds the rules of conduct, the views that users see
// and the records. It has no goroutine, no clock of its own and does no I/O.
package match

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// # A match is its log
//
// A match is a list of events numbered from 1 without gaps. The state of the match at any moment (who sits where, the position,
// whose turn it is, the result) is a fold over that list and comes from nothing else: not from memory, a session or a
// clock. So a match that is read from disk after a crash is the match that its players saw.
//
// Only State.apply says what an event means. It is used three times: on events about to be written (a refused event is never
// written), on logs read at start (a log with a refused event is damaged, and the match can't be played), and on the events made
// from the record of a finished match.
//
//	kind      by            carries         may come                      effect
//	opened    the opener,   the Opening     first, and only first         the seats and the start position are known; the
//	          or nobody                                                   match is started if both seats are taken. An
//	                                                                      exhibition is opened by nobody; Opening.By is its
//	                                                                      opener
//	joined    a free seat   Who             while the seat is free        the seat is taken, the match is started
//	moved     the side to   Move, Planned   when started, before the      the position changes; open offers lapse. If the
//	          move                          time of its seat is up        rules end the game here, only ended may follow.
//	                                                                      A planned move is charged no time: see plan.go
//	taken_    a helped      Plies           when started, if no given     the last Plies moves are undone, and it is the
//	back      seat, or one                  move is undone                seat's turn; open offers lapse
//	          with consent
//	helped    a helped      nothing         when started, on its own      the seat has been given a hint
//	          seat                          turn, once in a position
//	offered   a seat        Offer           when started, with no offer   the other seat is asked, see offers.go
//	                                        of this kind open
//	answered  a seat        Offer, Yes      while that offer of the       the offer is closed. After consent to a draw only
//	                                        other seat is open            ended may follow, to a takeback only taken_back.
//	                                                                      After consent to adjourn, the clock stands,
//	                                                                      see pauses.go
//	resigned  a seat        nothing         when started                  only ended may follow
//	flagged   the side to   nothing         when the time of its seat is  only ended may follow
//	          move                          up, or the time for a first
//	                                        move without a clock
//	                                        (FirstMove)
//	resumed   nobody        Left            when started, with a clock    Left is the time left to each side, and the clock
//	                                                                      of the side to move runs from here on
//	claimed   a seat        Result,         when started and both have    only ended may follow
//	                        Absence         moved, the other side was
//	                                        gone for long enough, and the
//	                                        time of its seat is not up
//	vacation  the seat of   Until           when started, with days a     the clock stands until then; without Until the
//	          a player                      move, while no time is up     vacation is over. See pauses.go
//	continued a seat        nothing         while it is adjourned         it is not adjourned any more
//	ended     see below     Result, Reason  once, last                    the match is over
//
//	reason        by             result           may come
//	of the rules  nobody         by the rules     after the move that ended the game
//	resigned      nobody         the other side   after resigned
//	timeout       nobody         the other side,  after flagged; none if the clocks did not run yet, but in a
//	                             or none          tournament
//	agreement     nobody         draw             after consent to a draw
//	claimed       nobody         what was       after claimed
//	                             claimed
//	abandoned     the seat       the other side   when started
//	              that left
//	length_limit  nobody         draw             after a move that does not end the game
//	adjudicated   nobody         any, or none     a result when started, none at any time: an operator has decided
//	aborted       a seat, or     none             by a seat: before both sides have moved; by nobody (an offer that was
//	              nobody                          not taken, an unwatched match, a match evicted from a full club): at any
//	                                              time; by the free seat: the user it is reserved for declines
//
// A match of a tournament has both seats taken and a clock from its opening on. Its people can't call it off.
//
// A helped seat is the seat of a player or a guest against a computer player in a casual match. The record keeps the numbers
// of hints and takebacks. Undone moves are in the log only, until it is deleted: the record holds the line as it was at the end.
//
// The opening may give a start position in place of the game's own: one that the game reads, with the options of the match, in
// which the game is not over. A rated match has none.
//
// The opening may give moves: then the match begins after them, as if they had been made. They are legal, do not end the
// game, and are never undone; a rated match has none. Rules of conduct that count moves (aborted, above) do not count given
// moves.
//
// The time of a seat is up when its clock has expired (lobby/clock), or, before both sides have made their first move, when the
// time for a first move is over. A move counts if the time at which it arrived, less the credited part of its lag, is before that.
// So of a move and flagged at the same moment only the one that is in the log can happen. A takeback doesn't return time. After a
// restart, resumed gives back the time during which the program was down.
//
// A rated match that ends before each side has made two moves is recorded as a casual one, whatever its result.
//
// A cause and its effect (a move and ended, resigned and ended, consent and the takeback) are written as one append, so no log
// on disk stops between them: a log that does is damaged. Fields that a kind does not use are zero. Times never go backwards.

// Reasons of ends that are not by the rules of a game.
const (
	reasonResigned    = "resigned"
	reasonTimeout     = "timeout"
	reasonAgreement   = "agreement"
	reasonAbandoned   = "abandoned"
	reasonClaimed     = "claimed"
	reasonAborted     = "aborted"
	reasonLengthLimit = "length_limit"
	reasonAdjudicated = "adjudicated"
)

// CodeLetters are the letters of codes: without 0, O, 1, I, L and U, which people mistake for each other or for words.
const CodeLetters = "23456789ABCDEFGHJKMNPQRSTVWXYZ"

// CodeLength is the number of letters of a code.
const CodeLength = 6

// A FindGame returns the game with an id, or an error.
type FindGame func(id string) (games.Game, error)

// A State is the state of a match after its events, which it doesn't keep. Extend, Follow and a Folder return a new State. A copy
// is a state of its own, and callers must not change what the fields refer to. States share the memory of their moves: only one of
// two that extend the same state may be extended further.
type State struct {
	ID       storage.MatchID
	Seq      uint64           // number of the last event; 0 if there is none
	Opening  *matches.Opening // without its moves, which are the first of Moves
	Opener   storage.Seat     // the seat that opened the match; Nobody for an exhibition
	Game     games.Game
	Initial  games.Position // before the first of Moves
	Seats    [2]storage.Occupant
	Moves    []games.Move // the present line; it begins with the moves given by the opening
	Position games.Position
	Help     results.Help
	Hinted   bool           // a hint was given in the present position
	Offers   matches.Offers // the open ones
	Pauses   Pauses         // what makes the clock stand
	Clock    clock.Clock
	Left     []time.Duration // of a match with a clock: time left to the side that moved, by move; see clock.Clock.LeftAfter

	Opened      time.Time
	Started     time.Time // zero: a seat is free
	DueAt       time.Time // since when it has been the turn of the side to move; zero before Started
	LastAt      time.Time // of the last event
	Ended       time.Time // zero: not over
	Result      string
	Reason      string
	ContinuedBy storage.Seat // who went on with the match last when it was adjourned, other than by a move

	EndedBy storage.Seat // the seat of the event or the last move that brought the end

	Temporary bool // it is over and not kept: void, or without enough moves

	line      games.State // used instead of Position by a Folder
	given     int
	made      [2]int          // moves by side, including undone ones
	standing  [2]int          // moves by side in the line, after the given ones
	credited  [2]clock.Budget // by side
	takebacks int             // including takebacks at one keyboard, which don't count as help

	closing  matches.Event // resigned, flagged, claimed, or consent to a draw: only ended may follow; else zero
	granted  storage.Seat  // the other side has consented to a takeback of this seat: only that may follow; else Nobody
	offered  offering
	recorded bool // made from a record: the clock is not folded, because the record has its end and not all events
}

// New returns the state of a match without events.
func New(id storage.MatchID) State { return State{ID: id} }

// Fold returns the state after a whole log. The error wraps ErrLog.
func Fold(id storage.MatchID, find FindGame, log []matches.Event) (State, error) {
	f := NewFolder(id, find)
	if err := f.Add(log); err != nil {
		return State{}, err
	}
	return f.State()
}

// A Folder folds a log that is read in parts. It plays on one mutable position, so the time per event doesn't grow with the log,
// and it keeps each text of a move once.
type Folder struct {
	state State
	find  FindGame
	texts map[games.Move]games.Move
}

// NewFolder returns a Folder for the log of a match.
func NewFolder(id storage.MatchID, find FindGame) *Folder {
	return &Folder{state: New(id), find: find, texts: make(map[games.Move]games.Move)}
}

// Add applies the next events. After an error, which wraps ErrLog, the Folder must not be used any more.
func (f *Folder) Add(events []matches.Event) (err error) {
	s := &f.state
	defer recoverEngine(s.ID, &err)
	for _, e := range events {
		if e.Move != "" {
			text, ok := f.texts[e.Move]
			if !ok {
				text = e.Move
				f.texts[text] = text
			}
			e.Move = text
		}
		err := s.apply(e, f.find)
		if err != nil && !errors.Is(err, ErrLog) {
			err = fmt.Errorf("%w: match %s: event %d: %w", ErrLog, s.ID, e.Seq, err)
		}
		if err != nil {
			return err
		}
		if s.line == nil {
			s.line = s.Position.State()
		}
	}
	return nil
}

// State returns the state after all events, once the whole log has been added. The error wraps ErrLog.
func (f *Folder) State() (s State, err error) {
	s = f.state
	defer recoverEngine(s.ID, &err)
	if s.Seq == 0 {
		return State{}, fmt.Errorf("%w: match %s: it is empty", ErrLog, s.ID)
	}
	if err := s.complete(); err != nil {
		return State{}, err
	}
	s.Position, s.line = s.line.Clone().Freeze(), nil // a clone keeps no more of the past than the rules need
	s.Moves = slices.Clip(s.Moves)
	return s, nil
}

// complete returns an error if the log stops before an event that must follow its last one. The error wraps ErrLog.
func (s *State) complete() error {
	switch {
	case s.mustEnd() && !s.Over():
		return fmt.Errorf("%w: match %s: it stops before the end that event %d brings", ErrLog, s.ID, s.Seq)
	case s.granted != storage.Nobody:
		return fmt.Errorf("%w: match %s: it stops before the takeback that event %d brings", ErrLog, s.ID, s.Seq)
	}
	return nil
}

// Follow returns the state after further events of the log that another node has written. The error wraps ErrLog.
func (s State) Follow(events []matches.Event, find FindGame) (next State, err error) {
	defer recoverEngine(s.ID, &err)
	for _, e := range events {
		if err := s.apply(e, find); err != nil {
			return State{}, fmt.Errorf("%w: match %s: event %d: %w", ErrLog, s.ID, e.Seq, err)
		}
	}
	if err := s.complete(); err != nil {
		return State{}, err
	}
	return s, nil
}

// recoverEngine, deferred, turns a panic of an engine into an ErrLog. A later version of a game's rules may panic on a log or
// record of an earlier version: that must stop this match, not the club.
func recoverEngine(id storage.MatchID, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: match %s: panic: %v\n%s", ErrLog, id, p, debug.Stack())
	}
}

// MaxPlies is how many moves a match has: a longer one is drawn, reason length_limit. No game of people comes near.
const MaxPlies = 30_000

// Extend returns the state after events that happen at a time, and after the end that the last of them brings, if any. added are
// all of these events, with numbers and times; if at is before the last event, its time is used. A match of maxPlies moves is
// drawn. The error is a *games.IllegalError for an illegal move and ErrTimeUp for an event that comes too late; others wrap ErrLog.
func (s State) Extend(events []matches.Event, at time.Time, maxPlies int, find FindGame) (next State, added []matches.Event, err error) {
	if at = moment(at); at.Before(s.LastAt) {
		at = s.LastAt
	}
	add := func(e matches.Event) error {
		e.Seq, e.Version, e.At = s.Seq+1, matches.EventVersion, at
		added = append(added, e)
		return s.apply(e, find)
	}
	for i, e := range events {
		if err := add(e); err != nil {
			return State{}, nil, err
		}
		if end, ends := s.consequence(maxPlies); ends && i == len(events)-1 {
			if err := add(end); err != nil {
				return State{}, nil, err
			}
		}
	}
	return s, added, nil
}

// moment returns a time as logs keep it: in UTC and whole milliseconds.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// consequence returns the end that the last event brings, if it brings one.
func (s *State) consequence(maxPlies int) (matches.Event, bool) {
	end := matches.Event{Kind: matches.Ended}
	switch rules := s.rules(); {
	case s.Over():
		return end, false
	case rules.Over:
		end.Result, end.Reason = rules.String(), rules.Reason
	case s.closing.Kind == matches.Resigned:
		end.Result, end.Reason = s.closing.Seat.Side().Other().String(), reasonResigned
	case s.closing.Kind == matches.Flagged:
		end.Result, end.Reason = s.timeoutResult(), reasonTimeout
	case s.closing.Kind == matches.Answered:
		end.Result, end.Reason = games.Drawn("").String(), reasonAgreement
	case s.closing.Kind == matches.Claimed:
		end.Result, end.Reason = s.closing.Result, reasonClaimed
	case len(s.Moves) >= maxPlies:
		end.Result, end.Reason = games.Drawn("").String(), reasonLengthLimit
	default:
		return end, false
	}
	return end, true
}

// apply applies one more event, or refuses it and changes nothing. find is used for the first event only. The errors are the same
// as of Extend.
func (s *State) apply(e matches.Event, find FindGame) error {
	next := *s
	err := next.check(e)
	if err == nil {
		switch e.Kind {
		case matches.Opened:
			err = next.open(e, find)
		case matches.Joined:
			err = next.join(e)
		case matches.Moved:
			err = next.move(e)
		case matches.TakenBack:
			err = next.takeBack(e)
		case matches.Helped:
			err = next.hint(e)
		case matches.Offered:
			err = next.offer(e)
		case matches.Answered:
			err = next.answer(e)
		case matches.Resigned:
			next.closing = e
		case matches.Flagged:
			err = next.flag(e)
		case matches.Claimed:
			err = next.claim(e)
		case matches.Resumed:
			err = next.resume(e)
		case matches.Vacation:
			err = next.vacation(e)
		case matches.Continued:
			err = next.goOn(e)
		case matches.Ended:
			err = next.end(e)
		}
	}
	if illegal := (*games.IllegalError)(nil); errors.As(err, &illegal) || errors.Is(err, ErrTimeUp) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: match %s: event %d, %q: %w", ErrLog, s.ID, e.Seq, e.Kind, err)
	}
	next.LastAt, next.Seq = e.At, e.Seq
	*s = next
	return nil
}

// check refuses an event that is wrong whatever its kind does.
func (s *State) check(e matches.Event) error {
	switch {
	case e.Seq != s.Seq+1:
		return fmt.Errorf("number %d is next", s.Seq+1)
	case e.Version < 1 || e.Version > matches.EventVersion:
		return fmt.Errorf("version %d is unknown", e.Version)
	case e.Seat > storage.SecondSeat:
		return fmt.Errorf("seat %d does not exist", e.Seat)
	case e.At.IsZero() || e.At.Location() != time.UTC || !e.At.Equal(e.At.Truncate(time.Millisecond)):
		return errors.New("the time is not in UTC and whole milliseconds")
	case e.At.Before(s.LastAt):
		return errors.New("the time goes backwards")
	case e.Lag < 0 || e.Lag%time.Millisecond != 0:
		return errors.New("the lag is not in whole milliseconds")
	case (e.Kind == matches.Opened) != (e.Seq == 1):
		return errors.New("a log starts with opened, and only there")
	case s.Over():
		return errors.New("the match is over")
	case s.mustEnd() && e.Kind != matches.Ended:
		return errors.New("only its end can follow")
	case s.granted != storage.Nobody && (e.Kind != matches.TakenBack || e.Seat != s.granted):
		return errors.New("only the takeback can follow")
	}
	bare, byNobody, early, known := kindOf(e)
	switch {
	case !known:
		return errors.New("the kind is unknown")
	case e != bare:
		return errors.New("it carries what its kind does not")
	case !byNobody && e.Seat == storage.Nobody:
		return errors.New("nobody did it")
	case !early && s.Started.IsZero():
		return errors.New("a seat is still free")
	}
	return nil
}

// kindOf returns an event with only the fields that its kind uses, whether its seat may be Nobody, and whether it may come before
// both seats are taken.
func kindOf(e matches.Event) (bare matches.Event, byNobody, early, known bool) {
	bare = matches.Event{Seq: e.Seq, Version: e.Version, Kind: e.Kind, Seat: e.Seat, At: e.At, Lag: e.Lag}
	switch e.Kind {
	case matches.Opened:
		bare.Opening, byNobody, early = e.Opening, true, true
	case matches.Joined:
		bare.Who, early = e.Who, true
	case matches.Moved:
		bare.Move, bare.Planned = e.Move, e.Planned
	case matches.TakenBack:
		bare.Plies = e.Plies
	case matches.Offered:
		bare.Offer = e.Offer
	case matches.Answered:
		bare.Offer, bare.Yes = e.Offer, e.Yes
	case matches.Ended:
		bare.Result, bare.Reason, byNobody, early = e.Result, e.Reason, true, true
	case matches.Resumed:
		bare.Left, byNobody = e.Left, true
	case matches.Claimed:
		bare.Result, bare.Absence = e.Result, e.Absence
	case matches.Vacation:
		bare.Until = e.Until
	case matches.Helped, matches.Resigned, matches.Flagged, matches.Continued:
	default:
		return bare, false, false, false
	}
	return bare, byNobody, early, true
}

func (s *State) open(e matches.Event, find FindGame) error {
	o := e.Opening
	if o == nil {
		return errors.New("the opening is missing")
	}
	g, err := find(o.Game)
	if err != nil {
		return err
	}
	full, err := games.Complete(g, o.Options)
	switch {
	case err != nil:
		return err
	case g.About().ID != o.Game:
		return fmt.Errorf("the game's id is %s", g.About().ID)
	case !full.Equal(o.Options):
		return errors.New("the options are not complete")
	case !isCode(o.Code):
		return errors.New("the code is malformed")
	case o.First.Kind == storage.Free && o.Second.Kind == storage.Free:
		return errors.New("both seats are free")
	case o.Reserved.Kind != storage.Free && o.First.Kind != storage.Free && o.Second.Kind != storage.Free:
		return errors.New("a seat is kept, but none is free")
	case (o.Range != [2]int{} || o.Wait != 0) && o.First.Kind != storage.Free && o.Second.Kind != storage.Free:
		return errors.New("it says who may take a seat and when, but none is free")
	case e.Seat != storage.Nobody && [2]storage.Occupant{o.First, o.Second}[e.Seat.Side()].Kind == storage.Free:
		return errors.New("a free seat opened it")
	case o.Tournament != (storage.TournamentBoard{}) && (o.First.Kind == storage.Free || o.Second.Kind == storage.Free || o.Clock == "" && !s.recorded):
		return errors.New("it belongs to a tournament, but has a free seat or no clock")
	case o.By.Kind != storage.Free && (o.First.Kind != storage.Bot || o.Second.Kind != storage.Bot):
		return errors.New("it says who opened an exhibition, but is none")
	}
	for _, occupant := range []storage.Occupant{o.First, o.Second, o.Reserved, o.By} {
		if occupant.Kind != storage.Free && !isOccupant(occupant) {
			return errors.New("an occupant of a seat, or who opened it, is not properly named")
		}
	}
	if s.Initial, err = games.Begin(g, full, o.From); err != nil {
		return err
	}
	s.Position, err = games.ReplayFrom(s.Initial, o.Moves)
	switch {
	case err != nil:
		return err
	case s.Position.Result().Over:
		return errors.New("the game is over after the moves that were given")
	case o.Rated && (len(o.Moves) > 0 || o.From != ""):
		return errors.New("it is rated, but does not begin at the beginning")
	}
	if o.Clock != "" {
		setting, err := clock.Parse(o.Clock)
		if err != nil || setting.Kind == clock.None {
			return fmt.Errorf("the clock is %q", o.Clock)
		}
		s.Clock = clock.New(setting)
		s.Left = slices.Repeat([]time.Duration{setting.Base}, len(o.Moves))
	}
	s.Moves, s.given = slices.Clip(o.Moves), len(o.Moves)
	bare := *o
	bare.Moves = nil
	s.Opening, s.Opener, s.Game, s.Opened = &bare, e.Seat, g, e.At
	s.Seats = [2]storage.Occupant{o.First, o.Second}
	return s.start(e.At)
}

// isCode reports whether a code is well-formed.
func isCode(code string) bool {
	return len(code) == CodeLength && !strings.ContainsFunc(code, func(r rune) bool { return !strings.ContainsRune(CodeLetters, r) })
}

func isOccupant(o storage.Occupant) bool {
	return (o.Kind.HasAccount() || o.Kind == storage.Guest || o.Kind == storage.Bot) && o.ID != "" && o.Name != ""
}

// start starts the match if both seats are taken.
func (s *State) start(at time.Time) error {
	first, second := s.Seats[games.First], s.Seats[games.Second]
	if first.Kind == storage.Free || second.Kind == storage.Free {
		return nil
	}
	if s.Opening.Rated && (!first.Kind.HasAccount() || !second.Kind.HasAccount() || first.ID == second.ID) {
		return errors.New("it is rated, but not between two players")
	}
	s.Started, s.DueAt = at, at
	s.Clock = s.Clock.Start(at, int(s.Turn()))
	return nil
}

func (s *State) join(e matches.Event) error {
	side := e.Seat.Side()
	switch {
	case s.Seats[side].Kind != storage.Free:
		return errors.New("the seat is taken")
	case !isOccupant(e.Who):
		return errors.New("the new occupant is not properly named")
	case s.Opening.Reserved.Kind != storage.Free && KeyOf(s.Opening.Reserved) != KeyOf(e.Who):
		return errors.New("the seat is kept for somebody else")
	}
	s.Seats[side] = e.Who
	return s.start(e.At)
}

func (s *State) move(e matches.Event) error {
	if e.Seat.Side() != s.Turn() {
		return errors.New("it is the other side's turn")
	}
	if s.line != nil {
		c, err := s.line.Code(e.Move)
		if err != nil {
			return err
		}
		s.line.Play(c)
	} else {
		next, err := s.Position.Play(e.Move)
		if err != nil {
			return err
		}
		s.Position = next
	}
	now := s.Clock
	if e.Planned {
		if now.Setting.Kind != clock.Correspondence {
			return errors.New("it was planned, but the clock doesn't count days")
		}
		now.Since = e.At
	}
	next, ok := now.Move(e.At, e.Lag, int(s.Turn()))
	if !ok {
		return ErrTimeUp
	}
	if side := e.Seat.Side(); s.Clock.Running() {
		s.credited[side] = s.credited[side].After(e.Lag)
	}
	if s.Clock.Setting.Kind != clock.None {
		s.Left = append(s.Left, now.LeftAfter(next, e.At))
	}
	if s.Seats[e.Seat.Side()].Kind != storage.Bot {
		s.Pauses.Adjourned = time.Time{}
	}
	next.Until = s.Pauses.until(e.At)
	s.Clock, s.DueAt = next, e.At
	s.Offers, s.Hinted = matches.Offers{}, false
	s.Moves = append(s.Moves, e.Move)
	s.made[e.Seat.Side()]++
	s.standing[e.Seat.Side()]++
	s.EndedBy = e.Seat // if it ends the game
	return nil
}

func (s *State) takeBack(e matches.Event) error {
	left := len(s.Moves) - e.Plies
	switch {
	case !s.takesBack(e.Seat) && e.Seat != s.granted:
		return errors.New("the seat takes no help, and the other side has not consented")
	case e.Plies < 1 || left < s.Given():
		return fmt.Errorf("there are no %d moves to take back", e.Plies)
	}
	if s.line != nil {
		for range e.Plies {
			s.line.Undo()
			s.standing[s.line.Turn()]--
		}
	} else {
		before, err := games.ReplayFrom(s.Initial, s.Moves[:left])
		if err != nil {
			return err
		}
		undone, err := countStanding(before.State(), s.Moves[left:])
		if err != nil {
			return err
		}
		for side, n := range undone {
			s.standing[side] -= n
		}
		s.Position = before
	}
	if s.Turn() != e.Seat.Side() {
		return errors.New("it would be the other side's turn")
	}
	next, ok := s.Clock.TakeBack(e.At, int(s.Turn()))
	if !ok {
		return ErrTimeUp
	}
	if s.Clock, s.DueAt = next, e.At; s.Left != nil {
		s.Left = slices.Clone(s.Left[:left])
	}
	s.Offers, s.Hinted, s.granted = matches.Offers{}, false, storage.Nobody
	s.Moves = slices.Clone(s.Moves[:left]) // earlier views hold the old moves
	s.takebacks++
	if s.takesHelp(e.Seat) {
		s.Help.Takebacks++
	}
	return nil
}

func (s *State) hint(e matches.Event) error {
	switch {
	case !s.takesHelp(e.Seat):
		return errors.New("the seat takes no help")
	case e.Seat.Side() != s.Turn():
		return errors.New("it is the other side's turn")
	case s.Hinted:
		return errors.New("it has been given a hint here already")
	}
	s.Hinted = true
	s.Help.Hints++
	return nil
}

// takesHelp reports whether a seat may be helped: it is held by a player or a guest against a computer player in a casual match.
func (s *State) takesHelp(seat storage.Seat) bool {
	side := seat.Side()
	return !s.Opening.Rated && s.Seats[side].Kind != storage.Bot && s.Seats[side.Other()].Kind == storage.Bot
}

// hotseat reports whether one user holds both seats.
func (s *State) hotseat() bool {
	first := s.Seats[games.First]
	return SameUser(s.Seats) && (first.Kind.HasAccount() || first.Kind == storage.Guest)
}

// takesBack reports whether moves may be taken back for a seat: it takes help, or there is no other user to agree to it.
func (s *State) takesBack(seat storage.Seat) bool { return s.takesHelp(seat) || s.hotseat() }

func (s *State) flag(e matches.Event) error {
	switch {
	case e.Seat.Side() != s.Turn():
		return errors.New("it is the other side's turn")
	case !s.recorded && !s.Clock.Expired(e.At) && !s.firstMoveLate(e.At):
		return errors.New("the time is not up")
	}
	s.closing = e
	return nil
}

// firstMoveLate reports whether the time for a first move without a clock may be up. The time runs only while both players are here, which the log
// doesn't say, so it may have begun later than the match.
func (s *State) firstMoveLate(at time.Time) bool {
	m := s.Summary()
	return m.LimitsFirstMoves() && !at.Before(s.Started.Add(FirstMove))
}

func (s *State) resume(e matches.Event) error {
	next, ok := s.Clock.Resume(e.At, e.Left)
	if e.Seat != storage.Nobody || !ok {
		return fmt.Errorf("the clock can't go on with %v left", e.Left)
	}
	s.Clock = next
	return nil
}

func (s *State) end(e matches.Event) error {
	want, ok := s.ending(e)
	if !ok || e.Result != want {
		return fmt.Errorf("result %q for the reason %q does not fit what happened", e.Result, e.Reason)
	}
	switch {
	case e.Seat != storage.Nobody:
		s.EndedBy = e.Seat
	case s.closing.Kind == matches.Answered:
		s.EndedBy = storage.Nobody
	case s.closing.Kind == matches.Claimed && e.Result == games.Drawn("").String():
		s.EndedBy = storage.Nobody // a record doesn't say who claimed it
	case s.closing.Kind != "":
		s.EndedBy = s.closing.Seat
	case e.Reason == reasonAborted, e.Reason == reasonAdjudicated:
		s.EndedBy = storage.Nobody
	}
	s.Result, s.Reason, s.Ended = e.Result, e.Reason, e.At
	s.Clock, s.Offers, s.Pauses = s.Clock.Stop(e.At), matches.Offers{}, Pauses{}
	s.Temporary = s.Result == "" || !s.enoughMoves()
	return nil
}

// ending returns the result that an end must have, and whether it can come now.
func (s *State) ending(e matches.Event) (result string, ok bool) {
	byNobody := e.Seat == storage.Nobody
	switch rules := s.rules(); {
	case rules.Over:
		return rules.String(), byNobody && e.Reason == rules.Reason
	case s.closing.Kind == matches.Resigned:
		return s.closing.Seat.Side().Other().String(), byNobody && e.Reason == reasonResigned
	case s.closing.Kind == matches.Flagged:
		result = s.timeoutResult()
		if s.recorded && e.Result == "" {
			result = ""
		}
		return result, byNobody && e.Reason == reasonTimeout
	case s.closing.Kind == matches.Answered:
		return games.Drawn("").String(), byNobody && e.Reason == reasonAgreement
	case s.closing.Kind == matches.Claimed:
		return s.closing.Result, byNobody && e.Reason == reasonClaimed
	}
	switch e.Reason {
	case reasonAborted:
		return "", byNobody || s.Made() < 2
	case reasonAbandoned:
		if byNobody {
			return "", false
		}
		return e.Seat.Side().Other().String(), !s.Started.IsZero()
	case reasonLengthLimit:
		return games.Drawn("").String(), byNobody && len(s.Moves) > 0
	case reasonAdjudicated:
		return e.Result, byNobody && (e.Result == "" || isResult(e.Result) && !s.Started.IsZero())
	}
	return "", false
}

// timeoutResult returns the result after flagged: the other side wins, or there is none if the clocks did not run yet. In a tournament a match
// that was not begun in time is lost.
func (s *State) timeoutResult() string {
	if !s.recorded && !s.Clock.Running() && s.Opening.Tournament == (storage.TournamentBoard{}) {
		return ""
	}
	return s.closing.Seat.Side().Other().String()
}

// isResult reports whether a word is a result that a match can end with.
func isResult(word string) bool {
	return word == games.First.String() || word == games.Second.String() || word == games.Drawn("").String()
}

// mustEnd reports whether the last event brings the end of the match.
func (s *State) mustEnd() bool {
	return s.closing.Kind != "" || s.Position != nil && s.rules().Over
}

// Over reports whether the match has ended.
func (s *State) Over() bool { return !s.Ended.IsZero() }

// Turn returns the side to move.
func (s *State) Turn() games.Side {
	if s.line != nil {
		return s.line.Turn()
	}
	return s.Position.Turn()
}

// rules returns the result of the position by the rules of the game.
func (s *State) rules() games.Result {
	if s.line != nil {
		return s.line.Result()
	}
	return s.Position.Result()
}

// Given returns the number of moves given by the opening.
func (s *State) Given() int { return s.given }

// MadeBy returns the number of moves that a side has made, including undone ones.
func (s *State) MadeBy(side games.Side) int { return s.made[side] }

// Made returns the number of moves in the line after the moves given by the opening.
func (s *State) Made() int { return len(s.Moves) - s.Given() }

// keptMoves is how many moves each side must make for the record of a match to be kept, and for the result of a rated one to count.
const keptMoves = 2

// rated reports whether the match counts for ratings: it was opened as a rated match and goes on, or both sides made enough
// moves before it ended. A rated match has neither given moves nor takebacks.
func (s *State) rated() bool {
	if !s.Opening.Rated || !s.Over() {
		return s.Opening.Rated
	}
	return s.enoughMoves()
}

// enoughMoves reports whether each side has made keptMoves.
func (s *State) enoughMoves() bool {
	return min(s.made[games.First], s.made[games.Second]) >= keptMoves
}

// Exhibition reports whether two computer players play each other.
func (s *State) Exhibition() bool {
	return s.Seats[games.First].Kind == storage.Bot && s.Seats[games.Second].Kind == storage.Bot
}

// HasBot reports whether a computer player sits in the match.
func (s *State) HasBot() bool {
	return s.Seats[games.First].Kind == storage.Bot || s.Seats[games.Second].Kind == storage.Bot
}

// SamePosition reports whether no move was made or taken back between s and next, a later state of the same match, and next is not over.
func (s *State) SamePosition(next *State) bool {
	return len(s.Moves) == len(next.Moves) && s.takebacks == next.takebacks && !next.Over()
}

// SameEvents reports whether two lists hold the same events. Openings are compared by their codes: no two matches have the same code at a
// time.
func SameEvents(a, b []matches.Event) bool {
	return slices.EqualFunc(a, b, func(a, b matches.Event) bool {
		if (a.Opening == nil) != (b.Opening == nil) || a.Opening != nil && a.Opening.Code != b.Opening.Code {
			return false
		}
		a.Opening, b.Opening = nil, nil // pointers
		return a == b
	})
}
