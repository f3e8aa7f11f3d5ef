package match

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// BenchmarkMemory measures the memory of a match per move: the line, and what the rules of the game keep to detect repetitions. The
// line is random, without the moves that end the game.
func BenchmarkMemory(b *testing.B) {
	for _, g := range catalog.All() {
		for _, moves := range []int{100, 5000} {
			log := endless(b, g, moves)
			b.Run(fmt.Sprintf("%s/moves=%d", g.About().ID, len(log)-1), func(b *testing.B) {
				kept := make([]State, 0, b.N)
				before := heap()
				for b.Loop() {
					s, err := Fold("abcdefgh", catalogFind, log)
					if err != nil {
						b.Fatal(err)
					}
					kept = append(kept, s)
				}
				b.ReportMetric(float64(heap()-before)/float64(len(kept)*len(log)), "B/move")
				runtime.KeepAlive(kept)
			})
		}
	}
}

// BenchmarkView measures what the view of a match costs, which is made anew with each change.
func BenchmarkView(b *testing.B) {
	g, _ := catalog.Find("petteia")
	s, err := Fold("abcdefgh", catalogFind, endless(b, g, 100))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		viewed = s.View()
	}
}

// viewed keeps a view on the heap, as readers do.
var viewed *View

func catalogFind(id string) (games.Game, error) {
	g, _ := catalog.Find(id)
	return g, nil
}

// endless returns the log of a random match with a number of moves, or fewer if the game ends before.
func endless(b *testing.B, g games.Game, moves int) []matches.Event {
	b.Helper()
	asked := games.Options{}
	for _, o := range g.About().Options {
		if o.Key == "quiet_limit" {
			asked[o.Key] = 0
		}
	}
	options, err := games.Complete(g, asked)
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.New(options)
	if err != nil {
		b.Fatal(err)
	}
	at := time.UnixMilli(1_700_000_000_000).UTC()
	log := []matches.Event{{Seq: 1, Version: matches.EventVersion, Kind: matches.Opened, Seat: storage.FirstSeat, At: at, Opening: &matches.Opening{
		Code: "K7QM2X", Game: g.About().ID, Options: options, First: ana, Second: rui,
	}}}
	r := games.NewRandom(1)
	for tries := 0; len(log) <= moves && tries < 200; tries++ {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		if next, err := p.Play(m); err == nil && !next.Result().Over {
			log = append(log, matches.Event{
				Seq: uint64(len(log) + 1), Version: matches.EventVersion, Kind: matches.Moved, Seat: storage.SeatOf(p.Turn()), At: at, Move: m,
			})
			p, tries = next, 0
		}
	}
	return log
}

func heap() int64 {
	var m runtime.MemStats
	for range 2 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
