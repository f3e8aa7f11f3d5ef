package sshapp

import (
	"net/netip"
	"sync"
	"time"

	"ludoteca/lobby/throttle"
)

// admission counts connections and sessions and says who may come in. Its memory grows with the connections that are open
// and, for the rate of new ones, up to maxThrottled addresses.
type admission struct {
	limits Limits
	rate   *throttle.Throttle[netip.Addr] // of new connections

	mu       sync.Mutex // guards what follows
	conns    int
	unauth   int
	sessions int
	retired  int                   // sessions that have ended but whose channels are still open
	byAddr   map[netip.Addr]*tally // only addresses with a connection
}

// tally is what one address has open.
type tally struct{ unauth, signedIn, sessions int }

func newAdmission(l Limits) *admission {
	return &admission{
		limits: l,
		rate:   throttle.New[netip.Addr](l.NewWindow/time.Duration(l.NewPerAddress), l.NewBurst, maxThrottled),
		byAddr: make(map[netip.Addr]*tally),
	}
}

// maxThrottled bounds the addresses whose rates are remembered.
const maxThrottled = 1 << 14

// addressKey is what the limits by address count: an IPv4 address or an IPv6 /64.
func addressKey(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		return netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return a
}

// spares is true for addresses without limits of their own.
func (l *Limits) spares(a netip.Addr) bool {
	return a.Unmap().IsLoopback() && !l.LimitLoopback
}

// connect takes in a new connection, or says why not.
func (a *admission) connect(from netip.Addr) (why reason, ok bool) {
	key, spared := addressKey(from), a.limits.spares(from)
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.byAddr[key]
	if t == nil {
		t = &tally{}
	}
	switch {
	case !spared && !a.allowNew(key):
		return tooManyNewByAddr, false
	case !spared && t.unauth >= a.limits.UnauthPerAddress:
		return tooManyUnauthByAddr, false
	case a.unauth >= a.limits.Unauth:
		return tooManyHandshakes, false
	case a.conns >= a.limits.Connections:
		return tooManyConns, false
	}
	a.byAddr[key] = t
	a.conns++
	a.unauth++
	t.unauth++
	return "", true
}

// allowNew says whether an address may open another connection just now.
func (a *admission) allowNew(key netip.Addr) bool {
	_, ok := a.rate.Take(time.Now(), key)
	return ok
}

// signIn says that a connection has proved who it is. over is true when its address had enough such connections already:
// then it gets words, and no session.
func (a *admission) signIn(from netip.Addr) (over bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.byAddr[addressKey(from)]
	a.unauth--
	t.unauth--
	t.signedIn++
	return t.signedIn > a.limits.ConnectionsPerAddress && !a.limits.spares(from)
}

// disconnect forgets a connection.
func (a *admission) disconnect(from netip.Addr, signedIn bool) {
	key := addressKey(from)
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.byAddr[key]
	a.conns--
	if signedIn {
		t.signedIn--
	} else {
		a.unauth--
		t.unauth--
	}
	if *t == (tally{}) {
		delete(a.byAddr, key)
	}
}

// openSession takes in a session, or says why not.
func (a *admission) openSession(from netip.Addr) (why reason, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.byAddr[addressKey(from)]
	switch {
	case a.sessions >= a.limits.Sessions:
		return tooManySessions, false
	case t.sessions >= a.limits.SessionsPerAddress && !a.limits.spares(from):
		return tooManyByAddr, false
	}
	a.sessions++
	t.sessions++
	return "", true
}

// moreRetired is how many channels of one connection may give their places away before they are closed. A polite client closes a
// channel as soon as it hears that we did, but may have opened the next ones before.
const moreRetired = 16

// retire gives the place of a session away that has ended, before its client is told so: one that opens the next at once finds
// room. What is left of it has places of its own, a quarter as many as there are sessions and moreRetired; ok is false when
// these are taken.
func (a *admission) retire(from netip.Addr) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.retired >= a.limits.Sessions/4+moreRetired {
		return false
	}
	a.retired++
	a.sessions--
	a.byAddr[addressKey(from)].sessions--
	return true
}

// closeRetired forgets a session that retire let go.
func (a *admission) closeRetired() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retired--
}

// closeSession forgets a session; its connection is still known.
func (a *admission) closeSession(from netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions--
	a.byAddr[addressKey(from)].sessions--
}
