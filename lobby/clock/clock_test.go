package clock

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// after returns the time d after start.
func after(d time.Duration) time.Time { return start.Add(d) }

func TestParse(t *testing.T) {
	for text, want := range map[string]Setting{
		"none":    {},
		"5+3":     {Fischer, 5 * time.Minute, 3 * time.Second},
		"1+0":     {Fischer, time.Minute, 0},
		"180+180": {Fischer, 3 * time.Hour, 3 * time.Minute},
		"1d":      {Kind: Correspondence, Base: Day},
		"14d":     {Kind: Correspondence, Base: 14 * Day},
	} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
		if got := want.String(); got != text {
			t.Errorf("%+v is written %q, want %q", want, got, text)
		}
	}
	for _, text := range []string{"", "None", "5", "+", "5+", "+3", "0+3", "181+0", "5+181", "5+-1", "+5+3", "05+3", "5+03", "5+3+1", " 5+3",
		"0d", "15d", "d", "3D", "3 d", "-3d", "99999999999999999999d", "5.5+3", "٥+٣"} {
		if got, err := Parse(text); !errors.Is(err, ErrSetting) || got != (Setting{}) {
			t.Errorf("%q: %+v, %v, want ErrSetting", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"none", "5+3", "180+180", "3d", "0+0", "5+", "d", "1e3+1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		switch {
		case err != nil && s != (Setting{}):
			t.Fatalf("%q is refused as %+v", text, s)
		case err == nil && s.String() != text:
			t.Fatalf("%q is read as %+v, which is written %q", text, s, s)
		case err == nil && (s.Base < 0 || s.Base > 14*Day || s.Increment < 0 || s.Increment > 3*time.Minute):
			t.Fatalf("%q is %+v, which is out of range", text, s)
		}
	})
}

// begun returns a clock after the first moves of both sides; it is the first side's turn since start.
func begun(t *testing.T, s Setting) Clock {
	t.Helper()
	c := New(s).Start(start.Add(-2*time.Second), 0)
	for side := range 2 {
		var ok bool
		if c, ok = c.Move(start, 0, 1-side); !ok {
			t.Fatal("a first move is refused")
		}
	}
	return c
}

func TestFischer(t *testing.T) {
	c := begun(t, NewFischer(5, 3))
	if c.Left != [2]time.Duration{5 * time.Minute, 5 * time.Minute} || !c.Running() {
		t.Fatalf("after the first moves the clock is %+v", c)
	}
	if got := c.LeftAt(0, after(10*time.Second)); got != 4*time.Minute+50*time.Second {
		t.Errorf("after 10 s the side to move has %v", got)
	}
	if got := c.LeftAt(1, after(10*time.Second)); got != 5*time.Minute {
		t.Errorf("after 10 s the other side has %v", got)
	}
	if got := c.LeftAt(0, after(time.Hour)); got != 0 {
		t.Errorf("after an hour the side to move has %v", got)
	}
	for _, tt := range []struct {
		name     string
		at, lag  time.Duration
		want     time.Duration // left to the first side
		accepted bool
	}{
		{"a move after 10 s", 10 * time.Second, 0, 4*time.Minute + 53*time.Second, true},
		{"a slow line", 10 * time.Second, 200 * time.Millisecond, 4*time.Minute + 53200*time.Millisecond, true},
		{"a very slow line", 10 * time.Second, time.Minute, 4*time.Minute + 53300*time.Millisecond, true},
		{"a measurement that makes no sense", 10 * time.Second, -time.Minute, 4*time.Minute + 53*time.Second, true},
		{"faster than the line", 100 * time.Millisecond, 300 * time.Millisecond, 5*time.Minute + 3*time.Second, true},
		{"a clock that went back", -time.Second, 0, 5*time.Minute + 3*time.Second, true},
		{"the last millisecond", 5*time.Minute - time.Millisecond, 0, 3*time.Second + time.Millisecond, true},
		{"the deadline", 5 * time.Minute, 0, 0, false},
		{"the deadline, a slow line", 5 * time.Minute, 100 * time.Millisecond, 3*time.Second + 100*time.Millisecond, true},
		{"beyond any credit", 5*time.Minute + MaxCredit, time.Minute, 0, false},
	} {
		next, ok := c.Move(after(tt.at), tt.lag, 1)
		switch {
		case ok != tt.accepted:
			t.Errorf("%s: accepted %v", tt.name, ok)
		case !ok && next != c:
			t.Errorf("%s: a refused move changes the clock to %+v", tt.name, next)
		case ok && (next.Left[0] != tt.want || next.Left[1] != c.Left[1] || next.Turn != 1 || !next.Since.Equal(after(tt.at))):
			t.Errorf("%s: the clock is %+v, want %v left", tt.name, next, tt.want)
		}
	}
}

func TestCorrespondence(t *testing.T) {
	c := begun(t, NewCorrespondence(3))
	if got := c.Deadline(); !got.Equal(after(3 * Day)) {
		t.Errorf("the deadline is %v", got)
	}
	c, ok := c.Move(after(2*Day), 0, 1)
	if !ok || c.Left[0] != 3*Day {
		t.Fatalf("after two days: %+v, %v: each move has all of the days", c, ok)
	}
	if _, ok := c.Move(after(5*Day), 0, 0); ok {
		t.Error("a move after three days is accepted")
	}
}

// TestFirstMoves: until both sides have made their first move no clock runs, but each has a time for it.
func TestFirstMoves(t *testing.T) {
	for _, s := range []Setting{NewFischer(1, 0), NewCorrespondence(1)} {
		c := New(s)
		if !c.Deadline().IsZero() || c.Expired(after(1000*Day)) {
			t.Errorf("%v: there is a deadline, or a clock runs, before the match has started", s)
		}
		c = c.Start(start, 0)
		if got := c.Deadline(); !got.Equal(after(s.FirstMove())) || c.Running() {
			t.Errorf("%v: the first move has to be made until %v, running %v", s, got, c.Running())
		}
		if _, ok := c.Move(c.Deadline(), 0, 1); ok {
			t.Errorf("%v: a first move that is too late is accepted", s)
		}
		c, ok := c.Move(after(20*time.Second), 0, 1)
		if !ok || c.Running() || c.Left[0] != s.Base || !c.Deadline().Equal(after(20*time.Second+s.FirstMove())) {
			t.Errorf("%v: after the first move %v the clock is %+v", s, ok, c)
		}
		c, ok = c.Move(after(40*time.Second), 0, 0)
		if !ok || !c.Running() || c.Left != [2]time.Duration{s.Base, s.Base} || !c.Deadline().Equal(after(40*time.Second+s.Base)) {
			t.Errorf("%v: after both first moves %v the clock is %+v", s, ok, c)
		}
	}
}

func TestNone(t *testing.T) {
	c := New(Setting{}).Start(start, 1)
	moved, ok := c.Move(after(1000*Day), 0, 0)
	if !ok || moved != (Clock{}) || c.Running() || !c.Deadline().IsZero() || c.Expired(after(1000*Day)) {
		t.Errorf("a match without a clock has %+v, after a move %+v, %v", c, moved, ok)
	}
	if _, ok := c.Resume(start, [2]time.Duration{}); ok {
		t.Error("a match without a clock can be resumed")
	}
}

func TestTakeBack(t *testing.T) {
	c, _ := begun(t, NewFischer(5, 3)).Move(after(time.Minute), 0, 1)
	back, ok := c.TakeBack(after(90*time.Second), 0)
	want := [2]time.Duration{4*time.Minute + 3*time.Second, 4*time.Minute + 30*time.Second}
	if !ok || back.Left != want || back.Turn != 0 || !back.Since.Equal(after(90*time.Second)) {
		t.Errorf("after a takeback %v: %+v, want %v left", ok, back, want)
	}
	if _, ok := c.TakeBack(after(6*time.Minute), 0); ok {
		t.Error("a move is taken back when the time is up")
	}
}

// TestAfterOutage: time while the program was down is charged to neither side.
func TestAfterOutage(t *testing.T) {
	const five, three = 5 * time.Minute, 3 * Day
	for _, tt := range []struct {
		name          string
		setting       Setting
		down, up, now time.Duration
		want          [2]time.Duration
	}{
		{"a heartbeat after the last move", NewFischer(5, 3), time.Minute, time.Hour, time.Hour, [2]time.Duration{five - time.Minute + MaxResumed, five + MaxResumed}},
		{"taken up later", NewFischer(5, 3), time.Minute, time.Hour, time.Hour + time.Second, [2]time.Duration{five - 61*time.Second + MaxResumed, five + MaxResumed}},
		{"a move after the last heartbeat", NewFischer(5, 3), -time.Second, time.Hour, time.Hour, [2]time.Duration{five + MaxResumed, five + MaxResumed}},
		{"the time was up", NewFischer(5, 3), time.Hour, 2 * time.Hour, 2 * time.Hour, [2]time.Duration{MaxResumed, five + MaxResumed}},
		{"days", NewCorrespondence(3), Day, 2 * Day, 2 * Day, [2]time.Duration{2 * Day, three}},
	} {
		c := begun(t, tt.setting)
		got := c.AfterOutage(after(tt.down), after(tt.up), after(tt.now))
		if got != tt.want {
			t.Errorf("%s: left %v, want %v", tt.name, got, tt.want)
		}
		next, ok := c.Resume(after(tt.now), got)
		if !ok || next.Left != tt.want || !next.Since.Equal(after(tt.now)) || next.Turn != c.Turn {
			t.Errorf("%s: resumed %v as %+v", tt.name, ok, next)
		}
	}
	c := begun(t, NewFischer(5, 3))
	for _, left := range [][2]time.Duration{{-1, 0}, {0, -1}, {5*time.Minute + MaxResumed + 1, 0}} {
		if _, ok := c.Resume(after(time.Hour), left); ok {
			t.Errorf("a match is resumed with %v left", left)
		}
	}
	first := New(NewFischer(5, 3)).Start(start, 0)
	first, ok := first.Resume(after(time.Hour), first.AfterOutage(after(time.Second), after(time.Hour), after(time.Hour)))
	if !ok || first.Left != [2]time.Duration{five, five} || !first.Deadline().Equal(after(time.Hour+30*time.Second)) {
		t.Errorf("before the first move the clock goes on as %+v, %v", first, ok)
	}
}

func TestInterrupted(t *testing.T) {
	fischer, days := begun(t, NewFischer(5, 3)), begun(t, NewCorrespondence(3))
	for _, tt := range []struct {
		name     string
		clock    Clock
		down, up time.Duration
		want     bool
	}{
		{"Fischer", fischer, time.Second, 2 * time.Second, true},
		{"Fischer, moved after the last heartbeat", fischer, -time.Second, time.Second, true},
		{"moved since", fischer, -time.Hour, 0, false},
		{"resumed already", fischer, -2 * time.Hour, -time.Hour, false},
		{"days, a short time", days, time.Hour, time.Hour + time.Minute - 1, false},
		{"days, a long time", days, time.Hour, time.Hour + time.Minute, true},
		{"days, moved shortly before", days, -time.Hour, time.Minute - 1, false},
		{"not started", New(NewFischer(5, 3)), 0, time.Hour, false},
		{"none", Clock{}, 0, time.Hour, false},
	} {
		if got := tt.clock.Interrupted(after(tt.down), after(tt.up)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestNoTimeFromNothing plays random moves, takebacks and outages. The time left to both sides must be the time at the start plus increments and
// gains after outages, less the time that passed since the first moves and was not credited.
func TestNoTimeFromNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewFischer(rapid.IntRange(MinMinutes, MaxMinutes).Draw(t, "minutes"), rapid.IntRange(0, MaxSeconds).Draw(t, "seconds"))
		c := New(s).Start(start, 0)
		now, want := start, 2*s.Base
		for range rapid.IntRange(1, 50).Draw(t, "events") {
			passed := time.Duration(rapid.Int64Range(0, 60_000).Draw(t, "ms")) * time.Millisecond
			now = now.Add(passed)
			turn := rapid.IntRange(0, 1).Draw(t, "turn") // a game may give a side two moves in a row
			running, next, ok := c.Running(), c, false
			switch rapid.IntRange(0, 5).Draw(t, "event") {
			case 0:
				if next, ok = c.TakeBack(now, turn); ok && running {
					want -= passed
				}
			case 1:
				outage := time.Duration(rapid.Int64Range(0, 100_000).Draw(t, "outage")) * time.Millisecond
				left := c.AfterOutage(now, now.Add(outage), now.Add(outage))
				now = now.Add(outage)
				if running {
					want += 2*MaxResumed - min(passed, c.Left[c.Turn])
				}
				if next, ok = c.Resume(now, left); !ok {
					t.Fatalf("%+v can't be resumed with %v", c, left)
				}
			default:
				lag := time.Duration(rapid.Int64Range(-10, 1000).Draw(t, "lag")) * time.Millisecond
				if next, ok = c.Move(now, lag, turn); ok && running {
					want += s.Increment - max(passed-Credit(lag), 0)
				}
			}
			if !ok {
				if !c.Expired(now) {
					t.Fatalf("%+v: refused at %v, before the deadline", c, now)
				}
				return
			}
			if got := next.Left[0] + next.Left[1]; got != want || next.Left[0] < 0 || next.Left[1] < 0 {
				t.Fatalf("%+v, then %+v: %v left together, want %v", c, next, got, want)
			}
			c = next
		}
	})
}
