package sshapp

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/flagset"
)

// Limits bound what strangers can take. All are positive. Those by address count an IPv4 address or an IPv6 /64; wider blocks may
// have a multiple of it: an IPv4 /24 8 times as much, an IPv6 /56 4 times, a /48 16 times. They
// spare loopback addresses unless LimitLoopback is set. DefaultLimits has the defaults, AddFlags the words for each.
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

	RelaySessions int // sessions, and signed-in connections, of one relay at once
	RelayGuests   int // guests of one relay at once
	RelayAccounts int // new accounts of one relay in NewAccountsWindow

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
		RelaySessions: 200, RelayGuests: 20, RelayAccounts: 30,
		LoginGrace: 10 * time.Second, RequestGrace: 20 * time.Second,
		Keepalive: 30 * time.Second, KeepaliveMax: 3,
		WriteStall: 20 * time.Second, GoingDown: 4 * time.Second, ProxyHeader: 5 * time.Second,
		IdleLobby: 30 * time.Minute, IdleBoard: 6 * time.Hour,
		CommandRate: gate.DefaultRate, CommandBurst: gate.DefaultBurst,
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

// The groups of the flags of Limits.
const (
	limitsOfSessions = "Limits of sessions and accounts"
	limitsOfSignIn   = "Limits of connections"
	limitsOfTime     = "Time limits of connections and sessions"
)

// AddFlags declares a flag for each limit.
func (l *Limits) AddFlags(to *pflag.FlagSet) {
	flagset.AddLimits(to, limitsOfSessions, func(f *pflag.FlagSet) {
		f.IntVar(&l.Sessions, "max-sessions", l.Sessions, "sessions at once")
		f.IntVar(&l.SessionsPerConnection, "max-sessions-connection", l.SessionsPerConnection, "sessions at once on one connection")
		f.IntVar(&l.SessionsPerAddress, "max-sessions-address", l.SessionsPerAddress, "sessions at once from one IPv4 address or IPv6 /64")
	})
	flagset.AddLimits(to, limitsOfSignIn, func(f *pflag.FlagSet) {
		f.IntVar(&l.Connections, "max-connections", l.Connections, "connections at once, signed in or not")
		f.IntVar(&l.ConnectionsPerAddress, "max-connections-address", l.ConnectionsPerAddress, "signed-in connections at once from one address")
		f.IntVar(&l.Unauth, "max-unauth", l.Unauth, "connections at once that have not signed in yet; when more than half are, new ones are dropped at random and have less time")
		f.IntVar(&l.UnauthPerAddress, "max-unauth-address", l.UnauthPerAddress, "connections at once from one address that have not signed in yet")
		f.IntVar(&l.NewPerAddress, "new-connections", l.NewPerAddress, "new connections from one address in the time of new-connections-window")
		f.DurationVar(&l.NewWindow, "new-connections-window", l.NewWindow, "time in which new connections from one address are counted")
		f.IntVar(&l.NewBurst, "new-connections-burst", l.NewBurst, "new connections from one address at once after a quiet time")
	})
	flagset.AddLimits(to, limitsOfSessions, func(f *pflag.FlagSet) {
		f.IntVar(&l.NewAccounts, "new-accounts", l.NewAccounts, "new accounts from one address in the time of new-accounts-window")
		f.DurationVar(&l.NewAccountsWindow, "new-accounts-window", l.NewAccountsWindow, "time in which new accounts from one address are counted")
	})
	flagset.AddLimits(to, limitsOfSessions, func(f *pflag.FlagSet) {
		f.IntVar(&l.RelaySessions, "relay-sessions", l.RelaySessions, "sessions at once, and connections, of all people of one relay together")
		f.IntVar(&l.RelayGuests, "relay-guests", l.RelayGuests, "guests at once of one relay")
		f.IntVar(&l.RelayAccounts, "relay-accounts", l.RelayAccounts, "new accounts of one relay in the time of new-accounts-window")
	})
	flagset.AddLimits(to, limitsOfTime, func(f *pflag.FlagSet) {
		f.DurationVar(&l.LoginGrace, "login-grace", l.LoginGrace, "time to sign in")
		f.DurationVar(&l.RequestGrace, "request-grace", l.RequestGrace, "time from signing in to a shell or a command")
		f.DurationVar(&l.Keepalive, "keepalive", l.Keepalive, "time between two questions whether the client is still there")
		f.IntVar(&l.KeepaliveMax, "keepalive-max", l.KeepaliveMax, "keepalive times without an answer that end a connection")
		f.DurationVar(&l.WriteStall, "write-stall", l.WriteStall, "time for which the network or a client may take nothing before the connection ends")
		f.DurationVar(&l.GoingDown, "going-down", l.GoingDown, "time for sessions to say goodbye when the server stops")
		f.DurationVar(&l.ProxyHeader, "proxy-header", l.ProxyHeader, "time for a trusted proxy to say who comes")
		f.DurationVar(&l.IdleLobby, "idle-lobby", l.IdleLobby, "time without a key that ends a session in the lobby or at the plain prompt, and without news a command that follows something")
		f.DurationVar(&l.IdleBoard, "idle-board", l.IdleBoard, "time without a key that ends a session at a board where the player sits")
	})
	flagset.AddLimits(to, limitsOfSessions, func(f *pflag.FlagSet) {
		f.IntVar(&l.CommandRate, "command-rate", l.CommandRate, "commands a second of one person, and from one address; more wait")
		f.IntVar(&l.CommandBurst, "command-burst", l.CommandBurst, "commands at once after a pause")
	})
	flagset.AddLimits(to, limitsOfSignIn, func(f *pflag.FlagSet) {
		f.BoolVar(&l.LimitLoopback, "limit-loopback", l.LimitLoopback, "apply the limits by address to loopback addresses too")
	})
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

func (l *Limits) relayRate() bucketRate {
	return bucketRate{l.NewAccountsWindow / time.Duration(l.RelayAccounts), l.RelayAccounts}
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
	flags := pflag.NewFlagSet("limits", pflag.ContinueOnError)
	l.AddFlags(flags)
	if name := flagset.NotPositive(flags); name != "" {
		return &LimitError{Name: name}
	}
	if l.NewWindow < time.Duration(l.NewPerAddress) {
		return &LimitError{"new-connections-window", "new-connections"}
	}
	if l.NewAccountsWindow < time.Duration(l.NewAccounts) {
		return &LimitError{"new-accounts-window", "new-accounts"}
	}
	if l.NewAccountsWindow < time.Duration(l.RelayAccounts) {
		return &LimitError{"new-accounts-window", "relay-accounts"}
	}
	return nil
}
