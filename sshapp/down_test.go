package sshapp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// TestGoingDown: sessions hear of it, say goodbye, and give their status; then Serve returns.
func TestGoingDown(t *testing.T) {
	started, cause := make(chan struct{}, 2), make(chan error, 2)
	d := startServer(t, func(s ssh.Session) int {
		started <- struct{}{}
		_, err := s.Read(make([]byte, 1))
		if err != ErrGoingDown {
			t.Errorf("Read = %v, want ErrGoingDown", err)
		}
		cause <- wantCause(s.Context(), ErrGoingDown)
		_, _ = io.WriteString(s, "goodbye")
		return 3
	}, nil)
	idle := d.dial()
	silent := d.dialTCP()
	var sessions [2]*gossh.Session
	var outs [2]bytes.Buffer
	for i := range sessions {
		s, err := d.dial().NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.StdinPipe(); err != nil { // or the input would end at once
			t.Fatal(err)
		}
		s.Stdout = &outs[i]
		if err := s.Shell(); err != nil {
			t.Fatal(err)
		}
		sessions[i] = s
	}
	for range 2 {
		receive(t, started, "session")
	}
	if err := d.close(); err != nil {
		t.Errorf("Serve = %v", err)
	}
	for i, s := range sessions {
		if err := receive(t, cause, "cause"); err != nil {
			t.Error(err)
		}
		if status := statusOf(s.Wait()); status != 3 || outs[i].String() != "goodbye" {
			t.Errorf("a session gave %q and status %d, want goodbye and 3", outs[i].String(), status)
		}
	}
	_ = idle.Wait()
	readAll(t, silent)
	for _, line := range d.log.wait(t, "connection ended", 4) {
		if line["reason"] != goingDown && line["reason"] != left {
			t.Errorf("a connection ended for %q", line["reason"])
		}
	}
	if _, err := d.tryDial(); err == nil { // with the door's key: the port may be another program's by now
		t.Error("the port is still open")
	}
}

// TestGoingDownIsBounded: clients that read nothing and handlers that don't notice hold it up no longer than they may.
func TestGoingDownIsBounded(t *testing.T) {
	started := make(chan struct{})
	d := startServer(t, func(s ssh.Session) int {
		close(started)
		for {
			if _, err := s.Write(make([]byte, 64<<10)); err != nil {
				return 0
			}
		}
	}, func(c *Config) { c.Limits.GoingDown = soon })
	c := d.dial()
	ask(t, channel(t, c), "shell", nil)
	receive(t, started, "session")
	done := make(chan error, 1)
	go func() { done <- d.close() }() // received below
	if err := receive(t, done, "end of Serve"); err != nil {
		t.Errorf("Serve = %v", err)
	}
	if got := d.ended(); got != goingDown {
		t.Errorf("the connection ended for %q, want %q", got, goingDown)
	}
}

// TestNewSessionWhileGoingDown is refused in words.
func TestNewSessionWhileGoingDown(t *testing.T) {
	started, say := make(chan struct{}), make(chan struct{})
	d := startServer(t, func(s ssh.Session) int {
		close(started)
		<-s.Context().Done()
		<-say
		return 0
	}, nil)
	c := d.dial()
	ask(t, channel(t, c), "shell", nil)
	receive(t, started, "session")
	down := make(chan error, 1)
	go func() { down <- d.close() }() // received below
	const words = "The club is closing just now. Please come back in a minute.\n"
	retry(t, func() bool { // until the port is closed
		conn, err := net.Dial("tcp", d.addr)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	retry(t, func() bool { return run(t, c, "x") == result{"", words, 1} })
	close(say)
	if err := receive(t, down, "end of Serve"); err != nil {
		t.Errorf("Serve = %v", err)
	}
}

// TestStuckHandler: a handler that never returns is told of, not waited for.
func TestStuckHandler(t *testing.T) {
	srv, err := New(Config{HostKeys: hostKeys(t), Limits: DefaultLimits(), Middleware: handlerFunc(stayOrGo).middleware()})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := newConnections(t.Context(), srv)
		release := make(chan struct{})
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		c := newConnection(t.Context(), srv, ours)
		h.open[c] = struct{}{}
		h.serving.Go(func() { <-release })
		began := time.Now()
		if err := h.drain(); err == nil || !strings.Contains(err.Error(), "1 connections have sessions that don't end") {
			t.Errorf("drain = %v", err)
		}
		if took, want := time.Since(began), srv.limits.GoingDown+stuckAfter; took != want {
			t.Errorf("a stuck handler was waited for %v, want %v", took, want)
		}
		close(release)
		h.serving.Wait()
	})
}

// TestServeFails when the listener is closed by someone else, and has ended what it had begun.
func TestServeFails(t *testing.T) {
	srv, err := New(Config{HostKeys: hostKeys(t), Limits: DefaultLimits(), Middleware: handlerFunc(stayOrGo).middleware()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	buf := make([]byte, 4)
	if _, err := io.ReadFull(conn, buf); err != nil || string(buf) != "SSH-" {
		t.Fatalf("the server says %q, %v", buf, err)
	}
	_ = l.Close()
	if err := receive(t, served, "end of Serve"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve = %v, want net.ErrClosed", err)
	}
	readAll(t, conn)
}
