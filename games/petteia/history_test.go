package petteia

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestHistoryIsBounded checks that a copy remembers nothing from before a capture, and nothing at all without the rule.
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
			gamestest.PlayRandomly(s, r, 1)
			want := int(s.quiet) + 1
			if repetition == 0 {
				want = 0
			}
			if got := s.clone().seen.Len(); got != want {
				t.Fatalf("%d positions are remembered, want %d", got, want)
			}
		}
	}
}
