package sshapp

import (
	"errors"
	"fmt"
)

// Why a Session's Context ends. context.Cause tells them apart.
var (
	// ErrClosed means that the session is over: the client closed it, its connection ended, or Close or Exit was called.
	ErrClosed = errors.New("sshapp: session closed")
	// ErrGoingDown means that the server stops. Writing still works for Limits.GoingDown.
	ErrGoingDown = errors.New("sshapp: the server is going down")
)

// A reason says why the door refused something or why a connection ended. The set is closed: nothing in it comes from a
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
	noProxyHeader       reason = "proxy-header"        // a trusted proxy did not say who comes
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

// words says to a person why the door refuses them. They have the limit in them that was met.
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
