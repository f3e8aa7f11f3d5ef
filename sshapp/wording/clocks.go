package wording

import (
	"fmt"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/sshapp/text"
)

// Clock names a clock in words.
func (s Words) Clock(c lobby.ClockSetting) string {
	switch c.Kind {
	case lobby.Fischer:
		return c.String()
	case lobby.Correspondence:
		return s.N(int(c.Base/day), "1 day a move", "%d days a move")
	}
	return s.T("no clock")
}

// classNames name the classes of clocks, as a choice of any clock in one.
var classNames = map[clock.Class]string{
	clock.Bullet:    text.T("any bullet clock"),
	clock.Blitz:     text.T("any blitz clock"),
	clock.Rapid:     text.T("any rapid clock"),
	clock.Classical: text.T("any classical clock"),
	clock.Days:      text.T("any days a move"),
}

// QuickClock names the clock of a quick match: a clock, or any of a class.
func (s Words) QuickClock(c lobby.ClockSetting, class clock.Class) string {
	if class != clock.NoClass {
		return s.T(classNames[class])
	}
	return s.Clock(c)
}

// ShortClock names a clock where there is little room. It returns "" for no clock.
func (s Words) ShortClock(c lobby.ClockSetting) string {
	switch c.Kind {
	case lobby.Fischer:
		return c.String()
	case lobby.Correspondence:
		return s.T("%d d", int(c.Base/day))
	}
	return ""
}

// Below showTenths a clock shows tenths of a second.
const showTenths = 10 * time.Second

// TimeLeft writes what a clock shows: 9:41, 1:09:41, 0:08.3, and days in words.
func (s Words) TimeLeft(d time.Duration) string {
	d = max(d, 0)
	seconds := int(d / time.Second)
	switch {
	case d >= day:
		return s.Span(d)
	case d >= time.Hour:
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	case d < showTenths:
		return fmt.Sprintf("0:%02d.%d", seconds, int(d%time.Second/(100*time.Millisecond)))
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// Times writes how long moves took, as TimeLeft does, and "" for one that took no time. It is nil if none took any: their times are not known.
func (s Words) Times(spent []time.Duration) []string {
	var times []string
	for i, d := range spent {
		if d == 0 {
			continue
		}
		if times == nil {
			times = make([]string, len(spent))
		}
		times[i] = s.TimeLeft(d)
	}
	return times
}

// WholeTimeLeft is TimeLeft without tenths of a second.
func (s Words) WholeTimeLeft(d time.Duration) string {
	if d = max(d, 0); d < showTenths {
		return fmt.Sprintf("0:%02d", int(d/time.Second))
	}
	return s.TimeLeft(d)
}

// UntilTimeChanges returns the time after which TimeLeft shows something else while d runs down.
func UntilTimeChanges(d time.Duration) time.Duration {
	step := time.Second
	switch {
	case d >= day+time.Hour:
		step = time.Hour
	case d >= day:
		return d - day + time.Millisecond
	case d <= showTenths:
		step = 100 * time.Millisecond
	}
	return d%step + time.Millisecond
}

// TimeInWords returns the time on a clock for reading aloud, in at most two units: "4 minutes and 51 seconds". Parts of a second, minutes
// beside days and seconds beside hours are left out.
func (s Words) TimeInWords(d time.Duration) string {
	d = max(d, 0)
	for i, length := range timeUnits {
		n := int(d / length)
		if n == 0 && i < len(timeUnits)-1 {
			continue
		}
		words := s.count(n, length)
		if i == len(timeUnits)-1 {
			return words
		}
		below := timeUnits[i+1]
		if n := int(d % length / below); n > 0 {
			return s.T("%s and %s", words, s.count(n, below))
		}
		return words
	}
	return ""
}

// timeUnits are the units of times in words, the longest first.
var timeUnits = []time.Duration{day, time.Hour, time.Minute, time.Second}

// count returns a number of units of time.
func (s Words) count(n int, unit time.Duration) string {
	switch unit {
	case day:
		return s.N(n, "1 day", "%d days")
	case time.Hour:
		return s.N(n, "1 hour", "%d hours")
	case time.Minute:
		return s.N(n, "1 minute", "%d minutes")
	}
	return s.N(n, "1 second", "%d seconds")
}
