package schema

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
)

// TestSeasonsInSteps: the seasons of a store from before there were any are counted in small transactions, wherever that is interrupted, and results
// that changed no rating are left out.
func TestSeasonsInSteps(t *testing.T) {
	engine := openEngine(t)
	if _, err := migrations.Run(t.Context(), engine, nil); err != nil {
		t.Fatal(err)
	}
	const matches, players = 3000, 20
	begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	played := map[int]int{}
	for from := 0; from < matches; from += 500 {
		fill(t, engine, 500, func(tx kv.Tx, n int) error {
			i := from + n
			first, second := i%players, (i+1+i%7)%players
			r := results.Result{Match: storage.MatchID(fmt.Sprint("m", i)), Game: "tanks", First: storage.PlayerID(fmt.Sprint("p", first)), Second: storage.PlayerID(fmt.Sprint("p", second)),
				Result: "first", Ended: begin.Add(time.Duration(i) * 4 * time.Hour).UnixMilli(), Rules: results.KnownRules}
			var c [2]results.RatingChange
			for side, p := range []int{first, second} {
				at := func(n int) results.Rating {
					return results.Rating{Rating: 1500 + float64(i%300), Deviation: 60, Volatility: 0.06, Played: n, Won: n}
				}
				if c[side].Before = at(played[p]); i%10 > 0 {
					played[p]++
					c[side].Weight = 1
				}
				c[side].After = at(played[p])
			}
			if err := results.Results.Put(tx, uint64(i+1), r); err != nil {
				return err
			}
			return results.Changes.Put(tx, uint64(i+1), &c)
		})
	}
	f := &kvtest.Feeble{Store: engine, Left: -1}
	s, err := Open(t.Context(), f, endings(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d reads and writes in a transaction", f.Largest)
	if f.Largest > 4500 {
		t.Errorf("a transaction has %d reads and writes", f.Largest)
	}
	last := results.SeasonOf(begin.Add((matches - 1) * 4 * time.Hour))
	var seasons []results.Season
	for season := last; season != "2024Q4"; season = season.Before() {
		seasons = append(seasons, season)
	}
	found := map[results.SeasonKey]results.SeasonRecord{}
	for p := range players {
		of, err := s.Results.Ratings(t.Context(), storage.PlayerID(fmt.Sprint("p", p)), []string{"tanks"}, seasons...)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(found, of.Seasons)
	}
	total := 0
	for _, r := range found {
		n, _, _, _ := r.Counted()
		if total += n; r.Best < 1500 || r.Best > 1800 {
			t.Errorf("kept %+v", r)
		}
	}
	if want := 2 * matches * 9 / 10; total != want {
		t.Errorf("%d matches count in %d seasons of players, want %d", total, len(found), want)
	}
	want := dump(t, engine, results.Seasons, metaTable{})
	fill(t, engine, 1, func(tx kv.Tx, _ int) error {
		for k := range maps.Keys(dump(t, engine, results.Seasons)) {
			tx.Put([]byte(k), []byte("of other rules"))
			break
		}
		return results.SeasonsIndex.Put(tx, []byte("0"))
	})
	times := kvtest.UntilDone(t, engine, func(engine kv.Store) error {
		_, err := Open(t.Context(), engine, endings(1))
		return err
	})
	if got := dump(t, engine, results.Seasons, metaTable{}); !maps.Equal(got, want) || times < 2 {
		t.Errorf("after %d interruptions there are %d entries, want %d", times, len(got), len(want))
	}
}
