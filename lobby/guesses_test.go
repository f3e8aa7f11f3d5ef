package lobby

import (
	"testing"
	"time"
)

// TestLateRightGuess: however long a right guess takes to be looked up, it earns no other guesses.
func TestLateRightGuess(t *testing.T) {
	var g guesses
	g.init(Limits{WrongGuesses: 10, GuessEvery: time.Second})
	asker, now := []string{"192.0.2.1"}, time.Unix(1e9, 0)
	begin := func() (right func()) {
		t.Helper()
		right, err := g.begin(now, asker)
		if err != nil {
			t.Fatal(err)
		}
		return right
	}
	for range 8 {
		begin()
	}
	right := begin() // one is left
	now = now.Add(5 * time.Second)
	begin() // five are left
	right() // six are
	for range 6 {
		begin()
	}
	if _, err := g.begin(now, asker); err == nil {
		t.Error("a guess more than there were")
	}
}
