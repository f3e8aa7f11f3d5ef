// Package nodes keeps track of the nodes of a club: which of them are up, and which one owns each match. Nodes is one of several nodes,
// Alone the only one of its club. Both have the same methods, so that callers need not know which of them they have.
//
// Each node writes a heartbeat to the store once a second. The owner of a match follows from the list of live nodes by rendezvous hashing,
// so ownership is never written anywhere, and nodes that know the same list agree on it. While their lists differ, a match may have two
// owners or none for a moment. That is harmless, because the log of a match takes each event once.
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
	"sync/atomic"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

const (
	beatEvery = time.Second

	// CutOffAfter is how long a node keeps working after its last successful heartbeat. It is less than cluster.MaxSilence, so a node
	// has stopped working by the time an outage of the whole club is recorded.
	CutOffAfter = 3 * time.Second

	// ExpireAfter is how long a node may go without a heartbeat, while others can write theirs, before they declare it gone.
	ExpireAfter = 5 * time.Second

	retry = 250 * time.Millisecond // pause after an error of the store

	late         = 2 * beatEvery    // from one successful heartbeat to the next
	settledAfter = 15 * time.Second // without a late heartbeat

	missingFor = 24 * time.Hour // for which a node that is gone is named as missing

	// maxOff is how far the clock of a node may be off against those of the others before it owns nothing; of two nodes nobody knows which
	// one is wrong, and both tell the operator.
	maxOff = time.Second

	// How many of a node's last heartbeats its clock is read from, at most and at least. The one that came fastest counts.
	readings    = 8
	minReadings = 3
)

// ErrNameTaken means that a live node already has this name.
var ErrNameTaken = errors.New("another node has this name, and is up")

// A Store keeps a row for each live node; see cluster.Store for the methods.
type Store interface {
	BeatNode(ctx context.Context, n cluster.Node, now func() time.Time) (last cluster.Outage, err error)
	RemoveNode(ctx context.Context, id cluster.NodeID) error
	ExpireNode(ctx context.Context, id cluster.NodeID, beat uint64) (gone bool, err error)
	Nodes(ctx context.Context) ([]cluster.Node, error)
	FollowNodes(ctx context.Context, f storage.Follower[cluster.NodeID, cluster.Node]) error
	Tell(ctx context.Context, n cluster.Notice, number uint64) error
}

// A Config configures New. Join and the goroutines of Run call its functions, which must not block.
type Config struct {
	Store Store
	Name  string           // of this node; unique in the club
	Now   func() time.Time // the clock of events
	Log   *slog.Logger

	// HostKey has the fingerprints by which people know this node, with a space between them: the same for all nodes.
	HostKey string

	// Changed is called after the nodes that are up have changed, and so who owns what, or whether the store answers.
	Changed func()

	// StillCutOff is called several times a second while this node is cut off: why the store takes nothing may be known only later.
	StillCutOff func()

	// Outage is called with the club's last outage after each heartbeat, before CutOff becomes false.
	Outage func(cluster.Outage)

	// Rejoined is called when other nodes had declared this node gone and it has come back under a new id.
	Rejoined func()
}

// Nodes is one node's view of all nodes of the club. It is safe for concurrent use.
type Nodes struct {
	config Config
	began  time.Time // by the machine's clock

	mu       sync.RWMutex // guards what follows
	self     cluster.Node
	mine     map[cluster.NodeID]bool      // the ids that this node has had
	up       map[cluster.NodeID]*known    // this one included
	beats    map[cluster.NodeID]time.Time // of the nodes that are up and of some that are gone: when each said last that it is up, as events say it
	seen     map[string]time.Time         // when a node of that name was last seen to be up, by the machine's clock; within missingFor
	answered time.Time                    // when the store was about to take the last beat that it took, by the machine's clock
	steady   time.Time                    // since when no beat has failed or come late
	cutOff   bool                         // the store has not answered for CutOffAfter
	trip     time.Duration                // how long the store took to answer the last beat that it took
	clockOff bool                         // the clock of this node is off, and it owns nothing
	differ   bool                         // the operator was told that the clocks of this node and the only other one differ
	ready    bool                         // this node has settled, and was not cut off since
	left     bool                         // this node is about to stop, and owns nothing
	waiting  map[uint64]func()            // what is called when the node is cut off, by the number of the call of WhenCutOff
	calls    uint64                       // of WhenCutOff

	told atomic.Uint64 // notices sent

	answers chan struct{} // holds one: answered has changed
}

// A known is a live node.
type known struct {
	node   cluster.Node
	seenAt time.Time // when its last beat was seen, by the machine's clock

	clock []time.Duration // its clock less that of this machine, by its last heartbeats as they came
}

// offset returns how far the clock of a node is ahead of that of this machine, less the time that a heartbeat takes to come here. ok is false
// if too few have come yet.
func (k *known) offset() (ahead time.Duration, ok bool) {
	if len(k.clock) < minReadings {
		return 0, false
	}
	return slices.Max(k.clock), true
}

// New returns a node that knows of no other yet. The caller must call Join before anything else.
func New(c Config) *Nodes {
	return &Nodes{
		config: c, began: time.Now(), mine: make(map[cluster.NodeID]bool), up: make(map[cluster.NodeID]*known),
		beats: make(map[cluster.NodeID]time.Time), seen: make(map[string]time.Time), waiting: make(map[uint64]func()), answers: make(chan struct{}, 1),
	}
}

// Join announces this node to the others and returns the club's last outage. It removes a dead node of the same name; if that node is alive
// the error wraps ErrNameTaken. Other errors are those of the store. After success the caller must call Run.
func (n *Nodes) Join(ctx context.Context) (last cluster.Outage, err error) {
	if err := n.takeName(ctx); err != nil {
		return cluster.Outage{}, err
	}
	n.renew()
	if last, err = n.beat(ctx); err != nil {
		return cluster.Outage{}, fmt.Errorf("nodes: %w", err)
	}
	all, err := n.config.Store.Nodes(ctx)
	if err != nil {
		return cluster.Outage{}, fmt.Errorf("nodes: %w", err)
	}
	n.reconcile(all)
	return last, nil
}

// renew gives this node a new id. The caller holds mu, or is Join.
func (n *Nodes) renew() {
	n.self = cluster.Node{ID: cluster.NodeID(rand.Text()), Name: n.config.Name, HostKey: n.config.HostKey}
	n.mine[n.self.ID] = true
}

// takeName removes a dead node that has our name. It waits a little longer than CutOffAfter for a heartbeat to find out whether that node
// is dead.
func (n *Nodes) takeName(ctx context.Context) error {
	beats := make(map[cluster.NodeID]uint64)
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

// Run sends heartbeats and follows those of the other nodes until ctx ends. Unless Leave was called, the others take over this node's
// matches ExpireAfter later.
func (n *Nodes) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { n.runBeats(ctx) })
	all.Go(func() { n.follow(ctx) })
	all.Go(func() { n.watchStore(ctx) })
	all.Wait()
}

// KeepTime returns at once: Run sends heartbeats.
func (n *Nodes) KeepTime(_, _ context.Context) {}

// Leave hands this node's matches over to the others. It owns none from then on.
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

// ID returns the current id of this node. It changes before Rejoined is called.
func (n *Nodes) ID() cluster.NodeID {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.self.ID
}

// Own reports whether an id is or was that of this node.
func (n *Nodes) Own(id cluster.NodeID) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.mine[id]
}

// CutOff reports whether no heartbeat has succeeded for CutOffAfter, so that this node must not go on.
func (n *Nodes) CutOff() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.cutOff || time.Since(n.answered) >= CutOffAfter
}

// WhenCutOff calls f once when this node is cut off: at once if it already is, and not at all after stop. f must not block.
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

// WhileReached returns a context that ends with ctx or when this node is cut off, so that nobody waits for a write that can't be made. The
// caller calls done when finished.
func (n *Nodes) WhileReached(ctx context.Context) (reached context.Context, done func()) {
	reached, cancel := context.WithCancel(ctx)
	stop := n.WhenCutOff(cancel)
	return reached, func() {
		stop()
		cancel()
	}
}

// Settled reports whether every heartbeat has succeeded in time for settledAfter. Until then, what this node has heard from the store may be
// older than what other nodes have shown: its watches may have to catch up.
func (n *Nodes) Settled() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return !n.steady.IsZero() && time.Since(n.steady) >= settledAfter && time.Since(n.answered) <= late
}

// Ready reports whether new people should come to this node: it has settled since it started or was last cut off, it isn't cut off now, and
// it doesn't stop. A single late heartbeat doesn't end that.
func (n *Nodes) Ready() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ready && !n.left && time.Since(n.answered) < CutOffAfter
}

// Len returns the number of live nodes.
func (n *Nodes) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.up)
}

// Names returns the names of the nodes that are up, and of those that this node has seen in the last 24 hours and that are gone, sorted. A node
// that was stopped is gone too.
func (n *Nodes) Names() (up, missing []string) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	for _, k := range n.up {
		up = append(up, k.node.Name)
	}
	slices.Sort(up)
	up = slices.Compact(up) // a node that was restarted may be there twice for a moment
	for name, at := range n.seen {
		if _, here := slices.BinarySearch(up, name); !here && time.Since(at) < missingFor {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return up, missing
}

// Alone reports whether no other node is up.
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

// Owns reports whether this node owns a match, and so runs its computer players and its timers.
func (n *Nodes) Owns(id storage.MatchID) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.left || n.cutOff || n.clockOff || n.up[n.self.ID] == nil {
		return false
	}
	own := weight(n.self.ID, id)
	for other, k := range n.up {
		if k.node.ClockOff {
			continue
		}
		if w := weight(other, id); w > own || w == own && other > n.self.ID {
			return false
		}
	}
	return true
}

// weight is the rendezvous hash of a node and a match: the node with the highest weight owns the match. It is FNV-1a followed by the
// finalizer of SplitMix64, because ids differ in few bytes.
func weight(node cluster.NodeID, id storage.MatchID) uint64 {
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

// Gone reports whether a node that was up is gone. The store is asked, unless that is known; if it does not answer, the node may be gone.
func (n *Nodes) Gone(ctx context.Context, id cluster.NodeID) bool {
	n.mu.RLock()
	up := n.up[id] != nil
	n.mu.RUnlock()
	if !up {
		return true
	}
	all, err := n.config.Store.Nodes(ctx)
	return err != nil || !slices.ContainsFunc(all, func(other cluster.Node) bool { return other.ID == id })
}

// beat says once that the node is up.
func (n *Nodes) beat(ctx context.Context) (last cluster.Outage, err error) {
	n.mu.Lock()
	n.self.Beat++
	n.self.ClockOff = n.clockOff
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
	n.trip = time.Since(answers)
	silent := time.Since(n.answered)
	if n.steady.IsZero() || silent > late {
		n.steady = time.Now()
	}
	n.answered = answers
	n.ready = n.ready && silent < CutOffAfter || time.Since(n.steady) >= settledAfter
	select {
	case n.answers <- struct{}{}:
	default:
	}
	return last, nil
}

// runBeats sends heartbeats until ctx ends.
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

// renewedBeat sends a heartbeat under a new id, after other nodes have declared this one gone. After an error the store may or may not have
// the new id; the next heartbeat finds out.
func (n *Nodes) renewedBeat(ctx context.Context) (last cluster.Outage, err error) {
	n.mu.Lock()
	if n.left {
		n.mu.Unlock()
		return cluster.Outage{}, nil
	}
	delete(n.up, n.self.ID)
	n.renew()
	n.mu.Unlock()
	return n.beat(ctx)
}

// backAgain adds this node to the live nodes under its new id, which the store has by now.
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

// answer ends being cut off, if this node was, after a successful heartbeat.
func (n *Nodes) answer(last cluster.Outage) {
	n.config.Outage(last)
	n.mu.Lock()
	was := n.cutOff
	n.cutOff = false
	n.mu.Unlock()
	if was {
		n.config.Changed()
	}
}

// watchStore marks this node as cut off when no heartbeat has succeeded for CutOffAfter.
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
		n.ready = n.ready && !n.cutOff
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
		} else if left <= 0 {
			n.config.StillCutOff()
		}
		timer.Reset(max(left, retry))
	}
}

// expire declares nodes gone that have sent no heartbeat for ExpireAfter while this node could write its own.
func (n *Nodes) expire(ctx context.Context) {
	now := time.Now()
	var silent []cluster.Node
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
			return // try again after the next heartbeat
		case gone:
			n.config.Log.Warn("a node is gone", "node", node.Name)
			n.gone(node.ID)
		default:
			n.mu.Lock()
			if k := n.up[node.ID]; k != nil {
				k.seenAt = now // it is alive, but its heartbeats have not arrived here
			}
			n.mu.Unlock()
		}
	}
}

// follow watches the rows of all nodes until ctx ends.
func (n *Nodes) follow(ctx context.Context) {
	repeat(ctx, n.config.Log, "nodes are not followed", func(ctx context.Context) error {
		return n.config.Store.FollowNodes(ctx, storage.Follower[cluster.NodeID, cluster.Node]{
			All:  n.reconcile,
			Put:  n.put,
			Gone: n.gone,
			Bad:  func(_ string, err error) { n.config.Log.Error("the row of a node can't be read", "err", err) },
		})
	})
}

// reconcile replaces the live nodes with all.
func (n *Nodes) reconcile(all []cluster.Node) {
	there := make(map[cluster.NodeID]bool, len(all))
	for _, node := range all {
		there[node.ID] = true
		n.put(node)
	}
	var gone []cluster.NodeID
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

// put takes in that a node is up.
func (n *Nodes) put(node cluster.Node) {
	n.mu.Lock()
	k := n.up[node.ID]
	isNew := k == nil
	if isNew {
		k = &known{}
		n.up[node.ID] = k
	}
	was := k.node.ClockOff
	var tell func()
	if isNew || k.node.Beat != node.Beat {
		if !isNew { // that one may have been there for long
			k.clock = append(k.clock[max(0, len(k.clock)-readings+1):], node.At.Sub(n.began.Round(0))-time.Since(n.began))
		}
		k.node, k.seenAt = node, time.Now()
		n.remember(node)
		if node.ID == n.self.ID {
			tell = n.judge()
		}
	}
	mine := n.mine[node.ID]
	n.mu.Unlock()
	if tell != nil {
		tell()
	}
	if !mine && node.ClockOff && !was {
		n.config.Log.Warn("the clock of another node is off, and it owns no matches", "node", node.Name)
	}
	if isNew && node.HostKey != n.config.HostKey {
		n.config.Log.Error("another node has another host key, or one more or less, and clients warn of an attack: give all nodes the same", "node", node.Name, "hostkey", node.HostKey)
	}
	if isNew || was != node.ClockOff || tell != nil {
		n.config.Changed()
	}
}

// judge compares the clock of this node with those of the others. With three nodes or more it is off if it differs by more than maxOff from
// the median, and this node owns nothing then; its next heartbeat tells the others so. It returns nil if nothing has changed, else a function
// that logs it. The caller holds mu.
func (n *Nodes) judge() (tell func()) {
	var all []time.Duration
	var self time.Duration
	for id, k := range n.up {
		ahead, ok := k.offset()
		if !ok {
			return nil // it came a moment ago
		}
		if id == n.self.ID {
			ahead += n.trip / 2 // its heartbeats had to get to the store first, and then all take the same way
			self = ahead
		}
		all = append(all, ahead)
	}
	slices.Sort(all)
	low, high := all[(len(all)-1)/2], all[len(all)/2]
	by := max(self-high, low-self) // of an even number, it must be off from both in the middle
	is := len(all) >= 3 && by > maxOff
	differ := len(all) == 2 && high-low > maxOff
	log, off, told := n.config.Log, n.clockOff, n.differ
	n.clockOff, n.differ = is, differ
	switch by := by.Round(time.Millisecond); {
	case is && !off:
		return func() {
			log.Error("the clock of this node is off, and it owns no matches: keep the clocks of all machines in step", "by", by)
		}
	case off && !is:
		return func() { log.Info("the clock of this node is right again") }
	case differ && !told:
		return func() {
			log.Warn("the clocks of the two nodes differ: keep the clocks of all machines in step", "by", (high - low).Round(time.Millisecond))
		}
	}
	return nil
}

// gone removes a node from the live ones.
func (n *Nodes) gone(id cluster.NodeID) {
	n.mu.Lock()
	k := n.up[id]
	delete(n.up, id)
	n.mu.Unlock()
	if k != nil {
		n.config.Changed()
	}
}

// remember keeps the time of a heartbeat for LastBeat and Names. The caller holds mu.
func (n *Nodes) remember(node cluster.Node) {
	if _, known := n.seen[node.Name]; !known { // names are few, unless a platform makes new ones
		maps.DeleteFunc(n.seen, func(_ string, at time.Time) bool { return time.Since(at) >= missingFor })
	}
	n.seen[node.Name] = time.Now()
	const most = 1000
	if len(n.beats) >= most {
		maps.DeleteFunc(n.beats, func(id cluster.NodeID, _ time.Time) bool { return n.up[id] == nil })
	}
	n.beats[node.ID] = node.At
}

// LastBeat returns the time of the last heartbeat of a node, live or gone, by the clock of events; zero if it is not known.
func (n *Nodes) LastBeat(id cluster.NodeID) time.Time {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.beats[id]
}

// Now returns the time by the clock of events, which all nodes share.
func (n *Nodes) Now() time.Time { return n.config.Now().UTC().Truncate(time.Millisecond) }

// TimeOf returns the time on the clock of Now at which an event took place: that of the event.
func (n *Nodes) TimeOf(_, event time.Time) time.Time { return event }
