package etcdtest

import (
	"errors"
	"io"
	"testing"
	"time"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/records"
	"ludoteca/sshapp/records/recordstest"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestRecordCosts measures lists of files and the stream of all rated records on three members with 50,000 matches, without the gate. On two
// cores of an EPYC with all members: 10,000 entries of a player in 0.64 s, 90,000 of all matches in 6.2 s, 4,200 records a second.
func TestRecordCosts(t *testing.T) {
	if !*costs {
		t.Skip("a measurement; run it with -costs")
	}
	engine := openAt(t, shared.options())
	club, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer club.Close()
	began := time.Now()
	c := recordstest.On(t, club, engine, 50_000, 10)
	t.Logf("50,000 matches were added in %v", time.Since(began))

	view := c.Tree.As(c.Players[0].ID, recordstest.AtOnce)
	for _, folder := range []string{"/players/ana", "/matches", "/games/tanks"} {
		began, entries := time.Now(), 0
		l, err := view.List(t.Context(), folder)
		for err == nil {
			page, nextErr := l.Next(t.Context(), 100)
			entries, err = entries+len(page), nextErr
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		t.Logf("%s: %d entries in %v", folder, entries, time.Since(began))
	}

	began, n := time.Now(), 0
	for q := (results.PageQuery{Rated: true, Whole: true, Limit: 100}); ; {
		page, next, err := c.Results.Page(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			if _, err := records.Writer(catalog.All()).Text(r.Finished); err != nil {
				t.Fatal(err)
			}
		}
		if n, q.After = n+len(page), next; next == (results.Cursor{}) {
			break
		}
	}
	t.Logf("all %d rated records in %v, %.0f a second", n, time.Since(began), float64(n)/time.Since(began).Seconds())
}
