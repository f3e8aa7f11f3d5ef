package match

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// away returns a vacation event of a seat that lasts for a time after the start of timed logs; 0: it is over.
func away(seat storage.Seat, until time.Duration) matches.Event {
	e := matches.Event{Kind: matches.Vacation, Seat: seat}
	if until > 0 {
		e.Until = time.Date(2026, 10, 1, 12, 0, 2, 0, time.UTC).Add(until)
	}
	return e
}

// adjourned are the events by which both sides adjourn a match.
func adjourned() []matches.Event {
	return []matches.Event{offers(storage.SecondSeat, matches.OfferAdjourn), answers(storage.FirstSeat, matches.OfferAdjourn, true)}
}

// TestPauses: the clock of a match stands while a player is on vacation, whichever side is to move, and while the match is adjourned. What was used
// up before stays used up, and time passes again when the pause is over, with an event or without.
func TestPauses(t *testing.T) {
	const day = clock.Day
	goesOn := matches.Event{Kind: matches.Continued, Seat: storage.FirstSeat}
	for _, tt := range []struct {
		name   string
		events []matches.Event
		later  time.Duration // after the last event
		left   time.Duration // to the first side then, which is to move
	}{
		{"nothing", nil, day, 2 * day},
		{"a vacation", []matches.Event{after(day, away(1, 11*day))}, 10 * day, 2 * day},
		{"that has ended by itself", []matches.Event{after(day, away(1, 11*day))}, 11 * day, day},
		{"of the other side", []matches.Event{after(day, away(2, 11*day))}, 10 * day, 2 * day},
		{"that ends before its time", []matches.Event{after(day, away(1, 11*day)), after(2*day, away(1, 0))}, day, day},
		{"that ends before its time, of one of two", []matches.Event{away(1, 11*day), away(2, 9*day), after(2*day, away(1, 0))}, 8 * day, 2 * day},
		{"that is made longer", []matches.Event{after(day, away(1, 5*day)), after(2*day, away(1, 11*day))}, 8 * day, 2 * day},
		{"that is made shorter", []matches.Event{after(day, away(1, 11*day)), after(2*day, away(1, 5*day))}, 3 * day, day},
		{"two in a row", []matches.Event{after(day, away(1, 5*day)), after(5*day, away(1, 11*day))}, 5 * day, day},
		{"adjourned", adjourned(), 30 * day, 3 * day},
		{"for too long", adjourned(), 31 * day, 2 * day},
		{"and resumed", append(adjourned(), after(9*day, goesOn)), day, 2 * day},
		{"and resumed, on vacation", append(append(adjourned(), away(2, 11*day)), after(9*day, goesOn)), 2 * day, 3 * day},
		{"resumed after its time", append(adjourned(), after(31*day, goesOn)), day, day},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Fold("m", findFourmation, timed("3d", both(tt.events...)...))
			if err != nil {
				t.Fatal(err)
			}
			at := s.LastAt.Add(tt.later)
			if got := s.Clock.LeftAt(0, at); got != tt.left {
				t.Errorf("%v are left, want %v", got, tt.left)
			}
			if got := s.Clock.LeftAt(1, at); got != 3*day {
				t.Errorf("%v are left to the other side", got)
			}
			if got, want := s.Clock.Deadline(), at.Add(tt.left); !s.Clock.StandsAt(at) && !got.Equal(want) {
				t.Errorf("the time is up at %v, want %v", got, want)
			}
		})
	}
}

// TestPauseOfTheFirstMove: a pause gives no new time for a first move.
func TestPauseOfTheFirstMove(t *testing.T) {
	s, err := Fold("m", findFourmation, timed("3d", after(2*clock.Day, away(1, 10*clock.Day)), after(clock.Day, away(1, 0))))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Clock.Deadline(), s.LastAt.Add(clock.Day); !got.Equal(want) {
		t.Errorf("the time for the first move is up at %v, want %v", got, want)
	}
	m := s.Summary()
	again, err := SummaryOf(m.Stored(), findFourmation)
	if err != nil || again.Clock != m.Clock {
		t.Errorf("the summary comes back with the clock %+v, %v, want %+v", again.Clock, err, m.Clock)
	}
}

// TestMoveWhilePaused: a move on vacation leaves the clock standing for the other side; one in an adjourned match goes on with it.
func TestMoveWhilePaused(t *testing.T) {
	s, err := Fold("m", findFourmation, timed("3d", both(away(1, 11*clock.Day), after(clock.Day, third))...))
	if err != nil || !s.Clock.StandsAt(s.LastAt.Add(9*clock.Day)) || s.Left[2] != 3*clock.Day {
		t.Errorf("after a move on vacation the clock is %+v, by move %v, %v", s.Clock, s.Left, err)
	}
	s, err = Fold("m", findFourmation, timed("3d", both(append(adjourned(), after(9*clock.Day, third))...)...))
	if err != nil || s.Clock.StandsAt(s.LastAt) || !s.Pauses.Adjourned.IsZero() || !s.Clock.Deadline().Equal(s.LastAt.Add(3*clock.Day)) {
		t.Errorf("after a move in an adjourned match the clock is %+v, %v", s.Clock, err)
	}
}

func TestFoldRefusesWrongPauses(t *testing.T) {
	untilNow, long := away(1, 0), away(1, 29*clock.Day)
	for _, tt := range []struct {
		name string
		log  []matches.Event
		want string
	}{
		{"no days", timed("5+3", both(away(1, clock.Day))...), "don't stand"},
		{"no clock", played("a1 b2", away(1, clock.Day)), "don't stand"},
		{"adjourned without days", timed("5+3", both(adjourned()...)...), "don't stand"},
		{"with the time up", timed("3d", both(after(3*clock.Day, away(1, 4*clock.Day)))...), "time is up"},
		{"with the other side's time up", timed("3d", both(after(3*clock.Day, away(2, 4*clock.Day)))...), "time is up"},
		{"agreed with the time up", timed("3d", both(adjourned()[0], after(3*clock.Day, adjourned()[1]))...), "time is up"},
		{"ends before it begins", timed("3d", both(untilNow)...), "not on vacation"},
		{"ends twice", timed("3d", both(away(1, clock.Day), after(2*clock.Day, untilNow))...), "not on vacation"},
		{"for too long", timed("3d", both(long)...), "vacation until"},
		{"in the past", timed("3d", both(after(2*clock.Day, away(1, clock.Day)))...), "vacation until"},
		{"resumed without need", timed("3d", both(matches.Event{Kind: matches.Continued, Seat: 1})...), "not adjourned"},
		{"resumed twice", timed("3d", both(append(adjourned(), matches.Event{Kind: matches.Continued, Seat: 1}, matches.Event{Kind: matches.Continued, Seat: 2})...)...), "not adjourned"},
		{"a move with a time", timed("3d", both(matches.Event{Kind: matches.Moved, Seat: 1, Move: "b1", Until: time.Now().UTC()})...), "carries"},
	} {
		if _, err := Fold("m", findFourmation, tt.log); !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want ErrLog and %q", tt.name, err, tt.want)
		}
	}
	first := opening(func(o *matches.Opening) {
		o.Clock, o.Second = "3d", rui
		o.Tournament = storage.TournamentBoard{ID: "t1", Code: "ABCDEF", Name: "Open", Round: 1, Board: 1}
	})
	log := logOf(first, away(1, clock.Day))
	log[1].Until = log[1].At.Add(clock.Day)
	if _, err := Fold("m", findFourmation, log); !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), "don't stand") {
		t.Errorf("in a tournament: %v", err)
	}
}

// TestVacationTwice: the act has no effect if the match knows of the vacation, so it may be done again after a crash.
func TestVacationTwice(t *testing.T) {
	_, s := slowly(t, "a1 b2")
	u, now := User(ana), s.LastAt
	until := now.Add(5 * clock.Day)
	do := func(what string, until, at time.Time, want int) {
		t.Helper()
		events, err := Vacation(u, until, at)(&s)
		if err != nil || len(events) != want {
			t.Fatalf("%s: %v, %v, want %d events", what, events, err, want)
		}
		if len(events) > 0 {
			if s, _, err = s.Extend(events, at, MaxPlies, findFourmation); err != nil {
				t.Fatal(err)
			}
		}
	}
	do("not on vacation", time.Time{}, now, 0)
	do("begins", until, now, 1)
	do("again", until, now.Add(time.Hour), 0)
	do("ends", now.Add(time.Hour), now.Add(2*time.Hour), 1)
	do("ends again", now.Add(time.Hour), now.Add(3*time.Hour), 0)
	do("begins anew", until, now.Add(4*time.Hour), 1)
	do("has ended by itself", until, until.Add(time.Hour), 0)
	do("has ended by itself, says the player", time.Time{}, until.Add(time.Hour), 0)
}

// TestVacationOfAGuest: a guest may have no vacation, so the act has no effect on the match of one.
func TestVacationOfAGuest(t *testing.T) {
	guest := storage.Occupant{Kind: storage.Guest, ID: "g1", Name: "eva"}
	log := timed("3d")
	log[1].Who = guest
	s, err := Fold("m", findFourmation, log)
	if err != nil {
		t.Fatal(err)
	}
	if events, err := Vacation(User(guest), s.LastAt.Add(5*clock.Day), s.LastAt)(&s); err != nil || len(events) != 0 {
		t.Errorf("%v, %v, want no events", events, err)
	}
}

// practice returns the state of a match of ana against a computer player after the first moves of both, with a clock.
func practice(t *testing.T, setting string, then ...matches.Event) State {
	t.Helper()
	log := timed(setting, both(then...)...)
	log[0].Opening.Second = bot
	log = append(log[:1:1], log[2:]...)
	for i := range log {
		log[i].Seq = uint64(i + 1)
	}
	s, err := Fold("m", findFourmation, log)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// extend returns a state after events at a time.
func extend(t *testing.T, s State, at time.Time, events ...matches.Event) State {
	t.Helper()
	next, _, err := s.Extend(events, at, MaxPlies, findFourmation)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestPracticeWaits: the clock of a practice match stands from when its player is called away until their next move, whatever the computer player
// does meanwhile, or until they go on.
func TestPracticeWaits(t *testing.T) {
	s := practice(t, "5+3")
	away, back := s.LastAt.Add(time.Minute), s.LastAt.Add(3*time.Hour)
	events, err := Wait(User(ana), away)(&s)
	if err != nil || len(events) != 2 {
		t.Fatalf("%v, %v, want an offer and the consent", events, err)
	}
	s = extend(t, s, away, events...)
	if left := s.Clock.LeftAt(0, back); !s.Clock.StandsAt(back) || left != 4*time.Minute {
		t.Errorf("%v are left after 3 hours, standing: %v; want the 4 minutes from before", left, s.Clock.StandsAt(back))
	}
	if again, err := Wait(User(ana), back)(&s); err != nil || len(again) != 0 {
		t.Errorf("called away again: %v, %v", again, err)
	}
	m := s.Summary()
	if stored, err := SummaryOf(m.Stored(), findFourmation); err != nil || stored.Clock != m.Clock || stored.Pauses != m.Pauses {
		t.Errorf("the summary comes back with the clock %+v, %v, want %+v", stored.Clock, err, m.Clock)
	}
	on := extend(t, s, back, matches.Event{Kind: matches.Continued, Seat: storage.FirstSeat})
	if left := on.Clock.LeftAt(0, back.Add(time.Minute)); left != 3*time.Minute || on.Clock.StandsAt(back) {
		t.Errorf("%v are left a minute after it goes on", left)
	}
	moved := extend(t, s, back, third)
	if left := moved.Left[2]; left != 4*time.Minute+3*time.Second || moved.Clock.StandsAt(back) || !moved.Pauses.Adjourned.IsZero() {
		t.Errorf("%v are left after the move, the clock %+v", left, moved.Clock)
	}

	s = practice(t, "5+3", after(time.Second, third))
	away = s.LastAt.Add(time.Second)
	if events, err = Wait(User(ana), away)(&s); err != nil {
		t.Fatal(err)
	}
	s = extend(t, s, away, events...)
	s = extend(t, s, away.Add(time.Second), matches.Event{Kind: matches.Moved, Seat: storage.SecondSeat, Move: "c2"})
	if left := s.Clock.LeftAt(0, back); !s.Clock.StandsAt(back) || left != 5*time.Minute+2*time.Second {
		t.Errorf("%v are left after the move of the computer player, standing: %v", left, s.Clock.StandsAt(back))
	}
}

// TestWaitHasNoEffect: matches of two people, rated ones, those without a clock or with days, and those whose time is up don't wait.
func TestWaitHasNoEffect(t *testing.T) {
	people, err := Fold("m", findFourmation, timed("5+3", both()...))
	if err != nil {
		t.Fatal(err)
	}
	untimed, err := Fold("m", findFourmation, alone("", "a1 b2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		s     State
		later time.Duration
	}{
		{"two people", people, 0}, {"no clock", untimed, 0}, {"days", practice(t, "3d"), 0}, {"the time is up", practice(t, "5+3"), 5 * time.Minute},
	} {
		if events, err := Wait(User(ana), tt.s.LastAt.Add(tt.later))(&tt.s); err != nil || len(events) != 0 {
			t.Errorf("%s: %v, %v, want no events", tt.name, events, err)
		}
	}
	if s := practice(t, "5+3"); s.may(User(ana), AdjournAct, 0) == nil {
		t.Error("a player may ask a computer player to adjourn")
	}
}
