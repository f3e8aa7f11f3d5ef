package pgtest

import (
	"flag"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

var costs = flag.Bool("costs", false, "measure what moves and matches cost PostgreSQL, beside a file")

// TestCosts measures costs for deploy/CAPACITY.md: moves a second, what is written for a move, and the bytes of a finished match.
func TestCosts(t *testing.T) {
	if !*costs {
		t.Skip("a measurement; run it with -costs")
	}
	server := another(t)
	o := server.options()
	number := func(query string) (n int64) {
		t.Helper()
		n, err := strconv.ParseInt(ask(t, server, query)[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	written := func() int64 { return number("SELECT trunc(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'))::text") }
	measure(t, "PostgreSQL", openAt(t, o), written, func() int64 {
		server.exec(t, "postgres", "VACUUM FULL "+o.Schema+".entries")
		return number("SELECT pg_total_relation_size('" + o.Schema + ".entries')::text")
	})
	file, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	none := func() int64 { return 0 }
	measure(t, "bolt", file, none, none)
}

// measure plays matches on a store and ends them. written returns how many bytes the server has written to its log, and kept how many it keeps, without
// the history of the store.
func measure(t *testing.T, name string, on kv.Store, written, kept func() int64) {
	club, err := schema.Open(t.Context(), on, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer club.Close()
	const writers, moves = 200, 60
	load := storagetest.NewLoad(t, club, writers+1)
	play := func(from, to, moves int) (n int64) {
		began := time.Now()
		took := load.Play(t, from, to, moves)
		spent := time.Since(began)
		t.Logf("%s, %d matches: %d moves in %s: %.0f a second; p50 %s, p99 %s", name, to-from, len(took), spent, float64(len(took))/spent.Seconds(), took[len(took)/2], took[len(took)*99/100])
		return int64(len(took))
	}
	before := kept()
	from := written()
	n := play(0, writers, moves)
	to := written()
	began := time.Now()
	load.Finish(t, writers, moves)
	spent := time.Since(began) / writers
	t.Logf("%s: %d bytes are written for a move; a match ends in %s, and keeps %d bytes", name, (to-from)/n, spent, (kept()-before)/writers)
	play(writers, writers+1, 1000)
}
