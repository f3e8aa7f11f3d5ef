package sshapp

import (
	"errors"
	"os"
	"testing"
	"time"
)

// TestUnread: a client who reads nothing is written little.
func TestUnread(t *testing.T) {
	here, there := sockets(t)
	if err := there.SetReadBuffer(16 << 10); err != nil {
		t.Fatal(err)
	}
	page := make([]byte, 8<<10)
	for written := 0; ; {
		if err := here.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		n, err := here.Write(page)
		if written += n; written > 8*maxUnread {
			t.Fatalf("%d bytes are on their way to somebody who doesn't read", written)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
