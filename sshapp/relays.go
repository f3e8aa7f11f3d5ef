package sshapp

import (
	"net/netip"
	"sync"
)

// # Relays
//
// A relay brings many people from one address: another club, a bulletin board, a web terminal. Its people are told apart by their keys, and have
// the limits by person; the limits by address would count them as one household, so they don't hold for a relay. In their place the relay
// has budgets as a whole: of sessions and signed-in connections (Limits.RelaySessions), of guests (RelayGuests), whose acts also count
// against the address of the relay, of new accounts (RelayAccounts), and of half of the places for connections that sign in.

// relays are the addresses of relays.
type relays map[netip.Addr]bool

func relaysOf(addrs []netip.Addr) relays {
	all := make(relays, len(addrs))
	for _, a := range addrs {
		all[a.Unmap().WithZone("")] = true
	}
	return all
}

// has reports whether an address is that of a relay.
func (r relays) has(a netip.Addr) bool { return r[a.Unmap().WithZone("")] }

// relayUnauth returns how many of the connections that sign in one relay may have.
func relayUnauth(places int) int { return max(1, places/2) }

// relayGuests counts the guests of each relay. Any goroutine may use it.
type relayGuests struct {
	mu sync.Mutex // guards of
	of map[netip.Addr]int
}

// come counts a guest of a relay. ok is false if the relay has most guests already, and this one is not counted.
func (g *relayGuests) come(from netip.Addr, most int) (ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from = from.Unmap().WithZone("")
	if g.of[from] >= most {
		return false
	}
	if g.of == nil {
		g.of = make(map[netip.Addr]int)
	}
	g.of[from]++
	return true
}

// leave forgets a guest that come has counted.
func (g *relayGuests) leave(from netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from = from.Unmap().WithZone("")
	if g.of[from]--; g.of[from] <= 0 {
		delete(g.of, from)
	}
}
