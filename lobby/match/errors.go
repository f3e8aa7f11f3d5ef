package match

import (
	"errors"
	"fmt"
)

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
	ErrTournament  = errors.New("a match of a tournament can't be called off: resign instead")
	ErrOwnOffer    = errors.New("this is your own offer")
	ErrReserved    = errors.New("the seat is kept for somebody else")
	ErrSeatTaken   = errors.New("the seat is taken")
	ErrRatedGuest  = errors.New("rated matches need a key")
	ErrNoHelp      = errors.New("only a casual match against a computer player has hints")
	ErrNoEventHelp = errors.New("a match of a tournament has no hints, and its moves stand")
	ErrNothingBack = errors.New("there is no move of yours to take back")
	ErrNoClaim     = errors.New("this match can't be claimed: the opponent is here, or only the clock decides")
	ErrClaimEarly  = errors.New("the opponent may still come back")
	ErrTakebacks   = errors.New("too many moves taken back in this match")

	ErrNoAdjourn     = errors.New("only a match with days a move between two people, and of no tournament, has a clock that stands")
	ErrAdjournEarly  = errors.New("not both sides have moved: there is nothing to adjourn")
	ErrNotAdjourned  = errors.New("the match is not adjourned")
	ErrTooEarly      = errors.New("not both sides have moved: abort instead")
	ErrRatedTakeback = errors.New("moves of a rated match stand")
	ErrNoOffer       = errors.New("the other side offers nothing")
	ErrOfferChanged  = errors.New("this offer is not open any more")
	ErrWhichOffer    = errors.New("more than one offer is open")
	ErrOfferOpen     = errors.New("the other side's offer is open: answer it first")
	ErrManyOffers    = errors.New("too many offers of this kind in this match")
	ErrOfferWait     = errors.New("it is too soon for another offer of this kind")
)

// ErrDone is wrapped by the errors of View.May about what a user has done already. The acts themselves have no effect then, and no error.
var (
	ErrDone       = errors.New("that is done already")
	ErrSeated     = fmt.Errorf("%w: you hold a seat in this match", ErrDone)
	ErrUnanswered = fmt.Errorf("%w: the other side has not answered yet", ErrDone)
)

// An OfferWaitError is an ErrOfferWait that says when a seat may make an offer of a kind again.
type OfferWaitError struct {
	Moves int // how many moves the seat must make first; positive
}

func (e *OfferWaitError) Error() string { return fmt.Sprintf("%v: %d moves", ErrOfferWait, e.Moves) }

// Unwrap returns ErrOfferWait.
func (e *OfferWaitError) Unwrap() error { return ErrOfferWait }
