package accounts

import (
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// TestVisitByRelay: a person who comes by a relay is kept as one who comes from its address, which is in no list of addresses to ban.
func TestVisitByRelay(t *testing.T) {
	ana, now := match.User{Kind: storage.Person, ID: "ana"}, time.Unix(1e9, 0)
	for _, tt := range []struct {
		from  origin.Origin
		block string
		known int
	}{
		{origin.Origin{Person: "SHA256:ana", Relay: netip.MustParseAddr("127.0.0.1")}, "127.0.0.1/32", 0},
		{origin.Origin{Person: "SHA256:ana", Relay: netip.MustParseAddr("2001:db8::7")}, "2001:db8::7/128", 0},
		{origin.Origin{Person: "SHA256:ana", Addr: netip.MustParseAddr("192.0.2.7")}, "192.0.2.0/24", 1},
	} {
		v := newVisits(true)
		v.note(ana, tt.from, now)
		if it := <-v.waiting; it.block.String() != tt.block || it.fingerprint != "SHA256:ana" || len(v.addresses(ana.Player(), now)) != tt.known {
			t.Errorf("a visit from %+v is %+v, with %v", tt.from, it, v.addresses(ana.Player(), now))
		}
	}
}
