package storagetest

import (
	"testing"
	"time"

	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// clocks checks that the clock of a match comes back in its log, its summary, its record and the history.
func clocks(t *testing.T, s Store) {
	const id = "m2222222"
	ann := person(signUp(t, s, "ann"))
	first := opened("ABCDEF", ann, robot)
	first.Opening.Clock = "5+3"
	sum := matchstore.Summary{ID: id, Seq: 1, At: start, Opening: *first.Opening, Opener: storage.FirstSeat, Opened: start, Started: start,
		Turn:  storage.FirstSeat,
		Clock: matchstore.ClockState{Left: [2]time.Duration{5 * time.Minute, 299_999 * time.Millisecond}, Since: start, Moved: [2]bool{true, false}},
	}
	late := moved(2, "a1")
	late.Lag = 120 * time.Millisecond
	resumed := matchstore.Event{Seq: 3, Version: matchstore.EventVersion, Kind: matchstore.Resumed, At: minute(3), Left: [2]time.Duration{time.Millisecond, time.Hour}}
	for i, e := range []matchstore.Event{first, late, resumed} {
		sum.Seq, sum.At = e.Seq, e.At
		if err := s.Append(t.Context(), id, []matchstore.Event{e}, sum); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
	}
	log, err := s.Log(t.Context(), id, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the log", log, []matchstore.Event{first, late, resumed})
	all, err := s.Summaries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the summaries", all, []matchstore.Summary{sum})

	f := record("ABCDEF", "tanks", ann, robot, "second", 5)
	f.Clock, f.Reason, f.Left = "5+3", "timeout", make([]time.Duration, len(f.Moves))
	for i := range f.Left {
		f.Left[i] = 5*time.Minute - time.Duration(i)*time.Millisecond
	}
	flagged := matchstore.Event{Seq: 4, Version: matchstore.EventVersion, Kind: matchstore.Flagged, Seat: storage.FirstSeat, At: minute(5)}
	if _, err := s.Finish(t.Context(), id, []matchstore.Event{flagged, ended(5, "second")}, f, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := s.Finished(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	f.ID = id
	same(t, "the record", whole, f)
	rows, err := s.History(t.Context(), results.HistoryQuery{Limit: 10})
	if err != nil || len(rows) != 1 || rows[0].Clock != "5+3" {
		t.Errorf("history: %+v, %v", rows, err)
	}
}

// pauses checks that the pauses of a match come back in its log and its summary.
func pauses(t *testing.T, s Store) {
	const id = "m2222222"
	first := opened("ABCDEF", person(signUp(t, s, "ann")), person(signUp(t, s, "bob")))
	first.Opening.Clock = "3d"
	sum := matchstore.Summary{ID: id, Opening: *first.Opening, Opener: storage.FirstSeat, Opened: start, Started: start, Turn: storage.FirstSeat,
		Clock:  matchstore.ClockState{Left: [2]time.Duration{72 * time.Hour, time.Hour}, Since: start, Used: time.Minute},
		Offers: matchstore.Offers{Adjourn: storage.FirstSeat},
		Pauses: matchstore.Pauses{Vacation: [2]time.Time{minute(60), {}}, Adjourned: minute(90)},
	}
	event := func(seq uint64, e matchstore.Event) matchstore.Event {
		e.Seq, e.Version, e.At = seq, matchstore.EventVersion, minute(int(seq))
		return e
	}
	want := []matchstore.Event{
		first,
		event(2, matchstore.Event{Kind: matchstore.Vacation, Seat: storage.FirstSeat, Until: minute(60)}),
		event(3, matchstore.Event{Kind: matchstore.Offered, Seat: storage.FirstSeat, Offer: matchstore.OfferAdjourn}),
		event(4, matchstore.Event{Kind: matchstore.Continued, Seat: storage.SecondSeat}),
		event(5, matchstore.Event{Kind: matchstore.Vacation, Seat: storage.FirstSeat}),
	}
	for _, e := range want {
		sum.Seq, sum.At = e.Seq, e.At
		if err := s.Append(t.Context(), id, []matchstore.Event{e}, sum); err != nil {
			t.Fatalf("event %d: %v", e.Seq, err)
		}
	}
	log, err := s.Log(t.Context(), id, 1, 0)
	wants(t, "the log", err, nil)
	same(t, "the log", log, want)
	all, err := s.Summaries(t.Context())
	wants(t, "the summaries", err, nil)
	same(t, "the summaries", all, []matchstore.Summary{sum})
}

// heartbeats checks that a store knows the last heartbeat alone.
func heartbeats(t *testing.T, s Store) {
	if at, err := s.LastBeat(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("an empty store has the heartbeat %v, %v", at, err)
	}
	for _, want := range []time.Time{minute(1), minute(2), minute(2).Add(time.Millisecond)} {
		if err := s.Beat(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if at, err := s.LastBeat(t.Context()); err != nil || !at.Equal(want) {
			t.Errorf("the heartbeat is %v, %v, want %v", at, err, want)
		}
	}
	if r, ok := s.(Reopener); ok {
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		if at, err := s.LastBeat(t.Context()); err != nil || !at.Equal(minute(2).Add(time.Millisecond)) {
			t.Errorf("opened again: the heartbeat is %v, %v", at, err)
		}
	}
}
