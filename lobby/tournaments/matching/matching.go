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

// The labels of vertices and blossoms that are in the tree, by the parity of their distance from the root.
const (
	free  uint8 = iota
	outer       // even: the root and the ends of matched edges
	inner       // odd
)

// A Graph holds vertices with the numbers from 0, the edges between them and a matching. Only one goroutine may use it.
type Graph struct {
	n, k    int
	weight  []int64 // of the edge i, j from (i*n+j)*k on; doubled, so that half a slack in the tree is a whole number
	edge    []bool  // whether i, j is an edge, at i*n+j
	dual    []int64 // of vertex v from v*k on
	mate    []int   // by vertex
	top     []int   // by vertex: the largest blossom around it, or itself
	active  []int   // the vertices that have not been dropped, in order
	early   int     // the first vertices, which Expect names
	outside int     // the last vertices begin here, as Expect says
	loose   []int   // vertices whose duals are to be computed anew
	blossom []*blossom
	unused  []int // indexes of blossom that are free

	// The search that is running.
	label   []uint8  // by vertex and blossom, of the largest ones
	entry   [][2]int // by inner vertex or blossom: the edge, from outside, that leads to it
	best    []int    // by vertex that isn't outer: the outer vertex with the least slack to it
	isOuter []bool   // by vertex
	outers  []int    // all vertices that are outer
	link    [][2]int // by outer vertex or blossom: the edge with the least slack to another one, from it
	near    [][]int  // by outer blossom: for each vertex outside, the vertex of the blossom with the least slack to it
	delta   []int64  // the change of duals
}

// A blossom is an odd cycle of vertices and smaller blossoms in which all but one are matched with a neighbour.
type blossom struct {
	children []int    // the first holds the base
	edges    [][2]int // from child i to the next one
	base     int      // the vertex that is matched outside, or not at all
	dual     []int64
}

// New returns a graph with n vertices and no edges. Weights have k numbers.
func New(n, k int) *Graph {
	g := &Graph{n: n, k: k, weight: make([]int64, n*n*k), edge: make([]bool, n*n), dual: make([]int64, n*k),
		outside: n, mate: make([]int, n), top: make([]int, n), active: make([]int, n), blossom: make([]*blossom, n),
		label: make([]uint8, 2*n), entry: make([][2]int, 2*n), best: make([]int, n), isOuter: make([]bool, n),
		link: make([][2]int, 2*n), near: make([][]int, n), delta: make([]int64, k)}
	for v := range n {
		g.mate[v], g.top[v], g.active[v] = none, v, v
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
			g.search(v)
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
	least, second := make([]int64, g.k), make([]int64, g.k)
	done := make([]bool, g.n)
	for _, v := range g.active {
		for v != none && g.mate[v] == none && g.positive(v) && !done[v] {
			done[v] = true
			v = g.bidOf(v, least, second)
		}
	}
}

// bidOf lowers the dual of v until two of its edges have no slack, or it is 0. It matches v with the end of the edge that got there first, whose dual
// it raises by what v has gone beyond that. The former partner of that vertex, which is returned, is to bid next. If both edges get there at the same
// moment and their ends have partners, nothing would be won, and v stays without a partner. least and second are room for a dual each.
func (g *Graph) bidOf(v int, least, second []int64) (next int) {
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

// leaves calls f with all vertices of b.
func (g *Graph) leaves(b int, f func(v int)) {
	if b < g.n {
		f(b)
		return
	}
	for _, child := range g.blossom[b-g.n].children {
		g.leaves(child, f)
	}
}

// search grows a tree from root, which is not matched, until the matching is as good as it can be with root.
func (g *Graph) search(root int) {
	for _, v := range g.active {
		g.label[g.top[v]] = free
		g.best[v] = none
		g.isOuter[v] = false
	}
	g.outers = g.outers[:0]
	g.reach(g.top[root])
	for done := false; !done; {
		kind, at := g.next(g.delta)
		g.shift(g.delta)
		switch kind {
		case leave:
			g.release(at)
			done = true
		case expand:
			g.expand(at)
		case join:
			g.shrink(g.link[at][0], g.link[at][1])
		default:
			done = g.follow(g.best[at], at)
		}
	}
	for _, v := range g.active {
		for b := g.top[v]; b >= g.n && zero(g.blossom[b-g.n].dual); b = g.top[v] {
			g.dissolve(b)
		}
	}
}

// reach makes b outer and notes the edges of its vertices.
func (g *Graph) reach(b int) {
	g.label[b] = outer
	g.link[b] = [2]int{none, none}
	if b >= g.n {
		g.near[b-g.n] = g.nobody()
		g.leaves(b, func(v int) { g.gather(b, v) })
	}
	g.leaves(b, g.scan)
}

// nobody returns a value of near without edges.
func (g *Graph) nobody() []int {
	near := make([]int, g.n)
	for v := range near {
		near[v] = none
	}
	return near
}

// gather notes in the blossom b the edges of v, one of its vertices.
func (g *Graph) gather(b, v int) {
	near := g.near[b-g.n]
	for _, x := range g.active {
		if g.edge[v*g.n+x] && g.top[x] != b && (near[x] == none || g.nearer(v, x, near[x], x)) {
			near[x] = v
		}
	}
}

// scan makes the vertex s outer and notes its edges.
func (g *Graph) scan(s int) {
	g.isOuter[s] = true
	b := g.top[s]
	for _, x := range g.outers {
		if o := g.top[x]; o != b && g.edge[s*g.n+x] {
			g.connect(b, s, x)
			g.connect(o, x, s)
		}
	}
	g.outers = append(g.outers, s)
	for _, x := range g.active {
		if !g.isOuter[x] && g.edge[s*g.n+x] && g.top[x] != b && (g.best[x] == none || g.nearer(s, x, g.best[x], x)) {
			g.best[x] = s
		}
	}
}

// connect notes the edge from s in the outer b to the outer vertex x.
func (g *Graph) connect(b, s, x int) {
	if l := g.link[b]; l[0] == none || g.nearer(s, x, l[0], l[1]) {
		g.link[b] = [2]int{s, x}
	}
}

// What ends a change of duals.
const (
	follow = iota // an edge from an outer vertex has no slack left
	join          // an edge between outer blossoms has none
	leave         // an outer vertex has the dual 0
	expand        // an inner blossom has the dual 0
)

// next finds by how much the duals can change, which it puts into delta, and what stops them there: the vertex at the end of an edge, the
// outer blossom that it joins, the vertex whose dual is 0, or the inner blossom.
func (g *Graph) next(delta []int64) (kind, at int) {
	kind, at = leave, none
	for _, v := range g.outers {
		if d := g.dual[v*g.k:][:g.k]; at == none || slices.Compare(d, delta) < 0 {
			copy(delta, d)
			at = v
		}
	}
	for _, x := range g.active {
		b := g.top[x]
		switch g.label[b] {
		case free:
			if s := g.best[x]; s != none && g.lower(delta, s, x, 1) {
				kind, at = follow, x
			}
		case outer:
			if g.base(b) == x && g.link[b][0] != none && g.lower(delta, g.link[b][0], g.link[b][1], 2) {
				kind, at = join, b
			}
		}
	}
	for i, b := range g.blossom {
		if b == nil || g.top[b.base] != g.n+i || g.label[g.n+i] != inner {
			continue
		}
		for c, d := range b.dual {
			if d/2 != delta[c] {
				if d/2 < delta[c] {
					halve(delta, b.dual)
					kind, at = expand, g.n+i
				}
				break
			}
		}
	}
	return kind, at
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

// shift changes the duals of the tree by delta.
func (g *Graph) shift(delta []int64) {
	if zero(delta) {
		return
	}
	for _, v := range g.active {
		d := g.dual[v*g.k:][:g.k]
		switch g.label[g.top[v]] {
		case outer:
			for c := range d {
				d[c] -= delta[c]
			}
		case inner:
			for c := range d {
				d[c] += delta[c]
			}
		}
	}
	for i, b := range g.blossom {
		if b == nil || g.top[b.base] != g.n+i {
			continue
		}
		switch g.label[g.n+i] {
		case outer:
			for c := range delta {
				b.dual[c] += 2 * delta[c]
			}
		case inner:
			for c := range delta {
				b.dual[c] -= 2 * delta[c]
			}
		}
	}
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

// follow takes the edge from the outer vertex s to x, which has no slack, into the tree. It reports whether that ends the search.
func (g *Graph) follow(s, x int) bool {
	b := g.top[x]
	m := g.mate[g.base(b)]
	if m == none {
		g.rotate(b, x)
		g.release(s)
		g.mate[s], g.mate[x] = x, s
		return true
	}
	g.label[b] = inner
	g.entry[b] = [2]int{s, x}
	g.reach(g.top[m])
	return false
}

// release frees the outer vertex v: the matched and the other edges change places on the way from the root.
func (g *Graph) release(v int) {
	for {
		b := g.top[v]
		m := g.mate[g.base(b)] // in the inner blossom before b
		g.rotate(b, v)
		g.mate[v] = none
		if m == none {
			return
		}
		t := g.top[m]
		s, x := g.entry[t][0], g.entry[t][1]
		g.rotate(t, x)
		// s is freed next, and then matched with x. Its own blossom is rotated before that changes its mate.
		defer func() { g.mate[s], g.mate[x] = x, s }()
		v = s
	}
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
	return slices.IndexFunc(f.children, func(child int) bool {
		found := false
		g.leaves(child, func(x int) { found = found || x == v })
		return found
	})
}

// above returns the outer blossom before b in the tree, and the edges to the inner one between them and from it: each from the root's side.
func (g *Graph) above(b int) (outer int, entry, matched [2]int) {
	base := g.base(b)
	m := g.mate[base]
	if m == none {
		return none, entry, matched
	}
	entry = g.entry[g.top[m]]
	return g.top[entry[0]], entry, [2]int{m, base}
}

// shrink makes a blossom of the cycle that the edge of the outer vertices s and x closes.
func (g *Graph) shrink(s, x int) {
	var up []int // outer blossoms from s to the root
	for b := g.top[s]; b != none; b, _, _ = g.above(b) {
		up = append(up, b)
	}
	f := &blossom{dual: make([]int64, g.k)}
	// From x up to the first blossom that both ways share.
	var children []int
	var edges [][2]int
	b := g.top[x]
	for !slices.Contains(up, b) {
		over, entry, matched := g.above(b)
		children = append(children, b, g.top[matched[0]])
		edges = append(edges, [2]int{matched[1], matched[0]}, [2]int{entry[1], entry[0]})
		b = over
	}
	// From there down to s, over to x, and back.
	f.children = []int{b}
	for _, o := range slices.Backward(up[:slices.Index(up, b)]) {
		_, entry, matched := g.above(o)
		f.children = append(f.children, g.top[matched[0]], o)
		f.edges = append(f.edges, entry, matched)
	}
	f.edges = append(f.edges, [2]int{s, x})
	f.children = append(f.children, children...)
	f.edges = append(f.edges, edges...)
	f.base = g.base(b)

	id := g.unused[len(g.unused)-1]
	g.unused = g.unused[:len(g.unused)-1]
	g.blossom[id-g.n] = f
	g.leaves(id, func(v int) { g.top[v] = id })
	g.absorb(id)
}

// absorb makes the new blossom id outer. It has the edges that its outer children have noted, and the vertices that were inner have theirs
// scanned.
func (g *Graph) absorb(id int) {
	f := g.blossom[id-g.n]
	near := g.nobody()
	g.near[id-g.n] = near
	for _, child := range f.children {
		if child < g.n || g.label[child] != outer {
			g.leaves(child, func(v int) { g.gather(id, v) })
			continue
		}
		for _, x := range g.active {
			if v := g.near[child-g.n][x]; v != none && g.top[x] != id && (near[x] == none || g.nearer(v, x, near[x], x)) {
				near[x] = v
			}
		}
	}
	g.label[id] = outer
	g.link[id] = [2]int{none, none}
	for _, x := range g.outers {
		if near[x] != none && g.top[x] != id {
			g.connect(id, near[x], x)
		}
	}
	for _, child := range f.children {
		if g.label[child] != outer {
			g.leaves(child, g.scan)
		}
	}
}

// split takes apart the blossom id, one of the largest, and returns it. Its children are the largest ones then.
func (g *Graph) split(id int) *blossom {
	f := g.blossom[id-g.n]
	for _, child := range f.children {
		g.leaves(child, func(v int) { g.top[v] = child })
	}
	g.blossom[id-g.n] = nil
	g.unused = append(g.unused, id)
	return f
}

// expand takes apart an inner blossom whose dual is 0, during a search. The children on the even way from its entry to its base stay in the
// tree.
func (g *Graph) expand(id int) {
	entry := g.entry[id]
	f := g.split(id)
	for _, child := range f.children {
		g.label[child] = free
	}
	n := len(f.children)
	i := slices.Index(f.children, g.top[entry[1]])
	var outers []int
	enter := func(child int, edge [2]int) {
		g.label[child] = inner
		g.entry[child] = edge
	}
	enter(f.children[i], entry)
	for i != 0 {
		if i%2 == 1 {
			e := f.edges[i+1]
			outers = append(outers, f.children[i+1])
			i = (i + 2) % n
			enter(f.children[i], e)
		} else {
			e := f.edges[i-2]
			outers = append(outers, f.children[i-1])
			i -= 2
			enter(f.children[i], [2]int{e[1], e[0]})
		}
	}
	for _, o := range outers {
		g.reach(o)
	}
}

// dissolve takes apart the blossom id, one of the largest, between two searches. Its dual goes to its vertices, so that the edges within
// keep their slack. The edges that leave it get some, and so its base may lose its partner.
func (g *Graph) dissolve(id int) {
	f := g.split(id)
	if zero(f.dual) {
		return
	}
	for _, child := range f.children {
		g.leaves(child, func(v int) {
			for c, d := range f.dual {
				g.dual[v*g.k+c] += d / 2
			}
		})
	}
	if m := g.mate[f.base]; m != none {
		g.mate[f.base], g.mate[m] = none, none
	}
}
