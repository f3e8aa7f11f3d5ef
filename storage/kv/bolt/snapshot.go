package bolt

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/google/btree"
	"go.etcd.io/bbolt"

	"ludoteca/storage/kv"
)

// Snapshots
//
// After each commit the committer opens one bbolt read transaction on the durable state, and every View reads from it,
// each with cursors of its own; the last user closes it. So View takes none of bbolt's locks, and it can't see a
// transaction that bbolt has written and not yet synced, which a bbolt transaction begun at that moment would.
//
// bbolt calls its transactions unfit for several goroutines because of writing ones. Reading ones keep no state but
// their counters, which are atomic; etcd shares them in the same way (its concurrentReadTx). Looking up a bucket and
// making a cursor is done under a lock here, as it is there.

// A snapshot is the state of the store after one commit.
type snapshot struct {
	tx   *bbolt.Tx
	uses int // guarded by the store's mu; the committer's own use counts

	mu      sync.Mutex // guards what follows, and all use of tx that isn't reading by a cursor
	buckets map[string]*bbolt.Bucket
	names   []string // of all buckets, sorted; nil before they are asked for
}

// revision returns the revision of a snapshot: no smaller than that of each change in it.
func (s *snapshot) revision() kv.Revision { return revisionOf(int64(s.tx.ID()), lastInCommit) }

// cursor returns a new cursor in a section, nil if the section doesn't exist.
func (s *snapshot) cursor(section string) *bbolt.Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.buckets[section]
	if !ok {
		if b = s.tx.Bucket([]byte(section)); b == nil {
			return nil
		}
		s.buckets[section] = b
	}
	return b.Cursor()
}

// sections returns the names of all sections, sorted.
func (s *snapshot) sections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = []string{}
		c := s.tx.Cursor()
		for name, _ := c.First(); name != nil; name, _ = c.Next() {
			s.names = append(s.names, string(name))
		}
	}
	return s.names
}

// split takes a key apart. Of a bound of a range without a zero byte, everything is section and rest is nil.
func split(key []byte) (section string, rest []byte) {
	if i := bytes.IndexByte(key, 0); i >= 0 {
		return string(key[:i]), key[i+1:]
	}
	return string(key), nil
}

// joined is the key in a section.
func joined(section string, rest []byte) []byte {
	key := make([]byte, 0, len(section)+1+len(rest))
	return append(append(append(key, section...), 0), rest...)
}

// get returns the value of a key, nil if there is none.
func (s *snapshot) get(key []byte) ([]byte, error) {
	section, rest := split(key)
	c := s.cursor(section)
	if c == nil || len(rest) == 0 {
		return nil, nil
	}
	k, v := c.Seek(rest)
	if !bytes.Equal(k, rest) {
		return nil, nil
	}
	return v, checkValue(k, v)
}

// checkValue returns ErrDamaged for a bucket in the place of a value.
func checkValue(k, v []byte) error {
	if v == nil {
		return fmt.Errorf("%w: the value of a key of %d bytes is a bucket", kv.ErrDamaged, len(k))
	}
	return nil
}

// A walk goes through a range of a snapshot, one section after the other.
type walk struct {
	snapshot *snapshot
	r        kv.Range
	section  string        // the one that cursor is in
	cursor   *bbolt.Cursor // nil before the first step and after the last section
	left     []string      // sections to be visited, in order; those that the range doesn't reach included
	started  bool
}

// next returns the next pair, and false after the last.
func (w *walk) next() (kv.Pair, bool, error) {
	if !w.started {
		w.start()
	}
	var k, v []byte
	switch {
	case w.cursor == nil:
	case w.r.Reverse:
		k, v = w.cursor.Prev()
	default:
		k, v = w.cursor.Next()
	}
	for k == nil {
		if len(w.left) == 0 {
			w.cursor = nil
			return kv.Pair{}, false, nil
		}
		k, v = w.enter()
	}
	key := joined(w.section, k)
	if w.r.Reverse && bytes.Compare(key, w.r.From) < 0 || !w.r.Reverse && w.r.To != nil && bytes.Compare(key, w.r.To) >= 0 {
		w.cursor, w.left = nil, nil
		return kv.Pair{}, false, nil
	}
	return kv.Pair{Key: key, Value: v}, true, checkValue(k, v)
}

// start finds the sections that a walk has to visit.
func (w *walk) start() {
	w.started = true
	from, rest := split(w.r.From)
	to, end := split(w.r.To)
	if rest != nil && (end != nil && from == to || w.r.To != nil && bytes.Equal(w.r.To, append([]byte(from), 1))) {
		w.left = []string{from} // all in one section: the usual case
		return
	}
	for _, name := range w.snapshot.sections() {
		if name < from || w.r.To != nil && name > to {
			continue
		}
		if w.r.Reverse {
			w.left = append([]string{name}, w.left...)
		} else {
			w.left = append(w.left, name)
		}
	}
}

// enter goes to the next section and returns its first pair that the range reaches, in the direction of the range.
func (w *walk) enter() (k, v []byte) {
	w.section, w.left = w.left[0], w.left[1:]
	w.cursor = w.snapshot.cursor(w.section)
	if w.cursor == nil {
		return nil, nil
	}
	if !w.r.Reverse {
		if section, rest := split(w.r.From); section == w.section && len(rest) > 0 {
			return w.cursor.Seek(rest)
		}
		return w.cursor.First()
	}
	if w.r.To != nil && bytes.Compare(w.r.To, append([]byte(w.section), 1)) < 0 {
		section, rest := split(w.r.To)
		if section != w.section || len(rest) == 0 {
			return nil, nil // the range ends before this section
		}
		if k, _ := w.cursor.Seek(rest); k != nil {
			return w.cursor.Prev()
		}
	}
	return w.cursor.Last()
}

// A reader implements kv.Reader on a snapshot.
type reader struct{ snapshot *snapshot }

func (r reader) Revision() kv.Revision                     { return r.snapshot.revision() }
func (r reader) Get(key []byte) ([]byte, error)            { return r.snapshot.get(key) }
func (r reader) Sections() []string                        { return slices.Clone(r.snapshot.sections()) }
func (r reader) Scan(g kv.Range) iter.Seq2[kv.Pair, error] { return scan(r.snapshot, nil, g) }

// A written value is what transactions of one commit left under a key.
type written struct {
	key   []byte
	value []byte // nil if the key was removed
}

func newOverlay() *btree.BTreeG[written] {
	return btree.NewG(32, func(a, b written) bool { return bytes.Compare(a.key, b.key) < 0 })
}

// A tx implements kv.Tx: writes go to an overlay, which holds those of earlier transactions of the same commit too.
type tx struct {
	snapshot *snapshot
	overlay  *btree.BTreeG[written]
	touched  map[string]bool // the keys that this transaction wrote
	sections []string        // to be made
	err      error           // the first write that broke the rules
}

func (t *tx) Revision() kv.Revision                     { return t.snapshot.revision() }
func (t *tx) Scan(r kv.Range) iter.Seq2[kv.Pair, error] { return scan(t.snapshot, t.overlay, r) }
func (t *tx) Get(key []byte) ([]byte, error)            { return lookUp(t.snapshot, t.overlay, key) }

// lookUp returns the value of a key in an overlay on a snapshot, nil if there is none.
func lookUp(s *snapshot, overlay *btree.BTreeG[written], key []byte) ([]byte, error) {
	if w, ok := overlay.Get(written{key: key}); ok {
		return w.value, nil
	}
	return s.get(key)
}

func (t *tx) Put(key, value []byte) {
	if err := kv.Check(key, value); err != nil {
		if t.err == nil {
			t.err = err
		}
		return
	}
	t.write(written{bytes.Clone(key), append([]byte{}, value...)})
}

func (t *tx) Delete(key []byte) {
	if err := kv.Check(key, nil); err != nil {
		if t.err == nil {
			t.err = err
		}
		return
	}
	t.write(written{key: bytes.Clone(key)})
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
	if !slices.Contains(t.snapshot.sections(), name) {
		t.sections = append(t.sections, name)
	}
}

func (t *tx) write(w written) {
	t.overlay.ReplaceOrInsert(w)
	t.touched[string(w.key)] = true
}

// scan yields a range of a snapshot under an overlay, which may be nil.
func scan(s *snapshot, overlay *btree.BTreeG[written], r kv.Range) iter.Seq2[kv.Pair, error] {
	return func(yield func(kv.Pair, error) bool) {
		below := &walk{snapshot: s, r: r}
		p, more, err := below.next()
		var last []byte // the key of the last step, yielded or removed
		for err == nil {
			w, above := beyond(overlay, r, last)
			order := bytes.Compare(w.key, p.Key)
			if r.Reverse {
				order = -order
			}
			switch {
			case !above && !more:
				return
			case above && (!more || order <= 0):
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
func beyond(overlay *btree.BTreeG[written], r kv.Range, last []byte) (found written, ok bool) {
	if overlay == nil {
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
		overlay.DescendLessOrEqual(written{key: last}, take)
	case r.Reverse && r.To != nil:
		overlay.DescendLessOrEqual(written{key: r.To}, take)
	case r.Reverse:
		overlay.Descend(take)
	case last != nil:
		overlay.AscendGreaterOrEqual(written{key: last}, take)
	default:
		overlay.AscendGreaterOrEqual(written{key: r.From}, take)
	}
	return found, ok
}
