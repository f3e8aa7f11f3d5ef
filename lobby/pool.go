package lobby

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"ludoteca/games"
)

// # Turns to think
//
// Thinking costs a core, and there are fewer cores than matches. So computer players think on a bounded number of workers
// (one less than there are cores, so that nobody's keys ever wait for one), and their matches wait in line for these: first
// come, first served, those in which somebody waits for the reply before all others. A match has one move at a time to
// find, so nobody can crowd others out. The program lets that many threads more run Go code than there are cores, or else
// people's goroutines would have to wait until the scheduler takes a worker off.
//
// The longer the line, the shorter the turn: the workers' next round is shared equally among all that wait, so that each
// of them has its reply after about a round. A move that would take a second may do so while up to four matches wait for
// each worker; when fifty do, it is a tenth of a second, and the computer player goes with the best it has found by then. A
// turn is never shorter than shortest: from a hundred for each worker on the line grows instead.
//
// Work that no match waits for is done one piece at a time. A piece is only begun while no computer player thinks or waits
// to, and is given up when one has to wait for its worker: see study_line.go.
//
// Who waits is told how many come before him: exactly while they are few, else roughly, so that a long line is not
// redrawn on a hundred screens each time that somebody's turn comes.

const (
	round    = 5 * time.Second
	shortest = 50 * time.Millisecond
)

// A queue is one of the lines of a pool. The earlier ones come first.
type queue uint8

const (
	forPeople queue = iota
	forExhibitions
	queues
)

// job is one move to be found.
type job struct {
	wanted func() bool // whether anybody still waits for it
	think  func(atMost time.Duration) news
	news   chan news // holds two, begun and done, so that a worker never waits for a match
	ahead  chan int  // holds the latest: how many come before it, as it is shown
	shown  int       // what was sent there last; of the pool
}

// news is what a worker tells a match.
type news struct {
	done     bool
	decision Decision
	err      error
}

// newJob returns the job to find a move with this seed, until ctx ends and in no longer than limit if that is not 0. A
// panic of the computer player is its error.
func newJob(ctx context.Context, level Level, p games.Position, seed uint64, limit time.Duration) *job {
	return &job{
		wanted: func() bool { return ctx.Err() == nil },
		think: func(atMost time.Duration) (n news) {
			defer func() {
				if p := recover(); p != nil {
					n = news{done: true, err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
				}
			}()
			if limit > 0 {
				atMost = min(atMost, limit)
			}
			within, stop := context.WithTimeout(ctx, atMost)
			defer stop()
			d, err := level.decide(within, p, games.NewRandom(seed))
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				d, err = level.decide(ctx, p, games.NewRandom(seed)) // one that can't be hurried
			}
			return news{done: true, decision: d, err: err}
		},
		news: make(chan news, 2), ahead: make(chan int, 1),
	}
}

// DefaultWorkers returns how many computer players think at a time in a club for which Config says nothing: one less than
// there are cores to run on, but at least one.
func DefaultWorkers() int { return max(1, min(runtime.GOMAXPROCS(0), runtime.NumCPU())-1) }

// pool is the workers, and what waits for them.
type pool struct {
	workers int
	wake    chan struct{} // holds one token for each worker that may have something to do

	mu      sync.Mutex // guards what follows
	idle    int        // workers without work
	waiting [queues][]*job
	leisure pastime // a piece of work that no match waits for; none if it has no work
	atEase  func()  // if a worker is doing such a piece: has it stop. The worker counts as idle: it soon will be
}

func newPool(workers int) *pool {
	return &pool{workers: workers, wake: make(chan struct{}, workers), idle: workers}
}

// submit queues a job. It returns how many come before it, as it is shown: 0 says that a worker is free to take it.
func (p *pool) submit(j *job, to queue) (ahead int) {
	p.mu.Lock()
	for q := range to + 1 {
		ahead += len(p.waiting[q])
	}
	p.waiting[to] = append(p.waiting[to], j)
	if p.idle > ahead {
		ahead = 0
	} else {
		ahead = rough(max(1, ahead+1-p.idle))
	}
	j.shown = ahead
	giveWay := func() {}
	if p.atEase != nil && p.idle <= p.lined() {
		giveWay = p.atEase
	}
	p.mu.Unlock()
	giveWay()
	select {
	case p.wake <- struct{}{}:
	default: // every worker will look anyway
	}
	return ahead
}

// take returns the next job that is still wanted, and how long it may think; nil if there is none.
func (p *pool) take() (*job, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q := range p.waiting {
		for line := p.waiting[q]; len(line) > 0; {
			j := line[0]
			line[0], line = nil, line[1:]
			p.waiting[q] = line
			if j.wanted() {
				p.idle--
				p.tellWaiting()
				return j, p.share()
			}
		}
		p.waiting[q] = nil
	}
	return nil, 0
}

// share is how long the job that is just taken may think: its part of the workers' next round.
func (p *pool) share() time.Duration {
	return max(shortest, round*time.Duration(p.workers)/time.Duration(1+p.lined()))
}

// told is how many of a line are told about each step that it makes; who stands farther back learns it later.
const told = 100

// tellWaiting tells those at the head of the lines where they stand, if that is not what they were told before.
func (p *pool) tellWaiting() {
	ahead := 1 // the one whose turn it is
	for _, line := range p.waiting {
		for _, j := range line {
			switch {
			case ahead > told:
				return
			case !j.wanted():
				continue
			}
			if now := rough(ahead); now != j.shown {
				j.shown = now
				select {
				case <-j.ahead: // which nobody has seen
				default:
				}
				j.ahead <- now
			}
			ahead++
		}
	}
}

// rough rounds a number of others up as far as it interests anybody.
func rough(n int) int {
	step := 1
	switch {
	case n > 100:
		step = 100
	case n > 20:
		step = 10
	case n > 5:
		step = 5
	}
	return (n + step - 1) / step * step
}

func (p *pool) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
}

// work is one worker, until ctx ends. It keeps to a thread of its own, so that the system counts what it thinks against
// that thread alone: those that answer people have used next to nothing, and come first whenever they have something to do.
//
// Only where the workers leave no core to people, those threads have a lower priority besides. It has a price: whatever
// stops the whole program for a moment, as the collector does, waits for each of its threads to notice, and longer for one that
// other programs keep from running.
func (p *pool) work(ctx context.Context) {
	runtime.LockOSThread() // to the end, and the thread ends with the goroutine
	if p.workers >= runtime.NumCPU() {
		stepBack()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		for p.workOnce() {
		}
	}
}

// workOnce does the next thing there is to do, and says whether there was one.
func (p *pool) workOnce() bool {
	if j, atMost := p.take(); j != nil {
		j.news <- news{}
		n := j.think(atMost)
		p.rest()
		j.news <- n
		return true
	}
	work := p.takeLeisure()
	if work == nil {
		return false
	}
	work()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atEase = nil
	return true
}

// A pastime is a piece of work that no match waits for. stop ends it early; it may be called at any time, and does not wait.
type pastime struct{ work, stop func() }

// atLeisure has a worker do a piece of work when no computer player thinks or waits to, and stops it when one needs the
// worker. There is one at a time: the caller has waited for the one before.
func (p *pool) atLeisure(t pastime) {
	p.mu.Lock()
	p.leisure = t
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// takeLeisure returns what is to be done at leisure if this is the moment, or nil. The last worker to rest asks again.
func (p *pool) takeLeisure() (work func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle < p.workers || p.atEase != nil || p.lined() > 0 {
		return nil
	}
	work, p.atEase = p.leisure.work, p.leisure.stop
	p.leisure = pastime{}
	return work
}

// lined is how many wait in all lines, those included whom nobody waits for any more.
func (p *pool) lined() (n int) {
	for _, line := range p.waiting {
		n += len(line)
	}
	return n
}
