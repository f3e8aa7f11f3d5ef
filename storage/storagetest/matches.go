package storagetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

func logReadsBack(t *testing.T, s Store) {
	ann := person(signUp(t, s, "ann"))
	first := opened("ABCDEF", ann, storage.Occupant{})
	first.Opening.Public, first.Opening.Reserved, first.Opening.RematchOf = true, guest, "zzzzzzzz"
	first.Opening.Moves = []games.Move{"a2-a3", "h7xg6"}
	event := func(seq uint64, kind storage.Kind) storage.Event {
		return storage.Event{Seq: seq, Version: storage.EventVersion, Kind: kind, Seat: storage.SecondSeat, At: minute(int(seq))}
	}
	joined, offered, answered := event(2, storage.Joined), event(5, storage.Offered), event(6, storage.Answered)
	joined.Who = guest
	offered.Offer, answered.Offer, answered.Yes = "draw", "draw", true
	takenBack := event(9, storage.TakenBack)
	takenBack.Plies = 2
	log := []storage.Event{
		first, joined, moved(3, "a1-a5"), moved(4, "4:3"), offered, answered, event(7, storage.Flagged), event(8, storage.Resigned),
		takenBack, event(10, storage.Helped),
	}
	for _, part := range [][]storage.Event{log[:1], log[1:2], log[2:6], log[6:]} {
		if err := s.Append(t.Context(), "m2222222", part); err != nil {
			t.Fatalf("Append from %d: %v", part[0].Seq, err)
		}
	}
	if err := s.Append(t.Context(), "m2222223", []storage.Event{opened("BCDEFG", guest, robot)}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Log(t.Context(), "m2222222")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "log", got, log)
	ids, err := s.Unfinished(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "unfinished", ids, []storage.MatchID{"m2222222", "m2222223"})
}

func staleAppends(t *testing.T, s Store) {
	const id = "m2222222"
	log := []storage.Event{opened("ABCDEF", guest, robot), moved(2, "a1"), moved(3, "a2")}
	if err := s.Append(t.Context(), id, log); err != nil {
		t.Fatal(err)
	}
	play(t, s, "m9999999", record("ZZZZZZ", "tanks", guest, robot, "first", 9))
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		events []storage.Event
	}{
		{"the last number again", id, []storage.Event{moved(3, "a2")}},
		{"a number in the middle", id, []storage.Event{moved(2, "b1")}},
		{"the first number again", id, []storage.Event{opened("GHJKMN", guest, robot)}},
		{"one number left out", id, []storage.Event{moved(5, "a3")}},
		{"from the past into the future", id, []storage.Event{moved(3, "a3"), moved(4, "a4")}},
		{"a match that nobody opened", "m3333333", []storage.Event{moved(2, "a1")}},
		{"a match right before another", "m222222", []storage.Event{moved(4, "a1")}},
		{"a match right after another", "m22222222", []storage.Event{moved(4, "a1")}},
		{"a match that has ended", "m9999999", []storage.Event{moved(3, "a1")}},
		{"the id of a match that has ended", "m9999999", []storage.Event{opened("GHJKMN", guest, robot)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := snapshot(t, s, []storage.MatchID{id, tt.id}, nil, []string{"GHJKMN"})
			if err := s.Append(t.Context(), tt.id, tt.events); !errors.Is(err, storage.ErrStale) {
				t.Errorf("Append = %v, want ErrStale", err)
			}
			same(t, "after the refusal", snapshot(t, s, []storage.MatchID{id, tt.id}, nil, []string{"GHJKMN"}), before)
		})
	}
}

func invalidEvents(t *testing.T, s Store) {
	const id = "m2222222"
	if err := s.Append(t.Context(), id, []storage.Event{opened("ABCDEF", guest, robot)}); err != nil {
		t.Fatal(err)
	}
	move := func(change func(*storage.Event)) []storage.Event {
		e := moved(2, "a1")
		change(&e)
		return []storage.Event{e}
	}
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		events []storage.Event
	}{
		{"none", id, nil},
		{"no id", "", []storage.Event{opened("GHJKMN", guest, robot)}},
		{"an id with a zero byte", "m\x00", []storage.Event{opened("GHJKMN", guest, robot)}},
		{"no number", id, move(func(e *storage.Event) { e.Seq = 0 })},
		{"no version", id, move(func(e *storage.Event) { e.Version = 0 })},
		{"a later version", id, move(func(e *storage.Event) { e.Version++ })},
		{"nothing taken back", id, move(func(e *storage.Event) { e.Kind, e.Move = storage.TakenBack, "" })},
		{"a move that takes back", id, move(func(e *storage.Event) { e.Plies = 1 })},
		{"no kind", id, move(func(e *storage.Event) { e.Kind = "" })},
		{"an unknown kind", id, move(func(e *storage.Event) { e.Kind = "sneezed" })},
		{"opened twice", id, move(func(e *storage.Event) { e.Kind = storage.Opened; e.Opening = &storage.Opening{Code: "X"} })},
		{"a move with an opening", id, move(func(e *storage.Event) { e.Opening = &storage.Opening{} })},
		{"a third seat", id, move(func(e *storage.Event) { e.Seat = 3 })},
		{"half a millisecond", id, move(func(e *storage.Event) { e.At = e.At.Add(time.Microsecond) })},
		{"a lag of half a millisecond", id, move(func(e *storage.Event) { e.Lag = time.Microsecond })},
		{"a move that is not text", id, move(func(e *storage.Event) { e.Move = "\xff" })},
		{"a gap inside", id, []storage.Event{moved(2, "a1"), moved(4, "a2")}},
		{"an end without Finish", id, []storage.Event{ended(2, "first")}},
		{"more after the end", id, []storage.Event{ended(2, "first"), moved(3, "a1")}},
		{"a match without a code", "m3333333", []storage.Event{opened("", guest, robot)}},
		{"a match without an opening", "m3333333", []storage.Event{moved(1, "a1")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := snapshot(t, s, []storage.MatchID{id, tt.id}, nil, nil)
			if err := s.Append(t.Context(), tt.id, tt.events); !errors.Is(err, storage.ErrInvalid) {
				t.Errorf("Append = %v, want ErrInvalid", err)
			}
			same(t, "after the refusal", snapshot(t, s, []storage.MatchID{id, tt.id}, nil, nil), before)
		})
	}
}

func codesAreUnique(t *testing.T, s Store) {
	if err := s.Append(t.Context(), "m2222222", []storage.Event{opened("ABCDEF", guest, robot)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "m3333333", []storage.Event{opened("ABCDEF", guest, robot)}); !errors.Is(err, storage.ErrCodeTaken) {
		t.Errorf("a second match with the code: %v, want ErrCodeTaken", err)
	}
	if _, err := s.Log(t.Context(), "m3333333"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the refused match has a log: %v", err)
	}
	if id, err := s.ByCode(t.Context(), "ABCDEF", start.AddDate(50, 0, 0)); err != nil || id != "m2222222" {
		t.Errorf("ByCode = %s, %v while the match goes on", id, err)
	}
}

func finishing(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	const id = "m2222222"
	log := []storage.Event{opened("ABCDEF", person(ann), person(bob)), moved(2, "a2-a3")}
	if err := s.Append(t.Context(), id, log); err != nil {
		t.Fatal(err)
	}
	f := record("ABCDEF", "tanks", person(ann), person(bob), "second", 10)
	got, err := s.Finish(t.Context(), id, []storage.Event{moved(3, "h7xg6"), ended(4, "second")}, f)
	if err != nil {
		t.Fatal(err)
	}
	first, second := Rate(storage.Rating{}, storage.Rating{}, 0, f.Ended)
	first.Played, first.Lost, second.Played, second.Won = 1, 1, 1, 1
	want := &[2]storage.RatingChange{{After: first}, {After: second}}
	same(t, "changes of ratings", got, want)

	f.ID, f.Ratings = id, want
	whole, err := s.Finished(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "record", whole, f)
	f.Moves, f.Times = nil, nil
	all := snapshot(t, s, []storage.MatchID{id}, []storage.PlayerID{ann.ID}, []string{"ABCDEF"})
	same(t, "history", all["history"], []storage.Finished{f})
	same(t, "unfinished", all["unfinished"], []storage.MatchID(nil))
	same(t, "code", all["code ABCDEF"], storage.MatchID(id))
	same(t, "rating", all["ratings "+string(ann.ID)], map[string]storage.Rating{"tanks": first})
	if _, err := s.Log(t.Context(), id); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Log of a finished match = %v, want ErrNotFound", err)
	}
}

func refusedFinishes(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	const id = "m2222222"
	if err := s.Append(t.Context(), id, []storage.Event{opened("ABCDEF", person(ann), person(bob)), moved(2, "a1")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "m3333333", []storage.Event{opened("GHJKMN", guest, robot)}); err != nil {
		t.Fatal(err)
	}
	good := record("ABCDEF", "tanks", person(ann), person(bob), "first", 10)
	but := func(change func(*storage.Finished)) storage.Finished {
		f := good
		change(&f)
		return f
	}
	end := []storage.Event{ended(3, "first")}
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		events []storage.Event
		f      storage.Finished
		want   error
	}{
		{"a number that is taken", id, []storage.Event{ended(2, "first")}, good, storage.ErrStale},
		{"a gap", id, []storage.Event{ended(4, "first")}, good, storage.ErrStale},
		{"another match", "m4444444", end, good, storage.ErrStale},
		{"no events", id, nil, good, storage.ErrInvalid},
		{"no end", id, []storage.Event{moved(3, "a1")}, good, storage.ErrInvalid},
		{"never opened", "m4444444", []storage.Event{opened("ABCDEF", guest, robot), ended(2, "first")}, good, storage.ErrInvalid},
		{"two results", id, []storage.Event{ended(3, "second")}, good, storage.ErrInvalid},
		{"an unknown result", id, []storage.Event{ended(3, "both")}, but(func(f *storage.Finished) { f.Result = "both" }), storage.ErrInvalid},
		{"the code of another match", id, end, but(func(f *storage.Finished) { f.Code = "GHJKMN" }), storage.ErrInvalid},
		{"an unknown code", id, end, but(func(f *storage.Finished) { f.Code = "PQRSTU" }), storage.ErrInvalid},
		{"no game", id, end, but(func(f *storage.Finished) { f.Game = "" }), storage.ErrInvalid},
		{"no time", id, end, but(func(f *storage.Finished) { f.Ended = time.Time{} }), storage.ErrInvalid},
		{"a move without a time", id, end, but(func(f *storage.Finished) { f.Times = f.Times[1:] }), storage.ErrInvalid},
		{"a wrong number of plies", id, end, but(func(f *storage.Finished) { f.Plies = 3 }), storage.ErrInvalid},
		{"a player without an id", id, end, but(func(f *storage.Finished) { f.First.ID = "" }), storage.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			look := func() map[string]any {
				return snapshot(t, s, []storage.MatchID{id, "m3333333", tt.id}, []storage.PlayerID{ann.ID, bob.ID},
					[]string{"ABCDEF", "GHJKMN"})
			}
			before := look()
			if _, err := s.Finish(t.Context(), tt.id, tt.events, tt.f); !errors.Is(err, tt.want) {
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
	f.ID = "m2222222"
	all := snapshot(t, s, []storage.MatchID{f.ID}, []storage.PlayerID{ann.ID}, []string{"ABCDEF"})
	same(t, "record", all["finished m2222222"], f)
	same(t, "code", all["code ABCDEF"], f.ID)
	same(t, "history", all["history"], []storage.Finished(nil))
	same(t, "ratings", all["ratings "+string(ann.ID)], map[string]storage.Rating(nil))
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
		{"against a player who never signed up", ann, person(storage.Player{ID: "cid", Name: "cid"}), "first", true, false},
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
	got, err := s.Ratings(t.Context(), storage.PlayerID(ann.ID))
	if err != nil {
		t.Fatal(err)
	}
	if r := got["tanks"]; r.Played != 2 || r.Won != 1 || r.Drawn != 1 || r.Lost != 0 || len(got) != 1 {
		t.Errorf("ratings %+v, want 2 played, 1 won, 1 drawn", got)
	}
}

func codesEnd(t *testing.T, s Store) {
	play(t, s, "m2222222", record("ABCDEF", "tanks", guest, robot, "first", 10))
	play(t, s, "m3333333", record("BCDEFG", "tanks", guest, robot, "", 11))
	if err := s.Append(t.Context(), "m4444444", []storage.Event{opened("CDEFGH", guest, robot)}); err != nil {
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
	if _, err := s.Finished(t.Context(), "m3333333"); err != nil {
		t.Errorf("the record of a void match went before its code: %v", err)
	}
	same(t, "the others after the sweep", known(start), []string{"BCDEFG", "CDEFGH"})
	sweep(end.AddDate(1, 0, 0), 1)
	same(t, "a match that goes on", known(end.AddDate(1, 0, 0)), []string{"CDEFGH"})
	if _, err := s.Finished(t.Context(), "m2222222"); err != nil {
		t.Errorf("a record went with its code: %v", err)
	}
	if _, err := s.Finished(t.Context(), "m3333333"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the record of a void match outlived its code: %v", err)
	}
}

func copies(t *testing.T, s Store) {
	const id = "m2222222"
	log := []storage.Event{opened("ABCDEF", guest, robot), moved(2, "a1")}
	if err := s.Append(t.Context(), id, log); err != nil {
		t.Fatal(err)
	}
	want := []storage.Event{opened("ABCDEF", guest, robot), moved(2, "a1")}
	log[1].Move = "spoilt"
	log[0].Opening.Options["rows"] = 99
	got, err := s.Log(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "log after its author changed the events given", got, want)
	got[0].Opening.Options["rows"] = 99
	got, err = s.Log(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "log after a reader changed the events returned", got, want)

	f := record("ABCDEF", "tanks", guest, robot, "first", 10)
	f.Moves = slices.Clone(f.Moves)
	if _, err := s.Finish(t.Context(), id, []storage.Event{ended(3, "first")}, f); err != nil {
		t.Fatal(err)
	}
	f.Moves[0] = games.Move("spoilt")
	whole, err := s.Finished(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "moves", whole.Moves, []games.Move{"a2-a3", "h7xg6"})
}
