package thinking

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/origin"
)

// # The order of thinking
//
// Thinking costs a core, and there are fewer cores than matches. So computer players think on a bounded number of workers, and
// their jobs wait. Next is always a job of the highest priority, and among those the job of the person who has used the workers
// least of late: so people take turns, and somebody with a hundred matches waits for the next move in each of them about as long
// as ninety-nine others do together, while a newcomer is served next. What the people of a block of addresses use together
// counts too, divided by the weight of the block (origin.Block), so that many accounts are no way around. The jobs of one person
// are done in the order in which they came. Use is forgotten by half every halfLife.
//
// The longer the queues, the shorter the time slices: the workers' next round is shared among the people who wait for jobs as urgent, and the share
// of each among their own jobs. A move that would take a second may do so while five people wait for each worker with a move
// each; those who wait with a hundred moves get a hundredth of that, and the level plays the best move found by then. The people
// of one IPv4 /24 or IPv6 /48 have no more than groupShare shares together. A slice is never shorter than shortestSlice: beyond,
// the queues grow instead.
//
// When jobs of a lower priority have waited for patience, one of the priority of the oldest is done after every passes jobs of the
// highest.
//
// Background work, for which no player waits, is done in small pieces, one at a time. A piece begins when a worker is free
// and no job waits, and is given up as soon as a job needs that worker. Computer players that think for ever, or an unbroken
// stream of jobs, must not stop it for good: after it has been held up for patience, one piece is done beside the jobs.
//
// A job that waits is told about how many come before it: exactly while they are few, else roughly, so that a long queue is not
// redrawn on a hundred screens with each step.

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
	ForAbsent                     // nobody looks at the match
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

	mu       sync.Mutex       // guards what follows
	busy     int              // workers that do a job
	people   map[string]queue // of those for whom jobs wait; none is empty
	number   int64            // of the newest job
	passed   int              // jobs done before overdue ones of lower priority
	usage    *usage
	preempt  context.CancelCauseFunc // gives up the background work; nil if none runs, or if it may not be given up
	heldUpAt time.Time               // since when background work waits or is given up again and again; else zero
}

// NewScheduler returns a scheduler for so many workers, at least 1, which work while Run runs.
func NewScheduler(workers int) *Scheduler {
	return &Scheduler{
		workers: workers, wake: make(chan struct{}, workers), slot: make(chan struct{}, 1), free: make(chan struct{}, 1),
		people: make(map[string]queue), usage: newUsage(),
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
			begun := time.Now()
			done := job.think(atMost)
			s.rest(job, time.Since(begun))
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

// A queue is the jobs that wait for one person, in the order in which they came.
type queue []*Job

// first returns the job of a priority that comes first, nil if there is none.
func (q queue) first(p Priority) *Job {
	for _, j := range q {
		if j.priority == p {
			return j
		}
	}
	return nil
}

// Submit queues a job for a person. It returns about how many come before it, up to 5 exactly and then rounded up; 0 means that
// a worker is free to begin it.
func (s *Scheduler) Submit(j *Job, p Priority, by origin.Origin) (ahead int) {
	s.mu.Lock()
	now := time.Now()
	s.number++
	j.number, j.priority, j.by, j.submitted = s.number, p, by, now
	s.people[by.Person] = append(s.people[by.Person], j)
	ahead = slices.Index(s.order(now), j)
	if ahead < 0 { // far behind
		ahead = s.waiting() - 1
	}
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
	now := time.Now()
	s.dropUnwanted()
	class, ok := s.class(now)
	if !ok {
		return nil, 0
	}
	var next *Job
	var used time.Duration
	for _, q := range s.people {
		j := q.first(class)
		if j == nil {
			continue
		}
		u := s.usage.of(now, j.by)
		if next == nil || cmp.Or(cmp.Compare(u, used), cmp.Compare(j.number, next.number)) < 0 {
			next, used = j, u
		}
	}
	next.slice = s.slice(next)
	s.remove(next)
	s.busy++
	s.usage.add(now, next.by, next.slice) // until it is known how much the job used
	s.updatePlaces(now)
	return next, next.slice
}

// class returns the priority of the job to be done next; ok is false if none waits.
func (s *Scheduler) class(now time.Time) (p Priority, ok bool) {
	var oldest [priorities]*Job
	for _, q := range s.people {
		for _, j := range q {
			if first := oldest[j.priority]; first == nil || j.number < first.number {
				oldest[j.priority] = j
			}
		}
	}
	highest := slices.IndexFunc(oldest[:], func(j *Job) bool { return j != nil })
	if highest < 0 {
		return 0, false
	}
	var overdue *Job // of a lower priority
	for _, j := range oldest[highest+1:] {
		if j != nil && now.Sub(j.submitted) >= patience && (overdue == nil || j.number < overdue.number) {
			overdue = j
		}
	}
	switch {
	case overdue == nil:
		return Priority(highest), true
	case s.passed < passes:
		s.passed++
		return Priority(highest), true
	}
	s.passed = 0
	return overdue.priority, true
}

// rest notes that a worker is done with a job, which it did in a time.
func (s *Scheduler) rest(j *Job, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.usage.add(time.Now(), j.by, took-j.slice)
}

// dropUnwanted removes the jobs that nobody wants any more.
func (s *Scheduler) dropUnwanted() {
	for person, q := range s.people {
		q = slices.DeleteFunc(q, func(j *Job) bool { return !j.wanted() })
		if len(q) == 0 {
			delete(s.people, person)
		} else {
			s.people[person] = q
		}
	}
}

func (s *Scheduler) remove(j *Job) {
	person := j.by.Person
	q := slices.DeleteFunc(s.people[person], func(other *Job) bool { return other == j })
	if len(q) == 0 {
		delete(s.people, person)
	} else {
		s.people[person] = q
	}
}

// slice returns how long the job that is about to be taken may think: its share of the workers' next round.
func (s *Scheduler) slice(j *Job) time.Duration {
	people := make(map[netip.Prefix]int) // who wait, by the widest block of their addresses
	alone := 0                           // those without an address
	for _, q := range s.people {
		if !slices.ContainsFunc(q, func(other *Job) bool { return other.priority <= j.priority }) {
			continue
		}
		if b := widest(q[0].by); b.IsValid() {
			people[b]++
		} else {
			alone++
		}
	}
	shares, mine := float64(alone), 1.0
	for b, n := range people {
		group := float64(min(n, groupShare))
		shares += group
		if b == widest(j.by) {
			mine = group / float64(n)
		}
	}
	own := 0
	for _, other := range s.people[j.by.Person] {
		if other.priority <= j.priority {
			own++
		}
	}
	share := float64(round) * float64(s.workers) * mine / shares / float64(own)
	return max(shortestSlice, time.Duration(share))
}

// widest returns the widest block of an address.
func widest(from origin.Origin) netip.Prefix {
	if blocks := origin.Blocks(from.Addr); len(blocks) > 0 {
		return blocks[len(blocks)-1].Prefix
	}
	return netip.Prefix{}
}

// waiting returns how many jobs wait, those that nobody wants any more included.
func (s *Scheduler) waiting() (n int) {
	for _, q := range s.people {
		n += len(q)
	}
	return n
}

// informed is how many waiting jobs are told about each step. Those farther back learn of it later.
const informed = 100

// order returns about the first jobs that wait, in the order in which they will probably be done: by priority, people in turn, those who used
// least first.
func (s *Scheduler) order(now time.Time) []*Job {
	type place struct {
		job  *Job
		turn int // how many jobs of the same person and priority come before
		used time.Duration
	}
	var places []place
	for _, q := range s.people {
		used := s.usage.of(now, q[0].by)
		var turns [priorities]int
		for _, j := range q[:min(len(q), 1+informed/len(s.people))] {
			if j.wanted() {
				places = append(places, place{j, turns[j.priority], used})
				turns[j.priority]++
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.job.priority, b.job.priority), cmp.Compare(a.turn, b.turn), cmp.Compare(a.used, b.used), cmp.Compare(a.job.number, b.job.number))
	})
	jobs := make([]*Job, len(places))
	for i, p := range places {
		jobs[i] = p.job
	}
	return jobs
}

// updatePlaces tells the jobs that come next their place if it has changed.
func (s *Scheduler) updatePlaces(now time.Time) {
	for i, j := range s.order(now) {
		if i == informed {
			return
		}
		place := rough(i + 1) // after the job that was just taken
		if place == j.shown {
			continue
		}
		j.shown = place
		select {
		case <-j.places: // an older place that nobody has read
		default:
		}
		j.places <- place
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

// Load returns how many workers do a job, how many jobs wait for one, and how long the first of those has waited.
func (s *Scheduler) Load() (busy, waiting int, longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.people {
		for _, j := range q {
			if j.wanted() {
				waiting++
				longest = max(longest, time.Since(j.submitted))
			}
		}
	}
	return s.busy, waiting, longest
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
