package sshapp

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby"
)

// TestRelayAdmission: the limits by address spare a relay, which has budgets of its own, and not its neighbours.
func TestRelayAdmission(t *testing.T) {
	l := smallLimits()
	l.Connections, l.Sessions, l.Unauth, l.RelaySessions, l.RelayGuests = 100, 100, 12, 6, 2
	relay, neighbour := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("192.0.2.8")
	a := newAdmission(newLimitsInForce(l), relaysOf([]netip.Addr{relay}))
	a.chance = never
	connect := func(from netip.Addr, want reason) {
		t.Helper()
		if why, ok := a.connect(from); why != want || ok != (want == "") {
			t.Errorf("connect(%s) = %q, %v; want %q", from, why, ok, want)
		}
	}
	for range l.Unauth / 2 { // twice as many as one address may have
		connect(relay, "")
	}
	connect(relay, tooManyUnauthByAddr)
	connect(netip.MustParseAddr("::ffff:192.0.2.7"), tooManyUnauthByAddr)
	for range l.UnauthPerAddress {
		connect(neighbour, "")
	}
	connect(neighbour, tooManyUnauthByAddr)
	for i := range l.RelaySessions {
		if a.signIn(relay) {
			t.Errorf("connection %d of the relay is one too many", i)
		}
		if why, ok := a.openSession(relay, stranger); !ok {
			t.Errorf("session %d of the relay is refused: %s", i, why)
		}
	}
	if why, ok := a.openSession(relay, regular); ok || why != tooManyByAddr {
		t.Errorf("one session more: %q, %v", why, ok)
	}
	connect(relay, "")
	if !a.signIn(relay) {
		t.Error("one connection more is taken")
	}
	a.disconnect(relay, true, left)
	a.closeSession(relay)
	if why, ok := a.openSession(relay, stranger); !ok {
		t.Errorf("a session after the end of one is refused: %s", why)
	}
	for i, want := range []bool{true, true, false} {
		if got := a.guests.come(relay, l.RelayGuests); got != want {
			t.Errorf("guest %d: %v", i, got)
		}
	}
	a.guests.leave(relay)
	if !a.guests.come(relay, l.RelayGuests) {
		t.Error("no guest comes after one has left")
	}
}

// TestRelayIsNotPunished: what one visitor does wrong shuts out nobody else of the relay.
func TestRelayIsNotPunished(t *testing.T) {
	relay := netip.MustParseAddr("192.0.2.7")
	a := newAdmission(newLimitsInForce(DefaultLimits()), relaysOf([]netip.Addr{relay}))
	for range 50 {
		if why, ok := a.connect(relay); !ok {
			t.Fatalf("refused: %s", why)
		}
		a.disconnect(relay, false, noAuth)
	}
	if a.reputation.punished(time.Now(), relay) > 0 {
		t.Error("the relay has a penalty")
	}
}

// TestRelayAccounts: the new accounts of a relay have one budget, also of a relay on loopback, which else has no limit, and don't count for
// others.
func TestRelayAccounts(t *testing.T) {
	for _, addr := range []string{"192.0.2.7", "127.0.0.1", "::1"} {
		l := DefaultLimits()
		l.RelayAccounts, l.NewAccounts = 15, 3
		relay := netip.MustParseAddr(addr)
		a := newAccounts(newLimitsInForce(l), relaysOf([]netip.Addr{relay}))
		take := func(from netip.Addr) error {
			_, err := a.begin(t.Context(), oneNode{}, from)
			return err
		}
		for i := range l.RelayAccounts {
			if err := take(relay); err != nil {
				t.Errorf("account %d through %s: %v", i, addr, err)
			}
		}
		if err := take(relay); !errors.Is(err, lobby.ErrManyAccounts) {
			t.Errorf("one account more through %s: %v", addr, err)
		}
		if err := take(netip.MustParseAddr("192.0.2.8")); err != nil {
			t.Errorf("an account of a neighbour: %v", err)
		}
	}
}
