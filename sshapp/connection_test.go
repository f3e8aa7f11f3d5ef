package sshapp

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/metrics"
)

// TestTimeouts: a client that says nothing where something is due is disconnected, and the log says why.
func TestTimeouts(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		client func(t *testing.T, ts *testServer)
		want   reason
	}{
		{"says nothing", func(c *Config) { c.Limits.LoginGrace = soon }, func(t *testing.T, ts *testServer) {
			// On a busy machine the time is over before the first line is written.
			if got := readAll(t, ts.dialTCP()); got != "" && !strings.HasPrefix(got, "SSH-2.0-Ludoteca\r\n") {
				t.Errorf("the server says %.30q", got)
			}
		}, loginTimeout},
		{"an endless version line", func(c *Config) { c.Limits.LoginGrace = soon }, func(t *testing.T, ts *testServer) {
			c := ts.dialTCP()
			_, _ = c.Write([]byte("S"))
			readAll(t, c)
		}, loginTimeout},
		{"exchanges keys only", func(c *Config) { c.Limits.LoginGrace = 4 * soon }, func(t *testing.T, ts *testServer) {
			wait := gossh.PublicKeysCallback(func() ([]gossh.Signer, error) { ts.ended(); return nil, nil })
			if _, err := gossh.Dial("tcp", ts.addr, ts.config(wait)); err == nil {
				t.Error("signed in")
			}
		}, loginTimeout},
		{"signs in only", func(c *Config) { c.Limits.RequestGrace = soon }, func(t *testing.T, ts *testServer) {
			if c, err := ts.tryDial(); err == nil {
				_ = c.Wait()
			}
		}, requestTimeout},
		{"opens a channel only", func(c *Config) { c.Limits.RequestGrace = soon }, func(t *testing.T, ts *testServer) {
			if c, err := ts.tryDial(); err == nil {
				_, _, _ = c.OpenChannel("session", nil) // fails when it comes too late
				_ = c.Wait()
			}
		}, requestTimeout},
		{"stays after its session", func(c *Config) { c.bounds.linger = soon }, func(t *testing.T, ts *testServer) {
			c := ts.dial()
			run(t, c, "")
			_ = c.Wait()
		}, lingerTimeout},
		{"doesn't close its channel", func(c *Config) { c.bounds.linger = soon }, func(t *testing.T, ts *testServer) {
			conn := newStoppable(ts.dialTCP())
			c, _, _, err := gossh.NewClientConn(conn, ts.addr, ts.config(asGuest(t)))
			if err != nil {
				t.Fatal(err)
			}
			ch := channel(t, c)
			ask(t, ch, "made-up", nil) // the answer is the last thing that the client reads
			conn.stop()
			if _, err := ch.SendRequest("shell", false, nil); err != nil {
				t.Fatal(err)
			}
			ts.ended()
			_ = c.Close()
		}, lingerTimeout},
		{"answers no keepalive", func(c *Config) { c.Limits.Keepalive = soon; c.Limits.KeepaliveMax = 2 }, func(t *testing.T, ts *testServer) {
			c, _, _ := ts.dialDeaf() // its requests stay unanswered
			ask(t, channel(t, c), "exec", oneString{"stay"})
			_ = c.Wait()
		}, keepaliveMissed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, stayOrGo, tt.change)
			tt.client(t, ts)
			if got := ts.ended(); got != tt.want {
				t.Errorf("the connection ended for %q, want %q", got, tt.want)
			}
		})
	}
}

// stayOrGo serves a session until its end if the command is "stay".
func stayOrGo(s ssh.Session) int {
	if line := s.RawCommand(); line == "stay" {
		<-s.Context().Done()
	}
	return 0
}

// dialDeaf signs in and leaves global requests and channels unanswered.
func (ts *testServer) dialDeaf() (gossh.Conn, <-chan gossh.NewChannel, <-chan *gossh.Request) {
	ts.t.Helper()
	c, chans, reqs, err := gossh.NewClientConn(ts.dialTCP(), ts.addr, ts.config(asGuest(ts.t)))
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { _ = c.Close() })
	return c, chans, reqs
}

// TestKeepaliveKeeps: a client that answers stays.
func TestKeepaliveKeeps(t *testing.T) {
	ts := startServer(t, stayOrGo, func(c *Config) { c.Limits.Keepalive = time.Millisecond; c.Limits.KeepaliveMax = 1_000_000 })
	c, _, reqs := ts.dialDeaf()
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
	ts := startServer(t, stayOrGo, func(c *Config) { c.Limits.RequestGrace = 4 * soon })
	var c *gossh.Client
	var busy gossh.Channel
	retry(t, func() (ok bool) { // on a busy machine the time may be over before the connection is in use
		var err error
		if c, err = ts.tryDial(); err != nil {
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

// TestDeadlinesAreIgnored: the ssh library's own deadlines don't reach the connection.
func TestDeadlinesAreIgnored(t *testing.T) {
	ts := startServer(t, stayOrGo, nil)
	ours, theirs := net.Pipe()
	defer func() { _ = theirs.Close() }()
	c := newConnection(t.Context(), ts.srv, ours)
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
			ts := startServer(t, func(s ssh.Session) int {
				close(started)
				ended <- wantCause(s.Context(), ErrClosed)
				return 0
			}, nil)
			conn := ts.dialTCP()
			c, _, _, err := gossh.NewClientConn(conn, ts.addr, ts.config(asGuest(t)))
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
			if got := ts.ended(); got != left {
				t.Errorf("the connection ended for %q, want %q", got, left)
			}
			_ = c.Close()
		})
	}
}

// TestLogHasNoSecrets: the log has the user of a connection and the kinds of its sessions, never what they did.
func TestLogHasNoSecrets(t *testing.T) {
	ts := startServer(t, introspect, nil)
	key := newSigner(t)
	c := ts.dial(gossh.PublicKeys(key))
	run(t, c, "join SECRET")
	run(t, c, "join SECRET")
	_ = c.Close()
	line := ts.log.wait(t, "connection ended", 1)[0]
	if line["fingerprint"] != gossh.FingerprintSHA256(key.PublicKey()) || line["reason"] != left || line["guest"] != false || line["sessions"] != int64(2) {
		t.Errorf("logged %v", line)
	}
	sessions := ts.log.wait(t, "session ended", 2)
	if len(sessions) != 2 || sessions[0]["kind"] != metrics.Command || sessions[0]["connection"] != line["connection"] {
		t.Errorf("sessions are logged as %v", sessions)
	}
	for _, line := range append(sessions, line) {
		for k, v := range line {
			if s, ok := v.(string); ok && k != "fingerprint" && (strings.Contains(s, "SECRET") || strings.Contains(s, "ada")) {
				t.Errorf("logged %s=%q", k, s)
			}
		}
	}
}

// mostLogged returns how many lines of a kind a client may have caused since then.
func mostLogged(since time.Time) int { return logBurst + 1 + int(time.Since(since)/logInterval) }

// TestSessionsAreLoggedSparingly: a connection with many short sessions doesn't fill the log.
func TestSessionsAreLoggedSparingly(t *testing.T) {
	ts := startServer(t, introspect, nil)
	c, began := ts.dial(), time.Now()
	for range 10 * logBurst {
		run(t, c, "x")
	}
	ts.log.wait(t, "session ended", logBurst) // a client may hear of the end of a session before the log does
	if got, most := len(ts.log.find("session ended")), mostLogged(began); got < logBurst || got > most {
		t.Errorf("%d of %d sessions are logged, want %d to %d", got, 10*logBurst, logBurst, most)
	}
}

// TestStoppedNetwork: a client whose network takes nothing any more is cut off, and its session ends.
func TestStoppedNetwork(t *testing.T) {
	const sessions = 4 // windows of 8 MiB in all, more than the network's buffers hold once they are narrow
	ended, flood := make(chan error, sessions), make(chan struct{})
	ts := startServerOn(t, func(s ssh.Session) int {
		<-flood
		page := make([]byte, 64<<10)
		for {
			if _, err := s.Write(page); err != nil {
				ended <- wantCause(s.Context(), ErrClosed)
				return 0
			}
		}
	}, func(c *Config) { c.Limits.WriteStall = 20 * soon }, func(_ *Server, l net.Listener) net.Listener { return narrow{l} })
	tcp := ts.dialTCP()
	if err := tcp.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	conn := newStoppable(tcp)
	c, _, _, err := gossh.NewClientConn(conn, ts.addr, ts.config(asGuest(t)))
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
	if got := ts.ended(); got != writeStalled {
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

// TestSendBuffer: the kernel keeps little for a client that reads nothing.
func TestSendBuffer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	there, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	here, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	boundSendBuffer(here)
	if err := there.(*net.TCPConn).SetReadBuffer(16 << 10); err != nil {
		t.Fatal(err)
	}
	page := make([]byte, 8<<10)
	for written := 0; ; {
		if err := here.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		n, err := here.Write(page)
		if written += n; written > 8*sendBuffer {
			t.Fatalf("%d bytes are on their way to a client that doesn't read", written)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// buffered is a listener whose connections send the size that SetWriteBuffer is called with to bytes.
type buffered struct {
	net.Listener
	bytes chan int
}

func (l buffered) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return bufferedConn{conn, l.bytes}, nil
}

type bufferedConn struct {
	net.Conn
	bytes chan int
}

func (c bufferedConn) SetWriteBuffer(bytes int) error {
	c.bytes <- bytes
	return nil
}

// TestSendBufferIsBounded: every connection has a bounded send buffer, behind a proxy as well.
func TestSendBufferIsBounded(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		bytes := make(chan int, 10)
		ts := startServerOn(t, introspect, nil, func(srv *Server, l net.Listener) net.Listener {
			l = buffered{l, bytes}
			if proxied {
				l = srv.BehindProxies(l, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
			}
			return l
		})
		conn := ts.dialTCP()
		if proxied {
			if _, err := io.WriteString(conn, "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n"); err != nil {
				t.Fatal(err)
			}
		}
		if got := receive(t, bytes, "buffer size"); got != sendBuffer {
			t.Errorf("proxied %v: the kernel may keep %d bytes, want %d", proxied, got, sendBuffer)
		}
	}
}

// TestRoundTrip: how long a client takes to answer is known to its session.
func TestRoundTrip(t *testing.T) {
	lags := make(chan func() time.Duration, 1)
	ts := startServer(t, func(s ssh.Session) int { lags <- lagOf(s); <-s.Context().Done(); return 0 },
		func(c *Config) { c.Limits.Keepalive = time.Millisecond; c.Limits.KeepaliveMax = 1_000_000 })
	c, _, reqs := ts.dialDeaf()
	began := time.Now()
	ask(t, channel(t, c), "exec", oneString{"stay"})
	lag := receive(t, lags, "session")
	r := receive(t, reqs, "keepalive")
	if got := lag(); got != 0 {
		t.Errorf("before the first answer the line is measured at %v", got)
	}
	if err := r.Reply(false, nil); err != nil {
		t.Fatal(err)
	}
	receive(t, reqs, "keepalive") // the first answer has been measured
	if got := lag(); got <= 0 || got > time.Since(began) {
		t.Errorf("the line is measured at %v, and the test took %v", got, time.Since(began))
	}
}

// TestFastestAnswerCounts: an answer that comes late does not make a line slow while one of the last came in time.
func TestFastestAnswerCounts(t *testing.T) {
	var a answerTimes
	for i, tt := range []struct{ took, want time.Duration }{{40, 40}, {300, 40}, {20, 20}, {300, 20}, {300, 20}, {300, 20}, {250, 250}, {300, 250}} {
		if got := a.add(tt.took); got != tt.want {
			t.Errorf("after answer %d the line is measured at %v, want %v", i+1, got, tt.want)
		}
	}
}
