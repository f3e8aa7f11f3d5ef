package thinking

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/origin"
)

// # The order of thinking
//
// Thinking takes a core, and there are fewer cores than matches. So computer players think on a bounded number of workers, and
// their jobs wait in queues. The next job is always one of the highest priority, and among these a job of the person with the
// least usage. So people take turns: a person with a hundred matches waits long for the next move in each of them, and a newcomer
// is served next. The usage of a block of addresses, divided by its weight (origin.Block), counts too, so that many accounts don't
// help. The jobs of one person are done in the order in which they were submitted. Usage is halved every halfLife.
//
// The longer the queues, the shorter the time slices. The next round of the workers is shared among the people who wait with jobs of
// the same or a higher priority, and the share of each person among their own jobs. With five people per worker, each with one job,
// a slice is a second. A person with a hundred jobs gets a hundredth of that for each, and the level plays the best move found by
// then. The people of one IPv4 /24 or IPv6 /48 have at most groupShare shares together. A slice is never shorter than shortestSlice:
// then the queues grow instead.
//
// When a job of a lower priority has waited for patience, one job of its priority is done after every passes jobs of the highest.
//
// Background work, for which no player waits, is done in small pieces, one at a time. A piece begins when a worker is free
// and no job waits, and is preempted as soon as a job needs that worker. Computer players that think for ever, or an unbroken
// stream of jobs, must not stop it for good: after it has been held up for patience, one piece is done in addition to the jobs.
//
// Other machines lend cores, which are further workers: see lent_cores.go.
//
// A waiting job is told how many jobs come before it: exactly if they are few, else rounded up, so that a hundred screens are not
// redrawn for each step of a long queue.

const (
	round         = 5 * time.Second
	shortestSlice = 50 * time.Millisecond
	patience      = 10 * time.Second
	halfLife      = 10 * time.Second
	groupShare    = 4
	passes        = 3
)

// A Priority says which jobs come first.
type Priority uint8

// The priorities, the highest first.
const (
	ForPlayers    Priority = iota // a player at the board waits for the reply
	ForAbsent                     // the match has no reader
	ForSpectators                 // two computer players play each other
	priorities
)

// ErrPreempted is returned by Background for a piece of work that was preempted because a job needed its worker.
var ErrPreempted = errors.New("the work was preempted by a job")

// DefaultWorkers returns the number of usable cores less one, but at least 1.
func DefaultWorkers() int { return max(1, min(runtime.GOMAXPROCS(0), runtime.NumCPU())-1) }

// A Scheduler is the workers and the jobs that wait for them. Any goroutine may use it.
type Scheduler struct {
	workers int           // of this machine
	wake    chan struct{} // holds a token for each worker that may have something to do
	slot    chan struct{} // held by the background work that runs or is next
	free    chan struct{} // holds one: a worker may be free for background work

	lentWake chan struct{} // the same for lent cores

	mu       sync.Mutex // guards what follows
	busy     int        // workers of this machine that do a job
	lent     lentCores  // of other machines
	backlog  backlog
	number   int64                   // of the newest job
	preempt  context.CancelCauseFunc // preempts the background work; nil if none runs, or if it may not be preempted
	heldUpAt time.Time               // since when background work waits or is preempted again and again; else zero
}

// NewScheduler returns a scheduler with a number of workers, at least 1. They work while Run runs.
func NewScheduler(workers int) *Scheduler {
	return &Scheduler{
		workers: workers, wake: make(chan struct{}, workers), lentWake: make(chan struct{}, maxLentCores), slot: make(chan struct{}, 1), free: make(chan struct{}, 1),
		backlog: backlog{people: make(map[string]queue), usage: newUsage()},
	}
}

// Run does jobs until ctx ends, and then waits for the jobs that have begun.
func (s *Scheduler) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range s.workers {
		all.Go(func() { s.work(ctx) })
	}
	all.Wait()
}

func (s *Scheduler) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		for {
			job, atMost := s.take(atHome)
			if job == nil {
				break
			}
			if !job.returned { // it was told before
				job.updates <- Update{}
			}
			begun := time.Now()
			done := job.think(atMost)
			s.rest(job, atHome, time.Since(begun))
			job.updates <- done
		}
		signal(s.free)
	}
}

// signal puts a token into a channel unless it is full.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Submit queues a job for a person. It returns the number of jobs before it, exact up to 5 and then rounded up; 0 means that a
// worker is free to begin it.
func (s *Scheduler) Submit(j *Job, p Priority, by origin.Origin) (ahead int) {
	s.mu.Lock()
	now := time.Now()
	s.number++
	j.number, j.priority, j.by, j.submitted = s.number, p, by, now
	s.backlog.add(j)
	ahead = slices.Index(s.backlog.order(now), j)
	if ahead < 0 { // beyond the jobs that order returns
		ahead = s.backlog.size() - 1
	}
	free := s.workers - s.busy
	if j.portable() {
		free += s.lent.free()
	}
	if free > ahead {
		ahead = 0
	} else {
		ahead = rough(max(1, ahead+1-free))
	}
	j.shown = ahead
	var preempt context.CancelCauseFunc
	if free <= s.backlog.size() {
		preempt = s.preempt
	}
	s.mu.Unlock()
	if preempt != nil {
		preempt(ErrPreempted)
	}
	s.wakeAny()
	return ahead
}

// wakeAny wakes a worker of this machine, and a lent core.
func (s *Scheduler) wakeAny() {
	signal(s.lentWake)
	signal(s.wake)
}

// take returns the next wanted job for a worker, and its time slice. The job is nil if there is none. A lent core takes no other than portable
// jobs, and a worker of this machine leaves a portable job to a lent core that is free.
func (s *Scheduler) take(at place) (*Job, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.backlog.dropUnwanted()
	if at == atHome {
		if next := s.backlog.takeReturned(); next != nil {
			s.begin(next, at, now)
			return next, next.slice
		}
	}
	next := s.backlog.next(now, s.mayTake(at))
	if next == nil {
		return nil, 0
	}
	next.slice = s.backlog.slice(next, s.workers+s.lent.cores)
	s.backlog.remove(next)
	s.begin(next, at, now)
	s.backlog.updatePlaces(now)
	return next, next.slice
}

// begin counts a job that a worker has taken.
func (s *Scheduler) begin(j *Job, at place, now time.Time) {
	*s.busyAt(at)++
	s.backlog.usage.add(now, j.by, j.slice) // until rest corrects it by the time that the job took
}

// busyAt returns the number of busy workers of this machine, or of lent cores.
func (s *Scheduler) busyAt(at place) *int {
	if at == atHome {
		return &s.busy
	}
	return &s.lent.busy
}

// rest is called when a worker has done a job. took is the time that the job took.
func (s *Scheduler) rest(j *Job, at place, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.busyAt(at)--
	s.backlog.usage.add(time.Now(), j.by, took-j.slice)
}

// Load returns the number of busy workers, the number of waiting jobs, and the longest time that one of these has waited.
func (s *Scheduler) Load() (busy, waiting int, longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting, longest = s.backlog.load()
	return s.busy + s.lent.busy, waiting, longest
}

// Background does a small piece of work in the goroutine of its caller, as soon as it may begin; see above. It returns
// ErrPreempted if a job ended the context of work and work returned an error. It returns ctx.Err() if ctx ended before work began,
// and otherwise what work returned.
func (s *Scheduler) Background(ctx context.Context, work func(context.Context) error) error {
	select {
	case s.slot <- struct{}{}:
		defer func() { <-s.slot }()
	case <-ctx.Done():
		return ctx.Err()
	}
	within, preempt := context.WithCancelCause(ctx)
	defer preempt(nil)
	for {
		begun, wait := s.beginBackground(preempt)
		if begun {
			break
		}
		timer := time.NewTimer(wait)
		select {
		case <-s.free:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		timer.Stop()
	}
	finished := false
	defer func() { s.endBackground(finished) }()
	err := work(within)
	if err != nil && context.Cause(within) == ErrPreempted {
		return ErrPreempted
	}
	finished = true
	return err
}

// beginBackground reports whether background work may begin. If not, the caller tries again after wait, or when a worker becomes free.
func (s *Scheduler) beginBackground(preempt context.CancelCauseFunc) (begun bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.busy+s.backlog.size()-min(s.backlog.portable(), s.lent.free()) < s.workers
	if !free && s.heldUpAt.IsZero() {
		s.heldUpAt = time.Now()
	}
	if !s.heldUpAt.IsZero() {
		if wait = patience - time.Since(s.heldUpAt); wait <= 0 {
			return true, 0 // it can't be preempted
		}
	}
	if free {
		s.preempt = preempt
	}
	return free, wait
}

// endBackground is called when background work has ended. finished is false if it was preempted or has panicked.
func (s *Scheduler) endBackground(finished bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.preempt = nil
	switch {
	case finished:
		s.heldUpAt = time.Time{}
	case s.heldUpAt.IsZero():
		s.heldUpAt = time.Now()
	}
}
