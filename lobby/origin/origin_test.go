package origin

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want []string
	}{
		{"192.0.2.77", []string{"192.0.2.77/32", "192.0.2.0/24"}},
		{"::ffff:192.0.2.77", []string{"192.0.2.77/32", "192.0.2.0/24"}},
		{"2001:db8:1:2345:6::7", []string{"2001:db8:1:2345::/64", "2001:db8:1:2300::/56", "2001:db8:1::/48"}},
		{"fe80::1%eth0", []string{"fe80::/64", "fe80::/56", "fe80::/48"}},
		{"", nil},
	} {
		var a netip.Addr
		if tt.addr != "" {
			a = netip.MustParseAddr(tt.addr)
		}
		var got []string
		for _, b := range Blocks(a) {
			got = append(got, b.String())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Blocks(%s) = %v, want %v", tt.addr, got, tt.want)
		}
		if narrow := Narrowest(a); len(tt.want) > 0 && narrow.String() != tt.want[0] || len(tt.want) == 0 && narrow.IsValid() {
			t.Errorf("Narrowest(%s) = %v", tt.addr, narrow)
		}
	}
}

// TestThrottle: many keys don't help against an address, and many addresses don't help against their block.
func TestThrottle(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		from func(i int) Origin
		want int
	}{
		{"one person, no address", func(int) Origin { return Origin{Person: "ana"} }, 3},
		{"one person, many addresses", func(i int) Origin {
			return Origin{Person: "ana", Addr: netip.AddrFrom4([4]byte{10, byte(i), 0, 1})}
		}, 3},
		{"many people, one address", func(i int) Origin {
			return Origin{Person: fmt.Sprint(i), Addr: netip.MustParseAddr("192.0.2.1")}
		}, 3},
		{"many people, one /24", func(i int) Origin {
			return Origin{Person: fmt.Sprint(i), Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})}
		}, 24},
		{"many people, one /64", func(i int) Origin {
			return Origin{Person: fmt.Sprint(i), Addr: netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))}
		}, 3},
		{"many people, one /56", func(i int) Origin {
			return Origin{Person: fmt.Sprint(i), Addr: netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x::1", i))}
		}, 12},
		{"many people, one /48", func(i int) Origin {
			return Origin{Person: fmt.Sprint(i), Addr: netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x00::1", i))}
		}, 48},
	} {
		throttle, got := NewThrottle(time.Second, 3, 1000), 0
		for i := range 100 {
			if _, ok := throttle.Take(now, tt.from(i)); ok {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("%s: %d of 100 acts, want %d", tt.name, got, tt.want)
		}
	}
}

// TestSharedThrottle: an address may act as often as a number of people, and each person at it no more often than alone.
func TestSharedThrottle(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	throttle := NewSharedThrottle(time.Second, 3, 4, 1000)
	taken := func(from func(i int) Origin) (got int) {
		for i := range 200 {
			if _, ok := throttle.Take(now, from(i)); ok {
				got++
			}
		}
		return got
	}
	addr := netip.MustParseAddr("192.0.2.1")
	if got := taken(func(int) Origin { return Origin{Person: "ana", Addr: addr} }); got != 3 {
		t.Errorf("one person acts %d times, want 3", got)
	}
	if got := taken(func(i int) Origin { return Origin{Person: fmt.Sprint(i), Addr: addr} }); got != 9 {
		t.Errorf("further people at the address act %d times, want 9", got)
	}
	if got := taken(func(i int) Origin {
		return Origin{Person: fmt.Sprint("x", i), Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})}
	}); got != 84 {
		t.Errorf("further people in the /24 act %d times, want 84", got)
	}
	now = now.Add(250 * time.Millisecond)
	if got := taken(func(i int) Origin { return Origin{Person: fmt.Sprint("y", i), Addr: addr} }); got != 1 {
		t.Errorf("after a quarter of a second the address acts %d times, want 1", got)
	}
}

// TestThrottleAllOrNone: a refused Take takes no token, and a returned token can be taken again.
func TestThrottleAllOrNone(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	throttle := NewThrottle(time.Second, 2, 1000)
	addr := netip.MustParseAddr("192.0.2.1")
	for range 2 {
		if _, ok := throttle.Take(now, Origin{Person: "ana", Addr: addr}); !ok {
			t.Fatal("refused within the burst")
		}
	}
	if wait, ok := throttle.Take(now, Origin{Person: "rui", Addr: addr}); ok || wait != time.Second {
		t.Errorf("Take at an empty address = %v, %v; want a second, false", wait, ok)
	}
	for range 2 {
		if _, ok := throttle.Take(now, Origin{Person: "rui"}); !ok {
			t.Error("a refused Take took a token of the person")
		}
	}
	throttle.Return(now, Origin{Person: "ana", Addr: addr})
	if _, ok := throttle.Take(now, Origin{Person: "bia", Addr: addr}); !ok {
		t.Error("a token that was returned can't be taken")
	}
}

// TestThrottleLook: a look says what Take would, takes nothing, and so is no hindrance to others who look or take at the same moment.
func TestThrottleLook(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	throttle := NewThrottle(time.Second, 1, 1000)
	ana := Origin{Person: "ana", Addr: netip.MustParseAddr("192.0.2.1")}
	var looking sync.WaitGroup
	for range 8 {
		looking.Go(func() {
			for range 1000 {
				if wait, ok := throttle.Look(now, ana); !ok || wait != 0 {
					t.Errorf("Look = %v, %v; want 0, true", wait, ok)
				}
			}
		})
	}
	looking.Wait()
	if _, ok := throttle.Take(now, ana); !ok {
		t.Error("a look took the token")
	}
	for name, from := range map[string]Origin{"the person": {Person: "ana"}, "the address": {Person: "rui", Addr: ana.Addr}} {
		if wait, ok := throttle.Look(now, from); ok || wait != time.Second {
			t.Errorf("Look at %s = %v, %v; want a second, false", name, wait, ok)
		}
	}
	if _, ok := throttle.Look(now.Add(time.Second), ana); !ok {
		t.Error("a look after a second is refused")
	}
}
