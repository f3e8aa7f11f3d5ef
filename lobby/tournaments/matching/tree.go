package matching

import "slices"

// The labels of vertices and blossoms that are in the tree, by the parity of their distance from the root.
const (
	free  uint8 = iota
	outer       // even: the root and the ends of matched edges
	inner       // odd
)

// A tree is what a search knows of the vertices of a graph and of the largest blossoms: it grows from one vertex, by edges without slack.
type tree struct {
	graph   *Graph
	label   []uint8  // by vertex and blossom
	entry   [][2]int // by inner vertex or blossom: the edge, from outside, that leads to it
	best    []int    // by vertex that isn't outer: the outer vertex with the least slack to it
	isOuter []bool   // by vertex
	outers  []int    // all vertices that are outer
	link    [][2]int // by outer vertex or blossom: the edge with the least slack to another one, from it
	near    [][]int  // by outer blossom: for each vertex outside, the vertex of the blossom with the least slack to it
	delta   []int64  // the change of duals
	up      []int    // of shrink, made once
}

// newTree returns the tree of a graph, which is grown anew for each search.
func newTree(g *Graph) *tree {
	n := g.n
	return &tree{graph: g, label: make([]uint8, 2*n), entry: make([][2]int, 2*n), best: make([]int, n), isOuter: make([]bool, n),
		link: make([][2]int, 2*n), near: make([][]int, n), delta: make([]int64, g.k)}
}

// grow grows the tree from root, which is not matched, until the matching is as good as it can be with root.
func (t *tree) grow(root int) {
	g := t.graph
	for _, v := range g.active {
		t.label[g.top[v]] = free
		t.best[v] = none
		t.isOuter[v] = false
	}
	t.outers = t.outers[:0]
	t.reach(g.top[root])
	for done := false; !done; {
		kind, at := t.next(t.delta)
		t.shift(t.delta)
		switch kind {
		case leave:
			t.release(at)
			done = true
		case expand:
			t.expand(at)
		case join:
			t.shrink(t.link[at][0], t.link[at][1])
		default:
			done = t.follow(t.best[at], at)
		}
	}
	for _, v := range g.active {
		for b := g.top[v]; b >= g.n && zero(g.blossom[b-g.n].dual); b = g.top[v] {
			g.dissolve(b)
		}
	}
}

// reach makes b outer and notes the edges of its vertices.
func (t *tree) reach(b int) {
	g := t.graph
	t.label[b] = outer
	t.link[b] = [2]int{none, none}
	if b >= g.n {
		t.forget(b)
		for _, v := range g.within(b) {
			t.gather(b, v)
		}
	}
	for _, v := range g.within(b) {
		t.scan(v)
	}
}

// forget empties near of the blossom b, and returns it.
func (t *tree) forget(b int) []int {
	near := &t.near[b-t.graph.n]
	if *near == nil {
		*near = make([]int, t.graph.n)
	}
	for v := range *near {
		(*near)[v] = none
	}
	return *near
}

// gather notes in the blossom b the edges of v, one of its vertices.
func (t *tree) gather(b, v int) {
	g := t.graph
	near := t.near[b-g.n]
	for _, x := range g.active {
		if g.edge[v*g.n+x] && g.top[x] != b && (near[x] == none || g.nearer(v, x, near[x], x)) {
			near[x] = v
		}
	}
}

// scan makes the vertex s outer and notes its edges.
func (t *tree) scan(s int) {
	g := t.graph
	t.isOuter[s] = true
	b := g.top[s]
	for _, x := range t.outers {
		if o := g.top[x]; o != b && g.edge[s*g.n+x] {
			t.connect(b, s, x)
			t.connect(o, x, s)
		}
	}
	t.outers = append(t.outers, s)
	for _, x := range g.active {
		if !t.isOuter[x] && g.edge[s*g.n+x] && g.top[x] != b && (t.best[x] == none || g.nearer(s, x, t.best[x], x)) {
			t.best[x] = s
		}
	}
}

// connect notes the edge from s in the outer b to the outer vertex x.
func (t *tree) connect(b, s, x int) {
	if l := t.link[b]; l[0] == none || t.graph.nearer(s, x, l[0], l[1]) {
		t.link[b] = [2]int{s, x}
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
func (t *tree) next(delta []int64) (kind, at int) {
	g := t.graph
	kind, at = leave, none
	for _, v := range t.outers {
		if d := g.dual[v*g.k:][:g.k]; at == none || slices.Compare(d, delta) < 0 {
			copy(delta, d)
			at = v
		}
	}
	for _, x := range g.active {
		b := g.top[x]
		switch t.label[b] {
		case free:
			if s := t.best[x]; s != none && g.lower(delta, s, x, 1) {
				kind, at = follow, x
			}
		case outer:
			if g.base(b) == x && t.link[b][0] != none && g.lower(delta, t.link[b][0], t.link[b][1], 2) {
				kind, at = join, b
			}
		}
	}
	for i, b := range g.blossom {
		if !b.inUse() || g.top[b.base] != g.n+i || t.label[g.n+i] != inner {
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

// shift changes the duals of the tree by delta.
func (t *tree) shift(delta []int64) {
	g := t.graph
	if zero(delta) {
		return
	}
	for _, v := range g.active {
		d := g.dual[v*g.k:][:g.k]
		switch t.label[g.top[v]] {
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
		if !b.inUse() || g.top[b.base] != g.n+i {
			continue
		}
		switch t.label[g.n+i] {
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

// follow takes the edge from the outer vertex s to x, which has no slack, into the tree. It reports whether that ends the search.
func (t *tree) follow(s, x int) bool {
	g := t.graph
	b := g.top[x]
	m := g.mate[g.base(b)]
	if m == none {
		g.rotate(b, x)
		t.release(s)
		g.mate[s], g.mate[x] = x, s
		return true
	}
	t.label[b] = inner
	t.entry[b] = [2]int{s, x}
	t.reach(g.top[m])
	return false
}

// release frees the outer vertex v: the matched and the other edges change places on the way from the root.
func (t *tree) release(v int) {
	g := t.graph
	for {
		b := g.top[v]
		m := g.mate[g.base(b)] // in the inner blossom before b
		g.rotate(b, v)
		g.mate[v] = none
		if m == none {
			return
		}
		b = g.top[m]
		s, x := t.entry[b][0], t.entry[b][1]
		g.rotate(b, x)
		// s is freed next, and then matched with x. Its own blossom is rotated before that changes its mate.
		defer func() { g.mate[s], g.mate[x] = x, s }()
		v = s
	}
}

// above returns the outer blossom before b in the tree, and the edges to the inner one between them and from it: each from the root's side.
func (t *tree) above(b int) (outer int, entry, matched [2]int) {
	g := t.graph
	base := g.base(b)
	m := g.mate[base]
	if m == none {
		return none, entry, matched
	}
	entry = t.entry[g.top[m]]
	return g.top[entry[0]], entry, [2]int{m, base}
}

// shrink makes a blossom of the cycle that the edge of the outer vertices s and x closes.
func (t *tree) shrink(s, x int) {
	g := t.graph
	up := t.up[:0] // outer blossoms from s to the root
	for b := g.top[s]; b != none; b, _, _ = t.above(b) {
		up = append(up, b)
	}
	t.up = up
	shared := g.top[x] // the first blossom that the ways from s and x to the root share
	for !slices.Contains(up, shared) {
		shared, _, _ = t.above(shared)
	}
	id, f := t.newBlossom()
	// From there down to s, over to x, and back.
	f.base = g.base(shared)
	f.children = append(f.children, shared)
	for _, o := range slices.Backward(up[:slices.Index(up, shared)]) {
		_, entry, matched := t.above(o)
		f.children = append(f.children, g.top[matched[0]], o)
		f.edges = append(f.edges, entry, matched)
	}
	f.edges = append(f.edges, [2]int{s, x})
	for b := g.top[x]; b != shared; {
		over, entry, matched := t.above(b)
		f.children = append(f.children, b, g.top[matched[0]])
		f.edges = append(f.edges, [2]int{matched[1], matched[0]}, [2]int{entry[1], entry[0]})
		b = over
	}
	for _, child := range f.children {
		f.vertices = append(f.vertices, g.within(child)...)
	}
	for _, v := range f.vertices {
		g.top[v] = id
	}
	t.absorb(id)
}

// newBlossom returns a blossom with nothing in it, whose dual is 0, and its number.
func (t *tree) newBlossom() (id int, f *blossom) {
	g := t.graph
	id = g.unused[len(g.unused)-1]
	g.unused = g.unused[:len(g.unused)-1]
	f = g.blossom[id-g.n]
	if f == nil {
		f = &blossom{dual: make([]int64, g.k)}
		g.blossom[id-g.n] = f
	}
	f.vertices, f.children, f.edges, f.used = f.vertices[:0], f.children[:0], f.edges[:0], true
	clear(f.dual)
	return id, f
}

// absorb makes the new blossom id outer. It has the edges that its outer children have noted, and the vertices that were inner have theirs
// scanned.
func (t *tree) absorb(id int) {
	g := t.graph
	f := g.blossom[id-g.n]
	near := t.forget(id)
	for _, child := range f.children {
		if child < g.n || t.label[child] != outer {
			for _, v := range g.within(child) {
				t.gather(id, v)
			}
			continue
		}
		for _, x := range g.active {
			if v := t.near[child-g.n][x]; v != none && g.top[x] != id && (near[x] == none || g.nearer(v, x, near[x], x)) {
				near[x] = v
			}
		}
	}
	t.label[id] = outer
	t.link[id] = [2]int{none, none}
	for _, x := range t.outers {
		if near[x] != none && g.top[x] != id {
			t.connect(id, near[x], x)
		}
	}
	for _, child := range f.children {
		if t.label[child] != outer {
			for _, v := range g.within(child) {
				t.scan(v)
			}
		}
	}
}

// expand takes apart an inner blossom whose dual is 0, during a search. The children on the even way from its entry to its base stay in the
// tree.
func (t *tree) expand(id int) {
	g := t.graph
	entry := t.entry[id]
	f := g.split(id)
	for _, child := range f.children {
		t.label[child] = free
	}
	n := len(f.children)
	i := slices.Index(f.children, g.top[entry[1]])
	var outers []int
	enter := func(child int, edge [2]int) {
		t.label[child] = inner
		t.entry[child] = edge
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
		t.reach(o)
	}
}
