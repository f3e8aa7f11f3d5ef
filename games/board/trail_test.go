package board

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTrail pushes and pops keys, many of which share a counter, and counts them in a list.
func TestTrail(t *testing.T) {
	keys := rapid.SampledFrom([]uint64{0, 1, filterSize, filterSize + 1, 2 * filterSize, 1 << 63})
	rapid.Check(t, func(t *rapid.T) {
		var trail Trail
		var list []uint64
		trail.Grow(rapid.IntRange(0, 10).Draw(t, "room"))
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(list) > 0 && rapid.Bool().Draw(t, "pop") {
				trail.Pop()
				list = list[:len(list)-1]
				continue
			}
			key := keys.Draw(t, "key")
			trail.Push(key)
			list = append(list, key)
		}
		key, enough := keys.Draw(t, "asked for"), rapid.IntRange(0, 5).Draw(t, "enough")
		want := 0
		for _, k := range list {
			if k == key {
				want++
			}
		}
		got := trail.Times(key, enough)
		if trail.Len() != len(list) || got != want && (want >= enough || got >= enough) {
			t.Fatalf("%v: %d keys, %d is there %d times; want %d, %d (%d are enough)", list, trail.Len(), key, got, len(list), want, enough)
		}
	})
}
