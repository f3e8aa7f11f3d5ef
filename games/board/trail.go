package board

// filterSize is how many counters tell keys apart that have come up from those that haven't.
const filterSize = 1 << 12

// A Trail is what a search has to remember for a repetition rule: the keys of the positions up to the present one, the last
// of which it takes back again and again. Counters by a part of the key say whether it is worth looking for one. The zero
// value is empty.
type Trail struct {
	keys  []uint64
	times [filterSize]uint16
}

// Grow makes room for so many keys more.
func (t *Trail) Grow(n int) { t.keys = append(make([]uint64, 0, len(t.keys)+n), t.keys...) }

// Push adds the key of the position after one more ply.
func (t *Trail) Push(key uint64) {
	t.keys = append(t.keys, key)
	t.times[key%filterSize]++
}

// Pop takes the last Push back.
func (t *Trail) Pop() {
	last := len(t.keys) - 1
	t.times[t.keys[last]%filterSize]--
	t.keys = t.keys[:last]
}

// Len returns how many keys there are.
func (t *Trail) Len() int { return len(t.keys) }

// Times returns how often a key is there, or any number below enough if it is there less often than that.
func (t *Trail) Times(key uint64, enough int) (times int) {
	if int(t.times[key%filterSize]) < enough {
		return 0
	}
	for _, k := range t.keys {
		if k == key {
			times++
		}
	}
	return times
}
