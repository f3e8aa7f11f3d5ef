package match

import "errors"

// ErrLog is wrapped by the errors about logs and records that can't be read.
var ErrLog = errors.New("not a log of a match")

// The reasons why an act is refused. Illegal moves are *games.IllegalError.
var (
	ErrOver        = errors.New("the match is over")
	ErrNotStarted  = errors.New("nobody has taken the other seat yet")
	ErrNotSeated   = errors.New("you hold no seat in this match")
	ErrNotYourTurn = errors.New("it is not your turn")
	ErrLate        = errors.New("the match has moved on")
	ErrTimeUp      = errors.New("the time is up")
	ErrTooLate     = errors.New("both sides have moved: resign instead")
	ErrOwnOffer    = errors.New("this is your own offer")
	ErrReserved    = errors.New("the seat is kept for somebody else")
	ErrSeatTaken   = errors.New("the seat is taken")
	ErrRatedGuest  = errors.New("rated matches need a key")
	ErrNoHelp      = errors.New("only a casual match against a computer player has hints, and takebacks unless one user holds both seats")
	ErrNothingBack = errors.New("there is no move of yours to take back")
	ErrTakebacks   = errors.New("too many moves taken back in this match")
)
