package ui

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

// A Club is what the screens ask of the lobby. *lobby.Lobby is one.
type Club interface {
	Hall
	Desk
	Opener
	Finder
	Books
	Coach
	Shelf
}

// A Hall says who is here and what can be played.
type Hall interface {
	Next(ctx context.Context, who lobby.Who, after uint64) (*lobby.Lists, error)
	Enter(who lobby.Who) (leave func())
}

// A Desk keeps names and settings.
type Desk interface {
	SignUp(ctx context.Context, fingerprint, name string) (lobby.Who, error)
	SaveSettings(ctx context.Context, who lobby.Who, s storage.Settings) error
}

// An Opener opens matches.
type Opener interface {
	Open(ctx context.Context, who lobby.Who, spec lobby.Spec) (lobby.Ref, error)
	Quick(ctx context.Context, who lobby.Who, game string) (lobby.Ref, error)
}

// A Finder leads to matches that exist.
type Finder interface {
	Join(ctx context.Context, who lobby.Who, origin, code string) (lobby.Ref, error)
	Take(ctx context.Context, who lobby.Who, id storage.MatchID) (lobby.Ref, error)
	Find(ctx context.Context, who lobby.Who, origin, codeOrID string) (storage.MatchID, error)
	At(ctx context.Context, who lobby.Who, id storage.MatchID) (*lobby.Seat, error)
}

// Books tell what has been.
type Books interface {
	Leaderboard(ctx context.Context, game string) ([]lobby.Line, error)
	Profile(ctx context.Context, name string) (lobby.Profile, error)
	History(ctx context.Context, q lobby.HistoryQuery) ([]storage.Finished, storage.Cursor, error)
	Record(ctx context.Context, id storage.MatchID) (storage.Finished, error)
}

// A Coach looks for the mistakes in finished matches.
type Coach interface {
	// Study returns how far the analysis of a match is: at once if that is newer than after, which is 0 at first, else
	// when there is something new. It goes on as long as somebody asks.
	Study(ctx context.Context, id storage.MatchID, after uint64) (*lobby.Study, error)
}

// A Shelf holds the games and the computer players.
type Shelf interface {
	Games() []games.Game
	Game(name string) (games.Game, error)
	Levels() []lobby.Level
}
