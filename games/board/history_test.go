package board

import "testing"

// TestHistory adds positions out of a pool, so that most come up several times, and counts them apart in a map.
func TestHistory(t *testing.T) {
	type turned struct {
		key  Key
		turn int
	}
	random := uint64(1)
	for _, pool := range []uint64{3, 100, 2000} {
		var h History
		counts := map[turned]int{}
		for ply := range 5000 {
			// Few bits differ, in any of the words, as between the positions of a game.
			random = random*6364136223846793005 + 1442695040888963407 // Knuth: The Art of Computer Programming, 3.3.4
			n := random >> 33 % pool
			k := turned{Key{n % 7, n << 40, n%3<<32 | n}, ply % 2}
			counts[k] = min(counts[k]+1, 200)
			got := int(h.Add(k.key))
			if counts[k] < 200 && got != counts[k] {
				t.Fatalf("pool of %d: position %d has come up %d times, want %d", pool, h.Len(), got, counts[k])
			}
			if got != h.Times() || h.Len() != ply+1 || h.At(ply) != k.key {
				t.Fatalf("pool of %d: the %d-th position of %d is %v, %d times; want %v, %d", pool, ply, h.Len(), h.At(ply), h.Times(), k.key, got)
			}
		}
		if len(h.chains) < sparse*len(h.positions) {
			t.Errorf("%d chains for %d positions", len(h.chains), len(h.positions))
		}
	}
}

func TestHistoryForgets(t *testing.T) {
	var h, kept History
	if h.Times() != 0 || h.Len() != 0 {
		t.Errorf("an empty history has %d positions, the last one %d times", h.Len(), h.Times())
	}
	for range 4 {
		h.Add(Key{1})
	}
	kept.Set(&h)
	if h.Forget(); h.Len() != 0 || h.Times() != 0 || h.Add(Key{1}) != 1 {
		t.Errorf("after Forget and a position there are %d, the last one %d times", h.Len(), h.Times())
	}
	if n := kept.Add(Key{1}); n != 3 || kept.Len() != 5 {
		t.Errorf("a copy has %d positions, the last one %d times; want 5, 3 times", kept.Len(), n)
	}
}
