package accounts

import (
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// TestAddressesAreBounded: the addresses of one player are bounded, and so is the number of players.
func TestAddressesAreBounded(t *testing.T) {
	v, now := newVisits(false), time.Unix(0, 0)
	come := func(id, addr string) {
		now = now.Add(time.Second)
		v.note(match.User{Kind: storage.Person, ID: id}, origin.Origin{Addr: netip.MustParseAddr(addr)}, now)
	}
	for _, addr := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.2", "2001:db8::1"} {
		come("ana", addr)
	}
	var got []string
	for _, a := range v.addresses("ana", now) {
		got = append(got, a.Addr.String())
	}
	if want := "2001:db8::1 192.0.2.2 192.0.2.3"; strings.Join(got, " ") != want {
		t.Errorf("addresses %q, want %q", got, want)
	}
	for i := range 3 * knownPlayers {
		come(strconv.Itoa(i), "192.0.2.9")
		if i == knownPlayers && len(v.addresses("ana", now)) != 3 {
			t.Error("ana is forgotten too soon")
		}
	}
	if n := len(v.newer) + len(v.older); n > 2*knownPlayers {
		t.Errorf("%d players are known, want %d at most", n, 2*knownPlayers)
	}
	if left := v.addresses("ana", now); len(left) > 0 {
		t.Errorf("%v of ana are known", left)
	}
}
