package kvtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"ludoteca/storage/kv"
)

// A Feeble engine refuses large transactions, and breaks down after Left transactions.
type Feeble struct {
	kv.Store
	Left    int // transactions until it breaks down; negative is never
	Largest int // reads and writes of a transaction

	LargestBytes int // that a transaction writes

	mu sync.Mutex // of the fields above
}

// ErrDown is the error of a Feeble engine that has broken down.
var ErrDown = errors.New("the engine broke down")

// MaxFeeble is how many reads and writes a transaction of a Feeble engine may have: what etcd must take at least.
const MaxFeeble = 8192

// Update implements kv.Store.
func (f *Feeble) Update(ctx context.Context, change func(kv.Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Left == 0 {
		return ErrDown
	}
	f.Left--
	return f.Store.Update(ctx, func(tx kv.Tx) error {
		t := &feebleTx{Tx: tx}
		err := change(t)
		f.Largest, f.LargestBytes = max(f.Largest, t.n), max(f.LargestBytes, t.bytes)
		if err == nil && t.n > MaxFeeble {
			err = fmt.Errorf("a transaction of %d reads and writes", t.n)
		}
		return err
	})
}

type feebleTx struct {
	kv.Tx
	n, bytes int
}

func (t *feebleTx) MakeSection(name string)        { kv.MakeSections(t.Tx, name) }
func (t *feebleTx) Get(key []byte) ([]byte, error) { t.n++; return t.Tx.Get(key) }
func (t *feebleTx) Put(key, value []byte) {
	t.n++
	t.bytes += len(key) + len(value)
	t.Tx.Put(key, value)
}
func (t *feebleTx) Delete(key []byte)                   { t.n++; t.Tx.Delete(key) }
func (t *feebleTx) GetAll(k [][]byte) ([][]byte, error) { t.n += len(k); return t.Tx.GetAll(k) }

// UntilDone calls open on an engine that breaks down after each transaction, until it works. It returns how often the engine broke down.
func UntilDone(t *testing.T, engine kv.Store, open func(kv.Store) error) (times int) {
	t.Helper()
	for ; ; times++ {
		err := open(&Feeble{Store: engine, Left: 1})
		if err == nil {
			return times
		}
		if !errors.Is(err, ErrDown) {
			t.Fatal(err)
		}
	}
}
