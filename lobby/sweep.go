package lobby

import (
	"context"
	"time"

	"ludoteca/lobby/accounts"
	"ludoteca/storage"
)

const (
	sweepEvery = time.Hour

	sweeping storage.MatchID = "sweeping" // not a match: its owner is the node that sweeps the store
)

// A sweeper has the store forget what is kept for a time only.
type sweeper struct {
	*base
	accounts *accounts.Service
}

// run sweeps every sweepEvery, if this node is the one that does it, until ctx ends.
func (s *sweeper) run(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if s.node.Owns(sweeping) {
			s.sweep(ctx)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *sweeper) sweep(ctx context.Context) {
	if _, err := s.store.Sweep(ctx, s.now()); err != nil && ctx.Err() == nil {
		s.log.Error("sweeping the store failed", "err", err)
	}
	s.accounts.ForgetNames(ctx)
	if err := s.forgetCasual(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("forgetting old casual matches failed", "err", err)
	}
}

// forgetCasual has the store forget the old matches of guests, and those against computer players that don't search.
func (s *sweeper) forgetCasual(ctx context.Context) error {
	keep := s.limits.Now().KeepCasual
	if keep < 0 {
		return nil
	}
	var levels []string
	for _, v := range s.catalogue.Levels {
		if v.Think == nil {
			levels = append(levels, v.ID)
		}
	}
	n, err := s.store.ForgetCasual(ctx, s.now().Add(-keep), levels)
	if n > 0 {
		s.log.Info("old casual matches forgotten", "matches", n)
	}
	return err
}
