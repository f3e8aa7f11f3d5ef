package match

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// timed returns the log of a match of ana against rui with a clock: the opening, joining, and events. The At of each event is the time since
// the event before, see after.
func timed(setting string, events ...matches.Event) []matches.Event {
	first := opening(func(o *matches.Opening) { o.Clock = setting })
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	log := append([]matches.Event{first, joins(storage.SecondSeat, rui)}, events...)
	for i := range log {
		at = at.Add(log[i].At.Sub(time.Time{}))
		log[i].Seq, log[i].Version, log[i].At = uint64(i+1), matches.EventVersion, at
	}
	return log
}

// after returns an event for timed, d after the event before.
func after(d time.Duration, e matches.Event) matches.Event {
	e.At = time.Time{}.Add(d)
	return e
}

// both returns the first moves of both sides, one second each, and further events.
func both(then ...matches.Event) []matches.Event {
	m := moves("a1 b2")
	return append([]matches.Event{after(time.Second, m[0]), after(time.Second, m[1])}, then...)
}

var (
	third   = matches.Event{Kind: matches.Moved, Seat: storage.FirstSeat, Move: "b1"}
	flagged = matches.Event{Kind: matches.Flagged, Seat: storage.FirstSeat}
	late    = matches.Event{Kind: matches.Flagged, Seat: storage.SecondSeat}
)

// resumes returns a resumed event.
func resumes(first, second time.Duration) matches.Event {
	return matches.Event{Kind: matches.Resumed, Left: [2]time.Duration{first, second}}
}

func TestFoldClock(t *testing.T) {
	const five = 5 * time.Minute
	lagging := third
	lagging.Lag = 250 * time.Millisecond
	for _, tt := range []struct {
		name           string
		log            []matches.Event
		result, reason string
		over           bool
		left           [2]time.Duration
		moves          []time.Duration // left by move
	}{
		{"an offer waits for ever", timed("5+3")[:1], "", "", false, [2]time.Duration{five, five}, nil},
		{"first moves", timed("5+3", both()...), "", "", false, [2]time.Duration{five, five}, []time.Duration{five, five}},
		{"a move", timed("5+3", both(after(10*time.Second, third))...), "", "", false, [2]time.Duration{five - 7*time.Second, five},
			[]time.Duration{five, five, five - 7*time.Second}},
		{"a move over a slow line", timed("5+3", both(after(10*time.Second, lagging))...), "", "", false,
			[2]time.Duration{five - 6750*time.Millisecond, five}, []time.Duration{five, five, five - 6750*time.Millisecond}},
		{"in the last moment", timed("1+0", both(after(time.Minute+249*time.Millisecond, lagging))...), "", "", false,
			[2]time.Duration{time.Millisecond, time.Minute}, []time.Duration{time.Minute, time.Minute, time.Millisecond}},
		{"flagged", timed("1+0", both(after(time.Minute, flagged), ends(0, "second", "timeout"))...), "second", "timeout", true,
			[2]time.Duration{0, time.Minute}, []time.Duration{time.Minute, time.Minute}},
		{"no first move", timed("5+3", after(30*time.Second, flagged), ends(0, "", "timeout")), "", "timeout", true,
			[2]time.Duration{five, five}, nil},
		{"no first move of the second side", timed("5+3", after(29*time.Second, moves("a1")[0]), after(30*time.Second, late), ends(0, "", "timeout")), "", "timeout", true,
			[2]time.Duration{five, five}, []time.Duration{five}},
		{"days", timed("3d", both(after(2*clock.Day, third))...), "", "", false, [2]time.Duration{3 * clock.Day, 3 * clock.Day},
			[]time.Duration{3 * clock.Day, 3 * clock.Day, clock.Day}},
		{"days have passed", timed("3d", both(after(3*clock.Day, flagged), ends(0, "second", "timeout"))...), "second", "timeout", true,
			[2]time.Duration{0, 3 * clock.Day}, []time.Duration{3 * clock.Day, 3 * clock.Day}},
		{"resumed", timed("5+3", both(after(time.Hour, resumes(time.Minute, five+20*time.Second)), after(10*time.Second, third))...), "", "", false,
			[2]time.Duration{53 * time.Second, five + 20*time.Second}, []time.Duration{five, five, 53 * time.Second}},
		{"resigned", timed("5+3", both(after(10*time.Second, matches.Event{Kind: matches.Resigned, Seat: storage.SecondSeat}), ends(0, "first", "resigned"))...), "first", "resigned", true,
			[2]time.Duration{five - 10*time.Second, five}, []time.Duration{five, five}},
		{"resigned when the time was up", timed("1+0", both(after(time.Hour, matches.Event{Kind: matches.Resigned, Seat: storage.FirstSeat}), ends(0, "second", "resigned"))...), "second", "resigned", true,
			[2]time.Duration{0, time.Minute}, []time.Duration{time.Minute, time.Minute}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Fold("abcdefgh", findFourmation, tt.log)
			if err != nil {
				t.Fatal(err)
			}
			if s.Result != tt.result || s.Reason != tt.reason || s.Over() != tt.over {
				t.Errorf("%q, %q, over %v", s.Result, s.Reason, s.Over())
			}
			if s.Clock.Left != tt.left || !slices.Equal(s.Left, tt.moves) {
				t.Errorf("left %v, by move %v, want %v and %v", s.Clock.Left, s.Left, tt.left, tt.moves)
			}
			if s.Over() != s.Clock.Since.IsZero() && !s.Started.IsZero() {
				t.Errorf("over %v, but the clock runs since %v", s.Over(), s.Clock.Since)
			}
			if s.Over() && s.Reason == reasonTimeout && s.EndedBy != tt.log[len(tt.log)-2].Seat {
				t.Errorf("ended by %d", s.EndedBy)
			}
		})
	}
}

func TestFoldRefusesWrongClocks(t *testing.T) {
	byAna := resumes(0, 0)
	byAna.Seat = storage.FirstSeat
	for _, tt := range []struct {
		name string
		log  []matches.Event
		want string
	}{
		{"no clock", timed("5"), `"5"`},
		{"none", timed("none"), `"none"`},
		{"a move at the deadline", timed("1+0", both(after(time.Minute, third))...), "time is up"},
		{"a first move at the deadline", timed("1+0", after(30*time.Second, moves("a1")[0])), "time is up"},
		{"flagged too soon", timed("1+0", both(after(time.Minute-time.Millisecond, flagged))...), "not up"},
		{"flagged out of turn", timed("1+0", both(after(time.Minute, late))...), "turn"},
		{"flagged without a clock", played("a1 b2", flagged), "not up"},
		{"flagged before the start", logOf(opening(), flagged), "still free"},
		{"flagged and won", timed("1+0", both(after(time.Minute, flagged), ends(0, "first", "timeout"))...), "fit"},
		{"flagged and drawn", timed("1+0", both(after(time.Minute, flagged), ends(0, "draw", "timeout"))...), "fit"},
		{"flagged and void", timed("1+0", both(after(time.Minute, flagged), ends(0, "", "timeout"))...), "fit"},
		{"a first move that decides", timed("1+0", after(time.Minute, flagged), ends(0, "second", "timeout")), "fit"},
		{"a move after flagged", timed("1+0", both(after(time.Minute, flagged), third)...), "only its end"},
		{"ended as timeout", timed("1+0", both(after(time.Minute, ends(0, "second", "timeout")))...), "fit"},
		{"resumed without a clock", played("a1", resumes(0, 0)), "can't go on"},
		{"resumed with too much", timed("1+0", both(resumes(time.Minute+clock.MaxResumed+time.Millisecond, 0))...), "can't go on"},
		{"resumed by a seat", timed("1+0", both(byAna)...), "can't go on"},
		{"a move with times", timed("1+0", matches.Event{Kind: matches.Moved, Seat: 1, Move: "a1", Left: [2]time.Duration{1, 1}}), "carries"},
	} {
		_, err := Fold("abcdefgh", findFourmation, tt.log)
		if !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want ErrLog and %q", tt.name, err, tt.want)
		}
	}
}

// TestLateMove: a move that comes too late is ErrTimeUp and changes nothing; from then on Flag ends the match.
func TestLateMove(t *testing.T) {
	s, err := Fold("abcdefgh", findFourmation, timed("1+0", both()...))
	if err != nil {
		t.Fatal(err)
	}
	before := text(s.View())
	deadline := s.Clock.Deadline()
	for _, tt := range []struct {
		at, lag time.Duration
		want    error
	}{{-time.Millisecond, 0, nil}, {0, 0, ErrTimeUp}, {0, time.Millisecond, nil}, {clock.MaxCredit, time.Hour, ErrTimeUp}} {
		events, err := Move(User{Kind: ana.Kind, ID: ana.ID, Name: ana.Name}, "b1", 2, tt.lag)(&s)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Extend(events, deadline.Add(tt.at), 1000, findFourmation); err != tt.want {
			t.Errorf("%v after the deadline over a line of %v: %v, want %v", tt.at, tt.lag, err, tt.want)
		}
	}
	if text(s.View()) != before {
		t.Errorf("the match has changed")
	}
	events, _ := Flag()(&s)
	if _, _, err := s.Extend(events, deadline.Add(-time.Millisecond), 1000, findFourmation); !errors.Is(err, ErrLog) {
		t.Errorf("flagged before the deadline: %v", err)
	}
	next, added, err := s.Extend(events, deadline, 1000, findFourmation)
	if err != nil || len(added) != 2 || next.Result != "second" || next.Reason != "timeout" {
		t.Errorf("flagged: %+v, %v", added, err)
	}
}

// TestTakeBackWithClock: used time stays used, and the list of times follows the moves.
func TestTakeBackWithClock(t *testing.T) {
	first := opening(func(o *matches.Opening) { o.Second, o.Clock, o.Moves = bot, "5+3", line("a1 b2") })
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	log := []matches.Event{first, {Kind: matches.Moved, Seat: 1, Move: "b1"}, {Kind: matches.Moved, Seat: 2, Move: "c2"}, {Kind: matches.Moved, Seat: 1, Move: "c1"}, back(1, 1)}
	for i := range log {
		log[i].Seq, log[i].Version, log[i].At = uint64(i+1), matches.EventVersion, at.Add(time.Duration(i)*10*time.Second)
	}
	s, err := Fold("abcdefgh", findFourmation, log)
	if err != nil {
		t.Fatal(err)
	}
	const five = 5 * time.Minute
	if want := []time.Duration{five, five, five, five}; !slices.Equal(s.Left, want) {
		t.Errorf("left by move %v, want %v", s.Left, want)
	}
	if want := [2]time.Duration{five - 7*time.Second, five - 10*time.Second}; s.Clock.Left != want || s.Clock.Turn != 0 {
		t.Errorf("left %v, turn %d, want %v", s.Clock.Left, s.Clock.Turn, want)
	}
	log[4].At = at.Add(time.Hour)
	if _, err := Fold("abcdefgh", findFourmation, log); !errors.Is(err, ErrTimeUp) || !errors.Is(err, ErrLog) {
		t.Errorf("taken back after an hour: %v", err)
	}
}

// TestClockOutlivesMemory: the clock of a match can be restored from its summary, and the clock as it is shown from its record.
func TestClockOutlivesMemory(t *testing.T) {
	for _, log := range [][]matches.Event{
		timed("5+3")[:1], timed("5+3"), timed("3d", both()[:1]...), timed("5+3", both(after(time.Second, third))...),
	} {
		s, err := Fold("abcdefgh", findFourmation, log)
		if err != nil {
			t.Fatal(err)
		}
		want := s.Summary()
		got, err := SummaryOf(want.Stored(), findFourmation)
		if err != nil || got.Clock != want.Clock {
			t.Errorf("the summary comes back with the clock %+v, %v, want %+v", got.Clock, err, want.Clock)
		}
	}
	bad := timed("5+3")[:1]
	s, _ := Fold("abcdefgh", findFourmation, bad)
	sum := s.Summary()
	stored := sum.Stored()
	stored.Opening.Clock = "noon"
	if _, err := SummaryOf(stored, findFourmation); !errors.Is(err, ErrLog) {
		t.Errorf("a summary with the clock noon: %v", err)
	}
	for _, log := range [][]matches.Event{
		timed("1+0", both(after(time.Minute, flagged), ends(0, "second", "timeout"))...),
		timed("5+3", after(30*time.Second, flagged), ends(0, "", "timeout")),
		timed("5+3", after(29*time.Second, moves("a1")[0]), after(30*time.Second, late), ends(0, "", "timeout")),
		timed("3d", both(after(2*clock.Day, third), after(time.Hour, matches.Event{Kind: matches.Resigned, Seat: 1}), ends(0, "second", "resigned"))...),
		timed("5+3", both(after(20*time.Second, matches.Event{Kind: matches.Resigned, Seat: 1}), ends(0, "second", "resigned"))...),
	} {
		s, err := Fold("abcdefgh", findFourmation, log)
		if err != nil {
			t.Fatal(err)
		}
		v := s.View()
		var timing Timing
		for _, e := range log {
			timing.Add(e)
		}
		record := Record(v, timing.Times(v))
		again, err := Replay(record, findFourmation)
		if err != nil {
			t.Fatal(err)
		}
		got := again.View()
		if got.Clock.Setting != v.Clock.Setting || got.Clock.Left != v.Clock.Left || !slices.Equal(got.Left, v.Left) ||
			got.Result != v.Result || got.Reason != v.Reason || got.EndedBy != v.EndedBy || !got.Clock.Since.IsZero() {
			t.Errorf("the record comes back as %+v, left %v, by %d, want %+v, %v, by %d", got.Clock, got.Left, got.EndedBy, v.Clock, v.Left, v.EndedBy)
		}
		if !reflect.DeepEqual(Record(got, record.Times), record) {
			t.Errorf("the record of the record is %+v, want %+v", Record(got, record.Times), record)
		}
		record.Clock = "noon"
		if _, err := Replay(record, findFourmation); !errors.Is(err, ErrLog) {
			t.Errorf("a record with the clock noon: %v", err)
		}
	}
}
