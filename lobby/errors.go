package lobby

import (
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
)

// What callers of the lobby tell apart; see package refusal and package match.
var (
	ErrClosed      = refusal.ErrClosed
	ErrBusy        = refusal.ErrBusy
	ErrDamaged     = refusal.ErrDamaged
	ErrNodeCloses  = refusal.ErrNodeCloses
	ErrCutOff      = refusal.ErrCutOff
	ErrHinting     = refusal.ErrHinting
	ErrNoSuchLevel = refusal.ErrNoSuchLevel
	ErrNoSuchGame  = refusal.ErrNoSuchGame

	ErrOver        = match.ErrOver
	ErrNotStarted  = match.ErrNotStarted
	ErrNotSeated   = match.ErrNotSeated
	ErrNotYourTurn = match.ErrNotYourTurn
	ErrLate        = match.ErrLate
	ErrTimeUp      = match.ErrTimeUp
	ErrTooLate     = match.ErrTooLate
	ErrTournament  = match.ErrTournament
	ErrOwnOffer    = match.ErrOwnOffer
	ErrReserved    = match.ErrReserved
	ErrSeatTaken   = match.ErrSeatTaken
	ErrRatedGuest  = match.ErrRatedGuest
	ErrNoHelp      = match.ErrNoHelp
	ErrNoEventHelp = match.ErrNoEventHelp
	ErrNothingBack = match.ErrNothingBack
	ErrTakebacks   = match.ErrTakebacks
	ErrNoClaim     = match.ErrNoClaim
	ErrClaimEarly  = match.ErrClaimEarly

	ErrTooEarly      = match.ErrTooEarly
	ErrRatedTakeback = match.ErrRatedTakeback
	ErrNoOffer       = match.ErrNoOffer
	ErrOfferChanged  = match.ErrOfferChanged
	ErrWhichOffer    = match.ErrWhichOffer
	ErrOfferOpen     = match.ErrOfferOpen
	ErrManyOffers    = match.ErrManyOffers
	ErrOfferWait     = match.ErrOfferWait
	ErrSeated        = match.ErrSeated
	ErrUnanswered    = match.ErrUnanswered

	ErrNoAdjourn    = match.ErrNoAdjourn
	ErrAdjournEarly = match.ErrAdjournEarly
	ErrNotAdjourned = match.ErrNotAdjourned

	ErrOverdue         = refusal.ErrOverdue
	ErrVacationDays    = refusal.ErrVacationDays
	ErrVacationPast    = refusal.ErrVacationPast
	ErrVacationChanges = refusal.ErrVacationChanges
	ErrNoVacation      = refusal.ErrNoVacation

	ErrNoPlans    = match.ErrNoPlans
	ErrPlanTurn   = match.ErrPlanTurn
	ErrPlanLine   = match.ErrPlanLine
	ErrTwoAnswers = match.ErrTwoAnswers
	ErrLongPlan   = match.ErrLongPlan

	ErrClock = clock.ErrSetting

	ErrNotOver      = refusal.ErrNotOver
	ErrNoOpponent   = refusal.ErrNoOpponent
	ErrUnplayed     = refusal.ErrUnplayed
	ErrManyAnalyses = refusal.ErrManyAnalyses

	ErrNoAccount     = refusal.ErrNoAccount
	ErrHasAccount    = refusal.ErrHasAccount
	ErrManyAccounts  = refusal.ErrManyAccounts
	ErrManyAnswers   = refusal.ErrManyAnswers
	ErrNameTaken     = refusal.ErrNameTaken
	ErrNameAlike     = refusal.ErrNameAlike
	ErrManyNicknames = refusal.ErrManyNicknames
	ErrNoSuchPlayer  = refusal.ErrNoSuchPlayer
	ErrNeedsKey      = refusal.ErrNeedsKey
	ErrNoSuchMatch   = refusal.ErrNoSuchMatch
	ErrEndless       = refusal.ErrEndless
	ErrSpec          = refusal.ErrSpec
	ErrRated         = refusal.ErrRated
	ErrRatedStudy    = refusal.ErrRatedStudy
	ErrDecided       = refusal.ErrDecided
	ErrStoreFull     = refusal.ErrStoreFull
	ErrDiskFull      = refusal.ErrDiskFull
	ErrDiskFullName  = refusal.ErrDiskFullName
	ErrTooMany       = refusal.ErrTooMany
	ErrFull          = refusal.ErrFull
	ErrThrottled     = refusal.ErrThrottled
	ErrAborts        = refusal.ErrAborts
	ErrTooFast       = refusal.ErrTooFast
	ErrNoRematch     = refusal.ErrNoRematch
	ErrMissedCall    = refusal.ErrMissedCall
	ErrElsewhere     = refusal.ErrElsewhere

	ErrRange        = refusal.ErrRange
	ErrOwnChallenge = refusal.ErrOwnChallenge
	ErrChallenged   = refusal.ErrChallenged

	ErrUnavailable = refusal.ErrUnavailable

	ErrBanned        = refusal.ErrBanned
	ErrAccountClosed = refusal.ErrAccountClosed
	ErrMadeRoom      = refusal.ErrMadeRoom
	ErrKeyMoved      = refusal.ErrKeyMoved
	ErrManyReports   = refusal.ErrManyReports
	ErrOwnReport     = refusal.ErrOwnReport

	ErrLine      = refusal.ErrLine
	ErrGreeting  = refusal.ErrGreeting
	ErrNotThere  = refusal.ErrNotThere
	ErrNoCompany = refusal.ErrNoCompany
	ErrChatOff   = refusal.ErrChatOff
	ErrMuted     = refusal.ErrMuted
	ErrChatty    = refusal.ErrChatty

	ErrPlaces          = refusal.ErrPlaces
	ErrManyStanding    = refusal.ErrManyStanding
	ErrCrowdedStanding = refusal.ErrCrowdedStanding
	ErrAlikeStanding   = refusal.ErrAlikeStanding
	ErrNotOpenYet      = refusal.ErrNotOpenYet
	ErrNoStanding      = refusal.ErrNoStanding
	ErrStandingTaken   = refusal.ErrStandingTaken

	ErrUntold          = refusal.ErrUntold
	ErrOwnTell         = refusal.ErrOwnTell
	ErrManyTells       = refusal.ErrManyTells
	ErrUnansweredTells = refusal.ErrUnansweredTells

	ErrNewcomer     = refusal.ErrNewcomer
	ErrLoungeClosed = refusal.ErrLoungeClosed

	ErrOneself       = refusal.ErrOneself
	ErrManyRelations = refusal.ErrManyRelations

	ErrNote      = refusal.ErrNote
	ErrManyNotes = refusal.ErrManyNotes
	ErrNoPly     = refusal.ErrNoPly
	ErrNoNote    = refusal.ErrNoNote
	ErrNoRecord  = refusal.ErrNoRecord

	ErrLongRecord  = refusal.ErrLongRecord
	ErrManyStudies = refusal.ErrManyStudies
	ErrSlowInput   = refusal.ErrSlowInput

	ErrTogether     = refusal.ErrTogether
	ErrManyTogether = refusal.ErrManyTogether
	ErrNoTogether   = refusal.ErrNoTogether
	ErrNoInvitation = refusal.ErrNoInvitation

	ErrNoKeyCode      = refusal.ErrNoKeyCode
	ErrGuestCode      = refusal.ErrGuestCode
	ErrManyGuestCodes = refusal.ErrManyGuestCodes
	ErrRecovery       = refusal.ErrRecovery
	ErrNoSuchKey      = refusal.ErrNoSuchKey
	ErrLastKey        = refusal.ErrLastKey
	ErrManyKeys       = refusal.ErrManyKeys
	ErrRestricted     = refusal.ErrRestricted
	ErrKeyRemoved     = refusal.ErrKeyRemoved
	ErrKeyClaimed     = refusal.ErrKeyClaimed
	ErrAccountDeleted = refusal.ErrAccountDeleted

	ErrNoSuchTournament = refusal.ErrNoSuchTournament
	ErrYoungAccount     = refusal.ErrYoungAccount
	ErrTournamentTime   = refusal.ErrTournamentTime
	ErrRatedTournament  = refusal.ErrRatedTournament
	ErrOtherTournament  = refusal.ErrOtherTournament
	ErrManyTournaments  = refusal.ErrManyTournaments
	ErrManySeries       = refusal.ErrManySeries
	ErrNoSuchZone       = refusal.ErrNoSuchZone
	ErrEntered          = refusal.ErrEntered
	ErrNotEntered       = refusal.ErrNotEntered
	ErrTournamentFull   = refusal.ErrTournamentFull
	ErrNoLateEntry      = refusal.ErrNoLateEntry
	ErrNeighbours       = refusal.ErrNeighbours
	ErrNoReturn         = refusal.ErrNoReturn
	ErrNoPause          = refusal.ErrNoPause
	ErrNotAnnouncer     = refusal.ErrNotAnnouncer
	ErrBegun            = refusal.ErrBegun
	ErrEnded            = refusal.ErrEnded

	ErrReason    = refusal.ErrReason
	ErrSubject   = refusal.ErrSubject
	ErrUnchanged = refusal.ErrUnchanged
	ErrMerged    = refusal.ErrMerged

	ErrNoSender   = refusal.ErrNoSender
	ErrAddress    = refusal.ErrAddress
	ErrTopic      = refusal.ErrTopic
	ErrYoung      = refusal.ErrYoung
	ErrManyCodes  = refusal.ErrManyCodes
	ErrNoCodes    = refusal.ErrNoCodes
	ErrNoticeCode = refusal.ErrNoticeCode
	ErrStopCode   = refusal.ErrStopCode

	ErrEngine       = refusal.ErrEngine
	ErrNoEngine     = refusal.ErrNoEngine
	ErrBecame       = refusal.ErrBecame
	ErrPlayed       = refusal.ErrPlayed
	ErrKinds        = refusal.ErrKinds
	ErrManyEngines  = refusal.ErrManyEngines
	ErrNotNamed     = refusal.ErrNotNamed
	ErrOwnEngine    = refusal.ErrOwnEngine
	ErrReplaced     = refusal.ErrReplaced
	ErrManyPrograms = refusal.ErrManyPrograms
	ErrNoUndo       = refusal.ErrNoUndo
	ErrNoEntry      = refusal.ErrNoEntry
	ErrNoPuzzle     = refusal.ErrNoPuzzle
	ErrNotRated     = refusal.ErrNotRated

	ErrNoMissedWin = refusal.ErrNoMissedWin
)

type (
	ClaimEarlyError = match.ClaimEarlyError
	ThrottledError  = refusal.ThrottledError
	TooFastError    = refusal.TooFastError
	ChattyError     = refusal.ChattyError
	MutedError      = refusal.MutedError
	AbortsError     = refusal.AbortsError
	CodeWaitError   = refusal.CodeWaitError
	KeyMovedError   = refusal.KeyMovedError
	RangeError      = refusal.RangeError
)

// IsDismissal is refusal.IsDismissal.
func IsDismissal(err error) bool { return refusal.IsDismissal(err) }
