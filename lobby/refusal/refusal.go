// Package refusal has the errors with which the club refuses requests, for callers to tell apart.
package refusal

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The errors of the club. Its methods also return the errors of package match, *games.OptionError for options, *games.IllegalError for moves,
// *names.Error for names, and the error of a context that has ended.
var (
	ErrClosed      = errors.New("the club is closing")
	ErrBusy        = errors.New("the store is in trouble; nothing is lost, try again in a moment")
	ErrDamaged     = errors.New("the log of this match is damaged")
	ErrNodeCloses  = fmt.Errorf("%w here, and goes on at other nodes", ErrClosed)
	ErrCutOff      = errors.New("this node can't reach the store of the club; nothing is lost, and no clock runs")
	ErrUnsettled   = errors.New("this node has started or come back a moment ago") // and may still be behind the others
	ErrHinting     = errors.New("a hint is on its way")
	ErrNoSuchLevel = errors.New("there is no such computer player")
	ErrNoSuchGame  = errors.New("there is no such game")
	ErrNoPuzzle    = errors.New("there is no such puzzle")
	ErrNoMissedWin = errors.New("no analysed match of the user has a missed win")

	ErrNotOver      = errors.New("the match is not over")
	ErrNoOpponent   = errors.New("the match has ended without an opponent")
	ErrUnplayed     = errors.New("there is nothing in this match to analyse")
	ErrManyAnalyses = errors.New("too many matches wait to be analysed")

	ErrNoAccount     = errors.New("no account has this key")
	ErrHasAccount    = errors.New("this key has an account already")
	ErrManyAccounts  = errors.New("too many new accounts from one address") // returned by callers that limit sign-ups
	ErrManyAnswers   = errors.New("too many long answers at once")          // returned by callers that limit heavy requests
	ErrNameTaken     = errors.New("the name is taken")
	ErrNameAlike     = errors.New("the name looks like another player's")
	ErrManyNicknames = errors.New("too many changes of a nickname")
	ErrNoSuchPlayer  = errors.New("no player has this name")
	ErrNeedsKey      = errors.New("this needs a key")
	ErrNoSuchMatch   = errors.New("there is no such match")
	ErrEndless       = errors.New("no rule would ever end a game with these options")
	ErrSpec          = errors.New("these settings of a match don't go together")
	ErrRated         = errors.New("only a match between two players with keys can be rated")
	ErrRatedStudy    = errors.New("a match that does not begin at the start of its game is casual")
	ErrDecided       = errors.New("the game is over after these moves")
	// ErrStoreFull wraps ErrCutOff: the store answers, but it has reached its quota and accepts no writes.
	ErrStoreFull    = fmt.Errorf("the store has reached its quota and takes nothing: %w", ErrCutOff)
	ErrDiskFull     = errors.New("the disk is nearly full: no new matches")
	ErrDiskFullName = errors.New("the disk is nearly full: no new accounts")
	ErrTooMany      = errors.New("too many matches at once")
	ErrFull         = errors.New("the club is full") // for now
	ErrThrottled    = errors.New("too many wrong guesses")
	ErrAborts       = errors.New("too many matches called off")
	ErrTooFast      = errors.New("too many matches in a short time")
	ErrNoRematch    = errors.New("a match of a tournament has no rematch")
	ErrMissedCall   = errors.New("the user did not come when an opponent was found")
	ErrElsewhere    = errors.New("the user looks for another match now")

	// Of standing offers.
	ErrPlaces          = errors.New("a standing offer has at most four matches at a time")
	ErrManyStanding    = errors.New("too many standing offers")
	ErrCrowdedStanding = errors.New("too many standing offers of people of one block of addresses wait to be taken")
	ErrAlikeStanding   = errors.New("the user has a standing offer of this kind")
	ErrNotOpenYet      = errors.New("the standing offer is kept, and its first match is not open yet")
	ErrNoStanding      = errors.New("there is no such standing offer")
	ErrStandingTaken   = errors.New("the user has a match of this standing offer already")

	// Of offers and challenges.
	ErrRange        = errors.New("the offer is for other ratings")
	ErrOwnChallenge = errors.New("a challenge to oneself")
	ErrChallenged   = errors.New("this player is challenged by the same one already")

	// ErrUnavailable says that a player takes no challenge, rematch or offer of a user now. It doesn't tell the user whether the player
	// has blocked them or has too many challenges.
	ErrUnavailable = errors.New("this player isn't available for a match now")

	ErrBanned        = errors.New("an operator has banned this key or address")
	ErrAccountClosed = errors.New("an operator has closed this account")
	ErrMadeRoom      = errors.New("the club is full and the place of this session is needed")
	ErrKeyMoved      = errors.New("an operator has given this key to another account")
	ErrManyReports   = errors.New("too many reports")
	ErrOwnReport     = errors.New("a report about oneself")

	// Of chat.
	ErrLine      = errors.New("a line of the chat is empty, too long or no text")
	ErrGreeting  = errors.New("there is no such greeting")
	ErrNotThere  = errors.New("the match is over, and the user was not at it")
	ErrNoCompany = errors.New("nobody else sits in this match")
	ErrChatOff   = errors.New("the user has switched chat off")
	ErrMuted     = errors.New("an operator has muted this player")
	ErrChatty    = errors.New("too many lines in a short time")

	// Of lines to players outside of matches. ErrUntold doesn't say whether the player has blocked the user, takes no lines or isn't acquainted.
	ErrUntold          = errors.New("this player takes no lines from the user")
	ErrOwnTell         = errors.New("a line to oneself")
	ErrManyTells       = errors.New("too many lines wait for this player")
	ErrUnansweredTells = errors.New("the player has not answered the last lines of the user")

	// Of the lounge.
	ErrNewcomer     = errors.New("the account is too young to write in the lounge")
	ErrLoungeClosed = errors.New("an operator has closed the lounge")

	// Of following and blocking.
	ErrOneself       = errors.New("one neither follows nor blocks oneself")
	ErrManyRelations = errors.New("too many players are followed or blocked")

	// Of notes.
	ErrNote      = errors.New("a note is too long or no text")
	ErrManyNotes = errors.New("too many notes")
	ErrNoPly     = errors.New("the match has fewer moves")
	ErrNoNote    = errors.New("the user has no note on the position")
	ErrNoRecord  = errors.New("the record of the match is not kept")

	// Of imported records.
	ErrLongRecord  = errors.New("the record is too long to be imported")
	ErrManyStudies = errors.New("too many studies")
	ErrSlowInput   = errors.New("the input did not come to its end in time")

	// Of reviews that two people look at together.
	ErrTogether     = errors.New("the user looks at a review together with another person")
	ErrManyTogether = errors.New("too many reviews are looked at together")
	ErrNoTogether   = errors.New("this player can't look at a review with the user now")
	ErrNoInvitation = errors.New("no invitation waits for the user")

	// Of changes of one's own account.
	ErrNoKeyCode      = errors.New("no key is waited for with this code")
	ErrGuestCode      = errors.New("the code gives the matches of a guest to an account, and the key has none")
	ErrManyGuestCodes = errors.New("too many codes for the matches of guests")
	ErrRecovery       = errors.New("there is no account with this name and recovery code")
	ErrNoSuchKey      = errors.New("the account has no such key")
	ErrLastKey        = errors.New("the account has no other key")
	ErrManyKeys       = errors.New("the account has too many keys")
	ErrRestricted     = errors.New("an operator has restricted this account")
	ErrKeyRemoved     = errors.New("the key was removed from its account")
	ErrKeyClaimed     = errors.New("the key belongs to another account now")
	ErrAccountDeleted = errors.New("the account was deleted")

	// Of notices outside the club.
	ErrNoSender   = errors.New("the club sends no notices of this kind")
	ErrAddress    = errors.New("it is no email address to which the club sends")
	ErrTopic      = errors.New("a topic is 16 to 64 letters, digits, hyphens and underscores")
	ErrYoung      = errors.New("the account is too young for notices")
	ErrManyCodes  = errors.New("too many codes for notices were asked for")
	ErrNoCodes    = errors.New("no code for notices goes to this address now")
	ErrNoticeCode = errors.New("it is not the code that was sent")
	ErrStopCode   = errors.New("no notices are sent with this code")

	// Of computer accounts.
	ErrEngine       = errors.New("a computer account plays by its program alone")
	ErrNoEngine     = errors.New("it is no computer account")
	ErrBecame       = errors.New("the account has become a computer account")
	ErrPlayed       = errors.New("the account has played or been reported, and can't become a computer account")
	ErrKinds        = errors.New("one of the accounts is a computer account, and the other is not")
	ErrManyEngines  = errors.New("the player owns too many computer accounts")
	ErrNotNamed     = errors.New("the computer account has not named this owner")
	ErrOwnEngine    = errors.New("a rated match between accounts of one owner")
	ErrReplaced     = errors.New("a newer session of the computer account plays this game")
	ErrManyPrograms = errors.New("too many programs play")

	// Of operators' acts.
	ErrNoSuchTournament = errors.New("there is no such tournament")
	ErrYoungAccount     = errors.New("the account is too young to announce a tournament")
	ErrTournamentTime   = errors.New("the tournament would begin too soon or too late")
	ErrRatedTournament  = errors.New("only a public tournament without computer players can be rated")
	ErrOtherTournament  = errors.New("the user has announced another tournament")
	ErrManyTournaments  = errors.New("the club has too many tournaments")
	ErrManySeries       = errors.New("the club has too many series of tournaments")
	ErrNoSuchZone       = errors.New("there is no such time zone")
	ErrEntered          = errors.New("the user takes part in the tournament already")
	ErrNotEntered       = errors.New("the user takes no part in the tournament")
	ErrTournamentFull   = errors.New("the tournament is full")
	ErrNoLateEntry      = errors.New("nobody may enter the tournament any more")
	ErrNeighbours       = errors.New("too many entrants of the tournament come from one block of addresses")
	ErrNoReturn         = errors.New("the user may not come back to the tournament")
	ErrOverdue          = errors.New("a move of the player is overdue, so no vacation begins")
	ErrVacationDays     = errors.New("no day of vacation is left")
	ErrVacationPast     = errors.New("the vacation would end before it begins")
	ErrVacationChanges  = errors.New("the end of the vacation was changed too often")
	ErrNoVacation       = errors.New("the player is not on vacation")
	ErrNoPause          = errors.New("nobody pauses in the tournament, or not any more")
	ErrNotAnnouncer     = errors.New("another user has announced the tournament")
	ErrBegun            = errors.New("the tournament has begun")
	ErrEnded            = errors.New("the tournament is over")

	ErrReason    = errors.New("an act of an operator needs a reason")
	ErrSubject   = errors.New("neither the fingerprint of a key, nor an address, nor a block of at most /8 or, of IPv6, /16")
	ErrUnchanged = errors.New("it is so already")
	ErrMerged    = errors.New("the account was merged with another one")
	ErrNoUndo    = errors.New("it can't be undone")
	ErrNoEntry   = errors.New("there is nothing with this number")
	ErrNotRated  = errors.New("the match was not rated")
)

// A ThrottledError is an ErrThrottled that says how long a user must wait before guessing again.
type ThrottledError struct {
	Wait time.Duration // positive
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrThrottled, e.Wait.Round(time.Second))
}

// Unwrap returns ErrThrottled.
func (e *ThrottledError) Unwrap() error { return ErrThrottled }

// A TooFastError is an ErrTooFast that says how long a user must wait before opening or resigning another match.
type TooFastError struct {
	Wait time.Duration // positive
}

func (e *TooFastError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrTooFast, e.Wait.Round(time.Second))
}

// Unwrap returns ErrTooFast.
func (e *TooFastError) Unwrap() error { return ErrTooFast }

// A ChattyError is an ErrChatty that says how long a user must wait before writing another line.
type ChattyError struct {
	Wait time.Duration // positive
}

func (e *ChattyError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrChatty, e.Wait.Round(time.Second))
}

// Unwrap returns ErrChatty.
func (e *ChattyError) Unwrap() error { return ErrChatty }

// A CodeWaitError is an ErrYoung or an ErrManyCodes that says how long a player must wait before asking for a code for notices.
type CodeWaitError struct {
	Reason error
	Wait   time.Duration // positive
}

func (e *CodeWaitError) Error() string {
	return fmt.Sprintf("%v: wait %v", e.Reason, e.Wait.Round(time.Second))
}

// Unwrap returns the reason.
func (e *CodeWaitError) Unwrap() error { return e.Reason }

// A MutedError is an ErrMuted that says until when a player may not chat: operators.Forever if there is no end.
type MutedError struct {
	Until time.Time
}

func (e *MutedError) Error() string {
	return fmt.Sprintf("%v until %s", ErrMuted, e.Until.UTC().Format(time.RFC3339))
}

// Unwrap returns ErrMuted.
func (e *MutedError) Unwrap() error { return ErrMuted }

// An AbortsError is an ErrAborts that says how long a user must wait before the next match with people.
type AbortsError struct {
	Wait time.Duration // positive
}

func (e *AbortsError) Error() string {
	return fmt.Sprintf("%v: wait %v", ErrAborts, e.Wait.Round(time.Second))
}

// Unwrap returns ErrAborts.
func (e *AbortsError) Unwrap() error { return ErrAborts }

// A KeyMovedError is an ErrKeyMoved that names the account to which the key belongs now.
type KeyMovedError struct {
	To string // the name of the account
}

func (e *KeyMovedError) Error() string { return fmt.Sprintf("%v: %s", ErrKeyMoved, e.To) }

// Unwrap returns ErrKeyMoved.
func (e *KeyMovedError) Unwrap() error { return ErrKeyMoved }

// A RangeError is an ErrRange that gives the ratings for which an offer is, and the user's own.
type RangeError struct {
	Range  [2]int // the least and the highest rating
	Rating int    // of the user, in whole points; a newcomer's for a user without one
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("%v: %d to %d, not %d", ErrRange, e.Range[0], e.Range[1], e.Rating)
}

// Unwrap returns ErrRange.
func (e *RangeError) Unwrap() error { return ErrRange }

// IsDismissal reports whether an error is a reason for ending the sessions of a key or an address.
func IsDismissal(err error) bool {
	for _, why := range []error{ErrBanned, ErrAccountClosed, ErrKeyMoved, ErrAccountDeleted, ErrKeyRemoved, ErrKeyClaimed, ErrBecame, ErrMadeRoom} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// OfStore returns an error of the store for callers of the club: it wraps ErrBusy unless it is the error of a context.
func OfStore(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBusy, err)
}

// IsThrottled reports whether an error is a *ThrottledError.
func IsThrottled(err error) bool {
	var throttled *ThrottledError
	return errors.As(err, &throttled)
}
