package throttle

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// start is when the tests begin.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestTake(t *testing.T) {
	throttle := New[string](time.Second, 3, 100)
	now := start
	take := func(key string, want ...bool) {
		t.Helper()
		var got []bool
		for range want {
			_, ok := throttle.Take(now, key)
			got = append(got, ok)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v after the start, Take(%s) = %v, want %v", now.Sub(start), key, got, want)
		}
	}
	take("ana", true, true, true, false, false)
	take("rui", true)
	now = now.Add(time.Second - time.Millisecond)
	take("ana", false)
	now = now.Add(time.Millisecond)
	take("ana", true, false)
	now = now.Add(time.Hour) // the bucket fills to no more than the burst
	take("ana", true, true, true, false)
}

// TestWait: a refusal says exactly how long to wait, and that wait is enough.
func TestWait(t *testing.T) {
	for _, interval := range []time.Duration{10 * time.Millisecond, time.Second, 7 * time.Second, 6 * time.Minute} {
		throttle, now := New[int](interval, 2, 100), start
		throttle.Take(now, 1)
		throttle.Take(now, 1)
		if wait, ok := throttle.Take(now, 1); ok || wait != interval {
			t.Errorf("Take of an empty bucket = %v, %v; want %v", wait, ok, interval)
		}
		now = now.Add(interval / 2)
		wait, ok := throttle.Take(now, 1)
		if ok || wait < interval/2 || wait > interval/2+time.Microsecond {
			t.Errorf("half an interval of %v later = %v, %v; want half of it", interval, wait, ok)
		}
		if wait, ok := throttle.Take(now.Add(wait), 1); !ok {
			t.Errorf("after the wait: refused for another %v", wait)
		}
	}
}

// TestTakeAllOrNone: if the bucket of one key is empty, the others keep their tokens.
func TestTakeAllOrNone(t *testing.T) {
	throttle := New[string](time.Second, 2, 100)
	throttle.Take(start, "ana")
	throttle.Take(start, "ana")
	for range 3 {
		if wait, ok := throttle.Take(start, "rui", "ana"); ok || wait != time.Second {
			t.Fatalf("Take of a full and an empty bucket = %v, %v; want a second", wait, ok)
		}
	}
	for range 2 {
		if _, ok := throttle.Take(start, "rui"); !ok {
			t.Fatal("a refused Take took a token")
		}
	}
}

// TestReturn: a returned token can be taken again, and fills no bucket beyond its burst.
func TestReturn(t *testing.T) {
	throttle, now := New[string](time.Hour, 2, 100), start
	throttle.Take(now, "ana")
	throttle.Return(now, "ana")
	if n := len(throttle.limiters); n != 0 {
		t.Errorf("%d keys are remembered, want none: the bucket is full again", n)
	}
	throttle.Return(now, "ana") // one too many
	for _, want := range []bool{true, true, false} {
		if _, ok := throttle.Take(now, "ana"); ok != want {
			t.Errorf("Take = %v, want %v", ok, want)
		}
	}
	throttle.Return(now, "ana")
	for _, want := range []bool{true, false} {
		if _, ok := throttle.Take(now, "ana"); ok != want {
			t.Errorf("after Return, Take = %v, want %v", ok, want)
		}
	}
}

// TestLateReturn: a token that is returned late, even with an earlier time, adds no other token.
func TestLateReturn(t *testing.T) {
	throttle, now := New[string](time.Second, 10, 100), start
	for range 9 {
		throttle.Take(now, "ana")
	}
	before := now
	now = now.Add(5 * time.Second)
	throttle.Take(now, "ana")      // five are left
	throttle.Return(before, "ana") // six are
	for i := range 6 {
		if _, ok := throttle.Take(now, "ana"); !ok {
			t.Fatalf("Take %d is refused, want 6", i+1)
		}
	}
	if _, ok := throttle.Take(now, "ana"); ok {
		t.Error("a seventh token")
	}
}

// TestBounded: an attacker with more keys than there is room for takes no more memory, and a key without tokens is not
// forgotten while there are keys with a full bucket to forget.
func TestBounded(t *testing.T) {
	const most = 1 << 10
	throttle, now := New[int](time.Second, 1, most), start
	for i := range 3 * most {
		if _, ok := throttle.Take(now, i); !ok {
			t.Fatalf("key %d is refused the first time", i)
		}
	}
	if n := len(throttle.limiters); n > most {
		t.Errorf("%d keys are remembered, want at most %d", n, most)
	}
	now = now.Add(2 * time.Second) // every bucket is full again
	throttle.Take(now, -1)
	if n := len(throttle.limiters); n > 1 {
		t.Errorf("%d keys are remembered, want the last one only", n)
	}
	if _, ok := throttle.Take(now, -1); ok {
		t.Error("the last key was forgotten too")
	}
}

// TestNeverExceeds: over any stretch of time a key gets at most the burst and one for each interval.
func TestNeverExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		interval := time.Duration(rapid.IntRange(1, 1000).Draw(t, "interval ms")) * time.Millisecond
		burst := rapid.IntRange(1, 20).Draw(t, "burst")
		throttle, now := New[string](interval, burst, 100), start
		var taken []time.Time
		for _, gap := range rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 100).Draw(t, "gaps ms") {
			now = now.Add(time.Duration(gap) * time.Millisecond)
			if _, ok := throttle.Take(now, "ana"); !ok {
				continue
			}
			taken = append(taken, now)
			for i, first := range taken {
				most := burst + int(now.Sub(first)/interval)
				if got := len(taken) - i; got > most {
					t.Fatalf("%d in %v, want at most %d", got, now.Sub(first), most)
				}
			}
		}
		if len(taken) == 0 {
			t.Fatal("nothing was allowed")
		}
	})
}
