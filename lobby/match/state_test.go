package match

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

func findFourmation(name string) (games.Game, error) {
	if name != "fourmation" {
		return nil, errors.New("there is no such game")
	}
	return fourmation.New(), nil
}

var (
	ana = storage.Occupant{Kind: storage.Person, ID: "p1", Name: "ana"}
	rui = storage.Occupant{Kind: storage.Person, ID: "p2", Name: "rui"}
	bot = storage.Occupant{Kind: storage.Bot, ID: "greedy", Name: "Greedy"}
)

// logOf gives events their numbers, versions and times.
func logOf(events ...matches.Event) []matches.Event {
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for i := range events {
		events[i].Seq, events[i].Version, events[i].At = uint64(i+1), matches.EventVersion, at
		at = at.Add(time.Second)
	}
	return events
}

func opening(change ...func(*matches.Opening)) matches.Event {
	o := &matches.Opening{Code: "K7QM2X", Game: "fourmation", First: ana}
	o.Options, _ = games.Complete(fourmation.New(), nil)
	for _, f := range change {
		f(o)
	}
	return matches.Event{Kind: matches.Opened, Opening: o}
}

func joins(seat storage.Seat, who storage.Occupant) matches.Event {
	return matches.Event{Kind: matches.Joined, Seat: seat, Who: who}
}

func moves(text string) []matches.Event {
	var events []matches.Event
	for i, m := range strings.Fields(text) {
		events = append(events, matches.Event{Kind: matches.Moved, Seat: storage.Seat(i%2 + 1), Move: games.Move(m)})
	}
	return events
}

func ends(seat storage.Seat, result, reason string) matches.Event {
	return matches.Event{Kind: matches.Ended, Seat: seat, Result: result, Reason: reason}
}

// played returns the log of an opening, moves and further events.
func played(text string, then ...matches.Event) []matches.Event {
	events := append([]matches.Event{opening(), joins(storage.SecondSeat, rui)}, moves(text)...)
	return logOf(append(events, then...)...)
}

// alone returns the log of a match of ana against a computer player: given moves, further moves and further events.
func alone(given, text string, then ...matches.Event) []matches.Event {
	events := []matches.Event{opening(func(o *matches.Opening) { o.Second, o.Moves = bot, line(given) })}
	for i, m := range line(text) {
		seat := storage.Seat((i+len(line(given)))%2 + 1)
		events = append(events, matches.Event{Kind: matches.Moved, Seat: seat, Move: m})
	}
	return logOf(append(events, then...)...)
}

// line returns the moves in a text, which are separated by spaces.
func line(text string) []games.Move {
	var moves []games.Move
	for _, m := range strings.Fields(text) {
		moves = append(moves, games.Move(m))
	}
	return moves
}

func back(seat storage.Seat, plies int) matches.Event {
	return matches.Event{Kind: matches.TakenBack, Seat: seat, Plies: plies}
}

func offers(seat storage.Seat, what string) matches.Event {
	return matches.Event{Kind: matches.Offered, Seat: seat, Offer: what}
}

func answers(seat storage.Seat, what string, yes bool) matches.Event {
	return matches.Event{Kind: matches.Answered, Seat: seat, Offer: what, Yes: yes}
}

func hinted(seat storage.Seat) matches.Event { return matches.Event{Kind: matches.Helped, Seat: seat} }

// text returns a view as text, for comparing.
func text(v *View) string {
	return fmt.Sprintf("%+v %v %s %q %q %d", v.Summary, v.Moves, v.Position, v.Result, v.Reason, v.EndedBy)
}

const winText = "a1 b2 b1 c2 c1 d2 d1"

func TestFold(t *testing.T) {
	resigned := matches.Event{Kind: matches.Resigned, Seat: storage.FirstSeat}
	asks, no, yes := offers(1, "draw"), answers(2, "draw", false), answers(2, "draw", true)
	tests := []struct {
		name           string
		log            []matches.Event
		result, reason string
		over           bool
		plies          int
	}{
		{"an offer", logOf(opening()), "", "", false, 0},
		{"joined", played(""), "", "", false, 0},
		{"started at once", logOf(opening(func(o *matches.Opening) { o.Second = bot })), "", "", false, 0},
		{"the second seat opens", logOf(opening(func(o *matches.Opening) { o.First, o.Second = storage.Occupant{}, ana }), joins(storage.FirstSeat, rui)), "", "", false, 0},
		{"kept for rui", logOf(opening(func(o *matches.Opening) { o.Reserved = rui }), joins(storage.SecondSeat, rui)), "", "", false, 0},
		{"moves", played("a1 b2 b1"), "", "", false, 3},
		{"the rules end it", played(winText, ends(0, "first", "line")), "first", "line", true, 7},
		{"resigned", played("a1", resigned, ends(0, "second", "resigned")), "second", "resigned", true, 1},
		{"aborted by a seat", played("a1", ends(1, "", "aborted")), "", "aborted", true, 1},
		{"aborted by nobody", played("a1 b2 b1", ends(0, "", "aborted")), "", "aborted", true, 3},
		{"an offer taken back", logOf(opening(), ends(1, "", "aborted")), "", "aborted", true, 0},
		{"abandoned", played("a1 b2", ends(1, "second", "abandoned")), "second", "abandoned", true, 2},
		{"too long", played("a1 b2", ends(0, "draw", "length_limit")), "draw", "length_limit", true, 2},
		{"offered and declined", played("a1", asks, no, asks, no), "", "", false, 1},
		{"a draw agreed", played("a1", asks, yes, ends(0, "draw", "agreement")), "draw", "agreement", true, 1},
		{"a takeback agreed", played("a1 b2", offers(1, "takeback"), answers(2, "takeback", true), back(1, 2)), "", "", false, 0},
		{"offers of two kinds", played("a1 b2", offers(1, "takeback"), offers(2, "draw"), answers(1, "draw", false), answers(2, "takeback", false)), "", "", false, 2},
		{"resigned with an open offer", played("a1", asks, resigned, ends(0, "second", "resigned")), "second", "resigned", true, 1},
		{"a move lets an offer lapse", played("a1", append([]matches.Event{asks}, matches.Event{Kind: matches.Moved, Seat: 2, Move: "b2"}, asks)...), "", "", false, 2},
		{"given moves", alone("a1 b2 b1", ""), "", "", false, 3},
		{"played on", alone("a1 b2 b1", "c2 c1"), "", "", false, 5},
		{"given moves in an offer", logOf(opening(func(o *matches.Opening) { o.Moves = line("a1 b2") })), "", "", false, 2},
		{"won from a position", alone("a1 b2 b1 c2 c1", "d2 d1", ends(0, "first", "line")), "first", "line", true, 7},
		{"aborted soon after given moves", alone("a1 b2 b1", "c2", ends(1, "", "aborted")), "", "aborted", true, 4},
		{"taken back with the reply", alone("", "a1 b2 b1 c2", back(1, 2)), "", "", false, 2},
		{"taken back while it thinks", alone("", "a1 b2 b1", back(1, 1)), "", "", false, 2},
		{"taken back to the start", alone("a1 b2", "b1 c2", back(1, 2)), "", "", false, 2},
		{"taken back and played on", alone("", "a1 b2 b1 c2", back(1, 2), back(1, 2), moves("a1")[0]), "", "", false, 1},
		{"a question lapses when a move is taken back", alone("", "a1 b2", asks, back(1, 2), asks), "", "", false, 0},
		{"hinted", alone("", "a1 b2", hinted(1)), "", "", false, 2},
		{"taken back at one keyboard", logOf(append([]matches.Event{opening(func(o *matches.Opening) { o.Second = ana })}, append(moves("a1 b2"), back(2, 1))...)...), "", "", false, 1},
		{"hinted again after a takeback", alone("", "a1 b2", hinted(1), back(1, 2), hinted(1)), "", "", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Fold("abcdefgh", findFourmation, tt.log)
			if err != nil {
				t.Fatal(err)
			}
			if p, err := games.Replay(fourmation.New(), s.Opening.Options, s.Moves); err != nil || p.String() != s.Position.String() {
				t.Errorf("at %s, but the moves lead to %s, %v", s.Position, p, err)
			}
			if s.Result != tt.result || s.Reason != tt.reason || s.Over() != tt.over || len(s.Moves) != tt.plies || s.Seq != uint64(len(tt.log)) {
				t.Errorf("%q, %q, over %v, %d moves", s.Result, s.Reason, s.Over(), len(s.Moves))
			}
		})
	}
}

func TestFoldRefusesDamage(t *testing.T) {
	resigned := matches.Event{Kind: matches.Resigned, Seat: storage.FirstSeat}
	change := func(n int, f func(e *matches.Event)) []matches.Event {
		log := played("a1 b2")
		f(&log[n])
		return log
	}
	open := func(f func(o *matches.Opening)) []matches.Event { return logOf(opening(f)) }
	tests := []struct {
		name string
		log  []matches.Event
		want string // what the error says
	}{
		{"empty", nil, "empty"},
		{"a gap", played("a1 b2")[1:], "number 1 is next"},
		{"a number twice", change(2, func(e *matches.Event) { e.Seq = 2 }), "number 3 is next"},
		{"unknown version", change(2, func(e *matches.Event) { e.Version = matches.EventVersion + 1 }), "version"},
		{"no version", change(2, func(e *matches.Event) { e.Version = 0 }), "version"},
		{"unknown kind", change(2, func(e *matches.Event) { e.Kind = "danced" }), "kind"},
		{"unknown seat", change(2, func(e *matches.Event) { e.Seat = 3 }), "seat 3"},
		{"nobody moves", change(2, func(e *matches.Event) { e.Seat = 0 }), "nobody"},
		{"local time", change(2, func(e *matches.Event) { e.At = e.At.In(time.FixedZone("", 60)) }), "UTC"},
		{"microseconds", change(2, func(e *matches.Event) { e.At = e.At.Add(time.Microsecond) }), "milliseconds"},
		{"no time", change(2, func(e *matches.Event) { e.At = time.Time{} }), "time"},
		{"backwards", change(2, func(e *matches.Event) { e.At = e.At.Add(-time.Hour) }), "backwards"},
		{"negative lag", change(2, func(e *matches.Event) { e.Lag = -time.Millisecond }), "lag"},
		{"a move with a result", change(2, func(e *matches.Event) { e.Result = "first" }), "carries"},
		{"a move with an opening", change(2, func(e *matches.Event) { e.Opening = opening().Opening }), "carries"},
		{"out of turn", change(2, func(e *matches.Event) { e.Seat = 2 }), "turn"},
		{"illegal move", change(3, func(e *matches.Event) { e.Move = "g7" }), "g7"},
		{"opened twice", logOf(opening(), opening()), "starts with opened"},
		{"no opening", logOf(joins(1, ana)), "starts with opened"},
		{"opened without its opening", logOf(matches.Event{Kind: matches.Opened}), "missing"},
		{"an exhibition of people", open(func(o *matches.Opening) { o.By = ana }), "is none"},
		{"unknown game", open(func(o *matches.Opening) { o.Game = "chess" }), "no such game"},
		{"options missing", open(func(o *matches.Opening) { o.Options = nil }), "not complete"},
		{"options out of range", open(func(o *matches.Opening) { o.Options = games.Options{"cols": 1} }), "cols"},
		{"bad code", open(func(o *matches.Opening) { o.Code = "k7qm2x" }), "code"},
		{"empty seats", open(func(o *matches.Opening) { o.First = storage.Occupant{} }), "free"},
		{"nameless", open(func(o *matches.Opening) { o.First.Name = "" }), "named"},
		{"kept, but taken", open(func(o *matches.Opening) { o.Second, o.Reserved = bot, rui }), "kept"},
		{"for some ratings, but taken", open(func(o *matches.Opening) { o.Second, o.Range = bot, [2]int{1400, 1600} }), "none is free"},
		{"for a minute, but taken", open(func(o *matches.Opening) { o.Second, o.Wait = bot, 60 }), "none is free"},
		{"rated against a bot", open(func(o *matches.Opening) { o.Second, o.Rated = bot, true }), "rated"},
		{"rated against oneself", open(func(o *matches.Opening) { o.Second, o.Rated = ana, true }), "rated"},
		{"move before the start", logOf(opening(), moves("a1")[0]), "still free"},
		{"resigned before the start", logOf(opening(), resigned, ends(0, "second", "resigned")), "still free"},
		{"joined twice", played("", joins(2, bot)), "taken"},
		{"joined by nobody", logOf(opening(), joins(2, storage.Occupant{})), "named"},
		{"joined by another", logOf(opening(func(o *matches.Opening) { o.Reserved = rui }), joins(2, bot)), "kept"},
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
		{"an empty offer", played("", offers(1, "")), "nobody can offer"},
		{"an unknown offer", played("", offers(1, "tea")), "nobody can offer"},
		{"an offer before the start", logOf(opening(), offers(1, "draw")), "still free"},
		{"an offer by nobody", played("a1", offers(0, "draw")), "nobody did it"},
		{"two open offers of a kind", played("a1", offers(1, "draw"), offers(2, "draw")), "is open"},
		{"an answer to one's own offer", played("a1", offers(1, "draw"), answers(1, "draw", true)), "not offered"},
		{"an answer to another offer", played("a1", offers(1, "draw"), answers(2, "takeback", true)), "not offered"},
		{"an answer to a lapsed offer", played("", offers(1, "draw"), moves("a1")[0], answers(2, "draw", true)), "not offered"},
		{"a second answer", played("a1", offers(1, "draw"), answers(2, "draw", false), answers(2, "draw", true)), "not offered"},
		{"stops after consent to a draw", played("a1", offers(1, "draw"), answers(2, "draw", true)), "stops before"},
		{"goes on after consent to a draw", played("a1", offers(1, "draw"), answers(2, "draw", true), moves("a1 b2")[1]), "only its end"},
		{"agreed and lost", played("a1", offers(1, "draw"), answers(2, "draw", true), ends(0, "first", "agreement")), "fit"},
		{"agreed without a word", played("a1", ends(0, "draw", "agreement")), "fit"},
		{"stops after consent to a takeback", played("a1 b2", offers(1, "takeback"), answers(2, "takeback", true)), "stops before"},
		{"goes on after consent to a takeback", played("a1 b2", offers(1, "takeback"), answers(2, "takeback", true), moves("b1")[0]), "only the takeback"},
		{"ends after consent to a takeback", played("a1", offers(1, "takeback"), answers(2, "takeback", true), ends(0, "", "aborted")), "only the takeback"},
		{"the wrong side takes back", played("a1 b2", offers(1, "takeback"), answers(2, "takeback", true), back(2, 1)), "only the takeback"},
		{"a takeback of a rated match", logOf(append([]matches.Event{opening(func(o *matches.Opening) { o.Rated, o.Second = true, rui })}, append(moves("a1 b2"), offers(1, "takeback"))...)...), "rated"},
		{"an illegal given move", alone("a1 g7", ""), "g7"},
		{"a given move after the end", alone(winText+" d2", ""), "over"},
		{"given moves that end the game", alone(winText, ""), "over"},
		{"rated from a position", open(func(o *matches.Opening) { o.Rated, o.Moves = true, line("a1") }), "beginning"},
		{"given moves count for neither side", alone("a1 b2", "b1 c2", ends(1, "", "aborted")), "fit"},
		{"taken back between people", played("a1 b2", back(1, 2)), "no help"},
		{"taken back at one keyboard by the wrong seat", logOf(append([]matches.Event{opening(func(o *matches.Opening) { o.Second = ana })}, append(moves("a1 b2"), back(1, 1))...)...), "other side's turn"},
		{"hinted at one keyboard", logOf(append([]matches.Event{opening(func(o *matches.Opening) { o.Second = ana })}, append(moves("a1 b2"), hinted(1))...)...), "no help"},
		{"taken back by the computer", alone("", "a1 b2", back(2, 1)), "no help"},
		{"taken back between computers", logOf(append([]matches.Event{opening(func(o *matches.Opening) { o.First, o.Second = bot, bot })}, append(moves("a1 b2"), back(1, 2))...)...), "no help"},
		{"nothing taken back", alone("", "a1 b2", back(1, 0)), "no 0 moves"},
		{"less than nothing taken back", alone("", "a1 b2", back(1, -2)), "no -2 moves"},
		{"more taken back than there is", alone("", "a1 b2", back(1, 4)), "no 4 moves"},
		{"a given move taken back", alone("a1 b2", "b1 c2", back(1, 4)), "no 4 moves"},
		{"half a pair taken back", alone("", "a1 b2 b1 c2", back(1, 1)), "other side's turn"},
		{"taken back by nobody", alone("", "a1 b2", back(0, 2)), "nobody"},
		{"taken back with a move", alone("", "a1 b2", matches.Event{Kind: matches.TakenBack, Seat: 1, Plies: 2, Move: "a1"}), "carries"},
		{"a move that takes back", alone("", "a1", matches.Event{Kind: matches.Moved, Seat: 2, Plies: 1, Move: "b2"}), "carries"},
		{"taken back after the end", alone("", winText, ends(0, "first", "line"), back(1, 1)), "over"},
		{"taken back after the rules' end", alone("", winText, back(1, 1)), "only its end"},
		{"hinted between people", played("a1 b2", hinted(1)), "no help"},
		{"hinted out of turn", alone("", "a1", hinted(1)), "turn"},
		{"hinted twice", alone("", "a1 b2", hinted(1), hinted(1)), "already"},
		{"hinted before the start", logOf(opening(), hinted(1)), "still free"},
		{"an answer to nothing", played("", matches.Event{Kind: matches.Answered, Seat: 1, Offer: "draw"}), "not offered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Fold("abcdefgh", findFourmation, tt.log)
			if !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// TestTakenBackMovesStayInOldViews: a view from before a takeback doesn't change, whatever is played afterwards.
func TestTakenBackMovesStayInOldViews(t *testing.T) {
	s, err := Fold("abcdefgh", findFourmation, alone("", "a1 b2 b1 c2"))
	if err != nil {
		t.Fatal(err)
	}
	before := s.View()
	was := text(before)
	for i, e := range []matches.Event{back(1, 2), {Kind: matches.Moved, Seat: 1, Move: "c3"}, {Kind: matches.Moved, Seat: 2, Move: "d4"}} {
		e.Seq, e.Version, e.At = uint64(6+i), matches.EventVersion, s.LastAt
		if err := s.apply(e, findFourmation); err != nil {
			t.Fatal(err)
		}
	}
	if got := text(before); got != was || !slices.Equal(before.Moves, line("a1 b2 b1 c2")) {
		t.Errorf("an old view became %s, was %s", got, was)
	}
	after := s.View()
	if !slices.Equal(after.Moves, line("a1 b2 c3 d4")) || after.Helped != (results.Help{Takebacks: 1}) || after.Continues(before) || !after.Continues(after) {
		t.Errorf("the new view is %s", text(after))
	}
}

// TestRecordOfAHelpedMatch: the record holds the line as it was at the end, with the times of its moves, and can be replayed.
func TestRecordOfAHelpedMatch(t *testing.T) {
	log := alone("a1 b2", "b1 c2", hinted(1), back(1, 2), matches.Event{Kind: matches.Moved, Seat: 1, Move: "c3"},
		matches.Event{Kind: matches.Resigned, Seat: 2}, ends(0, "first", "resigned"))
	s, err := Fold("abcdefgh", findFourmation, log)
	if err != nil {
		t.Fatal(err)
	}
	var times Timing
	for _, e := range log {
		times.Add(e)
	}
	f := Record(s.View(), times.Times(s.View()))
	want := []time.Time{s.Started, s.Started, log[5].At}
	if !slices.Equal(f.Moves, line("a1 b2 c3")) || !slices.EqualFunc(f.Times, want, time.Time.Equal) || f.Plies != 3 ||
		f.Start != 2 || f.Helped != (results.Help{Hints: 1, Takebacks: 1}) {
		t.Errorf("the record is %+v", f)
	}
	again, err := Replay(f, findFourmation)
	if err != nil {
		t.Fatal(err)
	}
	if got := Record(again.View(), f.Times); !reflect.DeepEqual(got, f) {
		t.Errorf("replayed, it is %+v\nwant %+v", got, f)
	}
}

// TestApplyRefusedChangesNothing: a refused event leaves the state as it was.
func TestApplyRefusedChangesNothing(t *testing.T) {
	s, err := Fold("abcdefgh", findFourmation, played("a1 b2"))
	if err != nil {
		t.Fatal(err)
	}
	before := text(s.View())
	bad := matches.Event{Seq: 5, Version: 1, Kind: matches.Moved, Seat: storage.FirstSeat, Move: "g7", At: s.LastAt}
	if err := s.apply(bad, findFourmation); !errors.Is(err, games.ErrIllegal) {
		t.Fatalf("apply: %v", err)
	}
	if got := text(s.View()); got != before {
		t.Errorf("changed to %s", got)
	}
}
