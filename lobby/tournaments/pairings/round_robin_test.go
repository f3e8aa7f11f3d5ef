package pairings

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestBergerTables compares with the tables of FIDE's Handbook, C.05, annex 1, for 3 to 8 entrants.
func TestBergerTables(t *testing.T) {
	tables := map[int]string{
		4: `1-4 2-3
		    4-3 1-2
		    2-4 3-1`,
		6: `1-6 2-5 3-4
		    6-4 5-3 1-2
		    2-6 3-1 4-5
		    6-5 1-4 2-3
		    3-6 4-2 5-1`,
		8: `1-8 2-7 3-6 4-5
		    8-5 6-4 7-3 1-2
		    2-8 3-1 4-7 5-6
		    8-6 7-5 1-4 2-3
		    3-8 4-2 5-1 6-7
		    8-7 1-6 2-5 3-4
		    4-8 5-3 6-2 7-1`,
	}
	for even, table := range tables {
		for _, n := range []int{even - 1, even} {
			lines := strings.Split(table, "\n")
			if rounds := RoundRobinRounds(n, false); rounds != len(lines) {
				t.Errorf("%d entrants: %d rounds, want %d", n, rounds, len(lines))
			}
			for round, line := range lines {
				var want []Pair
				var bye Pair
				for _, text := range strings.Fields(line) {
					var p Pair
					fmt.Sscanf(text, "%d-%d", &p.First, &p.Second)
					if max(p.First, p.Second) > n {
						bye = Pair{min(p.First, p.Second), 0}
						continue
					}
					want = append(want, p)
				}
				if n < even {
					want = append(want, bye)
				}
				if got := RoundRobin(n, round, false); !slices.Equal(got, want) {
					t.Errorf("%d entrants, round %d: %v, want %v", n, round+1, got, want)
				}
			}
		}
	}
}

// TestRoundRobinMeetsAll checks for each size that all meet as often as they should, with each side as often in a double one, and nobody
// has a side three times running.
func TestRoundRobinMeetsAll(t *testing.T) {
	for n := 2; n <= 41; n++ {
		for _, twice := range []bool{false, true} {
			met := make(map[Pair]int)
			sides := make([]string, n+1)
			for round := range RoundRobinRounds(n, twice) {
				seen := make(map[int]bool)
				for _, p := range RoundRobin(n, round, twice) {
					if p.First < 1 || seen[p.First] || seen[p.Second] || max(p.First, p.Second) > n {
						t.Fatalf("%d entrants, twice %v, round %d: %v", n, twice, round, p)
					}
					seen[p.First] = true
					if p.Second == 0 {
						continue
					}
					seen[p.Second] = true
					met[p]++
					sides[p.First] += "1"
					sides[p.Second] += "2"
				}
				if len(seen) != n {
					t.Errorf("%d entrants, round %d: %d take part", n, round, len(seen))
				}
			}
			for a := 1; a <= n; a++ {
				for b := 1; b < a; b++ {
					if x, y := met[Pair{a, b}], met[Pair{b, a}]; twice && (x != 1 || y != 1) || !twice && x+y != 1 {
						t.Errorf("%d entrants, twice %v: %d and %d meet %d and %d times", n, twice, a, b, x, y)
					}
				}
				if s := sides[a]; n > 2 && (strings.Contains(s, "111") || strings.Contains(s, "222")) {
					t.Errorf("%d entrants, twice %v: number %d has the sides %s", n, twice, a, s)
				}
			}
		}
	}
	for _, round := range []int{-1, 3, 1 << 40} {
		if got := RoundRobin(4, round, false); got != nil {
			t.Errorf("round %d of 4 entrants: %v", round, got)
		}
	}
	for _, n := range []int{-1, 0, 1, MaxEntrants + 1, 1 << 50} {
		if got := RoundRobinRounds(n, true); got != 0 {
			t.Errorf("%d entrants play %d rounds", n, got)
		}
	}
}
