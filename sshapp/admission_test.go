package sshapp

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
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

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		p := newPace(time.Second, 3)
		allow := func(from netip.Addr, want bool) {
			t.Helper()
			if got := p.allow(from, time.Now()); got != want {
				t.Errorf("allow(%s) = %v, want %v", from, got, want)
			}
		}
		for _, want := range []bool{true, true, true, false, false} {
			allow(here, want)
		}
		allow(there, true)
		pass(time.Second - 1)
		allow(here, false)
		pass(1)
		allow(here, true)
		allow(here, false)
		pass(time.Hour) // rest earns no more than the burst
		for _, want := range []bool{true, true, true, false} {
			allow(here, want)
		}
	})
}

// pass lets that time go by on the clock of a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

// TestPaceIsBounded: an attacker with more addresses than the table has room for takes no more memory, and somebody who
// is over his pace is not forgiven while there are others to forget.
func TestPaceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Second, 1)
		for i := range 3 * maxPaced {
			if !p.allow(numbered(i), time.Now()) {
				t.Fatalf("address %d is refused the first time", i)
			}
		}
		if len(p.even) > maxPaced {
			t.Errorf("%d addresses are kept, want at most %d", len(p.even), maxPaced)
		}
		pass(2 * time.Second) // all of them are even now
		last := numbered(0)
		p.allow(last, time.Now())
		if len(p.even) > 1 {
			t.Errorf("%d addresses are kept, want the last one only", len(p.even))
		}
		if p.allow(last, time.Now()) {
			t.Error("the last one was forgotten too")
		}
	})
}

func numbered(i int) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(i))))
}

// TestPaceNeverExceeds: over any stretch of time an address gets at most the burst and one for each interval.
func TestPaceNeverExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := time.Duration(rapid.IntRange(1, 1000).Draw(t, "interval"))
		burst := rapid.IntRange(1, 20).Draw(t, "burst")
		p := newPace(interval, burst)
		from := netip.MustParseAddr("192.0.2.1")
		now := time.Unix(1e9, 0)
		var taken []time.Time
		for _, gap := range rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 100).Draw(t, "gaps") {
			now = now.Add(time.Duration(gap))
			if !p.allow(from, now) {
				continue
			}
			taken = append(taken, now)
			for i, start := range taken {
				most := burst + int(now.Sub(start)/interval)
				if got := len(taken) - i; got > most {
					t.Fatalf("%d in %v, want at most %d", got, now.Sub(start), most)
				}
			}
		}
		if len(taken) == 0 {
			t.Fatal("nothing was allowed")
		}
	})
}
