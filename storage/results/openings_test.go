package results

import (
	"bytes"
	"fmt"
	"maps"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/results/openings"
)

// TestBeginning: the beginning of a record says the same as the whole record.
func TestBeginning(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000).UTC()
	for name, change := range map[string]func(f *Finished, number *uint64){
		"rated":          func(*Finished, *uint64) {},
		"a clock":        func(f *Finished, _ *uint64) { f.Clock, f.Left = "5+3", make([]time.Duration, len(f.Moves)) },
		"casual":         func(f *Finished, number *uint64) { f.Rated, *number = false, 0 },
		"given moves":    func(f *Finished, _ *uint64) { f.Start = 1 },
		"two moves":      func(f *Finished, _ *uint64) { f.Moves, f.Times, f.Plies = f.Moves[:2], f.Times[:2], 2 },
		"no moves":       func(f *Finished, _ *uint64) { f.Moves, f.Times, f.Plies = nil, nil, 0 },
		"no word":        func(f *Finished, _ *uint64) { f.Moves[3] = "a b" },
		"another start":  func(f *Finished, number *uint64) { f.Rated, f.From, *number = false, "8/8", 0 },
		"second":         func(f *Finished, _ *uint64) { f.Result = "second" },
		"quoted reason":  func(f *Finished, _ *uint64) { f.Reason = `"q":7,"a":1` },
		"other options":  func(f *Finished, _ *uint64) { f.Options = games.Options{"rows": 9, "cols": 8} },
		"never resigned": func(f *Finished, _ *uint64) { f.Reason = "" },
	} {
		t.Run(name, func(t *testing.T) {
			f := Finished{
				ID: "m1", Code: "CODE01", Game: "tanks", Options: games.Options{"rows": 8, "cols": 8}, Result: "first", Reason: "resigned", Rated: true,
				First: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "ann"}, Second: storage.Occupant{Kind: storage.Person, ID: "p2", Name: "bob"},
				Started: at, Ended: at.Add(time.Minute),
			}
			for i := range 20 {
				f.Moves, f.Times = append(f.Moves, games.Move(fmt.Sprint("m", i))), append(f.Times, at.Add(time.Duration(i)*time.Second))
			}
			f.Plies = len(f.Moves)
			number := uint64(7)
			change(&f, &number)
			value, err := encodeRecord(f, number)
			if err != nil {
				t.Fatal(err)
			}
			b, err := readBeginning(value)
			if err != nil || b.number != number {
				t.Fatalf("the number is %d, want %d, %v", b.number, number, err)
			}
			got, want := map[string]replies{}, map[string]replies{}
			if b.opening != "" && b.number > 0 {
				l := openings.New("", 1<<20)
				l.Add(b.opening, b.ended, 1)
				l.Sort()
				for line, all := range l.Lines("") {
					got[line] = maps.Clone(all)
				}
			}
			changes := openingChanges{}
			changes.add(f, number)
			for k, all := range changes {
				want[string(Openings.Keys.Add(nil, k))] = all
			}
			if !maps.EqualFunc(got, want, maps.Equal) {
				t.Errorf("the beginning has %v, the record %v", got, want)
			}
			for n := range value {
				damaged := bytes.Clone(value)
				damaged[n] ^= 4
				if _, err := readBeginning(damaged); unlessDamaged(err) != nil || err == nil {
					t.Fatalf("with byte %d changed: %v", n, err)
				}
			}
		})
	}
}
