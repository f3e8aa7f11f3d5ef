package text

import "time"

const day = 24 * time.Hour

// Span returns a length of time in at most two short words: "2 d 3 h", "5 min". Less than a minute is "now".
func (s Say) Span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return s.T("now")
	case d < time.Hour:
		return s.T("%d min", int(d/time.Minute))
	case d < 10*time.Hour && d%time.Hour >= time.Minute:
		return s.T("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
	case d < day:
		return s.T("%d h", int(d/time.Hour))
	case d < 10*day && d%day >= time.Hour:
		return s.T("%d d %d h", int(d/day), int(d%day/time.Hour))
	default:
		return s.T("%d d", int(d/day))
	}
}

// Date returns the day of t in UTC as 2006-01-02, which is read alike everywhere.
func Date(t time.Time) string { return t.UTC().Format(time.DateOnly) }
