package presence

import (
	"slices"
	"sync/atomic"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A Visit is one session of a user. Its methods may be called by any goroutine.
type Visit struct {
	registry *Registry
	user     match.Key
	other    bool         // it is on another node; otherNodes updates it
	keys     bool         // it has a keyboard, and may be idle
	pressed  atomic.Int64 // when the last key came, in milliseconds since 1970 by the machine's clock
	asleep   atomic.Bool  // as idle

	// Guarded by registry.mu.
	person *person         // whose session it is
	board  storage.MatchID // "": none
	since  time.Time       // when it came there
	idle   bool
	over   bool
}

// At moves the session to the board of a match; "" for none.
func (v *Visit) At(board storage.MatchID) {
	r := v.registry
	r.mu.Lock()
	was := v.board
	if v.over || was == board {
		r.mu.Unlock()
		return
	}
	now := r.now()
	v.leaveBoard(now)
	v.comeToBoard(board, now)
	r.mu.Unlock()
	r.here(v.user)
	r.changed(v.user, boardsOf(was, board))
}

// comeToBoard moves a session without a board to one. The caller holds registry.mu.
func (v *Visit) comeToBoard(board storage.MatchID, at time.Time) {
	v.board, v.since = board, at
	if board == "" {
		return
	}
	v.registry.boards.add(board, v.person.user, v.other)
	if !v.idle {
		delete(v.person.lastHere, board)
	}
}

// leaveBoard removes a session from its board. The caller holds registry.mu.
func (v *Visit) leaveBoard(at time.Time) {
	if v.board == "" {
		return
	}
	v.registry.boards.remove(v.board, v.person.user, v.other)
	if !v.idle {
		v.person.wasHere(v.board, at)
	}
	v.board = ""
}

// Pressed records a key.
func (v *Visit) Pressed() {
	v.pressed.Store(time.Now().UnixMilli())
	if !v.asleep.Load() {
		return
	}
	r := v.registry
	r.mu.Lock()
	wakes := v.idle && !v.over
	if wakes {
		v.idle, v.since = false, r.now()
		delete(v.person.lastHere, v.board)
	}
	v.asleep.Store(false)
	board := v.board
	r.mu.Unlock()
	if wakes {
		r.here(v.user)
		r.changed(v.user, boardsOf(board))
	}
}

// Leave ends the session. dropped is true if the connection died without a proper end. last reports whether it was the user's last session. Only
// the first call counts.
func (v *Visit) Leave(dropped bool) (last bool) {
	r := v.registry
	r.mu.Lock()
	if v.over {
		r.mu.Unlock()
		return false
	}
	board := v.board
	last = r.leave(v, departure{at: time.Now(), event: r.now(), dropped: dropped})
	r.mu.Unlock()
	r.here(v.user)
	r.changed(v.user, boardsOf(board))
	return last
}

// boardsOf returns the boards among ids, some of which may be "".
func boardsOf(ids ...storage.MatchID) []storage.MatchID {
	return slices.DeleteFunc(ids, func(id storage.MatchID) bool { return id == "" })
}
