package games

import "math/bits"

// Random is a small, fast source of pseudo-random numbers for computer players and tests: SplitMix64 (Steele, Lea,
// Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). The same seed gives the same numbers for ever,
// which math/rand does not promise, and the calls are inlined, which its interface prevents. Not for secrets.
type Random struct{ state uint64 }

// NewRandom returns a source with the given seed.
func NewRandom(seed uint64) *Random { return &Random{seed} }

// Uint64 returns 64 random bits.
func (r *Random) Uint64() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// N returns a number from 0 to n-1; n must be positive. It takes the high half of a 64 by 64 bit product (Lemire:
// Fast Random Integer Generation in an Interval, 2019) without its rejection step, so the chances differ from each
// other by at most n in 2^64.
func (r *Random) N(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}
