package accounts

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// visits record where players connect from, in the background. When visits arrive faster than the store writes, some are dropped: the next
// one is as good. Addresses stay in memory, for addressLife, so that operators can ban one.
type visits struct {
	plain   bool // blocks of addresses are kept as they are
	waiting chan visit

	mu           sync.Mutex // guards what follows
	newer, older map[storage.PlayerID][]Address
}

// An Address is an IP address that a player has connected from since the club was started.
type Address struct {
	Addr netip.Addr
	Last time.Time // of the player's last connection from it
}

// The bounds of addresses in memory.
const (
	addressLife    = 24 * time.Hour
	knownAddresses = 3    // of one player
	knownPlayers   = 5000 // in each of visits.newer and visits.older
)

// A visit is a player, with a key and from a block of addresses; either may be missing.
type visit struct {
	player      storage.PlayerID
	fingerprint string
	block       netip.Prefix
}

// The bounds of visits in memory.
const (
	maxVisits  = 256    // that wait to be written
	knownToday = 10_000 // of today that are not written again
)

func newVisits(plain bool) *visits {
	return &visits{plain: plain, waiting: make(chan visit, maxVisits), newer: map[storage.PlayerID][]Address{}}
}

// note queues a visit for the store, or drops it if the queue is full. The store gets the widest block of the address, the /24 or /48, or
// the address of a relay.
func (v *visits) note(u match.User, from origin.Origin, now time.Time) {
	if !u.Kind.HasAccount() {
		return
	}
	if from.Addr.IsValid() {
		v.seen(u.Player(), Address{from.Addr, now})
	}
	it := visit{player: u.Player()}
	if strings.HasPrefix(from.Person, "SHA256:") {
		it.fingerprint = from.Person
	}
	if it.block = origin.Widest(from.Addr).Prefix; from.Relay.IsValid() {
		it.block = netip.PrefixFrom(from.Relay, from.Relay.BitLen())
	}
	if it.fingerprint == "" && !it.block.IsValid() {
		return
	}
	select {
	case v.waiting <- it:
	default:
	}
}

// seen remembers an address of a player. When there are too many players, the addresses of earlier ones are forgotten.
func (v *visits) seen(id storage.PlayerID, a Address) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := slices.DeleteFunc(v.knownOf(id, a.Last), func(b Address) bool { return b.Addr == a.Addr })
	if len(v.newer) >= knownPlayers {
		v.newer, v.older = map[storage.PlayerID][]Address{}, v.newer
	}
	v.newer[id] = append([]Address{a}, known[:min(len(known), knownAddresses-1)]...)
}

// addresses returns the addresses that a player has connected from within addressLife, the newest first.
func (v *visits) addresses(id storage.PlayerID, now time.Time) []Address {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.knownOf(id, now)
}

// knownOf is addresses with mu held.
func (v *visits) knownOf(id storage.PlayerID, now time.Time) []Address {
	known, ok := v.newer[id]
	if !ok {
		known = v.older[id]
	}
	return slices.DeleteFunc(slices.Clone(known), func(a Address) bool { return now.Sub(a.Last) >= addressLife })
}

// run writes visits until ctx ends.
func (v *visits) run(ctx context.Context, c SessionsConfig) {
	known, day := map[visit]bool{}, time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case it := <-v.waiting:
			now := c.Now()
			if today := now.UTC().Truncate(24 * time.Hour); !today.Equal(day) || len(known) >= knownToday {
				known, day = map[visit]bool{}, today
			}
			if known[it] {
				continue
			}
			if err := c.Store.Visited(ctx, it.player, it.fingerprint, it.block, v.plain, now); err != nil {
				if ctx.Err() == nil {
					c.Log.Error("a visit is not kept", "err", err)
				}
				continue
			}
			known[it] = true
		}
	}
}
