// Package nodes is what the nodes of one club know of each other: which are up, and which of them sees to what.
//
// Each node writes once a second that it is up. From the nodes that are up follows which of them owns a match, by rendezvous hashing, so
// that nothing has to be written for that, and all agree as soon as they have heard of the same nodes. Until then two may see to the same
// match, or none does for a moment: the log of a match takes each event once.
package nodes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/storage"
)

const (
	beatEvery = time.Second

	// CutOffAfter is how long a node goes on after it last heard from the store. It is less than storage.MaxSilence: a node that goes
	// on has been up during no outage that it hasn't heard of.
	CutOffAfter = 3 * time.Second

	// ExpireAfter is how long a node may be silent, while others can write, before it counts as gone.
	ExpireAfter = 5 * time.Second

	retry = 250 * time.Millisecond // pause after an error of the store

	// maxAhead is how far the clock of another node may be ahead before the operator is told.
	maxAhead = time.Second
)

// ErrNameTaken says that another node that is up has the name.
var ErrNameTaken = errors.New("another node has this name, and is up")

// A Store keeps which nodes are up; storage.Store says more about each method.
type Store interface {
	BeatNode(ctx context.Context, n storage.Node, now func() time.Time) (last storage.Outage, err error)
	RemoveNode(ctx context.Context, id storage.NodeID) error
	ExpireNode(ctx context.Context, id storage.NodeID, beat uint64) (gone bool, err error)
	Nodes(ctx context.Context) ([]storage.Node, error)
	FollowNodes(ctx context.Context, f storage.Follower[storage.Node]) error
}

// A Config says what a node is told of. The functions are called by the goroutines of Run, and must not wait.
type Config struct {
	Store Store
	Name  string           // of this node, which no other has
	Now   func() time.Time // the time of events
	Log   *slog.Logger

	// HostKey is the fingerprint by which people know this node: the same for all nodes.
	HostKey string

	// Changed is called after the nodes that are up have changed, and so who owns what, or whether the store answers.
	Changed func()

	// Outage is called with the last outage of the club before anything goes on after it.
	Outage func(storage.Outage)

	// Rejoined is called when this node is up again under another id, after others had declared it gone.
	Rejoined func()
}

// Nodes are the nodes of a club as one of them knows them. Any goroutine may use it.
type Nodes struct {
	config Config

	mu       sync.RWMutex // guards what follows
	self     storage.Node
	mine     map[storage.NodeID]bool      // the ids that this node has had
	up       map[storage.NodeID]*known    // this one included
	beats    map[storage.NodeID]time.Time // of the nodes that are up and of some that are gone: when each said last that it is up, as events say it
	answered time.Time                    // when the store was about to take the last beat that it took, by the machine's clock
	steady   time.Time                    // since when no beat has failed or come late
	cutOff   bool                         // the store has not answered for CutOffAfter
	left     bool                         // this node is about to stop, and owns nothing
	waiting  map[uint64]func()            // what is called when the node is cut off, by the number of the call of WhenCutOff
	calls    uint64                       // of WhenCutOff
	back     time.Time                    // when it answered again last, by the machine's clock; zero: it always has

	answers chan struct{} // holds one: answered has changed
}

// A known is a node that is up.
type known struct {
	node   storage.Node
	seenAt time.Time // when its last beat was seen, by the machine's clock
	ahead  bool      // the operator was told that its clock is ahead
}

// Join makes a node known to the others, and returns the last outage of the club. The error is one of the store or ErrNameTaken. Unless it
// fails the caller must call Run.
func Join(ctx context.Context, c Config) (*Nodes, storage.Outage, error) {
	n := &Nodes{config: c, mine: make(map[storage.NodeID]bool), up: make(map[storage.NodeID]*known), beats: make(map[storage.NodeID]time.Time), waiting: make(map[uint64]func()), answers: make(chan struct{}, 1)}
	if err := n.takeName(ctx); err != nil {
		return nil, storage.Outage{}, err
	}
	n.renew()
	last, err := n.beat(ctx)
	if err != nil {
		return nil, storage.Outage{}, fmt.Errorf("nodes: %w", err)
	}
	all, err := c.Store.Nodes(ctx)
	if err != nil {
		return nil, storage.Outage{}, fmt.Errorf("nodes: %w", err)
	}
	n.reconcile(all)
	return n, last, nil
}

// renew gives the node another id.
func (n *Nodes) renew() {
	n.self = storage.Node{ID: storage.NodeID(rand.Text()), Name: n.config.Name, HostKey: n.config.HostKey}
	n.mine[n.self.ID] = true
}

// takeName removes the node that had the name before. One that is up says so within CutOffAfter.
func (n *Nodes) takeName(ctx context.Context) error {
	beats := make(map[storage.NodeID]uint64)
	ticker := time.NewTicker(beatEvery / 2)
	defer ticker.Stop()
	for until := time.Now().Add(CutOffAfter); ; {
		all, err := n.config.Store.Nodes(ctx)
		if err != nil {
			return fmt.Errorf("nodes: %w", err)
		}
		same := 0
		for _, other := range all {
			if other.Name != n.config.Name {
				continue
			}
			same++
			if before, seen := beats[other.ID]; seen && before != other.Beat {
				return fmt.Errorf("%w: %q", ErrNameTaken, other.Name)
			}
			beats[other.ID] = other.Beat
		}
		if same == 0 {
			return nil
		}
		if time.Now().After(until) {
			break
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for id, beat := range beats {
		if gone, err := n.config.Store.ExpireNode(ctx, id, beat); err != nil || !gone {
			return errors.Join(err, fmt.Errorf("%w: %q", ErrNameTaken, n.config.Name))
		}
	}
	return nil
}

// Run says that the node is up, and hears of the others, until ctx ends. Then the others see to what the node owned.
func (n *Nodes) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { n.runBeats(ctx) })
	all.Go(func() { n.follow(ctx) })
	all.Go(func() { n.watchStore(ctx) })
	all.Wait()
}

// Leave lets the others see to what the node owns. It owns nothing from then on.
func (n *Nodes) Leave(ctx context.Context) error {
	n.mu.Lock()
	n.left = true
	id := n.self.ID
	n.mu.Unlock()
	if err := n.config.Store.RemoveNode(ctx, id); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return nil
}

// ID returns the id of this node now: another one after Rejoined.
func (n *Nodes) ID() storage.NodeID {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.self.ID
}

// Own says whether an id is that of this node, or was.
func (n *Nodes) Own(id storage.NodeID) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.mine[id]
}

// CutOff says whether the store has not answered for so long that the node must not go on.
func (n *Nodes) CutOff() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.cutOff || time.Since(n.answered) >= CutOffAfter
}

// WhenCutOff calls f once the node is cut off, at once if it is already, unless stop is called before. f must not wait.
func (n *Nodes) WhenCutOff(f func()) (stop func()) {
	n.mu.Lock()
	if n.cutOff {
		n.mu.Unlock()
		f()
		return func() {}
	}
	n.calls++
	id := n.calls
	n.waiting[id] = f
	n.mu.Unlock()
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.waiting, id)
	}
}

// Back returns when the store last answered again after the node had been cut off, by the machine's clock; zero: it never was.
func (n *Nodes) Back() time.Time {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.back
}

// Len returns how many nodes are up.
func (n *Nodes) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.up)
}

// Alone says whether no other node is up.
func (n *Nodes) Alone() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	for id := range n.up {
		if !n.mine[id] {
			return false
		}
	}
	return true
}

// Owns says whether this node sees to a match: to its computer players and its timers.
func (n *Nodes) Owns(id storage.MatchID) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.left || n.cutOff || n.up[n.self.ID] == nil {
		return false
	}
	own := weight(n.self.ID, id)
	for other := range n.up {
		if w := weight(other, id); w > own || w == own && other > n.self.ID {
			return false
		}
	}
	return true
}

// weight returns how well a node suits a match: the node with the highest weight owns it. It is FNV-1a, with its bits mixed as those of
// SplitMix64 are, because ids differ in few bytes.
func weight(node storage.NodeID, id storage.MatchID) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range []string{string(node), string(id)} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// Gone says whether a node that was up is gone. The store is asked, unless that is known; if it does not answer, the node may be gone.
func (n *Nodes) Gone(ctx context.Context, id storage.NodeID) bool {
	n.mu.RLock()
	up := n.up[id] != nil
	n.mu.RUnlock()
	if !up {
		return true
	}
	all, err := n.config.Store.Nodes(ctx)
	return err != nil || !slices.ContainsFunc(all, func(other storage.Node) bool { return other.ID == id })
}

// beat says once that the node is up.
func (n *Nodes) beat(ctx context.Context) (last storage.Outage, err error) {
	n.mu.Lock()
	n.self.Beat++
	self := n.self
	n.mu.Unlock()
	var answers time.Time // when the store was about to take it
	last, err = n.config.Store.BeatNode(ctx, self, func() time.Time {
		answers = time.Now()
		return n.config.Now()
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.steady = time.Time{}
		return last, err
	}
	if n.steady.IsZero() || time.Since(n.answered) > 2*beatEvery {
		n.steady = time.Now()
	}
	n.answered = answers
	select {
	case n.answers <- struct{}{}:
	default:
	}
	return last, nil
}

// runBeats says that the node is up until ctx ends.
func (n *Nodes) runBeats(ctx context.Context) {
	failing, declaredGone := false, false
	for wait := beatEvery; ; {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		wait = beatEvery
		last, err := n.beat(ctx)
		if errors.Is(err, storage.ErrNotFound) {
			declaredGone = true
			last, err = n.renewedBeat(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if wait = retry; !failing {
				n.config.Log.Error("the store does not take that this node is up", "err", err)
			}
		default:
			if failing {
				n.config.Log.Info("the store answers again")
			}
			if declaredGone {
				n.backAgain()
			}
			declaredGone = false
			n.answer(last)
			n.expire(ctx)
		}
		failing = err != nil
	}
}

// renewedBeat says that the node is up under another id, after others have declared it gone. After an error it may be known by that id or
// not: the next beat finds out.
func (n *Nodes) renewedBeat(ctx context.Context) (last storage.Outage, err error) {
	n.mu.Lock()
	if n.left {
		n.mu.Unlock()
		return storage.Outage{}, nil
	}
	delete(n.up, n.self.ID)
	n.renew()
	n.mu.Unlock()
	return n.beat(ctx)
}

// backAgain takes in that the store knows the node by another id.
func (n *Nodes) backAgain() {
	n.mu.Lock()
	if n.left {
		n.mu.Unlock()
		return
	}
	n.up[n.self.ID] = &known{node: n.self, seenAt: time.Now()}
	n.mu.Unlock()
	n.config.Log.Warn("this node was declared gone, and is back")
	n.config.Rejoined()
	n.config.Changed()
}

// answer notes that the store answers.
func (n *Nodes) answer(last storage.Outage) {
	n.config.Outage(last)
	n.mu.Lock()
	was := n.cutOff
	n.cutOff = false
	if was {
		n.back = time.Now()
	}
	n.mu.Unlock()
	if was {
		n.config.Changed()
	}
}

// watchStore notes when the store has not answered for CutOffAfter.
func (n *Nodes) watchStore(ctx context.Context) {
	timer := time.NewTimer(CutOffAfter)
	defer timer.Stop()
	for {
		select {
		case <-n.answers:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		n.mu.Lock()
		left := time.Until(n.answered.Add(CutOffAfter))
		changed := left <= 0 && !n.cutOff
		n.cutOff = n.cutOff || changed
		var waiting []func()
		if changed {
			waiting = slices.Collect(maps.Values(n.waiting))
			clear(n.waiting)
		}
		n.mu.Unlock()
		for _, f := range waiting {
			f()
		}
		if changed {
			n.config.Log.Error("the store does not answer: matches stand still", "for", CutOffAfter)
			n.config.Changed()
		}
		timer.Reset(max(left, retry))
	}
}

// expire declares the nodes gone that have been silent for too long while this one could write.
func (n *Nodes) expire(ctx context.Context) {
	now := time.Now()
	var silent []storage.Node
	n.mu.RLock()
	for id, k := range n.up {
		since := k.seenAt
		if n.steady.After(since) {
			since = n.steady
		}
		if id != n.self.ID && now.Sub(since) >= ExpireAfter {
			silent = append(silent, k.node)
		}
	}
	n.mu.RUnlock()
	for _, node := range silent {
		gone, err := n.config.Store.ExpireNode(ctx, node.ID, node.Beat)
		switch {
		case err != nil:
			return // the next beat says more
		case gone:
			n.config.Log.Warn("a node is gone", "node", node.Name)
			n.gone(node.ID)
		default:
			n.mu.Lock()
			if k := n.up[node.ID]; k != nil {
				k.seenAt = now // it is up: only its beats have not been heard of
			}
			n.mu.Unlock()
		}
	}
}

// follow hears of the nodes until ctx ends.
func (n *Nodes) follow(ctx context.Context) {
	for {
		err := n.config.Store.FollowNodes(ctx, storage.Follower[storage.Node]{
			All:  n.reconcile,
			Put:  n.put,
			Gone: func(key string) { n.gone(storage.NodeID(key)) },
			Bad:  func(_ string, err error) { n.config.Log.Error("the row of a node can't be read", "err", err) },
		})
		if ctx.Err() != nil {
			return
		}
		n.config.Log.Warn("nodes are not followed", "err", err)
		timer := time.NewTimer(retry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// reconcile takes in all nodes that are up.
func (n *Nodes) reconcile(all []storage.Node) {
	there := make(map[storage.NodeID]bool, len(all))
	for _, node := range all {
		there[node.ID] = true
		n.put(node)
	}
	var gone []storage.NodeID
	n.mu.RLock()
	for id := range n.up {
		if !there[id] {
			gone = append(gone, id)
		}
	}
	n.mu.RUnlock()
	for _, id := range gone {
		n.gone(id)
	}
}

// put takes in that a node is up. A clock is ahead if a beat comes from the future; of two that differ one is, whatever the watch lags.
func (n *Nodes) put(node storage.Node) {
	ahead := node.At.Sub(n.config.Now())
	n.mu.Lock()
	k := n.up[node.ID]
	isNew := k == nil
	if isNew {
		k = &known{}
		n.up[node.ID] = k
	}
	if isNew || k.node.Beat != node.Beat {
		k.node, k.seenAt = node, time.Now()
		n.remember(node)
	}
	tellAhead := ahead > maxAhead && !k.ahead
	k.ahead = k.ahead || tellAhead
	n.mu.Unlock()
	if tellAhead {
		n.config.Log.Warn("the clock of another node is ahead: keep the clocks of all machines in step", "node", node.Name, "by", ahead.Round(time.Millisecond))
	}
	if isNew && node.HostKey != n.config.HostKey {
		n.config.Log.Error("another node has another host key, and clients warn of an attack: give all nodes the same", "node", node.Name, "hostkey", node.HostKey)
	}
	if isNew {
		n.config.Changed()
	}
}

// gone takes in that a node is gone.
func (n *Nodes) gone(id storage.NodeID) {
	n.mu.Lock()
	k := n.up[id]
	delete(n.up, id)
	n.mu.Unlock()
	if k != nil {
		n.config.Changed()
	}
}

// remember notes when a node said that it is up; the caller holds mu.
func (n *Nodes) remember(node storage.Node) {
	const most = 1000
	if len(n.beats) >= most {
		maps.DeleteFunc(n.beats, func(id storage.NodeID, _ time.Time) bool { return n.up[id] == nil })
	}
	n.beats[node.ID] = node.At
}

// LastBeat returns when a node that is up, or was, said last that it is, by the clock of events; zero if that is not known.
func (n *Nodes) LastBeat(id storage.NodeID) time.Time {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.beats[id]
}
