package sshapp

import (
	"sync"
	"time"
)

// hangs is how long a reply may take before somebody else reads what the client types. It takes up to twice as long until that is
// noticed.
const hangs = 250 * time.Millisecond

// A lookout notices replies that hang, for all sessions of a server with one timer: to set and to stop one for each key would
// cost more than what it guards against. The timer is set only while somebody writes, or has of late. The zero value is ready.
type lookout struct {
	mu      sync.Mutex // guards what follows
	timer   *time.Timer
	set     bool
	round   uint64 // how often the timer has rung
	writing []*Session
}

// hanging is what a lookout knows of a session.
type hanging struct {
	place int    // in lookout.writing, if it is there
	round uint64 // in which it began to write
	gone  bool   // it isn't there any more: it took too long
}

// begin says that the session's pump begins to write.
func (l *lookout) begin(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.hanging = hanging{place: len(l.writing), round: l.round}
	l.writing = append(l.writing, s)
	if !l.set {
		l.setTimer()
	}
}

// end says that it has written. If that took too long, it isn't pump any more.
func (l *lookout) end(s *Session) (relieved bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.hanging.gone {
		return true
	}
	l.remove(s)
	return false
}

func (l *lookout) setTimer() {
	l.set = true
	if l.timer == nil {
		l.timer = time.AfterFunc(hangs, l.ring)
		return
	}
	l.timer.Reset(hangs)
}

// ring relieves those who have been writing since before it last rang.
func (l *lookout) ring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.writing) - 1; i >= 0; i-- { // what takes a removed one's place has been looked at
		if s := l.writing[i]; s.hanging.round != l.round {
			l.remove(s)
			s.hanging.gone = true
			s.relieve <- struct{}{} // has room: only pump is relieved, and once
		}
	}
	l.round++
	if l.set = len(l.writing) > 0; l.set {
		l.setTimer()
	}
}

func (l *lookout) remove(s *Session) {
	last := len(l.writing) - 1
	moved := l.writing[last]
	l.writing[s.hanging.place], moved.hanging.place = moved, s.hanging.place
	l.writing[last] = nil
	l.writing = l.writing[:last]
}
