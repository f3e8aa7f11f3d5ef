package sshapp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
)

// never is the chance of a connection that is dropped only when it must be.
func never() float64 { return 1 }

func smallLimits() Limits {
	l := DefaultLimits()
	l.Sessions, l.SessionsPerAddress = 4, 2
	l.Connections, l.ConnectionsPerAddress = 9, 2
	l.Unauth, l.UnauthPerAddress = 5, 3
	l.NewPerAddress, l.NewWindow, l.NewBurst = 1000, time.Second, 1000
	return l
}

func TestAdmissionByAddress(t *testing.T) {
	here, same, there := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2"), netip.MustParseAddr("192.0.2.1")
	a := newAdmission(newLimitsInForce(smallLimits()), nil)
	a.chance = never
	connect := func(from netip.Addr, want reason) {
		t.Helper()
		if why, ok := a.connect(from); why != want || ok != (want == "") {
			t.Errorf("connect(%s) = %q, %v; want %q", from, why, ok, want)
		}
	}
	open := func(from netip.Addr, want reason) {
		t.Helper()
		if why, ok := a.openSession(from, regular); why != want || ok != (want == "") {
			t.Errorf("openSession(%s) = %q, %v; want %q", from, why, ok, want)
		}
	}
	signIn := func(from netip.Addr, wantOver bool) {
		t.Helper()
		if over := a.signIn(from); over != wantOver {
			t.Errorf("signIn(%s) = %v, want %v", from, over, wantOver)
		}
	}
	connect(here, "")
	connect(same, "")
	connect(here, "")
	connect(same, tooManyUnauthByAddr)
	a.reputation.trust(time.Now(), there) // else the second would be dropped with so few places left
	connect(there, "")
	connect(there, "")
	connect(there, tooManyHandshakes)
	signIn(here, false)
	signIn(same, false)
	signIn(here, true) // the third of its address
	open(here, "")
	open(same, "")
	open(here, tooManyByAddr)
	signIn(there, false)
	open(there, "")
	open(there, "")
	open(netip.MustParseAddr("198.51.100.1"), tooManySessions)
	for range 4 {
		a.closeSession(here)
		a.closeSession(there)
		open(here, "")
		open(there, "")
	}
	for range 2 {
		a.closeSession(here)
		a.closeSession(there)
	}
	for range 3 {
		a.disconnect(here, true, left)
	}
	a.disconnect(there, true, left)
	a.disconnect(there, false, goingDown)
	if a.conns != 0 || a.unauth != 0 || a.sessions != 0 || len(a.byBlock) != 0 {
		t.Errorf("after all have left: %d connections, %d unauthenticated, %d sessions, %d addresses", a.conns, a.unauth, a.sessions, len(a.byBlock))
	}
}

// TestLoopbackIsSpared from the limits by address, and from no other.
func TestLoopbackIsSpared(t *testing.T) {
	for _, local := range []string{"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"} {
		from := netip.MustParseAddr(local)
		l := smallLimits()
		l.Unauth, l.NewBurst, l.NewWindow = 6, 2, time.Hour*1000
		a := newAdmission(newLimitsInForce(l), nil)
		a.chance = never
		for range 6 {
			if why, ok := a.connect(from); !ok {
				t.Fatalf("%s: connection refused for %q", local, why)
			}
		}
		if why, _ := a.connect(from); why != tooManyHandshakes {
			t.Errorf("%s: the seventh connection gives %q", local, why)
		}
		for range 6 {
			if a.signIn(from) {
				t.Errorf("%s: too many connections", local)
			}
		}
		for range 4 {
			if why, ok := a.openSession(from, regular); !ok {
				t.Errorf("%s: session refused for %q", local, why)
			}
		}
		l.LimitLoopback = true
		a = newAdmission(newLimitsInForce(l), nil)
		for _, want := range []reason{"", "", tooManyNewByAddr} {
			if why, _ := a.connect(from); why != want {
				t.Errorf("%s with LimitLoopback: %q, want %q", local, why, want)
			}
		}
	}
}

func TestAdmissionInAll(t *testing.T) {
	a := newAdmission(newLimitsInForce(smallLimits()), nil)
	a.chance = never
	for i := range 9 {
		from := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
		a.reputation.trustRegular(time.Now(), from)
		if why, ok := a.connect(from); !ok {
			t.Fatalf("connection %d refused for %q", i, why)
		}
		a.signIn(from)
	}
	if why, _ := a.connect(netip.MustParseAddr("192.0.2.99")); why != tooManyConns {
		t.Errorf("connection 10: %q, want %q", why, tooManyConns)
	}
}

func TestTooManySessions(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		shared bool // the second session is on the same connection
		words  string
		want   reason
	}{
		{"in all", func(l *Limits) { l.Sessions = 1 }, false,
			"The club is full just now (1 session). Please try again in a minute.\n", tooManySessions},
		{"on a connection", func(l *Limits) { l.SessionsPerConnection = 1 }, true,
			"This connection has its 1 session already. Close it and try again.\n", tooManyOnConn},
		{"of an address", func(l *Limits) { l.SessionsPerAddress = 1; l.LimitLoopback = true }, false,
			"Your address has its 1 session already. Close it and try again.\n", tooManyByAddr},
		{"connections of an address", func(l *Limits) { l.ConnectionsPerAddress = 1; l.LimitLoopback = true }, false,
			"Your address has its 1 connections already. Close one and try again.\n", tooManyConnsByAddr},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
			first := ts.dial()
			ch := channel(t, first)
			ask(t, ch, "exec", oneString{"stay"})
			second := first
			if !tt.shared {
				second = ts.dial()
			}
			if got, want := run(t, second, "x"), (result{"", tt.words, 1}); got != want {
				t.Errorf("the second session gives %+v, want %+v", got, want)
			}
			object := fmt.Sprintf(`{"error":{"code":"full","message":%q}}`, strings.TrimSpace(tt.words)) + "\n"
			if tt.shared { // a connection has one session at a time that is refused: the one before may not be closed yet
			} else if got, want := run(t, second, "x --json"), (result{object, tt.words, 1}); got != want {
				t.Errorf("to a script it gives %+v, want %+v", got, want)
			}
			if got := ts.log.wait(t, "refused", 1)[0]["reason"]; got != tt.want {
				t.Errorf("logged %q, want %q", got, tt.want)
			}
			// The place is free again when the first is gone.
			_ = ch.Close()
			readAll(t, ch)
			if tt.want == tooManyConnsByAddr {
				_ = first.Close()
				ts.log.wait(t, "connection ended", 1)
				_ = second.Close()
				ts.log.wait(t, "connection ended", 2)
				second = ts.dial()
			}
			retry(t, func() bool { return serves(second) })
		})
	}
}

// serves reports whether a connection is given a session. It is rejected outright while the last refusal is on its way.
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
			ts := startServer(t, stayOrGo, func(c *Config) { tt.change(&c.Limits) })
			for range 2 {
				ts.dialTCP()
			}
			if got := readAll(t, ts.dialTCP()); got != tt.words {
				t.Errorf("the third connection reads %q, want %q", got, tt.words)
			}
			if got := ts.log.wait(t, "refused", 1)[0]["reason"]; got != tt.want {
				t.Errorf("logged %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRefusalsAreLoggedSparingly: a flood from one address doesn't fill the log.
func TestRefusalsAreLoggedSparingly(t *testing.T) {
	ts := startServer(t, stayOrGo, func(c *Config) { c.Limits.Connections = 1 })
	began := time.Now()
	ts.dialTCP()
	for range 10 * logBurst {
		readAll(t, ts.dialTCP())
	}
	if got, most := len(ts.log.find("refused")), mostLogged(began); got < logBurst || got > most {
		t.Errorf("%d of %d refusals are logged, want %d to %d", got, 10*logBurst, logBurst, most)
	}
}

// TestChannelFlood: only some of the refused channels get a message, and further ones are rejected. If a client doesn't read the rejections,
// its connection ends.
func TestChannelFlood(t *testing.T) {
	ts := startServer(t, stayOrGo, func(c *Config) { c.Limits.SessionsPerConnection = 2 })
	c := ts.dial()
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
	a := newConnection(t.Context(), ts.srv, ours)
	if _, ok := ts.srv.admission.connect(a.remote.Addr()); !ok {
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

// TestPlaceIsFreeAtOnce: a client at its limit that hears of a session's end finds room for the next one, even before it has
// closed the channel itself.
func TestPlaceIsFreeAtOnce(t *testing.T) {
	ts := startServer(t, stayOrGo, func(c *Config) {
		c.Limits.SessionsPerConnection, c.Limits.SessionsPerAddress, c.Limits.Sessions, c.Limits.LimitLoopback = 1, 1, 1, true
	})
	c := ts.dial()
	halfClosed := func() int {
		a := ts.srv.admission
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.halfClosed
	}
	for i := range 200 {
		if i%(maxHalfClosed/2) == 0 { // so that a busy machine never has more channels to forget than the bound
			retry(t, func() bool { return halfClosed() == 0 })
		}
		ch, reqs, err := c.OpenChannel("session", nil)
		if err != nil {
			t.Fatal(err)
		}
		ask(t, ch, "exec", oneString{"go"})
		var status struct{ Status uint32 }
		for r := range reqs {
			if r.Type == "exit-status" && gossh.Unmarshal(r.Payload, &status) == nil {
				break
			}
		}
		go gossh.DiscardRequests(reqs)
		if status.Status != 0 {
			t.Fatalf("session %d was refused right after the one before it had ended: %s", i+1, readAll(t, ch.Stderr()))
		}
	}
}

// TestUnfinishedSessionsCount: sessions that the client leaves before they are done are counted, and no others.
func TestUnfinishedSessionsCount(t *testing.T) {
	connections := make(chan *connection, 1)
	ts := startServer(t, func(s ssh.Session) int {
		select {
		case connections <- s.Context().Value(connectionKey{}).(*connection):
		default:
		}
		return stayOrGo(s)
	}, nil)
	client := ts.dial()
	for range 3 * leaveBurst {
		run(t, client, "go")
	}
	c := <-connections
	if got := c.leaves.Tokens(); got != leaveBurst {
		t.Errorf("after sessions that are done the client may leave %.1f more, want %d", got, leaveBurst)
	}
	for range 50 {
		ch := channel(t, client)
		ask(t, ch, "exec", oneString{"stay"})
		_ = ch.Close()
		readAll(t, ch)
		if c.leaves.Tokens() < leaveBurst {
			return
		}
	}
	t.Error("sessions that the client leaves don't count")
}

// TestHalfClosedChannelsAreBounded: channels that the client doesn't close free their places only up to a bound.
func TestHalfClosedChannelsAreBounded(t *testing.T) {
	ts := startServer(t, stayOrGo, func(c *Config) { c.Limits.SessionsPerConnection, c.Limits.Sessions = 3, 8 })
	clients := make([]*connection, 2)
	for i := range clients {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		clients[i] = newConnection(t.Context(), ts.srv, ours)
		if _, ok := ts.srv.admission.connect(clients[i].remote.Addr()); !ok {
			t.Fatal("refused")
		}
		clients[i].signedIn("publickey")
	}
	var open [2][]channelState
	for i, most := range []int{maxHalfClosed, 2} { // 8 sessions leave 2 places more than one connection can take
		want := append(slices.Repeat([]channelState{halfClosed}, most), inUse, inUse, inUse)
		for range want {
			v, _ := clients[i].openChannel()
			if v == inUse {
				v = clients[i].halfClose()
			}
			open[i] = append(open[i], v)
		}
		if !slices.Equal(open[i], want) {
			t.Errorf("client %d: channels that are never closed end as %v, want %v", i+1, open[i], want)
		}
		if v, why := clients[i].openChannel(); v != refused || why != tooManyOnConn {
			t.Errorf("client %d: one channel more is %v, %q, want it refused", i+1, v, why)
		}
		open[i] = append(open[i], refused)
	}
	for i, c := range clients {
		for _, v := range open[i] {
			c.closeChannel(v)
		}
	}
	if ts.srv.admission.sessions != 0 || ts.srv.admission.halfClosed != 0 {
		t.Errorf("in the end there are %d sessions and %d half-closed channels", ts.srv.admission.sessions, ts.srv.admission.halfClosed)
	}
	for _, c := range clients {
		c.finish()
	}
}

// TestNewAccounts: an address gets NewAccounts new accounts an hour, by all ways of signing up. Failed attempts and other addresses don't
// count.
func TestNewAccounts(t *testing.T) {
	c := newClub(t, func(cfg *ClubConfig) { cfg.Limits.NewAccounts = 3 })
	here := netip.MustParseAddrPort("[2001:db8::1]:9")
	same := netip.MustParseAddrPort("[2001:db8::2]:9")
	there := netip.MustParseAddrPort("[2001:db8:0:1::1]:9")
	n := 0
	signUp := func(from netip.AddrPort, name string, want error) {
		t.Helper()
		n++
		_, err := limitedLobby{Lobby: c.parts, club: c, from: from}.SignUp(t.Context(), fmt.Sprintf("SHA256:%d", n), name)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("SignUp of %s from %v = %v, want %v", name, from, err, want)
		}
	}
	signUp(here, "ana", nil)
	for range 5 {
		signUp(here, "Ana", lobby.ErrNameTaken) // and no account
	}
	signUp(same, "rui", nil)
	signUp(here, "eva", nil)
	signUp(same, "leo", lobby.ErrManyAccounts)
	signUp(there, "leo", nil)
	for i := range 20 {
		signUp(netip.MustParseAddrPort("127.0.0.1:9"), fmt.Sprint("local", i), nil)
	}
}

// oneNode is the accountLimiter of a club with one node.
type oneNode struct{}

func (oneNode) NewAccount(context.Context, origin.Origin, time.Duration, int) (back func(), shared bool, err error) {
	return nil, false, nil
}

func TestAccountsInAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := DefaultLimits()
		inForce := newLimitsInForce(l)
		a := newAccounts(inForce, nil)
		from := netip.MustParseAddr("192.0.2.1")
		take := func(what string, want bool) (undo func()) {
			t.Helper()
			undo, err := a.begin(t.Context(), oneNode{}, from)
			if (err == nil) != want {
				t.Errorf("%s: %v, want %v", what, err == nil, want)
			}
			return undo
		}
		for range 10 {
			take("one of ten", true)
		}
		take("the eleventh", false)
		pass(6*time.Minute - 1)
		take("the eleventh, just before", false)
		pass(1)
		take("after a tenth of an hour", true)
		take("and another one", false)
		pass(time.Hour)
		for range 9 {
			take("one of nine", true)
		}
		take("the tenth, undone", true)()
		take("the tenth", true)
		take("the eleventh", false)
		limited := l
		limited.LimitLoopback = true
		inForce.Store(&limited)
		from = netip.MustParseAddr("::1")
		for range 10 {
			take("local, limited", true)
		}
		take("local, limited", false)
		inForce.Store(&l)
		take("local, spared", true)()
	})
}

// pass lets that time go by on the clock of a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }
