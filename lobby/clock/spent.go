package clock

import "time"

// Spent returns how long each move of a match took by the clock. movers are the sides that made the moves, and left is the time left to each
// of them after its move, as LeftAfter returns it; a time below 0 stands for an unknown one. A move took 0 where that isn't known, and until both
// sides have made their first move.
func (s Setting) Spent(movers []int, left []time.Duration) []time.Duration {
	spent := make([]time.Duration, len(left))
	before, moved := [2]time.Duration{s.Base, s.Base}, [2]bool{}
	for i, now := range left {
		side := movers[i]
		switch running := moved[0] && moved[1]; {
		case !running, now < 0:
		case s.Kind == Correspondence:
			spent[i] = max(s.Base-now, 0)
		case s.Kind == Fischer && before[side] >= 0:
			spent[i] = max(before[side]+s.Increment-now, 0)
		}
		before[side], moved[side] = now, true
	}
	return spent
}
