package wording

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/names"
	"ludoteca/lobby/operators"
	"ludoteca/sshapp/text"
)

// Error returns sentences that tell what went wrong and what to do next, for all errors of the lobby and the games. Any other
// error gets a general sentence, never its own text. nil and the end of a session's context get "".
func (s Words) Error(err error) string {
	var (
		name      *names.Error
		throttled *lobby.ThrottledError
		tooFast   *lobby.TooFastError
		offering  *lobby.OfferWaitError
		aborts    *lobby.AbortsError
		ranged    *lobby.RangeError
		moved     *lobby.KeyMovedError
		renamed   *accounts.RenamedError
		early     *lobby.ClaimEarlyError
		illegal   *games.IllegalError
		options   *games.OptionError
		position  *games.PositionError
		record    *games.RecordError
		muted     *lobby.MutedError
		chatty    *lobby.ChattyError
		codes     *lobby.CodeWaitError
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, lobby.ErrGuestCode):
		return s.T("This code gives the matches of a guest to an account. Take a name first, then say %s and the code.", s.SSH("keys claim"))
	case errors.As(err, &name):
		return s.nameProblem(name.Problem)
	case errors.As(err, &throttled):
		return s.T("Too many wrong codes. Wait %s and try again.", s.seconds(throttled.Wait))
	case errors.As(err, &tooFast):
		return s.T("That is too many matches in a short time. Wait %s and try again.", s.seconds(tooFast.Wait))
	case errors.As(err, &aborts):
		return s.T("You have called off too many matches lately, or kept others waiting for your first move. Wait %s before the next one with people; the computer players are there meanwhile.", s.seconds(aborts.Wait))
	case errors.As(err, &offering):
		return s.N(offering.Moves, "You have offered that lately. Make one more move, then offer it again.",
			"You have offered that lately. Make %d more moves, then offer it again.")
	case errors.As(err, &ranged):
		return s.T("This offer is for ratings from %d to %d. Yours is %d; without a rating in this game you count as 1500.", ranged.Range[0], ranged.Range[1], ranged.Rating)
	case errors.As(err, &moved):
		return s.T("The operator of this club has given your key to the account %s. Connect again to use it.", text.Clean(moved.To))
	case errors.As(err, &renamed):
		return s.T("Your name can change once in 30 days: again from %s.", s.Date(renamed.Next))
	case errors.As(err, &muted) && muted.Until.Equal(operators.Forever):
		return s.T("The operator of this club has muted you: you can't chat.")
	case errors.As(err, &muted):
		return s.T("The operator of this club has muted you: you can't chat until %s.", s.Minute(muted.Until))
	case errors.As(err, &chatty):
		return s.T("That is too many lines in a short time. Wait %s and try again.", s.seconds(chatty.Wait))
	case errors.As(err, &codes) && errors.Is(err, lobby.ErrYoung):
		return s.T("Notices are for accounts that are a day old. Wait %s and try again.", s.seconds(codes.Wait))
	case errors.As(err, &codes):
		return s.T("That is too many codes. Wait %s and try again.", s.seconds(codes.Wait))
	case errors.As(err, &early):
		return s.T("Your opponent may still come back. You can claim the match in %s.", s.seconds(early.Wait))
	case errors.As(err, &record):
		return s.Record(record)
	case errors.As(err, &illegal):
		return s.Illegal(illegal)
	case errors.As(err, &options):
		return s.T("These options don't go together: %s.", s.Options(options))
	case errors.As(err, &position):
		return s.T("A match can't begin from this position: %s.", text.Clean(s.T(position.Format, position.Args...)))
	case errors.Is(err, context.DeadlineExceeded):
		return s.T("That took too long. Try again in a moment.")
	}
	for _, known := range sentences {
		if errors.Is(err, known.err) {
			return s.T(known.sentence)
		}
	}
	return s.T("Something went wrong here; nothing is lost. Try again in a moment.")
}

// sentences are the words for errors that say nothing more than which one they are.
var sentences = []struct {
	err      error
	sentence string
}{
	{lobby.ErrNodeCloses, text.T("This server is closing, but the club goes on. Connect again: your matches are there.")},
	{lobby.ErrClosed, text.T("The club is closing for a moment. Your matches are kept: come back soon.")},
	{lobby.ErrBanned, text.T("The operator of this club has banned you from it.")},
	{lobby.ErrMadeRoom, text.T("The club is full, and somebody needs your place: you were the longest without a key. Come back in a minute.")},
	{lobby.ErrAccountClosed, text.T("The operator of this club has closed your account.")},
	{lobby.ErrKeyMoved, text.T("The operator of this club has given your key to another account. Connect again to use it.")},
	{lobby.ErrAccountDeleted, text.T("Your account is deleted. Your finished matches stay, under the name: former player. Thank you for playing here.")},
	{lobby.ErrKeyRemoved, text.T("This key was removed from its account. Connect again as a newcomer, or with another key.")},
	{lobby.ErrKeyClaimed, text.T("This key belongs to another account now. Connect again to use it.")},
	{lobby.ErrNoKeyCode, text.T("Nobody waits for a key with this code. A code works once, for 10 minutes: ask for another one with keys add.")},
	{lobby.ErrManyNicknames, text.T("You have tried many nicknames lately. Wait a minute and try again.")},
	{lobby.ErrManyGuestCodes, text.T("You have asked for many codes lately. Use the last one, or wait a minute.")},
	{lobby.ErrNoSender, text.T("This club sends no notices of this kind. The command wait tells a script what is new.")},
	{lobby.ErrAddress, text.T("This is no email address that the club sends to: one such as ana@example.com, in plain letters.")},
	{lobby.ErrTopic, text.T("A topic is 16 to 64 letters, digits, - and _. Choose one that nobody guesses.")},
	{lobby.ErrNoCodes, text.T("No code can go to this address now. Try again in a day, or take another address.")},
	{lobby.ErrNoticeCode, text.T("This is not the code that was sent to your address. After five wrong ones, or a day, you need another.")},
	{lobby.ErrStopCode, text.T("No notices go out with this code. It stands at the end of each notice.")},
	{lobby.ErrRecovery, text.T("Name and recovery code don't fit. Only the newest code of an account works, and only once.")},
	{lobby.ErrNoSuchKey, text.T("Your account has no such key. The command keys lists them.")},
	{lobby.ErrLastKey, text.T("This is your only key. Add another one first.")},
	{lobby.ErrManyKeys, text.T("You have too many keys. Remove one first.")},
	{lobby.ErrRestricted, text.T("The operator has restricted your account for now. It can't be deleted or renamed meanwhile.")},
	{lobby.ErrBusy, text.T("The club can't write just now; nothing is lost. Try again in a moment.")},
	{lobby.ErrStoreFull, text.T("The club's store is full: matches and clocks stand still until its operator makes room. Nothing is lost.")},
	{lobby.ErrCutOff, text.T("Out of touch with the club. The clocks here stand still; nothing is lost. Wait, or connect again.")},
	{lobby.ErrNoAccount, text.T("The club doesn't know this key yet. Connect again and choose a name.")},
	{lobby.ErrHasAccount, text.T("This key has a name already. Connect again to use it.")},
	{lobby.ErrManyAccounts, text.T("Too many new names from your address lately. Look around as a guest, and try again in an hour.")},
	{lobby.ErrNameTaken, text.T("Somebody has this name already. Try another one.")},
	{lobby.ErrNameAlike, text.T("This name is easily mistaken for another player's. Try another one.")},
	{lobby.ErrNoSuchPlayer, text.T("Nobody here has this name. Check how it is written.")},
	{lobby.ErrNoSuchGame, text.T("There is no such game here. Choose one from the list.")},
	{lobby.ErrNoSuchLevel, text.T("There is no such computer player here. Choose one from the list.")},
	{lobby.ErrNoSuchMatch, text.T("This match is not here any more. Choose another one, or open a match yourself.")},
	{lobby.ErrDamaged, text.T("The log of this match is damaged. The operator of the club has been told.")},
	{lobby.ErrEndless, text.T("With these options a game might never end. Switch one of the limits on.")},
	{lobby.ErrSpec, text.T("These choices don't go together. Change one of them.")},
	{lobby.ErrRatedGuest, text.T("Rated matches need a key. Play a casual one, or connect with a key.")},
	{lobby.ErrNeedsKey, text.T("This needs a key. Connect with one, and your results are kept too.")},
	{lobby.ErrRatedStudy, text.T("A match that begins from another position than the start of its game is always casual.")},
	{lobby.ErrRated, text.T("Only a match between two people with keys can be rated. Make it casual.")},
	{lobby.ErrDiskFull, text.T("The club's disk is nearly full. Running matches go on; new ones can't begin now.")},
	{lobby.ErrDiskFullName, text.T("The club's disk is nearly full, so new names can't be taken now. Look around as a guest, and try again later.")},
	{lobby.ErrFull, text.T("The club is full at the moment. Try again in a few minutes.")},
	{lobby.ErrTooMany, text.T("That is too many matches at once. Finish one, or withdraw an offer.")},
	{lobby.ErrOwnOffer, text.T("This is your own offer. Wait for somebody to take it.")},
	{lobby.ErrReserved, text.T("This seat is kept for somebody else. Choose another match, or open one yourself.")},
	{lobby.ErrSeatTaken, text.T("Somebody else was faster: the seat is taken. You can watch, or choose another match.")},
	{lobby.ErrNotStarted, text.T("Nobody has taken the other seat yet. Wait, or give your friend the code.")},
	{lobby.ErrUnanswered, text.T("The other side has not answered yet.")},
	{lobby.ErrSeated, text.T("You have a seat in this match already.")},
	{lobby.ErrNotSeated, text.T("You are only watching this match.")},
	{lobby.ErrNotYourTurn, text.T("It is not your turn. Wait for the other side's move.")},
	{lobby.ErrLate, text.T("The match has moved on. Look at the board again.")},
	{lobby.ErrTimeUp, text.T("The time is up.")},
	{lobby.ErrNoPlans, text.T("Moves can be planned in a match between two players with days a move.")},
	{lobby.ErrPlanTurn, text.T("It is your turn. Move first, then plan what comes after.")},
	{lobby.ErrPlanLine, text.T("A planned line begins with a move of the other side, and ends with one of yours.")},
	{lobby.ErrTwoAnswers, text.T("The plan has two answers to the same move. Choose one of them.")},
	{lobby.ErrLongPlan, text.T("A plan has at most 200 moves. Leave out some lines.")},
	{lobby.ErrClock, text.T("A clock is none, minutes and seconds like 5+3 (1 to 180 minutes for each side, 0 to 180 seconds more a move), or days like 3d (1 to 14 days a move).")},
	{lobby.ErrTooLate, text.T("Both sides have moved already: resign instead.")},
	{lobby.ErrNoRematch, text.T("A match of an event has no rematch: the event says who plays whom next. On screen, ctrl+e leads back to it.")},
	{lobby.ErrTournament, text.T("A match of an event can't be called off: resign instead.")},
	{lobby.ErrNoSuchTournament, text.T("Nobody here knows an event with this code. The list of events shows those that are open to all.")},
	{lobby.ErrYoungAccount, text.T("An account announces events from its eighth day on. You can enter events of others at once.")},
	{lobby.ErrTournamentTime, text.T("An event begins at least a minute and at most 60 days from now.")},
	{lobby.ErrRatedTournament, text.T("Only a public event without computer players of the club can be rated. Make it casual.")},
	{lobby.ErrOtherTournament, text.T("An event that you have announced is still open or goes on. Announce the next one when it is over.")},
	{lobby.ErrManyTournaments, text.T("There is no room for another event of yours now. Enter one of those that are announced, or try again later.")},
	{lobby.ErrManySeries, text.T("The club has as many series of events as it can hold. End one first.")},
	{lobby.ErrNoSuchZone, text.T("There is no such time zone. A zone has a name such as Europe/Lisbon.")},
	{lobby.ErrEntered, text.T("You take part in this event already.")},
	{lobby.ErrNotEntered, text.T("You take no part in this event.")},
	{lobby.ErrTournamentFull, text.T("This event is full. Watch it, or choose another one.")},
	{lobby.ErrNoLateEntry, text.T("Nobody can enter this event any more. Watch it, or choose another one.")},
	{lobby.ErrNeighbours, text.T("As many people of your network take part as may. The other places are for people from elsewhere.")},
	{lobby.ErrNoReturn, text.T("You can't come back to this event.")},
	{lobby.ErrNoPause, text.T("You can't pause in this event now.")},
	{lobby.ErrNotAnnouncer, text.T("Another player has announced this event: only they, or an operator, can call it off.")},
	{lobby.ErrBegun, text.T("This event has begun, so it can't be called off any more.")},
	{lobby.ErrEnded, text.T("This event is over.")},
	{lobby.ErrNoHelp, text.T("Hints are for casual matches against a computer player.")},
	{lobby.ErrNoEventHelp, text.T("There are no hints in an event, and moves stand.")},
	{lobby.ErrNothingBack, text.T("There is no move of yours to take back.")},
	{lobby.ErrNoClaim, text.T("There is nothing to claim here: your opponent has not gone, a side has not moved, or only the clock counts.")},
	{lobby.ErrClaimEarly, text.T("Your opponent may still come back.")},
	{lobby.ErrTakebacks, text.T("No more moves can be taken back in this match.")},
	{lobby.ErrTooEarly, text.T("Not both sides have moved yet: call the match off instead.")},
	{lobby.ErrRatedTakeback, text.T("In a rated match no move is taken back.")},
	{lobby.ErrNoOffer, text.T("There is no offer here that you could answer.")},
	{lobby.ErrOfferChanged, text.T("That offer is not open any more. Look at what is offered now, then answer.")},
	{lobby.ErrWhichOffer, text.T("More than one offer is open. Say which one you answer: draw, takeback or adjourn.")},
	{lobby.ErrNoAdjourn, text.T("Only a match with days a move between two players can be adjourned, and none of an event.")},
	{lobby.ErrAdjournEarly, text.T("Not both sides have moved yet, so there is nothing to adjourn.")},
	{lobby.ErrNotAdjourned, text.T("This match is not adjourned.")},
	{lobby.ErrOverdue, text.T("A move of yours is overdue, so no vacation can begin.")},
	{lobby.ErrVacationDays, text.T("You have no day of vacation left this year.")},
	{lobby.ErrVacationPast, text.T("That time is past. A vacation ends later than now.")},
	{lobby.ErrVacationChanges, text.T("You have changed the end of this vacation too often: vacation off ends it.")},
	{lobby.ErrNoVacation, text.T("You are not on vacation.")},
	{lobby.ErrOfferOpen, text.T("The other side asks for that too: accept or decline it first.")},
	{lobby.ErrUnanswered, text.T("The other side has not answered yet.")},
	{lobby.ErrSeated, text.T("You have a seat in this match already.")},
	{lobby.ErrManyOffers, text.T("You have offered that too often in this match.")},
	{lobby.ErrHinting, text.T("A hint is on its way already.")},
	{lobby.ErrDecided, text.T("The game is over after these moves. Choose an earlier position.")},
	{lobby.ErrNotOver, text.T("The match is not over yet.")},
	{lobby.ErrNoOpponent, text.T("Nobody took the other seat, so there is no rematch. Open a match again.")},
	{lobby.ErrOver, text.T("This match is over. If each side has made two moves, it is under History.")},
	{lobby.ErrUnplayed, text.T("There is nothing to analyse here: nobody moved, or the match was called off.")},
	{lobby.ErrManyAnswers, text.T("Too many long answers are under way. Try again in a moment.")},
	{lobby.ErrManyReports, text.T("That is too many reports. Wait until the operator has read some.")},
	{lobby.ErrOwnReport, text.T("You can't report yourself.")},
	{lobby.ErrLine, text.T("A line has 1 to 200 characters, on one line.")},
	{lobby.ErrGreeting, text.T("There is no such greeting.")},
	{lobby.ErrNotThere, text.T("This match is over, and you were not at it: only those who were write here now.")},
	{lobby.ErrNoCompany, text.T("Nobody else plays in this match, so nobody would read it.")},
	{lobby.ErrChatOff, text.T("You have switched chat off. Switch it on in the settings, or with chat on.")},
	{lobby.ErrPlaces, text.T("A standing offer has one to four matches at a time.")},
	{lobby.ErrManyStanding, text.T("All your standing offers together have at most four matches at a time. End one first.")},
	{lobby.ErrCrowdedStanding, text.T("As many standing offers from your network wait to be taken as may. Try again when some of them are taken.")},
	{lobby.ErrAlikeStanding, text.T("You have a standing offer of this kind already.")},
	{lobby.ErrNotOpenYet, text.T("Your standing offer is kept. Its first match opens as soon as the club can write it. standing lists it.")},
	{lobby.ErrNoStanding, text.T("You have no standing offer with this number.")},
	{lobby.ErrStandingTaken, text.T("You are in a match of this standing offer already. Finish that one first, so that others can take the next.")},
	{lobby.ErrUntold, text.T("This player takes no lines from you now. You can write to a player when you follow each other, or when you have played three matches together.")},
	{lobby.ErrOwnTell, text.T("You can't write to yourself.")},
	{lobby.ErrManyTells, text.T("Too many lines wait for this player already. Try again once they have been here.")},
	{lobby.ErrUnansweredTells, text.T("This player has not answered your last five lines. Wait for an answer.")},
	{lobby.ErrNewcomer, text.T("Your account is new: in the lounge you read for its first hour, and write afterwards.")},
	{lobby.ErrLoungeClosed, text.T("The operator of this club has closed the lounge.")},
	{lobby.ErrOneself, text.T("You can neither follow nor block yourself.")},
	{lobby.ErrNote, text.T("A note has at most 280 characters, on one line.")},
	{lobby.ErrManyNotes, text.T("The club keeps 40 notes of yours on a match, and notes on 100 matches. Remove one first.")},
	{lobby.ErrNoPly, text.T("The match has fewer moves than that.")},
	{lobby.ErrNoNote, text.T("You have no note on this position.")},
	{lobby.ErrTogether, text.T("You look at a review together with somebody already. Leave that one first.")},
	{lobby.ErrManyTogether, text.T("Too many reviews are looked at together from here just now. Try again later.")},
	{lobby.ErrNoTogether, text.T("This player can't look at a review with you now: they are not here, look at another one, or are at another server of the club.")},
	{lobby.ErrEngine, text.T("This is a computer account: only its program plays. Begin it with engine GAME.")},
	{lobby.ErrNoEngine, text.T("This is no computer account. engine --become --yes makes your account one, for ever.")},
	{lobby.ErrBecame, text.T("Your account is a computer account now, for ever. Connect again: engine GAME has your program play.")},
	{lobby.ErrPlayed, text.T("Matches or reports name this account already, so it can't become a computer account. Make another one, with a key of its own.")},
	{lobby.ErrKinds, text.T("One of the two is a computer account, and the other is not.")},
	{lobby.ErrManyEngines, text.T("You own 3 computer accounts already. Delete one of them first.")},
	{lobby.ErrNotNamed, text.T("This computer account has not named you as its owner: engine --become --yes --owner NAME does that.")},
	{lobby.ErrOwnEngine, text.T("A rated match needs two owners: yours, and another player's.")},
	{lobby.ErrReplaced, text.T("A newer session of this computer account plays this game now.")},
	{lobby.ErrManyPrograms, text.T("Too many programs of computer accounts play here or at your address. Try again later.")},
	{lobby.ErrNoInvitation, text.T("The invitation is gone: it was withdrawn, or waited too long.")},
	{lobby.ErrNoPause, text.T("You can't pause in this event now.")},
	{lobby.ErrEnded, text.T("This event is over.")},
	{lobby.ErrNoRecord, text.T("The club doesn't keep the record of this match, so it keeps no notes on it.")},
	{lobby.ErrLongRecord, text.T("A record from elsewhere may have 64 KiB and 2000 moves at most.")},
	{lobby.ErrManyStudies, text.T("The club keeps 50 records from elsewhere for you already. import --remove ID makes room.")},
	{lobby.ErrSlowInput, text.T("The record did not come to its end in 30 seconds.")},
	{lobby.ErrManyRelations, text.T("Your list is full. Take somebody off it first.")},
	{lobby.ErrRange, text.T("This offer is for players of other ratings.")},
	{lobby.ErrMissedCall, text.T("An opponent was found, but you did not come within 10 s, so the club does not look for one any more. Nothing is counted against you.")},
	{lobby.ErrElsewhere, text.T("You look for a match in another window now.")},
	{lobby.ErrOwnChallenge, text.T("You can't challenge yourself. Give the name of somebody else.")},
	{lobby.ErrChallenged, text.T("You have challenged this player already. Wait for an answer, or withdraw it.")},
	{lobby.ErrUnavailable, text.T("This player isn't available for a match now. Try again later.")},
	{lobby.ErrReason, text.T("This needs a reason, of at most 500 letters.")},
	{lobby.ErrSubject, text.T("That is neither a key's fingerprint nor an address nor a block of addresses. A block is at most /8, or /16 of IPv6. Those of a player: operator player NAME.")},
	{lobby.ErrUnchanged, text.T("It is so already: nothing would change.")},
	{lobby.ErrMerged, text.T("This account was merged with another one. Undo the merge instead.")},
	{lobby.ErrNoUndo, text.T("This can't be undone, or it has been undone already.")},
	{lobby.ErrNoPuzzle, text.T("There is no such puzzle. puzzle GAME shows one of a game, puzzle daily that of the day.")},
	{lobby.ErrNoMissedWin, text.T("None of your last 20 matches has a win that you missed, as far as they are analysed. A match is analysed when you look through it, or with analyse CODE. Wins that take too long to prove are left out.")},
	{lobby.ErrNoEntry, text.T("There is nothing of that kind to be found.")},
	{lobby.ErrNotRated, text.T("This match was not rated.")},
	{lobby.ErrManyAnalyses, text.T("Too many matches are waiting for their analysis. Try again in a few minutes.")},
}

// NoSuchCode returns the answer to a typed code or id that is unknown, or that the caller may not see.
func (s Words) NoSuchCode(code string) string {
	if codes.IsID(code) {
		return s.T("No match that you may see has the id %s. A private match is found by its code: ask your friend for it.", strings.ToLower(code))
	}
	return s.T("Nobody here knows the code %s. Check it with your friend, or open a match yourself.", text.Cut(text.Clean(code), 20))
}

// Options returns what is wrong with the options of a game, without a full stop.
func (s Words) Options(e *games.OptionError) string {
	args := slices.Clone(e.Args)
	for i, arg := range args {
		if o, ok := arg.(games.Option); ok {
			args[i] = s.Range(o)
		}
	}
	return text.Clean(s.T(e.Format, args...))
}

// Range returns the allowed values of an option in words: "even numbers from 6 to 26", "0 or 2 to 5".
func (s Words) Range(o games.Option) string {
	words := s.T("%d to %d", o.Min, o.Max)
	switch {
	case o.Step == 2 && o.Min%2 == 0:
		words = s.T("even numbers from %d to %d", o.Min, o.Max)
	case o.Step == 2:
		words = s.T("odd numbers from %d to %d", o.Min, o.Max)
	}
	if o.Zero && o.Min > 0 {
		return s.T("0 or %s", words)
	}
	return words
}

// Illegal returns the reason why a move can't be played.
func (s Words) Illegal(e *games.IllegalError) string {
	return s.T("%s can't be played: %s.", text.Clean(e.Quoted()), text.Clean(s.T(e.Format, e.Args...)))
}

// Record returns where a record is wrong, and why.
func (s Words) Record(e *games.RecordError) string {
	return s.T("Line %d, column %d: %s", e.Line, e.Column, text.Clean(s.recordProblem(e.Err)))
}

// recordProblem returns why a record is wrong, without a full stop.
func (s Words) recordProblem(err error) string {
	var (
		words    *games.RecordTextError
		illegal  *games.IllegalError
		options  *games.OptionError
		position *games.PositionError
	)
	switch {
	case errors.As(err, &words):
		return s.T(words.Format, words.Args...)
	case errors.As(err, &illegal):
		return illegal.Quoted() + ": " + s.T(illegal.Format, illegal.Args...)
	case errors.As(err, &options):
		return s.Options(options)
	case errors.As(err, &position):
		return s.T(position.Format, position.Args...)
	}
	return err.Error()
}

func (s Words) nameProblem(p names.Problem) string {
	switch p {
	case names.Short:
		return s.T("This name is too short: at least two letters, please.")
	case names.Long:
		return s.T("This name is too long: at most 20 letters, please.")
	case names.Edges:
		return s.T("Signs like - _ . may only stand between letters, one at a time. Try it without.")
	case names.Scripts:
		return s.T("This name mixes letters of different scripts. Stay with one.")
	case names.Marks:
		return s.T("This name has too many marks on one letter. Try it without.")
	case names.Reserved:
		return s.T("This name is kept for guests, computer players or staff. Try another one.")
	case names.LongNickname:
		return s.T("This nickname is too long: at most 14 letters, please.")
	default:
		return s.T("A name is made of letters and digits, with - _ . between them. Try another one.")
	}
}

// seconds is a short wait in words, rounded up.
func (s Words) seconds(d time.Duration) string {
	if d = max(d, time.Second); d < time.Minute {
		return s.T("%d s", int((d+time.Second-1)/time.Second))
	}
	return s.Span(d)
}
