package bot

import (
	"math/bits"

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

// newTable returns a table for the beginning of a search of so many nodes.
func newTable(nodes int) table { return make(table, min(tableSize(nodes), fewEntries)) }

// tableSize returns the size that suits a search of so many nodes. To begin with it would be a waste: a search that is
// stopped soon would spend its time on memory that it never needs.
func tableSize(nodes int) int {
	n := min(max(nodes, minEntries), maxEntries)
	return 1 << bits.Len(uint(n-1))
}

// grown returns a larger table, but not larger than size, with all that is in t.
func (t table) grown(size int) table {
	larger := make(table, min(len(t)*growth, size))
	for _, e := range t {
		if e.bound != none {
			larger.put(e)
		}
	}
	return larger
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
