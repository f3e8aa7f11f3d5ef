package sshapp

import (
	"net/netip"
	"sync"
	"time"

	"ludoteca/lobby/origin"
)

// # Penalties
//
// As in OpenSSH (PerSourcePenalties), an address earns a penalty for each connection that ends before it has signed in. Penalties are
// seconds; they add up and run out as time goes by. While more than penaltyMin is left, new connections from the address are refused.
// Blocks of addresses earn penalties too, divided by their weight, so that a client with a new address of its block for each connection is
// refused as well. An address from which a client has signed in lately pays for itself alone.

const (
	penaltySilent    = 10 * time.Second // did not sign in in time
	penaltyFailed    = 5 * time.Second  // no way of signing in that the club takes, or too many tries
	penaltyHandshake = time.Second      // no key exchange: a scanner, or another protocol
	penaltyMin       = 15 * time.Second
	penaltyMax       = 10 * time.Minute
)

// The bounds of a reputation. maxPenalties bounds the blocks with penalties. knownFor and maxKnown bound, each by itself, the addresses of
// clients and the addresses of regulars that have signed in.
const (
	maxPenalties = 1 << 15
	maxKnown     = 1 << 14
	knownFor     = 30 * 24 * time.Hour
)

// penaltyFor returns what the end of a connection costs that has not signed in.
func penaltyFor(why reason) time.Duration {
	switch why {
	case loginTimeout:
		return penaltySilent
	case noAuth:
		return penaltyFailed
	case noHandshake:
		return penaltyHandshake
	}
	return 0
}

// A reputation knows which blocks of addresses have penalties, and from which addresses people and regulars have signed in. Any goroutine may
// use it.
type reputation struct {
	mu        sync.Mutex                 // guards what follows
	penalties map[netip.Prefix]time.Time // when they have run out
	known     map[netip.Prefix]time.Time // when a client last signed in from there
	regulars  map[netip.Prefix]time.Time // when a regular last signed in from there
}

func newReputation() *reputation {
	return &reputation{penalties: make(map[netip.Prefix]time.Time), known: make(map[netip.Prefix]time.Time), regulars: make(map[netip.Prefix]time.Time)}
}

// punish adds a penalty to an address and its blocks.
func (r *reputation) punish(now time.Time, from netip.Addr, penalty time.Duration) {
	if penalty == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range origin.Blocks(from) {
		end := r.penalties[b.Prefix]
		if end.Before(now) {
			end = now
		}
		end = end.Add(penalty / time.Duration(b.Weight))
		if latest := now.Add(penaltyMax); end.After(latest) {
			end = latest
		}
		r.penalties[b.Prefix] = end
	}
	if len(r.penalties) > maxPenalties {
		forget(r.penalties, maxPenalties, func(end time.Time) bool { return end.Before(now) })
	}
}

// punished returns how long new connections from an address are refused; 0 or less: they aren't.
func (r *reputation) punished(now time.Time, from netip.Addr) (left time.Duration) {
	blocks := origin.Blocks(from)
	if r.trusted(now, from) {
		blocks = blocks[:min(1, len(blocks))]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range blocks {
		if end, ok := r.penalties[b.Prefix]; ok {
			left = max(left, end.Sub(now)-penaltyMin)
		}
	}
	return left
}

// trust records that a client has signed in from an address.
func (r *reputation) trust(now time.Time, from netip.Addr) { r.note(r.known, now, from) }

// trustRegular records that a regular has signed in from an address.
func (r *reputation) trustRegular(now time.Time, from netip.Addr) { r.note(r.regulars, now, from) }

func (r *reputation) note(in map[netip.Prefix]time.Time, now time.Time, from netip.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in[origin.Narrowest(from)] = now
	if len(in) > maxKnown {
		forget(in, maxKnown, func(last time.Time) bool { return now.Sub(last) > knownFor })
	}
}

// trusted reports whether a client has signed in from an address in the last 30 days.
func (r *reputation) trusted(now time.Time, from netip.Addr) bool { return r.noted(r.known, now, from) }

// regular reports whether a regular has signed in from an address in the last 30 days.
func (r *reputation) regular(now time.Time, from netip.Addr) bool {
	return r.noted(r.regulars, now, from)
}

func (r *reputation) noted(in map[netip.Prefix]time.Time, now time.Time, from netip.Addr) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, ok := in[origin.Narrowest(from)]
	return ok && now.Sub(last) <= knownFor
}

// forget removes what is old from a map that holds too much, or else an eighth of it, arbitrarily: it reads the whole map, and must not do so
// for each entry.
func forget(of map[netip.Prefix]time.Time, most int, old func(time.Time) bool) {
	for key, at := range of {
		if old(at) {
			delete(of, key)
		}
	}
	for key := range of {
		if len(of) <= most-most/8 {
			return
		}
		delete(of, key)
	}
}
