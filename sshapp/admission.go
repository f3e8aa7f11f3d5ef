package sshapp

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
)

// An admission counts connections and sessions and decides which ones may come in. Its memory grows with the open connections and,
// for rates and penalties, up to fixed bounds.
//
// Limits by address hold for the blocks of the address too, multiplied by the weight of each block (origin.Blocks). Known users aren't shut
// out by their neighbours: the limit on connections that are not signed in counts the address alone if a client has signed in from there, and
// the other limits do so if a regular has.
//
// # When many connections sign in at once
//
// Silent connections must not keep people out, so the last places are given with care. When more than half of the places
// for connections that sign in are taken, new ones are dropped at random, the more surely the fewer places are left (random early
// drop, as MaxStartups of OpenSSH does). A connection from an address that already has one waiting is dropped first, then one from an
// address without; the last sixteenth of the places is for addresses from which a client has signed in before. The time to sign in
// becomes shorter, down to a fifth.
//
// # When the club is full
//
// The last quarter of the sessions is for regulars and for players with a match that goes on, the last quarter of the connections for addresses
// from which a regular has signed in within 30 days. Other clients may still displace one with less claim to a place: see making_room.go.
type admission struct {
	limits     *limitsInForce
	relays     relays
	guests     relayGuests
	rate       atomic.Pointer[origin.Throttle] // of new connections
	reputation *reputation
	chance     func() float64 // of being dropped: a random number from 0 up to 1

	mu         sync.Mutex // guards what follows
	conns      int
	unauth     int
	sessions   int
	halfClosed int                     // sessions that have ended but whose channels the client has not closed
	leaving    int                     // connections that make room for others, and are counted nowhere else
	byBlock    map[netip.Prefix]*tally // only blocks with a connection
}

// A standing ranks clients by their claim to a place in a full club.
type standing int

const (
	stranger standing = iota // a guest, or a key without an account
	newcomer                 // an account younger than regularAfter
	playing                  // an account younger than that, with a match that goes on
	regular
)

// regularAfter is the age from which an account counts as a regular's.
const regularAfter = 24 * time.Hour

// reserved returns how many of the places are for regulars.
func reserved(places int) int { return places / 4 }

// A tally counts what one block of addresses has open.
type tally struct{ unauth, signedIn, sessions int }

func newAdmission(l *limitsInForce, r relays) *admission {
	a := &admission{
		limits: l, relays: r, reputation: newReputation(), chance: rand.Float64,
		byBlock: make(map[netip.Prefix]*tally),
	}
	a.rate.Store(l.Load().newRate().throttle())
	return a
}

// maxThrottled bounds the blocks of each size whose rates are remembered.
const maxThrottled = 1 << 14

// spares reports whether an address is exempt from the limits by address.
func (l *Limits) spares(a netip.Addr) bool {
	return a.Unmap().IsLoopback() && !l.LimitLoopback
}

// spares reports whether an address is exempt from the limits by address: also that of a relay, which has budgets in their place.
func (a *admission) spares(from netip.Addr) bool {
	return a.relays.has(from) || a.limits.Load().spares(from)
}

// connect takes in a new connection, or says why not.
func (a *admission) connect(from netip.Addr) (why reason, ok bool) {
	now, spared := time.Now(), a.spares(from)
	if !spared && a.reputation.punished(now, from) > 0 {
		return penalised, false
	}
	if !spared {
		counted := origin.Origin{Addr: from}
		if a.reputation.trusted(now, from) {
			counted = origin.Origin{Person: origin.Narrowest(from).String()} // a bucket of its own
		}
		if _, ok := a.rate.Load().Take(now, counted); !ok {
			return tooManyNewByAddr, false
		}
	}
	return a.enter(from)
}

// enter is connect without what is counted by time.
func (a *admission) enter(from netip.Addr) (why reason, ok bool) {
	now, spared := time.Now(), a.spares(from)
	known, places := spared || a.reputation.trusted(now, from), a.limits.Load().Connections
	if relay := a.relays.has(from); (!spared || relay) && !a.reputation.regular(now, from) {
		places -= reserved(places)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !spared && a.over(from, known, func(t *tally) int { return t.unauth }, a.limits.Load().UnauthPerAddress),
		a.relayOver(from, func(t *tally) int { return t.unauth }, relayUnauth(a.limits.Load().Unauth)):
		return tooManyUnauthByAddr, false
	case a.conns >= places:
		return tooManyConns, false
	case a.unauth >= a.limits.Load().Unauth, !known && a.chance() < a.dropRate(from):
		return tooManyHandshakes, false
	}
	a.conns++
	a.unauth++
	a.count(from, func(t *tally) { t.unauth++ })
	return "", true
}

// unauthFull reports whether as many connections sign in as may at a time.
func (a *admission) unauthFull() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unauth >= a.limits.Load().Unauth
}

// over reports whether a block of an address has as much of something as its limit lets it have; of an address that counts alone, only its narrowest
// block. The caller holds mu.
func (a *admission) over(from netip.Addr, alone bool, count func(*tally) int, limit int) bool {
	for i, b := range origin.Blocks(from) {
		if alone && i > 0 {
			break
		}
		if t := a.byBlock[b.Prefix]; t != nil && count(t) >= limit*b.Weight {
			return true
		}
	}
	return false
}

// relayOver reports whether an address is that of a relay which has as much of something as a limit lets it have. The caller holds mu.
func (a *admission) relayOver(from netip.Addr, count func(*tally) int, limit int) bool {
	return a.relays.has(from) && a.over(from, true, count, limit)
}

// count changes what the blocks of an address have open. The caller holds mu.
func (a *admission) count(from netip.Addr, change func(*tally)) {
	for _, b := range origin.Blocks(from) {
		t := a.byBlock[b.Prefix]
		if t == nil {
			t = new(tally)
			a.byBlock[b.Prefix] = t
		}
		if change(t); *t == (tally{}) {
			delete(a.byBlock, b.Prefix)
		}
	}
}

// dropRate returns how likely a new connection is dropped from an address that the club doesn't know. The caller holds mu.
func (a *admission) dropRate(from netip.Addr) float64 {
	begin, end := 3.0/4, 15.0/16 // of the places
	if t := a.byBlock[origin.Narrowest(from)]; t != nil && t.unauth > 0 {
		begin, end = 1.0/2, 3.0/4
	}
	taken := float64(a.unauth) / float64(a.limits.Load().Unauth)
	return (taken - begin) / (end - begin)
}

// grace returns how long connections have just now to sign in: Limits.LoginGrace, or down to a fifth of that when more than half of
// the places are taken.
func (a *admission) grace() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	pressure := max(0, 2*float64(a.unauth)/float64(a.limits.Load().Unauth)-1)
	return a.limits.Load().LoginGrace - time.Duration(pressure*graceSteps*float64(a.graceStep()))
}

// graceSteps is the number of steps by which the time to sign in can shrink. The full time has graceSteps+1 steps.
const graceSteps = 4

func (a *admission) graceStep() time.Duration { return a.limits.Load().LoginGrace / (graceSteps + 1) }

// signIn records that a connection has signed in. over is true if its address already had as many such connections as it may: the client
// gets a message then, and no session.
func (a *admission) signIn(from netip.Addr) (over bool) {
	a.reputation.trust(time.Now(), from)
	alone := a.reputation.regular(time.Now(), from)
	a.mu.Lock()
	defer a.mu.Unlock()
	signedIn := func(t *tally) int { return t.signedIn }
	over = !a.spares(from) && a.over(from, alone, signedIn, a.limits.Load().ConnectionsPerAddress) ||
		a.relayOver(from, signedIn, a.limits.Load().RelaySessions)
	a.unauth--
	a.count(from, func(t *tally) { t.unauth--; t.signedIn++ })
	return over
}

// disconnect forgets a connection that ended for a reason.
func (a *admission) disconnect(from netip.Addr, signedIn bool, why reason) {
	if !signedIn && !a.spares(from) {
		a.reputation.punish(time.Now(), from, penaltyFor(why))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.conns--
	if signedIn {
		a.count(from, func(t *tally) { t.signedIn-- })
	} else {
		a.unauth--
		a.count(from, func(t *tally) { t.unauth-- })
	}
}

// makeRoom stops counting a connection that must leave, and its sessions. ok is false if too many connections are leaving already.
func (a *admission) makeRoom(from netip.Addr, signedIn bool, sessions int) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leaving >= reserved(a.limits.Load().Connections)+maxHalfClosed {
		return false
	}
	a.leaving++
	a.conns--
	if signedIn {
		a.count(from, func(t *tally) { t.signedIn--; t.sessions -= sessions })
	} else {
		a.unauth--
		a.count(from, func(t *tally) { t.unauth-- })
	}
	a.sessions -= sessions
	return true
}

// left forgets a connection that made room.
func (a *admission) left() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.leaving--
}

// openSession takes in a session, or says why not.
func (a *admission) openSession(from netip.Addr, who standing) (why reason, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if why := a.sessionRefusal(from, who); why != "" {
		return why, false
	}
	a.sessions++
	a.count(from, func(t *tally) { t.sessions++ })
	return "", true
}

// needsRoom reports whether openSession would refuse a session only because there are too many sessions in all.
func (a *admission) needsRoom(from netip.Addr, who standing) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessionRefusal(from, who) == tooManySessions
}

// sessionRefusal says why a session is not taken in: "" if it is. The caller holds mu.
func (a *admission) sessionRefusal(from netip.Addr, who standing) reason {
	l := a.limits.Load()
	places := l.Sessions
	if who < playing {
		places -= reserved(places)
	}
	switch {
	case !a.spares(from) && a.over(from, who == regular, func(t *tally) int { return t.sessions }, l.SessionsPerAddress),
		a.relayOver(from, func(t *tally) int { return t.sessions }, l.RelaySessions):
		return tooManyByAddr
	case a.sessions >= places:
		return tooManySessions
	}
	return ""
}

// share returns how much of something the widest block of an address has open; each address that lies in none is a block of its own.
func (a *admission) share(from netip.Addr, of func(tally) int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.byBlock[origin.Widest(from).Prefix]; t != nil {
		return of(*t)
	}
	return 0
}

// halfClose frees the place of a session that has ended, before its client learns of the end, so that a client that opens the next session at
// once finds room. Half-closed channels have places of their own: a quarter of Limits.Sessions, and maxHalfClosed more. ok is false when
// these are taken.
func (a *admission) halfClose(from netip.Addr) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.halfClosed >= a.limits.Load().Sessions/4+maxHalfClosed {
		return false
	}
	a.halfClosed++
	a.endSession(from)
	return true
}

// closeHalfClosed forgets a half-closed channel.
func (a *admission) closeHalfClosed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.halfClosed--
}

// closeSession forgets a session; its connection is still known.
func (a *admission) closeSession(from netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endSession(from)
}

// endSession counts a session out. The caller holds mu.
func (a *admission) endSession(from netip.Addr) {
	a.sessions--
	a.count(from, func(t *tally) { t.sessions-- })
}

// accounts bounds how many accounts are made from one address, and through one relay.
type accounts struct {
	limits    *limitsInForce
	relays    relays
	rate      atomic.Pointer[origin.Throttle]
	relayRate atomic.Pointer[origin.Throttle]
}

// An accountLimiter limits new accounts across the nodes of a club; see attempts.Limiter.
type accountLimiter interface {
	NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error)
}

func newAccounts(l *limitsInForce, r relays) *accounts {
	a := &accounts{limits: l, relays: r}
	a.rate.Store(l.Load().accountRate().throttle())
	a.relayRate.Store(l.Load().relayRate().throttle())
	return a
}

// begin takes one account from the limit of an address; undo returns it if no account was made. The error is lobby.ErrManyAccounts if the
// limit is reached, which counts for all nodes together, or lobby.ErrBusy.
func (a *accounts) begin(ctx context.Context, club accountLimiter, addr netip.Addr) (undo func(), err error) {
	limits := a.limits.Load()
	from, every, rate := origin.Origin{Addr: addr}, limits.accountRate(), a.rate.Load()
	switch {
	case a.relays.has(addr): // one bucket for all its people
		from, every, rate = origin.Origin{Person: "relay " + addr.Unmap().WithZone("").String()}, limits.relayRate(), a.relayRate.Load()
	case limits.spares(addr):
		return func() {}, nil
	}
	undo, shared, err := club.NewAccount(ctx, from, every.interval, every.burst)
	if shared || err != nil {
		return undo, err
	}
	if _, ok := rate.Take(time.Now(), from); !ok {
		return nil, lobby.ErrManyAccounts
	}
	return func() { rate.Return(time.Now(), from) }, nil
}
