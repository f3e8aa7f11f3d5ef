package thinking

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/origin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// firstLegal plays the first legal move.
var firstLegal = Level{ID: "first", Name: "Primus", Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
	return p.Legal()[0], nil
}}

func start(t *testing.T) games.Position {
	t.Helper()
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := fourmation.New().New(options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a scheduler until the test ends or stop is called.
func run(t *testing.T, workers int) (s *Scheduler, stop func()) {
	s = NewScheduler(workers)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { s.Run(ctx) })
	stop = func() { cancel(); all.Wait() }
	t.Cleanup(stop)
	return s, stop
}

func TestRough(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 5: 5, 6: 10, 10: 10, 11: 15, 20: 20, 21: 30, 30: 30, 99: 100, 101: 200, 1000: 1000} {
		if got := rough(n); got != want {
			t.Errorf("%d is shown as %d, want %d", n, got, want)
		}
	}
}

// TestSlice: time slices get shorter with the number of waiting jobs, but not shorter than shortestSlice.
func TestSlice(t *testing.T) {
	for _, tt := range []struct {
		workers, waiting int
		want             time.Duration
	}{
		{1, 0, 5 * time.Second},
		{1, 4, time.Second},
		{2, 9, time.Second},
		{1, 49, 100 * time.Millisecond},
		{1, 99, 50 * time.Millisecond},
		{1, 10_000, 50 * time.Millisecond},
		{4, 99, 200 * time.Millisecond},
	} {
		s := NewScheduler(tt.workers)
		for range 1 + tt.waiting {
			s.Submit(NewJob(t.Context(), firstLegal, nil, 1, 0), ForPlayers, origin.Origin{})
		}
		if _, got := s.take(atHome); got != tt.want {
			t.Errorf("%d workers, %d waiting: %v, want %v", tt.workers, tt.waiting, got, tt.want)
		}
	}
}

// TestPlaces: waiting jobs are told their rounded place when it changes. A job that doesn't read it never holds up the scheduler.
func TestPlaces(t *testing.T) {
	s := NewScheduler(1)
	job := func() *Job { return NewJob(t.Context(), firstLegal, nil, 1, 0) }
	if ahead := s.Submit(job(), ForPlayers, origin.Origin{}); ahead != 0 {
		t.Errorf("the first has %d before it", ahead)
	}
	s.take(atHome)
	var queue []*Job
	for i, want := range []int{1, 2, 3, 4, 5, 10, 10} {
		j := job()
		if got := s.Submit(j, ForPlayers, origin.Origin{}); got != want {
			t.Errorf("number %d has %d before it, want %d", i+1, got, want)
		}
		queue = append(queue, j)
	}
	low := job()
	if got := s.Submit(low, ForSpectators, origin.Origin{}); got != 10 {
		t.Errorf("the job of low priority has %d before it", got)
	}
	place := func(j *Job) string {
		select {
		case n := <-j.Places():
			return fmt.Sprint(n)
		default:
			return "nothing"
		}
	}
	s.take(atHome)
	s.take(atHome) // the third gets its place twice and reads the second; the second has got its place once before its turn
	for i, want := range []string{"nothing", "1", "1", "2", "3", "4", "5"} {
		if got := place(queue[i]); got != want {
			t.Errorf("job %d gets the place %s, want %s", i+1, got, want)
		}
	}
	if got := place(low); got != "nothing" {
		t.Errorf("the job of low priority gets the place %s", got) // 8 are shown as 10, and so are 6
	}
	if got := s.Submit(job(), ForPlayers, origin.Origin{}); got != 10 {
		t.Errorf("a late job has %d before it", got)
	}
}

// TestPriorities: jobs begin in the order of their priorities and then of Submit. A job that is no longer wanted is skipped.
func TestPriorities(t *testing.T) {
	s := NewScheduler(1)
	unwanted, cancel := context.WithCancel(t.Context())
	cancel()
	var order []string
	submit := func(ctx context.Context, name string, p Priority) {
		s.Submit(NewJob(ctx, Level{ID: name}, nil, 1, 0), p, origin.Origin{})
	}
	submit(t.Context(), "low", ForSpectators)
	submit(t.Context(), "one", ForPlayers)
	submit(unwanted, "unwanted", ForPlayers)
	submit(t.Context(), "two", ForPlayers)
	if busy, waiting, _ := s.Load(); busy != 0 || waiting != 3 {
		t.Errorf("%d busy, %d wait", busy, waiting)
	}
	for j, _ := s.take(atHome); j != nil; j, _ = s.take(atHome) {
		order = append(order, j.level.ID)
	}
	if got := strings.Join(order, " "); got != "one two low" {
		t.Errorf("the order is %s", got)
	}
	if busy, waiting, _ := s.Load(); busy != 3 || waiting != 0 {
		t.Errorf("%d busy, %d wait", busy, waiting)
	}
}

// TestThink: at the deadline a level plays the best move found. A level that ignores deadlines may finish. A panic is an error.
func TestThink(t *testing.T) {
	for _, tt := range []struct {
		name  string
		level Level
		limit time.Duration
		want  time.Duration // that it takes
		bad   bool
	}{
		{"one that hurries", Level{Think: func(ctx context.Context, _ bot.Clock, p games.Position, _ *games.Random) (Decision, error) {
			<-ctx.Done()
			return Decision{Move: p.Legal()[0], Ahead: true}, nil
		}}, time.Second, time.Second, false},
		{"one without a limit of its own", Level{Think: func(ctx context.Context, _ bot.Clock, p games.Position, _ *games.Random) (Decision, error) {
			<-ctx.Done()
			return Decision{Move: p.Legal()[0], Ahead: true}, nil
		}}, 0, 5 * time.Second, false},
		{"one that can't be hurried", Level{Move: func(ctx context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			if _, hurried := ctx.Deadline(); hurried {
				<-ctx.Done()
				return "", ctx.Err()
			}
			time.Sleep(time.Minute)
			return p.Legal()[0], nil
		}}, time.Second, time.Second + time.Minute, false},
		{"one that panics", Level{Move: func(context.Context, games.Position, *games.Random) (games.Move, error) {
			panic("out of order")
		}}, 0, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, begun := start(t), time.Now()
				u := NewJob(t.Context(), tt.level, p, 1, tt.limit).think(5 * time.Second)
				if took := time.Since(begun); !u.Done || took != tt.want || (u.Err != nil) != tt.bad || !tt.bad && u.Decision.Move != p.Legal()[0] {
					t.Errorf("%+v after %v, want %v", u, took, tt.want)
				}
			})
		})
	}
}

// player is a level that thinks until the test gives it a move.
type player struct {
	begun chan bool
	moves chan games.Move
}

func newPlayer() *player { return &player{make(chan bool), make(chan games.Move)} }

func (p *player) job(ctx context.Context) *Job {
	hurried := false
	return NewJob(ctx, Level{ID: "slow", Move: func(ctx context.Context, _ games.Position, _ *games.Random) (games.Move, error) {
		if !hurried {
			p.begun <- true
		}
		hurried = true
		select {
		case m := <-p.moves:
			return m, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}, nil, 1, 0)
}

// piece is background work that lasts until the test ends it or its context ends.
type piece struct {
	begun chan bool
	end   chan bool
	ended chan error
}

// background starts a piece of background work.
func background(t *testing.T, s *Scheduler) *piece {
	p := &piece{make(chan bool, 1), make(chan bool), make(chan error, 1)}
	go func() {
		p.ended <- s.Background(t.Context(), func(ctx context.Context) error {
			p.begun <- true
			select {
			case <-p.end:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return p
}

func (p *piece) wantBegun(t *testing.T, what string, want bool) {
	t.Helper()
	synctest.Wait()
	select {
	case <-p.begun:
		if !want {
			t.Errorf("%s: background work begins", what)
		}
	default:
		if want {
			t.Fatalf("%s: background work does not begin", what)
		}
	}
}

func (p *piece) wantEnded(t *testing.T, what string, want error) {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-p.ended:
		if err != want {
			t.Errorf("%s: background work ends with %v, want %v", what, err, want)
		}
	default:
		t.Fatalf("%s: background work goes on", what)
	}
}

func (p *piece) wantRunning(t *testing.T, what string) {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-p.ended:
		t.Errorf("%s: background work has ended with %v", what, err)
	default:
	}
}

// TestBackgroundIsPreempted: background work takes a worker that is free, and gives it up to the first job that needs it.
func TestBackgroundIsPreempted(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, stop := run(t, workers)
				ctx, drop := context.WithCancel(t.Context())
				defer func() { drop(); stop() }()
				bot := newPlayer()
				first := background(t, s)
				first.wantBegun(t, "all workers are free", true)
				for range workers - 1 {
					s.Submit(bot.job(ctx), ForPlayers, origin.Origin{})
					<-bot.begun
					first.wantRunning(t, "a worker is free")
				}
				s.Submit(bot.job(ctx), ForSpectators, origin.Origin{})
				first.wantEnded(t, "a job needs the worker", ErrPreempted)
				<-bot.begun

				second := background(t, s)
				second.wantBegun(t, "all workers think", false)
				bot.moves <- "d4"
				second.wantBegun(t, "a worker has finished", true)
				second.end <- true
				second.wantEnded(t, "finished", nil)
				for range workers - 1 {
					bot.moves <- "d4"
				}
			})
		})
	}
}

// TestBackgroundIsNotStarved: a computer player that thinks for ever, a stream of jobs, or jobs that preempt again and again hold
// background work up for patience. Then one piece is done all the same.
func TestBackgroundIsNotStarved(t *testing.T) {
	for _, tt := range []struct {
		name string
		hold func(t *testing.T, s *Scheduler, bot *player, ctx context.Context)
	}{
		{"a level that thinks for ever", func(t *testing.T, s *Scheduler, bot *player, ctx context.Context) {
			s.Submit(bot.job(ctx), ForPlayers, origin.Origin{})
			<-bot.begun
		}},
		{"one that waits behind it", func(t *testing.T, s *Scheduler, bot *player, ctx context.Context) {
			s.Submit(bot.job(ctx), ForPlayers, origin.Origin{})
			<-bot.begun
			s.Submit(bot.job(ctx), ForSpectators, origin.Origin{})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, stop := run(t, 1)
				ctx, drop := context.WithCancel(t.Context())
				defer func() { drop(); stop() }()
				tt.hold(t, s, newPlayer(), ctx)
				for i := range 3 {
					held := background(t, s)
					time.Sleep(patience - time.Second)
					held.wantBegun(t, fmt.Sprint("held up, piece ", i), false)
					time.Sleep(time.Second)
					held.wantBegun(t, fmt.Sprint("held up for too long, piece ", i), true)
					s.Submit(NewJob(ctx, firstLegal, start(t), 1, 0), ForPlayers, origin.Origin{})
					held.wantRunning(t, "it may not be given up now")
					held.end <- true
					held.wantEnded(t, "finished", nil)
				}
			})
		})
	}
	t.Run("preempted again and again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, stop := run(t, 1)
			defer stop()
			bot, begun := newPlayer(), time.Now()
			for time.Since(begun) < patience {
				held := background(t, s)
				held.wantBegun(t, "the worker is free", true)
				s.Submit(bot.job(t.Context()), ForPlayers, origin.Origin{})
				<-bot.begun
				held.wantEnded(t, "a job needs the worker", ErrPreempted)
				time.Sleep(time.Second)
				bot.moves <- "d4"
				synctest.Wait()
			}
			held := background(t, s)
			held.wantBegun(t, "the worker is free", true)
			s.Submit(bot.job(t.Context()), ForPlayers, origin.Origin{})
			<-bot.begun
			held.wantRunning(t, "it may not be given up now")
			held.end <- true
			held.wantEnded(t, "finished", nil)
			bot.moves <- "d4"
		})
	})
}

// TestBackgroundEnds: Background ends with its caller's context, waiting or working, and passes on errors and panics.
func TestBackgroundEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stop := run(t, 1)
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		ended := make(chan error)
		for range 2 { // one works, one waits for it
			go func() { ended <- s.Background(ctx, wait) }()
		}
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("its context has ended: %v", err)
			}
		}
		failed := errors.New("it failed")
		if err := s.Background(t.Context(), func(context.Context) error { return failed }); err != failed {
			t.Errorf("work that fails: %v", err)
		}
		func() {
			defer func() { recover() }()
			s.Background(t.Context(), func(context.Context) error { panic("broken") })
		}()
		if err := s.Background(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Errorf("after a panic: %v", err)
		}
	})
}

// from returns the origin of a person at an address.
func from(person, addr string) origin.Origin {
	return origin.Origin{Person: person, Addr: netip.MustParseAddr(addr)}
}

// TestFairness: a person who waits for one move is served next and gets a full time slice, however many moves others wait for.
func TestFairness(t *testing.T) {
	for _, tt := range []struct {
		name   string
		crowd  func(i int) origin.Origin
		people int
		jobs   int // of each
		class  Priority
	}{
		{"four people with a hundred matches each", func(i int) origin.Origin { return from(fmt.Sprint(i), fmt.Sprintf("10.0.%d.1", i)) }, 4, 100, ForPlayers},
		{"two hundred people of one /24", func(i int) origin.Origin { return from(fmt.Sprint(i), fmt.Sprintf("10.0.0.%d", i)) }, 200, 1, ForPlayers},
		{"two hundred people of one /48", func(i int) origin.Origin { return from(fmt.Sprint(i), fmt.Sprintf("2001:db8:0:%x::1", i)) }, 200, 1, ForPlayers},
		{"two hundred people who don't look", func(i int) origin.Origin { return origin.Origin{Person: fmt.Sprint(i)} }, 200, 10, ForAbsent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewScheduler(1)
				for range tt.jobs {
					for i := range tt.people {
						s.Submit(NewJob(t.Context(), firstLegal, nil, 1, 0), tt.class, tt.crowd(i))
					}
				}
				thought := time.Duration(0)
				for range 100 { // each uses all of its slice
					j, slice := s.take(atHome)
					time.Sleep(slice)
					thought = slice
					s.rest(j, atHome, slice)
				}
				if thought > 300*time.Millisecond {
					t.Errorf("one of the many jobs thinks for %v", thought)
				}
				mine := NewJob(t.Context(), firstLegal, nil, 1, 0)
				if ahead := s.Submit(mine, ForPlayers, from("ana", "192.0.2.1")); ahead != 0 {
					t.Errorf("%d come before the newcomer, want none", ahead)
				}
				if j, slice := s.take(atHome); j != mine || slice < 900*time.Millisecond {
					t.Errorf("next is the newcomer: %v, with %v to think", j == mine, slice)
				}
			})
		})
	}
}

// TestOverdue: jobs of low priority that have waited for patience get one turn in four.
func TestOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewScheduler(1)
		low := NewJob(t.Context(), firstLegal, nil, 1, 0)
		s.Submit(low, ForAbsent, origin.Origin{Person: "rui"})
		served := 0
		for i := range 20 {
			for range 2 {
				s.Submit(NewJob(t.Context(), firstLegal, nil, 1, 0), ForPlayers, from("ana", "192.0.2.1"))
			}
			j, _ := s.take(atHome)
			s.rest(j, atHome, time.Second)
			if j == low {
				served = i + 1
				break
			}
			time.Sleep(time.Second)
		}
		if served != 14 { // after 10 s, and three others
			t.Errorf("the job of low priority is done as number %d, want 14", served)
		}
	})
}

// TestNoJobWaitsForEver: with people who play hundreds of matches and submit the next job at once, every job of any priority is done
// within the time of two full rounds, and a person with one match is served next each time.
func TestNoJobWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const people, matches, absent = 4, 100, 30
		s := NewScheduler(1)
		begun := make(map[*Job]time.Time)
		submit := func(p Priority, by origin.Origin) *Job {
			j := NewJob(t.Context(), firstLegal, nil, 1, 0)
			s.Submit(j, p, by)
			begun[j] = time.Now()
			return j
		}
		crowd := func(i int) origin.Origin { return from(fmt.Sprint(i), fmt.Sprintf("10.0.%d.1", i)) }
		for i := range people {
			for range matches {
				submit(ForPlayers, crowd(i))
			}
			for range absent {
				submit(ForAbsent, crowd(i))
			}
		}
		exhibition := submit(ForSpectators, from("eva", "198.51.100.7"))
		watched := false
		longest := map[Priority]time.Duration{}
		for turn := range 4 * people * (matches + absent) {
			if turn%50 == 49 { // a move, or a hint: both are jobs for a player at the board
				mine := submit(ForPlayers, from("ana", "192.0.2.1"))
				j, slice := s.take(atHome)
				if low := j.priority != ForPlayers; low { // whose turn had come
					time.Sleep(slice)
					delete(begun, j)
					s.rest(j, atHome, slice)
					watched = watched || j == exhibition
					submit(j.priority, j.by)
					j, slice = s.take(atHome)
				}
				if j != mine || slice < 900*time.Millisecond {
					t.Fatalf("turn %d: next is the job of the person with one match: %v, with %v to think", turn, j == mine, slice)
				}
				delete(begun, j)
				time.Sleep(700 * time.Millisecond)
				s.rest(j, atHome, 700*time.Millisecond)
			}
			j, slice := s.take(atHome)
			time.Sleep(slice)
			longest[j.priority] = max(longest[j.priority], time.Since(begun[j]))
			delete(begun, j)
			s.rest(j, atHome, slice)
			watched = watched || j == exhibition
			submit(j.priority, j.by)
		}
		for j, since := range begun {
			longest[j.priority] = max(longest[j.priority], time.Since(since))
		}
		round := time.Duration(people*(matches+4*absent)) * 100 * time.Millisecond // at most, for all people together
		if !watched || longest[ForPlayers] > 2*round || longest[ForAbsent] > 2*round || longest[ForSpectators] > 2*round {
			t.Errorf("the longest waits are %v, want at most %v; the exhibition goes on: %v", longest, 2*round, watched)
		}
	})
}

// TestUsage: usage is halved every halfLife, counts for blocks too, and is kept for a bounded number of people.
func TestUsage(t *testing.T) {
	u, now := newUsage(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ana, neighbour := from("ana", "192.0.2.1"), from("rui", "192.0.2.2")
	u.add(now, ana, 8*time.Second)
	for _, tt := range []struct {
		who  origin.Origin
		at   time.Duration
		want time.Duration
	}{{ana, 0, 8 * time.Second}, {ana, halfLife, 4 * time.Second}, {neighbour, 0, time.Second}, {from("bia", "198.51.100.1"), 0, 0}} {
		if got := u.of(now.Add(tt.at), tt.who); got != tt.want {
			t.Errorf("%s after %v: %v, want %v", tt.who.Person, tt.at, got, tt.want)
		}
	}
	u.add(now, ana, -10*time.Second)
	if got := u.of(now, ana); got != 0 {
		t.Errorf("after a larger time was subtracted than added: %v, want 0", got)
	}
	for i := range 3 * maxUsage {
		u.add(now, from(fmt.Sprint(i), fmt.Sprintf("10.%d.%d.1", i>>8, i&255)), time.Second)
	}
	if len(u.people) > maxUsage || len(u.blocks) > maxUsage {
		t.Errorf("%d people and %d blocks are remembered", len(u.people), len(u.blocks))
	}
}
