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

// A client is one connection from its accept to its end. It is the net.Conn that SSH is spoken over, so that it can put a
// deadline on each write and close at any moment, which ends everything that runs on it.
type client struct {
	net.Conn
	door      *Server
	id        string
	remote    netip.AddrPort
	since     time.Time
	ctx       context.Context // the parent of its sessions' contexts
	cancel    context.CancelCauseFunc
	keepalive sync.WaitGroup // the goroutine that asks whether the client is still there
	ahead     []byte         // read already; of whoever reads, one after the other
	keys      exchange

	mu         sync.Mutex // guards what follows
	ssh        ssh.Context
	stage      stage
	why        reason      // of the end; empty while open
	timer      *time.Timer // ends the connection when the stage lasts too long; nil while sessions run
	down       bool        // going down: end as soon as no channel is open
	overCount  bool        // one connection too many for its address
	served     int         // channels with a session
	retired    int         // channels whose session has ended, and given its place away
	refused    int         // channels that hear why they have none
	rejected   int         // channels about to be rejected
	everServed int
	shut       bool          // takes no more channels
	quiet      chan struct{} // closed when shut and the last channel is gone
}

// stage is how far a connection has come.
type stage int

const (
	connected stage = iota
	signingIn       // the keys are exchanged
	waiting         // signed in
	inSession       // has or had a session
)

// clientKey is where the ssh.Context of a connection keeps its client.
type clientKey struct{}

// moreRejected is how many channels of one connection may be about to be rejected. Each costs a goroutine until the client
// has read that it is, so a client that opens more of them without reading is cut off.
const moreRejected = 16

func newClient(ctx context.Context, d *Server, conn net.Conn) *client {
	c := &client{Conn: socketOf(conn), door: d, id: rand.Text(), remote: remoteOf(conn), since: time.Now(), quiet: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.mu.Lock()
	c.arm(d.limits.LoginGrace, loginTimeout)
	c.mu.Unlock()
	return c
}

func remoteOf(conn net.Conn) netip.AddrPort {
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		ap := a.AddrPort()
		return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
	}
	return netip.AddrPort{}
}

// Write has p on its way to the client when it returns, or as soon as the server waits for an answer.
func (c *client) Write(p []byte) (int, error) {
	if c.keys.hold(p) {
		return len(p), nil
	}
	return c.send(p)
}

// send gives the network Limits.WriteStall to take p: a client that reads nothing would else hold on to whoever writes.
func (c *client) send(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(c.door.limits.WriteStall)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.door.metrics.Sent(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.end(writeStalled)
	}
	return n, err
}

// versionBytes is more than the version line of a client usually has.
const versionBytes = 256

// Read counts what comes. A client's version line is asked for byte by byte, so it is read ahead: a system call for each byte
// would be a good part of what signing in costs.
func (c *client) Read(p []byte) (int, error) {
	for held := c.keys.beforeRead(); held != nil; held = c.keys.beforeRead() {
		if _, err := c.send(held); err != nil {
			return 0, err
		}
	}
	if len(c.ahead) > 0 {
		c.keys.afterRead()
		n := copy(p, c.ahead)
		if c.ahead = c.ahead[n:]; len(c.ahead) == 0 {
			c.ahead = nil // nothing is kept of it
		}
		return n, nil
	}
	into := p
	if len(p) == 1 {
		into = make([]byte, versionBytes)
	}
	n, err := c.Conn.Read(into)
	c.keys.afterRead()
	c.door.metrics.Received(n)
	if len(p) == 1 && n > 0 {
		p[0], c.ahead = into[0], into[1:n]
		n = 1
	}
	return n, err
}

// SetDeadline does nothing: the SSH server clears its deadlines now and then, and those here are not its own.
func (c *client) SetDeadline(time.Time) error { return nil }

// end closes the connection; the first reason counts.
func (c *client) end(why reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(why)
}

func (c *client) endLocked(why reason) {
	if c.why != "" {
		return
	}
	c.why = why
	c.arm(0, "")
	c.cancel(ErrClosed)
	_ = c.Conn.Close() // closed by the other side or not, it is closed now
}

// arm sets the time after which the connection ends, in place of an older one; 0 is never. The caller holds mu.
func (c *client) arm(after time.Duration, why reason) {
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

func (c *client) handshaken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage = signingIn
	c.keys.end()
	c.door.metrics.Handshaken()
}

// signedIn is told the method that worked.
func (c *client) signedIn(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage = waiting
	as := metrics.AsGuest
	if method == "publickey" {
		as = metrics.WithKey
	}
	c.door.metrics.SignedIn(as, time.Since(c.since))
	c.overCount = c.door.admission.signIn(c.remote.Addr())
	c.arm(c.door.limits.RequestGrace, requestTimeout)
}

// sessionStarted is called when a session of the connection has got its shell or command.
func (c *client) sessionStarted(conn gossh.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arm(0, "")
	if c.stage != inSession {
		c.stage = inSession
		c.keepalive.Go(func() { c.keepAlive(conn) })
	}
}

// keepAlive asks now and then whether the client is still there. Any answer will do; OpenSSH refuses, which is one.
func (c *client) keepAlive(conn gossh.Conn) {
	l := &c.door.limits
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
func (c *client) goDown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = true
	if !c.shut {
		c.closeIfQuiet()
	}
}

// A verdict is what becomes of a channel that a client wants to open.
type verdict int

const (
	serve  verdict = iota
	retire         // it was served, and has given its place away
	refuse         // open it, say why it gets no session, close it
	reject         // don't open it
	ignore         // the connection is over
)

// openChannel counts a channel in and says what becomes of it. Unless it is ignored, closeChannel counts it out.
func (c *client) openChannel() (v verdict, why reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut || c.why != "" {
		return ignore, ""
	}
	most := c.door.limits.SessionsPerConnection
	ok := false
	switch {
	case c.down:
		why = goingDown
	case c.overCount:
		why = tooManyConnsByAddr
	case c.served >= most:
		why = tooManyOnConn
	default:
		why, ok = c.door.admission.openSession(c.remote.Addr())
	}
	switch {
	case ok:
		c.served++
		c.everServed++
		return serve, ""
	case c.refused < most:
		c.refused++
		return refuse, why
	case c.rejected < moreRejected:
		c.rejected++
		return reject, why
	}
	c.endLocked(channelFlood)
	return ignore, ""
}

// retireChannel gives the place of a served channel away whose session has ended, if there is room for what is left of it. The
// result is the verdict to close it by.
func (c *client) retireChannel() verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retired >= moreRetired || !c.door.admission.retire(c.remote.Addr()) {
		return serve
	}
	c.served--
	c.retired++
	return retire
}

func (c *client) closeChannel(v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch v {
	case serve:
		c.served--
		c.door.admission.closeSession(c.remote.Addr())
	case retire:
		c.retired--
		c.door.admission.closeRetired()
	case refuse:
		c.refused--
	case reject:
		c.rejected--
	}
	if c.stage == inSession && c.channels() == 0 {
		c.arm(c.door.limits.Linger, lingerTimeout)
	}
	c.closeIfQuiet()
}

func (c *client) channels() int { return c.served + c.retired + c.refused + c.rejected }

// closeIfQuiet does what was put off until the last channel is closed. The caller holds mu.
func (c *client) closeIfQuiet() {
	if c.channels() > 0 {
		return
	}
	if c.down {
		c.endLocked(goingDown)
	}
	if c.shut {
		close(c.quiet)
	}
}

// finish ends what is left of the connection after SSH is done with it, and waits until nothing of it runs. It returns the
// reason of the end, and who the client was.
func (c *client) finish() (why reason, who Identity, sessions int) {
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
	c.closeIfQuiet()
	c.mu.Unlock()

	<-c.quiet
	c.keepalive.Wait()

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ssh != nil {
		conn, _ := c.ssh.Value(ssh.ContextKeyConn).(*gossh.ServerConn)
		who, _ = identityOf(conn)
	}
	c.door.admission.disconnect(c.remote.Addr(), c.stage >= waiting)
	return c.why, who, c.everServed
}
