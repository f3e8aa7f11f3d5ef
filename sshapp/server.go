// Package sshapp is the SSH server: listeners, limits, sign-in, sessions, and the middleware that makes a club of them.
//
// The server trusts no client. It bounds what a client can open, send and keep, before and after signing in (Limits). It knows
// a player only by the key that signed (Identity). A client that reads nothing, sends nothing or never leaves blocks no
// other. golang.org/x/crypto/ssh implements the protocol, and Wish the server around it. Sessions are the server's own; they
// satisfy the library's ssh.Session and are served by a chain of wish.Middleware, so any Wish middleware fits in.
//
//	server.go      Server: accepts connections until it is told to stop
//	listen.go      sockets: its own, systemd's, and behind proxies
//	admission.go   which connections and sessions may come in
//	connection.go  one client from accept to end
//	auth.go        which keys sign in, and as whom
//	bans.go        who is banned, and ending the sessions of banned users
//	relays.go      addresses by which many people come
//	making_room.go who leaves a full club for a client with more claim to a place
//	session.go     one channel with a shell, a command or a subsystem
//	middleware.go  the chain: recover, log, metrics, files, commands, line mode, screens
//	files.go       the records of the club by SFTP
package sshapp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/lobby/origin"
	"ludoteca/lobby/throttle"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/wording"
)

// version is the server's name in its SSH identification, without a version number: "SSH-2.0-Ludoteca".
const version = "Ludoteca"

// A Config holds what a Server needs.
type Config struct {
	HostKeys []gossh.Signer // an Ed25519 key, and an RSA key or none

	// Middleware serves the sessions, at least one. As with wish.WithMiddleware the last one runs first. A session whose
	// handlers return has the exit status 0 unless one of them gave another with Exit. They return soon after the session's
	// context has ended, and don't use the session after that. A panic in them ends that session alone.
	Middleware []wish.Middleware

	Subsystems []string // names of the subsystems that a session may ask for, which Middleware serves; else it is refused

	Limits   Limits          // DefaultLimits is a good start; every limit must be more than 0
	NoGuests bool            // refuse clients without a key
	Log      *slog.Logger    // nil is silence
	Metrics  *metrics.Server // made for RefusalReasons and EndReasons; nil counts nothing
	Bans     Bans            // nil bans nobody
	Players  Players         // nil knows no player
	Relays   []netip.Addr    // addresses by which many people come; see relays.go
	Workers  []string        // SHA-256 fingerprints ("SHA256:...") of keys whose connections lend cores; they keep their places as regulars do

	bounds bounds // for tests
}

// A Server is the SSH server. New makes one that is ready for Serve.
type Server struct {
	limits     *limitsInForce
	bounds     bounds
	noGuests   bool
	subsystems []string
	log        *slog.Logger
	metrics    *metrics.Server
	admission  *admission
	logRate    *throttle.Throttle[netip.Prefix] // of refusals logged by address
	bans       Bans
	players    Players
	workers    []string
	ssh        *ssh.Server

	mu      sync.Mutex // guards what follows
	serving map[*connections]struct{}
}

// The rate at which refusals and sessions of one address are logged: logBurst at once, then one each logInterval.
const (
	logBurst    = 5
	logInterval = 10 * time.Second
)

func newLogRate() *throttle.Throttle[netip.Prefix] {
	return throttle.New[netip.Prefix](logInterval, logBurst, maxThrottled)
}

// New makes a server. It fails when the configuration can't work.
func New(cfg Config) (*Server, error) {
	if len(cfg.Middleware) == 0 {
		return nil, errors.New("sshapp: no middleware")
	}
	if len(cfg.HostKeys) == 0 {
		return nil, errors.New("sshapp: no host key")
	}
	keys, err := hostSigners(cfg.HostKeys)
	if err != nil {
		return nil, err
	}
	if err := cfg.Limits.Check(); err != nil {
		return nil, err
	}
	limits := newLimitsInForce(cfg.Limits)
	s := &Server{
		limits: limits, bounds: cfg.bounds.orDefault(), noGuests: cfg.NoGuests, subsystems: slices.Clone(cfg.Subsystems), log: cfg.Log, metrics: cfg.Metrics,
		admission: newAdmission(limits, relaysOf(cfg.Relays)), logRate: newLogRate(), bans: cfg.Bans, workers: cfg.Workers, serving: make(map[*connections]struct{}),
	}
	if s.players = cfg.Players; s.players == nil {
		s.players = nobodyKnown{}
	}
	if s.bans == nil {
		s.bans = nobodyBanned{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.metrics == nil {
		s.metrics = metrics.NewServer(nil, nil)
	}
	chain := append(slices.Clone(cfg.Middleware), logSessions(s.log), recoverPanics(s.log, s.metrics))
	s.ssh, err = wish.NewServer(wish.WithVersion(version), wish.WithMiddleware(chain...), func(server *ssh.Server) error {
		for _, k := range keys {
			server.AddHostKey(k)
		}
		server.ConnCallback = withConnection
		server.ServerConfigCallback = s.serverConfig
		// The library rejects all other channels, and refuses all global requests.
		server.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.serveChannel}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sshapp: %w", err)
	}
	return s, nil
}

// SetLimits changes the limits of a running server from now on. The error names a limit that is out of range.
func (s *Server) SetLimits(l Limits) error {
	if err := l.Check(); err != nil {
		return err
	}
	was := s.limits.Swap(&l)
	if was.newRate() != l.newRate() {
		s.admission.rate.Store(l.newRate().throttle())
	}
	return nil
}

// withConnection ties the library's context of a connection to the connection.
func withConnection(ctx ssh.Context, conn net.Conn) net.Conn {
	c := conn.(*connection)
	ctx.SetValue(connectionKey{}, c)
	return c
}

// Serve takes connections from l, which it closes, until ctx ends. Then it goes down: it ends the sessions' contexts with
// ErrGoingDown, gives them Limits.GoingDown to say goodbye, closes what is still open, and returns nil when nothing runs
// any more. It returns an error if the listener was closed from outside or a handler was stuck.
// Serve may run for several listeners at once; they share the limits.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(ErrGoingDown)
	all := newConnections(base, s)
	s.mu.Lock()
	s.serving[all] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.serving, all)
	}()
	err := all.accept(ctx, l)
	cancel(ErrGoingDown)
	return errors.Join(err, all.drain())
}

// connections holds the connections that one call of Serve has accepted.
type connections struct {
	server  *Server
	ctx     context.Context // ends when the server goes down
	serving sync.WaitGroup

	mu       sync.Mutex // guards what follows
	open     map[*connection]struct{}
	draining bool          // no more are accepted
	drained  chan struct{} // closed when draining and none is open
}

func newConnections(ctx context.Context, s *Server) *connections {
	return &connections{server: s, ctx: ctx, open: make(map[*connection]struct{}), drained: make(chan struct{})}
}

// accept lets connections in until ctx ends or the listener is closed.
func (cs *connections) accept(ctx context.Context, l net.Listener) error {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(closed); _ = l.Close() })
	defer func() {
		if stop() {
			_ = l.Close()
		} else {
			<-closed
		}
	}()
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			cs.admit(conn)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("sshapp: %w", err)
		default:
			// Out of descriptors, most likely: waiting is all that helps.
			cs.server.log.Warn("can't accept connections", "err", err)
			within(ctx.Done(), time.Second)
		}
	}
}

// admit serves a connection, or tells it in a line before the version, as RFC 4253 4.2 allows, why not.
func (cs *connections) admit(conn net.Conn) {
	s, remote := cs.server, addrPort(conn.RemoteAddr())
	why, ok := s.take(remote.Addr())
	if !ok {
		s.refused(remote, why)
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // a new connection has room for a line
		_, _ = io.WriteString(conn, why.words(s.limits.Load())+"\r\n")
		_ = conn.Close()
		return
	}
	s.metrics.Connected()
	c := newConnection(cs.ctx, s, conn)
	cs.mu.Lock()
	cs.open[c] = struct{}{}
	cs.mu.Unlock()
	cs.serving.Go(func() {
		defer cs.remove(c)
		s.ssh.HandleConn(c)
		why, who, sessions := c.finish()
		s.metrics.Ended(string(why))
		s.log.Info("connection ended", "reason", why, "remote", c.remote, "duration", time.Since(c.since).Round(time.Millisecond),
			"connection", c.id, "fingerprint", who.Fingerprint, "guest", who.Guest, "sessions", sessions)
	})
}

// take counts a new connection in, for which another one may have to leave, or says why not.
func (s *Server) take(from netip.Addr) (why reason, ok bool) {
	if s.bans.AddressBanned(from) {
		return banned, false
	}
	if why, ok = s.admission.connect(from); !ok && s.makeRoom(from, why) {
		return s.admission.enter(from)
	}
	return why, ok
}

func (cs *connections) remove(c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.open, c)
	cs.checkDrained()
}

// checkDrained closes drained when there is nothing more to wait for. The caller holds mu.
func (cs *connections) checkDrained() {
	if cs.draining && len(cs.open) == 0 {
		close(cs.drained)
	}
}

// stuckAfter is the time that sessions have to end once their connections are closed. Only a stuck handler needs that long, even on a busy
// machine.
const stuckAfter = 20 * time.Second

// drain waits until all connections have ended: first of themselves, then because they are closed.
func (cs *connections) drain() error {
	cs.mu.Lock()
	cs.draining = true
	cs.checkDrained()
	cs.mu.Unlock()
	for _, c := range cs.list() {
		c.dismiss(goingDown, nil)
	}
	if !within(cs.drained, cs.server.limits.Load().GoingDown) {
		for _, c := range cs.list() {
			c.end(goingDown)
		}
		if !within(cs.drained, stuckAfter) {
			return fmt.Errorf("sshapp: %d connections have sessions that don't end", len(cs.list()))
		}
	}
	cs.serving.Wait()
	return nil
}

func (cs *connections) list() []*connection {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	list := make([]*connection, 0, len(cs.open))
	for c := range cs.open {
		list = append(list, c)
	}
	return list
}

// within is true when done is closed before that time is over.
func within(done <-chan struct{}, limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// A Load counts what the server has open at one moment.
type Load struct {
	Connections int // signed in or not
	SigningIn   int // connections that have not signed in yet
	Sessions    int
}

// Load returns what is open now.
func (s *Server) Load() Load {
	a := s.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	return Load{Connections: a.conns, SigningIn: a.unauth, Sessions: a.sessions}
}

// serveChannel is called by the library, in a goroutine of its own, for each session channel that a client wants to open.
func (s *Server) serveChannel(server *ssh.Server, conn *gossh.ServerConn, offer gossh.NewChannel, ctx ssh.Context) {
	c := ctx.Value(connectionKey{}).(*connection)
	s.makeRoomFor(c)
	state, why := c.openChannel()
	if state == ignored {
		return
	}
	defer func() { c.closeChannel(state) }()
	if why != "" {
		s.refused(c.remote, why)
	}
	if state == rejected || signInOf(conn.Permissions).ConnectionID == "" {
		_ = offer.Reject(gossh.ResourceShortage, why.words(s.limits.Load()))
		return
	}
	c.untilWelcome()
	ch, requests, err := offer.Accept()
	if err != nil {
		return // the connection is gone
	}
	session := newSession(c, conn, ch, ctx)
	session.tooSlow = func() { c.end(lingerTimeout) }
	session.stalled = func() { c.end(writeStalled) }
	session.active = c.touch
	session.left = c.left
	if state == refused {
		session.refusal = func(say wording.Words) string { return why.say(say, s.limits.Load()) } // and the connection's time for a session goes on
		session.refusedFor = why.refusal()
	} else {
		session.started = func() { c.sessionStarted(conn) }
		session.ended = func() { state = c.halfClose() }
	}
	session.run(requests, server.Handler)
}

// refused counts a refusal, and logs it unless its address has had many of late.
func (s *Server) refused(remote netip.AddrPort, why reason) {
	s.metrics.Refused(string(why))
	if _, ok := s.logRate.Take(time.Now(), origin.Narrowest(remote.Addr())); ok {
		s.log.Warn("refused", "reason", why, "remote", remote)
	}
}
