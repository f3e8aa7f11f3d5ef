package lobby

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/lobby/nodes"
	"ludoteca/storage"
)

// # Several nodes
//
// A club may run on several nodes over one store. Each node keeps its own index of all matches, its own lists and its own view of who is
// online, and follows the changes of the other nodes in the store. Any node accepts an act in any match: the log takes each event number
// once, so a node whose copy is out of date is refused, reads the new events, and checks the act again. Computer players and timers of a
// match run only on the node that owns it (package nodes).
//
//	nodes.go                who is up, and what follows when the store doesn't answer
//	followed_matches.go     matches that other nodes open, change and end
//	quick_several_nodes.go  quick matches between people of different nodes
//	index.go                the same matches in the index (Several nodes)
//	live/match.go           reading what other nodes have written to a log (Several nodes)
//	presence.go, presence/  people connected to other nodes
//	sessions.go             sessions that end because their key has another owner
//	outages.go              time that clocks get back
//
// Relations, decisions of operators and lines of the chat are followed beside the rest about them.
//
// In a club with one node Lobby.nodes is nil, and none of this runs.

// A Shared is the part of the store through which nodes share their state; see storage.Store for the methods.
type Shared interface {
	nodes.Store
	ShowPresent(ctx context.Context, node storage.NodeID, rows []storage.Present) error
	FollowPresent(ctx context.Context, f storage.Follower[storage.PresentID, storage.Present]) error
	FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, storage.Summary]) error

	OpenMatch(ctx context.Context, id storage.MatchID, events []storage.Event, m storage.Summary, t storage.Terms) error
	Place(ctx context.Context, place string) (storage.MatchID, error)
	AddSeeker(ctx context.Context, who storage.Seeker) error
	RemoveSeeker(ctx context.Context, id storage.SeekerID) (was storage.Seeker, err error)
	EndSeeker(ctx context.Context, id storage.SeekerID) error
	FollowSeekers(ctx context.Context, f storage.Follower[storage.SeekerID, storage.Seeker]) error

	FollowDecisions(ctx context.Context, changed func()) error
	FollowRelations(ctx context.Context, f storage.Follower[storage.PlayerID, storage.RelationsOf]) error
	FollowChat(ctx context.Context, f storage.Follower[storage.LineID, storage.LineID]) error
	FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner storage.PlayerID)) error

	Tell(ctx context.Context, n storage.Notice, number uint64) error
	FollowNotices(ctx context.Context, told func(storage.Notice), bad func(key string, err error)) error

	TakeAttempts(ctx context.Context, what string, of []storage.Attempt, now time.Time) (wait time.Duration, ok bool, err error)
	ReturnAttempts(ctx context.Context, what string, of []storage.Attempt, now time.Time) error
}

// NodeStats counts what a node has taken over and followed since the program started. All fields only grow. The zero value is ready to use.
type NodeStats struct {
	Takeovers   atomic.Int64 // matches taken over by this node
	Followed    atomic.Int64 // changes of matches made by other nodes
	FollowedLag atomic.Int64 // total time from those changes to their arrival here, in nanoseconds; includes differences between clocks
}

// join makes this node known to the others, and runs what it needs for that until endNodes is called.
func (l *Lobby) join(ctx context.Context, name, hostKey string, shared Shared) error {
	l.shared = shared
	l.index.ended = make(map[storage.MatchID]bool)
	n, last, err := nodes.Join(ctx, nodes.Config{
		Store: shared, Name: name, HostKey: hostKey, Now: l.now, Log: l.log,
		Changed: l.nodesChanged, StillCutOff: l.tellCutOff, Outage: l.outage, Rejoined: l.rejoined,
	})
	if err != nil {
		return fmt.Errorf("lobby: %w", err)
	}
	l.nodes = n
	l.matchNodes.nodes, l.matchNodes.shared = n, shared
	l.outages.club = last
	running, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { n.Run(running) })
	l.leave = sync.OnceFunc(l.leaveNodes)
	l.endNodes = func() {
		l.leave()
		stop()
		all.Wait()
	}
	return nil
}

// nodesChanged is nodes.Config.Changed: the live nodes have changed, or this node was cut off or reached the store again.
func (l *Lobby) nodesChanged() {
	l.stats.Takeovers.Add(int64(l.index.ownersChanged()))
	if l.nodes == nil {
		return // nodes.Join has not returned yet
	}
	l.tellCutOff()
}

// tellCutOff publishes whether this node is cut off, and whether that is because the store is full, if it is something new.
func (l *Lobby) tellCutOff() {
	l.bulletin.Update(func(b Bulletin, _ uint64) (Bulletin, bool) {
		cutOff := l.nodes.CutOff() // asked here, so that nothing newer is told already
		full := cutOff && l.storeFull()
		if cutOff == !b.CutOff.IsZero() && full == b.StoreFull {
			return b, false
		}
		switch {
		case !cutOff:
			b.CutOff = time.Time{}
		case b.CutOff.IsZero():
			b.CutOff = l.now()
		}
		b.StoreFull = full
		return b, true
	})
}

// leaveNodes hands this node's matches over to the others.
func (l *Lobby) leaveNodes() {
	ctx, cancel := context.WithTimeout(context.Background(), nodes.CutOffAfter)
	defer cancel()
	if err := l.nodes.Leave(ctx); err != nil {
		l.log.Warn("other nodes take over only after a while", "err", err)
	}
}

// follow runs f, one of the store's Follow methods, until ctx ends, and again after an error.
func (l *Lobby) follow(ctx context.Context, f func(context.Context) error) {
	const pause = 250 * time.Millisecond
	for {
		err := f(ctx)
		if ctx.Err() != nil {
			return
		}
		l.log.Warn("the store is not followed for a moment", "err", err)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

func (l *Lobby) unreadable(key string, err error) {
	l.log.Error("what another node has written can't be read", "key", key, "err", err)
}

// cutOffError says why nothing can be written: ErrStoreFull or ErrCutOff.
func (l *Lobby) cutOffError() error {
	if l.storeFull() {
		return ErrStoreFull
	}
	return ErrCutOff
}

// roomToBegin returns full while the disk is nearly full, so that nothing new may begin, and what cutOffError says while nothing can be written.
func (l *Lobby) roomToBegin(full error) error {
	if err := l.reachable(); err != nil || l.storeFull() {
		return l.cutOffError()
	}
	if l.full() {
		return full
	}
	return nil
}

// reachable returns ErrCutOff, or ErrStoreFull, while this node is cut off from the store, and nil otherwise.
func (l *Lobby) reachable() error {
	if l.nodes != nil && l.nodes.CutOff() {
		return l.cutOffError()
	}
	return nil
}

// whileReached returns a context that ends with ctx or when this node is cut off from the store, so that nobody waits for a write that
// can't be made. The caller calls done when finished.
func (l *Lobby) whileReached(ctx context.Context) (reached context.Context, done func()) {
	if l.nodes == nil {
		return ctx, func() {}
	}
	reached, cancel := context.WithCancel(ctx)
	stop := l.nodes.WhenCutOff(cancel)
	return reached, func() {
		stop()
		cancel()
	}
}

// unreached returns ErrBusy in place of err if the context of whileReached ended before ctx. The act may still be carried out then.
func unreached(ctx, reached context.Context, err error) error {
	if err != nil && ctx.Err() == nil && reached.Err() != nil && errors.Is(err, context.Canceled) {
		return ErrBusy
	}
	return err
}

// untilCutOff reads with a context that ends when this node is cut off. The error is ErrCutOff then, at once.
func untilCutOff[T any](ctx context.Context, l *Lobby, read func(context.Context) (T, error)) (v T, err error) {
	if err := l.reachable(); err != nil {
		return v, err
	}
	reached, done := l.whileReached(ctx)
	defer done()
	if v, err = read(reached); err != nil && ctx.Err() == nil && reached.Err() != nil {
		err = l.cutOffError()
	}
	return v, err
}

// refresh makes sure that a view of a match does not show less than other nodes have shown already: this node may be cut off, or have had
// trouble with the store a moment ago. The errors are ErrCutOff, ErrBusy and that of ctx.
func (l *Lobby) refresh(ctx context.Context, id storage.MatchID) error {
	if l.nodes == nil {
		return nil
	}
	if s, _ := l.index.find(id); s == nil { // what is over doesn't change
		return nil
	}
	if err := l.reachable(); err != nil {
		return err
	}
	m := l.index.inMemory(id)
	if m == nil || l.nodes.Settled() {
		return nil
	}
	if err := m.Refresh(ctx); errors.Is(err, ErrBusy) || ctx.Err() != nil {
		return err
	}
	return nil // or the view says what is wrong
}
