package board

import "slices"

// A Key is what a History compares of a position: all that two equal positions have in common, except whose turn it is.
type Key [3]uint64

// A History is what a repetition rule has to remember: the positions of a game, the present one last. It is a hash table
// with chains: chains[hash] is the number of the newest position with this hash, counted from 1, and each position knows the
// one before it. Comparison is exact, so two positions that share a hash are never taken for one. Chains grow with the
// positions, so that a game without limits takes the same time for each ply however long it lasts.
//
// Players alternate, so two positions have the same player to move if an even number of plies lies between them. Only such
// positions are the same.
//
// The zero value is empty. A History must not be copied by assignment, because two would then write into one array.
type History struct {
	positions []occurrence
	chains    []uint32 // their number is a power of two, at least sparse times the number of positions
}

// An occurrence is one position of a game: 32 bytes.
type occurrence struct {
	key   Key
	older uint32 // the number of the next older position with the same hash; 0 for none
	times uint8  // how often the position has come up with this time
}

const (
	fewChains = 64 // the chains of a short history
	sparse    = 4  // chains for each position: most are empty, so that most lookups end at once
)

// Add remembers the position after one more ply and returns how often it has come up, this time included. After 255 times
// the number is wrong: the rules that ask for it end the game much sooner.
func (h *History) Add(k Key) (times uint8) {
	if len(h.positions)*sparse >= len(h.chains) {
		h.grow()
	}
	times = 1
	chain := h.chain(&k)
	newest := *chain
	for n := newest; n > 0; n = h.positions[n-1].older {
		if o := &h.positions[n-1]; o.key == k && (len(h.positions)-int(n))&1 == 1 {
			times = o.times + 1
			break
		}
	}
	h.positions = append(h.positions, occurrence{k, newest, times})
	*chain = uint32(len(h.positions))
	return times
}

// Remove takes the last Add back.
func (h *History) Remove() {
	last := len(h.positions) - 1
	newest := &h.positions[last]
	*h.chain(&newest.key) = newest.older
	h.positions = h.positions[:last]
}

// chain returns the chain of a position. The hash mixes all bits by multiplications with odd numbers; its upper bits are the
// good ones. Whose turn it is does not enter: the same position with the other side to move is rare.
func (h *History) chain(k *Key) *uint32 {
	f := k[0]*0x9e3779b97f4a7c15 ^ k[1]*0xc2b2ae3d27d4eb4f ^ k[2]*0x165667b19e3779f9
	f = (f ^ f>>29) * 0x94d049bb133111eb
	return &h.chains[f>>32&uint64(len(h.chains)-1)]
}

// grow doubles the number of chains.
func (h *History) grow() { h.link(max(fewChains, 2*len(h.chains))) }

// link puts all positions into n new chains.
func (h *History) link(n int) {
	h.chains = slices.Grow(h.chains[:0], n)[:n]
	clear(h.chains)
	for i := range h.positions {
		o := &h.positions[i]
		chain := h.chain(&o.key)
		o.older, *chain = *chain, uint32(i+1)
	}
}

// Times returns how often the newest position has come up, and 0 if nothing is remembered.
func (h *History) Times() int {
	if len(h.positions) == 0 {
		return 0
	}
	return int(h.positions[len(h.positions)-1].times)
}

// Len returns how many positions are remembered.
func (h *History) Len() int { return len(h.positions) }

// Newest returns an independent copy of the newest n positions, or of all if there are no more than that. It is for rules by
// which no older position can come up again.
func (h *History) Newest(n int) History {
	if n >= h.Len() {
		return History{slices.Clone(h.positions), slices.Clone(h.chains)}
	}
	c := History{positions: slices.Clone(h.positions[h.Len()-n:])}
	chains := fewChains
	for chains <= sparse*n {
		chains *= 2
	}
	c.link(chains)
	return c
}
