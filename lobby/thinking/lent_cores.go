package thinking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// # Lent cores
//
// Another machine may lend cores (Lend). Each is one more worker, for jobs that it can be told of: searches, in positions whose history is
// known. A free core of another machine is taken before one of this machine, whose cores people's keys need too. The order of the jobs, the
// share of each person and the time slices stay as they are; they only count the lent cores as well.
//
// Another machine is not trusted. Its move must be legal, its values are bounded, and a line is cut before the first move that isn't
// legal. What would end a match or be kept as proven, a lost or drawn game, is searched again on this machine. A job that gets no such answer in
// time goes back, and the next free worker of this machine takes it before all others: so it is late by no more than the
// time that the other machine had it. That is at most mostLent and some grace, and at most half of what is left on a clock.

// A Question is a search that another machine may do.
type Question struct {
	Game     string         // its id
	Level    string         // id of the computer player; "": the strongest one with Nodes, however long that takes
	Nodes    int            // positions to look at, if Level is ""
	Start    games.Position // where the moves begin
	Moves    []games.Move   // that lead to Position
	Position games.Position // whose move is asked for
	Seed     uint64         // of the random source
	AtMost   time.Duration  // after which the best move found until then is wanted; 0: it takes as long as it takes
	Clock    bot.Clock      // by which the level plans its time; the zero value: none
}

// A Lender hands questions to another machine. Any goroutine may use it.
type Lender interface {
	// Think returns the answer of the other machine, or an error soon after ctx has ended or the machine is gone. The error wraps ErrNoAnswer
	// where the machine is not at fault.
	Think(ctx context.Context, q *Question) (bot.Thought, error)

	// Reject is told of an answer that can't be used, or didn't come in time.
	Reject(why error)
}

const (
	maxLentCores = 4096            // of all other machines together, which bounds goroutines
	mostLent     = 5 * time.Second // the longest that another machine may think about a move
	lentGrace    = time.Second     // the longest that its answer may take to come
	clockShare   = 2               // another machine has at most 1/clockShare of what is left on a clock

	maxLine = 64 // moves of a line that are taken from another machine
)

// Errors about lent cores.
var (
	// ErrManyCores is returned by Lend if the cores of all machines together would be more than maxLentCores.
	ErrManyCores = errors.New("too many cores are lent")

	// ErrNoAnswer is wrapped by the error of a Lender that couldn't ask its machine, or whose machine is gone.
	ErrNoAnswer = errors.New("the machine can't answer")

	errSlow = errors.New("no answer in time")
)

// A place is where a worker is.
type place uint8

const (
	atHome place = iota // on this machine
	elsewhere
)

// lentCores are the cores of other machines.
type lentCores struct {
	cores    int // of all lenders
	busy     int // of these
	answers  int64
	machines []*machine
}

// A machine is another machine and how much it does.
type machine struct {
	lender Lender
	cores  int
	busy   int // with background work too, which lentCores.busy doesn't count
}

// free returns the number of cores that do no job.
func (l *lentCores) free() int { return max(0, l.cores-l.busy) }

// Lend lets the scheduler use cores of another machine until ctx ends, and then waits for the answers to what was asked. The error is
// ErrManyCores.
func (s *Scheduler) Lend(ctx context.Context, from Lender, cores int) error {
	m := &machine{lender: from, cores: cores}
	s.mu.Lock()
	if cores < 1 || s.lent.cores+cores > maxLentCores {
		s.mu.Unlock()
		return ErrManyCores
	}
	s.lent.machines = append(s.lent.machines, m)
	s.lent.cores += cores
	s.mu.Unlock()

	var all sync.WaitGroup
	for range cores {
		all.Go(func() {
			s.workElsewhere(ctx, m)
			s.mu.Lock()
			s.lent.cores-- // now, so that workers of this machine take what this core would have done
			m.cores--
			s.mu.Unlock()
			s.wakeAny()
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent.machines = slices.DeleteFunc(s.lent.machines, func(other *machine) bool { return other == m })
	return nil
}

// workElsewhere has one core of another machine do jobs until ctx ends.
func (s *Scheduler) workElsewhere(ctx context.Context, m *machine) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.lentWake:
		}
		for ctx.Err() == nil {
			job, atMost := s.take(elsewhere)
			if job == nil {
				break
			}
			signal(s.wake) // for the jobs that are left
			s.doElsewhere(m, job, atMost)
		}
	}
}

// doElsewhere has another machine do a job, and gives it back to the workers of this machine if there is no usable answer.
func (s *Scheduler) doElsewhere(m *machine, j *Job, atMost time.Duration) {
	j.updates <- Update{}
	begun := time.Now()
	q := &Question{
		Game: j.level.game, Level: j.level.ID, Start: j.start, Moves: j.moves, Position: j.position, Seed: j.seed,
		AtMost: min(atMost, mostLent), Clock: j.clock,
	}
	if j.limit > 0 {
		q.AtMost = min(q.AtMost, j.limit)
	}
	patience := q.AtMost + lentGrace
	if j.clock != (bot.Clock{}) {
		patience = min(patience, time.Until(j.clock.End)/clockShare)
		q.AtMost = min(q.AtMost, patience)
	}
	s.change(&m.busy, 1)
	t, err := ask(j.ctx, m.lender, q, patience)
	s.change(&m.busy, -1)
	s.rest(j, elsewhere, time.Since(begun))
	switch {
	case err == nil && !doubtful(&t):
		s.countAnswer()
		j.updates <- Update{Done: true, Decision: DecisionOf(t)}
	case !j.wanted():
		j.updates <- Update{Done: true, Err: j.ctx.Err()}
	default:
		s.giveBack(j)
	}
	signal(s.free)
}

func (s *Scheduler) countAnswer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent.answers++
}

func (s *Scheduler) change(n *int, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n += by
}

// giveBack has a worker of this machine do a job next.
func (s *Scheduler) giveBack(j *Job) {
	s.mu.Lock()
	j.returned = true
	s.backlog.returned = append(s.backlog.returned, j)
	var preempt context.CancelCauseFunc
	if s.workers-s.busy <= len(s.backlog.returned) {
		preempt = s.preempt
	}
	s.mu.Unlock()
	if preempt != nil {
		preempt(ErrPreempted)
	}
	signal(s.wake)
}

// portable reports whether another machine can do the job.
func (j *Job) portable() bool {
	return j.start != nil && j.level.game != "" && j.level.Think != nil && !j.returned
}

// mayTake returns which waiting jobs a worker may take.
func (s *Scheduler) mayTake(at place) func(*Job) bool {
	switch {
	case at == elsewhere:
		return (*Job).portable
	case s.lent.cores > 0 && s.backlog.portable() <= s.lent.free():
		return func(j *Job) bool { return !j.portable() }
	}
	return func(*Job) bool { return true }
}

// ask asks another machine and checks its answer. It is no fault of the machine if ctx ends first, with which the answer isn't wanted any more.
func ask(ctx context.Context, from Lender, q *Question, patience time.Duration) (bot.Thought, error) {
	within, stop := context.WithTimeoutCause(ctx, patience, errSlow)
	defer stop()
	t, err := from.Think(within, q)
	switch {
	case err == nil:
		err = check(q.Position, &t)
	case ctx.Err() != nil, errors.Is(err, ErrNoAnswer):
		return t, err
	case context.Cause(within) == errSlow:
		err = errSlow
	}
	if err != nil {
		from.Reject(err)
	}
	return t, err
}

// check checks and bounds what another machine says about a position. An error says that the move is illegal, or that the engine panics.
func check(p games.Position, t *bot.Thought) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	next, err := p.Play(t.Move)
	if err != nil {
		return err
	}
	t.Value = min(max(t.Value, -bot.MaxValue), bot.MaxValue)
	t.Plies = min(max(t.Plies, -bot.MaxValue), bot.MaxValue)
	t.Depth, t.Nodes = max(t.Depth, 0), max(t.Nodes, 0)
	line := []games.Move{t.Move}
	if len(t.Line) > 0 && t.Line[0] == t.Move {
		for _, m := range t.Line[1:min(len(t.Line), maxLine)] {
			if next, err = next.Play(m); err != nil {
				break
			}
			line = append(line, m)
		}
	}
	t.Line = line
	return nil
}

// doubtful reports whether an answer of another machine says what is believed of a search on this machine only: that the game is lost or
// drawn, on which computer players resign and agree to draws.
func doubtful(t *bot.Thought) bool { return t.Drawn || t.Proven && t.Plies <= 0 }

// Elsewhere has another machine answer a question of background work, if a lent core is free. ok is false if there is no usable answer; then the
// caller searches itself. What the other machine calls proven is no usable answer: an analysis keeps it.
func (s *Scheduler) Elsewhere(ctx context.Context, q *Question) (t bot.Thought, ok bool) {
	m := s.idlest()
	if m == nil {
		return bot.Thought{}, false
	}
	defer func() {
		s.change(&m.busy, -1)
		signal(s.lentWake)
	}()
	t, err := ask(ctx, m.lender, q, mostLent+lentGrace)
	if err != nil || doubtful(&t) || t.Proven || t.Held {
		return bot.Thought{}, false
	}
	s.countAnswer()
	return t, true
}

// idlest returns the machine with the most free cores, which is one busier then, or nil if no core is free or jobs wait for them.
func (s *Scheduler) idlest() (m *machine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.backlog.portable() > 0 {
		return nil
	}
	for _, other := range s.lent.machines {
		if other.busy < other.cores && (m == nil || other.cores-other.busy > m.cores-m.busy) {
			m = other
		}
	}
	if m != nil {
		m.busy++
	}
	return m
}

// A LentLoad is how many cores other machines lend.
type LentLoad struct {
	Machines int
	Cores    int
	Busy     int   // cores that do a job
	Answers  int64 // answers that were used, since the start
}

// Lent returns how many cores other machines lend now.
func (s *Scheduler) Lent() LentLoad {
	s.mu.Lock()
	defer s.mu.Unlock()
	return LentLoad{len(s.lent.machines), s.lent.cores, s.lent.busy, s.lent.answers}
}
