package fourmation

import "math/bits"

// A proofEntry is what the solver has found out about a question: 16 bytes.
type proofEntry struct {
	key          uint64
	mine, theirs uint16 // the numbers for the side to move; both 0: the entry is empty
	work         uint32 // positions that it took
}

// Proofs remember questions by their keys. Their number is a power of two and never changes; entries are kept in pairs,
// and a new one takes the place of the one with less work in it.
type proofs []proofEntry

// The least and the largest number of entries for a player: 64 KiB to 16 MiB.
const (
	minProofs = 1 << 12
	maxProofs = 1 << 20
)

// newProofs returns a table for a search of so many positions, of which a quarter are looked into.
func newProofs(nodes, most int) proofs {
	n := min(max(nodes/4, minProofs), most)
	return make(proofs, 1<<bits.Len(uint(n-1)))
}

// find returns the entry of a question, or nil.
func (t proofs) find(key uint64) *proofEntry {
	i := key & uint64(len(t)-1)
	for _, p := range [2]*proofEntry{&t[i], &t[i^1]} {
		if p.key == key && p.mine|p.theirs != 0 {
			return p
		}
	}
	return nil
}

// put remembers the numbers of a question.
func (t proofs) put(key uint64, mine, theirs, work int) {
	i := key & uint64(len(t)-1)
	to, second := &t[i], &t[i^1]
	if to.key != key && (second.key == key || second.work < to.work) {
		to = second
	}
	*to = proofEntry{key, uint16(mine), uint16(theirs), uint32(min(work, 1<<32-1))}
}
