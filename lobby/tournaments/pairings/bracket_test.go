package pairings

import (
	"errors"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSeeds checks the first round: byes for the strongest, and the two strongest only meet in the final.
func TestSeeds(t *testing.T) {
	for _, c := range []struct {
		n    int
		want [][2]int
	}{
		{2, [][2]int{{1, 2}}},
		{3, [][2]int{{1, 0}, {2, 3}}},
		{5, [][2]int{{1, 0}, {4, 5}, {2, 0}, {3, 0}}},
		{8, [][2]int{{1, 8}, {4, 5}, {2, 7}, {3, 6}}},
	} {
		numbers := make([]int, c.n)
		for i := range numbers {
			numbers[i] = i + 1
		}
		b, err := NewBracket(numbers)
		if err != nil {
			t.Fatal(err)
		}
		var got [][2]int
		for _, tie := range b.Rounds()[0] {
			got = append(got, [2]int{tie.Upper, tie.Lower})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d entrants: %v, want %v", c.n, got, c.want)
		}
	}
	for name, numbers := range map[string][]int{"nobody": nil, "one": {1}, "a number twice": {1, 2, 1}, "number 0": {0, 1}, "too many": make([]int, MaxEntrants+1)} {
		if _, err := NewBracket(numbers); !errors.Is(err, ErrEntrants) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTie plays all matches of a tie: the sides swap, the stages follow each other, and a draw in the last is enough for Second.
func TestTie(t *testing.T) {
	b, err := NewBracket([]int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []Meeting{{0, 0, Pair{1, 2}, 0}, {0, 0, Pair{2, 1}, 0}, {0, 0, Pair{2, 1}, 1}, {0, 0, Pair{1, 2}, 1},
		{0, 0, Pair{1, 2}, 2}, {0, 0, Pair{2, 1}, 2}, {0, 0, Pair{2, 1}, Decider}}
	results := [][2]int{{Win, Loss}, {Win, Loss}, {Draw, Draw}, {Draw, Draw}, {Loss, Win}, {Loss, Win}, {Draw, Draw}}
	for i, m := range want {
		if ready := b.Ready(); len(ready) != 1 || ready[0] != m {
			t.Fatalf("match %d: %v, want %v", i+1, ready, m)
		}
		if err := b.Result(Pair{m.Second, m.First}, Win, Loss); !errors.Is(err, ErrEntrants) {
			t.Fatalf("the sides swapped: %v", err)
		}
		if err := b.Result(m.Pair, 2, 1); !errors.Is(err, ErrEntrants) {
			t.Fatalf("three points: %v", err)
		}
		if err := b.Result(m.Pair, results[i][0], results[i][1]); err != nil {
			t.Fatal(err)
		}
	}
	if winner, over := b.Over(); winner != 1 || !over || len(b.Ready()) != 0 {
		t.Errorf("winner %d, over %v, ready %v", winner, over, b.Ready())
	}
	if err := b.Result(Pair{2, 1}, Win, Loss); !errors.Is(err, ErrEntrants) {
		t.Errorf("a result after the end: %v", err)
	}
	if err := b.Withdraw(3); !errors.Is(err, ErrEntrants) {
		t.Errorf("a stranger withdraws: %v", err)
	}
	// Half a point ahead after two matches is enough.
	b, _ = NewBracket([]int{1, 2})
	if err := errors.Join(b.Result(Pair{1, 2}, Draw, Draw), b.Result(Pair{2, 1}, Win, Loss)); err != nil {
		t.Fatal(err)
	}
	if winner, over := b.Over(); winner != 2 || !over {
		t.Errorf("winner %d, over %v", winner, over)
	}
}

// TestKnockouts plays random knockouts, with withdrawals at any time, to the end.
func TestKnockouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 70).Draw(t, "entrants")
		leaving := rapid.IntRange(0, 20).Draw(t, "leaving")
		numbers := rapid.Permutation(indexes(1, n+1)).Draw(t, "numbers")
		b, err := NewBracket(numbers)
		if err != nil {
			t.Fatal(err)
		}
		out, lost := make(map[int]bool), make(map[int]bool)
		played := 0
		for step := 0; ; step++ {
			ready := b.Ready()
			if winner, over := b.Over(); over != (len(ready) == 0) {
				t.Fatalf("over %v with %v to be played", over, ready)
			} else if over {
				if winner == 0 && len(out) < 2 || winner != 0 && lost[winner] {
					t.Fatalf("the winner is %d; %v have lost, %v have withdrawn", winner, lost, out)
				}
				break
			}
			if step > 7*n {
				t.Fatal("no end")
			}
			seen := make(map[int]bool)
			for _, m := range ready {
				if seen[m.First] || seen[m.Second] || lost[m.First] || lost[m.Second] || out[m.First] || out[m.Second] {
					t.Fatalf("%v is to be played; %v have lost, %v have withdrawn", m, lost, out)
				}
				seen[m.First], seen[m.Second] = true, true
			}
			if rapid.IntRange(0, 99).Draw(t, "leaves") < leaving {
				number := numbers[rapid.IntRange(0, n-1).Draw(t, "who")]
				out[number] = true
				if err := b.Withdraw(number); err != nil {
					t.Fatal(err)
				}
			} else {
				m := ready[rapid.IntRange(0, len(ready)-1).Draw(t, "match")]
				points := rapid.SampledFrom([][2]int{{2, 0}, {0, 2}, {1, 1}, {0, 0}}).Draw(t, "points")
				if err := b.Result(m.Pair, points[0], points[1]); err != nil {
					t.Fatal(err)
				}
				played++
			}
			for _, ties := range b.Rounds() {
				for _, tie := range ties {
					if tie.Decided && tie.Winner != 0 {
						if loser := tie.Upper + tie.Lower - tie.Winner; loser != 0 {
							lost[loser] = true
						}
					}
				}
			}
		}
		rounds := b.Rounds()
		if len(rounds) != bits.Len(uint(n-1)) {
			t.Fatalf("%d rounds of %d entrants", len(rounds), n)
		}
		matches := 0
		for _, ties := range rounds {
			for _, tie := range ties {
				matches += len(tie.Matches)
				sides := 0
				for i, m := range tie.Matches {
					if m.First == tie.Upper {
						sides++
					} else {
						sides--
					}
					if m.Stage != i/2 || m.Stage < Decider && i%2 == 1 && sides != 0 {
						t.Fatalf("the matches of a tie: %+v", tie)
					}
				}
			}
		}
		if matches != played {
			t.Fatalf("%d matches in the bracket, %d were played", matches, played)
		}
		places := b.Standing()
		winner, _ := b.Over()
		if len(places) != n || winner != 0 && (places[0].Number != winner || places[1].Rank != 2) {
			t.Fatalf("the winner is %d, the standing %+v", winner, places)
		}
	})
}
