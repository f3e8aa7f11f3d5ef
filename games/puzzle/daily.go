package puzzle

import (
	"hash/fnv"
	"time"
)

// Daily returns the puzzle of the day in UTC at a time: the same for everybody who has the same puzzles. A puzzle that is added
// takes only a few days from the others. There is none if there are no puzzles.
func Daily(all []*Puzzle, at time.Time) *Puzzle {
	day := at.UTC().Format(time.DateOnly)
	var daily *Puzzle
	var most uint64
	for _, p := range all {
		if w := weight(day, p.ID); daily == nil || w > most || w == most && p.ID < daily.ID {
			daily, most = p, w
		}
	}
	return daily
}

// weight returns how much a puzzle wants a day: a number that follows from both alone.
func weight(day, id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(day + " " + id))
	// The last characters change only the low bits of FNV; this spreads them (SplitMix64).
	z := h.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
