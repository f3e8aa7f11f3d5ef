package storage_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// A finisher ends rated matches of random moves between twenty players.
type finisher struct {
	s       *schema.Store
	game    games.Game
	options games.Options
	players []storage.Occupant
}

func newFinisher(tb testing.TB) *finisher {
	s, err := storagetest.OpenFile(filepath.Join(tb.TempDir(), "club.db"), schema.Config{Rate: storagetest.Rate})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return finisherOf(tb, s)
}

func finisherOf(tb testing.TB, s *schema.Store) *finisher {
	f := &finisher{s: s}
	var err error
	f.game, _ = catalog.Find("fourmation")
	if f.options, err = games.Complete(f.game, nil); err != nil {
		tb.Fatal(err)
	}
	for i := range 20 {
		name := fmt.Sprintf("player%02d", i)
		p, err := s.Accounts.SignUp(tb.Context(), accounts.Player{Name: name, NameKey: name, Since: benchTime}, "SHA256:"+name)
		if err != nil {
			tb.Fatal(err)
		}
		f.players = append(f.players, storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name})
	}
	return f
}

// open opens match n, and returns what is to be written when it ends.
func (f *finisher) open(tb testing.TB, n int) (id storage.MatchID, end []matchstore.Event, record resultstore.Finished) {
	r := games.NewRandom(uint64(n) + 1)
	p, err := f.game.New(f.options)
	if err != nil {
		tb.Fatal(err)
	}
	at := benchTime.Add(time.Duration(n) * time.Minute)
	record = resultstore.Finished{
		Code: fmt.Sprintf("C%07d", n), Game: f.game.About().ID, Options: f.options, First: f.players[n%20], Second: f.players[(n+1+n/20%19)%20],
		Rated: true, Started: at, Ended: at.Add(time.Second),
	}
	for !p.Result().Over {
		legal := p.Legal()
		m := legal[r.N(min(len(legal), 3))]
		if p, err = p.Play(m); err != nil {
			tb.Fatal(err)
		}
		record.Moves, record.Times = append(record.Moves, m), append(record.Times, at)
	}
	record.Plies, record.Reason = len(record.Moves), p.Result().Reason
	record.Result = map[string]string{games.TokenFirst: "first", games.TokenSecond: "second", games.TokenDraw: "draw"}[p.Result().Token()]
	id = benchID(n)
	opening := benchOpening(n)
	opening.Opening.Code = record.Code
	if err := f.s.Matches.Append(tb.Context(), id, []matchstore.Event{opening}, matchstore.Summary{}); err != nil {
		tb.Fatal(err)
	}
	last := benchEnd(2)
	last.Result = record.Result
	return id, []matchstore.Event{last}, record
}

func (f *finisher) finish(tb testing.TB, id storage.MatchID, end []matchstore.Event, record resultstore.Finished) {
	if _, err := f.s.Matches.Finish(context.Background(), id, end, record, nil); err != nil {
		tb.Error(err)
	}
}

// fill ends matches, many at once.
func (f *finisher) fill(tb testing.TB, matches int) {
	const together = 50
	for from := 0; from < matches; from += together {
		var all sync.WaitGroup
		for n := from; n < min(matches, from+together); n++ {
			all.Go(func() {
				id, end, record := f.open(tb, n)
				f.finish(tb, id, end, record)
			})
		}
		all.Wait()
	}
}

// BenchmarkFinish ends rated matches one after the other: records, indexes, ratings, tallies and openings in one transaction each.
func BenchmarkFinish(b *testing.B) {
	f := newFinisher(b)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		id, end, record := f.open(b, n)
		b.StartTimer()
		f.finish(b, id, end, record)
	}
}

// BenchmarkRecompute works out the ratings and openings of 20,000 matches, of which hardly two began alike, where all are right.
func BenchmarkRecompute(b *testing.B) {
	f := newFinisher(b)
	f.fill(b, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		report, err := f.s.Results.Recompute(context.Background())
		if err != nil || report.Results != 20_000 || report.Matches+report.Recent+len(report.Differed) > 0 {
			b.Fatal(report, err)
		}
	}
}

// BenchmarkHistory reads 1000 rows of the history, as one list and as a search.
func BenchmarkHistory(b *testing.B) {
	f := newFinisher(b)
	f.fill(b, 1500)
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if rows, err := f.s.Results.History(context.Background(), resultstore.HistoryQuery{Limit: 1000}); err != nil || len(rows) != 1000 {
				b.Fatal(len(rows), err)
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			if page, err := f.s.Results.Search(context.Background(), resultstore.SearchQuery{Limit: 1000}); err != nil || len(page.Found) != 1000 {
				b.Fatal(len(page.Found), err)
			}
		}
	})
}

// BenchmarkSearch goes through 5000 matches that a search does not find.
func BenchmarkSearch(b *testing.B) {
	f := newFinisher(b)
	const matches = 5000
	f.fill(b, matches)
	for name, q := range map[string]resultstore.SearchQuery{
		"player":  {With: "nobody"},
		"opening": {Opening: []games.Move{games.Move("a1"), games.Move("g7")}},
	} {
		b.Run(name, func(b *testing.B) {
			steps := 0
			for b.Loop() {
				q.Limit, q.Before = 100, resultstore.Cursor{}
				for {
					page, err := f.s.Results.Search(context.Background(), q)
					if err != nil || len(page.Found) > 0 {
						b.Fatal(len(page.Found), err)
					}
					if steps++; page.Next == (resultstore.Cursor{}) {
						break
					}
					q.Before = page.Next
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(steps), "µs/step")
			b.ReportMetric(float64(matches*b.N)/b.Elapsed().Seconds(), "matches/s")
		})
	}
}
