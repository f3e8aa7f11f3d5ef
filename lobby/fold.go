package lobby

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// # A match is its log
//
// A match is a list of events with numbers from 1 on, without gaps. What the match is at any moment (who sits where, the
// position, whose turn it is, the result) is a fold over that list, and comes from nothing else: not from memory, not from a
// session, not from a clock. So a match that is read from disk after a crash is the match that people saw, and a match
// on another machine would be the same one.
//
// This file is the only place that says what an event means. It says it in one function, state.apply, which is used three
// times: on events about to be written (one that it refuses is never written), on logs read back at start (a log that it
// refuses is damaged, and nobody plays on it), and on what is made of the record of a finished match.
//
//	kind      who           carries         may come                      and then
//	opened    the opener,   the Opening     first, and only first         the seats and the start position are known; the
//	          or nobody                                                   match is started if both seats are taken
//	joined    a free seat   Who             while the seat is free        the seat is taken, the match is started
//	moved     the side to   Move            when started                  the position changes; open questions lapse. If the
//	          move                                                        rules end the game here, only ended may follow
//	taken_    a helped      Plies           when started, if no move      so many of the last moves are undone, and it is his
//	back      seat                          that was given goes           turn; open questions lapse
//	helped    a helped      nothing         when started and his turn,    he has been given a hint
//	          seat                          once in a position
//	offered   a seat        Offer           when started, with no         the other seat is asked
//	                                        question open
//	answered  a seat        Offer, Yes      when it has been asked that   the question is closed
//	resigned  a seat        nothing         when started                  only ended may follow
//	flagged   a seat        nothing         when started                  only ended may follow
//	ended     see below     Result, Reason  once, last                    the match is over
//
//	reason        who            result           may come
//	of the rules  nobody         what they say    after the move that ended the game
//	resigned      nobody         the other side   after resigned
//	timeout       nobody         the other side,  after flagged
//	                             or draw
//	abandoned     who left       the other side   when started
//	length_limit  nobody         draw             after a move that does not end the game
//	aborted       who did it,    none             by a seat: before both sides have moved; by the house (an offer that
//	              or nobody                       nobody took, a match that nobody watched, or one that gave way in a
//	                                              full club): at any time
//
// A helped seat is one of a person or a guest against a computer player, in a match that is not rated. The number of
// hints and takebacks stands in the record for ever; the moves that were undone stand in the log alone, as long as
// there is one: the record holds the line that was played in the end.
//
// The opening may give moves: then the match begins after them, as if they had been made. They are legal, do not end the
// game, and are never undone; a rated match has none. Where a rule of the house counts moves (aborted, below), it counts
// those made since.
//
// A cause and the end that it brings (a move and ended, resigned and ended) are written as one append, so no log on disk
// stops between them: a log that does is damaged. Fields that a kind does not use are zero. Times never go backwards.
// offered, answered and flagged have their meaning here before anything makes them.

// Reasons of ends that no rule sheet knows.
const (
	reasonResigned    = "resigned"
	reasonTimeout     = "timeout"
	reasonAbandoned   = "abandoned"
	reasonAborted     = "aborted"
	reasonLengthLimit = "length_limit"
)

// errLog is wrapped by every error about an event that can't come where it stands.
var errLog = errors.New("not a log of a match")

// state is what the events of a match say. A copy of it is a state of its own: apply only appends to its slices, and
// whoever goes on from an older copy does so only if the newer one was dropped.
type state struct {
	id      storage.MatchID
	opening *storage.Opening
	game    games.Game
	seats   [2]storage.Occupant
	events  []storage.Event
	moves   []games.Move // those that were given first
	pos     games.Position
	help    storage.Help
	hinted  bool // in this very position

	opened  time.Time
	started time.Time // zero: a seat is free
	ended   time.Time // zero: not over
	last    time.Time // of the last event
	result  string
	reason  string

	closing storage.Event // resigned or flagged: only ended may follow; else zero
	asked   storage.Event // the open question; else zero
}

// fold returns what a whole log says.
func fold(id storage.MatchID, find func(string) (games.Game, error), log []storage.Event) (s state, err error) {
	defer unreadable(id, &err)
	s = state{id: id}
	for _, e := range log {
		err := s.apply(e, find)
		if err != nil && !errors.Is(err, errLog) {
			err = fmt.Errorf("%w: match %s: event %d: %w", errLog, id, e.Seq, err)
		}
		if err != nil {
			return state{}, err
		}
	}
	switch {
	case len(log) == 0:
		return state{}, fmt.Errorf("%w: match %s: it is empty", errLog, id)
	case s.mustEnd() && !s.over():
		return state{}, fmt.Errorf("%w: match %s: it stops before the end that event %d brings", errLog, id, len(log))
	}
	return s, nil
}

// unreadable, deferred, makes a panic of an engine the error of a log or a record that it can't read: a later version of its
// rules may meet one that an earlier version wrote, and that must cost this match, not the club.
func unreadable(id storage.MatchID, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: match %s: panic: %v\n%s", errLog, id, p, debug.Stack())
	}
}

// apply takes one more event, or refuses it and changes nothing. find is used for the first event alone. An illegal move
// is a *games.IllegalError, everything else wraps errLog.
func (s *state) apply(e storage.Event, find func(string) (games.Game, error)) error {
	next := *s
	err := next.check(e)
	if err == nil {
		switch e.Kind {
		case storage.Opened:
			err = next.open(e, find)
		case storage.Joined:
			err = next.join(e)
		case storage.Moved:
			err = next.move(e)
		case storage.TakenBack:
			err = next.takeBack(e)
		case storage.Helped:
			err = next.helped(e)
		case storage.Offered, storage.Answered:
			err = next.ask(e)
		case storage.Resigned, storage.Flagged:
			next.closing = e
		case storage.Ended:
			err = next.end(e)
		}
	}
	if illegal := (*games.IllegalError)(nil); errors.As(err, &illegal) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: match %s: event %d, %q: %w", errLog, s.id, e.Seq, e.Kind, err)
	}
	next.last = e.At
	next.events = append(next.events, e)
	*s = next
	return nil
}

// check refuses what is wrong whatever the event does.
func (s *state) check(e storage.Event) error {
	switch {
	case e.Seq != uint64(len(s.events))+1:
		return fmt.Errorf("number %d is next", len(s.events)+1)
	case e.Version < 1 || e.Version > storage.EventVersion:
		return fmt.Errorf("version %d is unknown", e.Version)
	case e.Seat > storage.SecondSeat:
		return fmt.Errorf("seat %d does not exist", e.Seat)
	case e.At.IsZero() || e.At.Location() != time.UTC || !e.At.Equal(e.At.Truncate(time.Millisecond)):
		return errors.New("the time is not in UTC and whole milliseconds")
	case e.At.Before(s.last):
		return errors.New("the time goes backwards")
	case e.Lag < 0 || e.Lag%time.Millisecond != 0:
		return errors.New("the lag is not in whole milliseconds")
	case (e.Kind == storage.Opened) != (e.Seq == 1):
		return errors.New("a log starts with opened, and only there")
	case s.over():
		return errors.New("the match is over")
	case s.mustEnd() && e.Kind != storage.Ended:
		return errors.New("only its end can follow")
	}
	bare, byHouse, early, known := kindOf(e)
	switch {
	case !known:
		return errors.New("the kind is unknown")
	case e != bare:
		return errors.New("it carries what its kind does not")
	case !byHouse && e.Seat == storage.Nobody:
		return errors.New("nobody did it")
	case !early && s.started.IsZero():
		return errors.New("a seat is still free")
	}
	return nil
}

// kindOf returns an event without anything that its kind does not carry, whether the house may do it, and whether it may
// come before both seats are taken.
func kindOf(e storage.Event) (bare storage.Event, byHouse, early, known bool) {
	bare = storage.Event{Seq: e.Seq, Version: e.Version, Kind: e.Kind, Seat: e.Seat, At: e.At, Lag: e.Lag}
	switch e.Kind {
	case storage.Opened:
		bare.Opening, byHouse, early = e.Opening, true, true
	case storage.Joined:
		bare.Who, early = e.Who, true
	case storage.Moved:
		bare.Move = e.Move
	case storage.TakenBack:
		bare.Plies = e.Plies
	case storage.Offered:
		bare.Offer = e.Offer
	case storage.Answered:
		bare.Offer, bare.Yes = e.Offer, e.Yes
	case storage.Ended:
		bare.Result, bare.Reason, byHouse, early = e.Result, e.Reason, true, true
	case storage.Helped, storage.Resigned, storage.Flagged:
	default:
		return bare, false, false, false
	}
	return bare, byHouse, early, true
}

func (s *state) open(e storage.Event, find func(string) (games.Game, error)) error {
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
	case e.Seat != storage.Nobody && [2]storage.Occupant{o.First, o.Second}[e.Seat.Side()].Kind == storage.Free:
		return errors.New("a free seat opened it")
	}
	for _, who := range []storage.Occupant{o.First, o.Second, o.Reserved} {
		if who.Kind != storage.Free && !isOccupant(who) {
			return errors.New("somebody in a seat is not properly named")
		}
	}
	s.pos, err = games.Replay(g, full, o.Moves)
	switch {
	case err != nil:
		return err
	case s.pos.Result().Over:
		return errors.New("the game is over after the moves that were given")
	case o.Rated && len(o.Moves) > 0:
		return errors.New("it is rated, but does not begin at the beginning")
	}
	s.moves = slices.Clip(o.Moves)
	s.opening, s.game, s.opened = o, g, e.At
	s.seats = [2]storage.Occupant{o.First, o.Second}
	return s.start(e.At)
}

// start notes that the match goes on as soon as both seats are taken.
func (s *state) start(at time.Time) error {
	if s.seats[0].Kind == storage.Free || s.seats[1].Kind == storage.Free {
		return nil
	}
	if s.opening.Rated && (s.seats[0].Kind != storage.Person || s.seats[1].Kind != storage.Person || s.seats[0].ID == s.seats[1].ID) {
		return errors.New("it is rated, but not between two players")
	}
	s.started = at
	return nil
}

func (s *state) join(e storage.Event) error {
	side := e.Seat.Side()
	switch {
	case s.seats[side].Kind != storage.Free:
		return errors.New("the seat is taken")
	case !isOccupant(e.Who):
		return errors.New("who joined is not properly named")
	case s.opening.Reserved.Kind != storage.Free && (s.opening.Reserved.Kind != e.Who.Kind || s.opening.Reserved.ID != e.Who.ID):
		return errors.New("the seat is kept for somebody else")
	}
	s.seats[side] = e.Who
	return s.start(e.At)
}

func (s *state) move(e storage.Event) error {
	if e.Seat.Side() != s.pos.Turn() {
		return errors.New("it is the other side's turn")
	}
	next, err := s.pos.Play(e.Move)
	if err != nil {
		return err
	}
	s.pos, s.asked, s.hinted = next, storage.Event{}, false
	s.moves = append(s.moves, e.Move)
	return nil
}

func (s *state) ask(e storage.Event) error {
	switch {
	case e.Offer == "":
		return errors.New("the question is missing")
	case e.Kind == storage.Offered && s.asked.Offer != "":
		return errors.New("another question is open")
	case e.Kind == storage.Offered:
		s.asked = e
		return nil
	case s.asked.Offer != e.Offer || s.asked.Seat == e.Seat:
		return errors.New("nobody asked that")
	}
	s.asked = storage.Event{}
	return nil
}

func (s *state) end(e storage.Event) error {
	want, ok := s.ending(e)
	if !ok || e.Result != want {
		return fmt.Errorf("result %q for the reason %q does not fit what happened", e.Result, e.Reason)
	}
	s.result, s.reason, s.ended = e.Result, e.Reason, e.At
	return nil
}

// ending returns the result that an end must have, and whether it can come now.
func (s *state) ending(e storage.Event) (result string, ok bool) {
	byHouse := e.Seat == storage.Nobody
	switch rules := s.pos.Result(); {
	case rules.Over:
		return rules.String(), byHouse && e.Reason == rules.Reason
	case s.closing.Kind == storage.Resigned:
		return s.closing.Seat.Side().Other().String(), byHouse && e.Reason == reasonResigned
	case s.closing.Kind == storage.Flagged && e.Result == games.Drawn("").String():
		return e.Result, byHouse && e.Reason == reasonTimeout
	case s.closing.Kind == storage.Flagged:
		return s.closing.Seat.Side().Other().String(), byHouse && e.Reason == reasonTimeout
	}
	switch e.Reason {
	case reasonAborted:
		return "", byHouse || s.made() < 2
	case reasonAbandoned:
		if byHouse {
			return "", false
		}
		return e.Seat.Side().Other().String(), !s.started.IsZero()
	case reasonLengthLimit:
		return games.Drawn("").String(), byHouse && len(s.moves) > 0
	}
	return "", false
}

func (s *state) over() bool { return !s.ended.IsZero() }

// mustEnd says whether the last event brings the end of the match.
func (s *state) mustEnd() bool {
	return s.closing.Kind != "" || s.pos != nil && s.pos.Result().Over
}

// given is the number of moves that the match began after, made the number of those that have been made since.
func (s *state) given() int { return len(s.opening.Moves) }
func (s *state) made() int  { return len(s.moves) - s.given() }

// stands says whether the position of s is that of next too, which came after it.
func (s *state) stands(next *state) bool {
	return len(s.moves) == len(next.moves) && s.help.Takebacks == next.help.Takebacks && !next.over()
}

// seq is the number of the last event.
func (s *state) seq() uint64 { return uint64(len(s.events)) }

func isOccupant(o storage.Occupant) bool {
	return (o.Kind == storage.Person || o.Kind == storage.Guest || o.Kind == storage.Bot) && o.ID != "" && o.Name != ""
}
