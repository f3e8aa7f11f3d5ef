package terminal

import "time"

// idle ends a session after a time without key presses. It belongs to the loop.
type idle struct {
	limit time.Duration // zero is never
	last  time.Time     // press
	timer *time.Timer
}

func (i *idle) pressed() {
	i.last = time.Now()
	if i.limit > 0 {
		i.timer.Reset(i.limit)
	}
}

// setLimit changes the limit. The time since the last press counts for the new one.
func (i *idle) setLimit(limit time.Duration) {
	if limit == i.limit {
		return
	}
	i.limit = limit
	if limit <= 0 {
		i.timer.Stop()
		return
	}
	i.timer.Reset(time.Until(i.last.Add(limit)))
}
