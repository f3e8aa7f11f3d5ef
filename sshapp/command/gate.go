package command

import (
	"context"
	"errors"
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
	maxDear         = 256 // dear commands that begin, until their first step is done
	maxDearOfPerson = 4
	maxDearOfBlock  = 6        // times the weight of the block of addresses
	maxPlaces       = 4        // for steps of dear commands
	maxThrottled    = 10_000   // people, and blocks of each weight, whose rates are remembered
	maxKept         = 32 << 20 // bytes of answers that wait for their clients
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
// are free for keys, and at most maxPlaces. After each step its place stays empty for
// some time, so that the collection of garbage, the writers and the other programs of the machine have their share.
//
// No bound for others than the person counts commands whose clients read: a client that reads nothing would hold up everybody. Of blocks and of
// all, dear commands are counted until their first step is done, which doesn't depend on clients; later steps only wait for their turn. What has been printed and not read
// is counted in bytes. Where a bound on all commands is reached, those of the block of addresses that has most make room.
//
// All commands together come no faster from a person or a block of addresses than at a rate. Any goroutine may use a Gate.
type Gate struct {
	rate   atomic.Pointer[origin.Throttle]
	starts *fairQueue
	steps  *fairQueue

	mu       sync.Mutex           // guards what follows
	commands []*dearCommand       // those that begin, the oldest first
	people   map[string]int       // how many of these each person has
	begun    map[string]int       // how many others each person has, whose first step is done
	blocks   map[netip.Prefix]int // how many of them come from there
	answers  []*keptAnswer        // the oldest first
	kept     int                  // bytes of these
}

// A dearCommand is one that begins.
type dearCommand struct {
	gate   *Gate
	from   origin.Origin
	ctx    context.Context
	cancel context.CancelCauseFunc // with lobby.ErrManyAnswers if it makes room for another one
	begun  bool                    // its first step has its turn; guarded by the gate's mu
}

// A keptAnswer is what a step has printed and the client has not read.
type keptAnswer struct {
	from   origin.Origin
	bytes  int
	hangUp func()
}

// NewGate returns a gate that lets each person give burst commands at once and then so many a second, and each block of addresses
// its weight times as many. Both must be positive.
func NewGate(perSecond, burst int) *Gate {
	places := max(1, min(runtime.GOMAXPROCS(0), runtime.NumCPU())/2)
	g := &Gate{
		starts: newFairQueue(places, restOfStarts), steps: newFairQueue(min(places, maxPlaces), restOfSteps),
		people: make(map[string]int), begun: make(map[string]int), blocks: make(map[netip.Prefix]int),
	}
	g.SetRate(perSecond, burst)
	return g
}

// SetRate changes the rate of commands from now on; everybody may give burst of them at once again.
func (g *Gate) SetRate(perSecond, burst int) {
	g.rate.Store(origin.NewThrottle(time.Second/time.Duration(perSecond), burst, maxThrottled))
}

// Begin waits until another command may begin there, as the rate lets it and in its turn. end is called when the command has ended. A caller
// from no address, or from one that is spared limits by address, waits for the rate of a person alone. The error is that of ctx.
func (g *Gate) Begin(ctx context.Context, from origin.Origin) (end func(), err error) {
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
	if !from.Addr.IsValid() {
		return func() {}, nil
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

// enter takes in a dear command until leave is called. The error is lobby.ErrManyAnswers if there are too many: of the person, of
// a block of addresses, or in all, and no block has more than the caller's would have.
func (g *Gate) enter(ctx context.Context, from origin.Origin) (*dearCommand, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	full := func(b origin.Block) bool { return g.blocks[b.Prefix] >= maxDearOfBlock*b.Weight }
	if g.people[from.Person]+g.begun[from.Person] >= maxDearOfPerson || slices.ContainsFunc(origin.Blocks(from.Addr), full) ||
		len(g.commands) >= maxDear && !g.displace(g.shareOf(from)+1) {
		return nil, lobby.ErrManyAnswers
	}
	c := &dearCommand{gate: g, from: from}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	g.commands = append(g.commands, c)
	g.count(from, 1)
	return c, nil
}

// displace ends the newest command of the block that has most, if it has more than have and one of its commands still waits for its turn.
// The caller holds mu.
func (g *Gate) displace(have int) bool {
	var found *dearCommand
	most := have
	for _, c := range g.commands {
		if share := g.shareOf(c.from); !c.begun && share > have && share >= most {
			found, most = c, share
		}
	}
	if found == nil {
		return false
	}
	found.cancel(lobby.ErrManyAnswers)
	g.remove(found)
	return true
}

// shareOf returns how many commands the widest block of somebody has; their own, if they come from no address. The caller holds mu.
func (g *Gate) shareOf(from origin.Origin) int {
	if b := origin.Widest(from.Addr); b.IsValid() {
		return g.blocks[b.Prefix]
	}
	return g.people[from.Person]
}

// count counts commands of somebody in, or out. The caller holds mu, as for the one below.
func (g *Gate) count(from origin.Origin, n int) {
	add(g.people, from.Person, n)
	for _, b := range origin.Blocks(from.Addr) {
		add(g.blocks, b.Prefix, n)
	}
}

func (g *Gate) remove(c *dearCommand) {
	if i := slices.Index(g.commands, c); i >= 0 {
		g.commands = slices.Delete(g.commands, i, i+1)
		g.count(c.from, -1)
	}
}

// leave counts the command out. It may be called again.
func (c *dearCommand) leave() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.gate.remove(c)
	c.cancel(nil)
}

// goOn counts the command for its person alone from now on, until end is called.
func (c *dearCommand) goOn() (end func()) {
	g := c.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(c)
	c.cancel(nil)
	add(g.begun, c.from.Person, 1)
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		add(g.begun, c.from.Person, -1)
	})
}

// step does the first step of the command when its turn comes. The error is that of work, of the context of the command, or lobby.ErrManyAnswers.
func (c *dearCommand) step(work func() error) error {
	err := c.gate.Step(c.ctx, c.from.Person, func() error {
		c.gate.mu.Lock()
		c.begun = true
		c.gate.mu.Unlock()
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		return work()
	})
	if errors.Is(context.Cause(c.ctx), lobby.ErrManyAnswers) {
		return lobby.ErrManyAnswers
	}
	return err
}

// keep counts bytes that wait for a client, until release is called. If there are too many of all, hangUp is called of the oldest of the
// block that has most, which may be the new ones: then ok is false, and hangUp has been called too.
func (g *Gate) keep(from origin.Origin, bytes int, hangUp func()) (release func(), ok bool) {
	g.mu.Lock()
	a := &keptAnswer{from, bytes, hangUp}
	g.answers, g.kept = append(g.answers, a), g.kept+bytes
	var ended []*keptAnswer
	for g.kept > maxKept {
		of := make(map[any]int)
		for _, k := range g.answers {
			of[holder(k.from)] += k.bytes
		}
		most := g.answers[0]
		for _, k := range g.answers {
			if of[holder(k.from)] > of[holder(most.from)] {
				most = k
			}
		}
		g.release(most)
		ended = append(ended, most)
	}
	g.mu.Unlock()
	for _, k := range ended {
		k.hangUp()
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.release(a)
	}, !slices.Contains(ended, a)
}

// holder is the widest block of somebody; the person, if they come from no address.
func holder(from origin.Origin) any {
	if b := origin.Widest(from.Addr); b.IsValid() {
		return b.Prefix
	}
	return from.Person
}

// release counts an answer out, once. The caller holds mu.
func (g *Gate) release(a *keptAnswer) {
	if i := slices.Index(g.answers, a); i >= 0 {
		g.answers = slices.Delete(g.answers, i, i+1)
		g.kept -= a.bytes
	}
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
	c, err := g.enter(ctx, from)
	if err != nil {
		return err
	}
	defer c.leave()
	return c.step(work)
}
