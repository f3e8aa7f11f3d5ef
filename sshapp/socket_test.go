package sshapp

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// sockets returns both ends of a connection, the first of them as the door has it.
func sockets(t *testing.T) (here net.Conn, there *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	in, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close(); in.Close() })
	return socketOf(in), out.(*net.TCPConn)
}

// TestSocket sends more than fits into all buffers there and back, so that both directions have to wait.
func TestSocket(t *testing.T) {
	here, there := sockets(t)
	want := bytes.Repeat([]byte("0123456789abcde\n"), 1<<20)
	done := make(chan error, 2)
	go func() {
		n, err := here.Write(want)
		if n != len(want) {
			t.Errorf("Write = %d, want %d", n, len(want))
		}
		done <- err
	}()
	go func() {
		_, err := io.Copy(there, there)
		done <- errors.Join(err, there.CloseWrite())
	}()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(here, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("what came back is not what was sent, or not all: %v", err)
	}
	if err := receive(t, done, "end of Write"); err != nil {
		t.Error(err)
	}
	if err := there.CloseWrite(); err != nil {
		t.Error(err)
	}
	if n, err := here.Read(got); n != 0 || err != io.EOF {
		t.Errorf("Read after the end = %d, %v, want EOF", n, err)
	}
	if n, err := here.Read(nil); n != 0 || err != nil {
		t.Errorf("Read of nothing = %d, %v", n, err)
	}
}

// TestSocketErrors are those of package net.
func TestSocketErrors(t *testing.T) {
	full := func(c net.Conn) error {
		_, err := c.Write(make([]byte, 64<<20)) // more than any buffer holds
		return err
	}
	empty := func(c net.Conn) error {
		_, err := c.Read(make([]byte, 1))
		return err
	}
	tests := []struct {
		name   string
		before func(here net.Conn, there *net.TCPConn)
		during func(here net.Conn) // while it hangs, or before
		do     func(net.Conn) error
		want   error
	}{
		{"a deadline ends reading", func(c net.Conn, _ *net.TCPConn) { _ = c.SetReadDeadline(time.Now().Add(time.Millisecond)) },
			nil, empty, os.ErrDeadlineExceeded},
		{"a deadline ends writing", func(c net.Conn, _ *net.TCPConn) { _ = c.SetWriteDeadline(time.Now().Add(time.Millisecond)) },
			nil, full, os.ErrDeadlineExceeded},
		{"closing ends reading", nil, func(c net.Conn) { _ = c.Close() }, empty, net.ErrClosed},
		{"closing ends writing", nil, func(c net.Conn) { _ = c.Close() }, full, net.ErrClosed},
		{"the other side resets", func(_ net.Conn, c *net.TCPConn) { _ = c.SetLinger(0); _ = c.Close() }, nil, empty, syscall.ECONNRESET},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			here, there := sockets(t)
			if tt.before != nil {
				tt.before(here, there)
			}
			ended := make(chan error, 1)
			go func() { ended <- tt.do(here) }()
			if tt.during != nil {
				tt.during(here)
			}
			err := receive(t, ended, "end")
			var dressed *net.OpError
			if !errors.Is(err, tt.want) || !errors.As(err, &dressed) {
				t.Errorf("the error is %v, want %v in a *net.OpError", err, tt.want)
			}
		})
	}
}

// TestSocketSaysWhatItWrote, also when it could not write all.
func TestSocketSaysWhatItWrote(t *testing.T) {
	here, there := sockets(t)
	_ = here.SetWriteDeadline(time.Now().Add(time.Millisecond))
	n, err := here.Write(make([]byte, 64<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("Write = %v, want %v", err, os.ErrDeadlineExceeded)
	}
	_ = here.Close()
	if got, err := io.Copy(io.Discard, there); err != nil || got != int64(n) {
		t.Errorf("Write says it wrote %d bytes, and %d came (%v)", n, got, err)
	}
}

// TestSocketMakesNoGarbage for what is read and written.
func TestSocketMakesNoGarbage(t *testing.T) {
	here, there := sockets(t)
	p := []byte("key")
	if n := testing.AllocsPerRun(100, func() {
		if _, err := there.Write(p); err != nil {
			t.Fatal(err)
		}
		if _, err := here.Read(p); err != nil {
			t.Fatal(err)
		}
		if _, err := here.Write(p); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(there, p); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("a key and its answer make %v objects", n)
	}
}

// TestNoSocket: what isn't a TCP connection stays as it is.
func TestNoSocket(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	defer here.Close()
	if got := socketOf(here); got != here {
		t.Errorf("a pipe became a %T", got)
	}
}
