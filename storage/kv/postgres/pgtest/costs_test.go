package pgtest

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
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
	load := storagetest.NewLoad(t, club, writers+1)
	play := func(from, to, moves int) {
		began := time.Now()
		took := load.Play(t, from, to, moves)
		spent := time.Since(began)
		t.Logf("%s, %d matches: %d moves in %s: %.0f a second; p50 %s, p99 %s", name, to-from, len(took), spent, float64(len(took))/spent.Seconds(), took[len(took)/2], took[len(took)*99/100])
	}
	play(writers, writers+1, 1000)
	play(0, writers, moves)
	before, _ := on.Size()
	began := time.Now()
	load.Finish(t, writers, moves)
	t.Logf("%s: a match ends in %s; size before %d", name, time.Since(began)/writers, before)
}
