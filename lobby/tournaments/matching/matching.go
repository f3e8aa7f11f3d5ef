// Package matching finds the pairs of vertices in a graph whose weights have the greatest sum, by Edmonds' algorithm.
//
// A weight is a vector of whole numbers, compared by its first number, then by the second and so on. So a weight holds criteria that come
// one before the other, each of them as exact as a number is.
//
// The algorithm keeps a dual value for each vertex and for each blossom, an odd set of vertices. The sum of the two duals at an edge and of
// the blossoms around it is never below the edge's weight; the difference is the slack. All matched edges have no slack, and a matching is
// the best if all vertices without a partner have the dual 0. Solve grows a tree of edges without slack from each vertex for which that
// doesn't hold yet, and changes the duals until the tree reaches another such vertex or one of the tree has the dual 0.
//
// Edges may change after Solve. Then only the vertices that Loosen names are matched anew, which takes one search each instead of one for
// every vertex.
package matching

import (
	"cmp"
	"slices"
)

// none stands for no vertex and no blossom.
const none = -1

// A Graph holds vertices with the numbers from 0, the edges between them and a matching. Only one goroutine may use it.
type Graph struct {
	n, k    int
	weight  []int64    // of the edge i, j from (i*n+j)*k on; doubled, so that half a slack in the tree is a whole number
	edge    []bool     // whether i, j is an edge, at i*n+j
	dual    []int64    // of vertex v from v*k on
	mate    []int      // by vertex
	top     []int      // by vertex: the largest blossom around it, or itself
	self    []int      // by vertex: itself
	active  []int      // the vertices that have not been dropped, in order
	early   int        // the first vertices, which Expect names
	outside int        // the last vertices begin here, as Expect says
	loose   []int      // vertices whose duals are to be computed anew
	blossom []*blossom // by number less n: those that are used now or were; nil: never
	unused  []int      // the numbers of the others
	tree    *tree
}

// A blossom is an odd cycle of vertices and smaller blossoms in which all but one are matched with a neighbour.
type blossom struct {
	vertices []int
	children []int    // the first holds the base
	edges    [][2]int // from child i to the next one
	base     int      // the vertex that is matched outside, or not at all
	dual     []int64
	used     bool // else it waits to be used again
}

// inUse reports whether there is a blossom.
func (b *blossom) inUse() bool { return b != nil && b.used }

// New returns a graph with n vertices and no edges. Weights have k numbers.
func New(n, k int) *Graph {
	g := &Graph{n: n, k: k, weight: make([]int64, n*n*k), edge: make([]bool, n*n), dual: make([]int64, n*k),
		outside: n, mate: make([]int, n), top: make([]int, n), self: make([]int, n), active: make([]int, n), blossom: make([]*blossom, n)}
	g.tree = newTree(g)
	for v := range n {
		g.mate[v], g.top[v], g.self[v], g.active[v] = none, v, v, v
		g.loose = append(g.loose, v)
		g.unused = append(g.unused, 2*n-1-v)
	}
	return g
}

// Join makes an edge of i and j, or changes its weight. One of the two must be loose: all are before the first Solve. Numbers of a weight
// may be negative, but no matching gains by an edge whose whole weight is below 0. The sum of a number over all edges of a matching must
// stay below 1<<50.
func (g *Graph) Join(i, j int, weight []int64) {
	a, b := g.weight[(i*g.n+j)*g.k:][:g.k], g.weight[(j*g.n+i)*g.k:][:g.k]
	for c, w := range weight {
		a[c], b[c] = 2*w, 2*w
	}
	g.edge[i*g.n+j], g.edge[j*g.n+i] = true, true
}

// Expect says that vertices before early are likely to be matched with later ones, and that vertices from outside on are likely to be matched with
// each other, by edges of less weight. It changes nothing but the time that the first Solve takes.
func (g *Graph) Expect(early, outside int) { g.early, g.outside = early, outside }

// Add adds value to the number c of the weight of i and j, one of which must be loose.
func (g *Graph) Add(i, j, c int, value int64) {
	g.weight[(i*g.n+j)*g.k+c] += 2 * value
	g.weight[(j*g.n+i)*g.k+c] += 2 * value
}

// Joined reports whether there is an edge between i and j.
func (g *Graph) Joined(i, j int) bool { return g.edge[i*g.n+j] }

// Mate returns the vertex that v is matched with; -1: none.
func (g *Graph) Mate(v int) int { return g.mate[v] }

// Tight reports whether some best matching may contain the edge i, j. If it is false, none does. It may be asked after Solve.
func (g *Graph) Tight(i, j int) bool {
	if g.top[i] == g.top[j] {
		return true // the slack within a blossom is not computed
	}
	for c := range g.k {
		if g.dual[i*g.k+c]+g.dual[j*g.k+c] != g.weight[(i*g.n+j)*g.k+c] {
			return false
		}
	}
	return true
}

// Loosen ends the match of v, so that its edges may change. The next Solve matches it anew.
func (g *Graph) Loosen(v int) {
	for g.top[v] != v {
		g.dissolve(g.top[v])
	}
	if m := g.mate[v]; m != none {
		g.mate[v], g.mate[m] = none, none
	}
	g.loose = append(g.loose, v)
}

// Swap matches v with x, and their present partners with each other, if that is a best matching as well and easily seen to be one. It reports
// whether it did. It may be called after Solve.
func (g *Graph) Swap(v, x int) bool {
	m, y := g.mate[v], g.mate[x]
	if m == none || y == none || m == x || !g.edge[v*g.n+x] || !g.edge[m*g.n+y] {
		return false
	}
	for _, i := range []int{v, x, m, y} {
		if g.top[i] != i {
			return false
		}
	}
	if !g.Tight(v, x) || !g.Tight(m, y) {
		return false
	}
	g.mate[v], g.mate[x], g.mate[m], g.mate[y] = x, v, y, m
	return true
}

// Cut takes the edge between i and j out of the graph.
func (g *Graph) Cut(i, j int) {
	for g.top[i] == g.top[j] {
		g.dissolve(g.top[i])
	}
	if g.mate[i] == j {
		g.mate[i], g.mate[j] = none, none
	}
	g.edge[i*g.n+j], g.edge[j*g.n+i] = false, false
}

// Drop takes v and its edges out of the graph.
func (g *Graph) Drop(v int) {
	g.Loosen(v)
	g.loose = g.loose[:len(g.loose)-1]
	g.active = slices.DeleteFunc(g.active, func(x int) bool { return x == v })
	for x := range g.n {
		g.edge[v*g.n+x], g.edge[x*g.n+v] = false, false
	}
}

// Solve finds a matching of the greatest weight.
func (g *Graph) Solve() {
	first := len(g.loose) == g.n && len(g.active) == g.n
	g.price(first)
	for _, v := range g.active {
		if g.mate[v] != none {
			continue
		}
		for _, x := range g.active {
			if g.mate[x] == none && g.top[x] == x && g.top[v] == v && g.edge[v*g.n+x] && g.Tight(v, x) {
				g.mate[v], g.mate[x] = x, v
				break
			}
		}
	}
	if first {
		g.bid()
	}
	for _, v := range g.active {
		// Each search matches v or gives it to one whose dual is 0, and none of the others loses its partner but that one.
		if g.base(g.top[v]) == v && g.mate[v] == none && g.positive(v) {
			g.tree.grow(v)
		}
	}
}

// price gives each loose vertex a dual that its edges allow. Before the first Solve, when all are loose, the last ones come first, then those
// between, and each gets half its greatest weight among its kind, which is fair to both ends of an edge. The early ones get the least that is left to
// them.
func (g *Graph) price(first bool) {
	if !first {
		for _, v := range g.loose {
			g.least(v, g.active)
		}
	} else {
		g.half(max(g.early, g.outside), g.n)
		g.half(g.early, max(g.early, g.outside))
		for v := g.early - 1; v >= 0; v-- {
			g.least(v, g.active[v+1:])
		}
	}
	g.loose = g.loose[:0]
}

// half gives the vertices from one number to another half the greatest weight of their edges to each other, or more where later ones leave them more.
func (g *Graph) half(from, to int) {
	for v := from; v < to; v++ {
		g.least(v, g.active[to:])
		d := g.dual[v*g.k:][:g.k]
		for x := from; x < to; x++ {
			if w := g.weight[(v*g.n+x)*g.k:][:g.k]; g.edge[v*g.n+x] && lessSum(d, d, w) {
				halve(d, w)
			}
		}
	}
}

// least gives v the least dual that the edges to others allow.
func (g *Graph) least(v int, others []int) {
	d := g.dual[v*g.k:][:g.k]
	clear(d)
	for _, x := range others {
		o, w := g.dual[x*g.k:][:g.k], g.weight[(v*g.n+x)*g.k:][:g.k]
		if g.edge[v*g.n+x] && lessSum(d, o, w) {
			for c := range d {
				d[c] = w[c] - o[c]
			}
		}
	}
}

// bid matches most of the vertices that have no partner yet, each in one step, where a search takes about as many steps as there are vertices. It
// comes before the first search: there are no blossoms. Each vertex bids once at most, since two may want the same partner and outbid each other by
// little.
func (g *Graph) bid() {
	a := auction{g, make([]int64, g.k), make([]int64, g.k)}
	done := make([]bool, g.n)
	for _, v := range g.active {
		for v != none && g.mate[v] == none && g.positive(v) && !done[v] {
			done[v] = true
			v = a.bid(v)
		}
	}
}

// An auction has what one bid of a vertex needs, made once for all of them.
type auction struct {
	graph         *Graph
	least, second []int64 // duals
}

// bid lowers the dual of v until two of its edges have no slack, or it is 0. It matches v with the end of the edge that got there first, whose dual
// it raises by what v has gone beyond that. The former partner of that vertex, which is returned, is to bid next. If both edges get there at the same
// moment and their ends have partners, nothing would be won, and v stays without a partner.
func (a *auction) bid(v int) (next int) {
	g, least, second := a.graph, a.least, a.second
	d := g.dual[v*g.k:][:g.k]
	copy(least, d)
	copy(second, d)
	to := none
	for _, x := range g.active {
		if !g.edge[v*g.n+x] {
			continue
		}
		switch o := g.compareSlack(v, x, least); {
		case o < 0:
			copy(second, least)
			g.lower(least, v, x, 1)
			to = x
		case o == 0 && to != none:
			copy(second, least)
			if g.mate[to] != none && g.mate[x] == none {
				to = x
			}
		default:
			g.lower(second, v, x, 1)
		}
	}
	tied := slices.Equal(least, second)
	for c := range d {
		d[c] -= second[c]
	}
	if to == none || tied && g.mate[to] != none {
		return none
	}
	for c := range d {
		g.dual[to*g.k+c] += second[c] - least[c]
	}
	next = g.mate[to]
	if next != none {
		g.mate[next] = none
	}
	g.mate[v], g.mate[to] = to, v
	return next
}

// compareSlack compares the slack of i and j with d.
func (g *Graph) compareSlack(i, j int, d []int64) int {
	a, b, w := g.dual[i*g.k:][:g.k], g.dual[j*g.k:][:g.k], g.weight[(i*g.n+j)*g.k:][:g.k]
	for c := range d {
		if s := a[c] + b[c] - w[c]; s != d[c] {
			return cmp.Compare(s, d[c])
		}
	}
	return 0
}

// halve sets d to half of w.
func halve(d, w []int64) {
	for c := range d {
		d[c] = w[c] / 2
	}
}

// lessSum reports whether a and b together are less than w.
func lessSum(a, b, w []int64) bool {
	for c := range w {
		if s := a[c] + b[c]; s != w[c] {
			return s < w[c]
		}
	}
	return false
}

// positive reports whether the dual of v is above 0.
func (g *Graph) positive(v int) bool {
	for _, d := range g.dual[v*g.k:][:g.k] {
		if d != 0 {
			return d > 0
		}
	}
	return false
}

// nearer reports whether the slack of s and x is less than the slack of r and y.
func (g *Graph) nearer(s, x, r, y int) bool {
	k, v, w := g.k, (s*g.n+x)*g.k, (r*g.n+y)*g.k
	s, x, r, y = s*k, x*k, r*k, y*k
	for c := range k {
		if p, q := g.dual[s+c]+g.dual[x+c]-g.weight[v+c], g.dual[r+c]+g.dual[y+c]-g.weight[w+c]; p != q {
			return p < q
		}
	}
	return false
}

// base returns the vertex of b, a vertex or a blossom, that is matched outside of it.
func (g *Graph) base(b int) int {
	if b < g.n {
		return b
	}
	return g.blossom[b-g.n].base
}

// within returns all vertices of b.
func (g *Graph) within(b int) []int {
	if b < g.n {
		return g.self[b : b+1]
	}
	return g.blossom[b-g.n].vertices
}

// lower reports whether the slack of s and x, divided by share, is less than delta, which it sets to it then.
func (g *Graph) lower(delta []int64, s, x int, share int64) bool {
	a, b, w := g.dual[s*g.k:][:g.k], g.dual[x*g.k:][:g.k], g.weight[(s*g.n+x)*g.k:][:g.k]
	for c := range delta {
		slack := (a[c] + b[c] - w[c]) / share
		if slack > delta[c] {
			return false
		}
		if slack < delta[c] {
			for ; c < len(delta); c++ {
				delta[c] = (a[c] + b[c] - w[c]) / share
			}
			return true
		}
	}
	return false
}

// zero reports whether all numbers of v are 0.
func zero(v []int64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// rotate makes v the base of b: the cycle is matched the other way on the even side between the two.
func (g *Graph) rotate(b, v int) {
	if b < g.n || g.blossom[b-g.n].base == v {
		return
	}
	f := g.blossom[b-g.n]
	i := g.childOf(f, v)
	g.rotate(f.children[i], v)
	n := len(f.children)
	match := func(edge [2]int, p, q int) {
		g.rotate(f.children[p], edge[0])
		g.rotate(f.children[q%n], edge[1])
		g.mate[edge[0]], g.mate[edge[1]] = edge[1], edge[0]
	}
	if i%2 == 1 {
		for j := i + 1; j < n; j += 2 {
			match(f.edges[j], j, j+1)
		}
	} else {
		for j := i - 2; j >= 0; j -= 2 {
			match(f.edges[j], j, j+1)
		}
	}
	f.children = slices.Concat(f.children[i:], f.children[:i])
	f.edges = slices.Concat(f.edges[i:], f.edges[:i])
	f.base = v
}

// childOf returns the index of the child of f that holds v.
func (g *Graph) childOf(f *blossom, v int) int {
	return slices.IndexFunc(f.children, func(child int) bool { return slices.Contains(g.within(child), v) })
}

// split takes apart the blossom id, one of the largest, and returns it. Its children are the largest ones then.
func (g *Graph) split(id int) *blossom {
	f := g.blossom[id-g.n]
	for _, child := range f.children {
		for _, v := range g.within(child) {
			g.top[v] = child
		}
	}
	f.used = false
	g.unused = append(g.unused, id)
	return f
}

// dissolve takes apart the blossom id, one of the largest, between two searches. Its dual goes to its vertices, so that the edges within
// keep their slack. The edges that leave it get some, and so its base may lose its partner.
func (g *Graph) dissolve(id int) {
	f := g.split(id)
	if zero(f.dual) {
		return
	}
	for _, v := range f.vertices {
		for c, d := range f.dual {
			g.dual[v*g.k+c] += d / 2
		}
	}
	if m := g.mate[f.base]; m != none {
		g.mate[f.base], g.mate[m] = none, none
	}
}
