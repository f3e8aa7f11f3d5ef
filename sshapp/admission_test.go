package sshapp

import (
	"net/netip"
	"testing"
	"time"
)

func TestAddressKey(t *testing.T) {
	tests := []struct{ addr, want string }{
		{"192.0.2.7", "192.0.2.7"},
		{"::ffff:192.0.2.7", "192.0.2.7"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
		{"2001:db8:1:2::", "2001:db8:1:2::"},
		{"2001:db8:1:3::1", "2001:db8:1:3::"},
		{"fe80::1%eth0", "fe80::"},
	}
	for _, tt := range tests {
		if got := addressKey(netip.MustParseAddr(tt.addr)).String(); got != tt.want {
			t.Errorf("addressKey(%s) = %s, want %s", tt.addr, got, tt.want)
		}
	}
	if got := addressKey(netip.Addr{}); got.IsValid() {
		t.Errorf("addressKey of no address = %s", got)
	}
}

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
	a := newAdmission(smallLimits())
	connect := func(from netip.Addr, want reason) {
		t.Helper()
		if why, ok := a.connect(from); why != want || ok != (want == "") {
			t.Errorf("connect(%s) = %q, %v; want %q", from, why, ok, want)
		}
	}
	open := func(from netip.Addr, want reason) {
		t.Helper()
		if why, ok := a.openSession(from); why != want || ok != (want == "") {
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
	open(there, tooManySessions)
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
		a.disconnect(here, true)
	}
	a.disconnect(there, true)
	a.disconnect(there, false)
	if a.conns != 0 || a.unauth != 0 || a.sessions != 0 || len(a.byAddr) != 0 {
		t.Errorf("after all have left: %d connections, %d unauthenticated, %d sessions, %d addresses", a.conns, a.unauth, a.sessions, len(a.byAddr))
	}
}

// TestLoopbackIsSpared from the limits by address, and from no other.
func TestLoopbackIsSpared(t *testing.T) {
	for _, local := range []string{"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"} {
		from := netip.MustParseAddr(local)
		l := smallLimits()
		l.Unauth, l.NewBurst, l.NewWindow = 6, 2, time.Hour*1000
		a := newAdmission(l)
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
			if why, ok := a.openSession(from); !ok {
				t.Errorf("%s: session refused for %q", local, why)
			}
		}
		l.LimitLoopback = true
		a = newAdmission(l)
		for _, want := range []reason{"", "", tooManyNewByAddr} {
			if why, _ := a.connect(from); why != want {
				t.Errorf("%s with LimitLoopback: %q, want %q", local, why, want)
			}
		}
	}
}

func TestAdmissionInAll(t *testing.T) {
	a := newAdmission(smallLimits())
	for i := range 9 {
		from := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
		if why, ok := a.connect(from); !ok {
			t.Fatalf("connection %d refused for %q", i, why)
		}
		a.signIn(from)
	}
	if why, _ := a.connect(netip.MustParseAddr("192.0.2.99")); why != tooManyConns {
		t.Errorf("connection 10: %q, want %q", why, tooManyConns)
	}
}
