package bot

import (
	"math/bits"
	"slices"

	"ludoteca/games"
)

// A bound says how the value in an entry of the table is meant.
type bound uint8

const (
	none  bound = iota // the entry is empty
	exact              // the value
	lower              // at least the value
	upper              // at most the value

	// unseen is added where the value rests on an evaluation, not on ends of the game alone.
	unseen bound = 4
)

// kind is the bound without unseen.
func (b bound) kind() bound { return b % unseen }

// An entry is what the search has found out about a position: 16 bytes.
type entry struct {
	key   uint64
	code  games.Code // the best move, or the one that refuted it
	value int16
	depth int8
	bound bound
}

// A table remembers positions by their keys. Its size is a power of two; entries are kept in pairs, and a new one takes the
// place of the shallower of the two.
type table []entry

// The sizes of tables: from 64 KiB for the weakest levels to 16 MiB.
const (
	minEntries = 1 << 12
	maxEntries = 1 << 20

	fewEntries = 1 << 14 // a table begins with so many at most
	growth     = 4       // and gets so many times more when as many positions have been looked at
)

// tableSize returns the size that suits a search of so many nodes. To begin with it would be a waste: a search that is
// stopped soon would spend its time on memory that it never needs.
func tableSize(nodes int) int {
	n := min(max(nodes, minEntries), maxEntries)
	return 1 << bits.Len(uint(n-1))
}

// tables is the memory for the table of one search at a time: two places, for a table grows from one into the other. What
// lies in them from searches before is never seen again.
type tables struct {
	places [2]table
	used   int // the place of the table in use
}

// first returns an empty table for the beginning of a search of so many nodes.
func (m *tables) first(nodes int) table {
	m.used = 0
	return m.cleared(min(tableSize(nodes), fewEntries))
}

// grown returns a larger table than t, the one in use, but not larger than size, with all that is in t. To fill the largest
// takes milliseconds, so it is given up halfway when nobody waits for the search any more.
func (m *tables) grown(t table, size int, done <-chan struct{}) table {
	m.used = 1 - m.used
	larger := m.cleared(min(len(t)*growth, size))
	for part := range slices.Chunk(t, movedAtOnce) {
		select {
		case <-done:
			return larger
		default:
			larger.take(part)
		}
	}
	return larger
}

// take puts all that is in another table into t.
func (t table) take(other table) {
	for _, e := range other {
		if e.bound != none {
			t.put(e)
		}
	}
}

// movedAtOnce is how many entries are moved to a larger table between two looks at whether anybody waits.
const movedAtOnce = 1 << 14

// clearedAtOnce is how many entries are cleared at a time, 64 KiB. The runtime can't interrupt that, and to clear the largest
// table in one go takes milliseconds, in which everybody would wait who wants to collect garbage.
const clearedAtOnce = 1 << 12

// cleared returns an empty table of a size in the place that is used.
func (m *tables) cleared(size int) table {
	place := &m.places[m.used]
	if cap(*place) < size {
		*place = make(table, size)
		return *place
	}
	t := (*place)[:size]
	for part := range slices.Chunk(t, clearedAtOnce) {
		clear(part)
	}
	return t
}

// find returns the entry of a position, or nil.
func (t table) find(key uint64) *entry {
	i := key & uint64(len(t)-1)
	for _, e := range [2]*entry{&t[i], &t[i^1]} {
		if e.key == key && e.bound != none {
			return e
		}
	}
	return nil
}

// put remembers a position. A move that is known already stays if there is no better one.
func (t table) put(e entry) {
	i := e.key & uint64(len(t)-1)
	first, second := &t[i], &t[i^1]
	to := first
	switch {
	case first.key == e.key:
	case second.key == e.key || first.bound != none && (second.bound == none || second.depth < first.depth):
		to = second
	}
	if to.key == e.key && e.bound.kind() == upper && to.bound != none {
		e.code = to.code
	}
	*to = e
}
