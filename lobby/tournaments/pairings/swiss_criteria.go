package pairings

// criteria weighs the pairs of a bracket. A criterion is a field of the weight: the one with the most fields of all pairs together is the
// best. Fields are packed into few numbers, each into digits that the sum can't leave.
type criteria struct {
	*swissBracket
	*web
	order   order
	fields  []field
	numbers int   // of a weight
	class   []int // by vertex of the bracket: equal for equal scores, 0 for the highest
	at      criterionFields
}

// criterionFields are the indexes of the fields, in the order of what matters. Slices have one for each score, the highest first.
type criterionFields struct {
	complete                          int   // C4: all are paired
	pairs                             int   // C6
	scores                            []int // C7: the scores of players who are paired here
	nextPairs                         int   // C8: the same for the next bracket
	nextScores                        []int
	unplayed                          int      // C9: matches that the player with the bye hasn't played
	imbalance, repeat, wishes, strong int      // C10 to C13
	down, up                          [2]int   // C14 and C15, C16 and C17: floaters of the last round and the one before
	downScores, upScores              [2][]int // C18 and C19, C20 and C21
	moved                             []int    // which of the players moved down with equal scores are paired: the first ones
	heads                             int      // the fewest exchanges between S1 and S2
	distance                          int      // the least difference of the ranks exchanged
	from, to                          []int    // who leaves S1, from its last resident back; who leaves S2, from its first on
}

// A field is a digit of a number.
type field struct {
	number int
	radix  int64
	times  int64 // the radices of the lower digits, multiplied
}

// capacity bounds a number: see matching.Graph.Join.
const capacity = 1 << 50

// add appends a field whose sum over all pairs stays within most of 0, always on the same side, and returns its index.
func (c *criteria) add(most int) int {
	f := field{radix: int64(most) + 1}
	if n := len(c.fields); n > 0 {
		f.number = c.numbers - 1
		product := f.radix
		for i := n - 1; i >= 0 && c.fields[i].number == f.number; i-- {
			product *= c.fields[i].radix
		}
		if product > capacity {
			f.number++
		}
	}
	c.numbers = f.number + 1
	c.fields = append(c.fields, f)
	return len(c.fields) - 1
}

// criteria lays out the weights of the bracket in the graph w.
func (b *swissBracket) criteria(w *web, o order) *criteria {
	c := &criteria{swissBracket: b, web: w, order: o, class: make([]int, w.in)}
	var counts []int // players of each class but the residents, who come last
	for v := range w.in {
		if v > 0 {
			c.class[v] = c.class[v-1]
			if b.players[w.vertices[v]].score != b.players[w.vertices[v-1]].score {
				c.class[v]++
			}
		}
		if v < w.moved {
			for len(counts) <= c.class[v] {
				counts = append(counts, 0)
			}
			counts[c.class[v]]++
		}
	}
	each := func() []int {
		all := make([]int, len(counts))
		for i, n := range counts {
			all[i] = c.add(n)
		}
		return all
	}
	pairs := w.in / 2
	if b.whole {
		c.at.complete = c.add(len(w.vertices) / 2)
	}
	c.at.pairs = c.add(pairs)
	c.at.scores = each()
	if !b.alone {
		c.at.nextPairs = c.add(w.next / 2)
		c.at.nextScores = append(each(), c.add(w.in-w.moved))
	}
	if b.single {
		c.at.unplayed = c.add(MaxRounds)
	}
	if b.last {
		c.at.imbalance, c.at.repeat = c.add(pairs), c.add(pairs)
	}
	c.at.wishes, c.at.strong = c.add(pairs), c.add(pairs)
	for back := range 2 {
		c.at.down[back], c.at.up[back] = c.add(w.in), c.add(pairs)
	}
	for back := range 2 {
		c.at.downScores[back], c.at.upScores[back] = each(), each()
	}
	for range w.moved {
		c.at.moved = append(c.at.moved, c.add(1))
	}
	if residents := w.in - w.moved; o.heads > 0 {
		c.at.heads = c.add(o.heads)
		c.at.distance = c.add(residents * o.heads)
		for range min(o.swaps, o.heads) {
			c.at.from = append(c.at.from, c.add(1))
		}
		for range min(o.swaps, residents-o.heads) {
			c.at.to = append(c.at.to, c.add(1))
		}
	}
	times := int64(1)
	for i := len(c.fields) - 1; i >= 0; i-- {
		if i+1 < len(c.fields) && c.fields[i+1].number != c.fields[i].number {
			times = 1
		}
		c.fields[i].times = times
		times *= c.fields[i].radix
	}
	return c
}

// weigh adds the weight of the pair of the vertices i < j to weight. It reports whether the pair is allowed.
func (c *criteria) weigh(i, j int, weight []int64) bool {
	add := func(f, value int) { weight[c.fields[f].number] += c.fields[f].times * int64(value) }
	high, low := c.vertices[i], c.vertices[j]
	if c.whole {
		add(c.at.complete, 1)
	}
	switch {
	case low == byeVertex:
		if c.single {
			add(c.at.unplayed, c.players[high].played-MaxRounds)
		}
		return c.canBye(high)
	case j < c.web.moved || !c.may(high, low):
		return false // two who have moved down were left over together
	case j >= c.web.next:
		return true
	case j >= c.in:
		add(c.at.nextPairs, 1)
		if i < c.in {
			add(c.at.nextScores[c.nextClass(i)], 1)
		}
		return true
	case i < c.web.limbo:
		return false
	}
	a, b := &c.players[high], &c.players[low]
	resident := i >= c.web.moved
	add(c.at.pairs, 1)
	if c.last {
		add(c.at.imbalance, ok(!clash(a, b) || a.imbalance < 2 || b.imbalance < 2))
		add(c.at.repeat, ok(!thrice(a, b)))
	}
	add(c.at.wishes, ok(!clash(a, b)))
	add(c.at.strong, ok(!clash(a, b) || !a.strong() || !b.strong() || a.absolute() && b.absolute()))
	for back := range 2 {
		add(c.at.down[back], ok(b.floats[back] == floatDown)+ok(resident && a.floats[back] == floatDown))
		add(c.at.up[back], ok(resident || b.floats[back] != floatUp))
	}
	if !resident {
		class := c.class[i]
		add(c.at.scores[class], 1)
		for back := range 2 {
			add(c.at.downScores[back][class], ok(a.floats[back] == floatDown))
			add(c.at.upScores[back][class], ok(b.floats[back] != floatUp))
		}
		add(c.at.moved[i], 1)
		return true
	}
	if c.order.heads > 0 {
		at := i - c.web.moved
		add(c.at.heads, ok(at < c.order.heads))
		add(c.at.distance, -at)
		if back := c.order.heads - 1 - at; back >= 0 && back < len(c.at.from) {
			add(c.at.from[back], -1)
		}
		if on := at - c.order.heads; on >= 0 && on < len(c.at.to) {
			add(c.at.to[on], 1)
		}
	}
	return true
}

// nextClass returns the index in nextScores of the vertex i of the bracket.
func (c *criteria) nextClass(i int) int {
	if i >= c.web.moved {
		return len(c.at.nextScores) - 1
	}
	return c.class[i]
}

// ok counts a condition that a pair fulfils.
func ok(fulfilled bool) int {
	if fulfilled {
		return 1
	}
	return 0
}

// thrice reports whether one of a and b, who both have an absolute preference for the same side, would have the other side three times
// running. The one with the greater imbalance gets the side; if they are equal it may be either.
func thrice(a, b *player) bool {
	if !clash(a, b) || !a.absolute() || !b.absolute() {
		return false
	}
	if a.imbalance == b.imbalance {
		return a.repeated && b.repeated && a.sides[a.played-1] == b.sides[b.played-1]
	}
	if a.imbalance > b.imbalance {
		a = b
	}
	return a.repeated && a.sides[a.played-1] != a.want
}
