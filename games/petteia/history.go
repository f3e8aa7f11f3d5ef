package petteia

import (
	"slices"

	"ludoteca/games"
)

// A history is the positions since the last capture, the present one last: what the repetition rule has to remember,
// because a captured man never comes back. It is a hash table with chains: chains[hash] is the number of the newest
// position with this hash, counted from 1, and each position knows the one before it. Comparison is exact, so two
// positions that share a hash are never taken for one. Chains grow with the positions, so that a game without
// limits takes the same time for each ply however long it lasts.
//
// The zero value is empty. A history must not be copied by assignment, because two would then write into one array.
type history struct {
	positions []occurrence
	chains    []uint32 // their number is a power of two, and at least sparse times that of positions
}

// An occurrence is one position of a game: 32 bytes.
type occurrence struct {
	lo    [2]uint64 // the sets of both sides
	hi    [2]uint32
	older uint32 // the number of the next older position with the same hash; 0 for none
	times uint8  // how often the position has come up with this time
	turn  games.Side
}

// chain returns the chain of a position. The hash mixes all cells by multiplications with odd numbers; its upper bits are
// the good ones. Whose turn it is does not enter: the same cells with the other side to move are rare.
func (h *history) chain(lo [2]uint64, hi [2]uint32) *uint32 {
	f := lo[0]*0x9e3779b97f4a7c15 ^ lo[1]*0xc2b2ae3d27d4eb4f
	f ^= (uint64(hi[0])<<32 | uint64(hi[1])) * 0x165667b19e3779f9
	f = (f ^ f>>29) * 0x94d049bb133111eb
	return &h.chains[f>>32&uint64(len(h.chains)-1)]
}

const (
	fewChains = 64 // the chains of a short history
	sparse    = 4  // chains for each position: most are empty, so that most lookups end at once
)

// add remembers a position and returns how often it has come up, this time included.
func (h *history) add(men *[2]set, turn games.Side) uint8 {
	if len(h.positions)*sparse >= len(h.chains) {
		h.grow()
	}
	lo := [2]uint64{men[0].lo, men[1].lo}
	hi := [2]uint32{men[0].hi, men[1].hi}
	times := uint8(1)
	chain := h.chain(lo, hi)
	newest := *chain
	for n := newest; n > 0; n = h.positions[n-1].older {
		if o := &h.positions[n-1]; o.lo == lo && o.hi == hi && o.turn == turn {
			times = o.times + 1
			break
		}
	}
	h.positions = append(h.positions, occurrence{lo, hi, newest, times, turn})
	*chain = uint32(len(h.positions))
	return times
}

// grow doubles the number of chains.
func (h *history) grow() {
	n := max(fewChains, 2*len(h.chains))
	h.chains = slices.Grow(h.chains[:0], n)[:n]
	clear(h.chains)
	for i := range h.positions {
		o := &h.positions[i]
		chain := h.chain(o.lo, o.hi)
		o.older, *chain = *chain, uint32(i+1)
	}
}

// forget empties the history and keeps its memory.
func (h *history) forget() {
	h.positions = h.positions[:0]
	clear(h.chains)
}

// set makes h an independent copy of from.
func (h *history) set(from *history) {
	h.positions = append(h.positions[:0], from.positions...)
	h.chains = append(h.chains[:0], from.chains...)
}

// times returns how often the newest position has come up, and 0 if nothing is remembered.
func (h *history) times() int {
	if len(h.positions) == 0 {
		return 0
	}
	return int(h.positions[len(h.positions)-1].times)
}
