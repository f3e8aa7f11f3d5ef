package accounts

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
)

// A SessionEnder ends sessions that are served just now.
type SessionEnder interface {
	// EndBanned ends the sessions of all users who are banned now.
	EndBanned()
	// EndKeys ends the sessions of some keys and tells them why: refusal.IsDismissal(why) is true.
	EndKeys(fingerprints []string, why error)
}

// NoSessions is a SessionEnder for programs without sessions. Its methods do nothing.
type NoSessions struct{}

// EndBanned does nothing.
func (NoSessions) EndBanned() {}

// EndKeys does nothing.
func (NoSessions) EndKeys([]string, error) {}

// A SessionStore keeps the owners of keys and the visits of players; see accounts.Store and accounts.VisitStore.
type SessionStore interface {
	Player(ctx context.Context, id storage.PlayerID) (accountstore.Player, error)
	PlayerByKey(ctx context.Context, fingerprint string) (accountstore.Player, error)

	// Visited records a visit of a player: the key and the block of addresses, either of which may be missing.
	Visited(ctx context.Context, id storage.PlayerID, fingerprint string, block netip.Prefix, plain bool, now time.Time) error
}

// A SessionsConfig configures NewSessions.
type SessionsConfig struct {
	Store         SessionStore
	Now           func() time.Time // the clock of events
	Log           *slog.Logger
	KeepAddresses bool // keep blocks of addresses as they are; else only salted hashes
}

// Sessions knows the origin and the key of each session, of users who are not in the lists too, and records their visits.
// It is safe for concurrent use.
type Sessions struct {
	config  SessionsConfig
	visits  *visits
	serving atomic.Pointer[SessionEnder]

	mu      sync.Mutex // guards what follows
	people  map[match.Key]*connected
	players map[string]map[storage.PlayerID]int // by key: the number of its sessions as each player
}

// A connected is a person with sessions.
type connected struct {
	from     origin.Origin // of the newest session
	sessions int
}

// NewSessions returns a Sessions without sessions.
func NewSessions(c SessionsConfig) *Sessions {
	return &Sessions{config: c, visits: newVisits(c.KeepAddresses), people: make(map[match.Key]*connected), players: make(map[string]map[storage.PlayerID]int)}
}

// Connect adds a session of a user and records it as a visit. from.Person is the fingerprint of the key, if there is one. Of returns the
// origin until disconnect is called.
func (s *Sessions) Connect(u match.User, from origin.Origin) (disconnect func()) {
	s.visits.note(u, from, s.config.Now())
	key := from.Person
	from.Person = match.PersonOf(u.Occupant())
	s.mu.Lock()
	defer s.mu.Unlock()
	who := u.Key()
	c := s.people[who]
	if c == nil {
		c = new(connected)
		s.people[who] = c
	}
	c.from = from
	c.sessions++
	s.count(key, u.Player(), 1)
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.sessions--; c.sessions == 0 {
			delete(s.people, who)
		}
		s.count(key, u.Player(), -1)
	})
}

// count adds n to the number of sessions that a key has as a player. It ignores sessions without a key or a player. The caller holds mu.
func (s *Sessions) count(key string, as storage.PlayerID, n int) {
	if key == "" || as == "" {
		return
	}
	players := s.players[key]
	if players == nil {
		players = make(map[storage.PlayerID]int)
		s.players[key] = players
	}
	if players[as] += n; players[as] == 0 {
		delete(players, as)
	}
	if len(players) == 0 {
		delete(s.players, key)
	}
}

// keys returns the keys that have sessions.
func (s *Sessions) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.players))
}

// signedIn returns the players as whom a key has sessions.
func (s *Sessions) signedIn(key string) []storage.PlayerID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.players[key]))
}

// Of returns the origin of a user's newest session. It has no address if the user has no session.
func (s *Sessions) Of(who storage.Occupant) origin.Origin {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.people[match.KeyOf(who)]; c != nil {
		return c.from
	}
	return origin.Origin{Person: match.PersonOf(who)}
}

// Use sets what ends sessions of this node. It is called once, before the first session.
func (s *Sessions) Use(ender SessionEnder) { s.serving.Store(&ender) }

// Served returns what Use has set, else NoSessions.
func (s *Sessions) Served() SessionEnder {
	if ender := s.serving.Load(); ender != nil {
		return *ender
	}
	return NoSessions{}
}

// Shared is the store of a club with several nodes; see accounts.Store.
type Shared interface {
	FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner storage.PlayerID)) error
}

// Follow ends the sessions of keys that have left their accounts at other nodes, until ctx ends.
func (s *Sessions) Follow(ctx context.Context, others nodes.Follower, shared Shared) {
	others.Follow(ctx, func(ctx context.Context) error {
		missed := func() error {
			for _, fingerprint := range s.keys() {
				p, err := s.config.Store.PlayerByKey(ctx, fingerprint)
				if err != nil && !errors.Is(err, storage.ErrNotFound) {
					return err
				}
				s.keyChanged(ctx, fingerprint, p.ID)
			}
			return nil
		}
		return shared.FollowKeys(ctx, missed, func(fingerprint string, owner storage.PlayerID) { s.keyChanged(ctx, fingerprint, owner) })
	})
}

// keyChanged ends the sessions that a key has as a player other than its owner. owner is "" for a key that has none: all its sessions end, also
// one that has not signed in.
func (s *Sessions) keyChanged(ctx context.Context, fingerprint string, owner storage.PlayerID) {
	players := s.signedIn(fingerprint)
	at := slices.IndexFunc(players, func(player storage.PlayerID) bool { return player != owner })
	switch {
	case at >= 0:
		s.Served().EndKeys([]string{fingerprint}, s.whyKeyLeft(ctx, players[at], owner))
	case owner == "":
		s.Served().EndKeys([]string{fingerprint}, refusal.ErrKeyRemoved)
	}
}

// whyKeyLeft returns the error that tells a player why the key now belongs to owner, which is "" if it belongs to no account.
func (s *Sessions) whyKeyLeft(ctx context.Context, player, owner storage.PlayerID) error {
	was, err := s.config.Store.Player(ctx, player)
	deleted := err == nil && !was.Deleted.IsZero()
	switch {
	case deleted && owner == "":
		return refusal.ErrAccountDeleted
	case owner == "":
		return refusal.ErrKeyRemoved
	case deleted:
		return refusal.ErrKeyClaimed
	}
	if is, err := s.config.Store.Player(ctx, owner); err == nil {
		return &refusal.KeyMovedError{To: is.Name}
	}
	return refusal.ErrKeyClaimed
}

// Run writes visits to the store until ctx ends.
func (s *Sessions) Run(ctx context.Context) { s.visits.run(ctx, s.config) }

// Addresses returns the addresses that a player has connected from in the last 24 hours, the newest first.
func (s *Sessions) Addresses(id storage.PlayerID, now time.Time) []Address {
	return s.visits.addresses(id, now)
}
