package match

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// claims returns a claimed event by a seat, later after the event before. The opponent has been gone for the duration gone.
func claims(seat storage.Seat, result string, later, gone time.Duration, dropped bool) matches.Event {
	e := after(later, matches.Event{Kind: matches.Claimed, Seat: seat, Result: result})
	e.Absence = matches.Absence{Since: time.Time{}.Add(later - gone), Dropped: dropped}
	return e
}

// claimed is timed for logs with claims.
func claimed(setting string, events ...matches.Event) []matches.Event {
	log := timed(setting, events...)
	for i, e := range log {
		if e.Kind == matches.Claimed {
			log[i].Absence.Since = log[i-1].At.Add(e.Absence.Since.Sub(time.Time{}))
		}
	}
	return log
}

// TestFoldClaims: a claim ends a match if both sides have moved and the other side was gone for long enough. A log with any other claim
// is refused. The record of the match has the same end.
func TestFoldClaims(t *testing.T) {
	const day = clock.Day
	for _, tt := range []struct {
		name   string
		log    []matches.Event
		result string // "": the log is refused
	}{
		{"left", claimed("5+3", both(claims(2, "second", 30*time.Second, 20*time.Second, false), ends(0, "second", "claimed"))...), "second"},
		{"a draw", claimed("5+3", both(claims(2, "draw", 30*time.Second, 20*time.Second, false), ends(0, "draw", "claimed"))...), "draw"},
		{"on one's own turn", claimed("5+3", both(claims(1, "first", 30*time.Second, 30*time.Second, false), ends(0, "first", "claimed"))...), "first"},
		{"too early", claimed("5+3", both(claims(2, "second", 30*time.Second, 20*time.Second-time.Millisecond, false), ends(0, "second", "claimed"))...), ""},
		{"in the last millisecond of one's own time", claimed("5+0", both(claims(1, "first", 5*time.Minute-time.Millisecond, time.Minute, false), ends(0, "first", "claimed"))...), "first"},
		{"after one's own time", claimed("5+0", both(claims(1, "first", 5*time.Minute, time.Minute, false), ends(0, "first", "claimed"))...), ""},
		{"after the other's time", claimed("5+0", both(claims(2, "second", 5*time.Minute, time.Minute, false), ends(0, "second", "claimed"))...), "second"},
		{"dropped", claimed("5+3", both(claims(2, "second", 90*time.Second, time.Minute, true), ends(0, "second", "claimed"))...), "second"},
		{"dropped, too early", claimed("5+3", both(claims(2, "second", 90*time.Second, 59*time.Second, true), ends(0, "second", "claimed"))...), ""},
		{"a long game", claimed("15+0", both(claims(2, "second", 90*time.Second, time.Minute, false), ends(0, "second", "claimed"))...), "second"},
		{"a long game by its increment, too early", claimed("5+15", both(claims(2, "second", 90*time.Second, 59*time.Second, false), ends(0, "second", "claimed"))...), ""},
		{"a long game, dropped", claimed("180+0", both(claims(2, "second", 4*time.Minute, 3*time.Minute, true), ends(0, "second", "claimed"))...), "second"},
		{"not both have moved", claimed("5+3", after(time.Second, moves("a1")[0]), claims(1, "first", 25*time.Second, 20*time.Second, false), ends(0, "first", "claimed")), ""},
		{"gone before the match began", claimed("5+3", both(claims(2, "second", 30*time.Second, 33*time.Second, false), ends(0, "second", "claimed"))...), ""},
		{"days", claimed("3d", both(claims(2, "second", day, day, true), ends(0, "second", "claimed"))...), ""},
		{"the opponent's win", claimed("5+3", both(claims(2, "first", 30*time.Second, 20*time.Second, false), ends(0, "first", "claimed"))...), ""},
		{"another result", claimed("5+3", both(claims(2, "second", 30*time.Second, 20*time.Second, false), ends(0, "draw", "claimed"))...), ""},
		{"nothing follows", claimed("5+3", both(claims(2, "second", 30*time.Second, 20*time.Second, false), after(time.Second, third))...), ""},
		{"no clock", claimed("", both(claims(2, "second", 3*day, 3*day, false), ends(0, "second", "claimed"))...), "second"},
		{"no clock, one's own turn", claimed("", both(claims(1, "first", 3*day, 3*day, false), ends(0, "first", "claimed"))...), ""},
		{"no clock, too early", claimed("", both(claims(2, "second", 3*day-time.Second, 3*day-time.Second, false), ends(0, "second", "claimed"))...), ""},
		{"no clock, longer than since the last event", claimed("", both(claims(2, "second", time.Hour, 3*day, false), ends(0, "second", "claimed"))...), ""},
		{"without a claim", timed("5+3", both(ends(0, "second", "claimed"))...), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Fold("abcdefgh", findFourmation, tt.log)
			if tt.result == "" {
				if !errors.Is(err, ErrLog) {
					t.Errorf("error %v, want ErrLog", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v := s.View()
			if v.Result != tt.result || v.Reason != "claimed" || !v.Over {
				t.Errorf("%q, %q, over %v", v.Result, v.Reason, v.Over)
			}
			var timing Timing
			for _, e := range tt.log {
				timing.Add(e)
			}
			record := Record(v, timing.Times(v))
			again, err := Replay(record, findFourmation)
			if err != nil {
				t.Fatal(err)
			}
			if got := again.View(); got.Result != v.Result || got.Reason != v.Reason || got.EndedBy != v.EndedBy {
				t.Errorf("the record comes back as %q %q by %d, want %q %q by %d", got.Result, got.Reason, got.EndedBy, v.Result, v.Reason, v.EndedBy)
			}
			if !reflect.DeepEqual(Record(again.View(), record.Times), record) {
				t.Error("the record of the record is another one")
			}
		})
	}
}

// TestClaim: ClaimAt returns the first moment at which Claim succeeds, and the fold accepts the event of the claim.
func TestClaim(t *testing.T) {
	user := func(o storage.Occupant) User { return User(o) }
	for _, tt := range []struct {
		setting string
		events  []matches.Event
		who     storage.Occupant
		other   atboard.Presence // of the opponent; Since is counted from the last event
		gone    time.Duration
		want    time.Duration // from the last event on; 0: never
		err     error
	}{
		{"5+3", both(), rui, atboard.Presence{Near: atboard.Gone}, time.Second, 21 * time.Second, nil},
		{"5+3", both(), ana, atboard.Presence{Near: atboard.Gone, Dropped: true}, time.Second, 61 * time.Second, nil},
		{"5+3", both(), ana, atboard.Presence{Near: atboard.Gone, Dropped: true}, -time.Hour, 58 * time.Second, nil}, // not from before the match on
		{"30+0", both(), ana, atboard.Presence{Near: atboard.Gone, Dropped: true}, 0, 3 * time.Minute, nil},
		{"5+3", both(), ana, atboard.Presence{Near: atboard.Away}, 0, 0, ErrNoClaim},
		{"5+3", both(), ana, atboard.Presence{Near: atboard.Here}, 0, 0, ErrNoClaim},
		{"5+3", both()[:1], ana, atboard.Presence{Near: atboard.Gone}, 0, 0, ErrNoClaim},
		{"5+3", nil, bot, atboard.Presence{Near: atboard.Gone}, 0, 0, ErrNotSeated},
		{"3d", both(), rui, atboard.Presence{Near: atboard.Gone}, 0, 0, ErrNoClaim},
		{"", both(), rui, atboard.Presence{Near: atboard.Gone}, time.Minute, 3 * clock.Day, nil},
		{"", both(), rui, atboard.Presence{Near: atboard.Away}, 0, 3 * clock.Day, nil},
		{"", both(), rui, atboard.Presence{Near: atboard.Here}, 0, 0, ErrNoClaim},
		{"", both(), ana, atboard.Presence{Near: atboard.Gone}, 0, 0, ErrNoClaim},
	} {
		t.Run(fmt.Sprint(tt.setting, tt.who.Name, tt.other.Near, tt.gone), func(t *testing.T) {
			s, err := Fold("abcdefgh", findFourmation, timed(tt.setting, tt.events...))
			if err != nil {
				t.Fatal(err)
			}
			near := [2]atboard.Presence{{Near: atboard.Here}, {Near: atboard.Here}}
			tt.other.Since = s.LastAt.Add(tt.gone)
			if tt.who == ana {
				near[1] = tt.other
			} else {
				near[0] = tt.other
			}
			try := func(after time.Duration) error {
				at := s.LastAt.Add(after)
				events, err := Claim(user(tt.who), false, func() ([2]atboard.Presence, time.Duration, time.Time) { return near, 0, at })(&s)
				if err != nil {
					return err
				}
				_, _, err = s.Extend(events, at, 1000, findFourmation)
				return err
			}
			summary := s.Summary()
			at := summary.ClaimAt(user(tt.who), near, 0)
			if tt.want == 0 {
				if err := try(1000 * time.Hour); !errors.Is(err, tt.err) || !at.IsZero() {
					t.Errorf("at %v, error %v, want %v", at, err, tt.err)
				}
				return
			}
			if got := at.Sub(s.LastAt); got != tt.want {
				t.Errorf("from %v on, want %v", got, tt.want)
			}
			var early *ClaimEarlyError
			if err := try(tt.want - time.Millisecond); !errors.As(err, &early) || early.Wait != time.Millisecond {
				t.Errorf("a moment too early: %v", err)
			}
			if err := try(tt.want); err != nil {
				t.Errorf("at that moment: %v", err)
			}
		})
	}
	s, err := Fold("abcdefgh", findFourmation, timed("", both()...))
	if err != nil {
		t.Fatal(err)
	}
	summary := s.Summary()
	if got := summary.ClaimAt(user(rui), [2]atboard.Presence{}, time.Hour).Sub(s.LastAt); got != 3*clock.Day+time.Hour {
		t.Errorf("after an hour of downtime: a claim is possible after %v, want 73 h", got)
	}
}
