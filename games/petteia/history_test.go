package petteia

import (
	"testing"

	"ludoteca/games"
)

// TestHistory adds positions out of a pool, so that most come up several times, and counts them apart in a map.
func TestHistory(t *testing.T) {
	type key struct {
		men  [2]set
		turn games.Side
	}
	r := games.NewRandom(1)
	for _, pool := range []int{3, 100, 2000} {
		var h history
		counts := map[key]int{}
		for range 5000 {
			// Few bits differ, on either word and for either side, as between the positions of a game.
			n := r.N(pool)
			k := key{[2]set{{uint64(n % 7), uint32(n % 3)}, {uint64(n) << 40, uint32(n)}}, games.Side(r.N(2))}
			counts[k] = min(counts[k]+1, 200)
			if got := int(h.add(&k.men, k.turn)); counts[k] < 200 && got != counts[k] {
				t.Fatalf("pool of %d: position %d has come up %d times, want %d", pool, len(h.positions), got, counts[k])
			}
		}
		if len(h.chains) < sparse*len(h.positions) {
			t.Errorf("%d chains for %d positions", len(h.chains), len(h.positions))
		}
	}
}

// TestHistoryIsBounded checks that nothing is remembered from before a capture, and nothing at all without the rule.
func TestHistoryIsBounded(t *testing.T) {
	for _, repetition := range []int{0, 3} {
		o, err := games.Complete(New(), games.Options{keyRepetition: repetition, keyQuietLimit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New().New(o)
		if err != nil {
			t.Fatal(err)
		}
		s, r := p.State().(*State), games.NewRandom(1)
		for !s.Result().Over {
			s.Playout(r, 1)
			want := s.quiet + 1
			if repetition == 0 {
				want = 0
			}
			if got := len(s.seen.positions); got != want {
				t.Fatalf("%d positions are remembered, want %d", got, want)
			}
		}
	}
}
