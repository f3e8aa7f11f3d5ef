// Package origin describes where requests come from, for limits that count persons and blocks of addresses.
package origin

import (
	"net/netip"
	"time"

	"ludoteca/lobby/throttle"
)

// An Origin is where a request comes from. Origins can be compared.
type Origin struct {
	Person string     // fingerprint of the key, or the id of a guest's connection; "": it counts against no person
	Addr   netip.Addr // address of the client; the zero value: it counts against no address
	Relay  netip.Addr // the relay by which a person with a key comes; the zero value: none. It counts against no limit
}

// PeoplePerAddress is how many people may share one address: a household, or a class that takes turns.
const PeoplePerAddress = 4

// A Block is a range of addresses that one person may hold.
type Block struct {
	netip.Prefix
	Weight int // the limit of the block as a multiple of the limit of one address
}

// Blocks returns the blocks that an address lies in, the narrowest first. For IPv4 these are the address and its /24, for IPv6 its
// /64, /56 and /48, which networks commonly give to one customer. The weight of the narrowest is 1. An invalid address lies in none.
func Blocks(a netip.Addr) []Block {
	a = a.Unmap().WithZone("")
	switch {
	case a.Is4():
		return []Block{block(a, 32, 1), block(a, 24, 8)}
	case a.Is6():
		return []Block{block(a, 64, 1), block(a, 56, 4), block(a, 48, 16)}
	}
	return nil
}

func block(a netip.Addr, bits, weight int) Block {
	return Block{netip.PrefixFrom(a, bits).Masked(), weight}
}

// Narrowest returns the narrowest block of an address: the zero value if it is not valid.
func Narrowest(a netip.Addr) netip.Prefix {
	if blocks := Blocks(a); len(blocks) > 0 {
		return blocks[0].Prefix
	}
	return netip.Prefix{}
}

// Widest returns the widest block of an address: the zero value if it is not valid.
func Widest(a netip.Addr) Block {
	if blocks := Blocks(a); len(blocks) > 0 {
		return blocks[len(blocks)-1]
	}
	return Block{}
}

// A Throttle limits how often each person, and the people of each block of addresses together, may do something. Any goroutine
// may use it.
type Throttle struct {
	people *throttle.Throttle[string]
	blocks map[int]*throttle.Throttle[netip.Prefix] // by weight
}

// NewThrottle returns a Throttle that lets each person act burst times at once and then once per interval, and each block of
// addresses as often as its weight of such people. It remembers at most maxKeys people, and as many blocks of each weight.
func NewThrottle(interval time.Duration, burst, maxKeys int) *Throttle {
	return NewSharedThrottle(interval, burst, 1, maxKeys)
}

// NewSharedThrottle is NewThrottle for what several people at one address do at once: each block of addresses may act as often as
// its weight times people.
func NewSharedThrottle(interval time.Duration, burst, people, maxKeys int) *Throttle {
	t := &Throttle{people: throttle.New[string](interval, burst, maxKeys), blocks: make(map[int]*throttle.Throttle[netip.Prefix])}
	for _, weight := range []int{1, 4, 8, 16} {
		n := weight * people
		t.blocks[weight] = throttle.New[netip.Prefix](max(1, interval/time.Duration(n)), burst*n, maxKeys)
	}
	return t
}

// Take takes a token from the buckets of the person and of every block, or from none of them. If a bucket is empty, ok is false
// and wait is the time until that one has a token.
func (t *Throttle) Take(now time.Time, from Origin) (wait time.Duration, ok bool) {
	if from.Person != "" {
		if wait, ok := t.people.Take(now, from.Person); !ok {
			return wait, false
		}
	}
	blocks := Blocks(from.Addr)
	for i, b := range blocks {
		if wait, ok := t.blocks[b.Weight].Take(now, b.Prefix); !ok {
			t.give(now, from.Person, blocks[:i])
			return wait, false
		}
	}
	return 0, true
}

// Look returns what Take would, and takes nothing.
func (t *Throttle) Look(now time.Time, from Origin) (wait time.Duration, ok bool) {
	if from.Person != "" {
		if wait, ok := t.people.Look(now, from.Person); !ok {
			return wait, false
		}
	}
	for _, b := range Blocks(from.Addr) {
		if wait, ok := t.blocks[b.Weight].Look(now, b.Prefix); !ok {
			return wait, false
		}
	}
	return 0, true
}

// Return puts back the tokens that a Take took.
func (t *Throttle) Return(now time.Time, from Origin) { t.give(now, from.Person, Blocks(from.Addr)) }

func (t *Throttle) give(now time.Time, person string, blocks []Block) {
	if person != "" {
		t.people.Return(now, person)
	}
	for _, b := range blocks {
		t.blocks[b.Weight].Return(now, b.Prefix)
	}
}
