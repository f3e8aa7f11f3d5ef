package etcdtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/matches"
	"ludoteca/storage/repair"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// rated makes a store in a file with this many players and rated matches, in which all of them sit if there are enough.
func rated(t *testing.T, players, results int) (*schema.Store, *bolt.Store) {
	t.Helper()
	s, engine, err := storagetest.OpenEngine(filepath.Join(t.TempDir(), "club.db"), schema.Config{Rate: storagetest.Rate}, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	began := time.UnixMilli(1_700_000_000_000).UTC()
	seats := make([]storage.Occupant, players)
	const at = 64 // sign-ups, and matches, at a time
	var signingUp, playing sync.WaitGroup
	for first := range at {
		signingUp.Go(func() {
			for i := first; i < players; i += at {
				name := fmt.Sprint("player", i)
				p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: began.AddDate(-1, 0, 0)}, fmt.Sprintf("SHA256:%043d", i))
				if err != nil {
					t.Error(err)
					return
				}
				seats[i] = storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name}
			}
		})
	}
	signingUp.Wait()
	for first := range at {
		playing.Go(func() {
			for n := first; n < results; n += at {
				id, end := storage.MatchID(fmt.Sprintf("m%07d", n)), began.Add(time.Duration(n)*6*time.Hour)
				o := &matches.Opening{
					Code: fmt.Sprintf("C%05d", n), Game: "tanks", Options: games.Options{"rows": 8, "cols": 8}, Rated: true,
					First: seats[n%len(seats)], Second: seats[(n+1+n/len(seats)%7)%len(seats)],
				}
				event := func(seq uint64, kind matches.Kind) matches.Event {
					return matches.Event{Seq: seq, Version: matches.EventVersion, Kind: kind, At: end}
				}
				open, ended := event(1, matches.Opened), event(2, matches.Ended)
				open.Opening, ended.Result = o, "first"
				err := s.Matches.Append(t.Context(), id, []matches.Event{open}, matches.Summary{})
				if err == nil {
					_, err = s.Matches.Finish(t.Context(), id, []matches.Event{ended}, resultstore.Finished{
						Code: o.Code, Game: o.Game, Options: o.Options, First: o.First, Second: o.Second, Rated: true, Result: "first", Ended: end,
					}, nil)

				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	playing.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return s, engine
}

// TestManyResults recomputes all ratings of a club that has lost them, which is one transaction. With the limits of the examples in
// deploy/ that works for tens of thousands of results; with the smallest limits that Open accepts, the error is ErrTooLarge.
// LUDOTECA_RESULTS is the number of results, by default a few hundred.
func TestManyResults(t *testing.T) {
	t.Parallel()
	results := 500
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_RESULTS")); err == nil {
		results = n
	}
	_, from := rated(t, 50, results)
	large := startAlone(t, func(o *embed.Config) { o.MaxTxnOps, o.MaxRequestBytes = 65536, 8<<20 })
	for name, o := range map[string]etcd.Options{
		"the limits of our examples": {Endpoints: []string{large}, Namespace: "/results/"},
		"the least limits":           shared.options(),
	} {
		engine := openAt(t, o)
		defer engine.Close()
		began := time.Now()
		copied, err := repair.Copy(t.Context(), from, engine)
		if err != nil {
			t.Fatal(err)
		}
		entries := 0
		for _, c := range copied {
			entries += c.Keys
		}
		t.Logf("%s: %d entries copied in %v", name, entries, time.Since(began))
		club, err := schema.Open(context.Background(), engine, schema.Config{Rate: storagetest.Rate})
		if err != nil {
			t.Fatal(err)
		}
		recompute := func(differed bool) error {
			t.Helper()
			began := time.Now()
			r, err := club.Results.Recompute(t.Context())
			t.Logf("%s: worked out %d results anew in %v: %d ratings and %d changes differed; %.200v", name, r.Results, time.Since(began), len(r.Differed), r.Matches, err)
			if err == nil && (r.Results != results || differed != (len(r.Differed) > 0)) {
				t.Errorf("%s: %+v", name, r)
			}
			return err
		}
		if err := recompute(false); err != nil {
			t.Error(err)
		}
		if err := engine.Update(t.Context(), func(tx kv.Tx) error {
			return errors.Join(tx.DeletePrefix([]byte("ratings\x00")), tx.DeletePrefix([]byte("changes\x00")), tx.DeletePrefix([]byte("recent_matches\x00")))
		}); err != nil {
			t.Fatal(err)
		}
		switch err := recompute(true); {
		case err == nil:
			if err := recompute(false); err != nil {
				t.Error(err)
			}
		case o.Endpoints[0] == large || results < etcd.MaxOps/2 || !errors.Is(err, etcd.ErrTooLarge):
			t.Error(err)
		}
	}
}
