package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
)

// A clockTick asks a screen that shows a running clock to draw it again. One with an old number is from an earlier state of the match.
type clockTick struct{ number int }

// shownClocks returns what the clocks of a match show at a time; nothing without a clock. The running one stands out.
func shownClocks(e *env, v *lobby.View, now time.Time) (clocks [2]boardpage.Run) {
	if v.Clock.Setting.Kind == lobby.NoClock {
		return clocks
	}
	for side := range clocks {
		y := e.theme.Plain
		if v.Clock.Running() && side == v.Clock.Turn {
			y = e.theme.Accent
		}
		clocks[side] = boardpage.Run{Style: y, Text: e.say.TimeLeft(v.Clock.LeftAt(side, now))}
	}
	return clocks
}

// clocksAt returns what the clocks of a match showed after so many moves; the sides take turns, as in the list of moves.
func clocksAt(e *env, v *lobby.View, ply int) (clocks [2]boardpage.Run) {
	if v.Clock.Setting.Kind == lobby.NoClock {
		return clocks
	}
	for side := range clocks {
		clocks[side] = boardpage.Run{Style: e.theme.Dim, Text: e.say.TimeLeft(v.Clock.Setting.Base)}
	}
	for i := range min(ply, len(v.Left)) {
		clocks[i%2].Text = e.say.TimeLeft(v.Left[i])
	}
	return clocks
}

// firstMoveLeft returns how long the side to move may still take for its first move; ok is false when the clocks run, or there are none.
func firstMoveLeft(v *lobby.View, now time.Time) (left time.Duration, ok bool) {
	deadline := v.Clock.Deadline()
	if deadline.IsZero() || v.Clock.Running() {
		return 0, false
	}
	return max(deadline.Sub(now), 0), true
}

// untilClockChanges returns after how long the board of a match shows another time; 0 for never.
func untilClockChanges(v *lobby.View, now time.Time) time.Duration {
	left, first := firstMoveLeft(v, now)
	switch {
	case v.Clock.Running():
		left = v.Clock.LeftAt(v.Clock.Turn, now)
	case !first:
		return 0
	}
	if left <= 0 {
		return 0 // the end comes as an event
	}
	return text.UntilTimeChanges(left)
}

// tick has the clock of the match drawn again when it shows another time. Only the newest tick goes on.
func (s *matchScreen) tick() tea.Cmd {
	s.ticks++
	wait := untilClockChanges(s.view, s.env.now())
	if wait == 0 {
		return nil
	}
	return after(s.env.ctx, wait, clockTick{s.ticks})
}
