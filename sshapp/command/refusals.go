package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/names"
	"ludoteca/sshapp/command/tree"
)

// A usageError ends a command that was called wrongly, with a sentence about what is wrong.
type usageError struct {
	words string
	usage string // how it is called; "": as the table of commands says, if there is such a command
}

func (e usageError) Error() string { return e.words }

// usage makes what is wrong with a command line an error of this package.
func usage(e *tree.UsageError) usageError { return usageError{e.Words, e.Usage} }

// A refusal ends a command with words for the caller.
type refusal struct {
	code  code
	words string
}

func (e refusal) Error() string { return e.words }

// A code says why something was refused, for scripts. Codes are never renamed.
type code string

// The codes of refusals. commands.md lists them.
const (
	codeUsage       code = "usage"
	codeNotFound    code = "not_found"
	codeNotYours    code = "not_yours"
	codeNotYourTurn code = "not_your_turn"
	codeIllegal     code = "illegal" // a move, or a choice that the rules or the club don't allow
	codeOver        code = "over"
	codeNotOpen     code = "not_open"    // there is nothing that this could be done to now
	codeUnavailable code = "unavailable" // the other player doesn't take it, whatever the reason
	codeMuted       code = "muted"
	codeClosed      code = "closed"    // the account, the club, or what was followed without news
	codeThrottled   code = "throttled" // with retry_s where the time is known
	codeFull        code = "full"
	codeBusy        code = "busy"
	codeGuest       code = "guest" // it needs a key with a name
	codeNameTaken   code = "name_taken"
	codeBadName     code = "bad_name"
	codeWrongCode   code = "wrong_code"
	codeExpired     code = "expired" // the time of wait
	codeConflict    code = "conflict"
	codeCutOff      code = "cut_off"
)

// codes maps sentinel errors without further data to their codes. An error that wraps several sentinels has the code of the first one here.
var codes = []struct {
	code   code
	errors []error
}{

	{codeCutOff, []error{lobby.ErrCutOff, lobby.ErrStoreFull}},
	{codeNotFound, []error{lobby.ErrNoSuchMatch, lobby.ErrNoSuchPlayer, lobby.ErrNoSuchGame, lobby.ErrNoSuchLevel, lobby.ErrNoSuchKey, lobby.ErrNoEntry, lobby.ErrGreeting, lobby.ErrNoPuzzle, lobby.ErrNoMissedWin, lobby.ErrNoPly, lobby.ErrNoNote, lobby.ErrNoRecord, lobby.ErrNoInvitation, lobby.ErrNoStanding, lobby.ErrNotNamed, lobby.ErrNoSuchTournament, lobby.ErrNoSuchZone}},
	{codeNotYours, []error{lobby.ErrNotSeated, lobby.ErrReserved, lobby.ErrOwnOffer, lobby.ErrNotThere, lobby.ErrOneself, lobby.ErrOwnChallenge, lobby.ErrOwnReport, lobby.ErrOwnTell, lobby.ErrNotAnnouncer, lobby.ErrNotEntered}},
	{codeNotYourTurn, []error{lobby.ErrNotYourTurn}},
	{codeIllegal, []error{lobby.ErrEndless, lobby.ErrSpec, lobby.ErrPlaces, lobby.ErrNoOpponent, lobby.ErrRated, lobby.ErrRatedStudy, lobby.ErrDecided, lobby.ErrClock, lobby.ErrLine, lobby.ErrNote, lobby.ErrLongRecord, lobby.ErrReason, lobby.ErrSubject, lobby.ErrEngine, lobby.ErrNoEngine, lobby.ErrOwnEngine, lobby.ErrKinds, lobby.ErrPlanLine, lobby.ErrTwoAnswers, lobby.ErrTournamentTime, lobby.ErrRatedTournament, lobby.ErrAddress, lobby.ErrTopic, lobby.ErrVacationPast}},
	{codeOver, []error{lobby.ErrOver, lobby.ErrTimeUp, lobby.ErrEnded}},
	{codeNotOpen, []error{
		lobby.ErrNoOffer, lobby.ErrNotStarted, lobby.ErrNotOver, lobby.ErrTooLate, lobby.ErrTournament, lobby.ErrNoRematch, lobby.ErrTooEarly, lobby.ErrNothingBack, lobby.ErrNoClaim, lobby.ErrClaimEarly,
		lobby.ErrNoHelp, lobby.ErrNoEventHelp, lobby.ErrTakebacks, lobby.ErrRatedTakeback, lobby.ErrSeatTaken, lobby.ErrUnplayed, lobby.ErrNoCompany, lobby.ErrNotRated, lobby.ErrUnchanged,
		lobby.ErrMerged, lobby.ErrNoUndo, lobby.ErrNewcomer, lobby.ErrLoungeClosed, lobby.ErrNoPlans, lobby.ErrPlanTurn, lobby.ErrNoLateEntry, lobby.ErrNoReturn, lobby.ErrNoPause, lobby.ErrNoAdjourn, lobby.ErrAdjournEarly, lobby.ErrNotAdjourned, lobby.ErrOverdue, lobby.ErrNoVacation, lobby.ErrBegun, lobby.ErrNoSender, lobby.ErrYoungAccount,
	}},
	{codeUnavailable, []error{lobby.ErrUnavailable, lobby.ErrUntold, lobby.ErrNoTogether, lobby.ErrRange, lobby.ErrChatOff, lobby.ErrNoCodes}},
	{codeMuted, []error{lobby.ErrMuted}},
	{codeClosed, []error{
		lobby.ErrAccountClosed, lobby.ErrBanned, lobby.ErrKeyMoved, lobby.ErrAccountDeleted, lobby.ErrBecame, lobby.ErrKeyRemoved, lobby.ErrKeyClaimed, lobby.ErrRestricted,
		lobby.ErrNodeCloses, lobby.ErrClosed,
	}},
	{codeThrottled, []error{lobby.ErrThrottled, lobby.ErrTooFast, lobby.ErrAborts, lobby.ErrChatty, lobby.ErrManyAccounts, lobby.ErrManyGuestCodes, lobby.ErrManyNicknames, lobby.ErrOfferWait, lobby.ErrYoung, lobby.ErrManyCodes}},
	{codeFull, []error{
		lobby.ErrFull, lobby.ErrMadeRoom, lobby.ErrTooMany, lobby.ErrDiskFull, lobby.ErrDiskFullName, lobby.ErrManyKeys, lobby.ErrManyRelations,
		lobby.ErrManyReports, lobby.ErrManyAnalyses, lobby.ErrManyStanding, lobby.ErrCrowdedStanding, lobby.ErrManyTells, lobby.ErrUnansweredTells, lobby.ErrManyNotes, lobby.ErrManyStudies, lobby.ErrManyTogether, lobby.ErrManyOffers, lobby.ErrManyEngines, lobby.ErrManyPrograms, lobby.ErrLongPlan,
		lobby.ErrManyTournaments, lobby.ErrManySeries, lobby.ErrTournamentFull, lobby.ErrNeighbours, lobby.ErrVacationDays, lobby.ErrVacationChanges,
	}},
	{codeExpired, []error{lobby.ErrSlowInput}},
	{codeBusy, []error{lobby.ErrBusy, lobby.ErrNotOpenYet, lobby.ErrManyAnswers, lobby.ErrHinting, lobby.ErrDamaged, context.DeadlineExceeded}},
	{codeGuest, []error{lobby.ErrNeedsKey, lobby.ErrRatedGuest, lobby.ErrNoAccount}},
	{codeNameTaken, []error{lobby.ErrNameTaken, lobby.ErrNameAlike}},
	{codeWrongCode, []error{lobby.ErrNoKeyCode, lobby.ErrGuestCode, lobby.ErrRecovery, lobby.ErrNoticeCode, lobby.ErrStopCode}},
	{codeConflict, []error{
		lobby.ErrAlikeStanding, lobby.ErrStandingTaken, lobby.ErrOfferChanged, lobby.ErrWhichOffer, lobby.ErrOfferOpen, lobby.ErrUnanswered, lobby.ErrSeated, lobby.ErrLate, lobby.ErrChallenged, lobby.ErrTogether, lobby.ErrElsewhere, lobby.ErrMissedCall, lobby.ErrLastKey, lobby.ErrHasAccount, lobby.ErrPlayed, lobby.ErrReplaced, lobby.ErrEntered, lobby.ErrOtherTournament,
	}},
}

// codeOf returns the code of an error of the club. One that is none of its own is busy: it may be tried again.
func codeOf(err error) code {
	var name *names.Error
	var illegal *games.IllegalError
	var options *games.OptionError
	var position *games.PositionError
	var renamed *accounts.RenamedError
	switch {
	case errors.As(err, &name):
		return codeBadName
	case errors.As(err, &illegal), errors.As(err, &options), errors.As(err, &position):
		return codeIllegal
	case errors.As(err, &renamed):
		return codeThrottled
	}
	for _, known := range codes {
		for _, e := range known.errors {
			if errors.Is(err, e) {
				return known.code
			}
		}
	}
	return codeBusy
}

// retryAfter returns how long to wait before something is tried again that was refused because it came too soon; 0 if that isn't known.
func retryAfter(err error) time.Duration {
	var throttled *lobby.ThrottledError
	var tooFast *lobby.TooFastError
	var aborts *lobby.AbortsError
	var chatty *lobby.ChattyError
	var early *lobby.ClaimEarlyError
	var renamed *accounts.RenamedError
	var codes *lobby.CodeWaitError
	switch {
	case errors.As(err, &codes):
		return codes.Wait
	case errors.As(err, &throttled):
		return throttled.Wait
	case errors.As(err, &tooFast):
		return tooFast.Wait
	case errors.As(err, &aborts):
		return aborts.Wait
	case errors.As(err, &chatty):
		return chatty.Wait
	case errors.As(err, &early):
		return early.Wait
	case errors.As(err, &renamed):
		return time.Until(renamed.Next)
	}
	return 0
}

// refusalJSON is a refusal as scripts read it.
type refusalJSON struct {
	Error struct {
		Code    code   `json:"code"`
		Message string `json:"message"`           // in the language of the account
		Retry   int    `json:"retry_s,omitempty"` // after how many seconds it may be tried again; left out where that isn't known
	} `json:"error"`
}

// refusalLine returns the line that scripts read of a refusal.
func refusalLine(why code, message string, retry time.Duration) []byte {
	var j refusalJSON
	j.Error.Code, j.Error.Message = why, message
	if retry > 0 {
		j.Error.Retry = int((retry + time.Second - 1) / time.Second)
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(j) // it can be written: there are texts and a number
	return line.Bytes()
}

// Unread returns the JSON for stdout when a command line is refused before it runs: because of err or, if err is nil, because the line is not
// a command. words is the message for people. Unread returns nothing for a line that doesn't ask for JSON.
func Unread(line string, err error, words string) []byte {
	switch {
	case !wantsJSON(line):
		return nil
	case err == nil:
		return refusalLine(codeUsage, words, 0)
	}
	return refusalLine(codeOf(err), words, retryAfter(err))
}

// wantsJSON reports whether a command line that may be wrong asks for JSON.
func wantsJSON(line string) bool {
	for _, word := range strings.Fields(line) {
		switch word {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}
