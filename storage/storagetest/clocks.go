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
