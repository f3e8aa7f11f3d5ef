package lab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Clock is the time that a player has for a whole game of the arena. The zero value is no clock.
type Clock struct {
	Base      time.Duration // at the start
	Increment time.Duration // that is added after each of its moves
}

// maxClock is the most of each part of a Clock.
const maxClock = 24 * time.Hour

// timeUp is the reason of a game that was lost on time.
const timeUp = "time"

// errTimeUp says that a player has run out of time.
var errTimeUp = errors.New("the time is up")

// ParseClock reads "SECONDS+INCREMENT", both in seconds with any decimals: 10+0.1. A part may be up to a day. The error wraps ErrUsage.
func ParseClock(text string) (Clock, error) {
	base, increment, ok := strings.Cut(text, "+")
	var c Clock
	var errBase, errIncrement error
	c.Base, errBase = seconds(base)
	c.Increment, errIncrement = seconds(increment)
	if !ok || errBase != nil || errIncrement != nil || !c.sound() {
		return Clock{}, fmt.Errorf("%w: %.40q is no clock such as 10+0.1, in seconds", ErrUsage, text)
	}
	return c, nil
}

// seconds reads a number of seconds.
func seconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s <= maxClock.Seconds()) {
		return 0, errors.New("it is no time")
	}
	return time.Duration(s * float64(time.Second)), nil
}

// sound reports whether a game can be played with the clock.
func (c Clock) sound() bool {
	return c.Base >= time.Millisecond && c.Base <= maxClock && c.Increment >= 0 && c.Increment <= maxClock
}

// String returns what ParseClock reads; empty for no clock.
func (c Clock) String() string {
	if c == (Clock{}) {
		return ""
	}
	text := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	return text(c.Base) + "+" + text(c.Increment)
}

// clocks returns what the sides have left at the beginning of a game; nil for a side without a clock.
func (m *Meeting) clocks(index int) (left [2]*time.Duration) {
	if m.Clock == (Clock{}) {
		return left
	}
	first := index % 2 // the side of the first player
	for side := range left {
		if base := m.Clock.Base; side == first || m.MoveTime == 0 {
			left[side] = &base
		}
	}
	return left
}
