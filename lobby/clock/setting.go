// Package clock is the arithmetic of chess clocks: which one a match is played with, how much time each side has left, and
// when it runs out. It looks at no clock itself: callers hand in the times of what happened.
package clock

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Kind says how a clock counts.
type Kind uint8

// The kinds of clocks.
const (
	None           Kind = iota // there is no limit
	Fischer                    // a time for all moves of a side, and an increment after each of them
	Correspondence             // so many days for each move
)

func (k Kind) String() string {
	switch k {
	case Fischer:
		return "fischer"
	case Correspondence:
		return "correspondence"
	}
	return "none"
}

// A Setting is the clock that a match is played with. The zero value is none. Settings can be compared.
type Setting struct {
	Kind      Kind
	Base      time.Duration // Fischer: of each side, at the start. Correspondence: for each move
	Increment time.Duration // Fischer: what a side gets after each move
}

// Day is what correspondence clocks count in.
const Day = 24 * time.Hour

// The limits of settings.
const (
	MinMinutes = 1 // of a Fischer clock
	MaxMinutes = 180
	MaxSeconds = 180 // of its increment
	MinDays    = 1   // of a correspondence clock
	MaxDays    = 14
)

// ErrSetting is returned for text that names no clock.
var ErrSetting = errors.New("a clock is none, 5+3 (1 to 180 minutes for each side, 0 to 180 seconds more a move) or 3d (1 to 14 days a move)")

// NewFischer returns the setting of a Fischer clock.
func NewFischer(minutes, seconds int) Setting {
	return Setting{Fischer, time.Duration(minutes) * time.Minute, time.Duration(seconds) * time.Second}
}

// NewCorrespondence returns the setting of a correspondence clock.
func NewCorrespondence(days int) Setting {
	return Setting{Kind: Correspondence, Base: time.Duration(days) * Day}
}

// Parse reads the text of a setting as String writes it. The error wraps ErrSetting.
func Parse(s string) (Setting, error) {
	if s == "none" {
		return Setting{}, nil
	}
	if minutes, seconds, ok := strings.Cut(s, "+"); ok {
		m, okM := number(minutes, MinMinutes, MaxMinutes)
		n, okN := number(seconds, 0, MaxSeconds)
		if okM && okN {
			return NewFischer(m, n), nil
		}
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if d, ok := number(days, MinDays, MaxDays); ok {
			return NewCorrespondence(d), nil
		}
	}
	return Setting{}, fmt.Errorf("%q: %w", s, ErrSetting)
}

// number reads a number from least to most, without a sign or zeros in front.
func number(s string, least, most int) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && s == strconv.Itoa(n) && n >= least && n <= most
}

// String returns the text of the setting: none, 5+3 or 3d.
func (s Setting) String() string {
	switch s.Kind {
	case Fischer:
		return fmt.Sprintf("%d+%d", s.Base/time.Minute, s.Increment/time.Second)
	case Correspondence:
		return fmt.Sprintf("%dd", s.Base/Day)
	}
	return "none"
}

// FirstMove is how long a side may take for its first move. Until both have made theirs, no clock runs.
func (s Setting) FirstMove() time.Duration {
	switch s.Kind {
	case Fischer:
		return 30 * time.Second
	case Correspondence:
		return 3 * Day
	}
	return 0
}
