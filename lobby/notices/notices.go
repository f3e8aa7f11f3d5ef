// Package notices tells players outside the club, by mail or ntfy, that a match waits for their move, that they are challenged, or that an event
// begins. A notice goes only to an address that its player has confirmed with a code, and holds no words of others but names.
//
//	addresses.go     where players want notices: asked for, confirmed, stopped
//	what_to_tell.go  what players are to be told
//	queue.go         the notices that wait, and tries to send them
//	queue_bounds.go  for how many more there is room
//
// What a player is told is counted in the store, in the transaction that queues the notice, before it is sent. The node that owns a player, as it
// would own a match, finds and sends the notices to them. Senders are outside the lobby. None of this holds up a move: one goroutine looks now and
// then at what the registry of matches has in memory, and each try has a goroutine of its own.
package notices

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/attempts"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/notices"
)

// A Store keeps addresses and notices; see notices.Store.
type Store interface {
	AskAddress(ctx context.Context, id storage.PlayerID, to notices.Destination, code notices.Code, now time.Time) (notices.Address, error)
	CodeSent(ctx context.Context, id storage.PlayerID, hash string) error
	UnsentCodes(ctx context.Context, now time.Time) ([]notices.UnsentCode, error)
	ConfirmAddress(ctx context.Context, id storage.PlayerID, hash string, now time.Time) (notices.Address, error)
	EndNotices(ctx context.Context, id storage.PlayerID) error
	StopNotices(ctx context.Context, stop string, now time.Time) ([]storage.PlayerID, error)
	Contact(ctx context.Context, id storage.PlayerID) (notices.Contact, error)
	Contacted(ctx context.Context) ([]notices.Contacted, error)

	TellTurns(ctx context.Context, id storage.PlayerID, waiting []notices.Turn, now time.Time) (notices.Tally, error)
	TellChallenges(ctx context.Context, id storage.PlayerID, open []notices.Challenge, now time.Time) (notices.Tally, error)
	TellEvent(ctx context.Context, id storage.PlayerID, e notices.Event, now time.Time) error
	QueuedNotices(ctx context.Context, limit int) ([]notices.Queued, error)
	BeginNotice(ctx context.Context, k notices.NoticeKey, now, next time.Time) (notices.Address, error)
	RemoveNotice(ctx context.Context, k notices.NoticeKey) error

	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
}

// A Shared is the store of a club with several nodes; see notices.Store.
type Shared interface {
	FollowContacts(ctx context.Context, f storage.Follower[storage.PlayerID, notices.Contacted]) error
}

// Matches has the unfinished matches; registry.Registry is one.
type Matches interface {
	Of(k match.Key) []*match.Summary
}

// Presence knows who is here; presence.Registry is one.
type Presence interface {
	Away(k match.Key) (since time.Time, gone bool)
}

// A Node knows what this node owns.
type Node interface {
	Owns(id storage.MatchID) bool
	Ready() bool
	CutOff() bool
}

// A Sender takes notices out of the club. It is safe for concurrent use.
type Sender interface {
	// Sends reports whether the operator has notices of a kind sent.
	Sends(kind notices.Kind) bool

	// Send sends a letter, and returns once it has been accepted elsewhere. The error wraps ErrRefused if it never will be. No error holds an
	// address.
	Send(ctx context.Context, to notices.Address, l Letter) error
}

// ErrRefused says that a letter is refused for good: trying again is of no use.
var ErrRefused = errors.New("the notice is refused")

// CodeAsked is the kind of a letter with the code that confirms an address.
const CodeAsked notices.NoticeKind = "code"

// A Letter is what a Sender puts into words.
type Letter struct {
	ID       string // the same for each try to send it; no other letter has it
	Language string // of the player; "" is not known
	Zone     string // the player's time zone; "" is UTC
	Player   string // the name
	Kind     notices.NoticeKind
	Code     string // of CodeAsked
	Matches  []Match
	Event    notices.Event
}

// A Match is one that waits for a move of the player, or a challenge to them.
type Match struct {
	Code     string
	Game     games.Game
	Opponent storage.Occupant
	Clock    clock.Setting
	Rated    bool
	Until    time.Time // when the player's time is up; zero: never
}

// Stats counts notices while the program runs. All fields only grow, but for Waiting.
type Stats struct {
	Mail    atomic.Int64 // letters sent by mail, codes included
	Ntfy    atomic.Int64 // by ntfy
	Failed  atomic.Int64 // tries that failed
	Refused atomic.Int64 // letters that were refused for good
	GivenUp atomic.Int64 // letters that could not be sent for a day
	Waiting atomic.Int64 // letters that wait now, in the whole club, as this node last saw
}

func (s *Stats) sent(kind notices.Kind) {
	if kind == notices.Mail {
		s.Mail.Add(1)
	} else {
		s.Ntfy.Add(1)
	}
}

// A Config configures New.
type Config struct {
	Store        Store
	Sender       Sender // nil: nothing is sent
	Restrictions *restrictions.Service
	Matches      Matches
	Presence     Presence
	Blocks       func(storage.PlayerID) []Block // that a player comes from, or came from when last here; none if that isn't known. It must not wait
	Node         Node
	Limiter      attempts.Limiter
	Guesses      attempts.Attempts // at stop codes
	Tasks        *tasks.Group
	Now          func() time.Time // the clock of events
	Log          *slog.Logger
	Stats        *Stats
}

// A Service has the notices of a club. It is safe for concurrent use.
type Service struct {
	config Config
	asking attempts.Attempts
	opened time.Time     // by the machine's clock
	wake   chan struct{} // holds one when there may be something to send
	queue  *queue
	room   *room

	mu        sync.Mutex                        // guards what follows
	contacted map[storage.PlayerID]notices.Kind // players with a confirmed address, and its kind
}

// Limits of asking for codes from one block of addresses, as often as its weight. A person has limits of their own in the store.
const (
	askEvery = 4 * time.Hour
	askBurst = 6
	askers   = 1 << 14 // people, and blocks of each weight, that are remembered
)

// New returns a service. The caller must run Run, and Follow.
func New(c Config) *Service {
	s := &Service{
		config: c, asking: c.Limiter.Attempts("notice", askEvery, askBurst, askers), opened: time.Now(), wake: make(chan struct{}, 1), room: newRoom(c.Blocks),
		contacted: map[storage.PlayerID]notices.Kind{},
	}
	s.queue = newQueue(s)
	return s
}

// Sends reports whether the club sends notices of a kind.
func (s *Service) Sends(kind notices.Kind) bool {
	return s.config.Sender != nil && s.config.Sender.Sends(kind)
}

// lookEvery is how often players with something to be told, and notices that are due, are looked for.
const lookEvery = 15 * time.Second

// Run finds and sends notices until ctx ends.
func (s *Service) Run(ctx context.Context) {
	if !s.Sends(notices.Mail) && !s.Sends(notices.Ntfy) {
		return
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	find := newFinder(s)
	for read := false; ; {
		if !read {
			read = s.read(ctx)
		}
		if read && s.config.Node.Ready() && !s.config.Node.CutOff() {
			find.find(ctx)
			s.queue.send(ctx)
		}
		select {
		case <-ticker.C:
		case <-s.wake:
		case <-ctx.Done():
			return
		}
	}
}

// soon has Run look again at once.
func (s *Service) soon() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// read reads who has a confirmed address, and the codes that the program had not sent when it ended.
func (s *Service) read(ctx context.Context) bool {
	all, err := s.config.Store.Contacted(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.config.Log.Error("the addresses of notices can't be read", "err", err)
		}
		return false
	}
	for _, c := range all {
		s.contact(c.Player, c.Kind)
	}
	unsent, err := s.config.Store.UnsentCodes(ctx, s.config.Now())
	if err != nil {
		if ctx.Err() == nil {
			s.config.Log.Error("the codes that wait can't be read", "err", err)
		}
		return false
	}
	for _, c := range unsent {
		if s.owns(c.Player) {
			s.queue.addCode(c)
		}
	}
	return true
}

// Follow follows who has a confirmed address until ctx ends.
func (s *Service) Follow(ctx context.Context, others nodes.Follower, shared Shared) {
	others.Follow(ctx, func(ctx context.Context) error {
		return shared.FollowContacts(ctx, nodes.Mirror[storage.PlayerID, notices.Contacted]{
			Key:   func(row notices.Contacted) storage.PlayerID { return row.Player },
			Known: func() []storage.PlayerID { return s.players(func(storage.PlayerID) bool { return true }) },
			Put:   func(row notices.Contacted, _ bool) { s.contact(row.Player, row.Kind) },
			Gone:  s.Forget,
		}.Follower(others.Unreadable))
	})
}

// contact records the kind of a player's confirmed address; "" is none.
func (s *Service) contact(id storage.PlayerID, kind notices.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == "" {
		delete(s.contacted, id)
		return
	}
	s.contacted[id] = kind
}

// Forget forgets the address of a player whose account is gone.
func (s *Service) Forget(id storage.PlayerID) { s.contact(id, "") }

// players returns the players with a confirmed address for whom want returns true, sorted.
func (s *Service) players(want func(storage.PlayerID) bool) (ids []storage.PlayerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.contacted {
		if want(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// kindOf returns the kind of a player's confirmed address, "" if there is none.
func (s *Service) kindOf(id storage.PlayerID) notices.Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contacted[id]
}

// owns reports whether this node finds and sends the notices to a player.
func (s *Service) owns(id storage.PlayerID) bool {
	return s.config.Node.Owns(storage.MatchID("notices to " + id)) // not a match
}
