package storage

import (
	"time"

	"ludoteca/games"
)

// A PlayerID names an account for ever, whatever its owner calls himself.
type PlayerID string

// A MatchID names a match for ever: 8 characters of 23456789abcdefghjkmnpqrstvwxyz, never to be mistaken for a code,
// which has 6.
type MatchID string

// A Kind says what an event is. The essay in lobby/fold.go tells what each does to a match.
type Kind string

// The kinds of events. Offered, Answered and Flagged have their places in the log before anything makes them.
const (
	Opened    Kind = "opened"     // Opening: always the first event, and only that
	Joined    Kind = "joined"     // Seat, Who: a free seat is taken
	Moved     Kind = "moved"      // Seat, Move
	TakenBack Kind = "taken_back" // Seat, Plies: so many of the last moves are undone. From version 2 on
	Helped    Kind = "helped"     // Seat: it was given a hint. From version 2 on
	Offered   Kind = "offered"    // Seat, Offer: a question to the other seat
	Answered  Kind = "answered"   // Seat, Offer, Yes
	Resigned  Kind = "resigned"   // Seat; always followed by Ended
	Flagged   Kind = "flagged"    // Seat whose time is up; always followed by Ended
	Ended     Kind = "ended"      // Result, Reason: always the last event, and only that
)

// EventVersion is the version of the events that this program writes. It reads all from 1 on: version 1 knew neither
// taken_back nor helped, nor moves in an opening.
const EventVersion = 2

// A Seat says which seat of a match acted. The zero value is nobody: the house itself.
type Seat uint8

// The seats. Seat numbers are stored; never change them.
const (
	Nobody Seat = iota
	FirstSeat
	SecondSeat
)

// SeatOf returns the seat that plays side s.
func SeatOf(s games.Side) Seat { return Seat(s) + 1 }

// Side returns the side that the seat plays; it must not be Nobody.
func (s Seat) Side() games.Side { return games.Side(s - 1) }

// An OccupantKind says who sits in a seat.
type OccupantKind string

// The kinds of occupants. The zero value is a free seat.
const (
	Free   OccupantKind = ""
	Person OccupantKind = "player" // ID is a PlayerID
	Guest  OccupantKind = "guest"  // ID is random and ends with the connection
	Bot    OccupantKind = "bot"    // ID is the id of a level
)

// An Occupant is who sits in a seat, with the name he had when he sat down.
type Occupant struct {
	Kind OccupantKind `json:"kind,omitempty"`
	ID   string       `json:"id,omitempty"`
	Name string       `json:"name,omitempty"`
}

// An Opening is what a match is from its first event on.
type Opening struct {
	Code      string        `json:"code"` // 6 characters of 23456789ABCDEFGHJKMNPQRSTVWXYZ
	Game      string        `json:"game"`
	Options   games.Options `json:"options"` // complete
	Rated     bool          `json:"rated,omitempty"`
	Public    bool          `json:"public,omitempty"` // listed in the lobby; a private one is known by its code
	First     Occupant      `json:"first,omitzero"`   // at least one seat is taken from the start
	Second    Occupant      `json:"second,omitzero"`
	Reserved  Occupant      `json:"reserved,omitzero"`   // if set, only he may take the free seat
	RematchOf MatchID       `json:"rematch_of,omitzero"` // the match that this one repeats with sides swapped
	Moves     []games.Move  `json:"moves,omitempty"`     // made before the players take over. From version 2 on
}

// An Event is one entry in the log of a match. Fields that its kind does not use are zero.
type Event struct {
	Seq     uint64 // from 1, without gaps
	Version int    // of the encoding: EventVersion for new ones
	Kind    Kind
	Seat    Seat          // who acted
	At      time.Time     // when it arrived: UTC, whole milliseconds, never before the event before
	Lag     time.Duration // measured delay of the line, whole milliseconds; 0 is not measured
	Opening *Opening      // of Opened; never changed once written
	Who     Occupant      // of Joined
	Move    games.Move    // of Moved, canonical
	Plies   int           // of TakenBack: how many moves, from 1
	Offer   string        // of Offered and Answered: what is asked
	Yes     bool          // of Answered
	Result  string        // of Ended: first, second, draw, or "" when the match is void (aborted)
	Reason  string        // of Ended: a code of the rules, or resigned, abandoned, aborted
}
