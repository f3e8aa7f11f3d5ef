package sshapp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal"
	"ludoteca/storage/storagetest"
)

// newClub is a club in memory, with the given limits.
func newClub(t *testing.T, change func(*ClubConfig)) *Club {
	t.Helper()
	l, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{Games: catalog.All()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := ClubConfig{Lobby: l, Limits: DefaultLimits()}
	if change != nil {
		change(&cfg)
	}
	c, err := NewClub(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNewAccounts of one address: so many in an hour, by all ways of signing up; others and tries that failed don't count.
func TestNewAccounts(t *testing.T) {
	c := newClub(t, func(cfg *ClubConfig) { cfg.Limits.NewAccounts = 3 })
	here := netip.MustParseAddrPort("[2001:db8::1]:9")
	same := netip.MustParseAddrPort("[2001:db8::2]:9")
	there := netip.MustParseAddrPort("[2001:db8:0:1::1]:9")
	n := 0
	signUp := func(from netip.AddrPort, name string, want error) {
		t.Helper()
		n++
		_, err := visitorsLobby{c.lobby, c, from}.SignUp(t.Context(), fmt.Sprintf("SHA256:%d", n), name)
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

func TestAccountsInAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := DefaultLimits()
		a := newAccounts(&l)
		from := netip.MustParseAddr("192.0.2.1")
		take := func(what string, want bool) (undo func()) {
			t.Helper()
			undo, ok := a.begin(from)
			if ok != want {
				t.Errorf("%s: %v, want %v", what, ok, want)
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
		take("the tenth, given back", true)()
		take("the tenth", true)
		take("the eleventh", false)
		l.LimitLoopback = true
		from = netip.MustParseAddr("::1")
		for range 10 {
			take("local, limited", true)
		}
		take("local, limited", false)
		l.LimitLoopback = false
		take("local, spared", true)()
	})
}

// fakeSession is a session of which only its address and its sign-in are known.
type fakeSession struct {
	ssh.Session
	remote string
	who    Identity
}

func (s fakeSession) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s.remote))
}

func (s fakeSession) Permissions() ssh.Permissions {
	return ssh.Permissions{Permissions: signIn{Identity: s.who}.permissions()}
}

// TestOrigin: wrong codes count for an address, and from addresses that are spared for whoever comes from there.
func TestOrigin(t *testing.T) {
	c := newClub(t, nil)
	tests := []struct {
		remote string
		who    Identity
		want   string
	}{
		{"192.0.2.1:9", Identity{Fingerprint: "SHA256:a"}, "192.0.2.1"},
		{"[::ffff:192.0.2.1]:9", Identity{Guest: true, ConnectionID: "X"}, "192.0.2.1"},
		{"[2001:db8::1]:9", Identity{Fingerprint: "SHA256:a"}, "2001:db8::"},
		{"127.0.0.1:9", Identity{Fingerprint: "SHA256:a", ConnectionID: "X"}, "SHA256:a"},
		{"[::1]:9", Identity{Guest: true, ConnectionID: "X"}, "X"},
	}
	for _, tt := range tests {
		s := fakeSession{remote: tt.remote, who: tt.who}
		if got := c.origin(s); got != tt.want {
			t.Errorf("origin of %s from %s = %q, want %q", tt.who.Fingerprint, tt.remote, got, tt.want)
		}
	}
	c.limits.LimitLoopback = true
	s := fakeSession{remote: "127.0.0.1:9", who: Identity{Fingerprint: "SHA256:a"}}
	if got := c.origin(s); got != "127.0.0.1" {
		t.Errorf("origin from loopback with limits = %q", got)
	}
}

// TestOperator: the status is for the keys that are named, and for nobody else: a guest has none.
func TestOperator(t *testing.T) {
	operator, other := newSigner(t), newSigner(t)
	counts, screens := metrics.NewServer(RefusalReasons(), EndReasons()), new(terminal.Stats)
	for _, operators := range [][]string{{gossh.FingerprintSHA256(operator.PublicKey())}, {""}, nil} {
		c := newClub(t, func(cfg *ClubConfig) {
			cfg.Operators, cfg.Metrics, cfg.Screens = operators, counts, screens
			cfg.Status = func() status.Status { return status.Status{Sessions: 42} }
		})
		d := serveClub(t, c)
		got := run(t, d.dial(gossh.PublicKeys(operator)), "status")
		if named := len(operators) == 1 && operators[0] != ""; named != strings.Contains(got.out, "sessions          42") || named != (got.status == 0) {
			t.Errorf("operators %q: the operator's status is %+v", operators, got)
		}
		for name, auth := range map[string]gossh.AuthMethod{"another key": gossh.PublicKeys(other), "a guest": asGuest(t)} {
			if got := run(t, d.dial(auth), "status"); got.status != 2 || got.out != "" || !strings.Contains(got.err, `there is no command "status"`) {
				t.Errorf("operators %q: the status for %s is %+v", operators, name, got)
			}
		}
	}
}

// TestThrottledInput: the plain prompt loses nothing of what comes too fast; it takes its time.
func TestThrottledInput(t *testing.T) {
	const text = "0123456789"
	synctest.Test(t, func(t *testing.T) {
		s := &session{input: make(chan []byte), ctx: sessionContext{session: t.Context()}}
		go func() { // ends when all is read
			defer close(s.input)
			for range 30 {
				s.input <- []byte(text)
			}
		}()
		p := newThrottledReader(s, &Limits{InputRate: 10, InputBurst: 100})
		began, got := time.Now(), 0
		for {
			n, err := p.Read(make([]byte, 1000))
			if got += n; err != nil {
				break
			}
		}
		if got != 30*len(text) {
			t.Errorf("%d bytes came through, want %d", got, 30*len(text))
		}
		// A hundred at once, then ten a second; the last ones are let in when they are begun to be read.
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("300 bytes took %v, want 20s", took)
		}
	})
}

// pass lets that time go by on the clock of a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }
