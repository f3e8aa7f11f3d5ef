package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// live lets time go by with the session at work, as its driver would, and returns how many clockTicks came.
func (s *session) live(d time.Duration) (ticks int) {
	timer := time.NewTimer(d)
	for {
		select {
		case msg := <-s.msgs:
			if a, ok := msg.(answer); ok {
				if _, ok := a.msg.(clockTick); ok {
					ticks++
				}
			}
			s.take(msg)
		case <-timer.C:
			s.settle()
			return ticks
		}
	}
}

// TestBoardShowsClocks: a board shows both clocks, counts seconds, then tenths, and goes on doing so while nobody touches a key.
func TestBoardShowsClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTimedMatch(t, "fourmation", nil, true, clockOfTest("1+2"))
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.sees("Your first move: 0:30 left.", "1+2")
		s.live(21 * time.Second)
		s.sees("Your first move: 0:09.0 left.")
		b.play(shortWin[0])
		s.settle()
		s.sees("First move of rui: 0:30 left.", "1:00")
		b.play(shortWin[1])
		s.settle()
		s.misses("irst move")
		for _, step := range []struct {
			wait time.Duration
			sees string
		}{
			{500 * time.Millisecond, "0:59"}, {49500 * time.Millisecond, "0:10"}, {time.Millisecond, "0:09.9"}, {1650 * time.Millisecond, "0:08.3"},
		} {
			s.live(step.wait)
			s.sees(step.sees, "1:00")
		}
		if lit, other := s.styleOf("0:08.3"), s.styleOf("1:00"); lit == other {
			t.Error("the running clock doesn't stand out")
		}
		b.play(shortWin[2])
		s.settle()
		s.sees("0:10", "1:00")
		s.live(30 * time.Second)
		s.sees("0:10", "0:30")
		s.live(30*time.Second + 300*time.Millisecond)
		s.sees("rui ran out of time", "0:00.0")
		if n := s.live(time.Hour); n > 1 {
			t.Errorf("%d ticks in an hour after the end", n)
		}
	})
}

// TestTicksOnlyWhereAClockIsShown: a clock is drawn again as often as it shows another time, and not at all under another page.
func TestTicksOnlyWhereAClockIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTimedMatch(t, "fourmation", nil, true, clockOfTest("5+3"))
		b.play(shortWin[:2]...)
		s := b.open(b.rui, 80, 24, storage.Settings{})
		if n := s.live(100 * time.Second); n < 99 || n > 101 {
			t.Errorf("%d ticks in 100 s", n)
		}
		s.keys("?")
		s.live(2 * time.Second)
		if n := s.live(100 * time.Second); n != 0 {
			t.Errorf("%d ticks in 100 s under the help page", n)
		}
		s.keys("esc")
		s.sees("1:38") // 5 minutes less 202 s
		if n := s.live(88 * time.Second); n < 87 || n > 90 {
			t.Errorf("%d ticks in 88 s back at the board", n)
		}
		if n := s.live(5 * time.Second); n < 49 || n > 52 {
			t.Errorf("%d ticks in 5 of the last seconds", n)
		}
	})
}

// TestNoTicksWithoutAClock: a match without a clock, or one that counts days, leaves a session alone.
func TestNoTicksWithoutAClock(t *testing.T) {
	for clock, most := range map[string]int{"none": 0, "14d": 2} {
		synctest.Test(t, func(t *testing.T) {
			b := newTimedMatch(t, "fourmation", nil, true, clockOfTest(clock))
			b.play(shortWin[:3]...)
			s := b.open(b.ana, 80, 24, storage.Settings{})
			if n := s.live(time.Hour); n > most {
				t.Errorf("%s: %d ticks in an hour", clock, n)
			}
		})
	}
}

// TestReviewShowsClocks: a review shows what each side had left after the move on the board.
func TestReviewShowsClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTimedMatch(t, "fourmation", nil, true, clockOfTest("5+0"))
		b.play(shortWin[:2]...)
		for _, m := range shortWin[2:] {
			time.Sleep(7 * time.Second)
			b.play(m)
		}
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("v")
		s.sees("4:39", "4:46")
		s.keys("home")
		s.sees("5:00")
		s.misses("4:")
		s.keys("right", "right", "right")
		s.sees("4:53", "5:00")
	})
}
