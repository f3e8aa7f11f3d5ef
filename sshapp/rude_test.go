package sshapp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// TestTimeouts: whoever says nothing where something is due is sent away, and the log says why.
func TestTimeouts(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		client func(t *testing.T, d *door)
		want   reason
	}{
		{"says nothing", func(l *Limits) { l.LoginGrace = soon }, func(t *testing.T, d *door) {
			// On a busy machine the time is over before the first line is written.
			if got := readAll(t, d.dialTCP()); got != "" && !strings.HasPrefix(got, "SSH-2.0-Ludoteca\r\n") {
				t.Errorf("the server says %.30q", got)
			}
		}, loginTimeout},
		{"an endless version line", func(l *Limits) { l.LoginGrace = soon }, func(t *testing.T, d *door) {
			c := d.dialTCP()
			_, _ = c.Write([]byte("S"))
			readAll(t, c)
		}, loginTimeout},
		{"exchanges keys only", func(l *Limits) { l.LoginGrace = 4 * soon }, func(t *testing.T, d *door) {
			wait := gossh.PublicKeysCallback(func() ([]gossh.Signer, error) { d.ended(); return nil, nil })
			if _, err := gossh.Dial("tcp", d.addr, d.config(wait)); err == nil {
				t.Error("signed in")
			}
		}, loginTimeout},
		{"signs in only", func(l *Limits) { l.RequestGrace = soon }, func(t *testing.T, d *door) {
			if c, err := d.tryDial(); err == nil {
				_ = c.Wait()
			}
		}, requestTimeout},
		{"opens a channel only", func(l *Limits) { l.RequestGrace = soon }, func(t *testing.T, d *door) {
			if c, err := d.tryDial(); err == nil {
				_, _, _ = c.OpenChannel("session", nil) // fails when it comes too late
				_ = c.Wait()
			}
		}, requestTimeout},
		{"stays after its session", func(l *Limits) { l.Linger = soon }, func(t *testing.T, d *door) {
			c := d.dial()
			run(t, c, "")
			_ = c.Wait()
		}, lingerTimeout},
		{"doesn't close its channel", func(l *Limits) { l.Linger = soon }, func(t *testing.T, d *door) {
			conn := newStoppable(d.dialTCP())
			c, _, _, err := gossh.NewClientConn(conn, d.addr, d.config(asGuest(t)))
			if err != nil {
				t.Fatal(err)
			}
			ch := channel(t, c)
			ask(t, ch, "made-up", nil) // the answer is the last thing that the client reads
			conn.stop()
			if _, err := ch.SendRequest("shell", false, nil); err != nil {
				t.Fatal(err)
			}
			d.ended()
			_ = c.Close()
		}, lingerTimeout},
		{"answers no keepalive", func(l *Limits) { l.Keepalive = soon; l.KeepaliveMax = 2 }, func(t *testing.T, d *door) {
			c, _, _ := d.dialDeaf() // nobody answers its requests
			ask(t, channel(t, c), "exec", oneString{"stay"})
			_ = c.Wait()
		}, keepaliveMissed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := openDoor(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
			tt.client(t, d)
			if got := d.ended(); got != tt.want {
				t.Errorf("the connection ended for %q, want %q", got, tt.want)
			}
		})
	}
}

// stayOrGo serves a session until its end if the command is "stay".
func stayOrGo(s *Session) int {
	if line, _ := s.Command(); line == "stay" {
		<-s.Context().Done()
	}
	return 0
}

// dialDeaf signs in and leaves global requests and channels unanswered.
func (d *door) dialDeaf() (gossh.Conn, <-chan gossh.NewChannel, <-chan *gossh.Request) {
	d.t.Helper()
	c, chans, reqs, err := gossh.NewClientConn(d.dialTCP(), d.addr, d.config(asGuest(d.t)))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	return c, chans, reqs
}

// TestKeepaliveKeeps: a client that answers stays.
func TestKeepaliveKeeps(t *testing.T) {
	d := openDoor(t, stayOrGo, func(c *Config) { c.Limits.Keepalive = time.Millisecond; c.Limits.KeepaliveMax = 1_000_000 })
	c, _, reqs := d.dialDeaf()
	ask(t, channel(t, c), "exec", oneString{"stay"})
	for range 20 {
		r := receive(t, reqs, "keepalive")
		if r.Type != "keepalive@openssh.com" || !r.WantReply {
			t.Fatalf("the server asks %q, reply wanted %v", r.Type, r.WantReply)
		}
		if err := r.Reply(false, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSecondChannelWithoutRequest: on a connection in use a channel without a shell or command is closed in words.
func TestSecondChannelWithoutRequest(t *testing.T) {
	d := openDoor(t, stayOrGo, func(c *Config) { c.Limits.RequestGrace = 4 * soon })
	var c *gossh.Client
	var busy gossh.Channel
	retry(t, func() (ok bool) { // on a busy machine the time may be over before the connection is in use
		var err error
		if c, err = d.tryDial(); err != nil {
			return false
		}
		var requests <-chan *gossh.Request
		if busy, requests, err = c.OpenChannel("session", nil); err != nil {
			return false
		}
		go gossh.DiscardRequests(requests)
		ok, err = busy.SendRequest("exec", true, gossh.Marshal(oneString{"stay"}))
		return ok && err == nil
	})
	ch := channel(t, c)
	if got, want := readAll(t, ch.Stderr()), "You asked for neither a shell nor a command.\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if ask(t, busy, "made-up", nil) {
		t.Error("a made-up request was granted")
	}
}

// TestStoppedReader: a client that takes nothing of a session holds up neither its other sessions nor whoever closes it.
func TestStoppedReader(t *testing.T) {
	wrote, closed := make(chan error, 1), make(chan *Session, 1)
	d := openDoor(t, func(s *Session) int {
		if line, _ := s.Command(); line != "flood" {
			_, _ = io.Copy(s, s)
			return 0
		}
		closed <- s
		page := make([]byte, 64<<10)
		for {
			if _, err := s.Write(page); err != nil {
				wrote <- err
				return 0
			}
		}
	}, nil)
	c := d.dial()
	ask(t, channel(t, c), "exec", oneString{"flood"}) // nobody reads: the window closes after 2 MiB
	echo := run2(t, c)
	echo("the other session goes on")
	s := receive(t, closed, "session")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := receive(t, wrote, "end of Write"); err != ErrClosed {
		t.Errorf("Write = %v, want ErrClosed", err)
	}
	if _, err := s.Write([]byte("x")); err != ErrClosed {
		t.Errorf("Write after Close = %v, want ErrClosed", err)
	}
	if _, err := s.Read(make([]byte, 1)); err != ErrClosed {
		t.Errorf("Read after Close = %v, want ErrClosed", err)
	}
	echo("and on")
}

// run2 starts an echo and returns a function that uses it.
func run2(t *testing.T, c *gossh.Client) func(line string) {
	t.Helper()
	ch := channel(t, c)
	ask(t, ch, "exec", oneString{"echo"})
	return func(line string) {
		t.Helper()
		if _, err := io.WriteString(ch, line); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(line))
		if _, err := io.ReadFull(ch, got); err != nil || string(got) != line {
			t.Fatalf("echo of %q: %q, %v", line, got, err)
		}
	}
}

// TestStoppedNetwork: a client whose network takes nothing any more is cut off, and its session ends.
func TestStoppedNetwork(t *testing.T) {
	const sessions = 4 // windows of 8 MiB in all, more than the network's buffers hold once they are narrow
	ended, flood := make(chan error, sessions), make(chan struct{})
	d := openDoorOn(t, func(s *Session) int {
		<-flood
		page := make([]byte, 64<<10)
		for {
			if _, err := s.Write(page); err != nil {
				ended <- wantCause(s.Context(), ErrClosed)
				return 0
			}
		}
	}, func(c *Config) { c.Limits.WriteStall = 20 * soon }, func(_ *Server, l net.Listener) net.Listener { return narrow{l} })
	tcp := d.dialTCP()
	if err := tcp.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	conn := newStoppable(tcp)
	c, _, _, err := gossh.NewClientConn(conn, d.addr, d.config(asGuest(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	chans := make([]gossh.Channel, sessions)
	for i := range chans {
		chans[i] = channel(t, c)
		ask(t, chans[i], "exec", oneString{"flood"})
	}
	conn.stop()
	close(flood)
	for _, ch := range chans {
		go func() { _, _ = io.Copy(io.Discard, ch) }() // ends with the connection
	}
	if err := receive(t, ended, "end of the session"); err != nil {
		t.Error(err)
	}
	if got := d.ended(); got != writeStalled {
		t.Errorf("the connection ended for %q, want %q", got, writeStalled)
	}
}

// narrow is a listener whose connections hold little that the other side has not read.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(64 << 10)
	}
	return conn, err
}

// stoppable is a connection that can stop to read.
type stoppable struct {
	net.Conn
	once          sync.Once
	stopped, gone chan struct{}
}

func newStoppable(conn net.Conn) *stoppable {
	return &stoppable{Conn: conn, stopped: make(chan struct{}), gone: make(chan struct{})}
}

func (s *stoppable) stop() { close(s.stopped) }

func (s *stoppable) Close() error {
	s.once.Do(func() { close(s.gone) })
	return s.Conn.Close()
}

// Read keeps to itself what it gets after stop, also when it began before.
func (s *stoppable) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	select {
	case <-s.stopped:
		<-s.gone
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

// TestDeadlinesAreTheDoors: the SSH server's own deadlines don't reach the connection.
func TestDeadlinesAreTheDoors(t *testing.T) {
	d := openDoor(t, stayOrGo, nil)
	ours, theirs := net.Pipe()
	defer func() { _ = theirs.Close() }()
	c := newClient(t.Context(), d.srv, ours)
	defer c.end(left)
	if err := c.SetDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = theirs.Write([]byte("SSH-")) }() // ends when it is read, or with theirs
	got := make([]byte, 4)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "SSH-" {
		t.Errorf("read %q, %v: a deadline got through", got, err)
	}
}

// TestGone: in whatever way a client leaves, its session ends.
func TestGone(t *testing.T) {
	tests := []struct {
		name  string
		leave func(conn net.Conn, c gossh.Conn, ch gossh.Channel)
	}{
		{"closes the channel and the connection", func(_ net.Conn, c gossh.Conn, ch gossh.Channel) { _ = ch.Close(); _ = c.Close() }},
		{"closes the connection", func(_ net.Conn, c gossh.Conn, _ gossh.Channel) { _ = c.Close() }},
		{"is cut off", func(conn net.Conn, _ gossh.Conn, _ gossh.Channel) {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}},
		{"is cut off while typing", func(conn net.Conn, _ gossh.Conn, ch gossh.Channel) {
			_, _ = ch.Write(make([]byte, 100<<10))
			_ = conn.Close()
		}},
		{"talks nonsense", func(conn net.Conn, _ gossh.Conn, _ gossh.Channel) {
			_, _ = conn.Write(bytes.Repeat([]byte("nonsense"), 10000))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan error, 1)
			d := openDoor(t, func(s *Session) int {
				close(started)
				ended <- wantCause(s.Context(), ErrClosed)
				return 0
			}, nil)
			conn := d.dialTCP()
			c, _, _, err := gossh.NewClientConn(conn, d.addr, d.config(asGuest(t)))
			if err != nil {
				t.Fatal(err)
			}
			ch := channel(t, c)
			ask(t, ch, "shell", nil)
			receive(t, started, "session")
			tt.leave(conn, c, ch)
			if err := receive(t, ended, "end"); err != nil {
				t.Error(err)
			}
			if got := d.ended(); got != left {
				t.Errorf("the connection ended for %q, want %q", got, left)
			}
			_ = c.Close()
		})
	}
}

func TestTooManySessions(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		shared bool // the second session is on the same connection
		words  string
		want   reason
	}{
		{"in all", func(l *Limits) { l.Sessions = 1 }, false,
			"The club is full just now (1 sessions). Please try again in a minute.\n", tooManySessions},
		{"on a connection", func(l *Limits) { l.SessionsPerConnection = 1 }, true,
			"This connection has its 1 sessions already. Close one and try again.\n", tooManyOnConn},
		{"of an address", func(l *Limits) { l.SessionsPerAddress = 1; l.LimitLoopback = true }, false,
			"Your address has its 1 sessions already. Close one and try again.\n", tooManyByAddr},
		{"connections of an address", func(l *Limits) { l.ConnectionsPerAddress = 1; l.LimitLoopback = true }, false,
			"Your address has its 1 connections already. Close one and try again.\n", tooManyConnsByAddr},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := openDoor(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
			first := d.dial()
			ch := channel(t, first)
			ask(t, ch, "exec", oneString{"stay"})
			second := first
			if !tt.shared {
				second = d.dial()
			}
			if got, want := run(t, second, "x"), (result{"", tt.words, 1}); got != want {
				t.Errorf("the second session gives %+v, want %+v", got, want)
			}
			if got := d.log.wait(t, "refused", 1)[0]["reason"]; got != tt.want {
				t.Errorf("logged %q, want %q", got, tt.want)
			}
			// The place is free again when the first is gone.
			_ = ch.Close()
			readAll(t, ch)
			if tt.want == tooManyConnsByAddr {
				_ = first.Close()
				d.log.wait(t, "connection ended", 1)
				_ = second.Close()
				d.log.wait(t, "connection ended", 2)
				second = d.dial()
			}
			retry(t, func() bool { return serves(second) })
		})
	}
}

// serves says whether a connection is given a session. It is rejected outright while the last refusal is on its way.
func serves(c *gossh.Client) bool {
	s, err := c.NewSession()
	return err == nil && s.Run("x") == nil
}

// retry does what depends on something that the server does in its own time.
func retry(t *testing.T, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			t.Fatalf("not so in %v", patience)
		}
		wait(ctx, time.Millisecond)
	}
}

// TestTooManyConnections: before a channel exists a refusal is a line ahead of the version, and the end.
func TestTooManyConnections(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		words  string
		want   reason
	}{
		{"in all", func(l *Limits) { l.Connections = 2 }, "The club has no free line just now. Please try again in a minute.\r\n", tooManyConns},
		{"not signed in", func(l *Limits) { l.Unauth = 2 }, "The club has no free line just now. Please try again in a minute.\r\n", tooManyHandshakes},
		{"not signed in, of an address", func(l *Limits) { l.UnauthPerAddress = 2; l.LimitLoopback = true },
			"Your address has 2 sign-ins under way already. Please wait a few seconds.\r\n", tooManyUnauthByAddr},
		{"new, of an address", func(l *Limits) { l.NewBurst = 2; l.NewWindow = time.Hour; l.LimitLoopback = true },
			"Too many new connections from your address. Please wait a few seconds.\r\n", tooManyNewByAddr},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := openDoor(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
			for range 2 {
				d.dialTCP()
			}
			if got := readAll(t, d.dialTCP()); got != tt.words {
				t.Errorf("the third connection reads %q, want %q", got, tt.words)
			}
			if got := d.log.wait(t, "refused", 1)[0]["reason"]; got != tt.want {
				t.Errorf("logged %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRefusalsAreLoggedSparingly: a flood from one address doesn't fill the log.
func TestRefusalsAreLoggedSparingly(t *testing.T) {
	d := openDoor(t, stayOrGo, func(c *Config) { c.Limits.Connections = 1 })
	d.dialTCP()
	for range 10 * logBurst {
		readAll(t, d.dialTCP())
	}
	if got := len(d.log.find("refused")); got < logBurst || got > 2*logBurst {
		t.Errorf("%d of %d refusals are logged, want %d and some", got, 10*logBurst, logBurst)
	}
}

// TestChannelFlood: channels beyond those that hear words are rejected, and more of them than the client reads about end
// the connection.
func TestChannelFlood(t *testing.T) {
	d := openDoor(t, stayOrGo, func(c *Config) { c.Limits.SessionsPerConnection = 2 })
	c := d.dial()
	for range 4 {
		channel(t, c)
	}
	for range 50 {
		_, _, err := c.OpenChannel("session", nil)
		if refused, ok := errors.AsType[*gossh.OpenChannelError](err); !ok || refused.Reason != gossh.ResourceShortage || !strings.HasPrefix(refused.Message, "This connection has its 2 sessions") {
			t.Fatalf("channel 5: %v, want it rejected in words", err)
		}
	}
	_ = c.Close()

	ours, theirs := net.Pipe()
	defer func() { _ = theirs.Close() }()
	a := newClient(t.Context(), d.srv, ours)
	if _, ok := d.srv.admission.connect(a.remote.Addr()); !ok {
		t.Fatal("refused")
	}
	a.signedIn("publickey")
	counts := map[verdict]int{}
	for range 100 {
		v, _ := a.openChannel()
		counts[v]++
		if v != ignore {
			defer a.closeChannel(v)
		}
	}
	if counts[serve] != 2 || counts[refuse] != 2 || counts[reject] != moreRejected || a.why != channelFlood {
		t.Errorf("of 100 channels %d are served, %d refused, %d rejected; the end is %q", counts[serve], counts[refuse], counts[reject], a.why)
	}
}

// TestLogHasNoSecrets: a line a connection says who it was, never what it did.
func TestLogHasNoSecrets(t *testing.T) {
	d := openDoor(t, introspect, nil)
	key := newSigner(t)
	c := d.dial(gossh.PublicKeys(key))
	run(t, c, "join SECRET")
	run(t, c, "join SECRET")
	_ = c.Close()
	line := d.log.wait(t, "connection ended", 1)[0]
	if line["fingerprint"] != gossh.FingerprintSHA256(key.PublicKey()) || line["reason"] != left || line["guest"] != false || line["sessions"] != int64(2) {
		t.Errorf("logged %v", line)
	}
	for k, v := range line {
		if s, ok := v.(string); ok && k != "fingerprint" && (strings.Contains(s, "SECRET") || strings.Contains(s, "ada")) {
			t.Errorf("logged %s=%q", k, s)
		}
	}
}
