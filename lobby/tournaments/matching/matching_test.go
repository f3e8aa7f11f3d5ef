package matching

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// best returns the greatest weight of a matching of the vertices that are left, by trying all.
func best(w [][][]int64, left []int, k int) []int64 {
	if len(left) < 2 {
		return make([]int64, k)
	}
	v, rest := left[0], left[1:]
	most := best(w, rest, k)
	for i, x := range rest {
		if w[v][x] == nil {
			continue
		}
		sum := best(w, slices.Concat(rest[:i], rest[i+1:]), k)
		for c := range sum {
			sum[c] += w[v][x][c]
		}
		if slices.Compare(sum, most) > 0 {
			most = sum
		}
	}
	return most
}

// total returns the weight of g's matching, and fails if it is none.
func total(t *testing.T, g *Graph, w [][][]int64, left []int) []int64 {
	t.Helper()
	sum := make([]int64, g.k)
	for _, v := range left {
		m := g.Mate(v)
		if m == none {
			continue
		}
		if g.Mate(m) != v || m == v || w[v][m] == nil || !slices.Contains(left, m) {
			t.Fatalf("%d is matched with %d, which is matched with %d", v, m, g.Mate(m))
		}
		if m > v {
			for c := range sum {
				sum[c] += w[v][m][c]
			}
		}
	}
	return sum
}

// TestSolveIsBest compares random graphs with the best of all their matchings, then changes and drops vertices and compares again.
func TestSolveIsBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for try := range 3000 {
		n, k := 1+rng.IntN(10), 1+rng.IntN(3)
		density, most := 1+rng.IntN(4), 1+rng.Int64N([]int64{2, 4, 30}[rng.IntN(3)])
		random := func() []int64 {
			if rng.IntN(4) >= density {
				return nil
			}
			v := make([]int64, k)
			for c := range v {
				v[c] = rng.Int64N(most + 1)
				if c > 0 {
					v[c] -= most / 2
				}
			}
			return v
		}
		g := New(n, k)
		w := make([][][]int64, n)
		for v := range w {
			w[v] = make([][]int64, n)
		}
		left := make([]int, n)
		for v := range n {
			left[v] = v
			for x := range v {
				if weight := random(); weight != nil {
					w[v][x], w[x][v] = weight, weight
					g.Join(v, x, weight)
				}
			}
		}
		g.Expect(rng.IntN(n+1), rng.IntN(n+1))
		for step := range 6 {
			g.Solve()
			want := best(w, left, k)
			if got := total(t, g, w, left); !slices.Equal(got, want) {
				t.Fatalf("try %d, step %d: weight %v, want %v", try, step, got, want)
			}
			for _, v := range left {
				for _, x := range left {
					if v != x && w[v][x] != nil && !g.Tight(v, x) {
						rest := slices.DeleteFunc(slices.Clone(left), func(y int) bool { return y == v || y == x })
						with := best(w, rest, k)
						for c := range with {
							with[c] += w[v][x][c]
						}
						if slices.Equal(with, want) {
							t.Fatalf("try %d, step %d: edge %d, %d is in a best matching and has slack", try, step, v, x)
						}
					}
				}
			}
			if len(left) < 2 {
				break
			}
			if g.Swap(left[rng.IntN(len(left))], left[rng.IntN(len(left))]) {
				if got := total(t, g, w, left); !slices.Equal(got, want) {
					t.Fatalf("try %d, step %d: weight %v after a swap, want %v", try, step, got, want)
				}
			}
			v := left[rng.IntN(len(left))]
			if rng.IntN(3) == 0 {
				g.Drop(v)
				left = slices.DeleteFunc(left, func(x int) bool { return x == v })
				continue
			}
			if x := left[rng.IntN(len(left))]; x != v && w[v][x] != nil && rng.IntN(3) == 0 {
				g.Cut(v, x)
				w[v][x], w[x][v] = nil, nil
				continue
			}
			g.Loosen(v)
			for _, x := range left {
				if x == v {
					continue
				}
				if w[v][x] == nil || rng.IntN(2) == 0 {
					if weight := random(); weight != nil {
						w[v][x], w[x][v] = weight, weight
						g.Join(v, x, weight)
					}
				} else {
					c, add := rng.IntN(k), rng.Int64N(3)
					changed := slices.Clone(w[v][x])
					changed[c] += add
					w[v][x], w[x][v] = changed, changed
					g.Add(v, x, c, add)
				}
			}
		}
	}
}

// TestSolveLarge checks graphs too large for all their matchings: the duals prove that a matching is the best.
func TestSolveLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for try := range 60 {
		n, k := 30+rng.IntN(50), 2
		g := New(n, k)
		for v := range n {
			for x := range v {
				if rng.IntN(1+try%6) == 0 {
					g.Join(v, x, []int64{rng.Int64N(3), rng.Int64N(40)})
				}
			}
		}
		g.Solve()
		for v := range n {
			if m := g.Mate(v); m == none && g.positive(v) {
				t.Fatalf("try %d: %d has no partner", try, v)
			}
			for x := range v {
				if !g.edge[v*n+x] || g.top[v] == g.top[x] {
					continue
				}
				slack := []int64{g.dual[v*k] + g.dual[x*k] - g.weight[(v*n+x)*k], g.dual[v*k+1] + g.dual[x*k+1] - g.weight[(v*n+x)*k+1]}
				if slices.Compare(slack, []int64{0, 0}) < 0 || g.Mate(v) == x && !zero(slack) {
					t.Fatalf("try %d: the slack of %d and %d is %v", try, v, x, slack)
				}
			}
		}
	}
}
