package proof

import (
	"math/bits"
	"slices"
	"unsafe"
)

// An entry is what the solver knows about a position, a claim and the plies that are left to it: 24 bytes.
type entry struct {
	key uint64
	numbers
	code uint32 // the move that reaches what the side to move wants, if there is one
	work uint32 // positions looked at to find out; 0: the entry is empty
}

// A table remembers positions. Its size is a power of two and does not change while a proof is looked for. A position can
// stand in any of the places of its bucket; a new one takes the place of the one that has cost the least.
type table []entry

const (
	bucket     = 4
	entryBytes = int(unsafe.Sizeof(entry{}))
	minEntries = 1 << 8
)

// clearedAtOnce is how many entries are cleared at a time, less than 100 KiB: the runtime can't interrupt that, and who wants
// to collect garbage waits for it.
const clearedAtOnce = 1 << 12

// cleared returns an empty table of at most so many bytes, and no more entries than so many nodes can need: t itself if it is
// large enough.
func (t table) cleared(memory, nodes int) table {
	if memory <= 0 || memory > MaxMemory {
		memory = MaxMemory
	}
	n := max(minEntries, min(memory/entryBytes, nodes*2))
	n = 1 << (bits.Len(uint(n)) - 1)
	if cap(t) < n {
		return make(table, n)
	}
	for part := range slices.Chunk(t[:n], clearedAtOnce) {
		clear(part)
	}
	return t[:n]
}

// find returns the entry of a key, or nil.
func (t table) find(key uint64) *entry {
	i := key & uint64(len(t)-bucket)
	for n := range t[i : i+bucket] {
		if e := &t[i+uint64(n)]; e.key == key && e.work > 0 {
			return e
		}
	}
	return nil
}

// put remembers an entry.
func (t table) put(e entry) {
	i := e.key & uint64(len(t)-bucket)
	to := &t[i]
	for n := range t[i : i+bucket] {
		old := &t[i+uint64(n)]
		if old.key == e.key && old.work > 0 {
			to = old
			break
		}
		if old.work < to.work {
			to = old
		}
	}
	*to = e
}
