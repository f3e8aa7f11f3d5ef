package storagetest

import (
	"context"

	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// SetPlan implements Store.
func (m *Memory) SetPlan(ctx context.Context, k matchstore.PlanKey, seq uint64, p matchstore.Plan) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if log := m.logs[k.Match]; len(log) == 0 || uint64(len(log)) != seq {
		return storage.ErrStale
	}
	p = copyOf(p)
	p.At = storage.Stored(p.At)
	m.plans[k] = p
	return nil
}

// Plan implements Store.
func (m *Memory) Plan(ctx context.Context, k matchstore.PlanKey) (matchstore.Plan, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return matchstore.Plan{}, err
	}
	defer unlock()
	p, ok := m.plans[k]
	if !ok {
		return p, storage.ErrNotFound
	}
	return copyOf(p), nil
}

// DropPlan implements Store.
func (m *Memory) DropPlan(ctx context.Context, k matchstore.PlanKey) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	delete(m.plans, k)
	return nil
}
