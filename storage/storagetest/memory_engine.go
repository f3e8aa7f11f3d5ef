package storagetest

import (
	"context"
	"iter"
	"sync"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/overlay"
)

// A memoryEngine is an engine that forgets everything, for the parts of a Memory that are what they are in any store. Nobody can watch it.
type memoryEngine struct {
	mu      sync.Mutex
	written *overlay.Writes
}

func newMemoryEngine() *memoryEngine { return &memoryEngine{written: overlay.New(nothing{})} }

// View implements kv.Store.
func (e *memoryEngine) View(ctx context.Context, read func(kv.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return read(memoryTx{overlay.New(e.written)})
}

// Update implements kv.Store.
func (e *memoryEngine) Update(ctx context.Context, change func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	writes := overlay.New(e.written)
	if err := change(memoryTx{writes}); err != nil {
		return err
	}
	if err := writes.Err(); err != nil {
		return err
	}
	e.written.Merge(writes)
	return nil
}

// Watch implements kv.Store: it waits until ctx ends.
func (e *memoryEngine) Watch(ctx context.Context, _ []byte, _ kv.Revision) iter.Seq2[kv.Change, error] {
	return func(yield func(kv.Change, error) bool) {
		<-ctx.Done()
		yield(kv.Change{}, ctx.Err())
	}
}

// Close implements kv.Store.
func (e *memoryEngine) Close() error { return nil }

// A memoryTx is a transaction of a memoryEngine, or what a View reads.
type memoryTx struct{ *overlay.Writes }

// Revision implements kv.Reader.
func (memoryTx) Revision() kv.Revision { return 0 }

// nothing is an overlay.Base without keys.
type nothing struct{}

// Get implements overlay.Base.
func (nothing) Get([]byte) ([]byte, error) { return nil, nil }

// GetAll implements overlay.Base.
func (nothing) GetAll(keys [][]byte) ([][]byte, error) { return make([][]byte, len(keys)), nil }

// Cursor implements overlay.Base.
func (nothing) Cursor(kv.Range) overlay.Cursor { return nothing{} }

// Next implements overlay.Cursor.
func (nothing) Next() ([]byte, error) { return nil, nil }

// Value implements overlay.Cursor.
func (nothing) Value() ([]byte, error) { return nil, nil }
