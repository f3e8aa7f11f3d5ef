package storagetest

import (
	"context"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/learning"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/notices"
	"ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/standingoffers"
	"ludoteca/storage/studies"
	"ludoteca/storage/tells"
	"ludoteca/storage/tournaments"
	vacationstore "ludoteca/storage/vacations"
)

// OpenFile opens a store in the file path, or makes a new one there, as the club does.
func OpenFile(path string, c schema.Config) (*schema.Store, error) {
	s, _, err := OpenEngine(path, c, bolt.Options{Log: c.Log})
	return s, err
}

// OpenBoth is OpenFile, and returns the engine too.
func OpenBoth(path string, c schema.Config) (*schema.Store, kv.Store, error) {
	return OpenEngine(path, c, bolt.Options{Log: c.Log})
}

// OpenEngine is OpenFile with options, and returns the engine too. Closing the store closes it.
func OpenEngine(path string, c schema.Config, o bolt.Options) (*schema.Store, *bolt.Store, error) {
	engine, err := bolt.Open(path, o)
	if err != nil {
		return nil, nil, err
	}
	s, err := schema.Open(context.Background(), engine, c)
	if err != nil {
		engine.Close() // the error before it says more
		return nil, nil, fmt.Errorf("storage: open %s: %w", path, err)
	}
	return s, engine, nil
}

// The parts of a store, under names that can stand beside each other.
type (
	accountStore     = accounts.Store
	restrictionStore = accounts.RestrictionStore
	visitStore       = accounts.VisitStore
	attemptStore     = accounts.AttemptStore
	relationStore    = relationstore.Store
	resultStore      = results.Store
	analysisStore    = results.AnalysisStore
	guestStore       = results.GuestStore
	matchStore       = matchstore.Store
	chatStore        = chat.Store
	operatorStore    = operators.Store
	clusterStore     = cluster.Store
	learningStore    = learning.Store
	studyStore       = studies.Store
	tellStore        = tells.Store
	tournamentStore  = tournaments.Store
	noticeStore      = notices.Store
	standingStore    = standingoffers.Store
	vacationStore    = vacationstore.Store
)

// A flat is a store with the methods of all its parts, as the contract and the twin have them.
type flat struct {
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

// Flat returns a store with the methods of all its parts.
func Flat(s *schema.Store) Store { return flatOf(s) }

func flatOf(s *schema.Store) flat {
	return flat{whole{s}, s.Accounts, s.Restrictions, s.Visits, s.Attempts, s.Relations, s.Results, s.Analyses, s.Guests, s.Matches, s.Chat, s.Operators, s.Cluster, s.Learning, s.Studies, s.Tells, s.Tournaments, s.Notices, s.Standing, s.Vacations}
}

// Sweep sweeps the whole store.
func (f flat) Sweep(ctx context.Context, now time.Time) (int, error) { return f.s.Sweep(ctx, now) }

// whole has the methods of a store that concern several parts.
type whole struct{ s *schema.Store }

func (w whole) Account(ctx context.Context, id storage.PlayerID) (schema.Account, error) {
	return w.s.Account(ctx, id)
}
func (w whole) ForgetName(ctx context.Context, id storage.PlayerID) error {
	return w.s.ForgetName(ctx, id)
}
func (w whole) Close() error { return w.s.Close() }
