package sshapp

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/metrics"
)

// A connection is one client's from accept to end. It is the net.Conn that SSH is spoken over, so it can put a deadline on
// each write and close at any moment, which ends all sessions on it.
type connection struct {
	net.Conn
	server    *Server
	id        string
	remote    netip.AddrPort
	since     time.Time
	ctx       context.Context // the parent of its sessions' contexts
	cancel    context.CancelCauseFunc
	keepalive sync.WaitGroup // the goroutine that asks whether the client is still there

	mu            sync.Mutex // guards what follows
	ssh           ssh.Context
	stage         stage
	why           reason      // of the end; empty while open
	timer         *time.Timer // ends the connection when the stage lasts too long; nil while sessions run
	goingDown     bool        // end as soon as no channel is open
	overLimit     bool        // one connection too many for its address
	channels      [channelStates]int
	sessionsTotal int
	shut          bool          // takes no more channels
	quiet         chan struct{} // closed when shut and the last channel is gone
}

// stage is how far a connection has come.
type stage int

const (
	connected stage = iota
	signingIn       // the keys are exchanged
	waiting         // signed in
	inSession       // has or had a session
)

// connectionKey is where the ssh.Context of a connection keeps it.
type connectionKey struct{}

// sendBuffer is about how many bytes the kernel keeps for a client that reads nothing; it may keep twice as many. By default
// it keeps megabytes: such a client would be sent frames for a minute that nobody sees, and a slow one would see how things
// stood long ago.
const sendBuffer = 64 << 10

// boundSendBuffer bounds what the kernel keeps for a client. It fails only on a closed connection, which reports that itself.
func boundSendBuffer(conn net.Conn) {
	if c, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok { // TCP
		_ = c.SetWriteBuffer(sendBuffer)
	}
}

func newConnection(ctx context.Context, s *Server, conn net.Conn) *connection {
	boundSendBuffer(conn)
	c := &connection{Conn: conn, server: s, id: rand.Text(), remote: addrPort(conn.RemoteAddr()), since: time.Now(), quiet: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.mu.Lock()
	c.setTimer(s.limits.LoginGrace, loginTimeout)
	c.mu.Unlock()
	return c
}

// addrPort returns a TCP address as a value; it is zero for other networks.
func addrPort(addr net.Addr) netip.AddrPort {
	if a, ok := addr.(*net.TCPAddr); ok {
		ap := a.AddrPort()
		return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
	}
	return netip.AddrPort{}
}

// Write gives the network Limits.WriteStall to take p, so a client that reads nothing blocks no writer for longer.
func (c *connection) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(c.server.limits.WriteStall)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.server.metrics.Sent(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.end(writeStalled)
	}
	return n, err
}

// Read counts what comes.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.server.metrics.Received(n)
	return n, err
}

// SetDeadline does nothing: the ssh library clears its deadlines now and then, and those here are not its own.
func (c *connection) SetDeadline(time.Time) error { return nil }

// end closes the connection; the first reason counts.
func (c *connection) end(why reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(why)
}

func (c *connection) endLocked(why reason) {
	if c.why != "" {
		return
	}
	c.why = why
	c.setTimer(0, "")
	c.cancel(ErrClosed)
	_ = c.Conn.Close() // closed by the other side or not, it is closed now
}

// setTimer sets the time after which the connection ends, in place of an older one; 0 is never. The caller holds mu.
func (c *connection) setTimer(after time.Duration, why reason) {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if after > 0 && c.why == "" {
		var t *time.Timer
		t = time.AfterFunc(after, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.timer == t { // else it was stopped too late
				c.endLocked(why)
			}
		})
		c.timer = t
	}
}

// handshaken is called when the keys are exchanged.
func (c *connection) handshaken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage = signingIn
	c.server.metrics.Handshaken()
}

// signedIn is called with the method that worked.
func (c *connection) signedIn(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage = waiting
	as := metrics.AsGuest
	if method == "publickey" {
		as = metrics.WithKey
	}
	c.server.metrics.SignedIn(as, time.Since(c.since))
	c.overLimit = c.server.admission.signIn(c.remote.Addr())
	c.setTimer(c.server.limits.RequestGrace, requestTimeout)
}

// sessionStarted is called when a session of the connection has got its shell or command.
func (c *connection) sessionStarted(conn gossh.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setTimer(0, "")
	if c.stage != inSession {
		c.stage = inSession
		c.keepalive.Go(func() { c.keepAlive(conn) })
	}
}

// keepAlive asks now and then whether the client is still there. Any answer will do; OpenSSH refuses, which is one.
func (c *connection) keepAlive(conn gossh.Conn) {
	l := &c.server.limits
	tick := time.NewTicker(l.Keepalive)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done(): // going down has a time limit of its own
			return
		case <-tick.C:
		}
		missed := time.AfterFunc(time.Duration(l.KeepaliveMax)*l.Keepalive, func() { c.end(keepaliveMissed) })
		_, _, err := conn.SendRequest("keepalive@openssh.com", true, nil)
		missed.Stop()
		if err != nil {
			return
		}
	}
}

// goDown ends the connection as soon as no channel is open.
func (c *connection) goDown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goingDown = true
	if !c.shut {
		c.checkQuiet()
	}
}

// A channelState is what a session channel counts as.
type channelState int

const (
	inUse         channelState = iota // it has a session, and takes one of the places for sessions
	halfClosed                        // its session has ended and the server has closed it; the client has not
	refused                           // it was opened only to say why it gets no session
	rejected                          // it is about to be rejected
	channelStates                     // how many there are

	ignored channelState = -1 // the connection is over
)

// Bounds on the channels of one connection. A polite client closes a channel as soon as it hears that the server did, but may
// have opened the next ones before. Each channel about to be rejected costs a goroutine until the client reads that it is, so a
// client that opens more of them without reading is cut off.
const (
	maxHalfClosed = 16
	maxRejected   = 16
)

// openChannel counts a channel in and says what becomes of it. Unless it is ignored, closeChannel counts it out.
func (c *connection) openChannel() (state channelState, why reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut || c.why != "" {
		return ignored, ""
	}
	most := c.server.limits.SessionsPerConnection
	ok := false
	switch {
	case c.goingDown:
		why = goingDown
	case c.overLimit:
		why = tooManyConnsByAddr
	case c.channels[inUse] >= most:
		why = tooManyOnConn
	default:
		why, ok = c.server.admission.openSession(c.remote.Addr())
	}
	switch {
	case ok:
		c.sessionsTotal++
		state = inUse
	case c.channels[refused] < most:
		state = refused
	case c.channels[rejected] < maxRejected:
		state = rejected
	default:
		c.endLocked(channelFlood)
		return ignored, ""
	}
	c.channels[state]++
	return state, why
}

// halfClose frees the place of a channel in use whose session has ended, if there is room for another half-closed one. It
// returns the state to close the channel with.
func (c *connection) halfClose() channelState {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.channels[halfClosed] >= maxHalfClosed || !c.server.admission.halfClose(c.remote.Addr()) {
		return inUse
	}
	c.channels[inUse]--
	c.channels[halfClosed]++
	return halfClosed
}

func (c *connection) closeChannel(state channelState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.channels[state]--
	switch state {
	case inUse:
		c.server.admission.closeSession(c.remote.Addr())
	case halfClosed:
		c.server.admission.closeHalfClosed()
	}
	if c.stage == inSession && !c.hasChannels() {
		c.setTimer(c.server.limits.Linger, lingerTimeout)
	}
	c.checkQuiet()
}

func (c *connection) hasChannels() bool { return c.channels != [channelStates]int{} }

// checkQuiet does what was put off until the last channel is closed. The caller holds mu.
func (c *connection) checkQuiet() {
	if c.hasChannels() {
		return
	}
	if c.goingDown {
		c.endLocked(goingDown)
	}
	if c.shut {
		close(c.quiet)
	}
}

// finish ends what is left of the connection after SSH is done with it, and waits until nothing of it runs. It returns the
// reason of the end, and who the client was.
func (c *connection) finish() (why reason, who Identity, sessions int) {
	c.mu.Lock()
	switch c.stage {
	case connected:
		c.endLocked(noHandshake)
	case signingIn:
		c.endLocked(noAuth)
	default:
		c.endLocked(left)
	}
	c.shut = true
	c.checkQuiet()
	c.mu.Unlock()

	<-c.quiet
	c.keepalive.Wait()

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ssh != nil {
		if conn, ok := c.ssh.Value(ssh.ContextKeyConn).(*gossh.ServerConn); ok {
			who = signInOf(conn.Permissions).Identity
		}
	}
	c.server.admission.disconnect(c.remote.Addr(), c.stage >= waiting)
	return c.why, who, c.sessionsTotal
}
