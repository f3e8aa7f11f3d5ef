// Package restrictions has what is in force about people because of acts of operators and changes of accounts: bans, closed accounts, mutes, merged
// accounts, and new names. It passes on each change of an account, of this node and of others.
package restrictions

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

// A Store keeps what is in force; see accounts.RestrictionStore, accounts.Store and operators.Store.
type Store interface {
	Restrictions(ctx context.Context) (map[storage.PlayerID]accounts.Restriction, error)
	FormerNames(ctx context.Context) (map[storage.PlayerID][]string, error)
	Bans(ctx context.Context) ([]operators.Ban, error)
	Announcement(ctx context.Context) (operators.Announcement, error)
	LoungeClosed(ctx context.Context) (bool, error)
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
}

// A Config configures New. Announced must not block.
type Config struct {
	Store Store
	Now   func() time.Time // the clock of events
	Log   *slog.Logger
	Tasks *tasks.Group

	// Announced is called by each Read with the announcement.
	Announced func(operators.Announcement)

	// Changed is called by each Read but the first, and by Tell, when the service has in memory what is in force. It may wait for the store.
	Changed func(ctx context.Context, c Change)
}

// A Change is what has become different about accounts since the Change before. What is in force now, the service says.
type Change struct {
	InForce   bool // what is in force was read again, and may be different
	Elsewhere bool // another node has changed something, which may be more than the other fields say

	Renamed []storage.PlayerID // have another name
	Closed  []storage.PlayerID
	Deleted []storage.PlayerID
	Merged  []storage.PlayerID // both accounts of each merge, and of each merge that was undone

	Became []storage.PlayerID // computer accounts that have become one, or have named their owner
	Left   []storage.PlayerID // have lost their only key to another account, and so have ended

	Records bool // finished matches have other names in their records, or have been given to another player
}

// A Service has in memory what is in force. It reads the store when Read is called, and when another node has changed something. It is safe for
// concurrent use.
type Service struct {
	config Config
	acting *tasks.Turn // held by an operator who acts, or a player who changes their account

	mu  sync.Mutex // guards what follows
	now *decided
}

// New returns a service that has read nothing yet. The caller must call Read before anything else.
func New(c Config) *Service { return &Service{config: c, acting: c.Tasks.NewTurn()} }

// decided is what was in force when it was read. It is never changed.
type decided struct {
	restrictions map[storage.PlayerID]accounts.Restriction
	merged       map[storage.PlayerID][]storage.PlayerID // accounts that were merged with one
	names        map[storage.PlayerID]string             // of players who had another name before
	bans         []operators.Ban
	blocks       map[netip.Prefix]operators.Ban
	keys         map[string]operators.Ban
	bits         []int // the lengths of banned blocks
	loungeClosed bool
}

func (s *Service) get() *decided {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Begin waits until no other caller changes what Read reads. The caller makes its change, calls Read and then done. The errors are
// refusal.ErrClosed and ctx.Err().
func (s *Service) Begin(ctx context.Context) (done func(), err error) { return s.acting.Take(ctx) }

// Read reads what is in force from the store, and passes on what has changed. After an error nothing has changed. The caller has the turn of
// Begin, or is alone.
func (s *Service) Read(ctx context.Context) error { return s.read(ctx, false) }

// read is Read. elsewhere says that another node has changed something.
func (s *Service) read(ctx context.Context, elsewhere bool) error {
	now := &decided{
		merged: map[storage.PlayerID][]storage.PlayerID{}, names: map[storage.PlayerID]string{}, blocks: map[netip.Prefix]operators.Ban{}, keys: map[string]operators.Ban{},
	}
	store := s.config.Store
	var err error
	if now.restrictions, err = store.Restrictions(ctx); err != nil {
		return refusal.OfStore(err)
	}
	if now.bans, err = store.Bans(ctx); err != nil {
		return refusal.OfStore(err)
	}
	former, err := store.FormerNames(ctx)
	if err != nil {
		return refusal.OfStore(err)
	}
	for id := range former {
		p, err := store.Player(ctx, id)
		switch {
		case err == nil:
			now.names[id] = p.Name
		case !errors.Is(err, storage.ErrNotFound):
			return refusal.OfStore(err)
		}
	}
	now.indexBans()
	now.indexMerged()
	announcement, err := store.Announcement(ctx)
	if err != nil {
		return refusal.OfStore(err)
	}
	if now.loungeClosed, err = store.LoungeClosed(ctx); err != nil {
		return refusal.OfStore(err)
	}
	s.mu.Lock()
	before := s.now
	s.now = now
	s.mu.Unlock()
	s.config.Announced(announcement)
	if before != nil {
		c := now.since(before)
		c.InForce, c.Elsewhere = true, elsewhere
		s.config.Changed(ctx, c)
	}
	return nil
}

// since returns what has changed since an earlier reading.
func (d *decided) since(before *decided) (c Change) {
	for id, name := range d.names {
		if before.names[id] == name {
			continue
		}
		if c.Renamed = append(c.Renamed, id); name == accounts.FormerPlayer {
			c.Deleted = append(c.Deleted, id)
		}
	}
	for id, r := range d.restrictions {
		if r.Closed && !before.restrictions[id].Closed {
			c.Closed = append(c.Closed, id)
		}
		c.merged(id, before.restrictions[id].Into, r.Into)
	}
	for id, r := range before.restrictions {
		if _, still := d.restrictions[id]; !still {
			c.merged(id, r.Into, "")
		}
	}
	return c
}

// merged adds to a change that an account was merged with another one, or is merged no more.
func (c *Change) merged(id, before, now storage.PlayerID) {
	if before == now {
		return
	}
	for _, other := range []storage.PlayerID{id, before, now} {
		if other != "" && !slices.Contains(c.Merged, other) {
			c.Merged = append(c.Merged, other)
		}
	}
}

// Tell passes on a change that a caller has made, of which Read reads nothing.
func (s *Service) Tell(ctx context.Context, c Change) { s.config.Changed(ctx, c) }

func (d *decided) indexBans() {
	for _, b := range d.bans {
		block, err := netip.ParsePrefix(b.Subject)
		if err != nil {
			d.keys[b.Subject] = b
			continue
		}
		d.blocks[block] = b
		if !slices.Contains(d.bits, block.Bits()) {
			d.bits = append(d.bits, block.Bits())
		}
	}
}

// AddressBanned reports whether an address is banned now.
func (s *Service) AddressBanned(addr netip.Addr) bool {
	d := s.get()
	addr = addr.Unmap().WithZone("")
	for _, bits := range d.bits {
		block, err := addr.Prefix(bits)
		if b, banned := d.blocks[block]; err == nil && banned && !b.IsOver(s.config.Now()) {
			return true
		}
	}
	return false
}

// KeyBanned reports whether a key is banned now.
func (s *Service) KeyBanned(fingerprint string) bool {
	b, banned := s.get().keys[fingerprint]
	return banned && !b.IsOver(s.config.Now())
}

// Bans returns all bans in the store, including expired ones. Callers must not change the slice.
func (s *Service) Bans() []operators.Ban { return s.get().bans }

// Of returns what is in force about a player: the zero value for nothing.
func (s *Service) Of(id storage.PlayerID) accounts.Restriction { return s.get().restrictions[id] }

// Names returns the present names of all players who have had another one. Callers must not change the map.
func (s *Service) Names() map[storage.PlayerID]string { return s.get().names }

// LoungeClosed reports whether operators have closed the lounge.
func (s *Service) LoungeClosed() bool { return s.get().loungeClosed }

// Closed reports whether the account of a player is closed.
func (s *Service) Closed(id storage.PlayerID) bool { return s.Of(id).Closed }

// AllClosed returns the players whose accounts are closed, in no order.
func (s *Service) AllClosed() (ids []storage.PlayerID) {
	for id, r := range s.get().restrictions {
		if r.Closed {
			ids = append(ids, id)
		}
	}
	return ids
}

// Deleted reports whether a player has deleted their account.
func (s *Service) Deleted(id storage.PlayerID) bool {
	return s.get().names[id] == accounts.FormerPlayer
}

// AllDeleted returns the players who have deleted their accounts and whose former names are still kept, in no order.
func (s *Service) AllDeleted() (ids []storage.PlayerID) {
	for id, name := range s.get().names {
		if name == accounts.FormerPlayer {
			ids = append(ids, id)
		}
	}
	return ids
}

// MayPlay returns refusal.ErrAccountClosed for a user whose account is closed: they may neither sign in nor play.
func (s *Service) MayPlay(u match.User) error {
	if u.Kind.HasAccount() && s.Closed(u.Player()) {
		return refusal.ErrAccountClosed
	}
	return nil
}

// Own returns nil if a user has an account and may change it. The errors are refusal.ErrNeedsKey and the errors of MayPlay.
func (s *Service) Own(u match.User) error {
	if !u.Kind.HasAccount() {
		return refusal.ErrNeedsKey
	}
	return s.MayPlay(u)
}

// MutedUntil returns until when a user may not chat. It is zero or in the past if they may.
func (s *Service) MutedUntil(u match.User) time.Time { return s.Of(u.Player()).Muted }

// Named returns an occupant with their present name.
func (s *Service) Named(o storage.Occupant) storage.Occupant {
	if o.Kind.HasAccount() {
		if name, renamed := s.get().names[storage.PlayerID(o.ID)]; renamed {
			o.Name = name
		}
	}
	return o
}

// AccountsOf returns the accounts of a player: their own, and all that were merged with it.
func (s *Service) AccountsOf(id storage.PlayerID) []storage.PlayerID {
	return append([]storage.PlayerID{id}, s.get().merged[id]...)
}

// MainAccount returns the account with which an account was merged, or the same account if it was not.
func (s *Service) MainAccount(id storage.PlayerID) storage.PlayerID { return s.get().into(id) }

// indexMerged sets merged: for each account the accounts that were merged with it, directly or through others.
func (d *decided) indexMerged() {
	for id := range d.restrictions {
		if into := d.into(id); into != id {
			d.merged[into] = append(d.merged[into], id)
		}
	}
	for _, ids := range d.merged {
		slices.Sort(ids)
	}
}

// into returns the last account of the chain of merges that begins with an account, or the same account if it was not merged.
func (d *decided) into(id storage.PlayerID) storage.PlayerID {
	for range d.restrictions { // a limit, in case the chain is a circle
		next := d.restrictions[id].Into
		if next == "" {
			break
		}
		id = next
	}
	return id
}

// Shared is the store of a club with several nodes; see operators.Store.
type Shared interface {
	FollowDecisions(ctx context.Context, changed func()) error
}

// Follow reads what is in force whenever another node has changed it, until ctx ends.
func (s *Service) Follow(ctx context.Context, others nodes.Follower, shared Shared) {
	const pause = 250 * time.Millisecond // after an error of the store
	stale := make(chan struct{}, 1)
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		again := time.NewTimer(0)
		defer again.Stop()
		again.Stop()
		for {
			select {
			case <-stale:
			case <-again.C:
			case <-ctx.Done():
				return
			}
			if s.changedElsewhere(ctx) != nil {
				again.Reset(pause)
			}
		}
	})
	others.Follow(ctx, func(ctx context.Context) error {
		return shared.FollowDecisions(ctx, func() {
			select {
			case stale <- struct{}{}:
			default:
			}
		})
	})
}

// changedElsewhere reads what is in force, and passes on what has changed. After an error nothing has changed.
func (s *Service) changedElsewhere(ctx context.Context) error {
	done, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err = s.read(ctx, true); err != nil && ctx.Err() == nil {
		s.config.Log.Error("what operators have decided can't be read", "err", err)
	}
	return err
}
