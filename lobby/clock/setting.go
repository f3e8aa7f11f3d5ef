// Package clock is the arithmetic of chess clocks: the setting of a match, the time left to each side, and the moment at which it
// is up. It never reads the system clock: callers pass the times of moves and other events.
package clock

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Kind is a kind of clock.
type Kind uint8

// The kinds of clocks.
const (
	None           Kind = iota // there is no limit
	Fischer                    // a time for all moves of a side, and an increment after each of them
	Correspondence             // a number of days for each move
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

// A Setting is the time control of a match. The zero value is no limit. Settings can be compared.
type Setting struct {
	Kind      Kind
	Base      time.Duration // Fischer: of each side, at the start. Correspondence: for each move
	Increment time.Duration // Fischer: what a side gets after each move
}

// Day is the unit of correspondence clocks.
const Day = 24 * time.Hour

// The limits of settings.
const (
	MinMinutes = 1 // of a Fischer clock
	MaxMinutes = 180
	MaxSeconds = 180 // of its increment
	MinDays    = 1   // of a correspondence clock
	MaxDays    = 14
)

// ErrSetting is wrapped by the errors of Parse.
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

// FirstMove returns how long a side may take for its first move, or 0 for no limit. The clock runs once both sides have made their first move.
func (s Setting) FirstMove() time.Duration {
	switch s.Kind {
	case Fischer:
		return 30 * time.Second
	case Correspondence:
		return 3 * Day
	}
	return 0
}
