package postgres

import (
	"bytes"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// A tx implements kv.Tx: its writes lie above what it reads of one snapshot.
type tx struct {
	*overlay.Writes
	reads *reads
}

func newTx(s *snapshot) *tx {
	r := &reads{snapshot: s, keys: map[string]bool{}}
	return &tx{overlay.New(r), r}
}

// Revision implements kv.Reader.
func (t *tx) Revision() kv.Revision { return t.reads.snapshot.Revision() }

// Reads are what a transaction has read of a snapshot. They are an overlay.Base.
type reads struct {
	snapshot *snapshot
	keys     map[string]bool
	ranges   []*extent
}

// An extent is how far a scan came.
type extent struct{ from, to []byte } // to is the first key behind it

// Get implements overlay.Base.
func (r *reads) Get(key []byte) ([]byte, error) {
	r.keys[string(key)] = true
	return r.snapshot.Get(key)
}

// GetAll implements overlay.Base.
func (r *reads) GetAll(keys [][]byte) ([][]byte, error) {
	for _, key := range keys {
		r.keys[string(key)] = true
	}
	return r.snapshot.GetAll(keys)
}

// Cursor implements overlay.Base.
func (r *reads) Cursor(of kv.Range) overlay.Cursor {
	p := r.snapshot.Cursor(of).(*pages)
	e := &extent{}
	r.ranges = append(r.ranges, e)
	return &seeing{pages: p, whole: p.r, extent: e}
}

// A seeing cursor notes how far it came.
type seeing struct {
	*pages
	whole  kv.Range
	extent *extent
}

// Next implements overlay.Cursor.
func (s *seeing) Next() (key []byte, err error) {
	key, err = s.pages.Next()
	if err != nil {
		return nil, err
	}
	s.extent.from, s.extent.to = s.whole.From, s.whole.To
	switch {
	case key == nil:
	case s.whole.Reverse:
		s.extent.from = key
	default:
		s.extent.to = append(bytes.Clone(key), 0)
	}
	return key, nil
}
