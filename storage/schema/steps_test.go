package schema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
)

// dump returns all that is in sections.
func dump(t *testing.T, engine kv.Store, of ...storage.AnyTable) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := engine.View(t.Context(), func(r kv.Reader) error {
		for _, s := range of {
			for p, err := range r.Scan(under(s.TableName())) {
				if err != nil {
					return err
				}
				all[string(p.Key)] = string(p.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// fill writes n entries.
func fill(t *testing.T, engine kv.Store, n int, write func(tx kv.Tx, i int) error) {
	t.Helper()
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			if err := write(tx, i); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// endings is a Config with an index of names by their last letters.
func endings(version int) Config {
	return Config{Lookalikes: accounts.LookalikeRules{Version: version, Of: func(name string) []string {
		return []string{name[len(name)-1-version:], fmt.Sprint(version, name)}
	}}}
}

// recordOf is a match between two of 50 players.
func recordOf(i int) results.Finished {
	seat := func(i int) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: fmt.Sprint("p", i%50), Name: "x"}
	}
	at := time.UnixMilli(1_700_000_000_000 + int64(i)).UTC()
	return results.Finished{
		ID: storage.MatchID(fmt.Sprintf("m%04d", i)), Code: fmt.Sprintf("C%05d", i), Game: "tanks", First: seat(i), Second: seat(i + 1 + i%7),
		Result: []string{"first", "draw", "second"}[i%3], Reason: "resigned", Started: at, Ended: at,
	}
}

// large makes a store with the indexes of version 1, or with none.
func large(t *testing.T) kv.Store {
	engine := openEngine(t)
	if _, err := migrations.Run(t.Context(), engine, nil); err != nil {
		t.Fatal(err)
	}
	fill(t, engine, 5000, func(tx kv.Tx, i int) error {
		name := fmt.Sprintf("player%04d", i)
		id := storage.PlayerID(fmt.Sprint("p", i))
		return accounts.Players.Put(tx, id, accounts.Player{ID: id, Name: name, NameKey: name})
	})
	fill(t, engine, 1500, func(tx kv.Tx, i int) error {
		f := recordOf(i)
		record, err := encodeRecord(f, 0)
		tx.Put(results.Records.Key(f.ID), record)
		return err
	})
	if _, err := Open(t.Context(), engine, endings(1)); err != nil {
		t.Fatal(err)
	}
	return engine
}

// outdate makes the indexes look as if other rules had made them.
func outdate(t *testing.T, engine kv.Store) {
	t.Helper()
	fill(t, engine, 1, func(tx kv.Tx, _ int) error {
		tx.Put(results.TalliesIndex.Key(), []byte("0"))
		tx.Put(results.Tallies.Key(results.TallyKey{Player: "p3", Kind: results.ConductTally, Of: ""}), []byte("of other rules"))
		tx.Put(results.Tallies.Key(results.TallyKey{Player: "nobody", Kind: results.ConductTally, Of: ""}), []byte("of other rules"))
		return nil
	})
}

// TestIndexInSteps: indexes are made anew in small transactions, and go on where they were interrupted.
func TestIndexInSteps(t *testing.T) {
	whole, broken, shared := large(t), large(t), large(t)
	indexes := []storage.AnyTable{accounts.Lookalikes, results.Tallies, metaTable{}}
	first := dump(t, whole, indexes...)
	f := &kvtest.Feeble{Store: whole, Left: -1}
	outdate(t, whole)
	if _, err := Open(t.Context(), f, endings(2)); err != nil {
		t.Fatal(err)
	}
	want := dump(t, whole, indexes...)
	t.Logf("at most %d reads and writes in a transaction", f.Largest)
	if n := len(dump(t, whole, accounts.Lookalikes)); n != 10000 || maps.Equal(first, want) {
		t.Errorf("the index of names has %d entries", n)
	}
	for key, value := range first {
		if section, _, _ := strings.Cut(key, "\x00"); section == results.Tallies.Name && want[key] != value {
			t.Fatalf("the tally %q is %q, was %q", key, want[key], value)
		}
	}

	outdate(t, broken)
	times := kvtest.UntilDone(t, broken, func(engine kv.Store) error {
		_, err := Open(t.Context(), engine, endings(2))
		return err
	})
	if got := dump(t, broken, indexes...); !maps.Equal(got, want) || times < 10 {
		t.Errorf("after %d interruptions there are %d entries, want %d", times, len(got), len(want))
	}

	outdate(t, shared)
	var nodes sync.WaitGroup
	for range 3 {
		nodes.Go(func() {
			if _, err := Open(context.Background(), shared, endings(2)); err != nil {
				t.Error(err)
			}
		})
	}
	nodes.Wait()
	if got := dump(t, shared, indexes...); !maps.Equal(got, want) {
		t.Errorf("three nodes made %d entries, want %d", len(got), len(want))
	}
}

// TestIndexBesideMatches: matches that end while the tallies are made anew count once, wherever the index has come to.
func TestIndexBesideMatches(t *testing.T) {
	engine := large(t)
	outdate(t, engine)
	ends := func(i int) {
		t.Helper()
		f := recordOf(i)
		f.ID, f.Code = storage.MatchID(fmt.Sprintf("m%04dx", i)), fmt.Sprintf("X%05d", i)
		fill(t, engine, 1, func(tx kv.Tx, _ int) error {
			record, err := encodeRecord(f, 0)
			tx.Put(results.Records.Key(f.ID), record)
			return errors.Join(err, results.AddTallies(tx, f))
		})
	}
	n := 0
	kvtest.UntilDone(t, engine, func(engine kv.Store) error {
		for _, i := range []int{0, 700, 1499} {
			if n == 0 || n > 2 && n < 8 { // the old tallies, and the new ones once the old are gone
				ends(i + n)
			}
		}
		n++
		_, err := Open(t.Context(), engine, endings(1))
		return err
	})
	got := dump(t, engine, results.Tallies)
	outdate(t, engine)
	if _, err := Open(t.Context(), engine, endings(1)); err != nil {
		t.Fatal(err)
	}
	if want := dump(t, engine, results.Tallies); !maps.Equal(got, want) || n < 5 {
		t.Errorf("after %d steps beside matches that ended, the tallies don't count all records", n)
	}
}

// TestIndexOfTwoVersions: of two programs that make an index by different rules at a time, the one that began last goes on.
func TestIndexOfTwoVersions(t *testing.T) {
	engine := large(t)
	older := &kvtest.Feeble{Store: engine, Left: 2}
	if _, err := Open(t.Context(), older, endings(2)); !errors.Is(err, kvtest.ErrDown) {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), &kvtest.Feeble{Store: engine, Left: 2}, endings(3)); !errors.Is(err, kvtest.ErrDown) {
		t.Fatal(err)
	}
	marker := func() (value []byte) {
		return []byte(dump(t, engine, metaTable{})[string(accounts.LookalikesIndex.Key())])
	}
	before := marker()
	x := storage.Index{Table: accounts.Lookalikes, Marker: accounts.LookalikesIndex, Version: "2", Step: func(kv.Tx, []byte) ([]byte, error) {
		t.Error("the older rules go on")
		return nil, nil
	}}
	fill(t, engine, 1, func(tx kv.Tx, _ int) error {
		done, err := x.Next(tx, false)
		if !done || err != nil {
			t.Errorf("the older program is done: %t, %v", done, err)
		}
		return err
	})
	if now := marker(); !bytes.Equal(before, now) || !strings.HasPrefix(string(now), "3\x00") {
		t.Errorf("the marker is %q, was %q", now, before)
	}
	if _, err := Open(t.Context(), engine, endings(3)); err != nil || string(marker()) != "3" {
		t.Errorf("the marker is %q at last, %v", marker(), err)
	}
}

// TestSalvageOfMarkers: markers of a store that was being migrated, and the last outage, are no damage.
func TestSalvageOfMarkers(t *testing.T) {
	down, err := cluster.LastOutage.Values.Encode(cluster.Outage{})
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{migrating.Name: "7\x00logs\x00m", cluster.LastOutage.Name: string(down), results.TalliesIndex.Name: "1\x00f", accounts.LookalikesIndex.Name: "2"} {
		if (metaTable{}).Valid([]byte(key), []byte(value)) != nil {
			t.Errorf("%q under %s counts as damaged", value, key)
		}
	}
	if (metaTable{}).Valid([]byte(migrating.Name), []byte("7")) == nil {
		t.Error("a marker without a place in the store counts as whole")
	}
}

// TestSweepOfMany: what strangers can make many rows of is removed in small transactions, and a damaged row keeps nothing else.
func TestSweepOfMany(t *testing.T) {
	const n = 9000
	engine := openEngine(t)
	f := &kvtest.Feeble{Store: engine, Left: -1}
	s, err := Open(t.Context(), f, endings(1))
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1_700_000_000_000).UTC()
	over, open := now.UnixMilli(), now.UnixMilli()+1
	fill(t, engine, n, func(tx kv.Tx, i int) error {
		name := fmt.Sprintf("old%04d", i)
		return errors.Join(results.GuestCodes.Put(tx, name, results.GuestCode{Guest: name, Until: over}), accounts.KeyCodes.Put(tx, name, accounts.KeyCode{Player: storage.PlayerID("p" + name), Until: over}),
			accounts.FormerNames.Put(tx, name, accounts.FormerName{Player: storage.PlayerID("p" + name), Former: name, Until: over}))
	})
	fill(t, engine, 1, func(tx kv.Tx, _ int) error {
		return results.GuestCodes.Put(tx, "new", results.GuestCode{Guest: "g", Until: open})
	})
	if _, err := s.Sweep(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if left := dump(t, engine, results.GuestCodes, accounts.KeyCodes, accounts.FormerNames); len(left) != 1 {
		t.Errorf("%d rows are left, want the one that is not over", len(left))
	}
	t.Logf("at most %d reads and writes in a transaction", f.Largest)

	fill(t, engine, 1, func(tx kv.Tx, _ int) error {
		tx.Put(results.GuestCodes.Key("damaged"), []byte("?"))
		return accounts.Attempts.Put(tx, accounts.Bucket{Kind: "kind", Hash: "x"}, now.Add(-time.Millisecond))
	})
	if _, err := s.Sweep(t.Context(), now); !errors.Is(err, storage.ErrDamaged) || len(dump(t, engine, accounts.Attempts)) != 0 {
		t.Errorf("beside a damaged row %d rows are left, %v", len(dump(t, engine, accounts.Attempts)), err)
	}
}
