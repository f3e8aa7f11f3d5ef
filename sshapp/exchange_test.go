package sshapp

import (
	"bytes"
	"net"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// A counted listener counts how often its connections are read from and written to.
type counted struct {
	net.Listener
	reads, writes *atomic.Int64
}

func (l counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countedConn{c, l}, err
}

type countedConn struct {
	net.Conn
	by counted
}

func (c countedConn) Read(p []byte) (int, error)  { c.by.reads.Add(1); return c.Conn.Read(p) }
func (c countedConn) Write(p []byte) (int, error) { c.by.writes.Add(1); return c.Conn.Write(p) }

// TestPiecesOfASignIn: a guest is let in with a piece for the version, one for the algorithms, one for the answer to his key and
// all that follows it, and four to sign in with; and his version isn't read byte by byte.
func TestPiecesOfASignIn(t *testing.T) {
	var by counted
	d := openDoorOn(t, introspect, nil, func(_ *Server, l net.Listener) net.Listener {
		by = counted{l, new(atomic.Int64), new(atomic.Int64)}
		return by
	})
	d.dial()
	if n := by.writes.Load(); n != 7 {
		t.Errorf("a guest was let in with %d pieces, want 7", n)
	}
	if n := by.reads.Load(); n >= int64(len("SSH-2.0-Go\r\n")) {
		t.Errorf("reading what he said took %d times", n)
	}
}

// TestExchange: whatever is written goes out in order, all of it by the time the server waits, and at once when it has ended.
func TestExchange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e exchange
		var written, out []byte
		read := func() {
			for held := e.beforeRead(); held != nil; held = e.beforeRead() {
				out = append(out, held...)
			}
			if !bytes.Equal(out, written) {
				t.Fatalf("the server waits: written %q, gone out %q", written, out)
			}
		}
		write := func() (held bool) {
			p := rapid.SliceOfN(rapid.Byte(), 1, 3).Draw(t, "bytes")
			written = append(written, p...)
			if held = e.hold(p); !held {
				out = append(out, p...)
			}
			return held
		}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"write", "wait", "go on", "end"}).Draw(t, "step") {
			case "write":
				write()
			case "wait":
				read()
				if write() {
					t.Fatal("held while the server waits")
				}
			case "go on":
				e.afterRead()
			case "end":
				e.end()
			}
			if !bytes.HasPrefix(written, out) {
				t.Fatalf("out of order: written %q, gone out %q", written, out)
			}
		}
		e.end()
		read()
		if e.afterRead(); write() {
			t.Fatal("held after the end")
		}
	})
}
