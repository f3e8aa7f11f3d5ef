package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// leaveTime is how long a machine that leaves goes on with what it has been asked.
const leaveTime = 10 * time.Second

// A Machine lends cores of this machine to a club.
type Machine struct {
	games     []games.Game
	cores     int
	version   string
	signature string
	memory    *bot.Memory
	players   map[playerID]bot.Thinker
	strongest map[string]string // id of a game -> id of its strongest level
}

type playerID struct{ game, level string }

// NewMachine returns a machine that lends a number of cores, from 1 to MaxCores, and knows these games.
func NewMachine(all []games.Game, cores int, version string) *Machine {
	m := &Machine{
		games: all, cores: cores, version: version, signature: Signature(all), memory: new(bot.Memory),
		players: make(map[playerID]bot.Thinker), strongest: make(map[string]string),
	}
	for _, g := range all {
		id := g.About().ID
		for _, l := range m.memory.Levels(g) {
			if t, ok := l.Player.(bot.Thinker); ok {
				m.players[playerID{id, l.ID}], m.strongest[id] = t, l.ID
			}
		}
	}
	return m
}

// A RefusedError says why a club refuses a machine.
type RefusedError struct {
	Words string
	Retry time.Duration // after which it may try again; 0: that wouldn't help
}

func (e *RefusedError) Error() string { return "the club refuses this worker: " + e.Words }

// ErrNotWelcome is the error of a session that ends before the club has said anything: the club doesn't know the key as that of a worker.
var ErrNotWelcome = errors.New("the club does not take this key as that of a worker")

// Serve thinks for a club until conn ends, or ctx does: then it answers what it has been asked, gives the rest back, and returns nil. It
// calls welcome once the club has taken the machine, with the version of the club. The error is a *RefusedError, ErrNotWelcome, or one of conn.
// Closing conn must end what waits for it.
func (m *Machine) Serve(ctx context.Context, conn io.ReadWriteCloser, welcome func(version string)) error {
	s := &machineSession{machine: m, conn: conn, slots: make(chan struct{}, m.cores), running: make(map[uint64]context.CancelFunc)}
	defer conn.Close()
	stopGreeting := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stopGreeting()
	in := newLineReader(conn, maxQuestion)
	if err := s.greet(in, welcome); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	if !stopGreeting() {
		return nil
	}
	return s.serve(ctx, in)
}

// A machineSession is one session of a machine at a club.
type machineSession struct {
	machine *Machine
	conn    io.ReadWriteCloser
	slots   chan struct{} // one for each core; held while it thinks
	all     sync.WaitGroup

	writing sync.Mutex // held while a line is written

	mu      sync.Mutex // guards what follows
	running map[uint64]context.CancelFunc
}

// greet says hello and waits for the welcome.
func (s *machineSession) greet(in *lineReader, welcome func(version string)) error {
	late := time.AfterFunc(helloTime, func() { _ = s.conn.Close() })
	defer late.Stop()
	m := s.machine
	if err := s.write(message{Hello: &hello{protocol, m.version, m.signature, m.cores}}); err != nil {
		return err
	}
	first, err := in.read()
	switch {
	case err == io.EOF, errors.Is(err, errNoLine):
		return ErrNotWelcome
	case err != nil:
		return err
	case first.Refused != nil:
		return &RefusedError{plain(first.Refused.Words), min(time.Duration(max(first.Refused.Retry, 0))*time.Second, time.Hour)}
	case first.Welcome == nil:
		return ErrNotWelcome
	}
	welcome(shown(first.Welcome.Version))
	return nil
}

// plain returns words of the club as far as they can be shown in a line.
func plain(words string) string {
	out := make([]rune, 0, len(words))
	for _, r := range words {
		if r >= ' ' && r <= '~' && len(out) < 300 {
			out = append(out, r)
		}
	}
	return string(out)
}

// serve answers questions until ctx or the connection ends.
func (s *machineSession) serve(ctx context.Context, in *lineReader) error {
	thinking, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer s.all.Wait()
	defer stop()
	leaving := make(chan struct{})
	stopLeaving := context.AfterFunc(ctx, func() {
		defer close(leaving)
		if s.write(message{Leaving: true}) != nil {
			_ = s.conn.Close()
			return
		}
		late := time.AfterFunc(leaveTime, func() { _ = s.conn.Close() })
		defer late.Stop()
		<-thinking.Done() // the club ends the session when everything is answered
	})
	err := s.read(thinking, in)
	stop()
	_ = s.conn.Close()
	if !stopLeaving() {
		<-leaving
		return nil
	}
	return err
}

// read takes questions until the connection ends, which is io.EOF.
func (s *machineSession) read(ctx context.Context, in *lineReader) error {
	for {
		got, err := in.read()
		switch {
		case err != nil:
			return err
		case got.Ask != nil:
			if err := s.begin(ctx, got.Ask); err != nil {
				return err
			}
		case got.Cancel != 0:
			s.cancel(got.Cancel)
		case got.Refused != nil:
			return &RefusedError{plain(got.Refused.Words), time.Duration(max(got.Refused.Retry, 0)) * time.Second}
		}
	}
}

// maxQueued is how many questions more than it has cores a machine takes.
const maxQueued = 64

// begin begins to think about a question.
func (s *machineSession) begin(ctx context.Context, q *ask) error {
	within, ok := s.add(ctx, q.ID)
	if !ok {
		return errors.New("the club asks too much at a time")
	}
	s.all.Go(func() {
		defer s.cancel(q.ID)
		select {
		case s.slots <- struct{}{}:
		case <-within.Done():
			return
		}
		a := s.machine.answer(within, q)
		<-s.slots
		if within.Err() == nil && s.write(message{Answer: a}) != nil {
			_ = s.conn.Close()
		}
	})
	return nil
}

// add adds a question, with the context in which it is thought about; ok is false if there are too many, or one with this id.
func (s *machineSession) add(ctx context.Context, id uint64) (within context.Context, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.running[id]; twice || len(s.running) >= s.machine.cores+maxQueued {
		return nil, false
	}
	within, s.running[id] = context.WithCancel(ctx)
	return within, true
}

// cancel forgets a question.
func (s *machineSession) cancel(id uint64) {
	s.mu.Lock()
	cancel := s.running[id]
	delete(s.running, id)
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (s *machineSession) write(m message) error {
	line := m.line()
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.conn.Write(line)
	return err
}

// answer thinks about a question. A panic of an engine becomes an answer that says so.
func (m *Machine) answer(ctx context.Context, q *ask) (a *answer) {
	defer func() {
		if p := recover(); p != nil {
			a = &answer{ID: q.ID, Error: fmt.Sprintf("panic: %.200v", p)}
		}
	}()
	t, err := m.think(ctx, q)
	if err != nil {
		return &answer{ID: q.ID, Error: err.Error()[:min(len(err.Error()), 500)]}
	}
	return &answer{
		ID: q.ID, Move: t.Move, Line: t.Line[:min(len(t.Line), maxSentLine)], Value: t.Value, Plies: t.Plies, Drawn: t.Drawn, Held: t.Held, Proven: t.Proven,
		Depth: t.Depth, Nodes: t.Nodes,
	}
}

// Errors about questions.
var (
	errNoLevel  = errors.New("no such game or level")
	errPosition = errors.New("the moves lead to another position")
)

func (m *Machine) think(ctx context.Context, q *ask) (bot.Thought, error) {
	clock := bot.Clock{}
	if q.Clock != nil { // from now on
		clock = bot.Clock{End: time.Now().Add(milliseconds(q.Clock.Left)), Increment: milliseconds(q.Clock.Increment), Ply: q.Clock.Ply}
	}
	if q.AtMost > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, milliseconds(q.AtMost))
		defer stop()
	}
	g, ok := games.Find(m.games, q.Game)
	if !ok {
		return bot.Thought{}, errNoLevel
	}
	player, err := m.player(g, q)
	if err != nil {
		return bot.Thought{}, err
	}
	start, err := g.Parse(q.Start)
	if err != nil {
		return bot.Thought{}, err
	}
	p, err := games.ReplayFrom(start, q.Moves)
	if err != nil {
		return bot.Thought{}, err
	}
	if p.String() != q.Position {
		return bot.Thought{}, errPosition
	}
	return player.ThinkWithin(ctx, clock, p, games.NewRandom(q.Seed))
}

// player returns who thinks about a question.
func (m *Machine) player(g games.Game, q *ask) (bot.Thinker, error) {
	id := g.About().ID
	if q.Level != "" {
		t, ok := m.players[playerID{id, q.Level}]
		if !ok {
			return nil, errNoLevel
		}
		return t, nil
	}
	l, err := m.memory.Find(g, fmt.Sprint(m.strongest[id], ":", q.Nodes))
	if err != nil {
		return nil, errNoLevel
	}
	return l.Player.(bot.Thinker), nil
}
