package lobby

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// lookedLately is how long after its last reader a match between two computer players still counts as watched: readers
// come and go between one view and the next.
const lookedLately = 10 * time.Second

// thought is what a match knows about the move that a computer player has to make. The zero value: there is none.
type thought struct {
	reply  Reply
	cancel context.CancelFunc
	news   <-chan news
	ready  bool // move or err is there, and waits for its moment
	move   games.Move
	err    error
}

// drop gives the thinking up.
func (t *thought) drop() {
	if t.cancel != nil {
		t.cancel()
	}
	*t = thought{}
}

// think has the computer player whose turn it is look for a move.
func (m *match) think(ctx context.Context) {
	m.bot.drop()
	s := &m.state
	if s.over() || s.started.IsZero() || s.seats[s.turn()].Kind != storage.Bot {
		return
	}
	if s.exhibition() && !m.watchedLately() {
		m.bot.reply = Paused
		return
	}
	level, ok := m.house.level(s.seats[s.turn()].ID)
	if !ok {
		m.bot = thought{reply: Thinking, ready: true, err: ErrNoSuchLevel}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j := newJob(ctx, level, s.pos, m.seeds.Uint64())
	m.bot = thought{reply: Queued, cancel: cancel, news: j.news}
	if m.house.pool.submit(j, s.exhibition()) {
		m.bot.reply = Thinking
	}
}

func (m *match) watchedLately() bool {
	now, last := m.board.watched()
	return now || time.Since(last) < lookedLately
}

// hear takes news from the worker that thinks.
func (m *match) hear(n news) {
	switch {
	case n.done:
		m.bot.news, m.bot.ready, m.bot.move, m.bot.err = nil, true, n.move, n.err
	case m.bot.reply == Queued:
		m.bot.reply = Thinking
		m.tell()
	}
}

// reply plays what the computer player has chosen. One that fails, by its own fault or ours, resigns.
func (m *match) reply(ctx context.Context) error {
	seat, move, err := storage.SeatOf(m.state.turn()), m.bot.move, m.bot.err
	if err == nil {
		err = playable(m.state.pos, move)
	}
	if err == nil {
		return m.write(ctx, []storage.Event{{Kind: storage.Moved, Seat: seat, Move: move}})
	}
	m.house.stats.Failed.Add(1)
	m.house.log.Error("a computer player failed", "match", m.id, "player", m.state.seats[seat.Side()].ID, "err", err)
	return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}})
}

// playable says what is wrong with a move; a panic of the engine is an error too.
func playable(p games.Position, move games.Move) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	_, err = p.Play(move)
	return err
}

// job is one move to be found.
type job struct {
	wanted func() bool // whether anybody still waits for it
	think  func() news
	news   chan news // holds two, begun and done, so that a worker never waits for a match
}

// newJob returns the job to find a move with this seed, until ctx ends. A panic of the computer player is its error.
func newJob(ctx context.Context, level Level, p games.Position, seed uint64) *job {
	return &job{
		wanted: func() bool { return ctx.Err() == nil },
		think: func() (n news) {
			defer func() {
				if p := recover(); p != nil {
					n = news{done: true, err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
				}
			}()
			m, err := level.Move(ctx, p, games.NewRandom(seed))
			return news{done: true, move: m, err: err}
		},
		news: make(chan news, 2),
	}
}

// news is what a worker tells a match.
type news struct {
	done bool
	move games.Move
	err  error
}

// pool is a bounded number of workers, and what waits for them: first come, first served, but matches that nobody plays
// in come after those that somebody does. A match has one move at a time to find, so nobody can crowd others out.
type pool struct {
	wake chan struct{} // holds one token for each worker that may have something to do

	mu      sync.Mutex // guards what follows
	idle    int        // workers without work
	waiting [2][]*job  // of people, of exhibitions
}

func newPool(workers int) *pool {
	return &pool{wake: make(chan struct{}, workers), idle: workers}
}

// submit queues a job; at once says that a worker is free to take it.
func (p *pool) submit(j *job, exhibition bool) (atOnce bool) {
	queue := 0
	if exhibition {
		queue = 1
	}
	p.mu.Lock()
	p.waiting[queue] = append(p.waiting[queue], j)
	atOnce = p.idle >= len(p.waiting[0])+len(p.waiting[1])
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // every worker will look anyway
	}
	return atOnce
}

// take returns the next job that is still wanted, or nil.
func (p *pool) take() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.waiting {
		for q := p.waiting[i]; len(q) > 0; {
			j := q[0]
			q[0], q = nil, q[1:]
			p.waiting[i] = q
			if j.wanted() {
				p.idle--
				return j
			}
		}
		p.waiting[i] = nil
	}
	return nil
}

func (p *pool) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
}

// work is one worker, until ctx ends.
func (p *pool) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		for j := p.take(); j != nil; j = p.take() {
			j.news <- news{}
			n := j.think()
			p.rest()
			j.news <- n
		}
	}
}
