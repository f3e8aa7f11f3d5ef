package storage

import (
	"context"
	"fmt"

	"ludoteca/storage/kv"
)

// View reads from one snapshot of the store. what says in an error what was read.
func View[T any](ctx context.Context, engine kv.Store, what string, read func(r kv.Reader) (T, error)) (v T, err error) {
	err = engine.View(ctx, func(r kv.Reader) (err error) {
		v, err = read(r)
		return err
	})
	if err != nil {
		var zero T
		return zero, fmt.Errorf("storage: %s: %w", what, err)
	}
	return v, nil
}

// Update changes the store in one transaction. change may run more than once. what says in an error what was changed.
func Update(ctx context.Context, engine kv.Store, what string, change func(tx kv.Tx) error) error {
	if err := engine.Update(ctx, change); err != nil {
		return fmt.Errorf("storage: %s: %w", what, err)
	}
	return nil
}

// Updated is update for a change that returns something.
func Updated[T any](ctx context.Context, engine kv.Store, what string, change func(tx kv.Tx) (T, error)) (v T, err error) {
	err = Update(ctx, engine, what, func(tx kv.Tx) (err error) {
		v, err = change(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}
