package screen

import (
	"context"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
	"ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// A Lobby is everything that the screens ask of the lobby. *lobby.Lobby is one.
type Lobby interface {
	Directory
	Company
	Accounts
	Opener
	Finder
	Television
	Archive
	Analyzer
	Catalog
}

// A Directory lists who is here and what can be played.
type Directory interface {
	Next(ctx context.Context, who lobby.User, after uint64) (*lobby.Lists, error)
	NextWho(ctx context.Context, who lobby.User, after uint64) (*lobby.Who, error)
	NextYours(ctx context.Context, who lobby.User, after uint64) (lobby.Yours, uint64, error)
	Connect(who lobby.User, from origin.Origin) (disconnect func())
	Visit(who lobby.User, keys bool) *lobby.Visit // nil in tests

	// Arrivals returns what tells a user who of those they follow comes; nil if nothing ever will.
	Arrivals(who lobby.User) (news *lobby.Arrivals, leave func())
}

// Company is whom a player follows and blocks, and reports about others.
type Company interface {
	Relate(ctx context.Context, who lobby.User, kind relations.Kind, name string, on bool) (shown string, err error)
	Related(ctx context.Context, who lobby.User, kind relations.Kind) ([]lobby.Related, error)
	RelationTo(who lobby.User, id storage.PlayerID) (follows, blocks bool)
	Report(ctx context.Context, who lobby.User, from origin.Origin, name, codeOrID, reason string) (operators.Report, error)
	ReportSide(ctx context.Context, who lobby.User, from origin.Origin, codeOrID string, side games.Side, reason string) (operators.Report, error)
}

// Accounts keep names, keys and settings.
type Accounts interface {
	SignUp(ctx context.Context, fingerprint, name string) (lobby.User, error)
	SaveSettings(ctx context.Context, who lobby.User, s accounts.Settings) error
	SignIn(ctx context.Context, fingerprint string) (lobby.User, accounts.Settings, error)

	Account(ctx context.Context, who lobby.User) (schema.Account, error)
	ChangeName(ctx context.Context, who lobby.User, name string) (lobby.User, error)
	NewRecovery(ctx context.Context, who lobby.User) (code string, err error)
	OfferKey(ctx context.Context, who lobby.User) (code string, until time.Time, err error)
	RemoveKey(ctx context.Context, who lobby.User, fingerprint string, sessions lobby.Sessions) error
	DeleteAccount(ctx context.Context, who lobby.User, sessions lobby.Sessions) error

	// OfferMatches is for guests: the code gives the matches that they have finished to a key.
	OfferMatches(ctx context.Context, who lobby.User, from origin.Origin) (code string, until time.Time, err error)

	// Of a key that is new here.
	ClaimKey(ctx context.Context, fingerprint string, from origin.Origin, code string, sessions lobby.Sessions) (lobby.User, error)
	Recover(ctx context.Context, fingerprint string, from origin.Origin, name, code string, sessions lobby.Sessions) (who lobby.User, next string, err error)
}

// An Opener opens matches.
type Opener interface {
	Opponent(ctx context.Context, who lobby.User, name string) (lobby.Opponent, error)
	Open(ctx context.Context, who lobby.User, spec lobby.Spec) (lobby.Ref, error)
	Quick(ctx context.Context, who lobby.User, spec lobby.Spec) (lobby.Ref, error)
	Seek(ctx context.Context, who lobby.User, spec lobby.Spec) (lobby.Search, error)

	LastQuick(s accounts.Settings) (lobby.Spec, bool)
	RememberQuick(s accounts.Settings, spec lobby.Spec) accounts.Settings
}

// A Finder finds matches that exist, and free seats in them.
type Finder interface {
	Join(ctx context.Context, who lobby.User, from origin.Origin, code string) (lobby.Ref, error)
	Take(ctx context.Context, who lobby.User, id storage.MatchID) (lobby.Ref, error)
	OfferStake(ctx context.Context, who lobby.User, id storage.MatchID) (*lobby.Stake, error)
	Find(ctx context.Context, who lobby.User, from origin.Origin, codeOrID string) (lobby.Ref, error)
	At(ctx context.Context, who lobby.User, ref lobby.Ref) (*lobby.Seat, error)
}

// A Television shows the best match that is played, and the last one that has been.
type Television interface {
	TelevisionInLobby(ctx context.Context, who lobby.User, after *lobby.View) (*lobby.View, error)
	LastMatch(ctx context.Context) (*lobby.Replay, error) // nil: there is none
}

// An Archive holds finished matches and what follows from them.
type Archive interface {
	Leaderboard(ctx context.Context, game string) ([]lobby.Line, error)
	OwnLine(ctx context.Context, who lobby.User, game string) (lobby.Line, bool, error)
	Profile(ctx context.Context, who lobby.User, name string) (lobby.Profile, error)
	Career(ctx context.Context, who lobby.User, p lobby.Profile) (lobby.Career, error)
	History(ctx context.Context, q lobby.HistoryQuery) ([]results.Finished, results.Cursor, error)
}

// An Analyzer looks for the mistakes in finished matches.
type Analyzer interface {
	// Analysis returns the state of a match's analysis as soon as it is newer than after, which is 0 at first. The analysis
	// goes on while somebody asks for it.
	Analysis(ctx context.Context, who lobby.User, id storage.MatchID, after uint64) (*lobby.AnalysisProgress, error)
}

// A Catalog holds the games and the computer players.
type Catalog interface {
	Games() []games.Game
	Game(name string) (games.Game, error)
	Levels() []lobby.Level
}

// An Operator is what the page of operators asks for.
type Operator interface {
	Status() status.Status
	Reports(ctx context.Context, handled bool) ([]operators.Report, error)
	Audit(ctx context.Context, before uint64, limit int) ([]operators.AuditEntry, error)

	Mute(ctx context.Context, name string, until time.Time, reason string) (operators.AuditEntry, error)
	Close(ctx context.Context, name, reason string) (operators.AuditEntry, error)
	Handle(ctx context.Context, report uint64, reason string) (operators.AuditEntry, error)
	File(ctx context.Context, name string) (lobby.File, error)
	Ban(ctx context.Context, subject string, until time.Time, reason string) (operators.AuditEntry, error)
	Undo(ctx context.Context, number uint64, reason string) (operators.AuditEntry, error)
}
