// Package lobby is the club: accounts, presence, offers, pairing, seats, and the lists of all that.
//
// Callers hold values (User, Ref, View, Lists) and handles (Seat), never a pointer into a match. Nothing is pushed to them:
// they ask for what is newer than what they have. The packages below do the work: match says what a match is, live runs
// each match in a goroutine of its own, feed wakes the readers, thinking runs the computer players, analyses makes the
// analyses, names says what people may be called.
package lobby

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
)

// What callers of the lobby see of the packages below.
type (
	User     = match.User
	Ref      = match.Ref
	View     = match.View
	Strength = match.Strength
	Reply    = match.Reply
	Rematch  = match.Rematch
	Hint     = live.Hint
	Level    = thinking.Level
	Decision = thinking.Decision

	AnalysisProgress = analyses.Progress
)

// The states of a computer player's reply; see match.Reply.
const (
	NoReply  = match.NoReply
	Queued   = match.Queued
	Thinking = match.Thinking
	Paused   = match.Paused
)

// The stages of an analysis; see analyses.Stage.
const (
	AnalysisWaiting = analyses.Waiting
	AnalysisWorking = analyses.Working
	AnalysisReady   = analyses.Ready
)

// AnyPly is what Seat.Move takes when its caller does not care how many moves have been made.
const AnyPly = match.AnyPly

// A Config says how a lobby works. The zero value of each field stands for what its comment says.
type Config struct {
	Games    []games.Game     // in the order in which they are shown; there must be one
	Levels   []Level          // computer players, weakest first; there may be none
	Workers  int              // how many computer players think at a time; 0: thinking.DefaultWorkers
	BotDelay time.Duration    // a computer player's reply takes at least this long; 0: at once. DefaultBotDelay is humane
	Seed     func() uint64    // seeds of the computer players' randomness, from any goroutine; nil: crypto/rand
	Now      func() time.Time // what logs and ratings call now; nil: time.Now. Delays always follow the machine's clock
	Log      *slog.Logger     // nil: silence
	Limits   Limits
	Stats    *Stats // counts what happens; nil counts nothing

	AnalysisNodes int // positions that an analysis searches for each position of a match; 0: analysis.Budget
}

// DefaultBotDelay makes a computer player seem to think.
const DefaultBotDelay = 700 * time.Millisecond

const (
	closeGrace = 5 * time.Second // how long Close waits for what is being written
	sweepEvery = time.Hour
)

// A Lobby owns all matches, offers and presence. Any goroutine may use it.
type Lobby struct {
	store  Store
	games  []games.Game
	levels []Level
	limits Limits
	now    func() time.Time
	log    *slog.Logger
	stats  *Stats

	live         live.Config
	feeds        *feed.Group
	scheduler    *thinking.Scheduler
	index        *index
	lists        *lists
	finished     *finishedCache
	rematches    *rematches
	presence     *presence
	guesses      *throttle.Throttle[string] // wrong codes, by address and by person
	leaderboards *leaderboards
	analyses     *analyses.Queue
	guestSecret  [32]byte // makes the ids of guests unguessable

	pairing chan struct{}                          // held by the user who looks for a quick match
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
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Seed == nil {
		cfg.Seed = randomSeed
	}
	if cfg.Stats == nil {
		cfg.Stats = new(Stats)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Workers <= 0 {
		cfg.Workers = thinking.DefaultWorkers()
	}
	limits := cfg.Limits.orDefault()
	l := &Lobby{
		store: store, games: cfg.Games, levels: cfg.Levels, limits: limits, now: cfg.Now, log: cfg.Log, stats: cfg.Stats,
		feeds: feed.NewGroup(), scheduler: thinking.NewScheduler(cfg.Workers), index: newIndex(limits),
		finished: newFinishedCache(limits.CachedPlies), rematches: newRematches(), presence: newPresence(),
		guesses: newGuesses(limits), leaderboards: newLeaderboards(),
		pairing: make(chan struct{}, 1), spawn: make(chan func(ctx, writes context.Context)),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	rand.Read(l.guestSecret[:])
	l.lists = newLists(limits, l.index, l.presence.list, l.feeds)
	l.live = live.Config{
		Store: store, Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.Stats, Log: cfg.Log,
		Game: l.Game, Level: l.level, Strongest: l.strongest, Seed: cfg.Seed, Now: cfg.Now,
		Away: l.presence.away, Strength: l.strength, Changed: l.matchChanged, Quarantine: l.quarantineMatch,
		MaxPlies: limits.Plies, BotDelay: cfg.BotDelay, AwayOffer: limits.AwayOffer, AwayGuest: limits.AwayGuest,
		PrivateWait: limits.PrivateWait, Unwatched: limits.Unwatched,
	}
	l.analyses = analyses.NewQueue(analyses.Config{
		Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.AnalysisStats, Panics: &cfg.Stats.Panics, Log: cfg.Log,
		Match: l.view, Load: l.loadAnalysis, Save: store.SaveAnalysis,
		Nodes: cfg.AnalysisNodes, Max: limits.Analyses, Linger: limits.AnalysisLinger,
	})
	states, err := l.readMatches(ctx)
	if err != nil {
		return nil, err
	}
	go l.supervise(states)
	<-l.lists.ready
	return l, nil
}

// supervise owns every goroutine of the lobby. The lists are ready when each match that goes on can be found.
func (l *Lobby) supervise(states []match.State) {
	defer close(l.ended)
	ctx, stop := context.WithCancel(context.Background())
	writes, abandon := context.WithCancel(context.Background())
	defer abandon()
	defer stop()
	var all, resumed sync.WaitGroup
	resumed.Add(len(states))
	all.Go(func() { l.scheduler.Run(ctx) })
	all.Go(func() { l.sweep(ctx) })
	all.Go(func() { l.analyses.Run(ctx, writes) })
	for _, s := range states {
		all.Go(func() { live.Resume(&l.live, s).Run(ctx, writes, resumed.Done) })
	}
	resumed.Wait()
	all.Go(func() { l.lists.run(ctx) })
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

// Close ends the club: everybody who waits gets ErrClosed, what is being written is written, and every goroutine has ended
// when it returns. The matches go on at the next New. It may be called again.
func (l *Lobby) Close() error {
	l.close.Do(func() {
		l.feeds.Close(ErrClosed)
		close(l.closing)
	})
	<-l.ended
	return nil
}

// readMatches returns the states of all unfinished matches.
func (l *Lobby) readMatches(ctx context.Context) ([]match.State, error) {
	ids, err := l.store.Unfinished(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: unfinished matches: %w", err)
	}
	states := make([]match.State, 0, len(ids))
	for _, id := range ids {
		log, err := l.store.Log(ctx, id)
		var s match.State
		if err == nil {
			s, err = match.Fold(id, l.Game, log)
		}
		switch {
		case errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged):
			l.log.Error("the log of a match is damaged", "match", id, "err", err)
			l.index.quarantine(id)
		case err != nil:
			return nil, fmt.Errorf("lobby: log of match %s: %w", id, err)
		default:
			states = append(states, s)
		}
	}
	return states, nil
}

// matchChanged files a match after each change. The match's own goroutine calls it before its view is published.
func (l *Lobby) matchChanged(m *live.Match, v *View) {
	if v.Over {
		l.finished.put(m.ID(), m.Views(), v.Ply()) // before the index forgets it: a match is always found
		if v.Ratings != nil {
			l.leaderboards.forget(v.Game.About().ID)
		}
	}
	l.indexed(l.index.put(m, v))
	l.rematchChanged(v)
}

// quarantineMatch takes a match that can't go on out of play.
func (l *Lobby) quarantineMatch(m *live.Match) { l.indexed(l.index.quarantine(m.ID())) }

// indexed passes on what has changed in the index.
func (l *Lobby) indexed(c change) {
	l.presence.forget(c.free...)
	l.lists.note(c)
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
	g, ok := games.Find(l.games, name)
	if !ok {
		return nil, ErrNoSuchGame
	}
	return g, nil
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

// strongest returns the strongest computer player that searches, or else the strongest.
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

// Analysis returns how far the analysis of a finished match is, as soon as its Seq is above after: at once if it is already,
// else at the next change; once it is ready, when ctx ends. Start with 0 and go on with the Seq in hand. A match that has no
// analysis yet gets one: it waits in turn, and goes on for as long as somebody asks. It is on disk before anybody sees it
// ready. The errors are those of At, ErrNotOver, ErrUnplayed for a match without a move or a result, ErrManyAnalyses when too
// many wait already, ErrBusy, ErrClosed, and that of ctx.
func (l *Lobby) Analysis(ctx context.Context, id storage.MatchID, after uint64) (*AnalysisProgress, error) {
	p, err := l.analyses.Next(ctx, id, after)
	if errors.Is(err, analyses.ErrFailed) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrBusy) {
		err = storeError(err)
	}
	return p, err
}

// loadAnalysis returns the analysis that the store has of a match.
func (l *Lobby) loadAnalysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error) {
	a, err := l.store.Analysis(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrDamaged) {
		return nil, err
	}
	return a, storeError(err)
}

// Stats counts what happens in a club while the program runs. All fields only grow. The zero value is ready to use.
type Stats struct {
	live.Stats
	AnalysisStats
}

// AnalysisStats counts what happens to analyses.
type AnalysisStats = analyses.Stats

// A Load is what a club has to carry at one moment.
type Load struct {
	Here     int // people, each counted once
	Matches  int // unfinished ones, offers included
	Offers   int // public offers that nobody has taken
	Thinking int // computer players that look for a move
	Analyses int // matches that wait to be analysed, the one included that is being worked on
	Waiting  int // computer players that wait for a worker, those of exhibitions included
}

// Load returns what the club carries now.
func (l *Lobby) Load() Load {
	load := Load{Here: l.presence.count(), Analyses: l.analyses.Len()}
	load.Matches, load.Offers = l.index.counts()
	load.Thinking, load.Waiting = l.scheduler.Load()
	return load
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

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
