package dfpn

import (
	"math/bits"
	"slices"
	"unsafe"
)

// An Entry is what a solver knows about a position: 24 bytes.
type Entry struct {
	Key uint64
	Numbers
	Move uint32 // the move that reaches what the side to move wants, if there is one
	Work uint32 // positions looked at to find out; 0: the entry is empty
}

// A Table remembers positions. Its size is a power of two and does not change during a search. A position can stand in
// any of the places of its bucket; a new one replaces the entry that has cost the least.
type Table []Entry

const (
	bucket     = 4
	minEntries = 1 << 8

	// EntryBytes is the size of an entry.
	EntryBytes = int(unsafe.Sizeof(Entry{}))
)

// clearedAtOnce is how many entries are cleared at a time, less than 100 KiB: the runtime can't interrupt that, and a
// garbage collection waits for it.
const clearedAtOnce = 1 << 12

// Cleared returns an empty table of at most memory bytes, with no more entries than a search of the given number of nodes can
// need. It is t itself if t is large enough.
func (t Table) Cleared(memory, nodes int) Table {
	n := max(minEntries, min(memory/EntryBytes, nodes*2))
	n = 1 << (bits.Len(uint(n)) - 1)
	if cap(t) < n {
		return make(Table, n)
	}
	for part := range slices.Chunk(t[:n], clearedAtOnce) {
		clear(part)
	}
	return t[:n]
}

// Find returns the entry of a key, or nil.
func (t Table) Find(key uint64) *Entry {
	i := key & uint64(len(t)-bucket)
	for n := range t[i : i+bucket] {
		if e := &t[i+uint64(n)]; e.Key == key && e.Work > 0 {
			return e
		}
	}
	return nil
}

// Put remembers an entry.
func (t Table) Put(e Entry) {
	i := e.Key & uint64(len(t)-bucket)
	to := &t[i]
	for n := range t[i : i+bucket] {
		old := &t[i+uint64(n)]
		if old.Key == e.Key && old.Work > 0 {
			to = old
			break
		}
		if old.Work < to.Work {
			to = old
		}
	}
	*to = e
}
