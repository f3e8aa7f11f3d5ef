package sshapp

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

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
			d := startServer(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
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
		within(ctx.Done(), time.Millisecond)
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
			d := startServer(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
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
	d := startServer(t, stayOrGo, func(c *Config) { c.Limits.Connections = 1 })
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
	d := startServer(t, stayOrGo, func(c *Config) { c.Limits.SessionsPerConnection = 2 })
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
	a := newConnection(t.Context(), d.srv, ours)
	if _, ok := d.srv.admission.connect(a.remote.Addr()); !ok {
		t.Fatal("refused")
	}
	a.signedIn("publickey")
	counts := map[channelState]int{}
	for range 100 {
		v, _ := a.openChannel()
		counts[v]++
		if v != ignored {
			defer a.closeChannel(v)
		}
	}
	if counts[inUse] != 2 || counts[refused] != 2 || counts[rejected] != maxRejected || a.why != channelFlood {
		t.Errorf("of 100 channels %d are served, %d refused, %d rejected; the end is %q", counts[inUse], counts[refused], counts[rejected], a.why)
	}
}
