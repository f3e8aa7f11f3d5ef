package etcd

import (
	"bytes"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// A tx implements kv.Tx: its writes lie above what it reads of one snapshot.
type tx struct {
	*overlay.Writes
	reads *reads
}

func newTx(s *snapshot) *tx {
	r := &reads{snapshot: s, revisions: map[string]int64{}}
	return &tx{overlay.New(r), r}
}

// Revision implements kv.Reader.
func (t *tx) Revision() kv.Revision { return t.reads.snapshot.Revision() }

// Reads are what a transaction has read of a snapshot. They are an overlay.Base.
type reads struct {
	snapshot  *snapshot
	revisions map[string]int64 // by key: the revision of its last change, 0 if it is missing
	ranges    []*scanned
}

// A scanned range is how far a scan came.
type scanned struct {
	from, to []byte // to is the first key behind it; nil is the end
	seen     []*mvccpb.KeyValue
	many     bool // more than maxSeen keys were seen
}

// maxSeen is how many keys of a scan are compared each by itself. Of a longer one, the whole section must not have lost any.
const maxSeen = 16

// Get implements overlay.Base.
func (r *reads) Get(key []byte) ([]byte, error) {
	found, err := r.snapshot.entry(key)
	if err != nil {
		return nil, err
	}
	if found == nil {
		r.revisions[string(key)] = 0
		return nil, nil
	}
	r.revisions[string(key)] = found.ModRevision
	return r.snapshot.value(found)
}

// GetAll implements overlay.Base.
func (r *reads) GetAll(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for _, key := range keys {
		r.revisions[string(key)] = 0 // unless something is found
	}
	return values, r.snapshot.entries(keys, func(i int, e *mvccpb.KeyValue) (err error) {
		r.revisions[string(keys[i])] = e.ModRevision
		values[i], err = r.snapshot.value(e)
		return err
	})
}

// Cursor implements overlay.Base.
func (r *reads) Cursor(of kv.Range) overlay.Cursor {
	extent := &scanned{} // all there is, until it is known how far the scan came
	r.ranges = append(r.ranges, extent)
	return &seeing{pages: pages{snapshot: r.snapshot, r: of}, whole: of, extent: extent}
}

// A seeing cursor notes how far it came.
type seeing struct {
	pages
	whole  kv.Range
	extent *scanned
}

// Next implements overlay.Cursor.
func (s *seeing) Next() (key []byte, err error) {
	key, err = s.pages.Next()
	if err == nil {
		s.extent.see(s.whole, key, s.at)
	}
	return key, err
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
