package lobby

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/storage"
)

func findFourmation(name string) (games.Game, error) {
	if name != "fourmation" {
		return nil, ErrNoSuchGame
	}
	return fourmation.New(), nil
}

var (
	folkAna = storage.Occupant{Kind: storage.Person, ID: "p1", Name: "ana"}
	folkRui = storage.Occupant{Kind: storage.Person, ID: "p2", Name: "rui"}
	folkBot = storage.Occupant{Kind: storage.Bot, ID: "greedy", Name: "Greedy"}
)

// logOf gives events their numbers, versions and times.
func logOf(events ...storage.Event) []storage.Event {
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for i := range events {
		events[i].Seq, events[i].Version, events[i].At = uint64(i+1), storage.EventVersion, at
		at = at.Add(time.Second)
	}
	return events
}

func opening(change ...func(*storage.Opening)) storage.Event {
	o := &storage.Opening{Code: "K7QM2X", Game: "fourmation", First: folkAna}
	o.Options, _ = games.Complete(fourmation.New(), nil)
	for _, f := range change {
		f(o)
	}
	return storage.Event{Kind: storage.Opened, Opening: o}
}

func joins(seat storage.Seat, who storage.Occupant) storage.Event {
	return storage.Event{Kind: storage.Joined, Seat: seat, Who: who}
}

func moves(text string) []storage.Event {
	var events []storage.Event
	for i, m := range strings.Fields(text) {
		events = append(events, storage.Event{Kind: storage.Moved, Seat: storage.Seat(i%2 + 1), Move: games.Move(m)})
	}
	return events
}

func ends(seat storage.Seat, result, reason string) storage.Event {
	return storage.Event{Kind: storage.Ended, Seat: seat, Result: result, Reason: reason}
}

// played is a log from its opening through some moves to whatever follows.
func played(text string, then ...storage.Event) []storage.Event {
	events := append([]storage.Event{opening(), joins(storage.SecondSeat, folkRui)}, moves(text)...)
	return logOf(append(events, then...)...)
}

const winText = "a1 b2 b1 c2 c1 d2 d1"

func TestFold(t *testing.T) {
	resigned := storage.Event{Kind: storage.Resigned, Seat: storage.FirstSeat}
	flagged := storage.Event{Kind: storage.Flagged, Seat: storage.SecondSeat}
	asks := storage.Event{Kind: storage.Offered, Seat: storage.FirstSeat, Offer: "draw"}
	no := storage.Event{Kind: storage.Answered, Seat: storage.SecondSeat, Offer: "draw"}
	tests := []struct {
		name           string
		log            []storage.Event
		result, reason string
		over           bool
		plies          int
	}{
		{"an offer", logOf(opening()), "", "", false, 0},
		{"joined", played(""), "", "", false, 0},
		{"started at once", logOf(opening(func(o *storage.Opening) { o.Second = folkBot })), "", "", false, 0},
		{"the second seat opens", logOf(opening(func(o *storage.Opening) { o.First, o.Second = storage.Occupant{}, folkAna }), joins(storage.FirstSeat, folkRui)), "", "", false, 0},
		{"kept for him", logOf(opening(func(o *storage.Opening) { o.Reserved = folkRui }), joins(storage.SecondSeat, folkRui)), "", "", false, 0},
		{"moves", played("a1 b2 b1"), "", "", false, 3},
		{"the rules end it", played(winText, ends(0, "first", "line")), "first", "line", true, 7},
		{"resigned", played("a1", resigned, ends(0, "second", "resigned")), "second", "resigned", true, 1},
		{"flagged", played("a1 b2", flagged, ends(0, "first", "timeout")), "first", "timeout", true, 2},
		{"flagged, but a draw", played("a1 b2", flagged, ends(0, "draw", "timeout")), "draw", "timeout", true, 2},
		{"aborted by a seat", played("a1", ends(1, "", "aborted")), "", "aborted", true, 1},
		{"aborted by the house", played("a1 b2 b1", ends(0, "", "aborted")), "", "aborted", true, 3},
		{"an offer taken back", logOf(opening(), ends(1, "", "aborted")), "", "aborted", true, 0},
		{"abandoned", played("a1 b2", ends(1, "second", "abandoned")), "second", "abandoned", true, 2},
		{"too long", played("a1 b2", ends(0, "draw", "length_limit")), "draw", "length_limit", true, 2},
		{"asked and refused", played("a1", asks, no, asks, no), "", "", false, 1},
		{"a move lets a question lapse", played("a1", append([]storage.Event{asks}, storage.Event{Kind: storage.Moved, Seat: 2, Move: "b2"}, asks)...), "", "", false, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := fold("abcdefgh", findFourmation, tt.log)
			if err != nil {
				t.Fatal(err)
			}
			if s.result != tt.result || s.reason != tt.reason || s.over() != tt.over || len(s.moves) != tt.plies || len(s.events) != len(tt.log) {
				t.Errorf("%q, %q, over %v, %d moves", s.result, s.reason, s.over(), len(s.moves))
			}
		})
	}
}

func TestFoldRefusesDamage(t *testing.T) {
	resigned := storage.Event{Kind: storage.Resigned, Seat: storage.FirstSeat}
	change := func(n int, f func(e *storage.Event)) []storage.Event {
		log := played("a1 b2")
		f(&log[n])
		return log
	}
	open := func(f func(o *storage.Opening)) []storage.Event { return logOf(opening(f)) }
	tests := []struct {
		name string
		log  []storage.Event
		want string // what the error says
	}{
		{"empty", nil, "empty"},
		{"a gap", played("a1 b2")[1:], "number 1 is next"},
		{"a number twice", change(2, func(e *storage.Event) { e.Seq = 2 }), "number 3 is next"},
		{"unknown version", change(2, func(e *storage.Event) { e.Version = 2 }), "version"},
		{"no version", change(2, func(e *storage.Event) { e.Version = 0 }), "version"},
		{"unknown kind", change(2, func(e *storage.Event) { e.Kind = "danced" }), "kind"},
		{"unknown seat", change(2, func(e *storage.Event) { e.Seat = 3 }), "seat 3"},
		{"nobody moves", change(2, func(e *storage.Event) { e.Seat = 0 }), "nobody"},
		{"local time", change(2, func(e *storage.Event) { e.At = e.At.In(time.FixedZone("", 60)) }), "UTC"},
		{"microseconds", change(2, func(e *storage.Event) { e.At = e.At.Add(time.Microsecond) }), "milliseconds"},
		{"no time", change(2, func(e *storage.Event) { e.At = time.Time{} }), "time"},
		{"backwards", change(2, func(e *storage.Event) { e.At = e.At.Add(-time.Hour) }), "backwards"},
		{"negative lag", change(2, func(e *storage.Event) { e.Lag = -time.Millisecond }), "lag"},
		{"a move with a result", change(2, func(e *storage.Event) { e.Result = "first" }), "carries"},
		{"a move with an opening", change(2, func(e *storage.Event) { e.Opening = opening().Opening }), "carries"},
		{"out of turn", change(2, func(e *storage.Event) { e.Seat = 2 }), "turn"},
		{"illegal move", change(3, func(e *storage.Event) { e.Move = "g7" }), "g7"},
		{"opened twice", logOf(opening(), opening()), "starts with opened"},
		{"no opening", logOf(joins(1, folkAna)), "starts with opened"},
		{"opened without its opening", logOf(storage.Event{Kind: storage.Opened}), "missing"},
		{"unknown game", open(func(o *storage.Opening) { o.Game = "chess" }), "no such game"},
		{"options missing", open(func(o *storage.Opening) { o.Options = nil }), "not complete"},
		{"options out of range", open(func(o *storage.Opening) { o.Options = games.Options{"cols": 1} }), "cols"},
		{"bad code", open(func(o *storage.Opening) { o.Code = "k7qm2x" }), "code"},
		{"empty seats", open(func(o *storage.Opening) { o.First = storage.Occupant{} }), "free"},
		{"nameless", open(func(o *storage.Opening) { o.First.Name = "" }), "named"},
		{"kept, but taken", open(func(o *storage.Opening) { o.Second, o.Reserved = folkBot, folkRui }), "kept"},
		{"rated against a bot", open(func(o *storage.Opening) { o.Second, o.Rated = folkBot, true }), "rated"},
		{"rated against oneself", open(func(o *storage.Opening) { o.Second, o.Rated = folkAna, true }), "rated"},
		{"move before the start", logOf(opening(), moves("a1")[0]), "still free"},
		{"resigned before the start", logOf(opening(), resigned, ends(0, "second", "resigned")), "still free"},
		{"joined twice", played("", joins(2, folkBot)), "taken"},
		{"joined by nobody", logOf(opening(), joins(2, storage.Occupant{})), "named"},
		{"joined by another", logOf(opening(func(o *storage.Opening) { o.Reserved = folkRui }), joins(2, folkBot)), "kept"},
		{"stops at the end", played(winText), "stops before"},
		{"stops after resigned", played("a1", resigned), "stops before"},
		{"goes on after resigned", played("a1", resigned, moves("a1 b2")[1]), "only its end"},
		{"goes on after the rules' end", played(winText, resigned), "only its end"},
		{"goes on after the end", played("a1", ends(0, "", "aborted"), resigned), "over"},
		{"wrong winner", played(winText, ends(0, "second", "line")), "fit"},
		{"wrong reason", played(winText, ends(0, "first", "no_moves")), "fit"},
		{"an end by the rules that is none", played("a1 b2", ends(0, "first", "line")), "fit"},
		{"an unknown reason", played("a1 b2", ends(0, "first", "boredom")), "fit"},
		{"resigned and won", played("a1", resigned, ends(0, "first", "resigned")), "fit"},
		{"ended as resigned", played("a1", ends(0, "second", "resigned")), "fit"},
		{"aborted too late", played("a1 b2", ends(1, "", "aborted")), "fit"},
		{"aborted and won", played("a1", ends(1, "second", "aborted")), "fit"},
		{"abandoned by nobody", played("a1 b2", ends(0, "second", "abandoned")), "fit"},
		{"abandoned an offer", logOf(opening(), ends(1, "second", "abandoned")), "fit"},
		{"an empty question", played("", storage.Event{Kind: storage.Offered, Seat: 1}), "missing"},
		{"an answer to nothing", played("", storage.Event{Kind: storage.Answered, Seat: 1, Offer: "draw"}), "asked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fold("abcdefgh", findFourmation, tt.log)
			if !errors.Is(err, errLog) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// A refused event leaves the state as it was.
func TestApplyRefusedChangesNothing(t *testing.T) {
	s, err := fold("abcdefgh", findFourmation, played("a1 b2"))
	if err != nil {
		t.Fatal(err)
	}
	before := text(s.view())
	bad := storage.Event{Seq: 5, Version: 1, Kind: storage.Moved, Seat: storage.FirstSeat, Move: "g7", At: s.last}
	if err := s.apply(bad, findFourmation); !errors.Is(err, games.ErrIllegal) {
		t.Fatalf("apply: %v", err)
	}
	if got := text(s.view()); got != before {
		t.Errorf("changed to %s", got)
	}
}
