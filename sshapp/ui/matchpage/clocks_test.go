package matchpage

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestBoardShowsClocks: a board shows both clocks, counts seconds, then tenths, and goes on doing so without keys.
func TestBoardShowsClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest("1+2"))
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Sees("Your first move: 0:30 left.", "1+2")
		s.Live(21 * time.Second)
		s.Sees("Your first move: 0:09.0 left.")
		b.Play(uitest.ShortWin[0])
		s.Settle()
		s.Sees("First move of rui: 0:30 left.", "1:00")
		b.Play(uitest.ShortWin[1])
		s.Settle()
		s.Misses("irst move")
		for _, step := range []struct {
			wait time.Duration
			sees string
		}{
			{500 * time.Millisecond, "0:59"}, {49500 * time.Millisecond, "0:10"}, {time.Millisecond, "0:09.9"}, {1650 * time.Millisecond, "0:08.3"},
		} {
			s.Live(step.wait)
			s.Sees(step.sees, "1:00")
		}
		if lit, other := s.StyleOf("0:08.3"), s.StyleOf("1:00"); lit == other {
			t.Error("the running clock doesn't stand out")
		}
		b.Play(uitest.ShortWin[2])
		s.Settle()
		s.Sees("0:10", "1:00")
		s.Live(30 * time.Second)
		s.Sees("0:10", "0:30")
		s.Live(30*time.Second + 300*time.Millisecond)
		s.Sees("rui ran out of time", "0:00.0")
		if n := s.Live(time.Hour); n > 1 {
			t.Errorf("%d ticks in an hour after the end", n)
		}
	})
}

// TestTicksOnlyWhereAClockIsShown: a clock is drawn again as often as it shows another time, and not at all under another page.
func TestTicksOnlyWhereAClockIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest("5+3"))
		b.Play(uitest.ShortWin[:2]...)
		s := open(b, b.Rui, 80, 24, accounts.Settings{})
		if n := s.Live(100 * time.Second); n < 99 || n > 101 {
			t.Errorf("%d ticks in 100 s", n)
		}
		s.Keys("?")
		s.Live(2 * time.Second)
		if n := s.Live(100 * time.Second); n != 0 {
			t.Errorf("%d ticks in 100 s under the help page", n)
		}
		s.Keys("esc")
		s.Sees("1:38") // 5 minutes less 202 s
		if n := s.Live(88 * time.Second); n < 87 || n > 90 {
			t.Errorf("%d ticks in 88 s back at the board", n)
		}
		if n := s.Live(5 * time.Second); n < 49 || n > 52 {
			t.Errorf("%d ticks in 5 of the last seconds", n)
		}
	})
}

// TestNoTicksWithoutAClock: a match without a clock, or one that counts days, leaves a session alone.
func TestNoTicksWithoutAClock(t *testing.T) {
	for clock, most := range map[string]int{"none": 0, "14d": 2} {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest(clock))
			b.Play(uitest.ShortWin[:3]...)
			s := open(b, b.Ana, 80, 24, accounts.Settings{})
			if n := s.Live(time.Hour); n > most {
				t.Errorf("%s: %d ticks in an hour", clock, n)
			}
		})
	}
}

// TestReviewShowsClocks: a review shows what each side had left after the move on the board.
func TestReviewShowsClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest("5+0"))
		b.Play(uitest.ShortWin[:2]...)
		for _, m := range uitest.ShortWin[2:] {
			time.Sleep(7 * time.Second)
			b.Play(m)
		}
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("v")
		s.Sees("4:39", "4:46")
		s.Keys("home")
		s.Sees("5:00")
		s.Misses("4:")
		s.Keys("right", "right", "right")
		s.Sees("4:53", "5:00")
	})
}
