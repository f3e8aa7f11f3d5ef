package sshapp

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

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
