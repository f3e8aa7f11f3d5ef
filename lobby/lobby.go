// Package lobby is the club: who is here, what is offered, and every match from its opening to its end.
//
// It writes each event of a match to the store before anybody sees it, and lets everybody read at his own pace: nobody
// is pushed to. Callers hold values (Who, Ref, View, Lists) and handles (Seat), never a pointer into a match.
package lobby

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/thinking"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
)

// A Config says how a lobby works. The zero value of each field stands for what its comment says.
type Config struct {
	Games    []games.Game     // in the order in which they are shown; there must be one
	Levels   []Level          // computer players, weakest first; there may be none
	Workers  int              // how many computer players think at a time; 0: one less than the machine has cores, at least 1
	BotDelay time.Duration    // a computer player's reply takes at least this long; 0: at once. DefaultBotDelay is humane
	Seed     func() uint64    // seeds of the computer players' randomness, from any goroutine; nil: crypto/rand
	Now      func() time.Time // what logs and ratings call now; nil: time.Now. Delays always follow the machine's clock
	Log      *slog.Logger     // nil: silence
	Limits   Limits
	Stats    *Stats // counts what happens; nil counts nothing

	StudyNodes int // positions that an analysis looks at for each position of a match; 0: analysis.Budget
}

// DefaultBotDelay makes a computer player seem to think.
const DefaultBotDelay = 700 * time.Millisecond

const (
	closeGrace = 5 * time.Second // how long Close waits for what is being written
	sweepEvery = time.Hour
)

// A Lobby is the one owner of all matches, offers and presence. Its methods may be called by any number of goroutines.
type Lobby struct {
	store  Store
	games  []games.Game
	levels []Level
	limits Limits
	now    func() time.Time
	seed   func() uint64
	log    *slog.Logger

	house    house
	seq      atomic.Uint64
	matches  registry
	finished shelf
	presence presence
	lists    directory
	guesses  *throttle.Throttle[string] // wrong codes, by address and by person
	boards   leaderboards
	studies  studies
	nodes    int      // for each position of an analysis
	secret   [32]byte // makes the ids of guests unguessable

	pairing chan struct{}                          // full while somebody looks for a quick match
	spawn   chan func(ctx, writes context.Context) // to supervise
	closing chan struct{}                          // closed by Close
	ended   chan struct{}                          // closed when every goroutine has ended
	close   sync.Once
}

// New reads the logs of all unfinished matches from the store and goes on with them: the time during which the club was
// closed is charged to nobody. ctx bounds the reading alone. A match whose log is damaged is logged and left alone. The
// caller must Close the lobby, and keep the store open until then.
func New(ctx context.Context, store Store, cfg Config) (*Lobby, error) {
	if len(cfg.Games) == 0 {
		return nil, errors.New("lobby: a club without games")
	}
	l := &Lobby{
		store: store, games: cfg.Games, levels: cfg.Levels, limits: cfg.Limits.orDefault(),
		now: cfg.Now, seed: cfg.Seed, log: cfg.Log, nodes: cfg.StudyNodes,
		pairing: make(chan struct{}, 1),
		spawn:   make(chan func(ctx, writes context.Context)),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	if l.now == nil {
		l.now = time.Now
	}
	if l.seed == nil {
		l.seed = randomSeed
	}
	if cfg.Stats == nil {
		cfg.Stats = new(Stats)
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	rand.Read(l.secret[:])
	l.matches.init()
	l.finished.init(l.limits.CachedPlies)
	l.presence.init()
	l.lists.init(l.limits)
	l.guesses = newGuesses(l.limits)
	l.boards.init()
	l.studies.init(l.limits, &l.seq)
	workers := cfg.Workers
	if workers <= 0 {
		workers = thinking.DefaultWorkers()
	}
	l.house = house{
		store: store, find: l.Game, level: l.level, strongest: l.strongest, now: l.now, away: l.presence.away, strength: l.strength,
		scheduler: thinking.NewScheduler(workers), botDelay: cfg.BotDelay, limits: l.limits, seq: &l.seq, stats: cfg.Stats,
		changed: l.matchChanged, damaged: l.matchDamaged, log: l.log,
	}
	states, err := l.readMatches(ctx)
	if err != nil {
		return nil, err
	}
	go l.supervise(states)
	<-l.lists.ready
	return l, nil
}

// supervise owns every goroutine of the lobby. The lists are ready when each match that goes on can be found.
func (l *Lobby) supervise(states []state) {
	defer close(l.ended)
	ctx, stop := context.WithCancel(context.Background())
	writes, abandon := context.WithCancel(context.Background())
	defer abandon()
	defer stop()
	var all, settled sync.WaitGroup
	settled.Add(len(states))
	all.Go(func() { l.house.scheduler.Run(ctx) })
	all.Go(func() { l.sweep(ctx) })
	all.Go(func() { l.workOnStudies(ctx, writes) })
	for _, s := range states {
		m := newMatch(&l.house, s.id, l.seed())
		m.state = s
		all.Go(func() {
			m.run(ctx, writes, func(writes context.Context) {
				m.settle(writes)
				settled.Done()
			})
		})
	}
	settled.Wait()
	all.Go(func() { l.lists.run(ctx, l.presence.list) })
	for open := true; open; {
		select {
		case f := <-l.spawn:
			all.Go(func() { f(ctx, writes) })
		case <-l.closing:
			open = false
		}
	}
	stop()
	grace := time.AfterFunc(closeGrace, abandon)
	defer grace.Stop()
	all.Wait()
}

// Close ends the club: whoever waits gets ErrClosed, what is being written is written, and every goroutine has ended when
// it returns. The matches go on at the next New. It may be called again.
func (l *Lobby) Close() error {
	l.close.Do(func() { close(l.closing) })
	<-l.ended
	return nil
}

// readMatches returns the states of all unfinished matches.
func (l *Lobby) readMatches(ctx context.Context) ([]state, error) {
	ids, err := l.store.Unfinished(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: unfinished matches: %w", err)
	}
	states := make([]state, 0, len(ids))
	for _, id := range ids {
		log, err := l.store.Log(ctx, id)
		var s state
		if err == nil {
			s, err = fold(id, l.Game, log)
		}
		switch {
		case errors.Is(err, errLog), errors.Is(err, storage.ErrDamaged):
			l.log.Error("the log of a match is damaged", "match", id, "err", err)
			l.matches.condemn(id)
		case err != nil:
			return nil, fmt.Errorf("lobby: log of match %s: %w", id, err)
		default:
			states = append(states, s)
		}
	}
	return states, nil
}

// sweep has the store forget what has had its time.
func (l *Lobby) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if _, err := l.store.Sweep(ctx, l.now()); err != nil && ctx.Err() == nil {
			l.log.Error("sweeping the store failed", "err", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Games returns the games of the club in the order in which they are shown.
func (l *Lobby) Games() []games.Game { return l.games }

// Game finds a game by id or alias, in any letter case; ErrNoSuchGame.
func (l *Lobby) Game(name string) (games.Game, error) {
	for _, g := range l.games {
		about := g.About()
		if strings.EqualFold(about.ID, name) {
			return g, nil
		}
		for _, a := range about.Aliases {
			if strings.EqualFold(a, name) {
				return g, nil
			}
		}
	}
	return nil, ErrNoSuchGame
}

// Levels returns the computer players, weakest first.
func (l *Lobby) Levels() []Level { return l.levels }

func (l *Lobby) level(id string) (Level, bool) {
	for _, v := range l.levels {
		if v.ID == id {
			return v, true
		}
	}
	return Level{}, false
}

// strongest returns the computer player that knows best.
func (l *Lobby) strongest() (Level, bool) {
	if len(l.levels) == 0 {
		return Level{}, false
	}
	for _, v := range slices.Backward(l.levels) {
		if v.Think != nil {
			return v, true
		}
	}
	return l.levels[len(l.levels)-1], true
}

// start has supervise run f.
func (l *Lobby) start(f func(ctx, writes context.Context)) error {
	select {
	case l.spawn <- f:
		return nil
	case <-l.closing:
		return ErrClosed
	}
}

// trouble returns the error of a store as callers of the lobby know it.
func trouble(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrBusy, err)
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
