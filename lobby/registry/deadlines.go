package registry

import (
	"container/heap"
	"time"
)

// deadlines schedules matches that are not in memory, which have no timers: the caller of TakeDue loads a match when it has something to do.
type deadlines struct {
	node    Node
	changed chan struct{} // Registry.Due
	ticks   chan struct{} // Registry.Ticks

	heap       dueHeap
	botsToMove []*entry // matches that wait for a computer player since the program started

	ticking     int // matches played with a clock that counts seconds
	interrupted int // matches whose clocks have yet to be resumed since the program started
}

// retryLoad is how long to wait after a match that has something to do could not be loaded.
const retryLoad = 5 * time.Second

func newDeadlines(n Node) deadlines {
	return deadlines{node: n, changed: make(chan struct{}, 1), ticks: make(chan struct{}, 1)}
}

// add schedules a match that the program finds when it starts. A match in which a computer player has to move is put into botsToMove: few of
// these are loaded at a time.
func (d *deadlines) add(e *entry) {
	if s := e.summary; s.BotToAct() && !s.Exhibition() && !d.node.MustResume(s) {
		d.botsToMove = append(d.botsToMove, e)
		return
	}
	d.schedule(e)
}

// schedule updates the deadline of a match that is not in memory.
func (d *deadlines) schedule(e *entry) {
	due := d.node.Due(&e.waiting, e.summary)
	if e.evicting {
		due = time.Now()
	}
	if due.IsZero() || e.loading != nil {
		d.unschedule(e)
		return
	}
	if e.due = due; e.place == 0 {
		heap.Push(&d.heap, e)
	} else {
		heap.Fix(&d.heap, e.place-1)
	}
	if e.place == 1 {
		d.notify()
	}
}

// unschedule removes the deadline of a match.
func (d *deadlines) unschedule(e *entry) {
	if e.place > 0 {
		heap.Remove(&d.heap, e.place-1)
	}
	e.due = time.Time{}
}

// postpone sets the deadline of a match that could not be loaded to retryLoad from now, if it is scheduled.
func (d *deadlines) postpone(e *entry) {
	if !e.due.IsZero() {
		e.due = time.Now().Add(retryLoad)
		heap.Fix(&d.heap, e.place-1)
	}
}

// reconsider schedules a match again because its deadline may have changed. A match in memory checks its timers itself.
func (d *deadlines) reconsider(e *entry) {
	if e.match != nil {
		e.match.Wake()
	} else {
		d.schedule(e)
	}
}

// take returns a match that is due now, or else the next deadline: zero if there is none. roomForBots reports whether a match of botsToMove may
// be loaded.
func (d *deadlines) take(now time.Time, roomForBots bool) (take *entry, next time.Time) {
	if len(d.heap) > 0 {
		e := d.heap[0]
		if !now.Before(e.due) {
			d.unschedule(e)
			return e, time.Time{}
		}
		next = e.due
	}
	for len(d.botsToMove) > 0 && roomForBots {
		e := d.botsToMove[0]
		d.botsToMove = d.botsToMove[1:]
		if e.summary != nil && e.match == nil && e.loading == nil && e.summary.BotToAct() && d.node.Owned(e.id) {
			return e, time.Time{}
		}
	}
	return nil, next
}

// updateCounts updates ticking and interrupted from the newest summary of a match.
func (d *deadlines) updateCounts(e *entry) {
	interrupted := e.summary != nil && d.node.MustResume(e.summary)
	if interrupted != e.interrupted {
		e.interrupted = interrupted
		d.interrupted += step(interrupted)
	}
	ticks := e.summary != nil && e.summary.Ticks()
	if ticks == e.ticks {
		return
	}
	e.ticks = ticks
	if d.ticking += step(ticks); ticks && d.ticking == 1 {
		select {
		case d.ticks <- struct{}{}:
		default:
		}
	}
}

// notify signals to the caller of TakeDue that it may return something new.
func (d *deadlines) notify() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// A dueHeap is a heap of matches by deadline.
type dueHeap []*entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

// Push is part of heap.Interface.
func (h *dueHeap) Push(e any) {
	*h = append(*h, e.(*entry))
	e.(*entry).place = len(*h)
}

// Pop is part of heap.Interface.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h, e.place = (*h)[:last], 0
	return e
}
