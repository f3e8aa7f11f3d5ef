package bot

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// BenchmarkOvershoot measures how long after a deadline the strongest level answers, on usual boards and on the biggest: the
// median, the 99th percentile and the longest. Run it with -benchtime 100x, on an idle machine; with -cpu 1 as well, which
// is like a machine all of whose processors are busy.
func BenchmarkOvershoot(b *testing.B) {
	for _, g := range catalog.All() {
		for _, board := range []struct{ name, options string }{{"usual", ""}, {"biggest", biggest[g.About().ID]}} {
			for _, limit := range []time.Duration{27 * time.Millisecond, 150 * time.Millisecond} {
				b.Run(g.About().ID+"/"+board.name+"/"+limit.String(), func(b *testing.B) { benchmarkOvershoot(b, g, board.options, limit) })
			}
		}
	}
}

func benchmarkOvershoot(b *testing.B, g games.Game, options string, limit time.Duration) {
	s := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master"), nodes: maxNodes, memory: new(Memory)}
	var late []time.Duration
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		p := wander(b, g, options, 2+n%50, uint64(n))
		b.StartTimer()
		ctx, stop := context.WithTimeout(b.Context(), limit)
		end, _ := ctx.Deadline()
		_, err := s.Think(ctx, p, games.NewRandom(uint64(n)))
		if err != nil && !errors.Is(err, context.DeadlineExceeded) { // which came before it began
			b.Fatal(err)
		}
		late = append(late, max(time.Since(end), 0))
		stop()
	}
	slices.Sort(late)
	report := func(unit string, d time.Duration) { b.ReportMetric(d.Seconds()*1000, unit) }
	report("p50-ms", late[len(late)/2])
	report("p99-ms", late[len(late)*99/100])
	report("max-ms", late[len(late)-1])
}
