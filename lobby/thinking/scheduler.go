package thinking

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// # The order of thinking
//
// Thinking costs a core, and there are fewer cores than matches. So computer players think on a bounded number of workers,
// and their jobs wait in queues, first come, first served, those of higher priority before all others. A match has one
// move at a time to find, so none can crowd others out.
//
// The longer the queues, the shorter the time slices: the workers' next round is shared equally among all jobs that wait, so
// that each of them is done after about a round. A move that would take a second may do so while up to four jobs wait for
// each worker; when fifty do, it gets a tenth of a second, and the level plays the best move found by then. A slice is never
// shorter than shortestSlice: from a hundred jobs for each worker on, the queues grow instead.
//
// Background work, for which no player waits, is done in small pieces, one at a time. A piece begins when a worker is free
// and no job waits, and is given up as soon as a job needs that worker. Computer players that think for ever, or an unbroken
// stream of jobs, must not stop it for good: after it has been held up for patience, one piece is done beside the jobs.
//
// A job that waits is told how many come before it: exactly while they are few, else roughly, so that a long queue is not
// redrawn on a hundred screens with each step.

const (
	round         = 5 * time.Second
	shortestSlice = 50 * time.Millisecond
	patience      = 10 * time.Second
)

// A Priority says which jobs come first.
type Priority uint8

// The priorities, the highest first.
const (
	ForPlayers    Priority = iota // a player waits for the reply
	ForSpectators                 // two computer players play each other
	priorities
)

// ErrPreempted is returned by Background for a piece of work that was given up because a job needed its worker.
var ErrPreempted = errors.New("the work was preempted by a job")

// DefaultWorkers returns one less than there are cores to run on, but at least one.
func DefaultWorkers() int { return max(1, min(runtime.GOMAXPROCS(0), runtime.NumCPU())-1) }

// A Scheduler is the workers and the jobs that wait for them. Any goroutine may use it.
type Scheduler struct {
	workers int
	wake    chan struct{} // holds a token for each worker that may have something to do
	slot    chan struct{} // held by the background work that runs or is next
	free    chan struct{} // holds one: a worker may be free for background work

	mu       sync.Mutex // guards what follows
	busy     int        // workers that do a job
	queues   [priorities][]*Job
	preempt  context.CancelCauseFunc // gives up the background work; nil if none runs, or if it may not be given up
	heldUpAt time.Time               // since when background work waits or is given up again and again; else zero
}

// NewScheduler returns a scheduler for so many workers, at least 1, which work while Run runs.
func NewScheduler(workers int) *Scheduler {
	return &Scheduler{
		workers: workers, wake: make(chan struct{}, workers), slot: make(chan struct{}, 1), free: make(chan struct{}, 1),
	}
}

// Run does the jobs until ctx ends, and waits for those begun.
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
			job, atMost := s.take()
			if job == nil {
				break
			}
			job.updates <- Update{}
			done := job.think(atMost)
			s.rest()
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

// Submit queues a job. It returns how many come before it, up to 5 exactly and then rounded up; 0 means that a worker is
// free to begin it.
func (s *Scheduler) Submit(j *Job, p Priority) (ahead int) {
	s.mu.Lock()
	for q := range p + 1 {
		ahead += len(s.queues[q])
	}
	s.queues[p] = append(s.queues[p], j)
	if free := s.workers - s.busy; free > ahead {
		ahead = 0
	} else {
		ahead = rough(max(1, ahead+1-free))
	}
	j.shown = ahead
	var preempt context.CancelCauseFunc
	if s.workers-s.busy <= s.waiting() {
		preempt = s.preempt
	}
	s.mu.Unlock()
	if preempt != nil {
		preempt(ErrPreempted)
	}
	signal(s.wake)
	return ahead
}

// take returns the next job that is still wanted, and how long it may think; nil if there is none.
func (s *Scheduler) take() (*Job, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.queues {
		for queue := s.queues[p]; len(queue) > 0; {
			j := queue[0]
			queue[0], queue = nil, queue[1:]
			s.queues[p] = queue
			if j.wanted() {
				s.busy++
				s.updatePlaces()
				return j, s.slice()
			}
		}
		s.queues[p] = nil
	}
	return nil, 0
}

func (s *Scheduler) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
}

// slice returns how long the job that has just been taken may think: its share of the workers' next round.
func (s *Scheduler) slice() time.Duration {
	return max(shortestSlice, round*time.Duration(s.workers)/time.Duration(1+s.waiting()))
}

// waiting returns the length of all queues, jobs that nobody wants any more included.
func (s *Scheduler) waiting() (n int) {
	for _, queue := range s.queues {
		n += len(queue)
	}
	return n
}

// informed is how many waiting jobs are told about each step. Those farther back learn of it later.
const informed = 100

// updatePlaces tells the jobs at the head of the queues their place if it has changed.
func (s *Scheduler) updatePlaces() {
	ahead := 1 // the job that was just taken
	for _, queue := range s.queues {
		for _, j := range queue {
			switch {
			case ahead > informed:
				return
			case !j.wanted():
				continue
			}
			if now := rough(ahead); now != j.shown {
				j.shown = now
				select {
				case <-j.places: // an older place that nobody has read
				default:
				}
				j.places <- now
			}
			ahead++
		}
	}
}

// rough rounds a place in a queue up.
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

// Load returns how many workers do a job, and how many jobs wait for one.
func (s *Scheduler) Load() (busy, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, queue := range s.queues {
		for _, j := range queue {
			if j.wanted() {
				waiting++
			}
		}
	}
	return s.busy, waiting
}

// Background does a small piece of work in the goroutine of its caller, as soon as it may begin; see above. It returns
// ErrPreempted if the work's context was ended by a job and the work returned an error, the error of ctx if that ended
// first, and else what the work returned.
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

// beginBackground lets background work begin, or says how long it waits at most if no worker becomes free before.
func (s *Scheduler) beginBackground(preempt context.CancelCauseFunc) (begun bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.busy+s.waiting() < s.workers
	if !free && s.heldUpAt.IsZero() {
		s.heldUpAt = time.Now()
	}
	if !s.heldUpAt.IsZero() {
		if wait = patience - time.Since(s.heldUpAt); wait <= 0 {
			return true, 0 // and may not be given up
		}
	}
	if free {
		s.preempt = preempt
	}
	return free, wait
}

// endBackground notes that background work has ended, finished or given up.
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
