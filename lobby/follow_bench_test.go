package lobby

import (
	"fmt"
	"path/filepath"
	"testing"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/storage"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// BenchmarkFollow measures a change that another node has made in a match that nobody here looks at.
func BenchmarkFollow(b *testing.B) {
	file, err := storagetest.OpenFile(filepath.Join(b.TempDir(), "club.db"), schema.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	l, err := New(b.Context(), StoreOf(file), Config{Games: []games.Game{fourmation.New()}, Limits: Limits{NewUnfinished: 2000, Unfinished: 2000, OpenOffers: 2000, MatchBurst: 2000}, Node: "bench", Shared: SharedOf(file)})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	who, err := l.SignUp(b.Context(), "key", "ana")
	if err != nil {
		b.Fatal(err)
	}
	const matches = 1000
	for range matches {
		if _, err := l.Open(b.Context(), who, Spec{Game: "fourmation", Clock: fivePlus3}); err != nil {
			b.Fatal(err)
		}
	}
	rows, err := file.Matches.Summaries(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for i := range rows { // as other matches, which are not in memory
		rows[i].ID = storage.MatchID(fmt.Sprintf("m%07d", i))
		l.summaryChanged(b.Context(), rows[i])
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		row := &rows[n%matches]
		row.Seq++
		l.summaryChanged(b.Context(), *row)
	}
}
