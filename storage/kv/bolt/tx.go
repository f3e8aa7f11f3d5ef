package bolt

import (
	"bytes"
	"iter"
	"slices"

	"github.com/google/btree"

	"ludoteca/storage/kv"
)

// A reader implements kv.Reader on a snapshot.
type reader struct{ getter }

func (r *reader) Revision() kv.Revision                     { return r.snapshot.revision() }
func (r *reader) Get(key []byte) ([]byte, error)            { return r.get(key) }
func (r *reader) GetAll(keys [][]byte) ([][]byte, error)    { return getAll(r.Get, keys) }
func (r *reader) Sections() []string                        { return slices.Clone(r.snapshot.sections()) }
func (r *reader) Scan(g kv.Range) iter.Seq2[kv.Pair, error] { return scan(r.snapshot, nil, g) }

// getAll calls get for each key. That costs no more than a request for all would.
func getAll(get func(key []byte) ([]byte, error), keys [][]byte) (values [][]byte, err error) {
	values = make([][]byte, len(keys))
	for i, key := range keys {
		if values[i], err = get(key); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// A written value is what transactions of one commit left under a key.
type written struct {
	key   []byte
	value []byte // nil if the key was removed
}

// An overlay is what the transactions of one commit have written so far, in the order of the keys.
type overlay = btree.BTreeG[written]

func newOverlay() *overlay {
	return btree.NewG(32, func(a, b written) bool { return bytes.Compare(a.key, b.key) < 0 })
}

// A tx implements kv.Tx: it writes to the overlay of its commit, and can take that back.
type tx struct {
	base     *getter
	overlay  *overlay
	undo     []replaced
	sections []string // to be made
	err      error    // the first write that broke the rules
}

// A replaced entry is what a write has put in the place of another in the overlay.
type replaced struct {
	by     written
	before written
	had    bool // there was one before
}

func (t *tx) Revision() kv.Revision                     { return t.base.snapshot.revision() }
func (t *tx) Scan(r kv.Range) iter.Seq2[kv.Pair, error] { return scan(t.base.snapshot, t.overlay, r) }
func (t *tx) GetAll(keys [][]byte) ([][]byte, error)    { return getAll(t.Get, keys) }

func (t *tx) Get(key []byte) ([]byte, error) {
	if w, ok := t.overlay.Get(written{key: key}); ok {
		return w.value, nil
	}
	return t.base.get(key)
}

func (t *tx) Put(key, value []byte) {
	if t.allows(key, value) {
		t.write(written{bytes.Clone(key), append([]byte{}, value...)})
	}
}

func (t *tx) Delete(key []byte) {
	if t.allows(key, nil) {
		t.write(written{key: bytes.Clone(key)})
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

func (t *tx) DeletePrefix(prefix []byte) error {
	for p, err := range t.Scan(kv.Prefix(prefix)) {
		if err != nil {
			return err
		}
		t.write(written{key: p.Key})
	}
	return nil
}

// MakeSection implements kv.SectionMaker.
func (t *tx) MakeSection(name string) {
	if !slices.Contains(t.base.snapshot.sections(), name) {
		t.sections = append(t.sections, name)
	}
}

func (t *tx) write(w written) {
	before, had := t.overlay.ReplaceOrInsert(w)
	t.undo = append(t.undo, replaced{w, before, had})
}

// takeBack removes everything that the transaction has written from the overlay.
func (t *tx) takeBack() {
	for _, r := range slices.Backward(t.undo) {
		if r.had {
			t.overlay.ReplaceOrInsert(r.before)
		} else {
			t.overlay.Delete(r.by)
		}
	}
}

// changes returns what the transaction has changed, by key.
func (t *tx) changes(revision kv.Revision) ([]kv.Change, error) {
	slices.SortStableFunc(t.undo, func(a, b replaced) int { return bytes.Compare(a.by.key, b.by.key) })
	changes := make([]kv.Change, 0, len(t.undo))
	for i := 0; i < len(t.undo); {
		first, last := t.undo[i], written{}
		for ; i < len(t.undo) && bytes.Equal(t.undo[i].by.key, first.by.key); i++ {
			last = t.undo[i].by
		}
		if last.value == nil {
			was, err := first.before.value, error(nil)
			if !first.had {
				was, err = t.base.get(last.key)
			}
			if err != nil {
				return nil, err
			}
			if was == nil {
				continue // it came and went
			}
		}
		changes = append(changes, kv.Change{Revision: revision, Key: last.key, Value: last.value})
	}
	return changes, nil
}

// scan yields a range of a snapshot with an overlay above it, which may be nil.
func scan(s *snapshot, above *overlay, r kv.Range) iter.Seq2[kv.Pair, error] {
	return func(yield func(kv.Pair, error) bool) {
		below := &iterator{snapshot: s, r: r}
		p, more, err := below.next()
		var last []byte // the key of the last step, yielded or removed
		for err == nil {
			w, over := beyond(above, r, last)
			order := bytes.Compare(w.key, p.Key)
			if r.Reverse {
				order = -order
			}
			switch {
			case !over && !more:
				return
			case over && (!more || order <= 0):
				if last = w.key; w.value != nil && !yield(kv.Pair{Key: w.key, Value: w.value}, nil) {
					return
				}
				if more && order == 0 {
					p, more, err = below.next()
				}
			default:
				if last = p.Key; !yield(p, nil) {
					return
				}
				p, more, err = below.next()
			}
		}
		yield(kv.Pair{}, err)
	}
}

// beyond returns the first entry of an overlay in a range that comes after a key, in the direction of the range.
func beyond(above *overlay, r kv.Range, last []byte) (found written, ok bool) {
	if above == nil {
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
		above.DescendLessOrEqual(written{key: last}, take)
	case r.Reverse && r.To != nil:
		above.DescendLessOrEqual(written{key: r.To}, take)
	case r.Reverse:
		above.Descend(take)
	case last != nil:
		above.AscendGreaterOrEqual(written{key: last}, take)
	default:
		above.AscendGreaterOrEqual(written{key: r.From}, take)
	}
	return found, ok
}
