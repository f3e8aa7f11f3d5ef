package command

import (
	"context"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
)

// The rate of commands that no person notices: what a script needs that plays several matches at once.
const (
	DefaultRate  = 20
	DefaultBurst = 200
)

// The bounds of a Gate.
const (
	maxDear         = 256 // dear commands that work, wait for their turn or for their clients
	maxDearOfPerson = 4
	maxDearOfBlock  = 6      // times the weight of the block of addresses
	maxPlaces       = 4      // for steps of dear commands
	maxThrottled    = 10_000 // people, and blocks of each weight, whose rates are remembered
)

// How long places stay empty after work in them, as many times as that took.
const (
	restOfSteps  = 3
	restOfStarts = 1
)

// A start is over after maxStart, although its command may go on: it may wait for the disk, for its client or for a match. Most
// commands take less.
const maxStart = time.Millisecond

// After maxStep a step gives its place to the next, although it goes on: it waits for the store, which may not answer at all, and the
// others would wait with it. Steps that only compute take less.
const maxStep = 10 * time.Millisecond

// A Gate keeps commands from holding up the keys of others. However little each of them costs: a goroutine that is woken by a
// key waits behind all that can run already, and three hundred clients that ask again as soon as they are answered made keys take
// 30 ms, a hundred times as long as at a bare SSH server. So commands begin in turn, in few places, and those that wait do so where they
// cost nothing.
//
// A dear command moreover works in steps of some milliseconds, which have places of their own: at most half the cores, so that the others
// are free for keys, and at most maxPlaces. Nobody keeps a place while a client reads. After each step its place stays empty for
// some time, so that the collection of garbage, the writers and the other programs of the machine have their share.
//
// All commands together come no faster from a person or a block of addresses than at a rate. Any goroutine may use a Gate.
type Gate struct {
	rate   atomic.Pointer[origin.Throttle]
	starts *fairQueue
	steps  *fairQueue

	mu       sync.Mutex           // guards what follows
	commands int                  // dear ones
	people   map[string]int       // dear commands of each
	blocks   map[netip.Prefix]int // dear commands from there
}

// NewGate returns a gate that lets each person give burst commands at once and then so many a second, and each block of addresses
// its weight times as many. Both must be positive.
func NewGate(perSecond, burst int) *Gate {
	places := max(1, min(runtime.GOMAXPROCS(0), runtime.NumCPU())/2)
	g := &Gate{
		starts: newFairQueue(places, restOfStarts), steps: newFairQueue(min(places, maxPlaces), restOfSteps),
		people: make(map[string]int), blocks: make(map[netip.Prefix]int),
	}
	g.SetRate(perSecond, burst)
	return g
}

// SetRate changes the rate of commands from now on; everybody may give burst of them at once again.
func (g *Gate) SetRate(perSecond, burst int) {
	g.rate.Store(origin.NewThrottle(time.Second/time.Duration(perSecond), burst, maxThrottled))
}

// Begin waits until another command may begin there, as the rate lets it and in its turn. end is called when the command has ended. A caller
// from no address, or from one that is spared limits, does not wait. The error is that of ctx.
func (g *Gate) Begin(ctx context.Context, from origin.Origin) (end func(), err error) {
	if !from.Addr.IsValid() {
		return func() {}, nil
	}
	for {
		wait, ok := g.rate.Load().Take(time.Now(), from)
		if ok {
			break
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
	leave, err := g.starts.wait(ctx, from.Person)
	if err != nil {
		return nil, err
	}
	over := time.AfterFunc(maxStart, leave)
	return func() {
		over.Stop()
		leave()
	}, nil
}

// Enter takes in a dear command until leave is called. The error is lobby.ErrManyAnswers if there are too many: of the person, of
// a block of addresses, or in all.
func (g *Gate) Enter(from origin.Origin) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	blocks := origin.Blocks(from.Addr)
	full := func(b origin.Block) bool { return g.blocks[b.Prefix] >= maxDearOfBlock*b.Weight }
	if g.commands >= maxDear || g.people[from.Person] >= maxDearOfPerson || slices.ContainsFunc(blocks, full) {
		return nil, lobby.ErrManyAnswers
	}
	count := func(n int) {
		g.commands += n
		add(g.people, from.Person, n)
		for _, b := range blocks {
			add(g.blocks, b.Prefix, n)
		}
	}
	count(1)
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		count(-1)
	}), nil
}

// add adds to a number, which is forgotten when it is 0.
func add[K comparable](to map[K]int, key K, n int) {
	if to[key] += n; to[key] == 0 {
		delete(to, key)
	}
}

// Step runs one step of a person's command when its turn comes. work is short, waits for no client, and may wait for the store. The error
// is that of work, or of ctx if it ends before the turn comes.
func (g *Gate) Step(ctx context.Context, person string, work func() error) error {
	leave, err := g.steps.wait(ctx, person)
	if err != nil {
		return err
	}
	defer leave()
	defer time.AfterFunc(maxStep, leave).Stop()
	return work()
}

// Do runs a dear command of one step.
func (g *Gate) Do(ctx context.Context, from origin.Origin, work func() error) error {
	leave, err := g.Enter(from)
	if err != nil {
		return err
	}
	defer leave()
	return g.Step(ctx, from.Person, work)
}
