package storage

import (
	"cmp"
	"context"
	"slices"

	"ludoteca/storage/kv"
)

// Sweep removes the entries of a table that have had their time, in short transactions. Each of these asks again: an entry may have changed.
// An entry that can't be read stays, and the error, which comes after all others have been looked at, says so.
func (t Table[K, V]) Sweep(ctx context.Context, engine kv.Store, over func(r kv.Reader, e Entry[K, V]) (bool, error)) error {
	return t.SweepWith(ctx, engine, over, func(tx kv.Tx, e Entry[K, V]) error { t.Delete(tx, e.Key); return nil })
}

// SweepWith is sweep for entries that go with others: remove removes one, and what goes with it.
func (t Table[K, V]) SweepWith(ctx context.Context, engine kv.Store, over func(r kv.Reader, e Entry[K, V]) (bool, error), remove func(tx kv.Tx, e Entry[K, V]) error) error {
	var old []K
	var unread error
	err := engine.View(ctx, func(r kv.Reader) error {
		old, unread = nil, nil
		for p, err := range r.Scan(t.Under()) {
			if err != nil {
				return err
			}
			e, err := t.Entry(p.Key, p.Value)
			if err != nil {
				unread = cmp.Or(unread, err)
				continue
			}
			is, err := over(r, e)
			if err != nil {
				return err
			}
			if is {
				old = append(old, e.Key)
			}
		}
		return nil
	})
	for step := range slices.Chunk(old, SweepStep) {
		if err != nil {
			return err
		}
		err = engine.Update(ctx, func(tx kv.Tx) error {
			values, there, err := t.FindAll(tx, step)
			if err != nil {
				return err
			}
			for i, k := range step {
				if !there[i] {
					continue
				}
				e := Entry[K, V]{k, values[i]}
				is, err := over(tx, e)
				if err == nil && is {
					err = remove(tx, e)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cmp.Or(err, unread)
}

// SweepStep is how many codes, and how many records, one transaction looks at, so that no move waits long.
const SweepStep = 500
