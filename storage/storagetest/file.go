package storagetest

import (
	"context"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv/bolt"
)

// OpenFile opens a store in the file path, or makes a new one there, as the club does.
func OpenFile(path string, c storage.Config) (*storage.Store, error) {
	s, _, err := OpenEngine(path, c, bolt.Options{Log: c.Log})
	return s, err
}

// OpenEngine is OpenFile with options, and returns the engine too. Closing the store closes it.
func OpenEngine(path string, c storage.Config, o bolt.Options) (*storage.Store, *bolt.Store, error) {
	engine, err := bolt.Open(path, o)
	if err != nil {
		return nil, nil, err
	}
	s, err := storage.Open(context.Background(), engine, c)
	if err != nil {
		engine.Close() // the error before it says more
		return nil, nil, fmt.Errorf("storage: open %s: %w", path, err)
	}
	return s, engine, nil
}

// The parts of a store, under names that can stand beside each other.
type (
	accountStore     = storage.AccountStore
	restrictionStore = storage.RestrictionStore
	visitStore       = storage.VisitStore
	attemptStore     = storage.AttemptStore
	relationStore    = storage.RelationStore
	resultStore      = storage.ResultStore
	analysisStore    = storage.AnalysisStore
	guestStore       = storage.GuestStore
	matchStore       = storage.MatchStore
	chatStore        = storage.ChatStore
	operatorStore    = storage.OperatorStore
	clusterStore     = storage.ClusterStore
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
}

// Flat returns a store with the methods of all its parts.
func Flat(s *storage.Store) Store { return flatOf(s) }

func flatOf(s *storage.Store) flat {
	return flat{whole{s}, s.Accounts, s.Restrictions, s.Visits, s.Attempts, s.Relations, s.Results, s.Analyses, s.Guests, s.Matches, s.Chat, s.Operators, s.Cluster}
}

// Sweep is that of the whole store.
func (f flat) Sweep(ctx context.Context, now time.Time) (int, error) { return f.s.Sweep(ctx, now) }

// whole has the methods of a store that concern several parts.
type whole struct{ s *storage.Store }

func (w whole) Account(ctx context.Context, id storage.PlayerID) (storage.Account, error) {
	return w.s.Account(ctx, id)
}
func (w whole) ForgetName(ctx context.Context, id storage.PlayerID) error {
	return w.s.ForgetName(ctx, id)
}
func (w whole) Close() error { return w.s.Close() }
