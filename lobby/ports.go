package lobby

import (
	"context"
	"time"

	"ludoteca/games/analysis"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// A Journal keeps the logs of unfinished matches.
type Journal interface {
	// Append writes events to the log of a match, all or none, and returns when they are on disk. The number of the
	// first event must be the next one of the log. storage.ErrStale: the number is taken. storage.ErrCodeTaken: the
	// code of a new match names another one. After storage.ErrCommit nothing is known: read the log.
	Append(ctx context.Context, id storage.MatchID, events []storage.Event) error

	// Finish appends the last events of a match, moves it to the records and rates it, as one. It returns the change
	// of the two ratings of a rated match, else nil. Errors are those of Append.
	Finish(ctx context.Context, id storage.MatchID, events []storage.Event, f storage.Finished) (*[2]storage.RatingChange, error)

	// Log returns all events of an unfinished match; storage.ErrNotFound if there is none with this id.
	Log(ctx context.Context, id storage.MatchID) ([]storage.Event, error)
}

// An Archive finds matches. What is not there is storage.ErrNotFound.
type Archive interface {
	// Unfinished returns the ids of all matches that have a log.
	Unfinished(ctx context.Context) ([]storage.MatchID, error)

	// Finished returns the whole record of a match that has ended.
	Finished(ctx context.Context, id storage.MatchID) (storage.Finished, error)

	// ByCode returns the match that the code, in upper case, names at the time now.
	ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error)
}

// Books say what has been.
type Books interface {
	// History returns finished matches, newest first, without their moves.
	History(ctx context.Context, q storage.HistoryQuery) ([]storage.Finished, error)

	// Ratings returns a player's ratings by game, of the games he has played rated.
	Ratings(ctx context.Context, id storage.PlayerID) (map[string]storage.Rating, error)

	// Standings returns the ratings of everybody who has played the game rated, in any order.
	Standings(ctx context.Context, game string) ([]storage.Standing, error)
}

// Studies keep analyses of matches that have ended.
type Studies interface {
	// Analysis returns the analysis that is kept of a match, of whatever version of the method; storage.ErrNotFound if
	// there is none. One that is storage.ErrDamaged can be made anew.
	Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error)

	// SaveAnalysis keeps an analysis in place of an older one, and returns when it is on disk.
	SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error
}

// Accounts know players by key and by name. What is not there is storage.ErrNotFound.
type Accounts interface {
	// SignUp makes an account, with an id of the store's choice, and its first key. storage.ErrNameTaken,
	// storage.ErrKeyTaken.
	SignUp(ctx context.Context, p storage.Player, fingerprint string) (storage.Player, error)

	PlayerByKey(ctx context.Context, fingerprint string) (storage.Player, error)
	PlayerByName(ctx context.Context, nameKey string) (storage.Player, error)
}

// Drawers keep what belongs to a player. An unknown player is storage.ErrNotFound.
type Drawers interface {
	// Keys returns the fingerprints of a player's keys.
	Keys(ctx context.Context, id storage.PlayerID) ([]string, error)

	SaveSettings(ctx context.Context, id storage.PlayerID, s storage.Settings) error
}

// A Store is everything that the lobby needs to keep.
type Store interface {
	Journal
	Archive
	Books
	Studies
	Accounts
	Drawers

	// Sweep forgets the codes of matches that ended long before now.
	Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error)
}

// A Level is a computer player that plays in the club.
type Level = thinking.Level

// A Decision is the move that a computer player has chosen, and what it knows of the position.
type Decision = thinking.Decision
