package lobby

import (
	"context"
	"time"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/attempts"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nicknames"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/plans"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/lobby/standings"
	studyservice "ludoteca/lobby/studies"
	"ludoteca/lobby/tells"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/vacations"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	clusterstore "ludoteca/storage/cluster"
	learningstore "ludoteca/storage/learning"
	matchstore "ludoteca/storage/matches"
	noticestore "ludoteca/storage/notices"
	operatorstore "ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	standingstore "ludoteca/storage/standingoffers"
	"ludoteca/storage/studies"
	tellstore "ludoteca/storage/tells"
	tournamentstore "ludoteca/storage/tournaments"
	vacationstore "ludoteca/storage/vacations"
)

// A Store is everything that the services of a club keep; the interfaces of the services say what each needs.
type Store interface {
	accounts.Store
	accounts.KeyStore
	accounts.SessionStore
	restrictions.Store
	relations.Store
	learning.Store
	learning.PuzzleStore
	learning.PracticeStore
	chat.ServiceStore
	standings.Store
	standings.ResultStore
	matches.Store
	seats.Store
	seats.FinderStore
	seats.ChallengesStore
	lists.Store
	operators.Store
	analyses.Store
	studyservice.Store
	tells.Store
	plans.Store
	tournaments.Store
	notices.Store
	standingoffers.Store
	vacations.Store
	nodes.TimeStore

	// RecentVacations returns the vacations that end after a time.
	RecentVacations(ctx context.Context, after time.Time) ([]vacationstore.Row, error)

	// Relations returns whom players follow and block.
	Relations(ctx context.Context) (map[storage.PlayerID]relationstore.Lists, error)

	// Sweep forgets the codes of matches that ended long enough before now, and with them the records that are temporary.
	Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error)

	// ForgetCasual deletes the records of casual matches that ended before a time: of guests, and against computer players of
	// these levels.
	ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error)
}

// A Shared is what the services keep in the store for the other nodes of a club.
type Shared interface {
	nodes.Store
	nodes.MessageStore
	accounts.Shared
	attempts.Store
	restrictions.Shared
	relations.Shared
	presence.Shared
	nicknames.Shared
	chat.Shared
	notices.Shared
	vacations.Shared
	matches.Shared
	quick.Shared
	tournaments.Shared
	standingoffers.Shared
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
	relationStore    = relationstore.Store
	resultStore      = resultstore.Store
	analysisStore    = resultstore.AnalysisStore
	guestStore       = resultstore.GuestStore
	matchStore       = matchstore.Store
	chatStore        = chatstore.Store
	operatorStore    = operatorstore.Store
	clusterStore     = clusterstore.Store
	learningStore    = learningstore.Store
	studyStore       = studies.Store
	tellStore        = tellstore.Store
	tournamentStore  = tournamentstore.Store
	noticeStore      = noticestore.Store
	standingStore    = standingstore.Store
	vacationStore    = vacationstore.Store
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
	*learningStore
	*studyStore
	*tellStore
	*tournamentStore
	*noticeStore
	*standingStore
	*vacationStore
}

func parts(s *schema.Store) *storeParts {
	return &storeParts{whole{s}, s.Accounts, s.Restrictions, s.Visits, s.Attempts, s.Relations, s.Results, s.Analyses, s.Guests, s.Matches, s.Chat, s.Operators, s.Cluster, s.Learning, s.Studies, s.Tells, s.Tournaments, s.Notices, s.Standing, s.Vacations}
}

// Sweep sweeps the whole store; see schema.Store.Sweep.
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
