package etcd

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/google/btree"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"ludoteca/storage/kv"
)

// A tx implements kv.Tx. It reads one snapshot below its own writes, and keeps in mind what it has read.
type tx struct {
	*snapshot
	reads  map[string]int64 // by key: the revision of its last change, 0 if it is missing
	ranges []*scanned
	writes *btree.BTreeG[written]
	gone   []kv.Range // that DeletePrefix removed; writes lie above them. They don't overlap
	err    error      // the first write that broke the rules
}

// A written value is what the transaction leaves under a key.
type written struct {
	key   []byte
	value []byte // nil if the key was removed
}

// A scanned range is how far a scan came.
type scanned struct {
	from, to []byte // to is the first key behind it; nil is the end
	seen     []*mvccpb.KeyValue
	many     bool // more than maxSeen keys were seen
}

// maxSeen is how many keys of a scan are compared each by itself. Of a longer one, the whole section must not have lost any.
const maxSeen = 16

func newTx(s *snapshot) *tx {
	return &tx{
		snapshot: s, reads: map[string]int64{},
		writes: btree.NewG(16, func(a, b written) bool { return bytes.Compare(a.key, b.key) < 0 }),
	}
}

// Get implements kv.Reader.
func (t *tx) Get(key []byte) ([]byte, error) {
	if w, ok := t.writes.Get(written{key: key}); ok {
		return w.value, nil
	}
	if t.removed(key) {
		return nil, nil
	}
	found, err := t.entry(key)
	if err != nil {
		return nil, err
	}
	if found == nil {
		t.reads[string(key)] = 0
		return nil, nil
	}
	t.reads[string(key)] = found.ModRevision
	return t.value(found)
}

// GetAll implements kv.Reader.
func (t *tx) GetAll(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	var below [][]byte // the keys that the transaction has not written
	var places []int   // theirs in keys
	for i, key := range keys {
		if w, ok := t.writes.Get(written{key: key}); ok {
			values[i] = w.value
		} else if !t.removed(key) {
			below, places = append(below, key), append(places, i)
			t.reads[string(key)] = 0 // unless something is found
		}
	}
	return values, t.entries(below, func(n int, e *mvccpb.KeyValue) (err error) {
		t.reads[string(below[n])] = e.ModRevision
		values[places[n]], err = t.value(e)
		return err
	})
}

// Put implements kv.Tx.
func (t *tx) Put(key, value []byte) {
	if t.allows(key, value) {
		t.writes.ReplaceOrInsert(written{bytes.Clone(key), append([]byte{}, value...)})
	}
}

// Delete implements kv.Tx.
func (t *tx) Delete(key []byte) {
	if t.allows(key, nil) {
		t.writes.ReplaceOrInsert(written{key: bytes.Clone(key)})
	}
}

// allows says whether a key and a value follow the rules. If not, the transaction will fail.
func (t *tx) allows(key, value []byte) bool {
	err := kv.Check(key, value)
	if t.err == nil {
		t.err = err
	}
	return err == nil
}

// DeletePrefix implements kv.Tx. It reads nothing: what is there when the transaction commits goes.
func (t *tx) DeletePrefix(prefix []byte) error {
	if bytes.IndexByte(prefix, 0) <= 0 {
		return fmt.Errorf("%w: a prefix without a section", kv.ErrInvalid)
	}
	r := kv.Prefix(bytes.Clone(prefix))
	var above []written
	t.writes.AscendRange(written{key: r.From}, written{key: r.To}, func(w written) bool { above = append(above, w); return true })
	for _, w := range above {
		t.writes.Delete(w)
	}
	if !t.removed(prefix) {
		t.gone = slices.DeleteFunc(t.gone, func(g kv.Range) bool { return bytes.HasPrefix(g.From, prefix) })
		t.gone = append(t.gone, r)
	}
	return nil
}

// removed says whether DeletePrefix has removed a key or all that begins with it.
func (t *tx) removed(key []byte) bool {
	return slices.ContainsFunc(t.gone, func(g kv.Range) bool { return bytes.HasPrefix(key, g.From) })
}

// Scan implements kv.Reader.
func (t *tx) Scan(r kv.Range) iter.Seq2[kv.Pair, error] {
	return func(yield func(kv.Pair, error) bool) { scan(&pages{snapshot: t.snapshot, r: r}, t)(yield) }
}

// see takes in that a scan of r has come to an entry, nil at the end.
func (s *scanned) see(r kv.Range, key []byte, e *mvccpb.KeyValue) {
	s.from, s.to = r.From, r.To
	switch {
	case e == nil:
		return
	case r.Reverse:
		s.from = key
	default:
		s.to = append(bytes.Clone(key), 0)
	}
	if s.many = s.many || len(s.seen) == maxSeen; !s.many {
		s.seen = append(s.seen, e)
	} else {
		s.seen = nil
	}
}

// scan yields a range of a snapshot, with the writes of a transaction above it, which may be nil.
func scan(below *pages, t *tx) iter.Seq2[kv.Pair, error] {
	return func(yield func(kv.Pair, error) bool) {
		whole := below.r
		var extent *scanned
		if t != nil {
			extent = &scanned{} // all there is, until it is known how far the scan came
			t.ranges = append(t.ranges, extent)
		}
		var key []byte // of the next entry below
		step := func() (*mvccpb.KeyValue, error) {
			e, err := below.next()
			if err != nil {
				return nil, err
			}
			if e != nil {
				key = below.key(e)
			}
			if extent != nil {
				extent.see(whole, key, e)
			}
			return e, nil
		}
		e, err := step()
		var last []byte // the key of the last step, yielded or removed
		for err == nil {
			w, over := t.beyond(whole, last)
			order := -1
			if over && e != nil {
				if order = bytes.Compare(w.key, key); whole.Reverse {
					order = -order
				}
			}
			switch {
			case !over && e == nil:
				return
			case over && order <= 0:
				if last = w.key; w.value != nil && !yield(kv.Pair{Key: w.key, Value: w.value}, nil) {
					return
				}
				if e != nil && order == 0 {
					e, err = step()
				}
			default:
				last = key
				if t == nil || !t.removed(key) {
					value, e := below.snapshot.value(e)
					if e != nil {
						yield(kv.Pair{}, e)
						return
					}
					if !yield(kv.Pair{Key: key, Value: value}, nil) {
						return
					}
				}
				e, err = step()
			}
		}
		yield(kv.Pair{}, err)
	}
}

// beyond returns the first write in a range that comes after a key, in the direction of the range.
func (t *tx) beyond(r kv.Range, last []byte) (found written, ok bool) {
	if t == nil {
		return written{}, false
	}
	take := func(w written) bool {
		switch {
		case last != nil && bytes.Equal(w.key, last), r.Reverse && r.To != nil && bytes.Equal(w.key, r.To):
			return true // not after, but at the bound
		case r.Reverse && bytes.Compare(w.key, r.From) < 0, !r.Reverse && r.To != nil && bytes.Compare(w.key, r.To) >= 0:
			return false
		}
		found, ok = w, true
		return false
	}
	switch {
	case r.Reverse && last != nil:
		t.writes.DescendLessOrEqual(written{key: last}, take)
	case r.Reverse && r.To != nil:
		t.writes.DescendLessOrEqual(written{key: r.To}, take)
	case r.Reverse:
		t.writes.Descend(take)
	case last != nil:
		t.writes.AscendGreaterOrEqual(written{key: last}, take)
	default:
		t.writes.AscendGreaterOrEqual(written{key: r.From}, take)
	}
	return found, ok
}
