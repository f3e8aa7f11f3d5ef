package bolt

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.etcd.io/bbolt"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// Snapshots
//
// After each commit the committer opens one bbolt read transaction on the durable state, and every View reads from it,
// each with cursors of its own; the last user closes it. So View takes none of bbolt's locks. Nor can it see a transaction
// that bbolt has written and not yet synced; a new bbolt transaction would.
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

// revision returns the revision of a snapshot: no smaller than the revision of any change in it.
func (s *snapshot) revision() kv.Revision { return revisionOf(int64(s.tx.ID()), lastInCommit) }

// A revision is the number of the bbolt transaction, which the file keeps, and the number of our transaction in it.
const (
	revisionBits = 16
	lastInCommit = 1<<revisionBits - 1
)

func revisionOf(commit int64, inCommit int) kv.Revision {
	return kv.Revision(commit<<revisionBits | int64(inCommit))
}

// cursor returns a new cursor in a section, nil if the section doesn't exist.
func (s *snapshot) cursor(section []byte) *bbolt.Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.buckets[string(section)]
	if !ok {
		if b = s.tx.Bucket(section); b == nil {
			return nil
		}
		s.buckets[string(section)] = b
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
func split(key []byte) (section, rest []byte) {
	if i := bytes.IndexByte(key, 0); i >= 0 {
		return key[:i], key[i+1:]
	}
	return key, nil
}

// joined is the key in a section.
func joined(section, rest []byte) []byte {
	key := make([]byte, 0, len(section)+1+len(rest))
	return append(append(append(key, section...), 0), rest...)
}

// A getter reads a snapshot, for one goroutine. It is an overlay.Base. It keeps a bbolt cursor for each section that it has seen.
type getter struct {
	snapshot *snapshot
	cursors  []sectionCursor
}

type sectionCursor struct {
	section string
	cursor  *bbolt.Cursor // nil if the section doesn't exist
}

// Get returns the value of a key, nil if there is none.
func (g *getter) Get(key []byte) ([]byte, error) {
	section, rest := split(key)
	if len(rest) == 0 {
		return nil, nil
	}
	c := g.cursor(section)
	if c == nil {
		return nil, nil
	}
	k, v := c.Seek(rest)
	if !bytes.Equal(k, rest) {
		return nil, nil
	}
	return v, checkValue(k, v)
}

// GetAll calls Get for each key. That costs no more than a request for all would.
func (g *getter) GetAll(keys [][]byte) (values [][]byte, err error) {
	values = make([][]byte, len(keys))
	for i, key := range keys {
		if values[i], err = g.Get(key); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Cursor implements overlay.Base.
func (g *getter) Cursor(r kv.Range) overlay.Cursor { return &iterator{snapshot: g.snapshot, r: r} }

func (g *getter) cursor(section []byte) *bbolt.Cursor {
	for _, c := range g.cursors {
		if c.section == string(section) {
			return c.cursor
		}
	}
	c := sectionCursor{string(section), g.snapshot.cursor(section)}
	g.cursors = append(g.cursors, c)
	return c.cursor
}

// checkValue returns ErrDamaged for a bucket in the place of a value.
func checkValue(k, v []byte) error {
	if v == nil {
		return fmt.Errorf("%w: the value of a key of %d bytes is a bucket", kv.ErrDamaged, len(k))
	}
	return nil
}

// An iterator goes through a range of a snapshot, one section after the other.
type iterator struct {
	snapshot *snapshot
	r        kv.Range
	section  []byte        // the one that cursor is in
	cursor   *bbolt.Cursor // nil before the first step and after the last section
	left     [][]byte      // sections to be visited, in order, also sections that the range doesn't reach
	started  bool
	rest     []byte // of the key that Next has returned
	value    []byte // of that key
}

// Next implements overlay.Cursor.
func (it *iterator) Next() (key []byte, err error) {
	if !it.started {
		it.start()
	}
	var k, v []byte
	switch {
	case it.cursor == nil:
	case it.r.Reverse:
		k, v = it.cursor.Prev()
	default:
		k, v = it.cursor.Next()
	}
	for k == nil {
		if len(it.left) == 0 {
			it.cursor = nil
			return nil, nil
		}
		k, v = it.enter()
	}
	key = joined(it.section, k)
	if it.r.Reverse && bytes.Compare(key, it.r.From) < 0 || !it.r.Reverse && it.r.To != nil && bytes.Compare(key, it.r.To) >= 0 {
		it.cursor, it.left = nil, nil
		return nil, nil
	}
	it.rest, it.value = k, v
	return key, nil
}

// Value implements overlay.Cursor.
func (it *iterator) Value() ([]byte, error) { return it.value, checkValue(it.rest, it.value) }

// start finds the sections that an iterator has to visit.
func (it *iterator) start() {
	it.started = true
	from, rest := split(it.r.From)
	to, end := split(it.r.To)
	if rest != nil && (end != nil && bytes.Equal(from, to) || it.r.To != nil && bytes.Equal(it.r.To, sectionEnd(from))) {
		it.left = [][]byte{from} // all in one section: the usual case
		return
	}
	for _, name := range it.snapshot.sections() {
		if name >= string(from) && (it.r.To == nil || name <= string(to)) {
			it.left = append(it.left, []byte(name))
		}
	}
	if it.r.Reverse {
		slices.Reverse(it.left)
	}
}

// sectionEnd returns the first key after all of a section.
func sectionEnd(section []byte) []byte { return append(bytes.Clone(section), 1) }

// enter goes to the next section and returns its first pair that the range reaches, in the direction of the range.
func (it *iterator) enter() (k, v []byte) {
	it.section, it.left = it.left[0], it.left[1:]
	it.cursor = it.snapshot.cursor(it.section)
	if it.cursor == nil {
		return nil, nil
	}
	if !it.r.Reverse {
		if section, rest := split(it.r.From); bytes.Equal(section, it.section) && len(rest) > 0 {
			return it.cursor.Seek(rest)
		}
		return it.cursor.First()
	}
	if it.r.To != nil && bytes.Compare(it.r.To, sectionEnd(it.section)) < 0 {
		section, rest := split(it.r.To)
		if !bytes.Equal(section, it.section) || len(rest) == 0 {
			return nil, nil // the range ends before this section
		}
		if k, _ := it.cursor.Seek(rest); k != nil {
			return it.cursor.Prev()
		}
	}
	return it.cursor.Last()
}
