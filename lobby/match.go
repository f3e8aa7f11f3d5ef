package lobby

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// house is what a match needs of the lobby around it.
type house struct {
	store     matchStore
	find      func(game string) (games.Game, error)
	level     func(id string) (Level, bool)
	strongest func() (Level, bool)
	now       func() time.Time
	away      func(o storage.Occupant) (since time.Time, gone bool)
	strength  func(ctx context.Context, o storage.Occupant, game string) Strength
	scheduler *thinking.Scheduler
	botDelay  time.Duration
	limits    Limits
	seq       *atomic.Uint64          // numbers of views
	changed   func(m *match, v *View) // a new view is pinned up
	damaged   func(m *match)          // the match can't go on
	stats     *Stats
	log       *slog.Logger
}

// matchStore is where a match lives.
type matchStore interface {
	Journal
	Finished(ctx context.Context, id storage.MatchID) (storage.Finished, error)
}

// match is one unfinished match: one goroutine, run, alone holds its state. Everybody else sends commands, and reads the
// board. The order is always: check, append, change, tell. Nobody sees what a crash could lose.
type match struct {
	house    *house
	id       storage.MatchID
	opener   key // who opened a match between two computer players, while this program runs; else zero
	board    *board
	commands chan command
	pleas    chan plea
	done     chan struct{} // closed when run has ended
	givesWay atomic.Bool   // the club is full, and nothing has happened here for long: the registry says so

	// Of run alone.
	state    state
	ratings  *[2]storage.RatingChange
	strength [2]Strength
	satAt    [2]time.Time // when the match learnt who sits there; zero: nobody
	changeAt time.Time    // of the last change, on the clock that timers use
	seeds    *games.Random
	bot      thought
	lost     loss
	hint     hinting
	doubt    doubt
	held     func()    // gives room back that is kept until a doubt has ended; else nil
	failures int       // writes that failed in a row
	rest     time.Time // until when the house leaves the match alone, after failures
	gone     bool      // there is nothing to go on with
}

// A command asks a match for events.
type command struct {
	act    act
	answer chan error // holds one
	done   func()     // gives back the room that was kept for what it begins, before the answer; nil if there is none
}

func newCommand(a act, done func()) command {
	return command{act: a, answer: make(chan error, 1), done: done}
}

func newMatch(h *house, id storage.MatchID, seed uint64) *match {
	return &match{
		house: h, id: id, board: newBoard(), state: state{id: id}, seeds: games.NewRandom(seed),
		commands: make(chan command), pleas: make(chan plea), done: make(chan struct{}),
	}
}

// ask has a match do something, and waits for its answer: nil when it is on disk. When ctx ends first, what has been
// begun goes on.
func (m *match) ask(ctx context.Context, a act) error { return m.send(ctx, newCommand(a, nil)) }

// send gives a match a command, and waits for the answer.
func (m *match) send(ctx context.Context, c command) error {
	select {
	case m.commands <- c:
		return c.wait(ctx)
	case <-m.done:
		c.finish()
		return m.ended()
	case <-ctx.Done():
		c.finish()
		return ctx.Err()
	}
}

// ended says why the match does nothing any more.
func (m *match) ended() error {
	if v := m.board.view(); v != nil && v.Over {
		return ErrOver
	}
	select {
	case <-m.board.lost:
		return ErrDamaged
	default:
		return ErrClosed
	}
}

// finish is called once, when it is known what has come of the command.
func (c command) finish() {
	if c.done != nil {
		c.done()
	}
}

func (c command) wait(ctx context.Context) error {
	select {
	case err := <-c.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run lives as long as the match goes on. ctx ends with the club; writes ends some time later, so that what is being
// written is written. begin opens a new match, or tells what an old one is.
func (m *match) run(ctx, writes context.Context, begin func(writes context.Context)) {
	defer close(m.done)
	defer func() {
		m.bot.drop()
		m.hint.drop(m.ended())
		m.letGo()
	}()
	begin(writes)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !m.state.over() && !m.gone {
		timer.Stop()
		if at := m.deadline(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
		select {
		case <-ctx.Done():
			return
		case c := <-m.commands:
			m.do(writes, c)
		case p := <-m.pleas:
			m.plead(writes, p)
		case n := <-m.hint.news:
			m.advise(writes, n)
		case n := <-m.bot.news:
			m.hear(n)
		case ahead := <-m.bot.places:
			m.wait(ahead)
		case <-m.board.poke:
		case <-timer.C:
		}
		m.tick(writes)
	}
}

// do carries out one command.
func (m *match) do(ctx context.Context, c command) {
	inDoubt := m.doubt.is
	err := m.safely(func() error {
		if m.doubt.is {
			return ErrBusy
		}
		events, err := c.act(&m.state)
		if err != nil || len(events) == 0 {
			return err
		}
		return m.write(ctx, events)
	})
	if m.state.seq() == 0 && !m.doubt.is {
		m.gone = true // it could not even be opened
	}
	if m.doubt.is && !inDoubt {
		m.held = c.finish
	} else {
		c.finish()
	}
	c.answer <- err
}

// letGo gives room back that was kept while nobody knew what had come of a command.
func (m *match) letGo() {
	if m.held != nil {
		m.held()
		m.held = nil
	}
}

// safely runs f. An engine that panics ends what it was asked and nothing else: the state is a value, and a change that
// was not completed is not there.
func (m *match) safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			m.house.log.Error("panic in a match", "match", m.id, "err", p, "stack", string(debug.Stack()))
			m.house.stats.Panics.Add(1)
			m.failures++
			err = ErrBusy
		}
	}()
	return f()
}

// write gives the events their numbers and times, checks them and adds what they bring, appends them, and only then
// changes the match and tells.
func (m *match) write(ctx context.Context, events []storage.Event) error {
	at := moment(m.house.now())
	if at.Before(m.state.last) {
		at = m.state.last
	}
	next, before := m.state, len(m.state.events)
	for i, e := range events {
		e.Seq, e.Version, e.At = next.seq()+1, storage.EventVersion, at
		if err := next.apply(e, m.house.find); err != nil {
			return err
		}
		if end, ends := next.consequence(m.house.limits.Plies); ends && i == len(events)-1 {
			end.Seq, end.Version, end.At = next.seq()+1, storage.EventVersion, at
			if err := next.apply(end, m.house.find); err != nil {
				return err
			}
		}
	}
	var ratings *[2]storage.RatingChange
	var err error
	if next.over() {
		ratings, err = m.house.store.Finish(ctx, m.id, next.events[before:], record(next.view()))
	} else {
		err = m.house.store.Append(ctx, m.id, next.events[before:])
	}
	if err != nil {
		return m.resume(ctx, err, next)
	}
	m.failures, m.rest = 0, time.Time{}
	m.adopt(ctx, next, ratings)
	return nil
}

// adopt makes next, which is on disk, the state of the match, and tells.
func (m *match) adopt(ctx context.Context, next state, ratings *[2]storage.RatingChange) {
	m.house.stats.count(&m.state, &next)
	if !m.state.stands(&next) {
		m.hint.drop(ErrLate)
	}
	m.state, m.ratings = next, ratings
	m.settle(ctx)
}

// settle tells what the match is now, after a change or when it has just been read.
func (m *match) settle(ctx context.Context) {
	m.changeAt = time.Now()
	for side, who := range m.state.seats {
		if who.Kind != storage.Free && m.satAt[side].IsZero() {
			m.satAt[side] = m.changeAt
			m.strength[side] = m.house.strength(ctx, who, m.state.opening.Game)
		}
	}
	m.think(ctx)
	m.tell()
	m.house.changed(m, m.board.view())
	m.letGo()
}

// tell pins up the present view.
func (m *match) tell() {
	v := m.state.view()
	v.Strength, v.Ratings, v.Reply, v.Ahead = m.strength, m.ratings, m.bot.reply, m.bot.ahead
	m.board.pin(m.house.seq, func(*View) *View { return v })
}
