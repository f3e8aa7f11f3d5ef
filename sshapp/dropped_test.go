package sshapp

import (
	"context"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
)

// TestDropped: a session knows when it ends whether its client closed it, or the line died.
func TestDropped(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  bool
		leave func(conn net.Conn, ch gossh.Channel)
	}{
		{"closes the channel", false, func(_ net.Conn, ch gossh.Channel) { _ = ch.Close() }},
		{"closes the connection without a word", true, func(conn net.Conn, _ gossh.Channel) { _ = conn.Close() }},
		{"is cut off", true, func(conn net.Conn, _ gossh.Channel) {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan bool, 1)
			ts := startServer(t, func(s ssh.Session) int {
				close(started)
				<-s.Context().Done()
				ended <- droppedOf(s)()
				return 0
			}, nil)
			conn := ts.dialTCP()
			c, _, _, err := gossh.NewClientConn(conn, ts.addr, ts.config(asGuest(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ch := channel(t, c)
			ask(t, ch, "shell", nil)
			receive(t, started, "session")
			tt.leave(conn, ch)
			if got := receive(t, ended, "end"); got != tt.want {
				t.Errorf("dropped %v, want %v", got, tt.want)
			}
		})
	}
}

// TestDroppedWithoutAnswers: a client that answers no keepalive any more has lost its line.
func TestDroppedWithoutAnswers(t *testing.T) {
	ended := make(chan bool, 1)
	ts := startServer(t, func(s ssh.Session) int {
		<-s.Context().Done()
		ended <- droppedOf(s)()
		return 0
	}, func(c *Config) { c.Limits.Keepalive, c.Limits.KeepaliveMax = soon, 1 })
	conn := ts.dialTCP()
	c, _, requests, err := gossh.NewClientConn(conn, ts.addr, ts.config(asGuest(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = requests // they stay unanswered
	ask(t, channel(t, c), "shell", nil)
	if !receive(t, ended, "end") {
		t.Error("the line did not die")
	}
}

// TestOpponentsLine plays with real clients: one who leaves has left, and one who is killed has dropped. The opponent sees which.
func TestOpponentsLine(t *testing.T) {
	for _, tt := range []struct {
		name    string
		signal  syscall.Signal
		dropped bool
		wait    time.Duration
	}{
		{"says goodbye", syscall.SIGTERM, false, 20 * time.Second},
		{"is killed", syscall.SIGKILL, true, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := newClub(t, nil)
			ts := serveClub(t, club)
			client := newOpenSSH(t, ts)
			rui, _, ana := match(t, club, client.key("rui"))

			cmd := client.command("-T", "-i", client.path("rui"))
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Write([]byte("show " + string(ana.ID()) + "\n")); err != nil {
				t.Fatal(err)
			}
			awaitPresence(t, ana, func(p lobby.Presence) bool { return p.Near == lobby.Here })
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			v := awaitPresence(t, ana, func(p lobby.Presence) bool { return p.Near == lobby.Gone })
			_ = cmd.Wait() // it was killed
			if got := v.Presence[1].Dropped; got != tt.dropped {
				t.Errorf("dropped %v, want %v", got, tt.dropped)
			}
			if got := club.lobby.Seats.ClaimAt(ana.User(), v).Sub(v.Presence[1].Since).Round(time.Second); got != tt.wait {
				t.Errorf("a claim after %v, want %v", got, tt.wait)
			}
			if _, still := v.Side(rui); !still || v.Over {
				t.Error("the match has changed")
			}
		})
	}
}

// TestStalledPrompt: a player at the prompt who reads nothing any more has dropped, as in the screens. The opponent sees it.
func TestStalledPrompt(t *testing.T) {
	club := newClub(t, func(c *ClubConfig) { c.Limits.CommandRate, c.Limits.CommandBurst = 1_000_000, 1_000_000 })
	ts := startServer(t, nil, func(c *Config) { c.Middleware, c.Limits.WriteStall = club.Middleware(), soon })
	key := newSigner(t)
	_, _, ana := match(t, club, gossh.FingerprintSHA256(key.PublicKey()))
	prompt := channel(t, ts.dial(gossh.PublicKeys(key)))
	ask(t, prompt, "shell", nil)
	show := "show " + string(ana.ID()) + "\n"
	if _, err := io.WriteString(prompt, show); err != nil {
		t.Fatal(err)
	}
	awaitPresence(t, ana, func(p lobby.Presence) bool { return p.Near == lobby.Here })
	writing := make(chan struct{})
	go func() {
		defer close(writing)
		for { // until the connection has ended; the answers fill the window of the channel
			if _, err := io.WriteString(prompt, strings.Repeat("help\n", 100)); err != nil {
				return
			}
		}
	}()
	v := awaitPresence(t, ana, func(p lobby.Presence) bool { return p.Near == lobby.Gone })
	receive(t, writing, "end of the connection")
	if !v.Presence[1].Dropped {
		t.Error("the opponent has left, want that their line dropped")
	}
	if got := ts.ended(); got != writeStalled {
		t.Errorf("the connection ended for %q, want %q", got, writeStalled)
	}
}

// match returns a match with a clock in which the player ana and the one with a key have moved.
func match(t *testing.T, club *Club, fingerprint string) (rui lobby.User, seat, ana *seats.Seat) {
	t.Helper()
	sign := func(fingerprint, name string) lobby.User {
		u, err := club.lobby.Accounts.SignUp(t.Context(), fingerprint, name)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	at := func(u lobby.User, ref lobby.Ref) *seats.Seat {
		s, err := club.lobby.Seats.At(t.Context(), u, ref)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := sign("SHA256:ana", "ana")
	rui = sign(fingerprint, "rui")
	ref, err := club.lobby.Seats.Open(t.Context(), first, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Clock: clock.NewFischer(5, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := club.lobby.Seats.Join(t.Context(), rui, origin.Origin{}, ref.Code); err != nil {
		t.Fatal(err)
	}
	seat, ana = at(rui, ref), at(first, ref)
	if err := ana.Move(t.Context(), "a1", lobby.AnyPly); err != nil {
		t.Fatal(err)
	}
	if err := seat.Move(t.Context(), "b2", lobby.AnyPly); err != nil {
		t.Fatal(err)
	}
	return rui, seat, ana
}

// awaitPresence waits until the presence of the second side is as wanted.
func awaitPresence(t *testing.T, s *seats.Seat, wanted func(lobby.Presence) bool) *lobby.View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	v, err := s.Now(ctx)
	for err == nil && !wanted(v.Presence[1]) {
		v, err = s.Next(ctx, v.Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
