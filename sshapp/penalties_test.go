package sshapp

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestPenalties(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	addr := netip.MustParseAddr("192.0.2.1")
	for _, tt := range []struct {
		name  string
		why   reason
		times int
		want  time.Duration // how long new connections are refused; 0 or less: they aren't
	}{
		{"one silent", loginTimeout, 1, -5 * time.Second},
		{"two silent", loginTimeout, 2, 5 * time.Second},
		{"three that failed", noAuth, 3, 0},
		{"four that failed", noAuth, 4, 5 * time.Second},
		{"ten scans", noHandshake, 10, -5 * time.Second},
		{"a thousand silent", loginTimeout, 1000, penaltyMax - penaltyMin},
		{"a thousand that the club ended", goingDown, 1000, 0},
	} {
		r := newReputation()
		for range tt.times {
			r.punish(start, addr, penaltyFor(tt.why))
		}
		if got := r.punished(start, addr); got != max(0, tt.want) {
			t.Errorf("%s: refused for %v, want %v", tt.name, got, max(0, tt.want))
		}
		if tt.want > 0 {
			if got := r.punished(start.Add(tt.want), addr); got > 0 {
				t.Errorf("%s: refused for another %v afterwards", tt.name, got)
			}
		}
		if got := r.punished(start, netip.MustParseAddr("198.51.100.1")); got > 0 {
			t.Errorf("%s: another address is refused for %v", tt.name, got)
		}
	}
}

// TestPenaltiesOfBlocks: a new address of the block for each connection is no way around penalties, and one bad neighbour is no harm.
func TestPenaltiesOfBlocks(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, addr := range map[string]func(i int) netip.Addr{
		"/24": func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}) },
		"/56": func(i int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x::1", i%256)) },
		"/48": func(i int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x00::1", i%256)) },
	} {
		r, refused := newReputation(), 0
		for i := range 100 {
			if r.punished(now, addr(i)) > 0 {
				refused++
				continue
			}
			r.punish(now, addr(i), penaltySilent)
		}
		if refused < 60 || refused > 95 {
			t.Errorf("%s: %d of 100 connections refused", name, refused)
		}
		r = newReputation()
		for range 5 {
			r.punish(now, addr(1), penaltySilent)
		}
		if r.punished(now, addr(1)) <= 0 || r.punished(now, addr(2)) > 0 {
			t.Errorf("%s: after five silent connections of one address it is refused for %v, another of its block for %v", name,
				r.punished(now, addr(1)), r.punished(now, addr(2)))
		}
	}
}

// TestNeighbours: other addresses of a block can't shut out an address that has signed in before.
func TestNeighbours(t *testing.T) {
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}) }
	here, known, another := time.Now(), address(200), address(201)
	for _, tt := range []struct {
		name    string
		change  func(*Limits)
		attack  func(a *admission)
		regular bool   // a regular has signed in from the address; else a client without an account has
		why     reason // for a stranger
	}{
		{"penalties", func(*Limits) {}, func(a *admission) {
			for i := range 20 {
				for range 2 {
					a.reputation.punish(here, address(i), penaltySilent)
				}
			}
		}, false, penalised},
		{"the rate of connections", func(l *Limits) { l.NewPerAddress, l.NewWindow, l.NewBurst = 1, time.Hour, 2 }, func(a *admission) {
			for i := range 16 {
				a.connect(address(i))
			}
		}, false, tooManyNewByAddr},
		{"connections that sign in", func(l *Limits) { l.UnauthPerAddress = 2 }, func(a *admission) {
			for i := range 16 {
				a.connect(address(i))
			}
		}, false, tooManyUnauthByAddr},
		{"connections", func(l *Limits) { l.ConnectionsPerAddress = 2 }, func(a *admission) {
			for i := range 16 {
				a.connect(address(i))
				a.signIn(address(i))
			}
		}, true, tooManyConnsByAddr},
		{"sessions", func(l *Limits) { l.SessionsPerAddress = 2 }, func(a *admission) {
			for i := range 16 {
				a.openSession(address(i), stranger)
			}
		}, true, tooManyByAddr},
	} {
		limits := DefaultLimits()
		tt.change(&limits)
		a := newAdmission(newLimitsInForce(limits), nil)
		a.chance = never
		come := func(from netip.Addr, who standing) (why reason) {
			why, ok := a.connect(from)
			if ok && a.signIn(from) {
				why, ok = tooManyConnsByAddr, false
			}
			if ok {
				why, _ = a.openSession(from, who)
			}
			return why
		}
		a.reputation.trust(here, known)
		who := stranger
		if tt.regular {
			a.reputation.trustRegular(here, known)
			who = regular
		}
		tt.attack(a)
		if why := come(known, who); why != "" {
			t.Errorf("%s: a known address is refused for %q", tt.name, why)
		}
		if why := come(another, stranger); why != tt.why {
			t.Errorf("%s: a stranger is refused for %q, want %q", tt.name, why, tt.why)
		}
		a.reputation.punish(time.Now(), known, 2*penaltySilent)
		if why, _ := a.connect(known); why != penalised {
			t.Errorf("%s: with a penalty of its own the address is refused for %q", tt.name, why)
		}
	}
}

// TestReputationIsBounded however many addresses come, and remembers the newest well enough.
func TestReputationIsBounded(t *testing.T) {
	r, now := newReputation(), time.Now()
	for i := range 3 * maxPenalties {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		r.punish(now, from, penaltySilent)
		r.trust(now, from)
		if !r.trusted(now, from) && i%1000 == 0 {
			t.Errorf("%s is forgotten at once", from)
		}
	}
	if len(r.penalties) > maxPenalties || len(r.known) > maxKnown {
		t.Errorf("%d penalties and %d addresses are kept", len(r.penalties), len(r.known))
	}
	if r.trusted(now.Add(knownFor+time.Hour), netip.MustParseAddr("10.1.0.0")) {
		t.Error("an address is known for ever")
	}
}

// TestDropRate: which connections are dropped while many sign in.
func TestDropRate(t *testing.T) {
	l := DefaultLimits()
	l.Unauth = 160
	waiting, newcomer := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1")
	for _, tt := range []struct {
		taken           int
		again, newcomer float64 // how likely they are dropped
	}{
		{1, 0, 0}, {80, 0, 0}, {100, 0.5, 0}, {120, 1, 0}, {135, 1, 0.5}, {150, 1, 1}, {159, 1, 1},
	} {
		a := newAdmission(newLimitsInForce(l), nil)
		a.unauth = tt.taken
		a.count(waiting, func(t *tally) { t.unauth++ })
		for from, want := range map[netip.Addr]float64{waiting: tt.again, newcomer: tt.newcomer} {
			if got := min(1, max(0, a.dropRate(from))); got != want {
				t.Errorf("%d of %d places taken: %s is dropped with %v, want %v", tt.taken, l.Unauth, from, got, want)
			}
		}
		a.chance = func() float64 { return 0 } // the worst luck
		a.reputation.trust(time.Now(), newcomer)
		if why, ok := a.connect(newcomer); !ok {
			t.Errorf("%d of %d places taken: an address that is known is refused for %q", tt.taken, l.Unauth, why)
		}
	}
}

func TestGrace(t *testing.T) {
	l := DefaultLimits()
	l.Unauth, l.LoginGrace = 100, 10*time.Second
	for taken, want := range map[int]time.Duration{
		0: 10 * time.Second, 50: 10 * time.Second, 75: 6 * time.Second, 100: 2 * time.Second,
	} {
		a := newAdmission(newLimitsInForce(l), nil)
		a.unauth = taken
		if got := a.grace(); got != want {
			t.Errorf("%d places taken: %v to sign in, want %v", taken, got, want)
		}
	}
}

// TestSilentCrowd: 21 addresses that open silent connections as fast as they can don't keep newcomers out. It plays a minute with
// the bounds that a public server has.
func TestSilentCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(newLimitsInForce(DefaultLimits()), nil)
		type silent struct {
			from  netip.Addr
			since time.Time
		}
		var waiting []silent
		in, asked := 0, 0
		for tick := range 600 { // tenths of a second
			for i := range 21 {
				from := netip.AddrFrom4([4]byte{10, byte(i), 0, 1})
				for range 3 {
					if _, ok := a.connect(from); ok {
						waiting = append(waiting, silent{from, time.Now()})
					}
				}
			}
			if tick%5 == 0 { // a newcomer, who tries three times
				asked++
				from := netip.AddrFrom4([4]byte{172, 16, byte(asked), 1})
				for range 3 {
					if _, ok := a.connect(from); ok {
						a.signIn(from)
						a.disconnect(from, true, left)
						in++
						break
					}
				}
			}
			time.Sleep(100 * time.Millisecond)
			grace, rest := a.grace(), waiting[:0]
			for _, s := range waiting {
				if time.Since(s.since) < grace {
					rest = append(rest, s)
					continue
				}
				a.disconnect(s.from, false, loginTimeout)
			}
			waiting = rest
		}
		if in*100 < asked*95 {
			t.Errorf("%d of %d newcomers got in", in, asked)
		}
	})
}
