package schema

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"ludoteca/games"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
)

// TestOpeningsInSteps: the openings of a store from before there were any are counted in small transactions, wherever that is interrupted, and
// matches whose results don't count are left out.
func TestOpeningsInSteps(t *testing.T) {
	engine := openEngine(t)
	if _, err := migrations.Run(t.Context(), engine, nil); err != nil {
		t.Fatal(err)
	}
	for from := 0; from < 1500; from += 500 {
		fill(t, engine, 500, func(tx kv.Tx, i int) error {
			f := recordOf(from + i)
			f.Rated = true
			for n := range 20 {
				f.Moves, f.Times = append(f.Moves, games.Move(fmt.Sprint("m", (from+i)>>n%3))), append(f.Times, f.Started)
			}
			f.Plies = len(f.Moves)
			if (from+i)%10 == 0 {
				if err := results.UnratedMarks.Put(tx, f.ID, results.UnratedMark{Entry: 1}); err != nil {
					return err
				}
			}
			number := uint64(from + i + 1)
			r := results.Result{Match: f.ID, Game: f.Game, First: "p1", Second: "p2", Result: f.Result, Ended: f.Ended.UnixMilli(), Rules: results.KnownRules}
			return errors.Join(results.Results.Put(tx, number, r), results.Records.Put(tx, f.ID, results.Record{Finished: f, Number: number}))
		})
	}
	f := &kvtest.Feeble{Store: engine, Left: -1}
	s, err := Open(t.Context(), f, endings(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d reads and writes in a transaction", f.Largest)
	if f.Largest > 4000 {
		t.Errorf("a transaction has %d reads and writes", f.Largest)
	}
	start, err := s.Results.Openings(t.Context(), "tanks", nil, nil)
	if err != nil || start[0].Here.Matches() != 1350 || len(start[0].Next) != 3 {
		t.Errorf("at the start there are %+v, %v", start, err)
	}
	want := dump(t, engine, results.Openings, metaTable{})
	outdated := func() {
		fill(t, engine, 1, func(tx kv.Tx, _ int) error {
			for k := range maps.Keys(dump(t, engine, results.Openings)) {
				tx.Put([]byte(k), []byte("of other rules"))
				break
			}
			return results.OpeningsIndex.Put(tx, []byte("0"))
		})
	}
	outdated()
	times := kvtest.UntilDone(t, engine, func(engine kv.Store) error {
		_, err := Open(t.Context(), engine, endings(1))
		return err
	})
	if got := dump(t, engine, results.Openings, metaTable{}); !maps.Equal(got, want) || times < 5 {
		t.Errorf("after %d interruptions there are %d entries, want %d", times, len(got), len(want))
	}
}
