package sshapp

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// TestTimeouts: whoever says nothing where something is due is sent away, and the log says why.
func TestTimeouts(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		client func(t *testing.T, d *testServer)
		want   reason
	}{
		{"says nothing", func(l *Limits) { l.LoginGrace = soon }, func(t *testing.T, d *testServer) {
			// On a busy machine the time is over before the first line is written.
			if got := readAll(t, d.dialTCP()); got != "" && !strings.HasPrefix(got, "SSH-2.0-Ludoteca\r\n") {
				t.Errorf("the server says %.30q", got)
			}
		}, loginTimeout},
		{"an endless version line", func(l *Limits) { l.LoginGrace = soon }, func(t *testing.T, d *testServer) {
			c := d.dialTCP()
			_, _ = c.Write([]byte("S"))
			readAll(t, c)
		}, loginTimeout},
		{"exchanges keys only", func(l *Limits) { l.LoginGrace = 4 * soon }, func(t *testing.T, d *testServer) {
			wait := gossh.PublicKeysCallback(func() ([]gossh.Signer, error) { d.ended(); return nil, nil })
			if _, err := gossh.Dial("tcp", d.addr, d.config(wait)); err == nil {
				t.Error("signed in")
			}
		}, loginTimeout},
		{"signs in only", func(l *Limits) { l.RequestGrace = soon }, func(t *testing.T, d *testServer) {
			if c, err := d.tryDial(); err == nil {
				_ = c.Wait()
			}
		}, requestTimeout},
		{"opens a channel only", func(l *Limits) { l.RequestGrace = soon }, func(t *testing.T, d *testServer) {
			if c, err := d.tryDial(); err == nil {
				_, _, _ = c.OpenChannel("session", nil) // fails when it comes too late
				_ = c.Wait()
			}
		}, requestTimeout},
		{"stays after its session", func(l *Limits) { l.Linger = soon }, func(t *testing.T, d *testServer) {
			c := d.dial()
			run(t, c, "")
			_ = c.Wait()
		}, lingerTimeout},
		{"doesn't close its channel", func(l *Limits) { l.Linger = soon }, func(t *testing.T, d *testServer) {
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
		{"answers no keepalive", func(l *Limits) { l.Keepalive = soon; l.KeepaliveMax = 2 }, func(t *testing.T, d *testServer) {
			c, _, _ := d.dialDeaf() // nobody answers its requests
			ask(t, channel(t, c), "exec", oneString{"stay"})
			_ = c.Wait()
		}, keepaliveMissed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := startServer(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
			tt.client(t, d)
			if got := d.ended(); got != tt.want {
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
func (d *testServer) dialDeaf() (gossh.Conn, <-chan gossh.NewChannel, <-chan *gossh.Request) {
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
	d := startServer(t, stayOrGo, func(c *Config) { c.Limits.Keepalive = time.Millisecond; c.Limits.KeepaliveMax = 1_000_000 })
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
	d := startServer(t, stayOrGo, func(c *Config) { c.Limits.RequestGrace = 4 * soon })
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

// TestDeadlinesAreTheDoors: the SSH server's own deadlines don't reach the connection.
func TestDeadlinesAreTheDoors(t *testing.T) {
	d := startServer(t, stayOrGo, nil)
	ours, theirs := net.Pipe()
	defer func() { _ = theirs.Close() }()
	c := newConnection(t.Context(), d.srv, ours)
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
			d := startServer(t, func(s ssh.Session) int {
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

// TestLogHasNoSecrets: a line a connection says who it was, never what it did.
func TestLogHasNoSecrets(t *testing.T) {
	d := startServer(t, introspect, nil)
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
