package plans

import (
	"context"
	"errors"
	"log/slog"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// A Store keeps plans; see matches.Store.
type Store interface {
	SetPlan(ctx context.Context, k matchstore.PlanKey, seq uint64, p matchstore.Plan) error
	Plan(ctx context.Context, k matchstore.PlanKey) (matchstore.Plan, error)
	DropPlan(ctx context.Context, k matchstore.PlanKey) error
}

// Stored are the plans in the store, one for each side of a match that goes on. Its errors are the store's. Any goroutine may use it.
type Stored struct {
	store Store
	log   *slog.Logger
}

// NewStored returns the plans in a store.
func NewStored(store Store, log *slog.Logger) *Stored { return &Stored{store, log} }

func keyOf(id storage.MatchID, side games.Side) matchstore.PlanKey {
	return matchstore.PlanKey{Match: id, Seat: storage.SeatOf(side)}
}

// Plan returns the plan of a side of a match; ok is false if there is none. One that can't be read is dropped.
func (s *Stored) Plan(ctx context.Context, id storage.MatchID, side games.Side) (p matchstore.Plan, ok bool, err error) {
	p, err = s.store.Plan(ctx, keyOf(id, side))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return matchstore.Plan{}, false, nil
	case errors.Is(err, storage.ErrDamaged):
		s.log.Error("the plan of a player is damaged, and dropped", "match", id, "err", err)
		return matchstore.Plan{}, false, s.Drop(ctx, id, side)
	}
	return p, err == nil, err
}

// Drop drops the plan of a side of a match, if there is one.
func (s *Stored) Drop(ctx context.Context, id storage.MatchID, side games.Side) error {
	return s.store.DropPlan(ctx, keyOf(id, side))
}

// set keeps the plan of a side in place of the one there. The error is storage.ErrStale if the match has changed since the view.
func (s *Stored) set(ctx context.Context, v *match.View, side games.Side, p matchstore.Plan) error {
	return s.store.SetPlan(ctx, keyOf(v.ID, side), v.Events, p)
}
