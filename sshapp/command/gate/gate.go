// Package gate bounds what commands cost the club: how many come, how much they hold up, how many wait, and how long one may be silent.
package gate

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

// The default rate of commands, which people don't notice: enough for a script that plays several matches at once.
const (
	DefaultRate  = 20
	DefaultBurst = 200
)

// The bounds of a Gate.
const (
	MaxHeavy          = 256 // heavy commands in all, until their first step is done
	MaxHeavyPerPerson = 4
	maxHeavyPerBlock  = 6        // times the weight of the block of addresses
	maxPlaces         = 4        // for steps of heavy commands
	maxThrottled      = 10_000   // people, and blocks of each weight, whose rates are remembered
	maxKept           = 32 << 20 // bytes of answers that wait for their clients
)

// The time for which a place stays empty after work in it, as a multiple of the time that the work took without its waits for other machines.
const (
	restOfSteps  = 3
	restOfStarts = 1
)

// maxStart is the time after which a start gives up its place, although its command may go on: it may wait for the disk, for its client or
// for a match. Most commands take less.
const maxStart = time.Millisecond

// maxStep is the time after which a step gives up its place, although it may go on. Such a step waits for the store, which may not answer at
// all, and other commands would wait with it. Steps that only compute take less.
const maxStep = 10 * time.Millisecond

// A Gate keeps commands from delaying the keystrokes of other users. Even light commands do: a goroutine that a key wakes waits behind all
// runnable goroutines. With three hundred clients that asked again as soon as they were answered, a key took 30 ms, a hundred times as long
// as at a bare SSH server. So commands begin in turn, in few places, and a waiting command costs no CPU time.
//
// A heavy command also works in steps of some milliseconds, which have places of their own: at most half the cores, so that the other cores
// are free for keys, and at most maxPlaces. After each step its place stays empty for some time, so that the garbage collector, the writers
// and the other programs of the machine have their share.
//
// A client that reads nothing must not hold up others. So the bounds on blocks and on all heavy commands count a command only until its first
// step is done, which doesn't depend on clients; later steps only wait for their turn. The bound on a person counts their commands to the end.
// Output that is printed and not read yet is counted in bytes. When the bound on all commands or all bytes is reached, the block of addresses
// with most of them makes room.
//
// A rate limits all commands, light and heavy, of a person and of a block of addresses. A Gate is safe for concurrent use.
type Gate struct {
	rate   atomic.Pointer[origin.Throttle]
	starts *fairQueue
	steps  *fairQueue

	mu       sync.Mutex           // guards what follows
	commands []*heavyCommand      // whose first step isn't done, the oldest first
	people   map[string]int       // how many of these commands each person has
	begun    map[string]int       // how many commands with a finished first step each person has
	blocks   map[netip.Prefix]int // how many of commands come from each block
	answers  []*keptAnswer        // the oldest first
	kept     int                  // bytes of all answers
}

// A heavyCommand is a heavy command whose first step isn't done.
type heavyCommand struct {
	gate   *Gate
	from   origin.Origin
	ctx    context.Context
	cancel context.CancelCauseFunc // with lobby.ErrManyAnswers if it makes room for another one
	begun  bool                    // its first step has its turn; guarded by the gate's mu
}

// A keptAnswer is the output of a step that the client has not read yet.
type keptAnswer struct {
	from   origin.Origin
	bytes  int
	hangUp func()
}

// New returns a gate that lets each person give burst commands at once and then perSecond a second, and each block of addresses
// its weight times as many. Both must be positive.
func New(perSecond, burst int) *Gate {
	places := max(1, min(runtime.GOMAXPROCS(0), runtime.NumCPU())/2)
	g := &Gate{
		starts: newFairQueue(places, restOfStarts), steps: newFairQueue(min(places, maxPlaces), restOfSteps),
		people: make(map[string]int), begun: make(map[string]int), blocks: make(map[netip.Prefix]int),
	}
	g.SetRate(perSecond, burst)
	return g
}

// SetRate changes the rate of commands from now on. All users get a full burst again.
func (g *Gate) SetRate(perSecond, burst int) {
	g.rate.Store(origin.NewThrottle(time.Second/time.Duration(perSecond), burst, maxThrottled))
}

// Begin waits until the rate allows another command of from and its turn has come. The caller calls end when the command has ended. Without
// an address in from (a local caller, or an address that is spared limits) only the rate of the person counts. If ctx ends first, Begin
// returns its error.
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

// enter counts a heavy command until leave is called. The error is lobby.ErrManyAnswers if the person or a block of addresses has too many, or
// if there are too many in all and no block has more than the caller's block would have.
func (g *Gate) enter(ctx context.Context, from origin.Origin) (*heavyCommand, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	full := func(b origin.Block) bool { return g.blocks[b.Prefix] >= maxHeavyPerBlock*b.Weight }
	if g.people[from.Person]+g.begun[from.Person] >= MaxHeavyPerPerson || slices.ContainsFunc(origin.Blocks(from.Addr), full) ||
		len(g.commands) >= MaxHeavy && !g.displace(g.shareOf(from)+1) {
		return nil, lobby.ErrManyAnswers
	}
	c := &heavyCommand{gate: g, from: from}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	g.commands = append(g.commands, c)
	g.count(from, 1)
	return c, nil
}

// displace cancels the newest waiting command of the block that has most commands, if that block has more than have. It reports whether it
// found one. The caller holds mu.
func (g *Gate) displace(have int) bool {
	var found *heavyCommand
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

// shareOf returns the number of commands of the widest block around from, or of the person if there is no address. The caller holds mu.
func (g *Gate) shareOf(from origin.Origin) int {
	if b := origin.Widest(from.Addr); b.IsValid() {
		return g.blocks[b.Prefix]
	}
	return g.people[from.Person]
}

// count adds n to the commands of a person and of their blocks. The caller holds mu.
func (g *Gate) count(from origin.Origin, n int) {
	add(g.people, from.Person, n)
	for _, b := range origin.Blocks(from.Addr) {
		add(g.blocks, b.Prefix, n)
	}
}

// remove stops counting a command, once. The caller holds mu.
func (g *Gate) remove(c *heavyCommand) {
	if i := slices.Index(g.commands, c); i >= 0 {
		g.commands = slices.Delete(g.commands, i, i+1)
		g.count(c.from, -1)
	}
}

// leave stops counting the command. Further calls do nothing.
func (c *heavyCommand) leave() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.gate.remove(c)
	c.cancel(nil)
}

// goOn counts the command for its person alone, until end is called.
func (c *heavyCommand) goOn() (end func()) {
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

// begin waits until the turn of the command's first step comes. The caller calls end when the step is done; further calls do nothing. The error
// is the command's context's, or lobby.ErrManyAnswers if the command had to make room.
func (c *heavyCommand) begin() (end func(), err error) {
	end, err = c.gate.beginStep(c.ctx, c.from.Person)
	if err == nil {
		c.gate.mu.Lock()
		c.begun = true
		c.gate.mu.Unlock()
		if c.ctx.Err() == nil {
			return end, nil
		}
		end()
	}
	if errors.Is(context.Cause(c.ctx), lobby.ErrManyAnswers) {
		return nil, lobby.ErrManyAnswers
	}
	return nil, c.ctx.Err()
}

// keep counts bytes that wait for a client, until release is called. While all answers together exceed maxKept, keep drops the oldest answer
// of the block that has most bytes and calls its hangUp. ok is false if the new answer was dropped itself.
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

// holder returns the widest block around from, or the person if there is no address.
func holder(from origin.Origin) any {
	if b := origin.Widest(from.Addr); b.IsValid() {
		return b.Prefix
	}
	return from.Person
}

// release stops counting an answer, once. The caller holds mu.
func (g *Gate) release(a *keptAnswer) {
	if i := slices.Index(g.answers, a); i >= 0 {
		g.answers = slices.Delete(g.answers, i, i+1)
		g.kept -= a.bytes
	}
}

// add adds n to the number under key, and deletes the key when the number is 0.
func add[K comparable](to map[K]int, key K, n int) {
	if to[key] += n; to[key] == 0 {
		delete(to, key)
	}
}

// Step runs one step of a person's command when its turn comes. work is short and waits for no client, but may wait for the store. Step
// returns the error of work, or of ctx if ctx ends before the turn comes.
func (g *Gate) Step(ctx context.Context, person string, work func() error) error {
	end, err := g.beginStep(ctx, person)
	if err != nil {
		return err
	}
	defer end()
	return work()
}

// beginStep waits until the turn of a step comes. The caller calls end when the step is done; further calls do nothing.
func (g *Gate) beginStep(ctx context.Context, person string) (end func(), err error) {
	leave, err := g.steps.wait(ctx, person)
	if err != nil {
		return nil, err
	}
	over := time.AfterFunc(maxStep, leave)
	return func() {
		over.Stop()
		leave()
	}, nil
}

// Do runs a heavy command of one step.
func (g *Gate) Do(ctx context.Context, from origin.Origin, work func() error) error {
	c, err := g.enter(ctx, from)
	if err != nil {
		return err
	}
	defer c.leave()
	end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	return work()
}

// A State is what a Gate counts at one moment.
type State struct {
	Heavy   int // heavy commands whose first step isn't done
	People  int // people with heavy commands, for each of both counts
	Blocks  int // blocks of addresses with heavy commands
	Answers int // answers that wait for their clients
	Bytes   int // of these answers
	Queued  int // people who wait for a place or have one
	Starts  int // places of starts that are taken, or empty for their rest
	Steps   int // places of steps likewise
}

// State returns what the gate counts now.
func (g *Gate) State() State {
	g.mu.Lock()
	s := State{Heavy: len(g.commands), People: len(g.people) + len(g.begun), Blocks: len(g.blocks), Answers: len(g.answers), Bytes: g.kept}
	g.mu.Unlock()
	var starts, steps int
	s.Starts, starts = g.starts.load()
	s.Steps, steps = g.steps.load()
	s.Queued = starts + steps
	return s
}

// Works reports whether a person has a place for a start, and one for a step.
func (g *Gate) Works(person string) (start, step bool) {
	return g.starts.works(person), g.steps.works(person)
}
