package kvtest

import (
	"context"
	"iter"
	"sync/atomic"

	"ludoteca/storage/kv"
)

// Requests count what views ask a store for, as an engine with its store on other machines asks: a read of one key or of many, and each page of a
// scan, is a request.
type Requests struct{ n atomic.Int64 }

// Take returns how many requests were made since it was called last.
func (r *Requests) Take() int { return int(r.n.Swap(0)) }

type requestsKey struct{}

// Count returns a context with which a Counting engine counts the requests of views.
func Count(ctx context.Context) (context.Context, *Requests) {
	r := &Requests{}
	return context.WithValue(ctx, requestsKey{}, r), r
}

// A Counting engine counts the requests of the views whose context comes from Count.
type Counting struct{ kv.Store }

// View implements kv.Store.
func (c Counting) View(ctx context.Context, read func(kv.Reader) error) error {
	r, counts := ctx.Value(requestsKey{}).(*Requests)
	if !counts {
		return c.Store.View(ctx, read)
	}
	return c.Store.View(ctx, func(reader kv.Reader) error { return read(countingReader{reader, r}) })
}

type countingReader struct {
	kv.Reader
	requests *Requests
}

// Get implements kv.Reader.
func (r countingReader) Get(key []byte) ([]byte, error) {
	r.requests.n.Add(1)
	return r.Reader.Get(key)
}

// GetAll implements kv.Reader. No keys make no request.
func (r countingReader) GetAll(keys [][]byte) ([][]byte, error) {
	if len(keys) > 0 {
		r.requests.n.Add(1)
	}
	return r.Reader.GetAll(keys)
}

// Scan implements kv.Reader. The pages are as large as in kv/postgres.
func (r countingReader) Scan(g kv.Range) iter.Seq2[kv.Pair, error] {
	const first, growth, most = 32, 8, 2000
	return func(yield func(kv.Pair, error) bool) {
		r.requests.n.Add(1)
		page, left := first, first
		if g.Expect > 0 {
			page = min(g.Expect, most)
			left = page
		}
		for p, err := range r.Reader.Scan(g) {
			if left == 0 {
				r.requests.n.Add(1)
				page = min(max(first, growth*page), most)
				left = page
			}
			left--
			if !yield(p, err) {
				return
			}
		}
	}
}
