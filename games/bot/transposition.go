package bot

import (
	"cmp"
	"math/bits"
	"slices"

	"ludoteca/games"
	"ludoteca/games/deadline"
)

// A bound says how the value in an entry of the table is meant.
type bound uint8

const (
	none  bound = iota // the entry is empty
	exact              // the value
	lower              // at least the value
	upper              // at most the value

	// inexact is added where the value rests on an evaluation, not on ends of the game alone.
	inexact bound = 4
)

// kind is the bound without inexact.
func (b bound) kind() bound { return b % inexact }

// An entry is what the search has found out about a position: 16 bytes.
type entry struct {
	key   uint64
	code  games.Code // the best move, or the one that refuted it
	value int16
	depth int8
	bound bound
}

// A transpositionTable remembers positions by their keys. Its size is a power of two; entries are kept in pairs, and a new one takes the
// place of the shallower of the two.
type transpositionTable []entry

// The sizes of tables: from 64 KiB for the weakest levels to 16 MiB.
const (
	minEntries = 1 << 12
	maxEntries = 1 << 20
	entryBytes = 16

	fewEntries = 1 << 14 // a table begins with at most fewEntries entries,
	growth     = 4       // and gets growth times larger once a search has looked at more positions than the table has entries
)

// size returns the number of entries that suits a search of the given number of nodes. The search begins with a smaller
// table: if it is stopped soon, a full one would have cost time for memory that it never needs.
func (m *tableMemory) size(nodes int) int {
	n := min(max(nodes, minEntries), cmp.Or(m.most, maxEntries))
	return 1 << bits.Len(uint(n-1))
}

// tableMemory is the memory for the table of one search at a time: two places, for a table grows from one into the other.
// What is left in them by earlier searches is never read.
type tableMemory struct {
	places [2]transpositionTable
	used   int // the place of the table in use
	most   int // entries that a table may have, a power of two; 0: maxEntries
}

// first returns an empty table for the beginning of a search with a budget of nodes.
func (m *tableMemory) first(nodes int) transpositionTable {
	m.used = 0
	return m.cleared(min(m.size(nodes), fewEntries), deadline.Deadline{})
}

// grown returns a larger table than t, the one in use, but not larger than size, with all that is in t. To clear and fill the
// largest takes milliseconds, so it is given up when the time is up, and t is returned.
func (m *tableMemory) grown(t transpositionTable, size int, until deadline.Deadline) transpositionTable {
	m.used = 1 - m.used
	larger := m.cleared(min(len(t)*growth, size), until)
	for part := range slices.Chunk(t, movedAtOnce) {
		if until.Passed() {
			m.used = 1 - m.used
			return t
		}
		larger.take(part)
	}
	return larger
}

// take puts all that is in another table into t.
func (t transpositionTable) take(other transpositionTable) {
	for _, e := range other {
		if e.bound != none {
			t.put(e)
		}
	}
}

// movedAtOnce is how many entries are moved to a larger table between two looks at the clock: each may be the first in its page
// of new memory, so that takes up to 1.5 ms.
const movedAtOnce = 1 << 7

// clearedAtOnce is how many entries are cleared at a time, 64 KiB. The runtime can't interrupt that, and clearing the largest
// table in one go would hold up a garbage collection for milliseconds.
const clearedAtOnce = 1 << 12

// cleared returns an empty table of a size in the place that is used; it is not empty if the time is up before.
func (m *tableMemory) cleared(size int, until deadline.Deadline) transpositionTable {
	place := &m.places[m.used]
	if cap(*place) < size {
		*place = make(transpositionTable, size)
		return *place
	}
	t := (*place)[:size]
	for part := range slices.Chunk(t, clearedAtOnce) {
		if until.Passed() {
			break
		}
		clear(part)
	}
	return t
}

// find returns the entry of a position, or nil.
func (t transpositionTable) find(key uint64) *entry {
	i := key & uint64(len(t)-1)
	for _, e := range [2]*entry{&t[i], &t[i^1]} {
		if e.key == key && e.bound != none {
			return e
		}
	}
	return nil
}

// put remembers a position. A move that is known already stays if there is no better one.
func (t transpositionTable) put(e entry) {
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
