package lobby_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// dictated is a store of which the test says what other nodes change in matches.
type dictated struct {
	lobby.Shared
	put chan func(matches.Summary)
}

func (d *dictated) FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, matches.Summary]) error {
	select {
	case d.put <- f.Put:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return ctx.Err()
}

// BenchmarkFollow measures a change that another node has made in a match that nobody here looks at.
func BenchmarkFollow(b *testing.B) {
	file, err := storagetest.OpenFile(filepath.Join(b.TempDir(), "club.db"), schema.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	shared := &dictated{lobby.SharedOf(file), make(chan func(matches.Summary))}
	l, err := lobby.New(b.Context(), lobby.StoreOf(file), lobby.Config{
		Games: []games.Game{fourmation.New()}, Limits: lobby.Limits{NewUnfinished: 2000, Unfinished: 2000, OpenOffers: 2000, MatchBurst: 2000}, Node: "bench", Shared: shared,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	put := <-shared.put
	who, err := l.Accounts.SignUp(b.Context(), "key", "ana")
	if err != nil {
		b.Fatal(err)
	}
	const most = 1000
	for range most {
		if _, err := l.Seats.Open(b.Context(), who, seats.Spec{Game: "fourmation", Clock: lobby.ClockSetting{Kind: lobby.Fischer, Base: 5 * 60e9, Increment: 3e9}}); err != nil {
			b.Fatal(err)
		}
	}
	rows, err := file.Matches.Summaries(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for i := range rows { // as other matches, which are not in memory
		rows[i].ID = storage.MatchID(fmt.Sprintf("m%07d", i))
		put(rows[i])
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		row := &rows[n%most]
		row.Seq++
		put(*row)
	}
}
