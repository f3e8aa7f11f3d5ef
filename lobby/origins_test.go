package lobby

import (
	"net/netip"
	"testing"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// TestOrigins: where a user's newest session comes from is known while there is one.
func TestOrigins(t *testing.T) {
	o, ana := newOrigins(), User{Kind: storage.Person, ID: "ana"}
	const key = "key of ana"
	at := func(addr string) origin.Origin {
		return origin.Origin{Person: match.PersonOf(ana.Occupant()), Addr: netip.MustParseAddr(addr)}
	}
	check := func(when string, want netip.Addr) {
		t.Helper()
		if got := o.of(ana.Occupant()); got.Addr != want || got.Person != match.PersonOf(ana.Occupant()) {
			t.Errorf("%s: ana comes from %v, want %v", when, got, want)
		}
	}
	check("before", netip.Addr{})
	first := o.connect(ana, at("192.0.2.1"), key)
	second := o.connect(ana, at("192.0.2.2"), key)
	check("two sessions", netip.MustParseAddr("192.0.2.2"))
	first()
	first() // again does nothing
	check("one session", netip.MustParseAddr("192.0.2.2"))
	second()
	check("after", netip.Addr{})
	if n, keys := len(o.people), o.keys(); n != 0 || len(keys) != 0 {
		t.Errorf("%d people and the keys %q are kept", n, keys)
	}
}
