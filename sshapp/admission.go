package sshapp

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"ludoteca/lobby/throttle"
)

// An admission counts connections and sessions and says who may come in. Its memory grows with the connections that are open
// and, for the rate of new ones, up to maxThrottled addresses.
type admission struct {
	limits Limits
	rate   *throttle.Throttle[netip.Addr] // of new connections

	mu         sync.Mutex // guards what follows
	conns      int
	unauth     int
	sessions   int
	halfClosed int                   // sessions that have ended but whose channels the client has not closed
	byAddr     map[netip.Addr]*tally // only addresses with a connection
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

// halfClose frees the place of a session that has ended, before its client is told so: one that opens the next at once finds
// room. Half-closed channels have places of their own, a quarter as many as there are sessions and maxHalfClosed; ok is false
// when these are taken.
func (a *admission) halfClose(from netip.Addr) (ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.halfClosed >= a.limits.Sessions/4+maxHalfClosed {
		return false
	}
	a.halfClosed++
	a.sessions--
	a.byAddr[addressKey(from)].sessions--
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
	a.sessions--
	a.byAddr[addressKey(from)].sessions--
}

// A reason says why the server refused something or why a connection ended. The set is closed: nothing in it comes from a
// client, so it can label logs and counters.
type reason string

// Reasons for a refusal.
const (
	tooManyConns        reason = "connections"
	tooManyHandshakes   reason = "handshakes"
	tooManyNewByAddr    reason = "address-rate"
	tooManyUnauthByAddr reason = "address-handshakes"
	tooManyConnsByAddr  reason = "address-connections"
	tooManySessions     reason = "sessions"
	tooManyOnConn       reason = "connection-sessions"
	tooManyByAddr       reason = "address-sessions"
	tooManyProxied      reason = "proxied-connections" // that wait for their header
	noProxyHeader       reason = "proxy-header"        // a trusted proxy did not name the client
	tooManyAccounts     reason = "address-accounts"
	goingDown           reason = "going-down"
)

// RefusalReasons are all reasons for which something is refused.
func RefusalReasons() []string {
	return []string{string(tooManyConns), string(tooManyHandshakes), string(tooManyNewByAddr), string(tooManyUnauthByAddr),
		string(tooManyConnsByAddr), string(tooManySessions), string(tooManyOnConn), string(tooManyByAddr),
		string(tooManyProxied), string(noProxyHeader), string(tooManyAccounts), string(goingDown)}
}

// EndReasons are all reasons for which a connection ends.
func EndReasons() []string {
	return []string{string(left), string(noHandshake), string(noAuth), string(loginTimeout), string(requestTimeout),
		string(lingerTimeout), string(keepaliveMissed), string(writeStalled), string(channelFlood), string(goingDown)}
}

// Reasons for the end of a connection; goingDown is one too.
const (
	left            reason = "left"             // the client closed it
	noHandshake     reason = "handshake-failed" // no common algorithm, not SSH, or gone before the key exchange was over
	noAuth          reason = "sign-in-failed"   // no way of signing in that we take, or too many tries
	loginTimeout    reason = "login-timeout"
	requestTimeout  reason = "request-timeout" // signed in, but asked for neither shell nor command
	lingerTimeout   reason = "linger-timeout"  // kept the connection, or a channel that we closed, for too long
	keepaliveMissed reason = "keepalive-missed"
	writeStalled    reason = "write-stalled"
	channelFlood    reason = "channel-flood"
)

// words says to a person why the server refuses them, and names the limit that was met.
func (why reason) words(l *Limits) string {
	switch why {
	case tooManyConns, tooManyHandshakes:
		return "The club has no free line just now. Please try again in a minute."
	case tooManyNewByAddr:
		return "Too many new connections from your address. Please wait a few seconds."
	case tooManyUnauthByAddr:
		return fmt.Sprintf("Your address has %d sign-ins under way already. Please wait a few seconds.", l.UnauthPerAddress)
	case tooManyConnsByAddr:
		return fmt.Sprintf("Your address has its %d connections already. Close one and try again.", l.ConnectionsPerAddress)
	case tooManySessions:
		return fmt.Sprintf("The club is full just now (%d sessions). Please try again in a minute.", l.Sessions)
	case tooManyOnConn:
		return fmt.Sprintf("This connection has its %d sessions already. Close one and try again.", l.SessionsPerConnection)
	case tooManyByAddr:
		return fmt.Sprintf("Your address has its %d sessions already. Close one and try again.", l.SessionsPerAddress)
	case goingDown:
		return "The club is closing just now. Please come back in a minute."
	}
	return "The club can't take you in just now. Please try again in a minute."
}

// accounts bounds how many accounts are made from one address.
type accounts struct {
	limits *Limits
	rate   *throttle.Throttle[netip.Addr]
}

func newAccounts(l *Limits) *accounts {
	return &accounts{
		limits: l, rate: throttle.New[netip.Addr](l.NewAccountsWindow/time.Duration(l.NewAccounts), l.NewAccounts, maxThrottled),
	}
}

// begin takes one account of an address, or says that it has had enough. undo gives it back when none was made.
func (a *accounts) begin(from netip.Addr) (undo func(), ok bool) {
	if a.limits.spares(from) {
		return func() {}, true
	}
	key := addressKey(from)
	if _, ok := a.rate.Take(time.Now(), key); !ok {
		return nil, false
	}
	return func() { a.rate.Return(time.Now(), key) }, true
}
