package lobby

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/lobby/analyses"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
)

// The errors that callers tell apart. Besides these come out: *games.OptionError for options, *games.IllegalError for
// moves, *names.Error for names, *ThrottledError, and the error of a context that ended.
var (
	ErrClosed      = live.ErrClosed
	ErrBusy        = live.ErrBusy
	ErrDamaged     = live.ErrDamaged
	ErrHinting     = live.ErrHinting
	ErrNoSuchLevel = live.ErrNoSuchLevel

	ErrOver        = match.ErrOver
	ErrNotStarted  = match.ErrNotStarted
	ErrNotSeated   = match.ErrNotSeated
	ErrNotYourTurn = match.ErrNotYourTurn
	ErrLate        = match.ErrLate
	ErrTooLate     = match.ErrTooLate
	ErrOwnOffer    = match.ErrOwnOffer
	ErrReserved    = match.ErrReserved
	ErrSeatTaken   = match.ErrSeatTaken
	ErrRatedGuest  = match.ErrRatedGuest
	ErrNoHelp      = match.ErrNoHelp
	ErrNothingBack = match.ErrNothingBack
	ErrTakebacks   = match.ErrTakebacks

	ErrNotOver      = analyses.ErrNotOver
	ErrUnplayed     = analyses.ErrUnplayed
	ErrManyAnalyses = analyses.ErrTooMany

	ErrNoAccount    = errors.New("no account has this key")
	ErrHasAccount   = errors.New("this key has an account already")
	ErrManyAccounts = errors.New("too many new accounts from one address") // returned by those who limit sign-ups
	ErrNameTaken    = errors.New("the name is taken")
	ErrNoSuchPlayer = errors.New("no player has this name")
	ErrNeedsKey     = errors.New("this needs a key")
	ErrNoSuchGame   = errors.New("there is no such game")
	ErrNoSuchMatch  = errors.New("there is no such match")
	ErrEndless      = errors.New("no rule would ever end a game with these options")
	ErrSpec         = errors.New("these settings of a match don't go together")
	ErrRated        = errors.New("only a match between two players with keys can be rated")
	ErrDecided      = errors.New("the game is over after these moves")
	ErrTooMany      = errors.New("too many matches at once")
	ErrThrottled    = errors.New("too many wrong guesses")
)

// A ThrottledError says how long somebody must wait before guessing again. It is an ErrThrottled.
type ThrottledError struct {
	Wait time.Duration // positive
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrThrottled, e.Wait.Round(time.Second))
}

// Unwrap returns ErrThrottled.
func (e *ThrottledError) Unwrap() error { return ErrThrottled }

// storeError returns an error of the store as callers of the lobby know it: an ErrBusy, unless it is that of a context.
func storeError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBusy, err)
}
