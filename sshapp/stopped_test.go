package sshapp

import (
	"io"
	"net"
	"sync"
	"testing"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// TestStoppedReader: a client that takes nothing of a session holds up neither its other sessions nor whoever closes it.
func TestStoppedReader(t *testing.T) {
	wrote, closed := make(chan error, 1), make(chan ssh.Session, 1)
	d := startServer(t, func(s ssh.Session) int {
		if line := s.RawCommand(); line != "flood" {
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
	d := startServerOn(t, func(s ssh.Session) int {
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
