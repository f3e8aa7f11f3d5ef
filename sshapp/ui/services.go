package ui

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

// A Lobby is everything that the screens ask of the lobby. *lobby.Lobby is one.
type Lobby interface {
	Directory
	Accounts
	Opener
	Finder
	Archive
	Analyzer
	Catalog
}

// A Directory lists who is here and what can be played.
type Directory interface {
	Next(ctx context.Context, who lobby.User, after uint64) (*lobby.Lists, error)
	Enter(who lobby.User) (leave func())
}

// Accounts keep names and settings.
type Accounts interface {
	SignUp(ctx context.Context, fingerprint, name string) (lobby.User, error)
	SaveSettings(ctx context.Context, who lobby.User, s storage.Settings) error
}

// An Opener opens matches.
type Opener interface {
	Open(ctx context.Context, who lobby.User, spec lobby.Spec) (lobby.Ref, error)
	Quick(ctx context.Context, who lobby.User, game string, rated bool) (lobby.Ref, error)
}

// A Finder finds matches that exist, and free seats in them.
type Finder interface {
	Join(ctx context.Context, who lobby.User, origin, code string) (lobby.Ref, error)
	Take(ctx context.Context, who lobby.User, id storage.MatchID) (lobby.Ref, error)
	Find(ctx context.Context, who lobby.User, origin, codeOrID string) (storage.MatchID, error)
	At(ctx context.Context, who lobby.User, id storage.MatchID) (*lobby.Seat, error)
}

// An Archive holds finished matches and what follows from them.
type Archive interface {
	Leaderboard(ctx context.Context, game string) ([]lobby.Line, error)
	Profile(ctx context.Context, name string) (lobby.Profile, error)
	History(ctx context.Context, q lobby.HistoryQuery) ([]storage.Finished, storage.Cursor, error)
	Record(ctx context.Context, id storage.MatchID) (storage.Finished, error)
}

// An Analyzer looks for the mistakes in finished matches.
type Analyzer interface {
	// Analysis returns the state of a match's analysis as soon as it is newer than after, which is 0 at first. The analysis
	// goes on while somebody asks for it.
	Analysis(ctx context.Context, id storage.MatchID, after uint64) (*lobby.AnalysisProgress, error)
}

// A Catalog holds the games and the computer players.
type Catalog interface {
	Games() []games.Game
	Game(name string) (games.Game, error)
	Levels() []lobby.Level
}
