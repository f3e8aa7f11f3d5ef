package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
)

func logReadsBack(t *testing.T, s Store) {
	ann := person(signUp(t, s, "ann"))
	first := opened("ABCDEF", ann, storage.Occupant{})
	first.Opening.Public, first.Opening.Reserved, first.Opening.RematchOf = true, guest, "zzzzzzzz"
	first.Opening.Moves, first.Opening.From = []games.Move{"a2-a3", "h7xg6"}, "turn=top ../MM"
	event := func(seq uint64, kind matchstore.Kind) matchstore.Event {
		return matchstore.Event{Seq: seq, Version: matchstore.EventVersion, Kind: kind, Seat: storage.SecondSeat, At: minute(int(seq))}
	}
	joined, offered, answered := event(2, matchstore.Joined), event(5, matchstore.Offered), event(6, matchstore.Answered)
	joined.Who = guest
	offered.Offer, answered.Offer, answered.Yes = "draw", "draw", true
	takenBack := event(9, matchstore.TakenBack)
	takenBack.Plies = 2
	log := []matchstore.Event{
		first, joined, moved(3, "a1-a5"), moved(4, "4:3"), offered, answered, event(7, matchstore.Flagged), event(8, matchstore.Resigned),
		takenBack, event(10, matchstore.Helped),
	}
	for _, part := range [][]matchstore.Event{log[:1], log[1:2], log[2:6], log[6:]} {
		if err := s.Append(t.Context(), "m2222222", part, matchstore.Summary{}); err != nil {
			t.Fatalf("Append from %d: %v", part[0].Seq, err)
		}
	}
	if err := s.Append(t.Context(), "m2222223", []matchstore.Event{opened("BCDEFG", guest, robot)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Log(t.Context(), "m2222222", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "log", got, log)
	for from := uint64(2); from <= uint64(len(log))+1; from++ {
		got, err := s.Log(t.Context(), "m2222222", from, 0)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("log from %d on", from), got, log[from-1:])
	}
	sums, err := s.Summaries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []storage.MatchID
	for _, m := range sums {
		ids = append(ids, m.ID)
	}
	same(t, "unfinished", ids, []storage.MatchID{"m2222222", "m2222223"})
}

// longLogs checks logs of many blocks, read whole and in parts.
func longLogs(t *testing.T, s Store) {
	const id, length = "m2222222", 500
	log := []matchstore.Event{opened("ABCDEF", guest, robot)}
	for seq := uint64(2); seq <= length; seq++ {
		e := moved(seq, games.Move(fmt.Sprintf("a%d", seq)))
		if seq%7 == 0 {
			e.Lag = 0
		}
		if seq%50 == 0 {
			e = matchstore.Event{Seq: seq, Version: matchstore.EventVersion, Kind: matchstore.TakenBack, Seat: storage.FirstSeat, At: e.At, Plies: 3}
		}
		log = append(log, e)
	}
	for at, step := 0, 1; at < length; at, step = at+step, step%131+9 {
		if err := s.Append(t.Context(), id, log[at:min(at+step, length)], matchstore.Summary{}); err != nil {
			t.Fatalf("from %d: %v", at+1, err)
		}
	}
	got, err := s.Log(t.Context(), id, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the whole log", got, log)
	for _, most := range []int{1, 10, 100} {
		var parts []matchstore.Event
		for len(parts) < length {
			part, err := s.Log(t.Context(), id, uint64(len(parts))+1, most)
			if err != nil || len(part) == 0 || len(part) > most+100 {
				t.Fatalf("from %d, about %d: %d events, %v", len(parts)+1, most, len(part), err)
			}
			parts = append(parts, part...)
		}
		same(t, "the log in parts", parts, log)
	}
	if part, err := s.Log(t.Context(), id, length+1, 10); err != nil || len(part) > 0 {
		t.Errorf("beyond the end: %v, %v", part, err)
	}
}

// summaries checks that a summary is what the last append said, and goes with its match.
func summaries(t *testing.T, s Store) {
	const id = "m2222222"
	ann := person(signUp(t, s, "ann"))
	first := opened("ABCDEF", ann, storage.Occupant{})
	first.Opening.Moves, first.Opening.From = []games.Move{"a2-a3"}, "turn=top ../MM"
	sum := matchstore.Summary{ID: id, Seq: 1, At: start, Opening: *first.Opening, Opener: storage.FirstSeat, Opened: start, Given: 1, Plies: 1,
		Turn: storage.SecondSeat}
	sum.Opening.Moves = nil
	check := func(when string, want ...matchstore.Summary) {
		t.Helper()
		got, err := s.Summaries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, when, got, want)
	}
	append := func(e matchstore.Event, given matchstore.Summary) error {
		given.ID, given.Seq, given.At = "", 0, time.Time{} // follow from the rest
		return s.Append(t.Context(), id, []matchstore.Event{e}, given)
	}
	if err := append(first, sum); err != nil {
		t.Fatal(err)
	}
	check("opened", sum)
	before := sum
	sum.Seq, sum.At, sum.Plies, sum.Turn, sum.Started, sum.Opening.Second = 2, minute(2), 2, storage.FirstSeat, minute(1), robot
	sum.Helped = results.Help{Hints: 1, Takebacks: 2}
	if err := append(moved(3, "a1"), sum); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a number left out: %v", err)
	}
	check("a refused append", before)
	if err := append(moved(2, "a1"), sum); err != nil {
		t.Fatal(err)
	}
	check("moved", sum)
	changed := sum
	changed.Plies = 9
	changed.Seq = 1
	if err := s.KeepSummaries(t.Context(), []matchstore.Summary{changed}); !errors.Is(err, storage.ErrStale) {
		t.Errorf("of a log that has moved on: %v", err)
	}
	check("a refused summary", sum)
	changed.Seq = 2
	if err := s.KeepSummaries(t.Context(), []matchstore.Summary{changed}); err != nil {
		t.Error(err)
	}
	check("kept", changed)
	log, err := s.Log(t.Context(), id, 1, 0)
	if err != nil {
		t.Error(err)
	}
	same(t, "the log", log, []matchstore.Event{first, moved(2, "a1")})
	if _, err := s.Finish(t.Context(), id, []matchstore.Event{ended(3, "")}, record("ABCDEF", "tanks", ann, robot, "", 3), nil); err != nil {
		t.Fatal(err)
	}
	check("ended")
}

func staleAppends(t *testing.T, s Store) {
	const id = "m2222222"
	log := []matchstore.Event{opened("ABCDEF", guest, robot), moved(2, "a1"), moved(3, "a2")}
	if err := s.Append(t.Context(), id, log, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	play(t, s, "m9999999", record("ZZZZZZ", "tanks", guest, robot, "first", 9))
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		events []matchstore.Event
	}{
		{"the last number again", id, []matchstore.Event{moved(3, "a2")}},
		{"a number in the middle", id, []matchstore.Event{moved(2, "b1")}},
		{"the first number again", id, []matchstore.Event{opened("GHJKMN", guest, robot)}},
		{"one number left out", id, []matchstore.Event{moved(5, "a3")}},
		{"from the past into the future", id, []matchstore.Event{moved(3, "a3"), moved(4, "a4")}},
		{"a match that nobody opened", "m3333333", []matchstore.Event{moved(2, "a1")}},
		{"a match right before another", "m222222", []matchstore.Event{moved(4, "a1")}},
		{"a match right after another", "m22222222", []matchstore.Event{moved(4, "a1")}},
		{"a match that has ended", "m9999999", []matchstore.Event{moved(3, "a1")}},
		{"the id of a match that has ended", "m9999999", []matchstore.Event{opened("GHJKMN", guest, robot)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := snapshot(t, s, []storage.MatchID{id, tt.id}, nil, []string{"GHJKMN"})
			if err := s.Append(t.Context(), tt.id, tt.events, matchstore.Summary{}); !errors.Is(err, storage.ErrStale) {
				t.Errorf("Append = %v, want ErrStale", err)
			}
			same(t, "after the refusal", snapshot(t, s, []storage.MatchID{id, tt.id}, nil, []string{"GHJKMN"}), before)
		})
	}
}

func invalidEvents(t *testing.T, s Store) {
	const id = "m2222222"
	if err := s.Append(t.Context(), id, []matchstore.Event{opened("ABCDEF", guest, robot)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	move := func(change func(*matchstore.Event)) []matchstore.Event {
		e := moved(2, "a1")
		change(&e)
		return []matchstore.Event{e}
	}
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		events []matchstore.Event
	}{
		{"none", id, nil},
		{"no id", "", []matchstore.Event{opened("GHJKMN", guest, robot)}},
		{"an id with a zero byte", "m\x00", []matchstore.Event{opened("GHJKMN", guest, robot)}},
		{"no number", id, move(func(e *matchstore.Event) { e.Seq = 0 })},
		{"no version", id, move(func(e *matchstore.Event) { e.Version = 0 })},
		{"a later version", id, move(func(e *matchstore.Event) { e.Version++ })},
		{"nothing taken back", id, move(func(e *matchstore.Event) { e.Kind, e.Move = matchstore.TakenBack, "" })},
		{"a move that takes back", id, move(func(e *matchstore.Event) { e.Plies = 1 })},
		{"no kind", id, move(func(e *matchstore.Event) { e.Kind = "" })},
		{"an unknown kind", id, move(func(e *matchstore.Event) { e.Kind = "sneezed" })},
		{"opened twice", id, move(func(e *matchstore.Event) { e.Kind = matchstore.Opened; e.Opening = &matchstore.Opening{Code: "X"} })},
		{"a move with an opening", id, move(func(e *matchstore.Event) { e.Opening = &matchstore.Opening{} })},
		{"a third seat", id, move(func(e *matchstore.Event) { e.Seat = 3 })},
		{"half a millisecond", id, move(func(e *matchstore.Event) { e.At = e.At.Add(time.Microsecond) })},
		{"a lag of half a millisecond", id, move(func(e *matchstore.Event) { e.Lag = time.Microsecond })},
		{"a move that is not text", id, move(func(e *matchstore.Event) { e.Move = "\xff" })},
		{"a gap inside", id, []matchstore.Event{moved(2, "a1"), moved(4, "a2")}},
		{"an end without Finish", id, []matchstore.Event{ended(2, "first")}},
		{"more after the end", id, []matchstore.Event{ended(2, "first"), moved(3, "a1")}},
		{"a match without a code", "m3333333", []matchstore.Event{opened("", guest, robot)}},
		{"a match without an opening", "m3333333", []matchstore.Event{moved(1, "a1")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := snapshot(t, s, []storage.MatchID{id, tt.id}, nil, nil)
			if err := s.Append(t.Context(), tt.id, tt.events, matchstore.Summary{}); !errors.Is(err, storage.ErrInvalid) {
				t.Errorf("Append = %v, want ErrInvalid", err)
			}
			same(t, "after the refusal", snapshot(t, s, []storage.MatchID{id, tt.id}, nil, nil), before)
		})
	}
}

func codesAreUnique(t *testing.T, s Store) {
	if err := s.Append(t.Context(), "m2222222", []matchstore.Event{opened("ABCDEF", guest, robot)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "m3333333", []matchstore.Event{opened("ABCDEF", guest, robot)}, matchstore.Summary{}); !errors.Is(err, storage.ErrCodeTaken) {
		t.Errorf("a second match with the code: %v, want ErrCodeTaken", err)
	}
	if _, err := s.Log(t.Context(), "m3333333", 1, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the refused match has a log: %v", err)
	}
	if id, err := s.ByCode(t.Context(), "ABCDEF", start.AddDate(50, 0, 0)); err != nil || id != "m2222222" {
		t.Errorf("ByCode = %s, %v while the match goes on", id, err)
	}
}

func finishing(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	const id = "m2222222"
	log := []matchstore.Event{opened("ABCDEF", person(ann), person(bob)), moved(2, "a2-a3")}
	if err := s.Append(t.Context(), id, log, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	f := record("ABCDEF", "tanks", person(ann), person(bob), "second", 10)
	got, err := s.Finish(t.Context(), id, []matchstore.Event{moved(3, "h7xg6"), ended(4, "second")}, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	rated := Rate(results.RatedMatch{At: f.Ended})
	first, second := &rated[0].After, &rated[1].After
	first.Played, first.Lost, second.Played, second.Won = 1, 1, 1, 1
	want := &rated
	same(t, "changes of ratings", got, want)

	f.ID, f.Ratings = id, want
	whole, err := s.Finished(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "record", whole, f)
	f.Moves, f.Times = nil, nil
	all := snapshot(t, s, []storage.MatchID{id}, []storage.PlayerID{ann.ID}, []string{"ABCDEF"})
	same(t, "history", all["history"], []results.Finished{f})
	same(t, "summaries", all["summaries"], []matchstore.Summary(nil))
	same(t, "code", all["code ABCDEF"], storage.MatchID(id))
	same(t, "rating", all["ratings "+string(ann.ID)], map[string]results.Rating{"tanks": *first})
	if _, err := s.Log(t.Context(), id, 1, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Log of a finished match = %v, want ErrNotFound", err)
	}
}

func refusedFinishes(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	const id = "m2222222"
	if err := s.Append(t.Context(), id, []matchstore.Event{opened("ABCDEF", person(ann), person(bob)), moved(2, "a1")}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "m3333333", []matchstore.Event{opened("GHJKMN", guest, robot)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	good := record("ABCDEF", "tanks", person(ann), person(bob), "first", 10)
	but := func(change func(*results.Finished)) results.Finished {
		f := good
		change(&f)
		return f
	}
	end := []matchstore.Event{ended(3, "first")}
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		events []matchstore.Event
		f      results.Finished
		want   error
	}{
		{"a number that is taken", id, []matchstore.Event{ended(2, "first")}, good, storage.ErrStale},
		{"a gap", id, []matchstore.Event{ended(4, "first")}, good, storage.ErrStale},
		{"another match", "m4444444", end, good, storage.ErrStale},
		{"no events", id, nil, good, storage.ErrInvalid},
		{"no end", id, []matchstore.Event{moved(3, "a1")}, good, storage.ErrInvalid},
		{"never opened", "m4444444", []matchstore.Event{opened("ABCDEF", guest, robot), ended(2, "first")}, good, storage.ErrInvalid},
		{"two results", id, []matchstore.Event{ended(3, "second")}, good, storage.ErrInvalid},
		{"an unknown result", id, []matchstore.Event{ended(3, "both")}, but(func(f *results.Finished) { f.Result = "both" }), storage.ErrInvalid},
		{"the code of another match", id, end, but(func(f *results.Finished) { f.Code = "GHJKMN" }), storage.ErrInvalid},
		{"an unknown code", id, end, but(func(f *results.Finished) { f.Code = "PQRSTU" }), storage.ErrInvalid},
		{"no game", id, end, but(func(f *results.Finished) { f.Game = "" }), storage.ErrInvalid},
		{"no time", id, end, but(func(f *results.Finished) { f.Ended = time.Time{} }), storage.ErrInvalid},
		{"a move without a time", id, end, but(func(f *results.Finished) { f.Times = f.Times[1:] }), storage.ErrInvalid},
		{"a wrong number of plies", id, end, but(func(f *results.Finished) { f.Plies = 3 }), storage.ErrInvalid},
		{"a player without an id", id, end, but(func(f *results.Finished) { f.First.ID = "" }), storage.ErrInvalid},
		{"rated, but temporary", id, end, but(func(f *results.Finished) { f.Temporary = true }), storage.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			look := func() map[string]any {
				return snapshot(t, s, []storage.MatchID{id, "m3333333", tt.id}, []storage.PlayerID{ann.ID, bob.ID},
					[]string{"ABCDEF", "GHJKMN"})
			}
			before := look()
			if _, err := s.Finish(t.Context(), tt.id, tt.events, tt.f, nil); !errors.Is(err, tt.want) {
				t.Errorf("Finish = %v, want %v", err, tt.want)
			}
			same(t, "after the refusal", look(), before)
		})
	}
}

func voidMatches(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	f := record("ABCDEF", "tanks", person(ann), person(bob), "", 10)
	f.Plies, f.Start, f.Moves, f.Times, f.Started = 0, 0, nil, nil, time.Time{}
	if changes := play(t, s, "m2222222", f); changes != nil {
		t.Errorf("a void match changed ratings: %v", changes)
	}
	f.ID, f.Temporary = "m2222222", true
	all := snapshot(t, s, []storage.MatchID{f.ID}, []storage.PlayerID{ann.ID}, []string{"ABCDEF"})
	same(t, "record", all["finished m2222222"], f)
	same(t, "code", all["code ABCDEF"], f.ID)
	same(t, "history", all["history"], []results.Finished(nil))
	same(t, "ratings", all["ratings "+string(ann.ID)], map[string]results.Rating(nil))
}

func whichAreRated(t *testing.T, s Store) {
	ann, bob := person(signUp(t, s, "ann")), person(signUp(t, s, "bob"))
	for i, tt := range []struct {
		name          string
		first, second storage.Occupant
		result        string
		rated, want   bool
	}{
		{"two players", ann, bob, "first", true, true},
		{"two players, drawn", ann, bob, "draw", true, true},
		{"agreed to be casual", ann, bob, "first", false, false},
		{"void", ann, bob, "", true, false},
		{"against a guest", ann, guest, "first", true, false},
		{"against a computer player", robot, ann, "first", true, false},
		{"against a player who never signed up", ann, person(accounts.Player{ID: "cid", Name: "cid"}), "first", true, false},
		{"against oneself", ann, ann, "first", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := record("ABCDE"+string(rune('F'+i)), "tanks", tt.first, tt.second, tt.result, 10+i)
			f.Rated = tt.rated
			id := storage.MatchID("m222222" + string(rune('2'+i)))
			changes := play(t, s, id, f)
			if got := changes != nil; got != tt.want {
				t.Errorf("changes of ratings %v, want any: %t", changes, tt.want)
			}
			whole, err := s.Finished(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "changes in the record", whole.Ratings, changes)
		})
	}
	all, err := s.Ratings(t.Context(), storage.PlayerID(ann.ID), everyGame)
	if err != nil {
		t.Fatal(err)
	}
	got := all.Now
	if r := got["tanks"]; r.Played != 2 || r.Won != 1 || r.Drawn != 1 || r.Lost != 0 || len(got) != 1 {
		t.Errorf("ratings %+v, want 2 played, 1 won, 1 drawn", got)
	}
}

// weighing looks at what a store tells the arithmetic of ratings by what Rate makes of it.
func weighing(t *testing.T, s Store) {
	const hours = 60
	ann, bob, cid := person(signUp(t, s, "ann")), person(signUp(t, s, "bob")), person(signUp(t, s, "cid"))
	young, err := s.SignUp(t.Context(), accounts.Player{Name: "yan", NameKey: "yan", Since: minute(49 * hours)}, "SHA256:yan")
	if err != nil {
		t.Fatal(err)
	}
	yan := person(young)
	whole, half := [2]float64{1, 1}, [2]float64{0.5, 0.5}
	for i, tt := range []struct {
		name          string
		first, second storage.Occupant
		game          string
		minutes       int
		want          [2]float64
		why           [2]results.Discount
	}{
		{"the first", ann, bob, "tanks", 0, whole, [2]results.Discount{}},
		{"again, from the other side", bob, ann, "tanks", 1, half, [2]results.Discount{results.Repeated, results.Repeated}},
		{"another game", ann, bob, "petteia", 2, [2]float64{0.75, 0.75}, [2]results.Discount{results.Unsettled, results.Unsettled}},
		{"too many in a day, of which one would be", ann, cid, "tank", 3, [2]float64{}, [2]results.Discount{results.DailyLimit, results.DailyLimit}},
		{"a moment too early", ann, cid, "tank", 24*hours - 1, [2]float64{}, [2]results.Discount{results.DailyLimit, results.DailyLimit}},
		{"a day after the first", ann, cid, "tank", 24 * hours, whole, [2]results.Discount{}},
		{"as many as may be again", ann, cid, "tanks", 24 * hours, [2]float64{}, [2]results.Discount{results.DailyLimit, results.DailyLimit}},
		{"another opponent", bob, cid, "tanks", 24*hours + 1, whole, [2]results.Discount{}},
		{"two days later", ann, bob, "tanks", 48*hours + 2, whole, [2]results.Discount{}},
		{"a new account", ann, yan, "tanks", 50 * hours, [2]float64{0.25, 1}, [2]results.Discount{results.NewAccount, ""}},
		{"a new account of a day", cid, yan, "tanks", 73 * hours, whole, [2]results.Discount{}},
	} {
		f := record(fmt.Sprintf("CODE%02d", i), tt.game, tt.first, tt.second, "first", tt.minutes)
		before := snapshot(t, s, nil, []storage.PlayerID{storage.PlayerID(tt.first.ID), storage.PlayerID(tt.second.ID)}, nil)
		id := storage.MatchID(fmt.Sprintf("m%02d", i))
		got := play(t, s, id, f)
		for side := range got {
			if got[side].Weight != tt.want[side] || got[side].Why != tt.why[side] {
				t.Errorf("%s: side %d counts %v, %q, want %v, %q", tt.name, side, got[side].Weight, got[side].Why, tt.want[side], tt.why[side])
			}
		}
		whole, err := s.Finished(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		same(t, tt.name+": changes in the record", whole.Ratings, got)
		after := snapshot(t, s, nil, []storage.PlayerID{storage.PlayerID(tt.first.ID), storage.PlayerID(tt.second.ID)}, nil)
		delete(before, "history")
		delete(after, "history")
		if tt.want[0] == 0 {
			same(t, tt.name+": ratings", after, before)
		}
	}
	if report, err := s.Recompute(t.Context()); err != nil || report.Results != 11 || report.Matches+report.Recent+len(report.Differed) > 0 {
		t.Errorf("recomputed: %+v, %v", report, err)
	}
}

func forgetting(t *testing.T, s Store) {
	ann, bob := person(signUp(t, s, "ann")), person(signUp(t, s, "bob"))
	greedy, master := storage.Occupant{Kind: storage.Bot, ID: "greedy", Name: "Greedy"}, storage.Occupant{Kind: storage.Bot, ID: "master", Name: "Master"}
	kinds := []struct {
		first, second storage.Occupant
		result        string
		rated, goes   bool
	}{
		{ann, guest, "first", false, true},
		{guest, master, "second", false, true},
		{ann, robot, "first", false, true},
		{greedy, ann, "draw", false, true},
		{master, master, "first", false, true},
		{ann, master, "second", false, false},
		{ann, bob, "first", false, false},
		{ann, bob, "first", true, false},
		{ann, ann, "second", false, false},
		{bob, guest, "", false, false}, // void: Sweep's
	}
	const rounds = 60 // more than one transaction looks at
	var old, young []storage.MatchID
	n, goes := 0, 0
	add := func(minutes int) (id storage.MatchID) {
		k := kinds[n%len(kinds)]
		f := record(fmt.Sprintf("CODE%03d", n), "tanks", k.first, k.second, k.result, minutes)
		f.Rated = k.rated
		id = storage.MatchID(fmt.Sprintf("m%03d", n))
		play(t, s, id, f)
		n++
		return id
	}
	for range rounds * len(kinds) {
		if kinds[n%len(kinds)].goes {
			goes++
		}
		old = append(old, add(n))
	}
	forget := func(before int, want int) {
		t.Helper()
		if got, err := s.ForgetCasual(t.Context(), minute(before), []string{"random", "greedy"}); got != want || err != nil {
			t.Errorf("ForgetCasual before minute %d = %d, %v, want %d", before, got, err, want)
		}
	}
	if err := s.SaveAnalysis(t.Context(), old[2], analysed(2, 10)); err != nil {
		t.Fatal(err)
	}
	for range kinds {
		young = append(young, add(n))
	}
	forget(0, 0)
	forget(2, 2) // of the first two
	forget(rounds*len(kinds), goes-2)
	forget(rounds*len(kinds), 0)
	if _, err := s.Analysis(t.Context(), old[2]); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the analysis of a match that is forgotten: %v, want ErrNotFound", err)
	}
	for i, id := range old {
		if _, err := s.Finished(t.Context(), id); errors.Is(err, storage.ErrNotFound) != kinds[i%len(kinds)].goes {
			t.Errorf("match %s of %+v: %v", id, kinds[i%len(kinds)], err)
		}
	}
	for _, id := range young {
		if _, err := s.Finished(t.Context(), id); err != nil {
			t.Errorf("match %s is younger: %v", id, err)
		}
	}
	for player, want := range map[storage.PlayerID]int{"": 4*rounds + 9, storage.PlayerID(ann.ID): 4*rounds + 7, storage.PlayerID(bob.ID): 2*rounds + 2} {
		for _, game := range []string{"", "tanks"} {
			rows, err := s.History(t.Context(), results.HistoryQuery{Player: player, Game: game, Limit: 1000})
			if err != nil || len(rows) != want {
				t.Errorf("history of %q, %q has %d rows, %v, want %d", player, game, len(rows), err, want)
			}
		}
	}
	if report, err := s.Recompute(t.Context()); err != nil || report.Results != rounds+1 || report.Matches > 0 {
		t.Errorf("recomputed: %+v, %v", report, err)
	}
}

func codesEnd(t *testing.T, s Store) {
	play(t, s, "m2222222", record("ABCDEF", "tanks", guest, robot, "first", 10))
	play(t, s, "m3333333", record("BCDEFG", "tanks", guest, robot, "second", 11))
	if err := s.Append(t.Context(), "m4444444", []matchstore.Event{opened("CDEFGH", guest, robot)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	end := minute(10).Add(30 * 24 * time.Hour)
	known := func(now time.Time) (codes []string) {
		for _, code := range []string{"ABCDEF", "BCDEFG", "CDEFGH"} {
			switch _, err := s.ByCode(t.Context(), code, now); {
			case err == nil:
				codes = append(codes, code)
			case !errors.Is(err, storage.ErrNotFound):
				t.Errorf("ByCode(%s): %v", code, err)
			}
		}
		return codes
	}
	sweep := func(now time.Time, want int) {
		if n, err := s.Sweep(t.Context(), now); n != want || err != nil {
			t.Errorf("Sweep at %v = %d, %v, want %d", now, n, err, want)
		}
	}
	sweep(end.Add(-time.Millisecond), 0)
	same(t, "just before the end", known(end.Add(-time.Millisecond)), []string{"ABCDEF", "BCDEFG", "CDEFGH"})
	same(t, "at the end", known(end), []string{"BCDEFG", "CDEFGH"})
	sweep(end, 1)
	same(t, "the others after the sweep", known(start), []string{"BCDEFG", "CDEFGH"})
	sweep(end.AddDate(1, 0, 0), 1)
	same(t, "a match that goes on", known(end.AddDate(1, 0, 0)), []string{"CDEFGH"})
	for _, id := range []storage.MatchID{"m2222222", "m3333333"} {
		if _, err := s.Finished(t.Context(), id); err != nil {
			t.Errorf("the record of %s went with its code: %v", id, err)
		}
	}
}

func temporaryRecords(t *testing.T, s Store) {
	ann := person(signUp(t, s, "ann"))
	kept := record("ABCDEF", "tanks", ann, robot, "first", 10)
	void := record("BCDEFG", "tanks", ann, robot, "", 10)
	short := record("CDEFGH", "tanks", robot, ann, "second", 11)
	short.Rated, short.Short, short.Temporary = false, true, true
	ids := []storage.MatchID{"m2222222", "m3333333", "m4444444"}
	for i, f := range []results.Finished{kept, void, short} {
		play(t, s, ids[i], f)
		if err := s.SaveAnalysis(t.Context(), ids[i], analysed(2, 10)); err != nil {
			t.Fatal(err)
		}
	}
	report, err := s.Recompute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "recomputed", report, results.RecomputeReport{})
	check := func(when string, now time.Time, swept int, there ...storage.MatchID) {
		t.Helper()
		if n, err := s.Sweep(t.Context(), now); n != swept || err != nil {
			t.Errorf("%s: Sweep = %d, %v, want %d", when, n, err, swept)
		}
		if r, ok := s.(Reopener); ok {
			if err := r.Reopen(); err != nil {
				t.Fatal(err)
			}
		}
		for i, f := range []results.Finished{kept, void, short} {
			_, err := s.Finished(t.Context(), ids[i])
			_, noAnalysis := s.Analysis(t.Context(), ids[i])
			_, noCode := s.ByCode(t.Context(), f.Code, now)
			gone := !slices.Contains(there, ids[i])
			for what, err := range map[string]error{"record": err, "analysis": noAnalysis, "code": noCode} {
				if gone && !errors.Is(err, storage.ErrNotFound) || !gone && err != nil {
					t.Errorf("%s: the %s of %s: %v; should it be gone: %v", when, what, ids[i], err, gone)
				}
			}
		}
		for _, player := range []storage.PlayerID{"", storage.PlayerID(ann.ID)} {
			rows, err := s.History(t.Context(), results.HistoryQuery{Player: player, Limit: 9})
			if err != nil || len(rows) != 1 || rows[0].ID != ids[0] {
				t.Errorf("%s: the history of %q is %v, %v, want %s alone", when, player, rows, err, ids[0])
			}
		}
	}
	end := minute(10).Add(time.Hour)
	check("at the end", minute(11), 0, ids...)
	check("almost an hour later", end.Add(-time.Millisecond), 0, ids...)
	if _, err := s.ByCode(t.Context(), void.Code, end); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the code of a void match after an hour, before the sweep: %v", err)
	}
	check("an hour later", end, 1, ids[0], ids[2])
	check("when both have expired", minute(11).Add(time.Hour), 1, ids[0])
}

func copies(t *testing.T, s Store) {
	const id = "m2222222"
	log := []matchstore.Event{opened("ABCDEF", guest, robot), moved(2, "a1")}
	if err := s.Append(t.Context(), id, log, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	want := []matchstore.Event{opened("ABCDEF", guest, robot), moved(2, "a1")}
	log[1].Move = "spoilt"
	log[0].Opening.Options["rows"] = 99
	got, err := s.Log(t.Context(), id, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "log after its author changed the events given", got, want)
	got[0].Opening.Options["rows"] = 99
	got, err = s.Log(t.Context(), id, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "log after a reader changed the events returned", got, want)

	f := record("ABCDEF", "tanks", guest, robot, "first", 10)
	f.Moves = slices.Clone(f.Moves)
	if _, err := s.Finish(t.Context(), id, []matchstore.Event{ended(3, "first")}, f, nil); err != nil {
		t.Fatal(err)
	}
	f.Moves[0] = games.Move("spoilt")
	whole, err := s.Finished(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "moves", whole.Moves, []games.Move{"a2-a3", "h7xg10"})
}
