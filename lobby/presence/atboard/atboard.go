// Package atboard says how near users are to the board of a match.
package atboard

import (
	"time"

	"ludoteca/storage"
)

// A Nearness says how near a user is to the board of a match.
type Nearness uint8

// The degrees of nearness.
const (
	Gone Nearness = iota // without a connection
	Away                 // connected, but at another board, in the lobby, or without a key for some minutes
	Here                 // at this board; a computer player always is
)

func (n Nearness) String() string { return [...]string{"gone", "away", "here"}[n] }

// A Place is what a session does at boards, as its screen knows it. Code between the screen and package presence passes it on
// as it is.
type Place struct {
	Match storage.MatchID // whose board it looks at; "" for none
}

// A Presence says how near the occupant of a seat is to the board. It is not in the log.
type Presence struct {
	Near    Nearness
	Since   time.Time // when they went, by the clock of events; zero while they are here
	Dropped bool      // of Gone: they didn't end their last session; the line died, or the program was restarted
	Command bool      // of Gone: Since is the time of their last command, not of the end of a session
}

// Spectators are the users at the board of a match who have no seat in it. They are not in the log.
type Spectators struct {
	Count int
	Names []storage.Occupant // players by name, then guests; at most MaxSpectatorNames
}

// MaxSpectatorNames is the most spectators that are named.
const MaxSpectatorNames = 20
