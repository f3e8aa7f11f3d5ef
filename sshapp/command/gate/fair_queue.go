package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/storage/kv"
)

// A fairQueue shares a few places among the work of many people. People take turns: a person has one place at a time and then waits behind
// all others, so one person's endless work holds up no other person. After each work its place stays empty for rest times as long as the work has
// kept this machine busy: not for the time in which it waited for a store on other machines. A fairQueue is safe for concurrent use.
type fairQueue struct {
	places int
	rest   int

	mu     sync.Mutex // guards what follows
	taken  int        // places at work or empty for their rest
	people map[string]*worker
	next   []*worker // wait and don't work, in the order of their turns
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

// wait waits for a turn of a person, which lasts until leave is called. If ctx ends first, wait returns its error.
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
	began, waited := time.Now(), kv.Waited(ctx)
	return sync.OnceFunc(func() { t.done(w, max(time.Since(began)-(kv.Waited(ctx)-waited), 0)) }), nil
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

// giveUp removes a wait from the queue. It returns false if the turn has already come.
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

// done ends work that kept this machine busy for some time.
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

// start gives free places to the workers that are next. The caller holds mu.
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

// forget drops a worker that neither waits nor works. The caller holds mu.
func (t *fairQueue) forget(w *worker) {
	if !w.working && len(w.waiting) == 0 {
		delete(t.people, w.person)
	}
}

// load returns how many places are taken, or empty for their rest, and how many people wait or work.
func (t *fairQueue) load() (taken, people int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken, len(t.people)
}

// works reports whether a person has a place.
func (t *fairQueue) works(person string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.people[person]
	return w != nil && w.working
}
