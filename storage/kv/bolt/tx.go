package bolt

import (
	"iter"
	"slices"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// A reader implements kv.Reader on a snapshot.
type reader struct{ getter }

func (r *reader) Revision() kv.Revision                     { return r.snapshot.revision() }
func (r *reader) Sections() []string                        { return slices.Clone(r.snapshot.sections()) }
func (r *reader) Scan(g kv.Range) iter.Seq2[kv.Pair, error] { return overlay.Scan(&r.getter, g) }

// A tx implements kv.Tx. Its writes lie above the writes of the earlier transactions in the commit, and are merged into them if it
// succeeds.
type tx struct {
	*overlay.Writes
	below    *overlay.Writes
	snapshot *snapshot
	sections []string // to be made
}

func newTx(b *batch) *tx {
	writes := b.unused
	b.unused = nil
	if writes == nil {
		writes = overlay.New(b.writes)
	}
	return &tx{Writes: writes, below: b.writes, snapshot: b.snapshot}
}

// Revision implements kv.Reader.
func (t *tx) Revision() kv.Revision { return t.snapshot.revision() }

// DeletePrefix implements kv.Tx. bbolt removes single keys, and watchers hear of each, so each is read.
func (t *tx) DeletePrefix(prefix []byte) error {
	for p, err := range t.Scan(kv.Prefix(prefix)) {
		if err != nil {
			return err
		}
		t.Delete(p.Key)
	}
	return nil
}

// MakeSection implements kv.SectionMaker.
func (t *tx) MakeSection(name string) {
	if !slices.Contains(t.snapshot.sections(), name) {
		t.sections = append(t.sections, name)
	}
}

// changes returns what the transaction has changed, by key.
func (t *tx) changes(revision kv.Revision) ([]kv.Change, error) {
	changes := make([]kv.Change, 0, t.Len())
	for w := range t.All() {
		if w.Value == nil {
			was, err := t.below.Get(w.Key)
			if err != nil {
				return nil, err
			}
			if was == nil {
				continue // it came and went
			}
		}
		changes = append(changes, kv.Change{Revision: revision, Key: w.Key, Value: w.Value})
	}
	return changes, nil
}
