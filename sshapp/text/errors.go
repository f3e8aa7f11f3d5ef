package text

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/names"
)

// Error says what went wrong and what to do next, for everything that the lobby and the games refuse. An error that is
// none of theirs gets a general sentence, never its own text; nil and the end of a session's context get "".
func (s Say) Error(err error) string {
	var (
		name      *names.Error
		throttled *lobby.ThrottledError
		illegal   *games.IllegalError
		options   *games.OptionError
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return ""
	case errors.As(err, &name):
		return s.nameProblem(name.Problem)
	case errors.As(err, &throttled):
		return s.T("Too many codes that nobody knows. Wait %s and try again.", s.seconds(throttled.Wait))
	case errors.As(err, &illegal):
		return s.Illegal(illegal)
	case errors.As(err, &options):
		return s.T("This doesn't go together: %s.", Clean(s.T(options.Format, options.Args...)))
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
	{lobby.ErrClosed, T("The club is closing for a moment. Your matches are kept: come back soon.")},
	{lobby.ErrBusy, T("The club can't write just now; nothing is lost. Try again in a moment.")},
	{lobby.ErrNoAccount, T("The club doesn't know this key yet. Connect again and choose a name.")},
	{lobby.ErrHasAccount, T("This key has a name already. Connect again to use it.")},
	{lobby.ErrManyAccounts, T("Too many new names from your address of late. Look around as a guest, and try again in an hour.")},
	{lobby.ErrNameTaken, T("Somebody has this name already. Try another one.")},
	{lobby.ErrNoSuchPlayer, T("Nobody here has this name. Check how it is written.")},
	{lobby.ErrNoSuchGame, T("There is no such game here. Choose one from the list.")},
	{lobby.ErrNoSuchLevel, T("There is no such computer player here. Choose one from the list.")},
	{lobby.ErrNoSuchMatch, T("This match is not here any more. Choose another one, or open a match yourself.")},
	{lobby.ErrDamaged, T("The log of this match is damaged. The operator of the club has been told.")},
	{lobby.ErrEndless, T("With these options a game might never end. Switch one of the limits on.")},
	{lobby.ErrSpec, T("These settings don't go together. Change one of them.")},
	{lobby.ErrRatedGuest, T("Rated matches need a key. Play a casual one, or connect with a key.")},
	{lobby.ErrNeedsKey, T("This needs a key. Connect with one, and your results are kept too.")},
	{lobby.ErrRated, T("Only a match between two people with keys can be rated. Make it casual.")},
	{lobby.ErrTooMany, T("That is too many matches at once. Finish one, or take an offer back.")},
	{lobby.ErrOwnOffer, T("This is your own offer. Wait for somebody to take it.")},
	{lobby.ErrReserved, T("This seat is kept for somebody else. Choose another match, or open one yourself.")},
	{lobby.ErrSeatTaken, T("Somebody else was faster: the seat is taken. You can watch, or choose another match.")},
	{lobby.ErrNotStarted, T("Nobody has taken the other seat yet. Wait, or give your friend the code.")},
	{lobby.ErrNotSeated, T("You are only watching this match.")},
	{lobby.ErrNotYourTurn, T("It is not your turn. Wait for the other side's move.")},
	{lobby.ErrLate, T("The match has moved on. Look at the board again.")},
	{lobby.ErrTooLate, T("Both sides have moved already: resign instead.")},
	{lobby.ErrNoHelp, T("Hints are for casual matches against a computer player. Moves are taken back there, and where you play both sides.")},
	{lobby.ErrNothingBack, T("There is no move of yours to take back.")},
	{lobby.ErrTakebacks, T("That was enough: no more moves can be taken back in this match.")},
	{lobby.ErrHinting, T("A hint is on its way already.")},
	{lobby.ErrDecided, T("The game is over after these moves. Choose an earlier position.")},
	{lobby.ErrNotOver, T("The match is not over yet.")},
	{lobby.ErrOver, T("This match is over. You can look at it under History.")},
	{lobby.ErrUnplayed, T("There is nothing to look into here: nobody moved, or the match was called off.")},
	{lobby.ErrManyAnalyses, T("Too many matches wait to be looked into already. Try again in a few minutes.")},
}

// T marks a sentence that is looked up later, so that the test of the tables finds it.
func T(sentence string) string { return sentence }

// NoSuchCode is what to say about a code that was typed and that nobody knows.
func (s Say) NoSuchCode(code string) string {
	return s.T("Nobody here knows the code %s. Check it with your friend, or open a match yourself.", Cut(Clean(code), 20))
}

// Illegal says why a move can't be played.
func (s Say) Illegal(e *games.IllegalError) string {
	return s.T("%s can't be played: %s.", Clean(e.Quoted()), Clean(s.T(e.Format, e.Args...)))
}

func (s Say) nameProblem(p names.Problem) string {
	switch p {
	case names.Short:
		return s.T("This name is too short: at least two letters, please.")
	case names.Long:
		return s.T("This name is too long: at most 20 letters, please.")
	case names.Edges:
		return s.T("Signs like - _ . may stand alone between letters only. Try it without.")
	case names.Scripts:
		return s.T("This name mixes letters of different scripts. Stay with one.")
	case names.Marks:
		return s.T("This name has too many marks on one letter. Try it without.")
	case names.Reserved:
		return s.T("This name is kept for guests, computer players or staff. Try another one.")
	default:
		return s.T("A name is made of letters and digits, with - _ . between them. Try another one.")
	}
}

// seconds is a short wait in words, rounded up.
func (s Say) seconds(d time.Duration) string {
	if d = max(d, time.Second); d < time.Minute {
		return s.T("%d s", int((d+time.Second-1)/time.Second))
	}
	return s.Span(d)
}
