package storagetest

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/results"
)

// counting checks what a finished match adds to the tallies of its players, and that they are there after the store is opened again.
func counting(t *testing.T, s Store) {
	ann, bob, cid := person(signUp(t, s, "ann")), person(signUp(t, s, "bob")), person(signUp(t, s, "cid"))
	last := func(f results.Finished, d time.Duration) results.Finished { // the last move comes d before the end
		f.Times[len(f.Times)-1] = f.Ended.Add(-d)
		return f
	}
	for i, tt := range []struct {
		name          string
		first, second storage.Occupant
		game, result  string
		change        func(f results.Finished) results.Finished
		first2        results.Conduct // what is added for the first player
		second2       results.Conduct
		counts        bool // for sides and against each other
	}{
		{"a rated match", ann, bob, "tanks", "first", nil, results.Conduct{Started: 1, Finished: 1}, results.Conduct{Started: 1, Finished: 1}, true},
		{"a casual one", bob, ann, "tanks", "draw", func(f results.Finished) results.Finished { f.Rated = false; return f },
			results.Conduct{Started: 1, Finished: 1}, results.Conduct{Started: 1, Finished: 1}, true},
		{"one that a player left", ann, bob, "petteia", "second", func(f results.Finished) results.Finished { f.Reason = "abandoned"; return f },
			results.Conduct{Started: 1}, results.Conduct{Started: 1, Finished: 1}, true},
		{"time ran out over a move", ann, bob, "tanks", "first", func(f results.Finished) results.Finished {
			f.Reason = "timeout"
			return last(f, time.Minute-time.Millisecond)
		}, results.Conduct{Started: 1, Finished: 1}, results.Conduct{Started: 1, Finished: 1}, true},
		{"time ran out without a move for a minute", ann, bob, "tanks", "first", func(f results.Finished) results.Finished {
			f.Reason = "timeout"
			return last(f, time.Minute)
		}, results.Conduct{Started: 1, Finished: 1}, results.Conduct{Started: 1}, true},
		{"from a given position", bob, cid, "tanks", "first", func(f results.Finished) results.Finished { f.Start, f.Rated = 1, false; return f },
			results.Conduct{Started: 1, Finished: 1}, results.Conduct{Started: 1, Finished: 1}, false},
		{"a temporary one", ann, cid, "tanks", "first", func(f results.Finished) results.Finished { f.Temporary, f.Rated = true, false; return f },
			results.Conduct{}, results.Conduct{}, false},
		{"a void one", ann, cid, "tanks", "", nil, results.Conduct{}, results.Conduct{}, false},
		{"against a guest", ann, guest, "tanks", "first", nil, results.Conduct{}, results.Conduct{}, false},
		{"against a computer player", robot, ann, "tanks", "first", nil, results.Conduct{}, results.Conduct{}, false},
		{"with oneself", ann, ann, "tanks", "first", nil, results.Conduct{}, results.Conduct{}, false},
	} {
		seats := [2]storage.Occupant{tt.first, tt.second}
		read := func() (all [2]results.PlayerTally) {
			t.Helper()
			for side, o := range seats {
				var err error
				id := storage.PlayerID(o.ID)
				if all[side], err = s.Tallies(t.Context(), id, storage.PlayerID(seats[1-side].ID), everyGame...); err != nil {
					t.Fatal(err)
				}
				if c, err := s.Conduct(t.Context(), id); err != nil || c != all[side].Conduct {
					t.Errorf("%s: conduct %+v, %v, want %+v", tt.name, c, err, all[side].Conduct)
				}
			}
			return all
		}
		want := read()
		f := record(fmt.Sprintf("CODE%02d", i), tt.game, tt.first, tt.second, tt.result, 10*i)
		f.Start = 0
		if tt.change != nil {
			f = tt.change(f)
		}
		play(t, s, storage.MatchID(fmt.Sprintf("m%02d", i)), f)
		for side, more := range []results.Conduct{tt.first2, tt.second2} {
			w := &want[side]
			w.Conduct.Started += more.Started
			w.Conduct.Finished += more.Finished
			if !tt.counts {
				continue
			}
			sides := w.Sides[tt.game]
			of := []*results.Score{&sides.First, &sides.Second}[side]
			for _, score := range []*results.Score{of, &w.Against} {
				switch {
				case tt.result == "draw":
					score.Drawn++
				case tt.result == []string{"first", "second"}[side]:
					score.Won++
				default:
					score.Lost++
				}
			}
			w.Sides[tt.game] = sides
		}
		same(t, tt.name, read(), want)
		if r, ok := s.(Reopener); ok {
			if err := r.Reopen(); err != nil {
				t.Fatal(err)
			}
			same(t, tt.name+": opened again", read(), want)
		}
	}
}
