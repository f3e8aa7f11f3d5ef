package storagetest

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// repeating checks which rated matches repeat one of the last two of the same players, and that recomputed ratings agree.
func repeating(t *testing.T, s Store) {
	ann, bob, cid := person(signUp(t, s, "ann")), person(signUp(t, s, "bob")), person(signUp(t, s, "cid"))
	line := func(last string, plies int) []games.Move {
		moves := make([]games.Move, plies)
		for i := range moves {
			moves[i] = games.Move(fmt.Sprint("m", i))
		}
		moves[min(plies, results.SamePlies)-1] = games.Move(last)
		return moves
	}
	x, y, z := line("x", 30), line("y", 30), line("z", 30)
	longer := append(line("x", 30), "more")
	short := x[:8]
	for i, tt := range []struct {
		name          string
		first, second storage.Occupant
		game, result  string
		moves         []games.Move
		repeats       bool
	}{
		{"the first", ann, bob, "tanks", "first", x, false},
		{"the same", ann, bob, "tanks", "first", x, true},
		{"the same for the third time", ann, bob, "tanks", "first", x, true},
		{"differs after twenty moves", ann, bob, "tanks", "first", longer, true},
		{"another winner", ann, bob, "tanks", "second", x, false},
		{"the same winner from the other side", bob, ann, "tanks", "first", x, true},
		{"a draw", ann, bob, "tanks", "draw", x, false},
		{"the same draw", ann, bob, "tanks", "draw", x, true},
		{"another opponent", ann, cid, "tanks", "first", x, false},
		{"another game", ann, bob, "petteia", "first", x, false},
		{"other moves", ann, bob, "tanks", "draw", y, false},
		{"one of the last two", ann, bob, "tanks", "draw", x, true},
		{"yet others", ann, bob, "tanks", "draw", z, false},
		{"no longer one of the last two", ann, bob, "tanks", "draw", y, false},
		{"fewer moves", ann, bob, "tanks", "draw", short, false},
		{"the same few", ann, bob, "tanks", "draw", short, true},
	} {
		f := record(fmt.Sprintf("CODE%02d", i), tt.game, tt.first, tt.second, tt.result, 60*48*i) // days apart: nothing else counts less
		f.Moves, f.Plies, f.Times = tt.moves, len(tt.moves), make([]time.Time, len(tt.moves))
		for j := range f.Times {
			f.Times[j] = f.Started
		}
		before, err := s.Outcomes(t.Context(), f)
		if err != nil || before == nil {
			t.Fatalf("%s: outcomes %v, %v", tt.name, before, err)
		}
		want := map[string][2]results.RatingChange{"first": before.First, "draw": before.Draw, "second": before.Second}[f.Result]
		for side, c := range play(t, s, storage.MatchID(fmt.Sprintf("m%02d", i)), f) {
			same(t, tt.name+": what was foreseen", want[side], c)
			switch {
			case tt.repeats && (c.Weight != 0 || c.Why != results.SameMoves || c.After != c.Before):
				t.Errorf("%s: side %d counts: %+v", tt.name, side, c)
			case !tt.repeats && c.Weight == 0:
				t.Errorf("%s: side %d doesn't count: %q", tt.name, side, c.Why)
			}
		}
		if r, ok := s.(Reopener); ok && i == 4 {
			if err := r.Reopen(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if report, err := s.Recompute(t.Context()); err != nil || report.Matches+report.Recent+len(report.Differed) > 0 {
		t.Errorf("recomputed: %+v, %v", report, err)
	}
}
