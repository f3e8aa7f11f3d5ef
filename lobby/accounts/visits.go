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

// visits keep where players come from, apart from what people wait for. When more come than the store takes, some are left out: the
// next visit is as good. Addresses are in memory alone, for a day, so that operators can ban one.
type visits struct {
	plain   bool // blocks of addresses are kept as they are
	waiting chan visit

	mu           sync.Mutex // guards what follows
	newer, older map[storage.PlayerID][]Address
}

// An Address is one that a player has come from since the club was started, and when last.
type Address struct {
	Addr netip.Addr
	Last time.Time
}

// The bounds of addresses: for how long they are known, how many of one player, and of how many players, twice.
const (
	addressLife    = 24 * time.Hour
	knownAddresses = 3
	knownPlayers   = 5000
)

// A visit is a player, with a key and from a block of addresses; either may be missing.
type visit struct {
	player      storage.PlayerID
	fingerprint string
	block       netip.Prefix
}

// The bounds of visits: how many wait to be written, and how many of a day are remembered not to ask the store again.
const (
	maxVisits  = 256
	knownToday = 10_000
)

func newVisits(plain bool) *visits {
	return &visits{plain: plain, waiting: make(chan visit, maxVisits), newer: map[storage.PlayerID][]Address{}}
}

// note takes in a visit and never waits. Of the address only the widest block is stored by which people are limited: the /24 or /48.
func (v *visits) note(u match.User, from origin.Origin, now time.Time) {
	if u.Kind != storage.Person {
		return
	}
	if from.Addr.IsValid() {
		v.seen(u.Player(), Address{from.Addr, now})
	}
	it := visit{player: u.Player()}
	if strings.HasPrefix(from.Person, "SHA256:") {
		it.fingerprint = from.Person
	}
	it.block = origin.Widest(from.Addr).Prefix
	if it.fingerprint == "" && !it.block.IsValid() {
		return
	}
	select {
	case v.waiting <- it:
	default:
	}
}

// seen takes in an address. The players who have come first are forgotten when there are too many.
func (v *visits) seen(id storage.PlayerID, a Address) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := slices.DeleteFunc(v.knownOf(id, a.Last), func(b Address) bool { return b.Addr == a.Addr })
	if len(v.newer) >= knownPlayers {
		v.newer, v.older = map[storage.PlayerID][]Address{}, v.newer
	}
	v.newer[id] = append([]Address{a}, known[:min(len(known), knownAddresses-1)]...)
}

// addresses returns where a player has come from lately, the last first.
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
