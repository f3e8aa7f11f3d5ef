package pairings

import (
	"slices"

	"ludoteca/lobby/tournaments/matching"
)

// A swissBracket is a score group of a Swiss and the players who were left from higher ones. Its pairing is the best by the criteria of C.04.3,
// article 4, and the first of equally good ones in the order of article 3. The criteria are the weights of a graph whose edges are the
// pairs, those that matter most first; the order is found pair by pair.
//
// Players below the bracket matter as far as they must be paired as well: with those who are left over, the next score group shall have as
// many pairs as possible, and all others must not be left without an opponent. The graph has the next group only if the bracket can't be
// paired completely, and the rest only if the result of a graph without them leaves them without a pairing.
type swissBracket struct {
	*draw
	limbo     []int // moved down, and not paired in this bracket
	moved     []int // moved down
	residents []int
	next      []int // the next score group
	rest      []int // all below it

	whole  bool // the graph holds all players who aren't paired yet, and the bye
	alone  bool // the graph holds this bracket alone
	single bool // the bracket leaves only the player who gets the bye
}

// pair returns the pairs of the bracket and the players who are left for the next one.
func (b *swissBracket) pair() (pairs [][2]int, left []int, ok bool) {
	here := len(b.moved) + len(b.residents)
	low := b.odd && b.players[b.residents[0]].score <= b.bye // the bye comes from here or from above
	if below := slices.Concat(b.next, b.rest); here%2 == 0 && !low && b.complete(below, b.odd) {
		b.alone = true
		if pairs, left, _ = b.attempt(); len(left) == 0 {
			return pairs, left, true
		}
		b.alone = false
	}
	if !low && len(b.rest) > 0 {
		var open []int
		if pairs, left, open = b.attempt(); b.complete(slices.Concat(open, b.rest), b.odd) {
			return pairs, left, true
		}
	}
	b.whole = true
	pairs, left, open := b.attempt()
	return pairs, left, len(open) == 0
}

// attempt pairs the bracket in the graph that the fields whole and alone say. open are the players outside of pairs whom the graph leaves
// without an opponent.
func (b *swissBracket) attempt() (pairs [][2]int, left, open []int) {
	r := *b
	r.single = false
	g := r.graph(r.firstOrder())
	if r.whole && r.odd && r.players[r.residents[0]].score <= r.bye && r.countLeft(g) == 1 {
		r.single = true
		g = r.graph(r.firstOrder())
	}
	if len(r.moved) > 0 {
		pairs = r.pairMoved(g)
		g = r.graph(r.firstOrder())
	}
	more, open := r.pairResidents(g)
	pairs = append(pairs, more...)
	paired := make(map[int]bool)
	for _, p := range pairs {
		paired[p[0]], paired[p[1]] = true, true
	}
	for _, p := range slices.Concat(b.moved, b.residents) {
		if !paired[p] {
			left = append(left, p)
		}
	}
	return pairs, left, open
}

// An order is how candidates of residents alone are ranked that the criteria don't tell apart.
type order struct {
	heads int // the number of residents in the upper half, S1; 0: the order doesn't matter yet
	swaps int // some of the last ones of S1, as many as this, change places with some of the first ones of S2, and it matters who does
}

// firstOrder supposes that as many residents are paired as there can be. As long as moved players are to be paired it doesn't matter.
func (b *swissBracket) firstOrder() order {
	if len(b.moved) > 0 {
		return order{}
	}
	return order{heads: len(b.residents) / 2}
}

// A web is the graph of a bracket.
type web struct {
	*matching.Graph
	vertices []int // players by vertex, in their order; the last may be the bye
	limbo    int   // the numbers of vertices of each kind, which follow each other
	moved    int
	in       int // all before it are in the bracket
	next     int // all before it are in the bracket or in the next group
	tie      int // the number of the weights that chooses among the best matchings
}

// byeVertex stands for the bye among the players.
const byeVertex = -1

// inside reports whether v and its partner are paired in the bracket.
func (w *web) inside(v int) bool {
	m := w.Mate(v)
	return v < w.in && m >= 0 && m < w.in
}

// countLeft returns how many players the bracket leaves for the next.
func (b *swissBracket) countLeft(w *web) int {
	n := 0
	for v := range w.in {
		if !w.inside(v) {
			n++
		}
	}
	return n
}

// graph builds the graph of the bracket and finds its best matching.
func (b *swissBracket) graph(o order) *web {
	w := &web{vertices: slices.Concat(b.limbo, b.moved, b.residents), limbo: len(b.limbo), moved: len(b.limbo) + len(b.moved)}
	w.in = len(w.vertices)
	w.next = w.in
	if !b.alone {
		w.vertices = append(w.vertices, b.next...)
		w.next = len(w.vertices)
	}
	if b.whole {
		w.vertices = append(w.vertices, b.rest...)
		if b.odd {
			w.vertices = append(w.vertices, byeVertex)
		}
	}
	c := b.criteria(w, o)
	w.tie = c.numbers
	w.Graph = matching.New(len(w.vertices), c.numbers+1)
	weight := make([]int64, c.numbers+1)
	for j := range w.vertices {
		for i := range j {
			clear(weight)
			if c.weigh(i, j, weight) {
				w.Join(i, j, weight)
			}
		}
	}
	outside := w.in
	if len(w.vertices) == w.in+1 {
		outside++ // there is no other but the bye, which only these can have
	}
	w.Expect(w.moved+o.heads, outside)
	w.Solve()
	return w
}

// pairMoved finds the opponents of the players who have moved down, in their order. It takes them and those who can't be paired here out of
// the bracket.
func (b *swissBracket) pairMoved(w *web) (pairs [][2]int) {
	taken := make(map[int]bool)
	for v := w.limbo; v < w.moved; v++ {
		if !w.inside(v) {
			b.limbo = append(b.limbo, w.vertices[v])
			continue
		}
		m := w.choose(v, func(yield func(int)) {
			for x := w.moved; x < w.in; x++ {
				if !taken[x] {
					yield(x)
				}
			}
		})
		taken[m] = true
		pairs = append(pairs, [2]int{w.vertices[v], w.vertices[m]})
	}
	var residents []int
	for x := w.moved; x < w.in; x++ {
		if !taken[x] {
			residents = append(residents, w.vertices[x])
		}
	}
	b.moved, b.residents = nil, residents
	return pairs
}

// heads returns the residents who are paired with a lower one.
func (w *web) heads() []int {
	var heads []int
	for v := w.moved; v < w.in; v++ {
		if w.inside(v) && w.Mate(v) > v {
			heads = append(heads, v)
		}
	}
	return heads
}

// reach returns how far from the border between S1, the first count residents, and S2 those can be who change places, if they are as many as in the
// matching of w, and the differences of their ranks have the same sum: all differences but one are 1 then. 0: nobody changes.
func (w *web) reach(count int) int {
	exchanges, sum := 0, 0
	for i, v := range w.heads() {
		sum += v - w.moved - i
		if v-w.moved >= count {
			exchanges++
		}
	}
	if exchanges == 0 {
		return 0
	}
	return sum - exchanges + 1
}

// pairResidents pairs the residents among themselves. open are the players in the graph who have no opponent then.
func (b *swissBracket) pairResidents(w *web) (pairs [][2]int, open []int) {
	count := 0
	for v := range w.in {
		if w.inside(v) && w.Mate(v) > v {
			count++
		}
	}
	o := order{heads: count}
	if o != b.firstOrder() {
		w = b.graph(o)
	}
	if o.swaps = w.reach(count); o.swaps > 0 {
		w = b.graph(o)
	}
	heads := w.heads() // S1 after the exchanges. All best matchings have the same.
	upper := make([]bool, w.in)
	for _, v := range heads {
		upper[v] = true
	}
	for x := w.moved; x < w.in; x++ {
		for v := w.moved; v < x; v++ {
			if !upper[v] || upper[x] {
				w.Cut(v, x)
			}
		}
	}
	w.Solve()
	for _, v := range heads {
		m := w.choose(v, func(yield func(int)) {
			for x := v + 1; x < w.in; x++ {
				yield(x)
			}
		})
		pairs = append(pairs, [2]int{w.vertices[v], w.vertices[m]})
	}
	paired := make(map[int]bool)
	for _, p := range pairs {
		paired[p[0]], paired[p[1]] = true, true
	}
	for v, p := range w.vertices {
		if w.Mate(v) < 0 && !paired[p] {
			open = append(open, p)
		}
	}
	return pairs, open
}

// choose finds the first of the candidates with whom v is paired in a best matching, and takes the two out of the graph.
func (w *web) choose(v int, candidates func(yield func(int))) int {
	var better []int // candidates up to the present partner, who is the last
	present := false
	candidates(func(x int) {
		if !present && w.Joined(v, x) && w.Tight(v, x) {
			better = append(better, x)
		}
		present = present || x == w.Mate(v)
	})
	if len(better) > 1 && !w.Swap(v, better[0]) {
		w.Loosen(v)
		for i, x := range better {
			w.Add(v, x, w.tie, int64(len(better)-i))
		}
		w.Solve()
	}
	m := w.Mate(v)
	w.Drop(v)
	w.Drop(m)
	w.Solve()
	return m
}
