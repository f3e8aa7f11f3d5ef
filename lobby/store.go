package lobby

import (
	"context"
	"time"

	"ludoteca/games/analysis"
	"ludoteca/lobby/live"
	"ludoteca/storage"
)

// A Store is everything that the lobby needs to keep.
type Store interface {
	live.Store
	MatchFinder
	Archive
	Analyses
	Accounts

	// Sweep forgets the codes of matches that ended long before now, and the void ones among these matches.
	Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error)
}

// A MatchFinder finds matches.
type MatchFinder interface {
	// Unfinished returns the ids of all matches that have a log.
	Unfinished(ctx context.Context) ([]storage.MatchID, error)

	// ByCode returns the match that the code, in upper case, names at the time now; storage.ErrNotFound.
	ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error)
}

// An Archive keeps finished matches and ratings.
type Archive interface {
	// History returns finished matches, newest first, without their moves.
	History(ctx context.Context, q storage.HistoryQuery) ([]storage.Finished, error)

	// Ratings returns a player's ratings by game, of the games that the player has played rated.
	Ratings(ctx context.Context, id storage.PlayerID) (map[string]storage.Rating, error)

	// Standings returns the ratings of everybody who has played the game rated, in any order.
	Standings(ctx context.Context, game string) ([]storage.Standing, error)
}

// Analyses keeps analyses of finished matches.
type Analyses interface {
	// Analysis returns the analysis that is kept of a match, of any version of the method; storage.ErrNotFound. One
	// that is storage.ErrDamaged can be made anew.
	Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error)

	// SaveAnalysis keeps an analysis in place of an older one, and returns when it is on disk.
	SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error
}

// Accounts keeps players, by key and by name. What is not there is storage.ErrNotFound.
type Accounts interface {
	// SignUp makes an account, with an id of the store's choice, and its first key. storage.ErrNameTaken,
	// storage.ErrKeyTaken.
	SignUp(ctx context.Context, p storage.Player, fingerprint string) (storage.Player, error)

	PlayerByKey(ctx context.Context, fingerprint string) (storage.Player, error)
	PlayerByName(ctx context.Context, nameKey string) (storage.Player, error)

	// Keys returns the fingerprints of a player's keys.
	Keys(ctx context.Context, id storage.PlayerID) ([]string, error)

	SaveSettings(ctx context.Context, id storage.PlayerID, s storage.Settings) error
}
