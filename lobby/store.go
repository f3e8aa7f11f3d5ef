package lobby

import (
	"context"
	"time"

	"ludoteca/games/analysis"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/live"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/operators"
	"ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// A Store is everything that the lobby needs to keep.
type Store interface {
	live.Store
	MatchFinder
	Archive
	Analyses
	accounts.Store
	accounts.KeyStore
	accounts.SessionStore
	Relations
	Operating
	chat.Store

	// ChatBy returns what is kept of what a player has written, by match.
	ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]chatstore.Line, error)

	// Evidence returns all lines that are kept of a match at the time now: those that only reports show too.
	Evidence(ctx context.Context, id storage.MatchID, now time.Time) ([]chatstore.Line, error)

	// Beat keeps that the program runs at a time, and LastBeat returns the newest that was kept: zero if none was.
	Beat(ctx context.Context, at time.Time) error
	LastBeat(ctx context.Context) (time.Time, error)

	// Sweep forgets the codes of matches that ended long enough before now, and with them the records that are temporary.
	Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error)

	// ForgetCasual deletes the records of casual matches that ended before a time: of guests, and against computer players of
	// these levels.
	ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error)
}

// A MatchFinder finds matches.
type MatchFinder interface {
	// Summaries returns the summaries of all matches that have a log. One with Seq 0 is missing.
	Summaries(ctx context.Context) ([]matches.Summary, error)

	// KeepSummaries keeps summaries that were missing; storage.ErrStale if a log is another by now.
	KeepSummaries(ctx context.Context, all []matches.Summary) error

	// ByCode returns the match that the code, in upper case, names at the time now; storage.ErrNotFound.
	ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error)
}

// An Archive keeps finished matches and ratings.
type Archive interface {
	// History returns finished matches, newest first, without their moves.
	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)

	// Ratings returns a player's ratings by game, of the games that the player has played rated.
	Ratings(ctx context.Context, id storage.PlayerID) (map[string]results.Rating, error)

	// RatingsIn returns the ratings that some players have in a game.
	RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error)

	// Standings returns the ratings of everybody who has played the game rated, in any order.
	Standings(ctx context.Context, game string) ([]results.Standing, error)

	// RatingHistory returns a player's ratings in a game after the last rated matches that counted, at most limit, the oldest first.
	RatingHistory(ctx context.Context, id storage.PlayerID, game string, limit int) ([]results.RatingPoint, error)

	// Outcomes returns what a match that ended as f says, with any result, would do to ratings; nil if it would not be rated.
	Outcomes(ctx context.Context, f results.Finished) (*results.Outcomes, error)

	// Conduct returns how many matches against other players a player has started and finished.
	Conduct(ctx context.Context, id storage.PlayerID) (results.Conduct, error)

	// Tallies returns what is counted of a player, and of the player against another one.
	Tallies(ctx context.Context, id, against storage.PlayerID) (results.PlayerTally, error)
}

// Analyses keeps analyses of finished matches.
type Analyses interface {
	// Analysis returns the analysis that is kept of a match, of any version of the method; storage.ErrNotFound. One
	// that is storage.ErrDamaged can be made anew.
	Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error)

	// SaveAnalysis keeps an analysis in place of an older one, and returns when it is on disk.
	SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error
}

// Relations keeps whom players follow and block; relations.Store says more.
type Relations interface {
	// Relate lets a player follow or block another one, or no longer; Relations returns what there is of that.
	Relate(ctx context.Context, id storage.PlayerID, kind relations.Kind, other storage.PlayerID, on bool, now time.Time) (relations.Lists, error)
	Relations(ctx context.Context) (map[storage.PlayerID]relations.Lists, error)
}

// Operating keeps what operators do and need; schema.Store says more about each.
type Operating interface {
	// Act makes a change and keeps its entry in the audit log in one transaction.
	Act(ctx context.Context, entry operators.AuditEntry, change operators.Change) (operators.AuditEntry, error)
	Audit(ctx context.Context, before uint64, limit int) ([]operators.AuditEntry, error)

	// Recompute works out all ratings anew from the results.
	Recompute(ctx context.Context) (results.RecomputeReport, error)

	Restrictions(ctx context.Context) (map[storage.PlayerID]accountstore.Restriction, error)
	FormerNames(ctx context.Context) (map[storage.PlayerID][]string, error)
	Bans(ctx context.Context) ([]operators.Ban, error)
	Announcement(ctx context.Context) (operators.Announcement, error)

	// CountedMatches returns rated matches of a player, against another one if that is not "", whose results are not taken out.
	CountedMatches(ctx context.Context, player, against storage.PlayerID, limit int) ([]storage.MatchID, error)

	AddReport(ctx context.Context, r operators.Report) (operators.Report, error)
	Reports(ctx context.Context, handled bool) ([]operators.Report, error)

	// Visits returns where a player has come from.
	Visits(ctx context.Context, id storage.PlayerID) ([]accountstore.Visit, error)
}

// StoreOf returns what the lobby needs of a store.
func StoreOf(s *schema.Store) Store { return parts(s) }

// SharedOf returns what the nodes of a club share in a store.
func SharedOf(s *schema.Store) Shared { return parts(s) }

// The parts of a store, under names that can stand beside each other.
type (
	accountStore     = accountstore.Store
	restrictionStore = accountstore.RestrictionStore
	visitStore       = accountstore.VisitStore
	attemptStore     = accountstore.AttemptStore
	relationStore    = relations.Store
	resultStore      = results.Store
	analysisStore    = results.AnalysisStore
	guestStore       = results.GuestStore
	matchStore       = matches.Store
	chatStore        = chatstore.Store
	operatorStore    = operators.Store
	clusterStore     = clusterstore.Store
)

// storeParts has the methods of all parts of a store.
type storeParts struct {
	whole
	*accountStore
	*restrictionStore
	*visitStore
	*attemptStore
	*relationStore
	*resultStore
	*analysisStore
	*guestStore
	*matchStore
	*chatStore
	*operatorStore
	*clusterStore
}

func parts(s *schema.Store) *storeParts {
	return &storeParts{whole{s}, s.Accounts, s.Restrictions, s.Visits, s.Attempts, s.Relations, s.Results, s.Analyses, s.Guests, s.Matches, s.Chat, s.Operators, s.Cluster}
}

// Sweep is that of the whole store.
func (p *storeParts) Sweep(ctx context.Context, now time.Time) (int, error) {
	return p.s.Sweep(ctx, now)
}

// whole has the methods of a store that concern several parts.
type whole struct{ s *schema.Store }

func (w whole) Account(ctx context.Context, id storage.PlayerID) (schema.Account, error) {
	return w.s.Account(ctx, id)
}
func (w whole) ForgetName(ctx context.Context, id storage.PlayerID) error {
	return w.s.ForgetName(ctx, id)
}
