package etcdtest

import (
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/repair"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestReadsOfMany reads standings of many players and a long history from a file and from etcd, compares them, and logs how long that
// takes and how long one request takes. LUDOTECA_PLAYERS is the number of players and of matches.
func TestReadsOfMany(t *testing.T) {
	n := 1500 // more than one request asks for
	if given, err := strconv.Atoi(os.Getenv("LUDOTECA_PLAYERS")); err == nil {
		n = given
	}
	file, from := rated(t, n, n)
	o := shared.options()
	o.Endpoints = o.Endpoints[:1] // the others answer no faster
	engine := openAt(t, o)
	defer engine.Close()
	if _, err := repair.Copy(t.Context(), from, engine); err != nil {
		t.Fatal(err)
	}
	club, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	const times = 9
	median := func(f func() error) time.Duration {
		t.Helper()
		var took []time.Duration
		for range times {
			began := time.Now()
			if err := f(); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took[times/2]
	}
	trip := median(func() error { return engine.View(t.Context(), func(kv.Reader) error { return nil }) })
	t.Logf("one request to etcd: %v", trip)
	query := results.HistoryQuery{Limit: min(n, 1000)}
	for what, read := range map[string]func(s *schema.Store) (any, int, error){
		"standings": func(s *schema.Store) (any, int, error) {
			rows, err := s.Results.Standings(t.Context(), "tanks")
			return rows, len(rows), err
		},
		"history": func(s *schema.Store) (any, int, error) {
			rows, err := s.Results.History(t.Context(), query)
			return rows, len(rows), err
		},
	} {
		var rows [2]any
		var took [2]time.Duration
		var count int
		for i, s := range []*schema.Store{file, club} {
			took[i] = median(func() (err error) { rows[i], count, err = read(s); return err })
		}
		t.Logf("%s, %d rows: %v of a file, %v of etcd; wanted at most %v", what, count, took[0], took[1], 2*(took[0]+trip))
		if want := map[string]int{"standings": n, "history": query.Limit}[what]; count != want || !reflect.DeepEqual(rows[0], rows[1]) {
			t.Errorf("%s: %d rows, want %d, the same in both", what, count, want)
		}
	}
}
