package faulttest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An echo is a connection to a server that sends each line back.
type echo struct {
	net.Conn
	lines *bufio.Reader
}

// startEcho starts the server and returns its address.
func startEcho(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return l.Addr().String()
}

func dial(t *testing.T, p *Proxy) *echo {
	t.Helper()
	c, err := net.Dial("tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &echo{c, bufio.NewReader(c)}
}

func (e *echo) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(e, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// gets checks that a line comes back.
func (e *echo) gets(t *testing.T, want string) {
	t.Helper()
	if got, err := e.lines.ReadString('\n'); got != want+"\n" {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
}

// silent checks that nothing comes back.
func (e *echo) silent(t *testing.T) {
	t.Helper()
	_ = e.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if b, err := e.lines.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("got %q, %v, want nothing", b, err)
	}
	_ = e.SetReadDeadline(time.Time{})
}

func TestProxy(t *testing.T) {
	p := NewProxy(t, "tcp", startEcho(t))
	c := dial(t, p)
	c.send(t, "through")
	c.gets(t, "through")
	for _, held := range [][2]bool{{true, false}, {false, true}, {true, true}} {
		p.Hold(held[0], held[1])
		c.send(t, "late")
		c.silent(t)
		p.Hold(false, false)
		c.gets(t, "late")
	}

	p.Hold(true, false)
	c.send(t, "left")
	c.silent(t) // so that it has come as far as the proxy
	release := p.Leave()
	other := dial(t, p)
	other.send(t, "new")
	other.gets(t, "new")
	c.silent(t)
	release()
	c.gets(t, "left")

	const slow = 30 * time.Millisecond
	p.Delay(slow)
	began := time.Now()
	c.send(t, "slow")
	if c.gets(t, "slow"); time.Since(began) < slow {
		t.Errorf("an answer came after %v, want %v or more", time.Since(began), slow)
	}
	p.Delay(0)

	p.Cut()
	if _, err := c.lines.ReadByte(); err == nil {
		t.Error("a connection that was cut goes on")
	}
	again := dial(t, p)
	again.send(t, "again")
	again.gets(t, "again")
	p.Close()
	if _, err := again.lines.ReadByte(); err == nil {
		t.Error("a connection goes on after Close")
	}
	if c, err := net.Dial("tcp", p.Address()); err == nil {
		c.Close()
		t.Error("a proxy that is closed takes a connection")
	}
}
