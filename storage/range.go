package storage

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"ludoteca/storage/kv"
)

// A Range is the entries of a table whose keys lie in a range, in the order of their keys.
type Range[K, V any] struct {
	Table Table[K, V]
	kv.Range
}

// All returns the whole table as a range.
func (t Table[K, V]) All() Range[K, V] { return t.Under() }

// Under returns the range of the keys whose first parts are these texts. Without parts it is the whole table.
func (t Table[K, V]) Under(parts ...string) Range[K, V] {
	return Range[K, V]{Table: t, Range: kv.Prefix(t.Prefix(parts...))}
}

// Before returns the range without the keys from k on.
func (g Range[K, V]) Before(k K) Range[K, V] {
	g.To = g.Table.Key(k)
	return g
}

// StartingAt returns the range without the keys before k.
func (g Range[K, V]) StartingAt(k K) Range[K, V] {
	g.From = g.Table.Key(k)
	return g
}

// After returns the range without the keys up to k.
func (g Range[K, V]) After(k K) Range[K, V] {
	g.From = append(g.Table.Key(k), 0)
	return g
}

// Reversed returns the range in the other order.
func (g Range[K, V]) Reversed() Range[K, V] {
	g.Reverse = !g.Reverse
	return g
}

// Expecting returns the range for a scan that takes about n entries.
func (g Range[K, V]) Expecting(n int) Range[K, V] {
	g.Expect = n
	return g
}

// Scan yields the entries. An error is the last element.
func (g Range[K, V]) Scan(r kv.Reader) iter.Seq2[Entry[K, V], error] {
	return func(yield func(Entry[K, V], error) bool) {
		for p, err := range r.Scan(g.Range) {
			var e Entry[K, V]
			if err == nil {
				e, err = g.Table.Entry(p.Key, p.Value)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// First returns the first entry; ok is false if there is none.
func (g Range[K, V]) First(r kv.Reader) (e Entry[K, V], ok bool, err error) {
	for e, err := range g.Expecting(1).Scan(r) {
		return e, err == nil, err
	}
	return e, false, nil
}

// Last returns the last entry; ok is false if there is none.
func (g Range[K, V]) Last(r kv.Reader) (e Entry[K, V], ok bool, err error) {
	return g.Reversed().First(r)
}

// Entries reads the entries into a slice.
func (g Range[K, V]) Entries(r kv.Reader) ([]Entry[K, V], error) {
	var entries []Entry[K, V]
	for e, err := range g.Scan(r) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Values reads the values of the entries into a slice.
func (g Range[K, V]) Values(r kv.Reader) ([]V, error) {
	var values []V
	for e, err := range g.Scan(r) {
		if err != nil {
			return nil, err
		}
		values = append(values, e.Value)
	}
	return values, nil
}

// Sweep removes the entries that expired reports, in short transactions. Each of these asks again: an entry may have changed.
// An entry that can't be read stays, and the error, which comes after all others have been looked at, says so.
func (g Range[K, V]) Sweep(ctx context.Context, engine kv.Store, expired func(r kv.Reader, e Entry[K, V]) (bool, error)) error {
	return g.SweepWith(ctx, engine, expired, func(tx kv.Tx, e Entry[K, V]) error { g.Table.Delete(tx, e.Key); return nil })
}

// SweepWith is Sweep for entries that go with others: remove removes one, and what goes with it.
func (g Range[K, V]) SweepWith(ctx context.Context, engine kv.Store, expired func(r kv.Reader, e Entry[K, V]) (bool, error), remove func(tx kv.Tx, e Entry[K, V]) error) error {
	var old []K
	var unread error
	err := engine.View(ctx, func(r kv.Reader) error {
		old, unread = nil, nil
		for p, err := range r.Scan(g.Range) {
			if err != nil {
				return err
			}
			e, err := g.Table.Entry(p.Key, p.Value)
			if err != nil {
				unread = cmp.Or(unread, err)
				continue
			}
			is, err := expired(r, e)
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
			values, there, err := g.Table.FindAll(tx, step)
			if err != nil {
				return err
			}
			for i, k := range step {
				if !there[i] {
					continue
				}
				e := Entry[K, V]{k, values[i]}
				is, err := expired(tx, e)
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

// LastNumber returns the highest number in a table whose keys are numbers, 0 if it is empty.
func LastNumber[V any](r kv.Reader, t Table[uint64, V]) (uint64, error) {
	e, _, err := t.All().Last(r)
	return e.Key, err
}
