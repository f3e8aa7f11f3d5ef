package sshapp

import (
	"cmp"
	"sync/atomic"
	"time"

	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command"
)

// Limits bound what strangers can take. All are positive. Those by address count an IPv4 address or an IPv6 /64; wider blocks may
// have a multiple of it: an IPv4 /24 8 times as much, an IPv6 /56 4 times, a /48 16 times. They
// spare loopback addresses unless LimitLoopback is set. DefaultLimits has the defaults, Flags the words for each.
type Limits struct {
	Sessions              int
	SessionsPerConnection int
	SessionsPerAddress    int

	Connections           int
	ConnectionsPerAddress int // connections that have signed in

	Unauth           int
	UnauthPerAddress int

	NewPerAddress int           // in NewWindow, checked before the version line
	NewWindow     time.Duration //
	NewBurst      int           // as many at once, after a quiet time

	NewAccounts       int           // of one address in NewAccountsWindow
	NewAccountsWindow time.Duration //

	LoginGrace   time.Duration
	RequestGrace time.Duration
	Keepalive    time.Duration
	KeepaliveMax int // intervals without an answer
	WriteStall   time.Duration
	GoingDown    time.Duration
	ProxyHeader  time.Duration // for a trusted proxy to name the client

	IdleLobby time.Duration // without a key, also at the plain prompt
	IdleBoard time.Duration // at a board where the player sits

	CommandRate  int // commands a second of one person, and of one address
	CommandBurst int // as many at once after a pause

	LimitLoopback bool
}

// DefaultLimits returns what a small public server does well with.
func DefaultLimits() Limits {
	return Limits{
		Sessions: 1000, SessionsPerConnection: 4, SessionsPerAddress: 8,
		Connections: 1500, ConnectionsPerAddress: 8,
		Unauth: 200, UnauthPerAddress: 20,
		NewPerAddress: 10, NewWindow: 10 * time.Second, NewBurst: 20,
		NewAccounts: 10, NewAccountsWindow: time.Hour,
		LoginGrace: 10 * time.Second, RequestGrace: 20 * time.Second,
		Keepalive: 30 * time.Second, KeepaliveMax: 3,
		WriteStall: 20 * time.Second, GoingDown: 4 * time.Second, ProxyHeader: 5 * time.Second,
		IdleLobby: 30 * time.Minute, IdleBoard: 6 * time.Hour,
		CommandRate: command.DefaultRate, CommandBurst: command.DefaultBurst,
	}
}

// bounds are what no operator needs to change. Tests make them small.
type bounds struct {
	linger       time.Duration
	envVars      int
	envBytes     int
	commandBytes int
}

const (
	linger = 10 * time.Minute // that a connection may stay without a session, or a client take to close a channel that has ended

	envVars      = 32      // variables of a session's environment that are kept; clients send the few of envName
	envBytes     = 4 << 10 // of these
	commandBytes = 4 << 10 // of a command

	authTries = 6 // failed tries to sign in that end a connection, as in OpenSSH
)

// orDefault returns b with the constants in place of zeros.
func (b bounds) orDefault() bounds {
	return bounds{
		cmp.Or(b.linger, linger), cmp.Or(b.envVars, envVars), cmp.Or(b.envBytes, envBytes), cmp.Or(b.commandBytes, commandBytes),
	}
}

// inputBounds bounds the input of a session. Zeros stand for the constants of package terminal; tests set small values.
type inputBounds struct{ rate, burst, pasteBytes int }

// A Flag is one limit as a command-line flag and an environment variable. Ptr is a *int, a *time.Duration or a *bool; what
// it points to is the default.
type Flag struct {
	Name, Env, Help string
	Ptr             any
}

// Flags lists every limit, for a command line to set the fields of l through.
func (l *Limits) Flags() []Flag {
	return []Flag{
		{"max-sessions", "LUDOTECA_MAX_SESSIONS", "sessions at once", &l.Sessions},
		{"max-sessions-connection", "LUDOTECA_MAX_SESSIONS_CONNECTION", "sessions at once on one connection", &l.SessionsPerConnection},
		{"max-sessions-address", "LUDOTECA_MAX_SESSIONS_ADDRESS", "sessions at once from one IPv4 address or IPv6 /64", &l.SessionsPerAddress},
		{"max-connections", "LUDOTECA_MAX_CONNECTIONS", "connections at once, signed in or not", &l.Connections},
		{"max-connections-address", "LUDOTECA_MAX_CONNECTIONS_ADDRESS", "signed-in connections at once from one address", &l.ConnectionsPerAddress},
		{"max-unauth", "LUDOTECA_MAX_UNAUTH", "connections at once that have not signed in yet; when more than half are, new ones are dropped at random and have less time", &l.Unauth},
		{"max-unauth-address", "LUDOTECA_MAX_UNAUTH_ADDRESS", "the same from one address", &l.UnauthPerAddress},
		{"new-connections", "LUDOTECA_NEW_CONNECTIONS", "new connections from one address in the time of new-connections-window", &l.NewPerAddress},
		{"new-connections-window", "LUDOTECA_NEW_CONNECTIONS_WINDOW", "time in which new connections from one address are counted", &l.NewWindow},
		{"new-connections-burst", "LUDOTECA_NEW_CONNECTIONS_BURST", "new connections from one address at once after a quiet time", &l.NewBurst},
		{"new-accounts", "LUDOTECA_NEW_ACCOUNTS", "new accounts from one address in the time of new-accounts-window", &l.NewAccounts},
		{"new-accounts-window", "LUDOTECA_NEW_ACCOUNTS_WINDOW", "time in which new accounts from one address are counted", &l.NewAccountsWindow},
		{"login-grace", "LUDOTECA_LOGIN_GRACE", "time to sign in", &l.LoginGrace},
		{"request-grace", "LUDOTECA_REQUEST_GRACE", "time from signing in to a shell or a command", &l.RequestGrace},
		{"keepalive", "LUDOTECA_KEEPALIVE", "time between two questions whether the client is still there", &l.Keepalive},
		{"keepalive-max", "LUDOTECA_KEEPALIVE_MAX", "keepalive times without an answer that end a connection", &l.KeepaliveMax},
		{"write-stall", "LUDOTECA_WRITE_STALL", "time for which the network or a client may take nothing before the connection ends", &l.WriteStall},
		{"going-down", "LUDOTECA_GOING_DOWN", "time for sessions to say goodbye when the server stops", &l.GoingDown},
		{"proxy-header", "LUDOTECA_PROXY_HEADER", "time for a trusted proxy to say who comes", &l.ProxyHeader},
		{"idle-lobby", "LUDOTECA_IDLE_LOBBY", "time without a key that ends a session in the lobby or at the plain prompt, and without news a command that follows something", &l.IdleLobby},
		{"idle-board", "LUDOTECA_IDLE_BOARD", "the same at a board where the player sits", &l.IdleBoard},
		{"command-rate", "LUDOTECA_COMMAND_RATE", "commands a second of one person, and from one address; more wait", &l.CommandRate},
		{"command-burst", "LUDOTECA_COMMAND_BURST", "commands at once after a pause", &l.CommandBurst},
		{"limit-loopback", "LUDOTECA_LIMIT_LOOPBACK", "apply the limits by address to loopback addresses too", &l.LimitLoopback},
	}
}

// limitsInForce are the limits that hold now, replaced as a whole. What Load returns is never changed.
type limitsInForce struct{ atomic.Pointer[Limits] }

func newLimitsInForce(l Limits) *limitsInForce {
	f := new(limitsInForce)
	f.Store(&l)
	return f
}

// A bucketRate is how often the people of one address may do something: burst times at once, then once in each interval.
type bucketRate struct {
	interval time.Duration
	burst    int
}

func (l *Limits) newRate() bucketRate { // of connections
	return bucketRate{l.NewWindow / time.Duration(l.NewPerAddress), l.NewBurst}
}

func (l *Limits) accountRate() bucketRate {
	return bucketRate{l.NewAccountsWindow / time.Duration(l.NewAccounts), l.NewAccounts}
}

func (r bucketRate) throttle() *origin.Throttle {
	return origin.NewThrottle(r.interval, r.burst, maxThrottled)
}

// A LimitError names a limit that can't be.
type LimitError struct {
	Name  string // of the flag
	Short string // the limit for which it is too short a time; "": it must be more than 0
}

// Error implements error.
func (e *LimitError) Error() string {
	if e.Short != "" {
		return e.Name + " is too short for " + e.Short
	}
	return e.Name + " must be more than 0"
}

// Check says which limit can't be.
func (l *Limits) Check() error {
	for _, f := range l.Flags() {
		ok := true
		switch p := f.Ptr.(type) {
		case *int:
			ok = *p > 0
		case *time.Duration:
			ok = *p > 0
		}
		if !ok {
			return &LimitError{Name: f.Name}
		}
	}
	if l.NewWindow < time.Duration(l.NewPerAddress) {
		return &LimitError{"new-connections-window", "new-connections"}
	}
	if l.NewAccountsWindow < time.Duration(l.NewAccounts) {
		return &LimitError{"new-accounts-window", "new-accounts"}
	}
	return nil
}
