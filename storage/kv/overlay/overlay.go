// Package overlay holds what a transaction has written and not yet committed, and merges it with what it reads. An engine of kv
// reads what is committed (Base); Writes above that are the rest of a kv.Tx.
package overlay

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/google/btree"

	"ludoteca/storage/kv"
)

// A Base is what lies below the writes of a transaction. It doesn't change while the transaction runs. Get and GetAll are as in
// kv.Reader.
type Base interface {
	Get(key []byte) (value []byte, err error)
	GetAll(keys [][]byte) (values [][]byte, err error)

	// Cursor returns a cursor that is before the first key of a range, in the direction of the range.
	Cursor(r kv.Range) Cursor
}

// A Cursor goes through a range of keys.
type Cursor interface {
	// Next goes to the next key and returns it. After the last key it returns nil.
	Next() (key []byte, err error)

	// Value returns the value of the key that Next has returned.
	Value() ([]byte, error)
}

// Scan yields a range of a base, as kv.Reader does.
func Scan(b Base, r kv.Range) iter.Seq2[kv.Pair, error] {
	return func(yield func(kv.Pair, error) bool) {
		for c := b.Cursor(r); ; {
			p, err := next(c)
			switch {
			case err != nil:
				yield(kv.Pair{}, err)
				return
			case p.Key == nil || !yield(p, nil):
				return
			}
		}
	}
}

// next returns the next pair of a cursor, without a key after the last.
func next(c Cursor) (p kv.Pair, err error) {
	if p.Key, err = c.Next(); err == nil && p.Key != nil {
		p.Value, err = c.Value()
	}
	return p, err
}

// Writes are what a transaction has written, above a base. They have the methods of kv.Tx but Revision, and are a Base
// themselves: other writes may lie above them. They are for one goroutine.
type Writes struct {
	base     Base
	written  *btree.BTreeG[Write]    // nil before the first write
	nodes    *btree.FreeListG[Write] // of written, shared with the writes below; nil before the first write
	prefixes [][]byte                // that DeletePrefix removed from the base, sorted; none begins with another
	err      error                   // the first write that broke the rules
}

// A Write is what a transaction leaves under a key.
type Write struct {
	Key   []byte
	Value []byte // nil if the key was removed
}

// degree is the degree of the tree of writes.
const degree = 32

// New returns empty writes above a base.
func New(base Base) *Writes { return &Writes{base: base} }

// put adds a write, or replaces the write of its key.
func (w *Writes) put(o Write) {
	if w.written == nil {
		w.written = btree.NewWithFreeListG(degree, before, w.freeNodes())
	}
	w.written.ReplaceOrInsert(o)
}

// drop removes the write of a key.
func (w *Writes) drop(key []byte) {
	if w.written != nil {
		w.written.Delete(Write{Key: key})
	}
}

// freeNodes returns the nodes that the trees of w and of the writes below share.
func (w *Writes) freeNodes() *btree.FreeListG[Write] {
	if w.nodes == nil {
		if below, ok := w.base.(*Writes); ok {
			w.nodes = below.freeNodes()
		} else {
			w.nodes = btree.NewFreeListG[Write](btree.DefaultFreeListSize)
		}
	}
	return w.nodes
}

func before(a, b Write) bool { return bytes.Compare(a.Key, b.Key) < 0 }

// Err returns nil, or kv.ErrInvalid if a key or value broke the rules. The transaction must fail then.
func (w *Writes) Err() error { return w.err }

// Empty reports whether nothing was written.
func (w *Writes) Empty() bool { return w.Len() == 0 && len(w.prefixes) == 0 }

// Len returns how many keys were written.
func (w *Writes) Len() int {
	if w.written == nil {
		return 0
	}
	return w.written.Len()
}

// All yields what was written, by key. It lies above what Prefixes returns.
func (w *Writes) All() iter.Seq[Write] {
	return func(yield func(Write) bool) {
		if w.written != nil {
			w.written.Ascend(yield)
		}
	}
}

// Prefixes returns the prefixes that were removed from the base, sorted. None begins with another.
func (w *Writes) Prefixes() [][]byte { return w.prefixes }

// Put implements kv.Tx.
func (w *Writes) Put(key, value []byte) {
	if w.allows(key, value) {
		w.put(Write{bytes.Clone(key), append([]byte{}, value...)})
	}
}

// Delete implements kv.Tx.
func (w *Writes) Delete(key []byte) {
	switch {
	case !w.allows(key, nil):
	case w.removed(key):
		w.drop(key)
	default:
		w.put(Write{Key: bytes.Clone(key)})
	}
}

// allows reports whether a key and a value follow the rules, and sets err if they don't.
func (w *Writes) allows(key, value []byte) bool {
	err := kv.Check(key, value)
	if w.err == nil {
		w.err = err
	}
	return err == nil
}

// DeletePrefix implements kv.Tx. It reads nothing.
func (w *Writes) DeletePrefix(prefix []byte) error {
	if bytes.IndexByte(prefix, 0) <= 0 {
		return fmt.Errorf("%w: a prefix without a section", kv.ErrInvalid)
	}
	r := kv.Prefix(bytes.Clone(prefix))
	if w.Len() > 0 {
		var over [][]byte
		w.written.AscendRange(Write{Key: r.From}, Write{Key: r.To}, func(o Write) bool { over = append(over, o.Key); return true })
		for _, key := range over {
			w.drop(key)
		}
	}
	if w.removed(prefix) {
		return nil
	}
	at, _ := slices.BinarySearchFunc(w.prefixes, prefix, bytes.Compare)
	end := at
	for end < len(w.prefixes) && bytes.HasPrefix(w.prefixes[end], prefix) {
		end++
	}
	w.prefixes = slices.Replace(w.prefixes, at, end, r.From)
	return nil
}

// removed reports whether DeletePrefix has removed a key from the base, or all keys that begin with it.
func (w *Writes) removed(key []byte) bool {
	at, found := slices.BinarySearchFunc(w.prefixes, key, bytes.Compare)
	return found || at > 0 && bytes.HasPrefix(key, w.prefixes[at-1]) // no other prefix lies between that one and its keys
}

// Merge moves the writes of a transaction above w to w. The transaction must have ended. Another one may use above, which is empty then.
func (w *Writes) Merge(above *Writes) {
	for _, prefix := range above.prefixes {
		_ = w.DeletePrefix(prefix) // it was one for above
	}
	if w.Empty() {
		w.written, above.written = above.written, w.written
		above.prefixes, above.err = nil, nil
		return
	}
	for o := range above.All() {
		if o.Value == nil && w.removed(o.Key) {
			w.drop(o.Key)
		} else {
			w.put(o)
		}
	}
	if above.written != nil {
		above.written.Clear(true)
	}
	above.prefixes, above.err = nil, nil
}

// Get implements kv.Reader.
func (w *Writes) Get(key []byte) ([]byte, error) {
	if value, here := w.get(key); here {
		return value, nil
	}
	return w.base.Get(key)
}

// get returns what the writes leave under a key, and whether they say anything of it.
func (w *Writes) get(key []byte) (value []byte, here bool) {
	if w.Len() > 0 {
		if o, ok := w.written.Get(Write{Key: key}); ok {
			return o.Value, true
		}
	}
	return nil, w.removed(key)
}

// GetAll implements kv.Reader. It asks the base for the keys that were not written, all at once.
func (w *Writes) GetAll(keys [][]byte) ([][]byte, error) {
	if w.Empty() {
		return w.base.GetAll(keys)
	}
	values := make([][]byte, len(keys))
	var asked [][]byte
	var places []int // of those asked, in keys
	for i, key := range keys {
		value, here := w.get(key)
		if values[i] = value; !here {
			asked, places = append(asked, key), append(places, i)
		}
	}
	found, err := w.base.GetAll(asked)
	if err != nil {
		return nil, err
	}
	for n, value := range found {
		values[places[n]] = value
	}
	return values, nil
}

// Scan implements kv.Reader. Writes that are made while it goes on are seen where the scan has yet to come.
func (w *Writes) Scan(r kv.Range) iter.Seq2[kv.Pair, error] { return Scan(w, r) }

// Cursor implements Base.
func (w *Writes) Cursor(r kv.Range) Cursor {
	base := w.base
	if below, ok := base.(*Writes); ok && below.Empty() {
		base = below.base
	}
	return &merged{writes: w, r: r, base: base.Cursor(r)}
}

// A merged cursor goes through a range of the base and of the writes above it, side by side.
type merged struct {
	writes *Writes
	r      kv.Range
	base   Cursor
	ahead  []byte // the key that base has come to, nil after the last
	moved  bool   // base has come to ahead, and ahead has not been returned or passed
	last   []byte // the key of the last step, returned or removed
	value  []byte // written under the key that was returned last; nil if the key is of the base
}

// Next implements Cursor.
func (m *merged) Next() (key []byte, err error) {
	for {
		if !m.moved {
			if m.ahead, err = m.base.Next(); err != nil {
				return nil, err
			}
			m.moved = true
		}
		over, there := m.writes.after(m.last, m.r)
		switch order := m.order(over.Key); {
		case !there && m.ahead == nil:
			return nil, nil
		case there && order <= 0:
			m.last, m.value = over.Key, over.Value
			if order == 0 {
				m.moved = false
			}
			if over.Value != nil {
				return over.Key, nil
			}
		default:
			m.last, m.value, m.moved = m.ahead, nil, false
			if !m.writes.removed(m.ahead) {
				return m.ahead, nil
			}
		}
	}
}

// order compares a key that was written with the next key of the base, in the direction of the scan.
func (m *merged) order(written []byte) int {
	switch {
	case m.ahead == nil:
		return -1
	case m.r.Reverse:
		return bytes.Compare(m.ahead, written)
	}
	return bytes.Compare(written, m.ahead)
}

// Value implements Cursor.
func (m *merged) Value() ([]byte, error) {
	if m.value != nil {
		return m.value, nil
	}
	return m.base.Value()
}

// after returns the first write in a range that comes after a key, in the direction of the range. A nil key is before the range.
func (w *Writes) after(last []byte, r kv.Range) (found Write, ok bool) {
	if w.Len() == 0 {
		return Write{}, false
	}
	take := func(o Write) bool {
		switch {
		case last != nil && bytes.Equal(o.Key, last), r.Reverse && r.To != nil && bytes.Equal(o.Key, r.To):
			return true // not after, but at the bound
		case r.Reverse && bytes.Compare(o.Key, r.From) < 0, !r.Reverse && r.To != nil && bytes.Compare(o.Key, r.To) >= 0:
			return false
		}
		found, ok = o, true
		return false
	}
	switch {
	case r.Reverse && last != nil:
		w.written.DescendLessOrEqual(Write{Key: last}, take)
	case r.Reverse && r.To != nil:
		w.written.DescendLessOrEqual(Write{Key: r.To}, take)
	case r.Reverse:
		w.written.Descend(take)
	case last != nil:
		w.written.AscendGreaterOrEqual(Write{Key: last}, take)
	default:
		w.written.AscendGreaterOrEqual(Write{Key: r.From}, take)
	}
	return found, ok
}
