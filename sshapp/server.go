// Package sshapp is the club's door: it lets people in over SSH and gives each session to a Handler.
//
// The door trusts nobody. It bounds what a stranger can open, send and keep, before and after signing in (Limits); it knows a
// player only by the key that signed (Identity); and it makes sure that a client who reads nothing, says nothing or never
// leaves holds up no one else (Session). The protocol is golang.org/x/crypto/ssh's, the server round it is Wish's; the
// session channels are the door's own.
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

	"ludoteca/lobby/throttle"
	"ludoteca/sshapp/metrics"
)

// version is what the server calls itself, without a number: "SSH-2.0-Ludoteca".
const version = "Ludoteca"

// Handler serves one session and returns its exit status, 0 to 255. It returns soon after the session's context has ended,
// and doesn't use the session after that. A panic in the goroutine of Serve ends that session alone.
type Handler interface {
	Serve(s *Session) (exit int)
}

// Config is what a Server needs.
type Config struct {
	HostKeys []gossh.Signer // Ed25519, at least one
	Handler  Handler
	Limits   Limits        // DefaultLimits is a good start; every limit must be more than 0
	NoGuests bool          // refuse clients without a key
	Log      *slog.Logger  // nil is silence
	Metrics  *metrics.Door // made for RefusalReasons and EndReasons; nil counts nothing
}

// Server is the SSH front. It is ready for Serve.
type Server struct {
	handler   Handler
	limits    Limits
	noGuests  bool
	log       *slog.Logger
	metrics   *metrics.Door
	admission *admission
	lookout   lookout
	front     *ssh.Server
	logRate   *throttle.Throttle[netip.Addr] // of refusals logged by address
}

// Refusals of one address that are logged: so many at once, then one in an interval.
const (
	logBurst    = 5
	logInterval = 10 * time.Second
)

// New makes a server. It fails when the configuration can't work.
func New(cfg Config) (*Server, error) {
	if cfg.Handler == nil {
		return nil, errors.New("sshapp: no handler")
	}
	if len(cfg.HostKeys) == 0 {
		return nil, errors.New("sshapp: no host key")
	}
	for _, k := range cfg.HostKeys {
		if t := k.PublicKey().Type(); t != gossh.KeyAlgoED25519 {
			return nil, fmt.Errorf("sshapp: host key of type %q, want %q", t, gossh.KeyAlgoED25519)
		}
	}
	if err := cfg.Limits.check(); err != nil {
		return nil, err
	}
	d := &Server{
		handler: cfg.Handler, limits: cfg.Limits, noGuests: cfg.NoGuests, log: cfg.Log, metrics: cfg.Metrics,
		admission: newAdmission(cfg.Limits), logRate: throttle.New[netip.Addr](logInterval, logBurst, maxThrottled),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if d.metrics == nil {
		d.metrics = metrics.NewDoor(nil, nil)
	}
	front, err := wish.NewServer(wish.WithVersion(version), func(s *ssh.Server) error {
		for _, k := range cfg.HostKeys {
			s.AddHostKey(k)
		}
		s.ConnCallback = remember
		s.ServerConfigCallback = d.serverConfig
		// The library rejects all other channels, and refuses all global requests.
		s.ChannelHandlers = map[string]ssh.ChannelHandler{"session": d.serveChannel}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sshapp: %w", err)
	}
	d.front = front
	return d, nil
}

// remember ties the library's context of a connection to the client.
func remember(ctx ssh.Context, conn net.Conn) net.Conn {
	c := conn.(*client)
	ctx.SetValue(clientKey{}, c)
	c.mu.Lock()
	c.ssh = ctx
	c.mu.Unlock()
	return c
}

// Serve takes connections from l, which it closes, until ctx ends. Then it goes down: it ends the sessions' contexts with
// ErrGoingDown, gives them Limits.GoingDown to say goodbye, closes what is still open, and returns nil when nothing runs
// any more. The error says that the listener was closed by someone else, or that a handler was stuck.
// Serve may run for several listeners at once; they share the limits.
func (d *Server) Serve(ctx context.Context, l net.Listener) error {
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(ErrGoingDown)
	h := &house{door: d, ctx: base, clients: make(map[*client]struct{})}
	err := h.accept(ctx, l)
	cancel(ErrGoingDown)
	return errors.Join(err, h.empty())
}

// house is what one call of Serve has let in.
type house struct {
	door  *Server
	ctx   context.Context // ends when going down
	alive sync.WaitGroup

	mu      sync.Mutex // guards what follows
	clients map[*client]struct{}
}

// accept lets connections in until ctx ends or the listener is closed.
func (h *house) accept(ctx context.Context, l net.Listener) error {
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
			h.admit(conn)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("sshapp: %w", err)
		default:
			// Out of descriptors, most likely: waiting is all that helps.
			h.door.log.Warn("can't accept connections", "err", err)
			wait(ctx, time.Second)
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// admit serves a connection, or tells it in a line before the version, as RFC 4253 4.2 allows, why not.
func (h *house) admit(conn net.Conn) {
	d, remote := h.door, remoteOf(conn)
	if why, ok := d.admission.connect(remote.Addr()); !ok {
		d.refused(remote, why)
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // a new connection has room for a line
		_, _ = io.WriteString(conn, why.words(&d.limits)+"\r\n")
		_ = conn.Close()
		return
	}
	d.metrics.Connected()
	c := newClient(h.ctx, d, conn)
	h.mu.Lock()
	h.clients[c] = struct{}{}
	h.mu.Unlock()
	h.alive.Go(func() {
		d.front.HandleConn(c)
		why, who, sessions := c.finish()
		h.mu.Lock()
		delete(h.clients, c)
		h.mu.Unlock()
		d.metrics.Ended(string(why))
		d.log.Info("connection ended", "reason", why, "remote", c.remote, "duration", time.Since(c.since).Round(time.Millisecond),
			"connection", c.id, "fingerprint", who.Fingerprint, "guest", who.Guest, "sessions", sessions)
	})
}

// clearing is how long sessions may take to end once their connections are closed. However short the time for goodbyes and
// however busy the machine, only a handler that is stuck needs it.
const clearing = 20 * time.Second

// empty waits until everybody has left: first of themselves, then because their connections are closed.
func (h *house) empty() error {
	gone := make(chan struct{})
	go func() { h.alive.Wait(); close(gone) }() // ends with the last client
	for _, c := range h.list() {
		c.goDown()
	}
	if within(gone, h.door.limits.GoingDown) {
		return nil
	}
	for _, c := range h.list() {
		c.end(goingDown)
	}
	if within(gone, clearing) {
		return nil
	}
	return fmt.Errorf("sshapp: %d connections have sessions that don't end", len(h.list()))
}

func (h *house) list() []*client {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]*client, 0, len(h.clients))
	for c := range h.clients {
		list = append(list, c)
	}
	return slices.Clip(list)
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

// A Load is what the door has open at one moment.
type Load struct {
	Connections int // signed in or not
	SigningIn   int // connections that have not signed in yet
	Sessions    int
}

// Load returns what is open now.
func (d *Server) Load() Load {
	a := d.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	return Load{Connections: a.conns, SigningIn: a.unauth, Sessions: a.sessions}
}

// serveChannel is called by the library, in a goroutine of its own, for each session channel that a client wants to open.
func (d *Server) serveChannel(_ *ssh.Server, conn *gossh.ServerConn, offer gossh.NewChannel, ctx ssh.Context) {
	c := ctx.Value(clientKey{}).(*client)
	v, why := c.openChannel()
	if v == ignore {
		return
	}
	defer func() { c.closeChannel(v) }()
	if why != "" {
		d.refused(c.remote, why)
	}
	identity, ok := identityOf(conn)
	if v == reject || !ok {
		_ = offer.Reject(gossh.ResourceShortage, why.words(&d.limits))
		return
	}
	ch, reqs, err := offer.Accept()
	if err != nil {
		return // the connection is gone
	}
	s := newSession(c, ch, identity)
	s.started, s.ended = func() { c.sessionStarted(conn) }, func() { v = c.retireChannel() }
	if v == refuse {
		s.refusal = why.words(&d.limits)
		s.started, s.ended = func() {}, func() {} // the connection's time for a session goes on
	}
	s.tooSlow = func() { c.end(lingerTimeout) }
	s.run(reqs, d.handler)
}

// refused counts a refusal, and logs it unless its address has had many of late.
func (d *Server) refused(remote netip.AddrPort, why reason) {
	d.metrics.Refused(string(why))
	if _, ok := d.logRate.Take(time.Now(), addressKey(remote.Addr())); ok {
		d.log.Warn("refused", "reason", why, "remote", remote)
	}
}
