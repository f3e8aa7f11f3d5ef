package thinking

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"ludoteca/lobby/origin"
)

// A backlog is the jobs that wait for a worker, and the order in which they are done. The mutex of its scheduler guards it.
type backlog struct {
	people   map[string]queue // by person; no queue is empty
	returned []*Job           // by lent cores, the oldest first; no worker has taken them again yet
	passed   int              // jobs done before overdue ones of lower priority
	usage    *usage
}

// A queue is the waiting jobs of one person, in the order in which they were submitted.
type queue []*Job

// first returns the first job of a priority that a worker may take, or nil if there is none.
func (q queue) first(p Priority, may func(*Job) bool) *Job {
	for _, j := range q {
		if j.priority == p && may(j) {
			return j
		}
	}
	return nil
}

// add adds a job behind the other ones of its person.
func (b *backlog) add(j *Job) { b.people[j.by.Person] = append(b.people[j.by.Person], j) }

// takeReturned removes the oldest job that a lent core has returned, and returns it; nil if there is none.
func (b *backlog) takeReturned() *Job {
	if len(b.returned) == 0 {
		return nil
	}
	next := b.returned[0]
	b.returned = slices.Delete(b.returned, 0, 1)
	return next
}

// next returns the next job that a worker may take, which stays in the backlog; nil if none waits.
func (b *backlog) next(now time.Time, may func(*Job) bool) *Job {
	class, ok := b.class(now, may)
	if !ok {
		return nil
	}
	var next *Job
	var used time.Duration
	for _, q := range b.people {
		j := q.first(class, may)
		if j == nil {
			continue
		}
		u := b.usage.of(now, j.by)
		if next == nil || cmp.Or(cmp.Compare(u, used), cmp.Compare(j.number, next.number)) < 0 {
			next, used = j, u
		}
	}
	return next
}

// class returns the priority of the next job that a worker may take. ok is false if none waits.
func (b *backlog) class(now time.Time, may func(*Job) bool) (p Priority, ok bool) {
	var oldest [priorities]*Job
	for _, q := range b.people {
		for _, j := range q {
			if !may(j) {
				continue
			}
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
	case b.passed < passes:
		b.passed++
		return Priority(highest), true
	}
	b.passed = 0
	return overdue.priority, true
}

// dropUnwanted removes the jobs that are no longer wanted.
func (b *backlog) dropUnwanted() {
	b.returned = slices.DeleteFunc(b.returned, func(j *Job) bool { return !j.wanted() })
	for person, q := range b.people {
		q = slices.DeleteFunc(q, func(j *Job) bool { return !j.wanted() })
		if len(q) == 0 {
			delete(b.people, person)
		} else {
			b.people[person] = q
		}
	}
}

// remove removes a job that a worker takes.
func (b *backlog) remove(j *Job) {
	person := j.by.Person
	q := slices.DeleteFunc(b.people[person], func(other *Job) bool { return other == j })
	if len(q) == 0 {
		delete(b.people, person)
	} else {
		b.people[person] = q
	}
}

// slice returns the time slice of a job that is about to be taken: its share of the next round of all workers.
func (b *backlog) slice(j *Job, workers int) time.Duration {
	people := make(map[netip.Prefix]int) // number of waiting people by the widest block of their addresses
	alone := 0                           // number of waiting people without an address
	for _, q := range b.people {
		if !slices.ContainsFunc(q, func(other *Job) bool { return other.priority <= j.priority }) {
			continue
		}
		if block := widest(q[0].by); block.IsValid() {
			people[block]++
		} else {
			alone++
		}
	}
	shares, mine := float64(alone), 1.0
	for block, n := range people {
		group := float64(min(n, groupShare))
		shares += group
		if block == widest(j.by) {
			mine = group / float64(n)
		}
	}
	own := 0
	for _, other := range b.people[j.by.Person] {
		if other.priority <= j.priority {
			own++
		}
	}
	share := float64(round) * float64(workers) * mine / shares / float64(own)
	return max(shortestSlice, time.Duration(share))
}

// widest returns the widest block of an address.
func widest(from origin.Origin) netip.Prefix {
	if blocks := origin.Blocks(from.Addr); len(blocks) > 0 {
		return blocks[len(blocks)-1].Prefix
	}
	return netip.Prefix{}
}

// size returns the number of waiting jobs, including jobs that are no longer wanted.
func (b *backlog) size() (n int) {
	n = len(b.returned)
	for _, q := range b.people {
		n += len(q)
	}
	return n
}

// informed is the number of waiting jobs that are told each change of their place. Jobs farther back are told later.
const informed = 100

// order returns about the first informed waiting jobs, in the order in which they will probably be done: by priority, then by turn of each person,
// then by usage.
func (b *backlog) order(now time.Time) []*Job {
	type place struct {
		job  *Job
		turn int // jobs of the same person and priority before it
		used time.Duration
	}
	var places []place
	for _, q := range b.people {
		used := b.usage.of(now, q[0].by)
		var turns [priorities]int
		for _, j := range q[:min(len(q), 1+informed/len(b.people))] {
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

// updatePlaces sends changed places to the first waiting jobs.
func (b *backlog) updatePlaces(now time.Time) {
	for i, j := range b.order(now) {
		if i == informed {
			return
		}
		place := rough(i + 1) // after the job that was just taken
		if place == j.shown {
			continue
		}
		j.shown = place
		select {
		case <-j.places: // an older place that was not read
		default:
		}
		j.places <- place
	}
}

// rough rounds a place in a queue up: above 5 to a multiple of 5, above 20 of 10, and above 100 of 100.
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

// portable returns how many waiting jobs other machines can do.
func (b *backlog) portable() (n int) {
	for _, q := range b.people {
		for _, j := range q {
			if j.portable() {
				n++
			}
		}
	}
	return n
}

// load returns the number of waiting jobs that are wanted, and the longest time that one of these has waited.
func (b *backlog) load() (waiting int, longest time.Duration) {
	count := func(jobs []*Job) {
		for _, j := range jobs {
			if j.wanted() {
				waiting++
				longest = max(longest, time.Since(j.submitted))
			}
		}
	}
	count(b.returned)
	for _, q := range b.people {
		count(q)
	}
	return waiting, longest
}
