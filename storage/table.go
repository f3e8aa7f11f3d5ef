package storage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"ludoteca/storage/kv"
)

// A Table is one kind of stored thing: its name, how its keys and values are written, and what becomes of it when a store is copied or
// repaired. A key in the store is the name, a zero byte, and the key in the form of the table.
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
	Anew    bool     // a repair makes all entries anew: those of a damaged store would be in the way
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

// Under returns the range of the keys whose first parts are these texts. Without parts it is the whole table.
func (t Table[K, V]) Under(parts ...string) kv.Range { return kv.Prefix(t.Prefix(parts...)) }

// Prefix returns what the keys begin with whose first parts are these texts. Without parts it is that of the whole table.
func (t Table[K, V]) Prefix(parts ...string) []byte {
	b := append([]byte(t.Name), 0)
	for _, p := range parts {
		b = append(append(b, p...), 0)
	}
	return b
}

// Before returns a range without the keys from k on.
func (t Table[K, V]) Before(g kv.Range, k K) kv.Range {
	g.To = t.Key(k)
	return g
}

// StartingAt returns a range without the keys before k.
func (t Table[K, V]) StartingAt(g kv.Range, k K) kv.Range {
	g.From = t.Key(k)
	return g
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

// FindAll is GetAll, but missing entries are no error: there says of each key whether it has a value.
func (t Table[K, V]) FindAll(r kv.Reader, ks []K) (found []V, there []bool, err error) {
	keys := make([][]byte, len(ks))
	for i, k := range ks {
		keys[i] = t.Key(k)
	}
	values, err := r.GetAll(keys)
	if err != nil {
		return nil, nil, err
	}
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

// Scan yields the entries of a range in the order of their keys. An error is the last element.
func (t Table[K, V]) Scan(r kv.Reader, g kv.Range) iter.Seq2[Entry[K, V], error] {
	return func(yield func(Entry[K, V], error) bool) {
		for p, err := range r.Scan(g) {
			var e Entry[K, V]
			if err == nil {
				e, err = t.Entry(p.Key, p.Value)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// First returns the first entry of a range; ok is false if there is none.
func (t Table[K, V]) First(r kv.Reader, g kv.Range) (e Entry[K, V], ok bool, err error) {
	for e, err := range t.Scan(r, g) {
		return e, err == nil, err
	}
	return e, false, nil
}

// Last returns the last entry of a range; ok is false if there is none.
func (t Table[K, V]) Last(r kv.Reader, g kv.Range) (e Entry[K, V], ok bool, err error) {
	g.Reverse = !g.Reverse
	return t.First(r, g)
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

// A Cell is one value of the table meta, under a name of its own.
type Cell[V any] struct {
	Name   string
	Values Codec[string, V]
}

// Key returns the key of the cell in the store.
func (c Cell[V]) Key() []byte { return []byte(Meta + "\x00" + c.Name) }

// Find returns the value; ok is false if there is none.
func (c Cell[V]) Find(r kv.Reader) (v V, ok bool, err error) {
	value, err := r.Get(c.Key())
	if err != nil || value == nil {
		return v, false, err
	}
	v, err = c.Values.Decode(c.Name, value)
	return v, err == nil, err
}

// Put sets the value. The error wraps ErrInvalid if it can't be written.
func (c Cell[V]) Put(tx kv.Tx, v V) error {
	value, err := c.Values.Encode(v)
	if err == nil {
		tx.Put(c.Key(), value)
	}
	return err
}

// Delete removes the value, if there is one.
func (c Cell[V]) Delete(tx kv.Tx) { tx.Delete(c.Key()) }

// An AnyCell is a cell without the type of its value.
type AnyCell interface {
	CellName() string
	Valid(value []byte) error
}

// CellName implements AnyCell.
func (c Cell[V]) CellName() string { return c.Name }

// Valid implements AnyCell: it reports what is wrong with a value; nil is nothing.
func (c Cell[V]) Valid(value []byte) error {
	_, err := c.Values.Decode(c.Name, value)
	return err
}

// An AnyTable is a table without the types of its keys and values: what copies, repairs and migrations go by.
type AnyTable interface {
	TableName() string
	TableTraits() Traits
	Valid(key, value []byte) error
	Shown(key []byte) string
}

// TableName implements AnyTable.
func (t Table[K, V]) TableName() string { return t.Name }

// TableTraits implements AnyTable.
func (t Table[K, V]) TableTraits() Traits { return t.Traits }

// A KeyForm is how the keys of a table are written. They sort as the parts of which they consist, one after the other: texts by their
// bytes, numbers and times by their value. A text that isn't the last part ends with a zero byte, which no text holds.
type KeyForm[K any] struct {
	Add   func(b []byte, k K) []byte
	Parse func(b []byte) (k K, ok bool)
	Valid func(k K) bool   // reports whether it can be a key of the table, which a damaged store has to be asked
	Shown func(k K) string // for an operator; nil: the bytes, printed safely
	size  int              // bytes of each key; 0: a text
}

// ShownAs is the same form, with keys that are shown to an operator as text says.
func (f KeyForm[K]) ShownAs(text func(K) string) KeyForm[K] {
	f.Shown = text
	return f
}

// Text is the form of keys that are one text. valid reports whether one can be a key; nil is that it isn't empty.
func Text[K ~string](valid func(K) bool) KeyForm[K] {
	if valid == nil {
		valid = func(k K) bool { return k != "" }
	}
	return KeyForm[K]{
		Add:   func(b []byte, k K) []byte { return append(b, k...) },
		Parse: func(b []byte) (k K, ok bool) { return K(b), true },
		Valid: func(k K) bool { return strings.IndexByte(string(k), 0) < 0 && valid(k) },
	}
}

// Number is the form of keys that are numbers: 8 bytes, big endian.
func Number() KeyForm[uint64] {
	return KeyForm[uint64]{Add: AppendSeq, Parse: ReadSeq, Valid: func(uint64) bool { return true }, Shown: func(k uint64) string { return fmt.Sprint(k) }, size: 8}
}

// Byte is the form of keys that are one byte.
func Byte() KeyForm[byte] {
	return KeyForm[byte]{
		Add: func(b []byte, k byte) []byte { return append(b, k) },
		Parse: func(b []byte) (k byte, ok bool) {
			if len(b) != 1 {
				return 0, false
			}
			return b[0], true
		},
		Valid: func(byte) bool { return true },
		size:  1,
	}
}

// Time is the form of keys that are times, in milliseconds: 8 bytes that sort.
func Time() KeyForm[time.Time] {
	return KeyForm[time.Time]{
		Add: func(b []byte, at time.Time) []byte { return AppendMS(b, at.UnixMilli()) },
		Parse: func(b []byte) (at time.Time, ok bool) {
			if len(b) != 8 {
				return at, false
			}
			return FromMS(ReadMS(b)), true
		},
		Valid: func(at time.Time) bool { return at.UnixMilli()>>56 == 0 }, // a time of this age of the world
		Shown: func(at time.Time) string { return at.Format(time.RFC3339) },
		size:  8,
	}
}

// Join is the form of keys that consist of a text, a number or a time, and of something else.
func Join[K, A, B any](first KeyForm[A], second KeyForm[B], apart func(K) (A, B), together func(A, B) K) KeyForm[K] {
	return KeyForm[K]{
		Add: func(b []byte, k K) []byte {
			x, y := apart(k)
			b = first.Add(b, x)
			if first.size == 0 {
				b = append(b, 0)
			}
			return second.Add(b, y)
		},
		Parse: func(b []byte) (k K, ok bool) {
			head, rest := b, []byte(nil)
			if first.size == 0 {
				if head, rest, ok = bytes.Cut(b, []byte{0}); !ok {
					return k, false
				}
			} else {
				if len(b) < first.size {
					return k, false
				}
				head, rest = b[:first.size], b[first.size:]
			}
			x, ok := first.Parse(head)
			y, ok2 := second.Parse(rest)
			if !ok || !ok2 {
				return k, false
			}
			return together(x, y), true
		},
		Valid: func(k K) bool {
			x, y := apart(k)
			return first.Valid(x) && second.Valid(y)
		},
	}
}

// A Codec is how the values of a table are written. The key of a value is known when it is read, so that it need not be part of it.
// The errors of Encode wrap ErrInvalid, those of Decode ErrDamaged.
type Codec[K, V any] struct {
	Encode func(v V) ([]byte, error)
	Decode func(k K, value []byte) (V, error)
	valid  func(v V) bool // reports whether it can be a value of the table, which a damaged store has to be asked; nil: all can
}

// JSON is the codec of values that are stored as they are, as JSON, sealed.
func JSON[K, V any](version int) Codec[K, V] {
	return JSONAs(version, func(v V) V { return v }, func(_ K, v V) (V, error) { return v, nil })
}

// JSONAs is the codec of values that are stored in a form J of their own, as JSON, sealed.
func JSONAs[K, V, J any](version int, to func(V) J, from func(K, J) (V, error)) Codec[K, V] {
	return Codec[K, V]{
		Encode: func(v V) ([]byte, error) { return SealJSON(version, to(v)) },
		Decode: func(k K, value []byte) (v V, err error) {
			content, err := Unseal(value, version)
			if err != nil {
				return v, err
			}
			var j J
			if err := ParseJSON(content, &j); err != nil {
				return v, err
			}
			return from(k, j)
		},
	}
}

// None is the codec of tables whose keys say all.
func None[K any]() Codec[K, struct{}] {
	return Codec[K, struct{}]{
		Encode: func(struct{}) ([]byte, error) { return nil, nil },
		Decode: func(_ K, value []byte) (none struct{}, err error) {
			if len(value) > 0 {
				err = fmt.Errorf("%w: a value where there is none", ErrDamaged)
			}
			return none, err
		},
	}
}

// TimeOrNone is the codec of times in whole milliseconds, of which the zero time is no bytes.
func TimeOrNone[K any]() Codec[K, time.Time] {
	return Codec[K, time.Time]{
		Encode: func(t time.Time) ([]byte, error) {
			if t.IsZero() {
				return nil, nil
			}
			return AppendMS(nil, t.UnixMilli()), nil
		},
		Decode: func(_ K, value []byte) (time.Time, error) {
			switch len(value) {
			case 0:
				return time.Time{}, nil
			case 8:
				return FromMS(ReadMS(value)), nil
			}
			return time.Time{}, Damaged("a time of %d bytes", len(value))
		},
	}
}

// RawBytes is the codec of values that are bytes, which valid accepts.
func RawBytes(valid func([]byte) bool) Codec[string, []byte] {
	return Codec[string, []byte]{
		Encode: func(b []byte) ([]byte, error) { return b, nil },
		Decode: func(_ string, value []byte) ([]byte, error) {
			if !valid(value) {
				return nil, Damaged("a value that makes no sense")
			}
			return bytes.Clone(value), nil
		},
	}
}

// Plain is the codec of values that are one text. valid reports whether one can be a value.
func Plain[K any, V ~string](valid func(V) bool) Codec[K, V] {
	return Codec[K, V]{
		Encode: func(v V) ([]byte, error) { return []byte(v), nil },
		Decode: func(_ K, value []byte) (V, error) { return V(value), nil },
		valid:  valid,
	}
}

// AppendSeq appends a number so that keys sort by it: 8 bytes, big endian.
func AppendSeq(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

// ReadSeq reads what AppendSeq wrote.
func ReadSeq(b []byte) (n uint64, ok bool) {
	if len(b) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

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

// Entries reads a range into a slice.
func (t Table[K, V]) Entries(r kv.Reader, g kv.Range) ([]Entry[K, V], error) {
	var entries []Entry[K, V]
	for e, err := range t.Scan(r, g) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// List reads the values of a range into a slice.
func (t Table[K, V]) List(r kv.Reader, g kv.Range) ([]V, error) {
	var values []V
	for e, err := range t.Scan(r, g) {
		if err != nil {
			return nil, err
		}
		values = append(values, e.Value)
	}
	return values, nil
}

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

// LastNumber returns the highest number in a table whose keys are numbers, 0 if it is empty.
func LastNumber[V any](r kv.Reader, t Table[uint64, V]) (uint64, error) {
	e, _, err := t.Last(r, t.Under())
	return e.Key, err
}

// Damaged returns an error for an entry that makes no sense.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// SweepStep is how many codes, and how many records, one transaction looks at, so that no move waits long.
const SweepStep = 500

// Meta is the name of the table meta.
const Meta = "meta"
