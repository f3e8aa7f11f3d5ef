package accounts

import (
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// TestOrigins: Of returns the origin of a user's newest session while there is one.
func TestOrigins(t *testing.T) {
	o, ana := NewSessions(SessionsConfig{Now: time.Now}), match.User{Kind: storage.Person, ID: "ana"}
	const key = "key of ana"
	at := func(addr string) origin.Origin {
		return origin.Origin{Person: key, Addr: netip.MustParseAddr(addr)}
	}
	check := func(when string, want netip.Addr) {
		t.Helper()
		if got := o.Of(ana.Occupant()); got.Addr != want || got.Person != match.PersonOf(ana.Occupant()) {
			t.Errorf("%s: ana comes from %v, want %v", when, got, want)
		}
	}
	check("before", netip.Addr{})
	first := o.Connect(ana, at("192.0.2.1"))
	second := o.Connect(ana, at("192.0.2.2"))
	check("two sessions", netip.MustParseAddr("192.0.2.2"))
	first()
	first() // again does nothing
	if as := o.signedIn(key); len(as) != 1 || as[0] != "ana" {
		t.Errorf("the key has sessions as %q, want ana", as)
	}
	check("one session", netip.MustParseAddr("192.0.2.2"))
	second()
	check("after", netip.Addr{})
	if n, keys := len(o.people), o.keys(); n != 0 || len(keys) != 0 {
		t.Errorf("%d people and the keys %q are kept", n, keys)
	}
}
