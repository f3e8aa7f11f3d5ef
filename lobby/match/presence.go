package match

import (
	"time"

	"ludoteca/storage"
)

// A Nearness says how near somebody is to the board of a match.
type Nearness uint8

// How near somebody can be.
const (
	Gone Nearness = iota // without a connection
	Away                 // connected, but at another board, in the lobby, or without a key for some minutes
	Here                 // at this board; a computer player always is
)

func (n Nearness) String() string { return [...]string{"gone", "away", "here"}[n] }

// A Presence says how near the occupant of a seat is to the board. It is not in the log.
type Presence struct {
	Near    Nearness
	Since   time.Time // when they went, by the clock of events; zero while they are here
	Dropped bool      // of Gone: nobody ended their last session properly; the line died, or the program was restarted
	Command bool      // of Gone: Since is their last command, not the end of a session
}

// Spectators are those who look at the board of a match without a seat in it. They are not in the log.
type Spectators struct {
	Count int
	Names []storage.Occupant // players by name, then guests; at most MaxSpectatorNames
}

// MaxSpectatorNames is how many spectators are named.
const MaxSpectatorNames = 20
