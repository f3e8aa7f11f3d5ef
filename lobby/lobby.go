// Package lobby makes the services of a club in order, runs their goroutines, and ends them. The packages below do the work, and callers ask
// them: Lobby has them as fields.
//
// Callers hold values (User, Ref, View) and handles (Seat), never a pointer into a match. Nothing is pushed to them: they ask for what is newer
// than what they have.
package lobby

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/attempts"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/tasks"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
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
	Bounds   Bounds // for tests
	Stats    *Stats // counts what happens; nil counts nothing

	// Full reports whether the disk is too full to begin anything new: then there are no new matches and accounts. Any goroutine
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

// A Lobby is a club: its services. Any goroutine may use it.
type Lobby struct {
	store  Store
	limits Limits // at the start

	inForce *limits.InForce // the limits now

	now   func() time.Time
	log   *slog.Logger
	stats *Stats

	catalogue    *live.Catalogue
	live         *live.Config
	matchNodes   *matches.Nodes
	Matches      *matches.Service
	news         *matchNews
	seated       *seatedPeople
	feeds        *feed.Group
	scheduler    *thinking.Scheduler
	registry     *registry.Registry // of unfinished matches
	Lists        *lists.Service
	People       *lists.People
	Television   *lists.Television
	presence     *presence.Registry
	Presence     *presence.Service
	limiter      attempts.Limiter
	Seats        *seats.Service
	Finder       *seats.Finder
	Manners      *seats.Manners
	Challenges   *seats.Challenges
	Rematches    *seats.Rematches
	Quick        *quick.Service
	Accounts     *accounts.Service
	Keys         *accounts.Keys
	Sessions     *accounts.Sessions
	Standings    *standings.Service
	Results      *standings.Results
	analyses     *analyses.Queue
	Restrictions *restrictions.Service
	Relations    *relations.Service
	Chat         *chat.Service
	Operators    *operators.Service
	Notices      *notices.Board

	reach  *nodes.Reach
	node   node
	shared Shared // nil in a club with one node
	leave  func() // hands this node's matches over to the others

	endNode func() // leaves, and ends this node's heartbeats

	tasks *tasks.Group
	close sync.Once
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
	atStart := cfg.Limits.OrDefault()
	l := &Lobby{
		store: store, catalogue: &live.Catalogue{Games: cfg.Games, Levels: cfg.Levels}, limits: atStart, inForce: limits.NewInForce(atStart), now: cfg.Now, log: cfg.Log, stats: cfg.Stats,
		feeds: feed.NewGroup(), scheduler: thinking.NewScheduler(cfg.Workers),
		reach: &nodes.Reach{Full: cfg.Full, StoreFull: cfg.StoreFull}, tasks: tasks.NewGroup(),
	}
	l.Notices = notices.NewBoard(l.feeds, cfg.Now)
	l.Restrictions = restrictions.New(restrictions.Config{
		Store: store, Now: cfg.Now, Log: cfg.Log, Tasks: l.tasks,
		Named: func(who match.Key, name string, isNew bool) {
			l.presence.Rename(who, name)
			if isNew {
				l.Lists.NoteOwn(who) // sessions of the player show the name
			}
		},
		Announced: l.Notices.Announce,
		Elsewhere: l.decidedElsewhere,
	})
	l.presence = presence.NewRegistry(cfg.Now)
	byName := func(ctx context.Context, name string) (accountstore.Player, error) {
		return l.Accounts.ByName(ctx, name)
	}
	online := func(id storage.PlayerID) bool { return l.Presence.Online(id) }
	related, err := store.Relations(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: %w", err)
	}
	l.Relations = relations.NewService(relations.Config{
		Graph: relations.New(related, l.feeds), Store: store, Restrictions: l.Restrictions, Feeds: l.feeds, Tasks: l.tasks, Now: cfg.Now,
		Log: cfg.Log, ByName: byName, Online: online, Name: l.presence.Name, Changed: func() { l.People.Changed() }, Blocked: func(a, b User) { l.Manners.WithdrawBetween(a, b) },
	})
	l.Sessions = accounts.NewSessions(accounts.SessionsConfig{Store: store, Now: cfg.Now, Log: cfg.Log, KeepAddresses: cfg.KeepAddresses})
	l.Standings = standings.New(standings.Config{
		Store: store, Games: cfg.Games, Now: cfg.Now, Log: cfg.Log, Tasks: l.tasks, BoardAge: cfg.Bounds.BoardAge, Lines: cfg.Bounds.Leaderboard,
		Player: byName, Closed: l.Restrictions.Closed, Online: online, HasBlocked: l.Relations.HasBlocked,
	})
	l.Results = standings.NewResults(standings.ResultsConfig{Store: store, Games: cfg.Games, Most: cfg.Bounds.History, Player: byName})
	l.seated = &seatedPeople{l.Sessions, l.Restrictions, l.Standings}
	if err := l.Restrictions.Read(ctx); err != nil {
		return nil, err
	}
	l.matchNodes = &matches.Nodes{Store: store}
	if cfg.Shared != nil {
		l.matchNodes.Shared = cfg.Shared
	}
	schedule := &live.Schedule{
		Presence: l.presence, Nodes: l.matchNodes, Now: cfg.Now,
		AwayGuest: atStart.AwayGuest, PrivateWait: cmp.Or(cfg.Bounds.PrivateWait, live.PrivateWait),
	}
	l.registry = registry.New(l.inForce, schedule, cfg.Shared != nil)
	last, err := l.openNode(ctx, cfg)
	if err != nil {
		return nil, err
	}
	l.live = &live.Config{
		Schedule: schedule, Catalogue: l.catalogue, Store: store, Players: l.seated,
		Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.Stats, Log: cfg.Log,
		Seed: cfg.Seed, MaxPlies: cmp.Or(cfg.Bounds.Plies, match.MaxPlies), BotDelay: cfg.BotDelay, Idle: cmp.Or(cfg.Bounds.Idle, live.IdleTime),
	}
	l.news = &matchNews{l, func(c registry.Change) { l.Lists.Note(c) }}
	l.Matches = matches.New(matches.Config{
		Store: store, Shared: cfg.Shared, Node: l.node, Nodes: l.matchNodes, Reach: l.reach, Registry: l.registry, Presence: l.presence,
		News: l.news, Restrictions: l.Restrictions, Strengths: l.Standings.Strengths, Live: l.live, Tasks: l.tasks, Now: cfg.Now, Log: cfg.Log,
		Stats: &cfg.Stats.NodeStats, CachedPlies: cfg.Bounds.CachedPlies,
		ListsChanged: func() <-chan struct{} { _, _, newer := l.Lists.Watch(); return newer },
	})
	l.Presence = presence.NewService(presence.Config{
		Registry: l.presence, Matches: l.Matches, Listener: presenceNews{l}, Node: l.node, Shared: cfg.Shared, Log: cfg.Log,
	})
	l.Chat = chat.NewService(chat.Config{
		Store: store, Matches: l.Matches, Restrictions: l.Restrictions, Node: l.node, Shared: cfg.Shared, Feeds: l.feeds, Tasks: l.tasks,
		Now: cfg.Now, Log: cfg.Log, Blocked: l.Relations.HasBlocked, Origin: l.Sessions.Of,
	})
	guesses := wrongCodes(l.limiter, cfg.Bounds)
	l.Accounts = accounts.New(accounts.Config{
		Store: store, Now: cfg.Now, Log: cfg.Log, Tasks: l.tasks, Reach: l.reach, Restrictions: l.Restrictions, Matches: l.registry,
		Renamed: l.Standings.Changed, Deleted: l.accountDeleted, RecordsChanged: l.Matches.RecordsChanged,
	})
	l.Keys = accounts.NewKeys(accounts.KeysConfig{
		Store: store, Now: cfg.Now, Limiter: l.limiter, Guesses: guesses, Restrictions: l.Restrictions, Accounts: l.Accounts, Matches: l.registry,
		Left:           l.Relations.Forget,
		RecordsChanged: l.Matches.RecordsChanged,
	})
	l.Finder = seats.NewFinder(seats.FinderConfig{Store: store, Matches: l.Matches, Registry: l.registry, Guesses: guesses, Now: cfg.Now})
	l.Manners = seats.NewManners(seats.MannersConfig{
		Registry: l.registry, Matches: l.Matches, Presence: l.Presence, Relations: l.Relations, Players: l.seated, Tasks: l.tasks,
		Limits: atStart, Now: cfg.Now,
	})
	l.Challenges = seats.NewChallenges(seats.ChallengesConfig{
		Store: store, Accounts: l.Accounts, Relations: l.Relations, Restrictions: l.Restrictions, Players: l.seated, Presence: l.Presence,
		People: l.presence, Registry: l.registry, Matches: l.Matches, Now: cfg.Now,
	})
	l.Rematches = seats.NewRematches(l.Challenges, l.Matches.Ended)
	l.Seats = seats.New(seats.Config{
		Store: store, Matches: l.Matches, Registry: l.registry, Presence: l.Presence, Restrictions: l.Restrictions, Relations: l.Relations,
		Players: l.seated, Chat: l.Chat, Catalogue: l.catalogue, Reach: l.reach, Limits: l.inForce, Now: cfg.Now,
		MaxPlies: cfg.Bounds.Plies, MaxTakebacks: cfg.Bounds.Takebacks,
		Finder: l.Finder, Manners: l.Manners, Challenges: l.Challenges, Rematches: l.Rematches, Standings: l.Standings,
	})
	l.Quick = quick.New(quick.Config{
		Seats: l.Seats, Manners: l.Manners, Matches: l.Matches, Registry: l.registry, Standings: l.Standings, Node: l.node, Shared: cfg.Shared,
		Reach: l.reach, Games: cfg.Games, Feeds: l.feeds, Tasks: l.tasks, Log: cfg.Log,
	})
	listed := lists.Config{
		Registry: l.registry, Presence: l.presence, Restrictions: l.Restrictions, Standings: l.Standings, Relations: l.Relations,
		Catalogue: l.catalogue, Feeds: l.feeds, Now: cfg.Now,
		MaxListed: cfg.Bounds.Listed, MaxHere: cfg.Bounds.Here,
	}
	l.Lists, l.People = lists.New(listed), lists.NewPeople(listed)
	l.Television = lists.NewTelevision(listed, l.Lists, l.Matches, store, l.reach)
	l.Operators = operators.New(operators.Config{
		Store: store, Restrictions: l.Restrictions, Accounts: l.Accounts, Sessions: l.Sessions, Standings: l.Standings, Matches: l.Matches,
		Finder: l.Finder, Lists: l.Lists, Chat: l.Chat, Now: cfg.Now,
	})
	l.analyses = analyses.NewQueue(analyses.Config{
		Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.AnalysisStats, Panics: &cfg.Stats.Panics, Log: cfg.Log,
		Match: l.Matches.View, Load: l.loadAnalysis, Save: store.SaveAnalysis,
		Nodes: cfg.AnalysisNodes, Max: cfg.Bounds.Analyses,
	})
	if err := l.joinNodes(ctx, last); err != nil {
		return nil, err
	}
	if err := l.Matches.Start(ctx); err != nil {
		l.endNode()
		return nil, err
	}
	go l.run()
	<-l.Lists.Ready
	return l, nil
}

// run runs every goroutine of the lobby.
func (l *Lobby) run() {
	until := func(f func(ctx context.Context)) func(ctx, writes context.Context) {
		return func(ctx, _ context.Context) { f(ctx) }
	}
	l.tasks.Run(closeGrace, l.endNode,
		until(l.scheduler.Run),
		until(l.sweep),
		until(l.Sessions.Run),
		until(l.Chat.Run),
		l.analyses.Run,
		until(l.Lists.Run),
		until(l.Quick.Run),
		until(l.Matches.RunDeadlines),
		l.node.KeepTime,
		until(l.Matches.Follow),
		until(l.Presence.Follow),
		until(l.Presence.ShowRows),
		until(l.Quick.Follow),
		until(func(ctx context.Context) { l.Restrictions.Follow(ctx, l.node, l.shared) }),
		until(func(ctx context.Context) { l.Relations.Follow(ctx, l.node, l.shared) }),
		until(l.Chat.FollowLines),
		until(func(ctx context.Context) { l.Sessions.Follow(ctx, l.node, l.shared) }),
		until(l.Chat.FollowNotices),
		until(l.Presence.Run),
		until(l.People.Run),
		until(func(ctx context.Context) { l.Matches.EndClosed(ctx); l.Matches.EndDeleted(ctx) }), // what the program that ended before did not come to
	)
}

// Close ends the club, or only this node if others are up, which take over its matches. Everybody who waits gets ErrClosed, writes under
// way are finished, and every goroutine has ended when it returns. The matches go on at the next New. It may be called again.
func (l *Lobby) Close() error {
	l.close.Do(func() {
		l.leave()
		l.feeds.Close(l.Closing())
	})
	l.tasks.Close()
	return nil
}

// Closing returns what people are told when this program stops: ErrNodeCloses if the club goes on at other nodes, else ErrClosed.
func (l *Lobby) Closing() error {
	if !l.node.Alone() {
		return ErrNodeCloses
	}
	return ErrClosed
}

// sweep has the store forget what has had its time.
func (l *Lobby) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if !l.node.Owns(sweeping) {
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
		l.Accounts.ForgetNames(ctx)
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
	for _, v := range l.catalogue.Levels {
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
		by = origin.Origin{Person: match.PersonOf(u.Occupant()), Addr: l.Sessions.Of(u.Occupant()).Addr}
	}
	p, err := l.analyses.Next(ctx, by, id, after)
	if errors.Is(err, analyses.ErrFailed) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrBusy) {
		err = refusal.OfStore(err)
	}
	return p, err
}

// loadAnalysis returns the analysis that the store has of a match.
func (l *Lobby) loadAnalysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error) {
	a, err := l.store.Analysis(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrDamaged) {
		return nil, err
	}
	return a, refusal.OfStore(err)
}

// Stats counts what happens in a club while the program runs. All fields only grow. The zero value is ready to use.
type Stats struct {
	live.Stats
	AnalysisStats
	matches.NodeStats
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
	load.Nodes, load.CutOff, load.Owned = l.node.Len(), l.node.CutOff(), counts.Owned
	return load
}

// NodeNames returns the names of the nodes that are up and of those that are missing (nodes.Nodes.Names); nil in a club with one node.
func (l *Lobby) NodeNames() (up, missing []string) { return l.node.Names() }

// Ready returns nil if new people should come to this node of the club, and else why not; see nodes.Reach.
func (l *Lobby) Ready() error { return l.reach.Ready() }

// NewAccount takes a new account from the limit of an address; see attempts.Limiter.
func (l *Lobby) NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error) {
	return l.limiter.NewAccount(ctx, from, every, burst)
}

// Connect says where a session of a user comes from; from.Person is the fingerprint of the key, if there is one. What the user asks
// for counts against that until disconnect is called.
func (l *Lobby) Connect(u User, from origin.Origin) (disconnect func()) {
	l.registry.SetBlocks(u.Key(), registry.BlocksOf(from.Addr))
	forget := l.Sessions.Connect(u, from)
	came := time.Now()
	return func() {
		l.Presence.Seen(u, came)
		forget()
	}
}

// randomSeed returns a seed from crypto/rand.
func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
