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
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
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

	KeepAddresses bool // keep blocks of addresses that players come from as they are; else only salted hashes

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
	limits Limits      // at the start; index has those in force
	full   func() bool // Config.Full
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
	presence     *presence.Registry
	presenceNews *presenceNews
	people       *people
	guesses      atomic.Pointer[origin.Throttle] // of wrong codes
	recoveries   *recoveries
	pace         pace
	aborts       *origin.Throttle // matches with people that were called off
	quick        *quickMatches
	challenges   challengePace
	origins      *origins // of everybody with a session
	leaderboards *leaderboards
	analyses     *analyses.Queue
	decisions    *decisions       // of operators
	relations    *relations.Graph // of all players
	chats        *chat.Rooms
	chatting     *origin.Throttle // lines of people
	visits       *visits          // that are to be kept
	reporting    *origin.Throttle // reports about players
	announced    *feed.Feed[storage.Announcement]
	guestSecret  [32]byte // makes the ids of guests unguessable

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
	limits := cfg.Limits.orDefault()
	l := &Lobby{
		store: store, games: cfg.Games, levels: cfg.Levels, limits: limits, full: cfg.Full, now: cfg.Now, log: cfg.Log, stats: cfg.Stats,
		feeds: feed.NewGroup(), scheduler: thinking.NewScheduler(cfg.Workers),
		finished: newFinishedCache(limits.CachedPlies), rematches: newRematches(), presenceNews: newPresenceNews(), origins: newOrigins(),
		pace: newPace(limits), aborts: newAborts(limits), challenges: newChallengePace(), leaderboards: newLeaderboards(),
		decisions: new(decisions), visits: newVisits(cfg.KeepAddresses), reporting: newReporting(), recoveries: newRecoveries(), acting: make(chan struct{}, 1),
		pairing: make(chan struct{}, 1), relating: make(chan struct{}, 1), spawn: make(chan func(ctx, writes context.Context)),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	l.quick = newQuickMatches(l.blockedEitherWay, l.closing)
	l.guesses.Store(newGuesses(limits))
	rand.Read(l.guestSecret[:])
	l.presence = presence.New(cfg.Now, l.presenceChanged)
	l.people = newPeople(l.feeds)
	l.announced = feed.New[storage.Announcement](l.feeds)
	if err := l.readDecisions(ctx); err != nil {
		return nil, err
	}
	related, err := store.Relations(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: %w", err)
	}
	l.relations = relations.New(related, l.feeds)
	l.chats, l.chatting = chat.NewRooms(store, l.feeds, l.goesOn), newChatting()
	downSince, err := store.LastBeat(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: %w", err)
	}
	l.live = live.Config{
		Store: store, Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.Stats, Log: cfg.Log,
		Game: l.Game, Level: l.level, Strongest: l.strongest, Seed: cfg.Seed, Now: cfg.Now,
		Away: l.away, Presence: l.presence.Presence, Origin: l.origins.of, Strength: l.strength, Named: l.named, Changed: l.matchChanged, Quarantine: l.quarantineMatch,
		Unload: l.unloadMatch, DownSince: downSince, Up: cfg.Now().UTC().Truncate(time.Millisecond),
		MaxPlies: limits.Plies, BotDelay: cfg.BotDelay, AwayOffer: limits.AwayOffer, AwayGuest: limits.AwayGuest,
		PrivateWait: limits.PrivateWait, Unwatched: limits.Unwatched, Idle: limits.Idle,
	}
	l.index = newIndex(limits, &l.live)
	l.lists = newLists(limits, l.index, l.presence.Count, l.playing, l.feeds)
	l.analyses = analyses.NewQueue(analyses.Config{
		Scheduler: l.scheduler, Feeds: l.feeds, Stats: &cfg.Stats.AnalysisStats, Panics: &cfg.Stats.Panics, Log: cfg.Log,
		Match: l.view, Load: l.loadAnalysis, Save: store.SaveAnalysis,
		Nodes: cfg.AnalysisNodes, Max: limits.Analyses, Linger: limits.AnalysisLinger,
	})
	if err := l.readSummaries(ctx); err != nil {
		return nil, err
	}
	if err := l.readHomes(ctx); err != nil {
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
	all.Go(func() { l.beat(ctx, writes) })
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

// matchChanged files a match after each change. The match's own goroutine calls it before its view is published.
func (l *Lobby) matchChanged(m *live.Match, v *View) {
	if v.Over {
		l.finished.put(m.ID(), m.Views(), v.Ply()) // before the index forgets it: a match is always found
		if v.Ratings != nil {
			l.leaderboards.rated(v.Game.About().ID)
		}
		l.countAbort(v)
	}
	l.indexed(l.index.put(m, v))
	if v.Over {
		l.chats.End(m.ID()) // after the index has forgotten it
	}
	l.rematchChanged(&v.Summary, v.Over)
}

// unloadMatch takes a match out of memory, and says whether it is: not if somebody looks at it.
func (l *Lobby) unloadMatch(m *live.Match, w live.Waiting) bool { return l.index.unload(m, w) }

// quarantineMatch takes a match that can't go on out of play.
func (l *Lobby) quarantineMatch(m *live.Match) { l.indexed(l.index.quarantine(m.ID())) }

// indexed passes on what has changed in the index.
func (l *Lobby) indexed(c change) {
	l.presence.Forget(c.free...)
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
	keep := l.index.limitsNow().KeepCasual
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
// many wait already, ErrBusy, ErrClosed, and that of ctx. It knows no unfinished private match: ErrNoSuchMatch.
func (l *Lobby) Analysis(ctx context.Context, id storage.MatchID, after uint64) (*AnalysisProgress, error) {
	if s, _ := l.index.find(id); s != nil && !s.Public {
		return nil, ErrNoSuchMatch
	}
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
}

// Kinds counts unfinished matches.
type Kinds struct {
	Waiting     int // a seat is free
	People      int // running between people
	Bots        int // between a person and a computer player
	Exhibitions int // between two computer players
}

// Load returns what the club carries now.
func (l *Lobby) Load() Load {
	load := Load{Here: l.presence.Count(), Analyses: l.analyses.Len()}
	load.Matches, load.Offers, load.Kinds = l.index.counts()
	load.Thinking, load.Waiting, load.LongestWait = l.scheduler.Load()
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

// strength returns how strong the occupant of a seat is; unknown if the store does not say.
func (l *Lobby) strength(ctx context.Context, o storage.Occupant, game string) Strength {
	if o.Kind != storage.Person {
		return Strength{}
	}
	ratings, err := l.store.Ratings(ctx, storage.PlayerID(o.ID))
	r, ok := ratings[game]
	if err != nil || !ok {
		return Strength{}
	}
	return strengthOf(standing(game, r, l.now()))
}

func strengthOf(s Standing) Strength {
	return Strength{Known: true, Rating: s.Rating, Deviation: s.Deviation, Provisional: s.Provisional}
}

// views returns the feed of any match, running or finished; ErrNoSuchMatch, ErrDamaged, ErrFull, ErrBusy.
func (l *Lobby) views(ctx context.Context, id storage.MatchID) (*feed.Feed[*View], error) {
	m, err := l.inMemory(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return m.Views(), nil
	}
	if views := l.finished.get(id); views != nil {
		return views, nil
	}
	f, err := l.store.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, ErrNoSuchMatch
	case errors.Is(err, storage.ErrDamaged):
		return nil, ErrDamaged
	case err != nil:
		return nil, storeError(err)
	}
	return l.loadFinished(f)
}

// loadFinished puts a match from the records into the cache.
func (l *Lobby) loadFinished(f storage.Finished) (*feed.Feed[*View], error) {
	s, err := match.Replay(f, l.Game)
	if err != nil {
		l.log.Error("the record of a match is damaged", "match", f.ID, "err", err)
		return nil, ErrDamaged
	}
	v, views := s.View(), feed.New[*View](l.feeds)
	v.Rated, v.Ratings = f.Rated, f.Ratings // as the record says: earlier versions rated matches of any length
	views.Update(func(_ *View, seq uint64) (*View, bool) {
		v.Seq = seq
		v.Presence, v.Spectators = l.presence.Presence(f.ID, v.Seats)
		return v, true
	})
	views = l.finished.put(f.ID, views, v.Ply())
	l.showRematch(f.ID)
	return views, nil
}

// next returns a view of any match as soon as its Seq is above after. The errors are those of views and of feed.Feed.Next.
func (l *Lobby) next(ctx context.Context, id storage.MatchID, after uint64) (*View, error) {
	for {
		views, err := l.views(ctx, id)
		if err != nil {
			return nil, err
		}
		if v, _, err := views.Next(ctx, after); !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// view returns the present view of any match. The errors are those of next.
func (l *Lobby) view(ctx context.Context, id storage.MatchID) (*View, error) {
	return l.next(ctx, id, 0)
}

// rematchChanged notes what has become of a rematch, and shows it to those who look at the match that it repeats.
func (l *Lobby) rematchChanged(s *match.Summary, over bool) {
	if s.RematchOf == "" {
		return
	}
	r := &Rematch{Ref: s.Ref, Taken: !s.Started.IsZero()}
	if s.Opener != storage.Nobody {
		r.By = s.Seats[s.Opener.Side()]
	}
	if over {
		r = nil
	}
	if l.rematches.set(s.RematchOf, r) {
		l.showRematch(s.RematchOf)
	}
}

// showRematch puts the rematch of a finished match into its view, if somebody may be looking.
func (l *Lobby) showRematch(id storage.MatchID) {
	views := l.finished.get(id)
	if views == nil {
		return
	}
	views.Update(func(old *View, seq uint64) (*View, bool) {
		if old == nil {
			return nil, false
		}
		r := l.rematches.of(id)
		if r == old.Rematch || r != nil && old.Rematch != nil && *r == *old.Rematch {
			return nil, false
		}
		if r == nil && old.Rematch.Taken {
			return nil, false // it was played: that it is over takes nothing back
		}
		v := *old
		v.Seq, v.Rematch = seq, r
		return &v, true
	})
}

// Connect says where a session of a user comes from; from.Person is the fingerprint of the key, if there is one. What the user asks
// for counts against that until disconnect is called.
func (l *Lobby) Connect(u User, from origin.Origin) (disconnect func()) {
	l.visits.note(u, from, l.now())
	l.index.comeFrom(u.Key(), from.Addr)
	from.Person = personOf(u.Occupant())
	forget := l.origins.connect(u.Key(), from)
	return func() {
		l.seen(u)
		forget()
	}
}

// Next returns a user's present lists as soon as their Seq is above after and something in them has changed that everybody
// sees or that concerns the user. Start with 0. New lists are made at most every Limits.ListEvery, what everybody sees of
// them at most every PublicEvery; moves in running matches, and people who come or go, show after Limits.RunningPly at the
// latest. What is new for everybody reaches each user within another ListEvery, at a time of their own: so the screens of
// all who look at the lobby are not drawn at the same moment. The errors are that of ctx and ErrClosed.
func (l *Lobby) Next(ctx context.Context, u User, after uint64) (*Lists, error) {
	var due <-chan time.Time // nil until everybody's lists have changed
	for {
		lists, now := l.lists.read(u.Key())
		if now.own > after || now.public > after && after == 0 {
			return lists, nil
		}
		if now.public > after && due == nil {
			timer := time.NewTimer(l.lists.delayOf(u.Key()))
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-now.newPublic:
		case <-now.newOwn:
		case <-due:
			return l.Lists(u), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.feeds.Closed():
			return nil, l.feeds.Err()
		}
		if ctx.Err() != nil { // a user who has left gets no feed again
			return nil, ctx.Err()
		}
	}
}

// Lists returns a user's present lists at once; they may be Limits.ListEvery behind.
func (l *Lobby) Lists(u User) *Lists {
	lists, _ := l.lists.read(u.Key())
	return lists
}

// Offers returns the public offers at this very moment, the oldest first; at most Limits.Listed.
func (l *Lobby) Offers() []Offer { return first(l.limits.Listed, l.index.openOffers(), byAge, offerOf) }

// Yours returns what concerns a user at this very moment.
func (l *Lobby) Yours(u User) Yours { return yoursOf(u.Key(), l.index.of(u.Key())) }
