package storage

import (
	"fmt"
	"strings"
	"time"

	"ludoteca/games"
)

// A PlayerID names an account for ever, through changes of its name.
type PlayerID string

// A MatchID names a match for ever: 8 characters of 23456789abcdefghjkmnpqrstvwxyz, never to be mistaken for a code,
// which has 6.
type MatchID string

// A TournamentID names a tournament for ever, in the form of a MatchID.
type TournamentID string

// A TournamentBoard says to which board of which tournament a match belongs. The zero value is none.
type TournamentBoard struct {
	ID    TournamentID `json:"id,omitempty"`
	Code  string       `json:"code,omitempty"`
	Name  string       `json:"name,omitempty"`  // of the tournament
	Round int          `json:"round,omitempty"` // 0: the tournament has none
	Board int          `json:"board,omitempty"`
}

// CheckTournamentBoard refuses a board that would not come back as it is.
func CheckTournamentBoard(b TournamentBoard) error {
	if b == (TournamentBoard{}) {
		return nil
	}
	if b.Round < 0 || b.Board < 1 {
		return fmt.Errorf("%w: board %d of round %d of a tournament", ErrInvalid, b.Board, b.Round)
	}
	if err := CheckKeys(string(b.ID), b.Code, b.Name); err != nil {
		return err
	}
	return nil
}

// A Seat says which seat of a match acted. The zero value is Nobody: no seat, but the club itself.
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
	Engine OccupantKind = "engine" // a computer account, whose program thinks elsewhere; ID is a PlayerID
)

// HasAccount reports whether an occupant of the kind has an account: a player or a computer account.
func (k OccupantKind) HasAccount() bool { return k == Person || k == Engine }

// An Occupant is the player, guest or computer player in a seat, with the name as it was then.
type Occupant struct {
	Kind OccupantKind `json:"kind,omitempty"`
	ID   string       `json:"id,omitempty"`
	Name string       `json:"name,omitempty"`
}

// WholeTimes reports whether what two sides have left is in whole milliseconds, and not less than nothing.
func WholeTimes(left [2]time.Duration) bool {
	return min(left[0], left[1]) >= 0 && left[0]%time.Millisecond == 0 && left[1]%time.Millisecond == 0
}

// CheckOccupants refuses occupants that would not come back from JSON as they are.
func CheckOccupants(occupants ...Occupant) error {
	for _, o := range occupants {
		if err := CheckText(string(o.Kind), o.ID, o.Name); err != nil {
			return err
		}
	}
	return nil
}

// CheckOptions refuses options that would not come back from JSON as they are.
func CheckOptions(o games.Options) error {
	for key := range o {
		if err := CheckText(key); err != nil {
			return err
		}
	}
	return nil
}

// Decided reports whether a result is one that a match can have; "" is a void match.
func Decided(result string) bool { return result == "first" || result == "second" || result == "draw" }

// IsPlayerID reports whether a text is the id of a player: 16 characters of a-z and 2-7.
func IsPlayerID(id PlayerID) bool {
	return len(id) == 16 && strings.IndexFunc(string(id), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '2' || c > '7') }) < 0
}

// IsFingerprint reports whether a text is the fingerprint of an SSH key.
func IsFingerprint(key string) bool { return strings.HasPrefix(key, "SHA256:") }
