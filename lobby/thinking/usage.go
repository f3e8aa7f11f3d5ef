package thinking

import (
	"math"
	"net/netip"
	"time"

	"ludoteca/lobby/origin"
)

// maxUsage bounds the people, and as many blocks of addresses, whose use is remembered.
const maxUsage = 4096

// A usage knows how long the workers have thought for people and for blocks of addresses of late. What is longer ago counts less,
// half as much every halfLife.
type usage struct {
	people map[string]spent
	blocks map[netip.Prefix]spent
}

// A spent is time that was used, as it counted at one moment.
type spent struct {
	time time.Duration
	at   time.Time
}

func newUsage() *usage {
	return &usage{people: make(map[string]spent), blocks: make(map[netip.Prefix]spent)}
}

// now returns what counts of it now.
func (s spent) now(now time.Time) time.Duration {
	if s.time == 0 {
		return 0
	}
	return time.Duration(float64(s.time) * math.Exp2(-float64(now.Sub(s.at))/float64(halfLife)))
}

// of returns how much somebody has used: what they have themselves, or what a block of their addresses has divided by its weight,
// whichever is more.
func (u *usage) of(now time.Time, by origin.Origin) time.Duration {
	most := u.people[by.Person].now(now)
	for _, b := range origin.Blocks(by.Addr) {
		most = max(most, u.blocks[b.Prefix].now(now)/time.Duration(b.Weight))
	}
	return most
}

// add adds to what somebody has used; less than 0 takes something back.
func (u *usage) add(now time.Time, by origin.Origin, used time.Duration) {
	addTo(u.people, by.Person, now, used)
	for _, b := range origin.Blocks(by.Addr) {
		addTo(u.blocks, b.Prefix, now, used)
	}
}

func addTo[K comparable](to map[K]spent, key K, now time.Time, used time.Duration) {
	to[key] = spent{max(0, to[key].now(now)+used), now}
	if len(to) <= maxUsage {
		return
	}
	for k, s := range to { // those that hardly count any more
		if s.now(now) < time.Millisecond {
			delete(to, k)
		}
	}
	for k := range to { // or else any
		if len(to) <= maxUsage*7/8 {
			break
		}
		delete(to, k)
	}
}
