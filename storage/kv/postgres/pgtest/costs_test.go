package pgtest

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

var costs = flag.Bool("costs", false, "measure what moves and matches cost PostgreSQL, beside a file")

// TestCosts measures costs for deploy/CAPACITY.md: moves a second, and the bytes of a finished match.
func TestCosts(t *testing.T) {
	if !*costs {
		t.Skip("a measurement; run it with -costs")
	}
	server := another(t)
	measure(t, "PostgreSQL", openAt(t, server.options()))
	file, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	measure(t, "bolt", file)
}

// An engine is what is measured.
type engine interface {
	kv.Store
	Size() (int64, error)
}

func measure(t *testing.T, name string, on engine) {
	club, err := schema.Open(t.Context(), on, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer club.Close()
	const writers, moves = 200, 60
	at := time.Now().UTC().Truncate(time.Millisecond)
	var people []storage.PlayerID
	for i := range 2 * writers {
		p, err := club.Accounts.SignUp(t.Context(), accounts.Player{Name: fmt.Sprintf("player%d", i), NameKey: fmt.Sprintf("player%d", i), Since: at.AddDate(-1, 0, 0)}, fmt.Sprintf("SHA256:%043d", i))
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, p.ID)
	}
	seat := func(i int) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: string(people[i]), Name: fmt.Sprintf("player%d", i)}
	}
	opening := func(i int) *matches.Opening {
		return &matches.Opening{
			Code: fmt.Sprintf("CST%03d", i), Game: "tanks", Options: games.Options{"size": 8}, Rated: true, Public: true, Clock: "5+3", First: seat(2 * i), Second: seat(2*i + 1),
		}
	}
	id := func(i int) storage.MatchID { return storage.MatchID(fmt.Sprintf("cost%04d", i)) }
	play := func(players, first, moves int) {
		var mu sync.Mutex
		var took []time.Duration
		began := time.Now()
		var all sync.WaitGroup
		for n := range players {
			all.Go(func() {
				i := first + n
				o := opening(i)
				m := matches.Summary{Opening: *o, Opened: at, Started: at, Turn: storage.FirstSeat, Clock: matches.ClockState{Since: at}}
				for seq := range uint64(moves + 1) {
					e := matches.Event{Seq: seq + 1, Version: matches.EventVersion, Kind: matches.Moved, Seat: storage.FirstSeat, At: at, Move: "e2-e3", Lag: 20 * time.Millisecond}
					if seq == 0 {
						e = matches.Event{Seq: 1, Version: matches.EventVersion, Kind: matches.Opened, At: at, Opening: o}
					}
					m.Plies = int(seq)
					one := time.Now()
					if err := club.Matches.Append(t.Context(), id(i), []matches.Event{e}, m); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					took = append(took, time.Since(one))
					mu.Unlock()
				}
			})
		}
		all.Wait()
		spent := time.Since(began)
		slices.Sort(took)
		t.Logf("%s, %d matches: %d moves in %s: %.0f a second; p50 %s, p99 %s", name, players, len(took), spent, float64(len(took))/spent.Seconds(), took[len(took)/2], took[len(took)*99/100])
	}
	play(1, writers, 1000)
	play(writers, 0, moves)
	before, _ := on.Size()
	began := time.Now()
	for i := range writers {
		o := opening(i)
		f := results.Finished{
			Code: o.Code, Game: o.Game, Options: o.Options, Rated: true, Public: true, First: o.First, Second: o.Second, Result: "first", Reason: "resigned",
			Started: at, Ended: at.Add(time.Duration(i) * time.Second), Plies: moves,
		}
		for range moves {
			f.Moves, f.Times = append(f.Moves, "e2-e3"), append(f.Times, at)
		}
		end := []matches.Event{
			{Seq: moves + 2, Version: matches.EventVersion, Kind: matches.Resigned, Seat: storage.SecondSeat, At: f.Ended},
			{Seq: moves + 3, Version: matches.EventVersion, Kind: matches.Ended, At: f.Ended, Result: "first", Reason: "resigned"},
		}
		if _, err := club.Matches.Finish(t.Context(), id(i), end, f, nil); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: a match ends in %s; size before %d", name, time.Since(began)/writers, before)
}
