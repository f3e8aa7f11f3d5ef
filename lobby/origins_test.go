package lobby

import (
	"net/netip"
	"testing"

	"ludoteca/lobby/origin"
)

// TestConnect: the lobby knows where a user's newest session comes from while there is one.
func TestConnect(t *testing.T) {
	c := newClub(t)
	at := func(addr string) origin.Origin {
		return origin.Origin{Person: "key of ana", Addr: netip.MustParseAddr(addr)}
	}
	check := func(when string, want netip.Addr) {
		t.Helper()
		if got := c.origins.of(c.ana.Occupant()); got.Addr != want || got.Person != personOf(c.ana.Occupant()) {
			t.Errorf("%s: ana comes from %v, want %v", when, got, want)
		}
	}
	check("before", netip.Addr{})
	first := c.Connect(c.ana, at("192.0.2.1"))
	second := c.Connect(c.ana, at("192.0.2.2"))
	check("two sessions", netip.MustParseAddr("192.0.2.2"))
	first()
	first() // again does nothing
	check("one session", netip.MustParseAddr("192.0.2.2"))
	second()
	check("after", netip.Addr{})
	if n, keys := len(c.origins.people), c.origins.keys(); n != 0 || len(keys) != 0 {
		t.Errorf("%d people and the keys %q are kept", n, keys)
	}
}
