package thinking

import (
	"math"
	"net/netip"
	"time"

	"ludoteca/lobby/origin"
)

// maxUsage is the most people, and the most blocks of addresses, whose usage is remembered.
const maxUsage = 4096

// A usage knows how long the workers have lately thought for people and for blocks of addresses. Each time counts half as much after
// each halfLife.
type usage struct {
	people map[string]spent
	blocks map[netip.Prefix]spent
}

// A spent is the usage of a person or a block at one moment.
type spent struct {
	time time.Duration
	at   time.Time
}

func newUsage() *usage {
	return &usage{people: make(map[string]spent), blocks: make(map[netip.Prefix]spent)}
}

// now returns the usage that still counts at a later moment.
func (s spent) now(now time.Time) time.Duration {
	if s.time == 0 {
		return 0
	}
	return time.Duration(float64(s.time) * math.Exp2(-float64(now.Sub(s.at))/float64(halfLife)))
}

// of returns the usage of a person: the largest of their own and the usage of each of their blocks of addresses divided by its weight.
func (u *usage) of(now time.Time, by origin.Origin) time.Duration {
	most := u.people[by.Person].now(now)
	for _, b := range origin.Blocks(by.Addr) {
		most = max(most, u.blocks[b.Prefix].now(now)/time.Duration(b.Weight))
	}
	return most
}

// add adds to the usage of a person and of their blocks. A negative time reduces it.
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
	for k, s := range to { // first usage that hardly counts any more
		if s.now(now) < time.Millisecond {
			delete(to, k)
		}
	}
	for k := range to { // then any
		if len(to) <= maxUsage*7/8 {
			break
		}
		delete(to, k)
	}
}
