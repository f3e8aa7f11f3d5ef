package command

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A fairQueue has work that comes from many people wait for one of few places. People take turns: a person has one place at a time, and
// then waits behind everybody else, so that an endless stream of newcomers holds up nobody. After each work its place stays empty for rest
// times as long. Any goroutine may use it.
type fairQueue struct {
	places int
	rest   int

	mu     sync.Mutex // guards what follows
	taken  int        // places at work or empty for their rest
	people map[string]*worker
	next   []*worker // those who wait and don't work, in turn
}

// A worker is a person who waits or works.
type worker struct {
	person  string
	working bool
	waiting []chan struct{} // closed when the turn has come, the first of them first
}

func newFairQueue(places, rest int) *fairQueue {
	return &fairQueue{places: places, rest: rest, people: make(map[string]*worker)}
}

// wait waits for a turn of a person, which lasts until leave is called. The error is that of ctx, if that ends before.
func (t *fairQueue) wait(ctx context.Context, person string) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, turn := t.queue(person)
	select {
	case <-turn:
	case <-ctx.Done():
		if t.giveUp(w, turn) {
			return nil, ctx.Err()
		}
	}
	began := time.Now()
	return sync.OnceFunc(func() { t.done(w, time.Since(began)) }), nil
}

func (t *fairQueue) queue(person string) (*worker, chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.people[person]
	if w == nil {
		w = &worker{person: person}
		t.people[person] = w
	}
	turn := make(chan struct{})
	w.waiting = append(w.waiting, turn)
	if !w.working && len(w.waiting) == 1 {
		t.next = append(t.next, w)
	}
	t.start()
	return w, turn
}

// giveUp takes back that somebody waits; false if the turn has come.
func (t *fairQueue) giveUp(w *worker, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(w.waiting, turn)
	if i < 0 {
		return false
	}
	w.waiting = slices.Delete(w.waiting, i, i+1)
	if len(w.waiting) == 0 {
		t.next = slices.DeleteFunc(t.next, func(n *worker) bool { return n == w })
	}
	t.forget(w)
	return true
}

// done ends work that took some time.
func (t *fairQueue) done(w *worker, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.working = false
	if len(w.waiting) > 0 {
		t.next = append(t.next, w)
	}
	t.forget(w)
	time.AfterFunc(time.Duration(t.rest)*took, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.taken--
		t.start()
	})
}

// start gives free places to those whose turn it is. The caller holds mu, as for the one below.
func (t *fairQueue) start() {
	for t.taken < t.places && len(t.next) > 0 {
		w := t.next[0]
		t.next = slices.Delete(t.next, 0, 1)
		t.taken++
		w.working = true
		close(w.waiting[0])
		w.waiting = slices.Delete(w.waiting, 0, 1)
	}
}

// forget drops somebody who neither waits nor works.
func (t *fairQueue) forget(w *worker) {
	if !w.working && len(w.waiting) == 0 {
		delete(t.people, w.person)
	}
}
