package sshapp

import (
	"sync"
	"sync/atomic"
)

// An exchange puts together what the server writes during the key exchange. Its last three packets follow each other at once
// and go out in one piece this way: each piece is a system call, and wakes the client. It goes by when the server reads: only
// then does it wait for the client, who must have everything by then.
type exchange struct {
	over atomic.Bool // everything goes out as it is written

	mu      sync.Mutex // guards what follows
	ending  bool       // the keys are exchanged
	reading bool       // the server waits for the client
	held    []byte
}

// hold keeps p until the server reads. If ok is false p is to go out now.
func (e *exchange) hold(p []byte) (ok bool) {
	if e.over.Load() {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reading || e.over.Load() {
		return false
	}
	e.held = append(e.held, p...)
	return true
}

// beforeRead returns what is to go out before the server reads; when that is nothing it may.
func (e *exchange) beforeRead() (held []byte) {
	if e.over.Load() {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	held, e.held = e.held, nil
	if held == nil {
		e.reading = true
		e.over.Store(e.ending)
	}
	return held
}

// afterRead says that the server has something to do.
func (e *exchange) afterRead() {
	if e.over.Load() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reading = false
}

// end says that the keys are exchanged. What is held still goes out when the server reads.
func (e *exchange) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ending = true
}
