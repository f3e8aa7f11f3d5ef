package storage

import (
	"context"
	"errors"
	"fmt"

	"ludoteca/storage/kv"
)

// A Follower is told what a part of the store holds, and each change. Its functions are called one after the other; nil ones are not
// called. The part is read as a whole only for All.
type Follower[K, V any] struct {
	All    func(rows []V) // first, and again after changes were missed: everything that there is
	Missed func() error   // after All; an error ends following
	Put    func(row V)    // a row is new or another
	Gone   func(key K)    // the row with this key is gone
	Bad    func(key string, err error)
}

// Follow follows the entries of the table until ctx ends; see Follower.
func (t Table[K, V]) Follow(ctx context.Context, engine kv.Store, f Follower[K, V]) error {
	return FollowPrefix(ctx, engine, t.Prefix(), t.Entry, f)
}

// FollowPrefix has f follow the keys with a prefix until ctx ends or the store can't go on, and returns the reason as an error. A row
// that can't be read is left out.
func FollowPrefix[K, V any](ctx context.Context, engine kv.Store, prefix []byte, read func(key, value []byte) (Entry[K, V], error), f Follower[K, V]) error {
	row := func(key, value []byte) (row V, ok bool) {
		e, err := read(key, value)
		if err != nil && f.Bad != nil {
			f.Bad(string(key[len(prefix):]), err)
		}
		return e.Value, err == nil
	}
	for {
		var all []V
		var at kv.Revision
		err := engine.View(ctx, func(r kv.Reader) error {
			all, at = nil, r.Revision()
			if f.All == nil {
				return nil
			}
			for p, err := range r.Scan(kv.Prefix(prefix)) {
				if err != nil {
					return err
				}
				if v, ok := row(p.Key, p.Value); ok {
					all = append(all, v)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("storage: following the store: %w", err)
		}
		if f.All != nil {
			f.All(all)
		}
		if f.Missed != nil {
			if err := f.Missed(); err != nil {
				return err
			}
		}
		for c, err := range engine.Watch(ctx, prefix, at) {
			if errors.Is(err, kv.ErrCompacted) {
				break
			}
			if err != nil {
				return fmt.Errorf("storage: following the store: %w", err)
			}
			if c.Value == nil {
				if e, _ := read(c.Key, nil); f.Gone != nil { // its key is all that there is
					f.Gone(e.Key)
				}
			} else if v, ok := row(c.Key, c.Value); ok && f.Put != nil {
				f.Put(v)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
