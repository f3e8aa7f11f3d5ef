package sshapp

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
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
	lag       atomic.Int64   // the shortest time that one of the newest answers to that took, a time.Duration; 0: there was none yet
	broken    atomic.Bool    // the line died: the client did not end the connection properly
	active    atomic.Int64   // when something was last typed or a session began, in nanoseconds of the Unix time; 0: never yet

	leaves *rate.Limiter // how often it leaves sessions that aren't done

	told  bool   // that a key is too short; of the goroutine that signs it in
	first []byte // what came first, as long as it may be a header of the PROXY protocol; of the goroutine that reads

	mu            sync.Mutex // guards what follows
	stage         stage
	preAuth       gossh.ServerPreAuthConn // tells the client something while it signs in; nil before
	awaitsTouch   bool                    // the signature of a security key comes next
	why           reason                  // of the end; empty while open
	timer         *time.Timer             // ends the connection when the stage lasts too long; nil while sessions run
	who           Identity                // what the client proved; the zero value until then
	account       lobby.User              // of the key; the zero value: none is known
	made          time.Time               // of account
	leaving       bool                    // it makes room for another one, and counts no more
	ending        reason                  // end as soon as no channel is open, for this reason; empty while wanted
	overLimit     bool                    // one connection too many for its address
	relayGuest    bool                    // it counts as a guest of a relay
	channels      [channelStates]int
	sessionsTotal int
	shut          bool          // takes no more channels
	quiet         chan struct{} // closed when shut and the last channel is gone
}

// A stage tells how far a connection has come.
type stage int

const (
	connected stage = iota
	signingIn       // the keys are exchanged
	waiting         // signed in
	inSession       // has or had a session
)

// connectionKey is the key under which an ssh.Context keeps its connection.
type connectionKey struct{}

// sendBuffer is the size of the kernel's send buffer of a connection, in bytes; the kernel may use twice as much. Its default is megabytes:
// a client that reads nothing would be sent frames for a minute, and a slow client would see frames that are long out of date.
const sendBuffer = 64 << 10

// boundSendBuffer bounds what the kernel keeps for a client. It fails only on a closed connection, which reports that itself.
func boundSendBuffer(conn net.Conn) {
	if c, ok := conn.(interface{ SetWriteBuffer(bytes int) error }); ok { // TCP
		_ = c.SetWriteBuffer(sendBuffer)
	}
}

func newConnection(ctx context.Context, s *Server, conn net.Conn) *connection {
	boundSendBuffer(conn)
	c := &connection{Conn: conn, server: s, id: rand.Text(), remote: addrPort(conn.RemoteAddr()), since: time.Now(), quiet: make(chan struct{}), first: []byte{},
		leaves: rate.NewLimiter(rate.Every(leaveInterval), leaveBurst)}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.mu.Lock()
	c.checkGrace()
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
	if err := c.Conn.SetWriteDeadline(time.Now().Add(c.server.limits.Load().WriteStall)); err != nil {
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
	if err != nil && !errors.Is(err, net.ErrClosed) { // before SSH hears of it; a client that says goodbye is read no further
		c.broken.Store(true)
	}
	c.server.metrics.Received(n)
	if c.beginsAsProxied(p[:n]) {
		c.end(untrustedProxy)
		if _, ok := c.server.logRate.Take(time.Now(), origin.Narrowest(c.remote.Addr())); ok {
			c.server.log.Warn("a connection begins with a header of the PROXY protocol, but its address is not one of --proxy-from", "remote", c.remote)
		}
		return 0, net.ErrClosed
	}
	return n, err
}

// beginsAsProxied reports whether p completes a header's signature of the PROXY protocol at the beginning of the connection.
func (c *connection) beginsAsProxied(p []byte) bool {
	if c.first == nil || len(p) == 0 {
		return false
	}
	c.first = append(c.first, p[:min(len(p), len(proxySignature2))]...)
	for _, signature := range []string{proxySignature1, proxySignature2} {
		switch {
		case !beginAlike(c.first, signature):
		case len(c.first) >= len(signature):
			return true
		default:
			return false // not yet
		}
	}
	c.first = nil
	return false
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
	if why == keepaliveMissed || why == writeStalled {
		c.broken.Store(true)
	}
	c.setTimer(0, nil)
	c.cancel(ErrClosed)
	_ = c.Conn.Close() // closed by the other side or not, it is closed now
}

// setDeadline sets the time after which the connection ends, in place of an older one. The caller holds mu.
func (c *connection) setDeadline(after time.Duration, why reason) {
	c.setTimer(after, func() { c.endLocked(why) })
}

// setTimer sets the time after which expired is called with mu held, in place of an older one; 0 is never. The caller holds mu.
func (c *connection) setTimer(after time.Duration, expired func()) {
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
				expired()
			}
		})
		c.timer = t
	}
}

// checkGrace ends a connection that has not signed in in time, and else looks again after a step of the time for it, since that is
// shorter when many sign in. The caller holds mu.
func (c *connection) checkGrace() {
	a := c.server.admission
	left := a.grace() - time.Since(c.since)
	if left <= 0 {
		c.endLocked(loginTimeout)
		return
	}
	c.setTimer(min(left, a.graceStep()), c.checkGrace)
}

// handshaken is called when the keys are exchanged.
func (c *connection) handshaken(conn gossh.ServerPreAuthConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage, c.preAuth = signingIn, conn
	c.server.metrics.Handshaken()
}

// signedIn is called with the method that worked.
func (c *connection) signedIn(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stage, c.preAuth = waiting, nil
	as := metrics.AsGuest
	if method == "publickey" {
		as = metrics.WithKey
	}
	c.server.metrics.SignedIn(as, time.Since(c.since))
	a := c.server.admission
	if !c.leaving {
		c.overLimit = a.signIn(c.remote.Addr())
	}
	if as == metrics.AsGuest && a.relays.has(c.remote.Addr()) {
		c.relayGuest = a.guests.come(c.remote.Addr(), c.server.limits.Load().RelayGuests)
		c.overLimit = c.overLimit || !c.relayGuest
	}
	if c.ending == "" && c.server.banned(c.who, c.remote.Addr()) {
		c.ending = banned // after its first channel, which says so
	}
	c.setDeadline(c.server.limits.Load().RequestGrace, requestTimeout)
}

// sessionStarted is called when a session of the connection has got its shell or command.
func (c *connection) sessionStarted(conn gossh.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending == "" {
		c.setTimer(0, nil)
	}
	c.touch()
	if c.stage != inSession {
		c.stage = inSession
		c.keepalive.Go(func() { c.keepAlive(conn) })
	}
}

// touch notes that the client does something.
func (c *connection) touch() { c.active.Store(time.Now().UnixNano()) }

// firstKeepalive is when a client is asked for the first time, so that the delay of its line is known soon.
const firstKeepalive = time.Second

// measuredAnswers is the number of newest answers to keepalives of which the fastest measures the lag of the line. A single answer may be
// late for other reasons.
const measuredAnswers = 4

// answerTimes are the durations of the newest measuredAnswers answers.
type answerTimes []time.Duration

// add adds the duration of an answer and returns the shortest of the newest ones.
func (a *answerTimes) add(took time.Duration) time.Duration {
	*a = append(*a, took)
	*a = (*a)[max(0, len(*a)-measuredAnswers):]
	return slices.Min(*a)
}

// keepAlive sends keepalives and measures how long the client takes to answer. Any answer counts, also the refusal that OpenSSH sends.
func (c *connection) keepAlive(conn gossh.Conn) {
	l := c.server.limits.Load()
	timer := time.NewTimer(min(firstKeepalive, l.Keepalive))
	defer timer.Stop()
	var answers answerTimes
	for {
		select {
		case <-c.ctx.Done(): // going down has a time limit of its own
			return
		case <-timer.C:
		}
		missed := time.AfterFunc(time.Duration(l.KeepaliveMax)*l.Keepalive, func() { c.end(keepaliveMissed) })
		asked := time.Now()
		_, _, err := conn.SendRequest("keepalive@openssh.com", true, nil)
		missed.Stop()
		if err != nil {
			return
		}
		took := time.Since(asked)
		c.lag.Store(int64(answers.add(took)))
		timer.Reset(max(l.Keepalive-took, 0))
	}
}

// roundTrip returns how long the fastest of the client's newest answers took; 0 if that is not known.
func (c *connection) roundTrip() time.Duration { return time.Duration(c.lag.Load()) }

// lagOf returns what says how long the line of a session takes there and back; nil if nothing measures it.
func lagOf(s ssh.Session) func() time.Duration {
	c, ok := s.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return nil
	}
	return c.roundTrip
}

// droppedOf returns a function that reports whether the line of a session died. If a session ends for that reason, the function returns true
// before any other sign of the end can be seen.
func droppedOf(s ssh.Session) func() bool {
	c, ok := s.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() bool { return false }
	}
	return c.broken.Load
}

// markDropped marks the connection of a session as broken: the client reads nothing any more.
func markDropped(s ssh.Session) {
	if c, ok := s.Context().Value(connectionKey{}).(*connection); ok {
		c.broken.Store(true)
	}
}

// dismiss ends the connection as soon as no channel is open. say is the cause that the contexts of its sessions end with, nil if
// they have one already.
func (c *connection) dismiss(why reason, say error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dismissLocked(why, say)
}

func (c *connection) dismissLocked(why reason, say error) {
	c.ending = why
	if say != nil {
		c.cancel(say)
	}
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

// How often a client may leave sessions that aren't done, such as screens or commands whose answers it doesn't wait for: leaveBurst times at once, then
// once each leaveInterval. It is the only way to begin sessions faster than they are served, and each costs as much as some keys do.
const (
	leaveBurst    = 3
	leaveInterval = 2 * time.Second
)

// left is called when the client has left a session that wasn't done.
func (c *connection) left() { c.leaves.Reserve() }

// untilWelcome waits until the next session may begin: at once, unless the client has left many that weren't done. It waits no longer than the sessions of
// the connection may last.
func (c *connection) untilWelcome() {
	missing := -c.leaves.Tokens()
	if missing <= 0 {
		return
	}
	timer := time.NewTimer(time.Duration(missing * float64(leaveInterval)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.ctx.Done():
	}
}

// openChannel counts a channel in and says what becomes of it. Unless it is ignored, closeChannel counts it out.
func (c *connection) openChannel() (state channelState, why reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut || c.why != "" {
		return ignored, ""
	}
	most := c.server.limits.Load().SessionsPerConnection
	ok := false
	switch {
	case c.ending != "":
		why = c.ending
	case c.overLimit:
		why = tooManyConnsByAddr
	case c.channels[inUse] >= most:
		why = tooManyOnConn
	default:
		why, ok = c.server.admission.openSession(c.remote.Addr(), c.standing())
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
	if c.leaving || c.channels[halfClosed] >= maxHalfClosed || !c.server.admission.halfClose(c.remote.Addr()) {
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
		if !c.leaving {
			c.server.admission.closeSession(c.remote.Addr())
		}
	case halfClosed:
		c.server.admission.closeHalfClosed()
	}
	if c.stage == inSession && c.ending == "" && !c.hasChannels() {
		c.setDeadline(c.server.bounds.linger, lingerTimeout)
	}
	c.checkQuiet()
}

func (c *connection) hasChannels() bool { return c.channels != [channelStates]int{} }

// checkQuiet does what was put off until the last channel is closed. The caller holds mu.
func (c *connection) checkQuiet() {
	if c.hasChannels() {
		return
	}
	if c.ending != "" {
		c.endLocked(c.ending)
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
	if c.stage >= waiting {
		who = c.who
	}
	if c.relayGuest {
		c.server.admission.guests.leave(c.remote.Addr())
	}
	if c.leaving {
		c.server.admission.left()
	} else {
		c.server.admission.disconnect(c.remote.Addr(), c.stage >= waiting, c.why)
	}
	return c.why, who, c.sessionsTotal
}
