package boardpage

import (
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/wording"

	"ludoteca/sshapp/ui/screen"
)

// ShownClocks returns the texts of a match's clocks at a time. The running clock stands out. Without a clock the texts are empty.
func ShownClocks(e *screen.Env, v *lobby.View, now time.Time) (clocks [2]Run) {
	if v.Clock.Setting.Kind == lobby.NoClock {
		return clocks
	}
	if !e.CutOff.IsZero() && now.After(e.CutOff) {
		now = e.CutOff
	}
	for side := range clocks {
		y := e.Theme.Plain
		if v.Clock.Running() && side == v.Clock.Turn && !v.Clock.StandsAt(now) {
			y = e.Theme.Accent
		}
		clocks[side] = Run{Style: y, Text: e.Say.TimeLeft(v.Clock.LeftAt(side, now))}
	}
	return clocks
}

// ClocksAt returns what the clocks of a match showed after ply moves. The sides take turns, as in the list of moves.
func ClocksAt(e *screen.Env, v *lobby.View, ply int) (clocks [2]Run) {
	if v.Clock.Setting.Kind == lobby.NoClock {
		return clocks
	}
	for side := range clocks {
		clocks[side] = Run{Style: e.Theme.Dim, Text: e.Say.TimeLeft(v.Clock.Setting.Base)}
	}
	for i := range min(ply, len(v.Left)) {
		clocks[i%2].Text = e.Say.TimeLeft(v.Left[i])
	}
	return clocks
}

// FirstMoveLeft returns the time that the side to move has left for its first move. ok is false when the clocks run, or nothing limits that
// time.
func FirstMoveLeft(v *lobby.View, now time.Time) (left time.Duration, ok bool) {
	switch {
	case v.Clock.Running(), v.Clock.Deadline().IsZero() && v.FirstMoveBy.IsZero():
		return 0, false
	case v.Clock.Deadline().IsZero():
		return max(v.FirstMoveBy.Sub(now), 0), true
	}
	return v.Clock.FirstMoveLeft(now), true
}

// UntilClockChanges returns the time after which the board of a match shows another time, or 0 if it never does.
func UntilClockChanges(v *lobby.View, now time.Time) time.Duration {
	left, first := FirstMoveLeft(v, now)
	switch {
	case v.Clock.StandsAt(now):
		return v.Clock.Until.Sub(now)
	case v.Clock.Running():
		left = v.Clock.LeftAt(v.Clock.Turn, now)
	case !first:
		return 0
	}
	if left <= 0 {
		return 0 // the end comes as an event
	}
	return wording.UntilTimeChanges(left)
}
