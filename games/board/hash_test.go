package board

import (
	"math/bits"
	"testing"
)

// TestMix flips each bit of a number and checks that each bit of the hash then flips about half of the time.
func TestMix(t *testing.T) {
	const numbers = 2000
	var flipped [64][64]int
	for n := range uint64(numbers) {
		k := n * 0x9e3779b97f4a7c15
		for i := range flipped {
			changed := Mix(k) ^ Mix(k^1<<i)
			if changed == 0 {
				t.Fatalf("%x and %x have the same hash", k, k^1<<i)
			}
			for ; changed != 0; changed &= changed - 1 {
				flipped[i][bits.TrailingZeros64(changed)]++
			}
		}
	}
	for i := range flipped {
		for j, n := range flipped[i] {
			if n < numbers/4 || n > numbers*3/4 {
				t.Errorf("bit %d flips bit %d of the hash %d times of %d", i, j, n, numbers)
			}
		}
	}
}
