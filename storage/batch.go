package storage

import "ludoteca/storage/kv"

// A Batch reads entries of several tables together. A store on other machines takes one request for all of them.
type Batch struct {
	keys  [][]byte
	parts []part
}

// A part is the keys of one table.
type part struct {
	keys   int // how many
	decode func(values [][]byte) error
}

// A Found is what a batch has found of one table, in the order of the keys.
type Found[V any] struct {
	Values []V
	There  []bool // whether a key has a value
}

// In adds keys of the table to a batch, and returns what will be found of them: it is set by Batch.Read.
func (t Table[K, V]) In(b *Batch, ks ...K) *Found[V] {
	for _, k := range ks {
		b.keys = append(b.keys, t.Key(k))
	}
	found := &Found[V]{}
	b.parts = append(b.parts, part{len(ks), func(values [][]byte) (err error) {
		found.Values, found.There, err = t.decodeAll(ks, values)
		return err
	}})
	return found
}

// Read reads the entries. The error wraps ErrDamaged if one can't be read; a missing entry is no error.
func (b *Batch) Read(r kv.Reader) error {
	values, err := r.GetAll(b.keys)
	if err != nil {
		return err
	}
	for _, p := range b.parts {
		if err := p.decode(values[:p.keys]); err != nil {
			return err
		}
		values = values[p.keys:]
	}
	return nil
}

// All returns the values. The error is ErrNotFound if one is missing.
func (f *Found[V]) All() ([]V, error) {
	for _, there := range f.There {
		if !there {
			return nil, ErrNotFound
		}
	}
	return f.Values, nil
}
