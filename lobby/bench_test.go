package lobby_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// BenchmarkMove measures a durable move from the player's call to the moment when the other player's Next returns, with
// the real store, for some matches played at once.
func BenchmarkMove(b *testing.B) {
	for _, n := range []int{1, 200} {
		b.Run(fmt.Sprintf("matches=%d", n), func(b *testing.B) {
			store, err := storagetest.OpenFile(filepath.Join(b.TempDir(), "club.db"), schema.Config{Rate: rating.Rate})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			l, err := lobby.New(b.Context(), lobby.StoreOf(store), lobby.Config{
				Games: []games.Game{fourmation.New(), petteia.New()}, Limits: lobby.Limits{Unfinished: 1000, NewUnfinished: 1000, OpenOffers: 1000},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			var opened atomic.Int64
			fresh := func() [2]*lobby.Seat { return benchMatch(b, l, int(opened.Add(1))) }
			pairs := make([][2]*lobby.Seat, n)
			for i := range pairs {
				pairs[i] = fresh()
			}
			b.ResetTimer()
			var total sync.WaitGroup
			times := make([]time.Duration, n)
			for i, p := range pairs {
				total.Go(func() { times[i] = shuffle(b, p, b.N/n+1, fresh) })
			}
			total.Wait()
			b.StopTimer()
			var sum time.Duration
			for _, d := range times {
				sum += d
			}
			b.ReportMetric(float64(sum.Microseconds())/float64(n*(b.N/n+1)), "µs/to-other")
			b.ReportMetric(float64(n*(b.N/n+1))/b.Elapsed().Seconds(), "moves/s")
		})
	}
}

func benchMatch(b *testing.B, l *lobby.Lobby, i int) [2]*lobby.Seat {
	b.Helper()
	var seats [2]*lobby.Seat
	var ref lobby.Ref
	for j := range seats {
		who, err := l.Accounts.SignUp(b.Context(), fmt.Sprintf("key %d %d", i, j), fmt.Sprintf("p%d-%d", i, j))
		if err == nil && j == 0 {
			ref, err = l.Seats.Open(b.Context(), who, lobby.Spec{
				Game: "petteia", Side: lobby.PlayFirst, Options: games.Options{"repetition": 0, "quiet_limit": 1000},
			})
		} else if err == nil {
			_, err = l.Seats.Join(b.Context(), who, origin.Origin{}, ref.Code)
		}
		if err == nil {
			seats[j], err = l.Seats.At(b.Context(), who, ref)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return seats
}

// shuffle makes n moves, in a fresh match when one has ended, and returns the total time that they took to arrive.
func shuffle(b *testing.B, seats [2]*lobby.Seat, n int, fresh func() [2]*lobby.Seat) (sum time.Duration) {
	ctx := context.Background()
	v, err := seats[0].Now(ctx)
	if err != nil {
		b.Error(err)
		return 0
	}
	type arrival struct {
		view *lobby.View
		at   time.Time
	}
	arrived := make(chan arrival)
	for range n {
		if v.Over {
			seats = fresh()
			if v, err = seats[0].Now(ctx); err != nil {
				b.Error(err)
				return sum
			}
		}
		me, other := seats[v.Turn], seats[v.Turn.Other()]
		after := v.Seq
		go func() {
			v, _ := other.Next(ctx, after)
			arrived <- arrival{v, time.Now()}
		}()
		legal := v.Position.Legal()
		begin := time.Now()
		if err := me.Move(ctx, legal[len(v.Moves)%len(legal)], v.Ply()); err != nil {
			b.Error(err)
		}
		a := <-arrived
		sum += a.at.Sub(begin)
		v = a.view
	}
	return sum
}

// BenchmarkIdleMatch measures what a match costs in memory while nobody does anything in it.
func BenchmarkIdleMatch(b *testing.B) {
	l, err := lobby.New(b.Context(), newFaulty(), lobby.Config{
		Games: []games.Game{fourmation.New()}, Limits: lobby.Limits{Unfinished: 1 << 30, NewUnfinished: 1 << 30, Matches: 1 << 30, MatchBurst: 1 << 30},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	who, err := l.Accounts.SignUp(b.Context(), "key", "ana")
	if err != nil {
		b.Fatal(err)
	}
	heap := func() uint64 {
		for range 6 { // each collection halves a stack that is hardly used
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	const matches = 1000
	before := heap()
	for b.Loop() {
		for range matches {
			ref, err := l.Seats.Open(b.Context(), who, lobby.Spec{Game: "fourmation", Hotseat: true})
			if err != nil {
				b.Fatal(err)
			}
			seat, err := l.Seats.At(b.Context(), who, ref)
			if err != nil {
				b.Fatal(err)
			}
			if err := seat.Move(b.Context(), "d4", lobby.AnyPly); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(heap()-before)/float64(b.N*matches), "B/match")
}
