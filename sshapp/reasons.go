package sshapp

import (
	"errors"
	"fmt"

	"ludoteca/lobby"
	"ludoteca/sshapp/wording"
)

// A reason says why the server refused something or why a connection ended. The set is closed: nothing in it comes from a
// client, so it can label logs and counters.
type reason string

// Reasons for a refusal.
const (
	tooManyConns        reason = "connections"
	tooManyHandshakes   reason = "handshakes"
	tooManyNewByAddr    reason = "address-rate"
	penalised           reason = "address-penalty"
	tooManyUnauthByAddr reason = "address-handshakes"
	tooManyConnsByAddr  reason = "address-connections"
	tooManySessions     reason = "sessions"
	tooManyOnConn       reason = "connection-sessions"
	tooManyByAddr       reason = "address-sessions"
	tooManyProxied      reason = "proxied-connections" // that wait for their header
	noProxyHeader       reason = "proxy-header"        // a trusted proxy did not name the client
	tooManyAccounts     reason = "address-accounts"
	goingDown           reason = "going-down"
	banned              reason = "banned" // an operator has banned the key or the address
)

// RefusalReasons returns all reasons for which a connection or session is refused.
func RefusalReasons() []string {
	return []string{string(tooManyConns), string(tooManyHandshakes), string(tooManyNewByAddr), string(penalised),
		string(tooManyUnauthByAddr),
		string(tooManyConnsByAddr), string(tooManySessions), string(tooManyOnConn), string(tooManyByAddr),
		string(tooManyProxied), string(noProxyHeader), string(tooManyAccounts), string(goingDown), string(banned)}
}

// EndReasons returns all reasons for which a connection ends.
func EndReasons() []string {
	return []string{string(left), string(madeRoom), string(untrustedProxy), string(noHandshake), string(noAuth), string(loginTimeout), string(requestTimeout),
		string(lingerTimeout), string(keepaliveMissed), string(writeStalled), string(channelFlood), string(goingDown), string(banned), string(closed),
		string(deleted), string(became), string(keyRemoved), string(keyMoved), string(keyClaimed)}
}

// Reasons for the end of a connection; goingDown and banned are some too.
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
	closed          reason = "account-closed"  // an operator has closed the account
	deleted         reason = "account-deleted" // by the player
	became          reason = "became-engine"   // the account is a computer account now
	keyRemoved      reason = "key-removed"     // from its account
	keyMoved        reason = "key-moved"       // by an operator, to another account
	keyClaimed      reason = "key-claimed"     // by another account
	untrustedProxy  reason = "untrusted-proxy" // it began with a header of the PROXY protocol, from an address that is no proxy's
	madeRoom        reason = "made-room"       // in a full club, for a client with more claim to the place
)

// decided are the reasons that come with an error of the lobby, which has the words.
var decided = map[reason]error{
	banned: lobby.ErrBanned, closed: lobby.ErrAccountClosed, deleted: lobby.ErrAccountDeleted, became: lobby.ErrBecame, keyRemoved: lobby.ErrKeyRemoved,
	keyMoved: lobby.ErrKeyMoved, keyClaimed: lobby.ErrKeyClaimed, madeRoom: lobby.ErrMadeRoom,
}

// reasonOf returns the reason that comes with an error.
func reasonOf(err error) reason {
	for why, known := range decided {
		if errors.Is(err, known) {
			return why
		}
	}
	return closed
}

// refusal is the error of the lobby that stands for a reason to refuse a session.
func (why reason) refusal() error {
	switch err := decided[why]; {
	case err != nil:
		return err
	case why == goingDown:
		return lobby.ErrClosed
	}
	return lobby.ErrFull
}

// words says to a person why the server refuses them before it knows their language.
func (why reason) words(l *Limits) string { return why.say(wording.Words{}, l) }

// say says to a person why the server refuses them, and names the limit that was met. The language of what is refused before a session is not
// known: those sentences have no translations.
func (why reason) say(say wording.Words, l *Limits) string {
	switch why {
	case tooManyConns, tooManyHandshakes:
		return "The club has no free line just now. Please try again in a minute."
	case tooManyNewByAddr:
		return "Too many new connections from your address. Please wait a few seconds."
	case penalised:
		return "Too many connections from your address didn't sign in. Please come back in a few minutes."
	case tooManyUnauthByAddr:
		return fmt.Sprintf("Your address has %d sign-ins under way already. Please wait a few seconds.", l.UnauthPerAddress)
	case tooManyConnsByAddr:
		return fmt.Sprintf("Your address has its %d connections already. Close one and try again.", l.ConnectionsPerAddress)
	case tooManySessions:
		return say.N(l.Sessions, "The club is full just now (%d session). Please try again in a minute.",
			"The club is full just now (%d sessions). Please try again in a minute.")
	case tooManyOnConn:
		return say.N(l.SessionsPerConnection, "This connection has its %d session already. Close it and try again.",
			"This connection has its %d sessions already. Close one and try again.")
	case tooManyByAddr:
		return say.N(l.SessionsPerAddress, "Your address has its %d session already. Close it and try again.",
			"Your address has its %d sessions already. Close one and try again.")
	case goingDown:
		return "The club is closing just now. Please come back in a minute."
	}
	if err := decided[why]; err != nil {
		return say.Error(err)
	}
	return "The club can't take you in just now. Please try again in a minute."
}
