package etcdtest

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

var costs = flag.Bool("costs", false, "measure what moves and matches cost etcd")

// TestCosts measures costs for deploy/CAPACITY.md: moves a second, and the bytes of a move and of a finished match.
func TestCosts(t *testing.T) {
	if !*costs {
		t.Skip("a measurement; run it with -costs")
	}
	const writers, moves = 200, 60
	o := shared.options()
	engine := openAt(t, o)
	club, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: o.Endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	compact := func() (inUse int64) {
		t.Helper()
		now, err := client.Get(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Compact(t.Context(), now.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
			t.Fatal(err)
		}
		return used(t, client, o.Endpoints[0])
	}
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
	id := func(i int) storage.MatchID { return storage.MatchID(fmt.Sprintf("cost%04d", i)) }
	opening := func(i int) *matches.Opening {
		return &matches.Opening{
			Code: fmt.Sprintf("CST%03d", i), Game: "tanks", Options: games.Options{"size": 8}, Rated: true, Public: true, Clock: "5+3", First: seat(2 * i), Second: seat(2*i + 1),
		}
	}
	before := compact()
	var mu sync.Mutex
	var took []time.Duration
	began := time.Now()
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
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
	running := used(t, client, o.Endpoints[0])
	slices.Sort(took)
	t.Logf("%d moves in %s: %.0f a second; p50 %s, p99 %s", len(took), spent, float64(len(took))/spent.Seconds(), took[len(took)/2], took[len(took)*99/100])
	t.Logf("%.0f bytes a move until the next compaction", float64(running-before)/float64(len(took)))
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
	after := compact()
	t.Logf("%.0f bytes a finished match after compaction", float64(after-before)/writers)
}

// used returns how many bytes of a member's file are in use.
func used(t *testing.T, client *clientv3.Client, endpoint string) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	status, err := client.Status(ctx, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return status.DbSizeInUse
}
