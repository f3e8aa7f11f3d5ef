package lobby

import (
	"time"

	"ludoteca/lobby/origin"
)

// A pace limits how fast people, and the people behind blocks of addresses together, open matches and resign them: each match
// costs room on the disk. An end that comes of moves is never held up: no more of them come than were opened.
type pace struct {
	opening   *origin.Throttle
	resigning *origin.Throttle
}

// maxThrottled is how many people, and as many blocks of each size, are remembered.
const maxThrottled = 10_000

func newPace(l Limits) pace {
	throttle := func() *origin.Throttle {
		return origin.NewSharedThrottle(l.MatchEvery, l.MatchBurst, origin.PeoplePerAddress, maxThrottled)
	}
	return pace{throttle(), throttle()}
}

// throttled does what a user may do only so often. What fails costs nothing. The error is do's or a *TooFastError.
func (l *Lobby) throttled(t *origin.Throttle, u User, do func() error) error {
	from := l.origins.of(u.Occupant())
	if wait, ok := t.Take(time.Now(), from); !ok {
		return &TooFastError{Wait: wait}
	}
	err := do()
	if err != nil {
		t.Return(time.Now(), from)
	}
	return err
}
