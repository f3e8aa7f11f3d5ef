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
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

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

	// Full says whether the disk is too full to begin anything new: then there are no new matches and accounts. Any goroutine
	// may call it, and it must return at once; nil is never.
	Full func() bool

	// StoreFull reports whether the store has reached its quota, so that nothing at all can be written; nil: never. It must not block.
	StoreFull func() bool

	// Of a club with several nodes.
	Node    string // name of this node
	HostKey string // the fingerprints by which people know it, with a space between them
	Shared  Shared // the store, which the others use too; nil: there is one node

	KeepAddresses bool // keep blocks of addresses that players come from as they are; else only salted hashes

	AnalysisNodes int // positions that an analysis searches for each position of a match; 0: analysis.Budget
}

// DefaultBotDelay makes a computer player seem to think.
const DefaultBotDelay = 700 * time.Millisecond

const (
	closeGrace = 5 * time.Second // how long Close waits for what is being written
	sweepEvery = time.Hour

	sweeping storage.MatchID = "sweeping" // not a match: its owner is the node that sweeps the store
)

// A Lobby owns all matches, offers and presence. Any goroutine may use it.
type Lobby struct {
	store  Store
	games  []games.Game
	levels []Level
	limits Limits      // at the start
	full   func() bool // Config.Full

	inForce *limits.InForce // the limits now

	storeFull func() bool // Config.StoreFull

	now   func() time.Time
	log   *slog.Logger
	stats *Stats

	live         live.Config
	feeds        *feed.Group
	scheduler    *thinking.Scheduler
	registry     *registry.Registry // of unfinished matches
	lists        *lists
	finished     *finishedCache
	rematches    *rematches
	presence     *presence.Registry
	presenceNews *presenceNews
	people       *people
	guesses      atomic.Pointer[attempts] // of wrong codes
	guestCodes   *origin.Throttle         // codes for the matches of guests
	recoveries   *attempts
	pace         pace
	aborts       *origin.Throttle // matches with people that were called off
	apart        *apart           // who isn't paired with whom for now
	quick        *quickMatches
	challenges   challengePace
	origins      *origins // of everybody with a session
	leaderboards *leaderboards
	replayed     *lastMatch
	analyses     *analyses.Queue
	decisions    *decisions       // of operators
	relations    *relations.Graph // of all players
	chats        *chat.Rooms
	chatting     *origin.Throttle // lines of people
	visits       *visits          // that are to be kept
	reporting    *origin.Throttle // reports about players
	bulletin     *feed.Feed[Bulletin]
	guestSecret  [32]byte // makes the ids of guests unguessable

	nodes   *nodes.Nodes // nil in a club with one node
	shared  Shared
	rows    *presentRows
	outages outages
	told    atomic.Uint64 // notices sent
	serving atomic.Pointer[Sessions]
	leave   func() // hands this node's matches over to the others

	endNodes func() // leaves, and ends this node's heartbeats

	acting   chan struct{}                          // held by the operator who acts, or a player who changes their name
	pairing  chan struct{}                          // held by the user who takes the fairest match at once
	relating chan struct{}                          // held by the player who follows or blocks somebody
	spawn    chan func(ctx, writes context.Context) // to supervise
	closing  chan struct{}                          // closed by Close
	ended    chan struct{}                          // closed when every goroutine has ended
	close    sync.Once
}

// New goes on with all unfinished matches in the store: the time during which the club was closed is charged to nobody. It reads
// their summaries alone; a match is loaded when somebody looks at it or it has something to do, and one whose log is damaged then
// is logged and left alone. ctx bounds the reading. The caller must Close the lobby, and keep the store open until then.
func New(ctx context.Context, store Store, cfg Config) (*Lobby, error) {
	if len(cfg.Games) == 0 {
		return nil, errors.New("lobby: a club without games")
	}
	if cfg.StoreFull == nil {
		cfg.StoreFull = func() bool { return false }
	}
	if cfg.Full == nil {
		cfg.Full = func() bool { return false }
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
	bounds := cfg.Limits.OrDefault()
	l := &Lobby{
		store: store, games: cfg.Games, levels: cfg.Levels, limits: bounds, inForce: limits.NewInForce(bounds), full: cfg.Full, storeFull: cfg.StoreFull, now: cfg.Now, log: cfg.Log, stats: cfg.Stats,
		feeds: feed.NewGroup(), scheduler: thinking.NewScheduler(cfg.Workers),
		finished: newFinishedCache(bounds.CachedPlies), rematches: newRematches(), presenceNews: newPresenceNews(), origins: newOrigins(),
		pace: newPace(bounds), aborts: newAborts(bounds), apart: newApart(), challenges: newChallengePace(), leaderboards: newLeaderboards(), replayed: newLastMatch(),
		decisions: new(decisions), visits: newVisits(cfg.KeepAddresses), reporting: newReporting(), recoveries: newRecoveries(), guestCodes: newGuestCodes(), acting: make(chan struct{}, 1),
		pairing: make(chan struct{}, 1), relating: make(chan struct{}, 1), spawn: make(chan func(ctx, writes context.Context)),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	l.rows, l.leave, l.endNodes, l.outages.matches = newPresentRows(), func() {}, func() {}, make(map[storage.MatchID]lostTime)
	l.quick = newQuickMatches(l.neverPaired, l.closing)
	l.guesses.Store(newGuesses(bounds))
	rand.Read(l.guestSecret[:])
	l.presence = presence.New(cfg.Now, l.presenceChanged, l.personHere)
	l.people = newPeople(l.feeds)
	l.bulletin = feed.New[Bulletin](l.feeds)
	if err := l.readDecisions(ctx); err != nil {
		return nil, err
	}
	related, err := store.Relations(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: %w", err)
	}
	l.relations = relations.New(related, l.feeds)
	l.chats, l.chatting = chat.NewRooms(store, l.feeds, l.goesOn, l.tellLine), newChatting()
	l.live = live.Config{
		Store: store, Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.Stats, Log: cfg.Log,
		Game: l.Game, Level: l.level, Strongest: l.strongest, Seed: cfg.Seed, Now: cfg.Now,
		Away: l.away, Presence: l.presence.Presence, Origin: l.origins.of, Strength: l.strength, Named: l.named, Changed: l.matchChanged, Quarantine: l.quarantineMatch,
		Unload: l.unloadMatch, Outage: l.outageOf,
		MaxPlies: bounds.Plies, BotDelay: cfg.BotDelay, AwayOffer: bounds.AwayOffer, AwayGuest: bounds.AwayGuest,
		PrivateWait: bounds.PrivateWait, Unwatched: bounds.Unwatched, Idle: bounds.Idle,
	}
	l.registry = registry.New(l.inForce, &l.live, cfg.Shared != nil)
	l.lists = newLists(bounds, l.registry, l.presence.Count, l.playing, l.feeds)
	l.analyses = analyses.NewQueue(analyses.Config{
		Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.AnalysisStats, Panics: &cfg.Stats.Panics, Log: cfg.Log,
		Match: l.view, Load: l.loadAnalysis, Save: store.SaveAnalysis,
		Nodes: cfg.AnalysisNodes, Max: bounds.Analyses, Linger: bounds.AnalysisLinger,
	})
	if cfg.Shared == nil {
		l.outages.club.Up = cfg.Now().UTC().Truncate(time.Millisecond)
		if l.outages.club.Down, err = store.LastBeat(ctx); err != nil {
			return nil, fmt.Errorf("lobby: %w", err)
		}
	} else if err := l.join(ctx, cfg.Node, cfg.HostKey, cfg.Shared); err != nil {
		return nil, err
	}
	players, err := l.readSummaries(ctx)
	if err == nil {
		err = l.readBlocks(ctx, players)
	}
	if err != nil {
		l.endNodes()
		return nil, err
	}
	go l.supervise()
	<-l.lists.ready
	return l, nil
}

// supervise owns every goroutine of the lobby.
func (l *Lobby) supervise() {
	defer close(l.ended)
	ctx, stop := context.WithCancel(context.Background())
	writes, abandon := context.WithCancel(context.Background())
	defer abandon()
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { l.scheduler.Run(ctx) })
	all.Go(func() { l.sweep(ctx) })
	all.Go(func() { l.visits.run(ctx, l) })
	all.Go(func() { l.chats.Run(ctx) })
	all.Go(func() { l.analyses.Run(ctx, writes) })
	all.Go(func() { l.lists.run(ctx) })
	all.Go(func() { l.quick.run(ctx, l) })
	all.Go(func() { l.runDeadlines(ctx) })
	if l.nodes == nil {
		all.Go(func() { l.beat(ctx, writes) })
	} else {
		all.Go(func() { l.followMatches(ctx) })
		all.Go(func() { l.followPeople(ctx) })
		all.Go(func() { l.showPeople(ctx) })
		all.Go(func() { l.followSeekers(ctx) })
		all.Go(func() { l.followDecisions(ctx) })
		all.Go(func() { l.followRelations(ctx) })
		all.Go(func() { l.followChat(ctx) })
		all.Go(func() { l.followKeys(ctx) })
		all.Go(func() { l.followNotices(ctx) })
	}
	all.Go(func() { l.runPresence(ctx) })
	all.Go(func() { l.runWho(ctx) })
	all.Go(func() { l.forfeitAll(ctx); l.abandonAll(ctx) }) // what the program that ended before did not come to
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
	l.endNodes()
}

// Close ends the club, or only this node if others are up, which take over its matches. Everybody who waits gets ErrClosed, writes under
// way are finished, and every goroutine has ended when it returns. The matches go on at the next New. It may be called again.
func (l *Lobby) Close() error {
	l.close.Do(func() {
		l.leave()
		l.feeds.Close(l.Closing())
		close(l.closing)
	})
	<-l.ended
	return nil
}

// Closing returns what people are told when this program stops: ErrNodeCloses if the club goes on at other nodes, else ErrClosed.
func (l *Lobby) Closing() error {
	if l.nodes != nil && !l.nodes.Alone() {
		return ErrNodeCloses
	}
	return ErrClosed
}

// matchChanged files a match after each change. The match's own goroutine calls it before its view is published.
func (l *Lobby) matchChanged(m *live.Match, v *View) {
	if v.Over {
		l.finished.put(m.ID(), m.Views(), v.Ply()) // before the registry forgets it: a match is always found
		if v.Ratings != nil {
			l.leaderboards.rated(v.Game.About().ID)
		}
		l.countAbort(v)
		l.keepApart(&v.Summary)
	}
	l.indexed(l.registry.Put(m, v))
	l.outages.changed(&v.Summary, v.Over)
	if v.Over {
		l.chats.End(m.ID(), l.presence.Audience(m.ID())) // after the registry has forgotten it
	}
	l.rematchChanged(&v.Summary, v.Over)
}

// unloadMatch takes a match out of memory, and says whether it is: not if somebody looks at it.
func (l *Lobby) unloadMatch(m *live.Match, w live.Waiting) bool { return l.registry.Unload(m, w) }

// quarantineMatch takes a match that can't go on out of play.
func (l *Lobby) quarantineMatch(m *live.Match) { l.indexed(l.registry.Quarantine(m.ID())) }

// sweep has the store forget what has had its time.
func (l *Lobby) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if l.nodes != nil && !l.nodes.Owns(sweeping) {
			select {
			case <-ticker.C:
				continue
			case <-ctx.Done():
				return
			}
		}
		if _, err := l.store.Sweep(ctx, l.now()); err != nil && ctx.Err() == nil {
			l.log.Error("sweeping the store failed", "err", err)
		}
		l.forgetNames(ctx)
		if err := l.forgetCasual(ctx); err != nil && ctx.Err() == nil {
			l.log.Error("forgetting old casual matches failed", "err", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// forgetCasual has the store forget the old matches of guests, and those against computer players that don't search.
func (l *Lobby) forgetCasual(ctx context.Context) error {
	keep := l.inForce.Now().KeepCasual
	if keep < 0 {
		return nil
	}
	var levels []string
	for _, v := range l.levels {
		if v.Think == nil {
			levels = append(levels, v.ID)
		}
	}
	n, err := l.store.ForgetCasual(ctx, l.now().Add(-keep), levels)
	if n > 0 {
		l.log.Info("old casual matches forgotten", "matches", n)
	}
	return err
}

// Analysis returns how far the analysis of a finished match is, as soon as its Seq is above after: at once if it is already,
// else at the next change; once it is ready, when ctx ends. Start with 0 and go on with the Seq in hand. A match that has no
// analysis yet gets one: it waits in turn, as one of the few of the user that may wait, and goes on for as long as somebody asks. It is on disk before anybody sees it
// ready. The errors are those of At, ErrNotOver, ErrUnplayed for a match without a move or a result, ErrManyAnalyses when too
// many wait already, ErrBusy, ErrClosed, and that of ctx. It knows no unfinished private match: ErrNoSuchMatch.
func (l *Lobby) Analysis(ctx context.Context, u User, id storage.MatchID, after uint64) (*AnalysisProgress, error) {
	if s := l.registry.Find(id).Summary; s != nil && !s.Public {
		return nil, ErrNoSuchMatch
	}
	var by origin.Origin
	if u.Kind != "" {
		by = origin.Origin{Person: personOf(u.Occupant()), Addr: l.origins.of(u.Occupant()).Addr}
	}
	p, err := l.analyses.Next(ctx, by, id, after)
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
	NodeStats
}

// A Load is how busy a club is at one moment.
type Load struct {
	Here     int // people, each counted once
	Matches  int // unfinished ones, offers included
	Offers   int // public offers that nobody has taken
	Thinking int // computer players that look for a move
	Analyses int // matches that wait to be analysed, the one included that is being worked on
	Waiting  int // computer players that wait for a worker, those of exhibitions included

	LongestWait time.Duration // of one of these
	Kinds       Kinds

	Nodes  int // that are up
	Owned  int // matches that this node owns
	CutOff bool
}

// Load returns what the club carries now.
func (l *Lobby) Load() Load {
	load := Load{Here: l.presence.Count(), Analyses: l.analyses.Len()}
	counts := l.registry.Counts()
	load.Matches, load.Offers, load.Kinds = counts.Matches, counts.Offers, counts.Kinds
	load.Thinking, load.Waiting, load.LongestWait = l.scheduler.Load()
	load.Nodes, load.Owned = 1, counts.Owned
	if l.nodes != nil {
		load.Nodes, load.CutOff = l.nodes.Len(), l.nodes.CutOff()
	}
	return load
}

// NodeNames returns the names of the nodes that are up and of those that are missing (nodes.Nodes.Names); nil in a club with one node.
func (l *Lobby) NodeNames() (up, missing []string) {
	if l.nodes == nil {
		return nil, nil
	}
	return l.nodes.Names()
}

// Ready returns nil if new people should come to this node of the club, and else why not: ErrCutOff, or errUnsettled.
func (l *Lobby) Ready() error {
	switch {
	case l.nodes == nil || l.nodes.Ready():
		return nil
	case l.nodes.CutOff():
		return l.cutOffError()
	}
	return errUnsettled
}

// errUnsettled says that a node has just come, or has come back, and may still be behind the others.
var errUnsettled = errors.New("this node has started or come back a moment ago")

// Connect says where a session of a user comes from; from.Person is the fingerprint of the key, if there is one. What the user asks
// for counts against that until disconnect is called.
func (l *Lobby) Connect(u User, from origin.Origin) (disconnect func()) {
	l.visits.note(u, from, l.now())
	l.registry.SetBlocks(u.Key(), registry.BlocksOf(from.Addr))
	key := from.Person
	from.Person = personOf(u.Occupant())
	forget := l.origins.connect(u, from, key)
	came := time.Now()
	return func() {
		l.seen(u, came)
		forget()
	}
}
