package storage

import (
	"bytes"

	"ludoteca/storage/kv"
)

// A Table is one kind of stored thing: its name, how its keys and values are written, and what becomes of it when a store is copied or
// repaired. A key in the store is the name, a zero byte, and the key in the form of the table.
//
// The variable that holds a table is named for its entries, in the plural: Bans holds values of the type Ban. A key of several parts has a type of
// its own.
type Table[K, V any] struct {
	Name   string
	Keys   KeyForm[K]
	Values Codec[K, V]
	Check  func(K, V) error // what must hold of an entry besides what Values checks; nil: nothing. Its error wraps ErrDamaged
	Traits
}

// Traits say what becomes of a table when a store is copied or repaired.
type Traits struct {
	From    []string // tables from which lost entries are made again; nil: what is lost is lost
	Anew    bool     // a repair makes all entries anew: the entries of a damaged store would be in the way
	Brief   bool     // nothing is lost with an entry: it lives for minutes, or a running node writes it again
	OfNodes bool     // the rows of running nodes, which a copy to another engine leaves out
	Secret  bool     // its keys are secrets, which no report shows
	Subject string   // "player" or "match" where a lost entry means that the one of its key is damaged
}

// An Entry is a key with its value.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// Key returns the key of an entry in the store.
func (t Table[K, V]) Key(k K) []byte {
	return t.Keys.Add(append(append(make([]byte, 0, len(t.Name)+1+48), t.Name...), 0), k)
}

// Prefix returns the prefix of all keys whose first parts are these texts. Without parts it is the prefix of the whole table.
func (t Table[K, V]) Prefix(parts ...string) []byte {
	size := len(t.Name) + 1
	for _, p := range parts {
		size += len(p) + 1
	}
	b := append(append(make([]byte, 0, size), t.Name...), 0)
	for _, p := range parts {
		b = append(append(b, p...), 0)
	}
	return b
}

// Has reports whether there is an entry with a key.
func (t Table[K, V]) Has(r kv.Reader, k K) (bool, error) { return Has(r, t.Key(k)) }

// Get returns the value of a key. The error wraps ErrNotFound if there is none, and ErrDamaged if it can't be read.
func (t Table[K, V]) Get(r kv.Reader, k K) (V, error) {
	v, ok, err := t.Find(r, k)
	if err == nil && !ok {
		err = ErrNotFound
	}
	return v, err
}

// Find is Get, but a missing entry is no error: ok is false then.
func (t Table[K, V]) Find(r kv.Reader, k K) (v V, ok bool, err error) {
	value, err := r.Get(t.Key(k))
	if err != nil || value == nil {
		return v, false, err
	}
	v, err = t.decode(k, value)
	return v, err == nil, err
}

// GetAll returns the values of keys in their order. The error wraps ErrNotFound if one is missing.
func (t Table[K, V]) GetAll(r kv.Reader, ks []K) ([]V, error) {
	found, there, err := t.FindAll(r, ks)
	for _, ok := range there {
		if err == nil && !ok {
			err = ErrNotFound
		}
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// FindAll is GetAll, but missing entries are no error: there reports for each key whether it has a value.
func (t Table[K, V]) FindAll(r kv.Reader, ks []K) (found []V, there []bool, err error) {
	keys := make([][]byte, len(ks))
	for i, k := range ks {
		keys[i] = t.Key(k)
	}
	values, err := r.GetAll(keys)
	if err != nil {
		return nil, nil, err
	}
	return t.decodeAll(ks, values)
}

// decodeAll reads the values of keys, of which those are nil that are missing.
func (t Table[K, V]) decodeAll(ks []K, values [][]byte) (found []V, there []bool, err error) {
	found, there = make([]V, len(ks)), make([]bool, len(ks))
	for i, value := range values {
		if value == nil {
			continue
		}
		if found[i], err = t.decode(ks[i], value); err != nil {
			return nil, nil, err
		}
		there[i] = true
	}
	return found, there, nil
}

// Put sets the value of a key. The error wraps ErrInvalid if the table can't hold it.
func (t Table[K, V]) Put(tx kv.Tx, k K, v V) error {
	value, err := t.Values.Encode(v)
	if err == nil {
		tx.Put(t.Key(k), value)
	}
	return err
}

// Add sets an entry whose key says all.
func (t Table[K, V]) Add(tx kv.Tx, k K) { tx.Put(t.Key(k), nil) }

// Owns reports whether a key of the store is one of the table.
func (t Table[K, V]) Owns(key []byte) bool { return bytes.HasPrefix(key, t.Prefix()) }

// Delete removes an entry, if there is one.
func (t Table[K, V]) Delete(tx kv.Tx, k K) { tx.Delete(t.Key(k)) }

// DeleteUnder removes all entries whose keys begin with these texts.
func (t Table[K, V]) DeleteUnder(tx kv.Tx, parts ...string) error {
	return tx.DeletePrefix(t.Prefix(parts...))
}

// Valid reports what is wrong with an entry, whose key is without the name of the table; nil is nothing.
func (t Table[K, V]) Valid(key, value []byte) error {
	k, ok := t.Keys.Parse(key)
	if !ok || !t.Keys.Valid(k) {
		return Damaged("a key that is none of the table %q", t.Name)
	}
	v, err := t.decode(k, value)
	if err == nil && t.Values.valid != nil && !t.Values.valid(v) {
		err = Damaged("a value that is none of the table %q", t.Name)
	}
	return err
}

// Parse reads a key of the store.
func (t Table[K, V]) Parse(key []byte) (K, bool) {
	return t.Keys.Parse(key[min(len(key), len(t.Name)+1):])
}

// Entry reads an entry, whose key is one of the store.
func (t Table[K, V]) Entry(key, value []byte) (e Entry[K, V], err error) {
	var ok bool
	if e.Key, ok = t.Parse(key); !ok {
		return e, Damaged("a key that is none of the table %q", t.Name)
	}
	e.Value, err = t.decode(e.Key, value)
	return e, err
}

func (t Table[K, V]) decode(k K, value []byte) (V, error) {
	v, err := t.Values.Decode(k, value)
	if err == nil && t.Check != nil {
		err = t.Check(k, v)
	}
	return v, err
}

// Shown returns a key, without the name of the table, as text for an operator.
func (t Table[K, V]) Shown(key []byte) string {
	if t.Secret {
		return ""
	}
	if k, ok := t.Keys.Parse(key); ok && t.Keys.Shown != nil && len(key) > 0 {
		return t.Keys.Shown(k)
	}
	return Printable(key)
}

// An AnyTable is a table without the types of its keys and values: what copies, repairs and migrations go by.
type AnyTable interface {
	TableName() string
	TableTraits() Traits
	Valid(key, value []byte) error
	Shown(key []byte) string
}

// Contents are all tables and cells that one package adds to a store.
type Contents struct {
	Tables []AnyTable
	Cells  []AnyCell
}

// TableName implements AnyTable.
func (t Table[K, V]) TableName() string { return t.Name }

// TableTraits implements AnyTable.
func (t Table[K, V]) TableTraits() Traits { return t.Traits }
