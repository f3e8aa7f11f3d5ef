package matches

import (
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// A Kind says what an event is.
type Kind string

// The kinds of events.
const (
	Opened    Kind = "opened"     // Opening: always the first event, and only that
	Joined    Kind = "joined"     // Seat, Who: a free seat is taken
	Moved     Kind = "moved"      // Seat, Move, Planned
	TakenBack Kind = "taken_back" // Seat, Plies: the last Plies moves are undone
	Helped    Kind = "helped"     // Seat: it was given a hint
	Offered   Kind = "offered"    // Seat, Offer: the other seat is asked to agree
	Answered  Kind = "answered"   // Seat, Offer, Yes: it does, or does not. Consent is followed by Ended or TakenBack
	Resigned  Kind = "resigned"   // Seat; always followed by Ended
	Flagged   Kind = "flagged"    // Seat whose time is up; always followed by Ended
	Resumed   Kind = "resumed"    // Left: the match goes on after the program was down
	Claimed   Kind = "claimed"    // Seat, Result, Absence of the other seat; always followed by Ended
	Vacation  Kind = "vacation"   // Seat, Until: its player is on vacation until then; no Until: not any more
	Continued Kind = "continued"  // Seat: it goes on with an adjourned match
	Ended     Kind = "ended"      // Result, Reason: always the last event, and only that
)

// What one seat may offer the other.
const (
	OfferDraw     = "draw"
	OfferTakeback = "takeback" // the moves since the last turn of the seat that asks are undone
	OfferAdjourn  = "adjourn"  // the clocks stand until a side goes on, or for as long as a match may be adjourned
)

// Offers are the open offers in a match: for each kind, the seat that made the offer; Nobody if there is none.
type Offers struct {
	Draw, Takeback storage.Seat
	Adjourn        storage.Seat `json:",omitempty"`
}

// Pauses say until when something makes the clocks of a match stand; zero, or a time in the past: it does not.
type Pauses struct {
	Vacation  [2]time.Time // of the player on a side
	Adjourned time.Time    // both sides have agreed to it, or the player of a practice match was called away
}

// EventVersion is the version of all events.
const EventVersion = 6

// An Opening is what a match is from its first event on.
type Opening struct {
	Code      string           `json:"code"` // 6 characters of 23456789ABCDEFGHJKMNPQRSTVWXYZ
	Game      string           `json:"game"`
	Options   games.Options    `json:"options"` // complete
	Rated     bool             `json:"rated,omitempty"`
	Public    bool             `json:"public,omitempty"` // listed in the lobby; a private one is known by its code
	First     storage.Occupant `json:"first,omitzero"`   // at least one seat is taken from the start
	Second    storage.Occupant `json:"second,omitzero"`
	Reserved  storage.Occupant `json:"reserved,omitzero"`   // if set, the only player who may take the free seat
	RematchOf storage.MatchID  `json:"rematch_of,omitzero"` // the match that this one repeats with sides swapped
	Moves     []games.Move     `json:"moves,omitempty"`     // made before the players take over
	By        storage.Occupant `json:"by,omitzero"`         // who opened an exhibition, in which they have no seat
	Clock     string           `json:"clock,omitempty"`     // 5+3 or 3d; "" for none
	Range     [2]int           `json:"range,omitzero"`      // the least and the highest rating of a player who may take the free seat; zero: any
	Wait      int              `json:"wait,omitempty"`      // for how many seconds the offer waits; 0: for as long as the club lets it
	From      string           `json:"from,omitempty"`      // the start position in one line; "" for the game's own

	Tournament storage.TournamentBoard `json:"tournament,omitzero"` // to which the match belongs
}

// An Event is one entry in the log of a match. Fields that its kind does not use are zero.
type Event struct {
	Seq     uint64 // from 1, without gaps
	Version int    // of the encoding: EventVersion
	Kind    Kind
	Seat    storage.Seat     // who acted
	At      time.Time        // when it arrived: UTC, whole milliseconds, never before the event before
	Lag     time.Duration    // measured delay of the line, whole milliseconds; 0 is not measured
	Opening *Opening         // of Opened; never changed once written
	Who     storage.Occupant // of Joined
	Move    games.Move       // of Moved, canonical
	Plies   int              // of TakenBack: how many moves, from 1
	Offer   string           // of Offered and Answered: OfferDraw, OfferTakeback or OfferAdjourn
	Yes     bool             // of Answered
	Result  string           // of Ended: first, second, draw, or "" when the match is void (aborted); of Claimed: what is claimed
	Reason  string           // of Ended: a code of the rules, or one that stands in lobby/match/state.go

	Left [2]time.Duration `json:",omitzero"` // of Resumed: what each side has left on its clock, whole milliseconds

	Absence Absence `json:",omitzero"`  // of Claimed: how long the other side had been gone
	Planned bool    `json:",omitempty"` // of Moved: the move was in the plan of the seat, and costs it no time

	Until time.Time `json:",omitzero"` // of Vacation: UTC, whole milliseconds, after At
}

// An Absence is what a claim rests on: since when the other side had been gone when the match checked it.
type Absence struct {
	Since   time.Time `json:",omitzero"` // UTC, whole milliseconds, not after the claim
	Dropped bool      `json:",omitzero"` // their last session was not ended properly, so they had longer to come back
}

// eventJSON is a stored event. Its number follows from the key (logs.go).
type eventJSON struct {
	Kind    Kind             `json:"k"`
	Seat    storage.Seat     `json:"s,omitempty"`
	At      int64            `json:"t"`           // milliseconds since 1970
	Lag     int64            `json:"l,omitempty"` // milliseconds
	Opening *Opening         `json:"o,omitempty"`
	Who     storage.Occupant `json:"w,omitzero"`
	Move    games.Move       `json:"m,omitempty"`
	Plies   int              `json:"b,omitempty"`
	Offer   string           `json:"q,omitempty"`
	Yes     bool             `json:"y,omitempty"`
	Result  string           `json:"r,omitempty"`
	Reason  string           `json:"e,omitempty"`
	Left    *[2]int64        `json:"c,omitempty"` // milliseconds
	Gone    int64            `json:"g,omitempty"` // Absence.Since in milliseconds since 1970
	Dropped bool             `json:"d,omitempty"`
	Planned bool             `json:"p,omitempty"`
	Until   int64            `json:"u,omitempty"` // milliseconds since 1970
}

// encodeEvent returns the stored form of an event by itself. The error is ErrInvalid for an event that would not come back as it is.
func encodeEvent(e Event) ([]byte, error) {
	if err := checkEvent(e); err != nil {
		return nil, err
	}
	return sealEvent(e)
}

// sealEvent returns the stored form of an event that is checked.
func sealEvent(e Event) ([]byte, error) {
	j := eventJSON{
		Kind: e.Kind, Seat: e.Seat, At: e.At.UnixMilli(), Lag: e.Lag.Milliseconds(), Opening: e.Opening, Who: e.Who,
		Move: e.Move, Plies: e.Plies, Offer: e.Offer, Yes: e.Yes, Result: e.Result, Reason: e.Reason, Planned: e.Planned,
	}
	if e.Kind == Resumed {
		j.Left = &[2]int64{e.Left[0].Milliseconds(), e.Left[1].Milliseconds()}
	}
	if !e.Until.IsZero() {
		j.Until = e.Until.UnixMilli()
	}
	if e.Kind == Claimed {
		j.Gone, j.Dropped = e.Absence.Since.UnixMilli(), e.Absence.Dropped
	}
	return storage.SealJSON(EventVersion, j)
}

// decodeEvent reads the stored form of event number seq. The error is ErrDamaged for anything but what encodeEvent
// writes.
func decodeEvent(seq uint64, value []byte) (Event, error) {
	content, err := storage.Unseal(value, EventVersion)
	if err != nil {
		return Event{}, err
	}
	var j eventJSON
	if err := storage.ParseJSON(content, &j); err != nil {
		return Event{}, err
	}
	e := Event{
		Seq: seq, Version: EventVersion, Kind: j.Kind, Seat: j.Seat, At: storage.FromMS(j.At), Lag: time.Duration(j.Lag) * time.Millisecond,
		Opening: j.Opening, Who: j.Who, Move: j.Move, Plies: j.Plies, Offer: j.Offer, Yes: j.Yes, Result: j.Result,
		Reason: j.Reason, Planned: j.Planned,
	}
	exact := (j.Left != nil) == (e.Kind == Resumed) && (e.Kind == Claimed || j.Gone == 0 && !j.Dropped)
	if e.Kind == Claimed {
		e.Absence = Absence{Since: storage.FromMS(j.Gone), Dropped: j.Dropped}
		exact = exact && e.Absence.Since.UnixMilli() == j.Gone
	}
	if j.Until != 0 {
		e.Until = storage.FromMS(j.Until)
		exact = exact && e.Until.UnixMilli() == j.Until
	}
	if j.Left != nil {
		for side, ms := range j.Left {
			e.Left[side] = time.Duration(ms) * time.Millisecond
			exact = exact && e.Left[side].Milliseconds() == ms
		}
	}
	if err := checkEvent(e); err != nil || !exact || e.Lag.Milliseconds() != j.Lag || e.At.UnixMilli() != j.At {
		return Event{}, fmt.Errorf("%w: event %d makes no sense", storage.ErrDamaged, seq)
	}
	return e, nil
}

// checkEvent refuses an event that breaks what its type promises.
func checkEvent(e Event) error {
	switch {
	case e.Seq == 0:
		return fmt.Errorf("%w: an event without a number", storage.ErrInvalid)
	case e.Version != EventVersion:
		return fmt.Errorf("%w: event %d has version %d", storage.ErrInvalid, e.Seq, e.Version)
	case !known(e.Kind):
		return fmt.Errorf("%w: event %d is of kind %q", storage.ErrInvalid, e.Seq, e.Kind)
	case (e.Kind == Opened) != (e.Seq == 1) || (e.Kind == Opened) != (e.Opening != nil):
		return fmt.Errorf("%w: event %d is %s", storage.ErrInvalid, e.Seq, e.Kind)
	case e.Seat > storage.SecondSeat:
		return fmt.Errorf("%w: event %d has seat %d", storage.ErrInvalid, e.Seq, e.Seat)
	case !storage.FromMS(e.At.UnixMilli()).Equal(e.At) || e.Lag%time.Millisecond != 0:
		return fmt.Errorf("%w: event %d has a time that is not in whole milliseconds", storage.ErrInvalid, e.Seq)
	case e.Plies < 0 || (e.Kind == TakenBack) != (e.Plies > 0):
		return fmt.Errorf("%w: event %d is %s by %d plies", storage.ErrInvalid, e.Seq, e.Kind, e.Plies)
	case e.Kind != Resumed && e.Left != [2]time.Duration{} || !storage.WholeTimes(e.Left):
		return fmt.Errorf("%w: event %d leaves the times %v", storage.ErrInvalid, e.Seq, e.Left)
	case e.Kind == Ended && !storage.Decided(e.Result) && e.Result != "", e.Kind == Claimed && !storage.Decided(e.Result):
		return fmt.Errorf("%w: event %d has the result %q", storage.ErrInvalid, e.Seq, e.Result)
	case e.Planned && e.Kind != Moved:
		return fmt.Errorf("%w: event %d is %s by a plan", storage.ErrInvalid, e.Seq, e.Kind)
	case !e.Until.IsZero() && (e.Kind != Vacation || !e.Until.After(e.At) || e.Until.Sub(e.At) > maxUntil || !storage.FromMS(e.Until.UnixMilli()).Equal(e.Until) || e.Until.Location() != time.UTC):
		return fmt.Errorf("%w: event %d is %s until %v", storage.ErrInvalid, e.Seq, e.Kind, e.Until)
	case !fitsAbsence(e):
		return fmt.Errorf("%w: event %d rests on the absence %+v", storage.ErrInvalid, e.Seq, e.Absence)
	}
	if o := e.Opening; o != nil {
		if err := storage.CheckText(o.Code, o.Game, string(o.RematchOf), o.Clock, o.From); err != nil {
			return err
		}
		if err := storage.CheckOccupants(o.First, o.Second, o.Reserved, o.By); err != nil {
			return err
		}
		if err := storage.CheckTournamentBoard(o.Tournament); err != nil {
			return err
		}
		if err := storage.CheckOptions(o.Options); err != nil {
			return err
		}
		if err := checkTerms(*o); err != nil {
			return err
		}
		for _, m := range o.Moves {
			if err := storage.CheckText(string(m)); err != nil {
				return err
			}
		}
	}
	if err := storage.CheckOccupants(e.Who); err != nil {
		return err
	}
	return storage.CheckText(string(e.Move), e.Offer, e.Result, e.Reason)
}

// fitsAbsence reports whether an event has an absence that can be kept if it claims the match, and none else.
func fitsAbsence(e Event) bool {
	if e.Kind != Claimed {
		return e.Absence == Absence{}
	}
	since := e.Absence.Since
	return !since.After(e.At) && since.UnixMilli() > 0 && storage.FromMS(since.UnixMilli()).Equal(since) && since.Location() == time.UTC
}

// maxUntil is the longest that an event may say a vacation lasts, from then on.
const maxUntil = 60 * 24 * time.Hour

// maxWait is the longest that an opening may say an offer waits, in seconds: a year.
const maxWait = 365 * 24 * 60 * 60

// checkTerms refuses an opening whose range of ratings is none, or that waits for no time at all.
func checkTerms(o Opening) error {
	if o.Range[0] < 0 || o.Range[1] < o.Range[0] || o.Wait < 0 || o.Wait > maxWait {
		return fmt.Errorf("%w: an offer for ratings %v that waits %d s", storage.ErrInvalid, o.Range, o.Wait)
	}
	return nil
}

func known(k Kind) bool {
	switch k {
	case Opened, Joined, Moved, TakenBack, Helped, Offered, Answered, Resigned, Flagged, Resumed, Claimed, Vacation, Continued, Ended:
		return true
	}
	return false
}
