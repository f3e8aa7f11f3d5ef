// Package lobby makes the services of a club in order, runs their goroutines, and ends them. The packages below do the work, and callers ask
// them: Lobby has them as fields.
//
// Callers hold values (User, Ref, View) and handles (Seat), never a pointer into a match. Nothing is pushed to them: they ask for what is newer
// than what they have.
package lobby

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/engines"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/live"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nicknames"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/plans"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/studies"
	"ludoteca/lobby/tells"
	"ludoteca/lobby/thinking"
	"ludoteca/lobby/together"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/vacations"
)

// A Config says how a lobby works. The zero value of each field stands for what its comment says.
type Config struct {
	Games    []games.Game     // in the order in which they are shown; there must be one
	Levels   []Level          // computer players of all games, weakest first; there may be none
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

	Notices notices.Sender // takes notices out of the club; nil: nothing does

	AnalysisNodes int // positions that an analysis searches for each position of a match; 0: analysis.Budget
}

// orDefault returns c with what zero fields stand for.
func (c Config) orDefault() Config {
	if c.StoreFull == nil {
		c.StoreFull = func() bool { return false }
	}
	if c.Full == nil {
		c.Full = func() bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Seed == nil {
		c.Seed = randomSeed
	}
	if c.Stats == nil {
		c.Stats = new(Stats)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Workers <= 0 {
		c.Workers = thinking.DefaultWorkers()
	}
	return c
}

// DefaultBotDelay makes a computer player seem to think.
const DefaultBotDelay = 700 * time.Millisecond

const closeGrace = 5 * time.Second // how long Close waits for what is being written

// A Lobby is a club: its services. Any goroutine may use it.
type Lobby struct {
	PeopleServices
	MatchServices

	base       *base
	membership *membership
	close      sync.Once
}

// PeopleServices are services over people.
type PeopleServices struct {
	Restrictions *restrictions.Service
	Bulletin     *bulletin.Board
	Accounts     *accounts.Service
	Nicknames    *nicknames.Service
	Keys         *accounts.Keys
	Sessions     *accounts.Sessions
	Relations    *relations.Service
	Learning     *learning.Service
	Puzzles      *learning.Puzzles
	Practice     *learning.Practice
	Presence     *presence.Service
	Chat         *chat.Service
	Standings    *standings.Service
	Results      *standings.Results
	Studies      *studies.Service
	Together     *together.Service
	Tells        *tells.Service
	Lounge       *lounge.Service
	Notices      *notices.Service
}

// MatchServices are services over matches.
type MatchServices struct {
	Matches     *matches.Service
	Finder      *seats.Finder
	Manners     *seats.Manners
	Challenges  *seats.Challenges
	Rematches   *seats.Rematches
	Seats       *seats.Service
	Standing    *standingoffers.Service
	Plans       *plans.Service
	Vacations   *vacations.Service
	Quick       *quick.Service
	Tournaments *tournaments.Service
	Engines     *engines.Service
	Lists       *lists.Service
	People      *lists.People
	Television  *lists.Television
	Analyses    *analyses.Analyzer
	MissedWins  *analyses.MissedWins
	Operators   *operators.Service
}

// New opens a club and resumes all unfinished matches in the store. The time during which the club was closed is charged to no clock. New reads
// only their summaries. A match is loaded when a user looks at it or it has something to do; if its log is damaged, that is logged and the
// match is left alone. ctx bounds the reading. The caller must Close the lobby, and keep the store open until then.
func New(ctx context.Context, store Store, cfg Config) (*Lobby, error) {
	if len(cfg.Games) == 0 {
		return nil, errors.New("lobby: a club without games")
	}
	l := &Lobby{base: newBase(store, cfg.orDefault())}
	if err := l.openNode(ctx); err != nil {
		return nil, err
	}
	if err := l.makePeople(ctx); err != nil {
		return nil, err
	}
	l.makeMatches()
	l.makeSeats()
	if err := l.makeVacations(ctx); err != nil {
		return nil, err
	}
	l.makeLists()
	if err := l.membership.join(ctx); err != nil {
		return nil, err
	}
	if err := l.Matches.Start(ctx); err != nil {
		l.membership.end()
		return nil, err
	}
	go l.run()
	<-l.Lists.Ready
	return l, nil
}

// run runs every goroutine of the lobby.
func (l *Lobby) run() {
	b := l.base
	until := func(f func(ctx context.Context)) func(ctx, writes context.Context) {
		return func(ctx, _ context.Context) { f(ctx) }
	}
	b.tasks.Run(closeGrace, l.membership.end,
		until(b.scheduler.Run),
		until((&sweeper{b, l.Accounts}).run),
		until(l.Sessions.Run),
		until(l.Chat.Run),
		l.Analyses.Run,
		until(l.Lists.Run),
		until(l.Quick.Run),
		until(l.Matches.Deadlines.Run),
		l.Matches.Timekeeper.Run,
		until(func(ctx context.Context) { l.Bulletin.Follow(ctx, b.reach.Watch) }),
		until(l.Matches.Follower.Run),
		until(l.Presence.Follow),
		until(l.Presence.ShowRows),
		until(l.Nicknames.Run),
		until(l.Quick.Follow),
		until(l.Standing.Run),
		until(l.Standing.Follow),
		until(l.Tournaments.Run),
		until(l.Tournaments.Unfinished.Follow),
		until(func(ctx context.Context) { l.Restrictions.Follow(ctx, b.node, b.config.Shared) }),
		until(func(ctx context.Context) { l.Relations.Follow(ctx, b.node, b.config.Shared) }),
		until(l.Chat.FollowLines),
		until(func(ctx context.Context) { l.Sessions.Follow(ctx, b.node, b.config.Shared) }),
		until(b.messenger.Run),
		until(l.Notices.Run),
		until(l.Lounge.Run),
		until(func(ctx context.Context) { l.Notices.Follow(ctx, b.node, b.config.Shared) }),
		until(l.Vacations.Run),
		until(func(ctx context.Context) { l.Vacations.Follow(ctx, b.node, b.config.Shared) }),
		until(l.Presence.Run),
		until(l.People.Run),
		until(l.Matches.Ending.Run),
	)
}

// Close ends the club, or only this node if other nodes are up, which then take over its matches. Waiting readers get the error of Closing.
// Close finishes pending writes and waits for every goroutine. The matches go on at the next New. Close may be called again.
func (l *Lobby) Close() error {
	l.close.Do(func() {
		l.membership.leave()
		l.base.feeds.Close(l.Closing())
	})
	l.base.tasks.Close()
	return nil
}

// Closing returns the error that readers get when this program stops: ErrNodeCloses if the club goes on at other nodes, else ErrClosed.
func (l *Lobby) Closing() error {
	if !l.base.node.Alone() {
		return ErrNodeCloses
	}
	return ErrClosed
}

// Stats counts what happens in a club while the program runs. All fields only grow, but for Notices.Waiting. The zero value is ready to use.
type Stats struct {
	live.Stats
	AnalysisStats
	matches.NodeStats
	Notices notices.Stats
}

// A Load is how busy a club is at one moment.
type Load struct {
	Here     int // people, each counted once
	Matches  int // unfinished matches, including offers
	Offers   int // untaken public offers
	Thinking int // computer players that search for a move
	Analyses int // matches in the queue of analyses, including the first, which is worked on
	Waiting  int // computer players that wait for a worker, in exhibitions too

	LongestWait time.Duration // of a computer player in Waiting
	Lent        LentLoad      // cores of other machines
	Kinds       Kinds

	Nodes  int // that are up
	Owned  int // matches that this node owns
	CutOff bool
}

// Load returns the present load of the club.
func (l *Lobby) Load() Load {
	b := l.base
	load := Load{Here: b.here.Count(), Analyses: l.Analyses.Len()}
	counts := b.registry.Counts()
	load.Matches, load.Offers, load.Kinds = counts.Matches, counts.Offers, counts.Kinds
	load.Thinking, load.Waiting, load.LongestWait = b.scheduler.Load()
	load.Lent = b.scheduler.Lent()
	load.Nodes, load.CutOff, load.Owned = b.node.Len(), b.node.CutOff(), counts.Owned
	return load
}

// NodeNames returns the names of the nodes that are up and of the missing ones; nil in a club with one node. See nodes.Nodes.Names.
func (l *Lobby) NodeNames() (up, missing []string) { return l.base.node.Names() }

// Ready returns nil if new users should connect to this node of the club, else why not; see nodes.Reach.
func (l *Lobby) Ready() error { return l.base.reach.Ready() }

// NewAccount takes a new account from the limit of an address; see attempts.Limiter.
func (l *Lobby) NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error) {
	return l.base.limiter.NewAccount(ctx, from, every, burst)
}

// Lend lets computer players and analyses think on cores of another machine until ctx ends or the lobby closes; see thinking.Scheduler.Lend.
func (l *Lobby) Lend(ctx context.Context, from Lender, cores int) error {
	lending, end := context.WithCancel(ctx)
	defer end()
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-l.base.feeds.Closed():
			end()
		case <-lending.Done():
		}
	})
	err := l.base.scheduler.Lend(lending, from, cores)
	end()
	watching.Wait()
	return err
}

// Connect says where a session of a user comes from; from.Person is the fingerprint of the key, if there is one. What the user asks
// for counts against that until disconnect is called.
func (l *Lobby) Connect(u User, from origin.Origin) (disconnect func()) {
	l.base.registry.SetBlocks(u.Key(), registry.BlocksOf(from.Addr))
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
