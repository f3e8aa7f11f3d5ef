package wording

import (
	"slices"
	"testing"
	"time"

	"ludoteca/lobby"
)

func TestTimeLeft(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0:00.0", 0: "0:00.0", 99 * time.Millisecond: "0:00.0", 100 * time.Millisecond: "0:00.1",
		8345 * time.Millisecond: "0:08.3", 9999 * time.Millisecond: "0:09.9", 10 * time.Second: "0:10",
		59999 * time.Millisecond: "0:59", time.Minute: "1:00", 9*time.Minute + 41*time.Second: "9:41",
		time.Hour: "1:00:00", time.Hour + 9*time.Minute + 41*time.Second: "1:09:41", 24*time.Hour - 1: "23:59:59",
		24 * time.Hour: "1 d", 51 * time.Hour: "2 d 3 h", 14 * 24 * time.Hour: "14 d",
	} {
		if got := (Words{}).TimeLeft(d); got != want {
			t.Errorf("%v is written %q, want %q", d, got, want)
		}
	}
}

// TestUntilTimeChanges: what is written stays the same until then, and is something else shortly after.
func TestUntilTimeChanges(t *testing.T) {
	for _, d := range []time.Duration{
		8345 * time.Millisecond, 9999 * time.Millisecond, 10 * time.Second, 10500 * time.Millisecond, time.Minute,
		time.Hour + 30*time.Minute + 1, 23 * time.Hour, 24 * time.Hour, 24*time.Hour + time.Minute, 25 * time.Hour, 51*time.Hour + 1, 72 * time.Hour,
	} {
		wait := UntilTimeChanges(d)
		before, at := (Words{}).TimeLeft(d), (Words{}).TimeLeft(d-wait)
		if just := (Words{}).TimeLeft(d - wait + 2*time.Millisecond); before != just || before == at || wait > time.Hour+time.Second {
			t.Errorf("%v: %q, just before the change after %v %q, then %q", d, before, wait, just, at)
		}
	}
}

func TestClockWords(t *testing.T) {
	for text, want := range map[string][2]string{
		"none": {"no clock", ""}, "5+3": {"5+3", "5+3"}, "1d": {"1 day a move", "1 d"}, "14d": {"14 days a move", "14 d"},
	} {
		c, err := lobby.ParseClock(text)
		if got := [2]string{(Words{}).Clock(c), (Words{}).ShortClock(c)}; err != nil || got != want {
			t.Errorf("%s is called %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestTimeInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 seconds", 999 * time.Millisecond: "0 seconds", time.Second: "1 second", 59 * time.Second: "59 seconds",
		time.Minute: "1 minute", 4*time.Minute + 51*time.Second: "4 minutes and 51 seconds", time.Hour + time.Second: "1 hour",
		2*time.Hour + time.Minute: "2 hours and 1 minute", 24 * time.Hour: "1 day", 49 * time.Hour: "2 days and 1 hour",
	} {
		if got := (Words{}).TimeInWords(d); got != want {
			t.Errorf("%v is called %q, want %q", d, got, want)
		}
	}
	if got, want := In("de").TimeInWords(61*time.Second), "1 Minute und 1 Sekunde"; got != want {
		t.Errorf("in German %q, want %q", got, want)
	}
}

// TestTimes: a time is written for each move that took some, and nothing at all if none did.
func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		spent []time.Duration
		want  []string
	}{
		{nil, nil},
		{[]time.Duration{0, 0}, nil},
		{[]time.Duration{0, 72 * time.Second, 4500 * time.Millisecond}, []string{"", "1:12", "0:04.5"}},
	} {
		if got := (Words{}).Times(tt.spent); !slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("%v: %q, want %q", tt.spent, got, tt.want)
		}
	}
}
