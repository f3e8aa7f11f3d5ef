package lobby

import (
	"errors"
	"fmt"
	"time"
)

// The errors that callers tell apart. Besides these come out: *games.OptionError for options, *games.IllegalError for
// moves, *names.Error for names, *ThrottledError, and the error of a context that ended.
var (
	ErrClosed       = errors.New("the club is closing")
	ErrBusy         = errors.New("the store is in trouble; nothing is lost, try again in a moment")
	ErrNoAccount    = errors.New("no account has this key")
	ErrHasAccount   = errors.New("this key has an account already")
	ErrManyAccounts = errors.New("too many new accounts from one address") // of whoever lets people make accounts
	ErrNameTaken    = errors.New("the name is taken")
	ErrNoSuchPlayer = errors.New("no player has this name")
	ErrNoSuchGame   = errors.New("there is no such game")
	ErrNoSuchLevel  = errors.New("there is no such computer player")
	ErrNoSuchMatch  = errors.New("there is no such match")
	ErrDamaged      = errors.New("the log of this match is damaged")
	ErrEndless      = errors.New("no rule would ever end a game with these options")
	ErrSpec         = errors.New("these settings of a match don't go together")
	ErrNeedsKey     = errors.New("this needs a key")
	ErrRatedGuest   = errors.New("rated matches need a key")
	ErrRated        = errors.New("only a match between two players with keys can be rated")
	ErrTooMany      = errors.New("too many matches at once")
	ErrThrottled    = errors.New("too many wrong guesses")
	ErrOwnOffer     = errors.New("this is your own offer")
	ErrReserved     = errors.New("the seat is kept for somebody else")
	ErrSeatTaken    = errors.New("the seat is taken")
	ErrNotStarted   = errors.New("nobody has taken the other seat yet")
	ErrNotSeated    = errors.New("you hold no seat in this match")
	ErrNotYourTurn  = errors.New("it is not your turn")
	ErrLate         = errors.New("the match has moved on")
	ErrTooLate      = errors.New("both sides have moved: resign instead")
	ErrNoHelp       = errors.New("only a casual match against a computer player has hints and takebacks")
	ErrNothingBack  = errors.New("there is no move of yours to take back")
	ErrTakebacks    = errors.New("too many moves taken back in this match")
	ErrHinting      = errors.New("a hint is on its way")
	ErrDecided      = errors.New("the game is over after these moves")
	ErrNotOver      = errors.New("the match is not over")
	ErrOver         = errors.New("the match is over")
	ErrUnplayed     = errors.New("there is nothing in this match to analyse")
	ErrManyStudies  = errors.New("too many matches wait to be analysed")
)

// A ThrottledError says how long somebody must wait before he may guess again. It is an ErrThrottled.
type ThrottledError struct {
	Wait time.Duration // positive
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrThrottled, e.Wait.Round(time.Second))
}

// Unwrap returns ErrThrottled.
func (e *ThrottledError) Unwrap() error { return ErrThrottled }
