package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby/thinking"
)

// Bounds of what machines may do at a club.
const (
	maxMachines = 64               // at a time
	helloTime   = 30 * time.Second // for the first line of a machine
	maxWrong    = 3                // answers that can't be used, with which a machine is dropped
	rightOnes   = 50               // answers that make up for one of these
	barredFor   = time.Minute      // that a machine that was dropped must stay away
)

// A Scheduler takes cores of other machines; see thinking.Scheduler.Lend.
type Scheduler interface {
	Lend(ctx context.Context, from thinking.Lender, cores int) error
}

// A Club is the club's end: it hands questions to the machines that connect. Any goroutine may use it.
type Club struct {
	scheduler Scheduler
	version   string
	signature func() string
	log       *slog.Logger

	mu       sync.Mutex // guards what follows
	machines int
	barred   map[string]time.Time // until when, by the fingerprint of a key that serve --worker names
}

// NewClub returns the end of a club that plays these games, with a version of the program.
func NewClub(all []games.Game, version string, to Scheduler, log *slog.Logger) *Club {
	return &Club{
		scheduler: to, version: version, signature: sync.OnceValue(func() string { return Signature(all) }), log: log,
		barred: make(map[string]time.Time),
	}
}

// Serve lets a machine think for the club until its session ends: when ctx ends, or conn returns an error or io.EOF. Closing conn must end
// what waits for it. lag returns how long the line takes there and back; it may be nil. The machine signed in with the key that has the fingerprint.
func (c *Club) Serve(ctx context.Context, conn io.ReadWriteCloser, fingerprint string, lag func() time.Duration) {
	in := newLineReader(conn, maxAnswer)
	h, refusal := c.greet(conn, in, fingerprint)
	if refusal != nil {
		c.log.Warn("a worker is refused", "fingerprint", fingerprint, "reason", refusal.Words)
		_, _ = conn.Write(message{Refused: refusal}.line()) // the session ends in any case
		return
	}
	defer c.leave()
	if _, err := conn.Write(message{Welcome: &welcome{c.version}}.line()); err != nil {
		return
	}
	c.log.Info("a worker lends cores", "fingerprint", fingerprint, "cores", h.Cores, "version", shown(h.Version))
	why := c.lend(ctx, conn, in, h.Cores, lag)
	switch {
	case errors.Is(why, errDropped):
		c.bar(fingerprint)
		c.log.Warn("a worker is dropped", "fingerprint", fingerprint, "err", why)
	default:
		c.log.Info("a worker is gone", "fingerprint", fingerprint, "err", why)
	}
}

// lend lends the cores of a machine until it is gone, and returns why it is.
func (c *Club) lend(ctx context.Context, conn io.ReadWriteCloser, in *lineReader, cores int, lag func() time.Duration) error {
	m := newRemote(cores, lag)
	lending, end := context.WithCancel(ctx)
	defer end()
	var serving sync.WaitGroup
	serving.Go(func() { m.writeTo(conn) })
	serving.Go(func() { m.end(m.readFrom(in, end)) })
	serving.Go(func() {
		select {
		case <-ctx.Done():
			m.end(context.Cause(ctx))
		case <-m.gone:
		}
		end()
		_ = conn.Close() // so that reading and writing end
	})
	if err := c.scheduler.Lend(lending, m, cores); err != nil {
		m.end(err)
	}
	m.end(errLeft) // it was leaving, and has answered everything
	serving.Wait()
	return m.why
}

// greet reads the hello of a machine. The refusal is nil if it may lend its cores; leave must be called then.
func (c *Club) greet(conn io.Closer, in *lineReader, fingerprint string) (*hello, *refused) {
	late := time.AfterFunc(helloTime, func() { _ = conn.Close() })
	defer late.Stop()
	first, err := in.read()
	h := first.Hello
	switch {
	case err != nil || h == nil:
		return nil, &refused{Words: "the first line must be a hello"}
	case h.Protocol != protocol:
		return nil, &refused{Words: fmt.Sprintf("the worker speaks version %d of the protocol and the club version %d; run the same version of the program, %s",
			h.Protocol, protocol, c.version)}
	case h.Search != c.signature():
		return nil, &refused{Words: fmt.Sprintf("the computer players of the worker (version %s) would find other moves than those of the club (version %s); run the same version of the program",
			shown(h.Version), c.version)}
	case h.Cores < 1 || h.Cores > MaxCores:
		return nil, &refused{Words: fmt.Sprintf("a worker lends 1 to %d cores", MaxCores)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait := time.Until(c.barred[fingerprint]); wait > 0 {
		return nil, &refused{Words: "the answers of the worker could not be used", Retry: 1 + int(wait.Seconds())}
	}
	delete(c.barred, fingerprint)
	if c.machines >= maxMachines {
		return nil, &refused{Words: "too many workers are connected", Retry: int(barredFor.Seconds())}
	}
	c.machines++
	return h, nil
}

func (c *Club) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.machines--
}

func (c *Club) bar(fingerprint string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.barred[fingerprint] = time.Now().Add(barredFor)
}

// shown returns what a machine calls its version, as far as it can be shown.
func shown(version string) string {
	const most = 40
	b := []byte(version[:min(len(version), most)])
	for i := range b {
		if b[i] <= ' ' || b[i] > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}

// Why a machine is gone.
var (
	errDropped = errors.New("the worker does not keep to the protocol, or its answers are of no use")
	errLeft    = errors.New("it has left")
	errUnread  = fmt.Errorf("%w: it reads no questions", errDropped)
)

// A remote is a machine as the scheduler asks it: a thinking.Lender. Any goroutine may use it.
type remote struct {
	lag  func() time.Duration
	out  chan []byte   // lines to be written; a question and its end take two places
	gone chan struct{} // closed when nothing more is asked

	mu       sync.Mutex // guards what follows
	why      error      // it is gone; to be read once gone is closed
	last     uint64     // id of the newest question
	waiting  map[uint64]chan<- answer
	unwanted int // cancelled questions, each of which may get an answer still
	wrong    int
	right    int
}

func newRemote(cores int, lag func() time.Duration) *remote {
	if lag == nil {
		lag = func() time.Duration { return 0 }
	}
	return &remote{lag: lag, out: make(chan []byte, 4*(cores+1)), gone: make(chan struct{}), waiting: make(map[uint64]chan<- answer)}
}

// end has nothing more asked. The first reason counts.
func (m *remote) end(why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why == nil {
		m.why = why
		close(m.gone)
	}
}

// writeTo writes lines until the machine is gone.
func (m *remote) writeTo(conn io.Writer) {
	for {
		select {
		case line := <-m.out:
			if _, err := conn.Write(line); err != nil {
				m.end(err)
				return
			}
		case <-m.gone:
			return
		}
	}
}

// readFrom takes answers until the machine is gone, and returns why it is. It calls leaving when the machine wants no more questions.
func (m *remote) readFrom(in *lineReader, leaving func()) error {
	for {
		got, err := in.read()
		switch {
		case errors.Is(err, errNoLine):
			return fmt.Errorf("%w: %w", errDropped, err)
		case err != nil:
			return err
		case got.Leaving:
			leaving()
		case got.Answer == nil:
			return fmt.Errorf("%w: a line that is no answer", errDropped)
		default:
			if err := m.answered(*got.Answer); err != nil {
				return err
			}
		}
	}
}

// answered hands an answer to its question.
func (m *remote) answered(a answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if to, ok := m.waiting[a.ID]; ok {
		delete(m.waiting, a.ID)
		to <- a // has room
		if m.right++; m.right%rightOnes == 0 && m.wrong > 0 {
			m.wrong--
		}
		return nil
	}
	if m.unwanted--; m.unwanted < 0 {
		return fmt.Errorf("%w: an answer that nobody has asked for", errDropped)
	}
	return nil
}

// Reject implements thinking.Lender.
func (m *remote) Reject(why error) {
	m.mu.Lock()
	m.wrong++
	drop := m.wrong >= maxWrong
	m.mu.Unlock()
	if drop {
		m.end(fmt.Errorf("%w: %w", errDropped, why))
	}
}

// Think implements thinking.Lender.
func (m *remote) Think(ctx context.Context, q *thinking.Question) (bot.Thought, error) {
	answered := make(chan answer, 1)
	m.mu.Lock()
	m.last++
	id := m.last
	m.waiting[id] = answered
	m.mu.Unlock()
	line := message{Ask: m.askOf(id, q)}.line()
	if len(line) > maxQuestion {
		m.forget(id, false)
		return bot.Thought{}, fmt.Errorf("%w: the match is too long", thinking.ErrNoAnswer)
	}
	select {
	case m.out <- line:
	case <-m.gone:
		return bot.Thought{}, fmt.Errorf("%w: the worker is gone", thinking.ErrNoAnswer)
	case <-ctx.Done():
		m.forget(id, false)
		return bot.Thought{}, ctx.Err()
	}
	select {
	case a := <-answered:
		if a.Error != "" {
			return bot.Thought{}, fmt.Errorf("the worker answers %.100q", a.Error)
		}
		return bot.Thought{
			Move: a.Move, Line: a.Line, Value: a.Value, Plies: a.Plies, Drawn: a.Drawn, Held: a.Held, Proven: a.Proven, Depth: a.Depth, Nodes: a.Nodes,
		}, nil
	case <-m.gone:
		return bot.Thought{}, fmt.Errorf("%w: the worker is gone", thinking.ErrNoAnswer)
	case <-ctx.Done():
		m.forget(id, true)
		return bot.Thought{}, ctx.Err()
	}
}

// forget forgets a question that isn't wanted any more, and tells the machine so if it was asked.
func (m *remote) forget(id uint64, asked bool) {
	m.mu.Lock()
	_, unanswered := m.waiting[id]
	delete(m.waiting, id)
	if unanswered && asked {
		m.unwanted++
	}
	m.mu.Unlock()
	if !unanswered || !asked {
		return
	}
	select {
	case m.out <- message{Cancel: id}.line():
	default:
		m.end(errUnread)
	}
}

// askOf returns a question as it is sent.
func (m *remote) askOf(id uint64, q *thinking.Question) *ask {
	a := &ask{
		ID: id, Game: q.Game, Start: q.Start.String(), Moves: q.Moves, Position: q.Position.String(), Level: q.Level, Nodes: q.Nodes, Seed: q.Seed,
		AtMost: q.AtMost.Milliseconds(),
	}
	if q.AtMost > 0 {
		a.AtMost = max(a.AtMost, 1)
	}
	if q.Clock != (bot.Clock{}) {
		left := max(time.Until(q.Clock.End)-m.lag(), 0)
		a.Clock = &askClock{Left: left.Milliseconds(), Increment: q.Clock.Increment.Milliseconds(), Ply: q.Clock.Ply}
	}
	return a
}
