package board

import (
	"testing"

	"pgregory.net/rapid"
)

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
			if got != h.Times() || h.Len() != ply+1 {
				t.Fatalf("pool of %d: %d positions, the last %d times; want %d, %d", pool, h.Len(), h.Times(), ply+1, got)
			}
		}
		if len(h.chains) < sparse*len(h.positions) {
			t.Errorf("%d chains for %d positions", len(h.chains), len(h.positions))
		}
	}
}

// TestHistoryTakesBack adds positions and takes them back, and compares with a history to which only the rest was added. It
// compares copies of the newest positions with the whole.
func TestHistoryTakesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h History
		var list []Key
		if h.Times() != 0 || h.Len() != 0 {
			t.Fatalf("an empty history has %d positions, the last one %d times", h.Len(), h.Times())
		}
		for range rapid.IntRange(0, 300).Draw(t, "plies") {
			if len(list) > 0 && rapid.IntRange(0, 3).Draw(t, "back") == 0 {
				h.Remove()
				list = list[:len(list)-1]
				continue
			}
			k := Key{rapid.Uint64Range(0, 9).Draw(t, "key")}
			h.Add(k)
			list = append(list, k)
		}
		same(t, &h, list)
		n := rapid.IntRange(0, 320).Draw(t, "newest")
		newest, all := h.Newest(n), h.Newest(len(list))
		h.Add(Key{1}) // all is independent of it
		same(t, &all, list)
		// What is left out is as if it had never been; what is kept knows how often it has come up.
		first := max(len(list)-n, 0)
		for key := range uint64(10) {
			want := uint8(1)
			for i := len(list) - 2; i >= first; i -= 2 {
				if list[i] == (Key{key}) {
					want = all.Add(Key{key})
					all.Remove()
					break
				}
			}
			if got := newest.Add(Key{key}); got != want || newest.Len() != len(list)-first+1 {
				t.Fatalf("in the newest %d of %d positions, position %d comes up %d times of %d, want %d",
					n, len(list), key, got, newest.Len(), want)
			}
			newest.Remove()
		}
	})
}

// same checks that a history holds these positions, and counts those that come next as if nothing had been taken back.
func same(t *rapid.T, h *History, list []Key) {
	t.Helper()
	var fresh History
	for _, k := range list {
		fresh.Add(k)
	}
	if h.Len() != len(list) || h.Times() != fresh.Times() {
		t.Fatalf("%d positions, the last one %d times; want %d, %d times", h.Len(), h.Times(), len(list), fresh.Times())
	}
	for n := range uint64(10) {
		if got, want := h.Add(Key{n}), fresh.Add(Key{n}); got != want {
			t.Fatalf("position %d comes up %d times, want %d", n, got, want)
		}
	}
	for range 10 {
		h.Remove()
	}
}
