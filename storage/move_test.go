package storage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	repairstore "ludoteca/storage/repair"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// engineAt opens a file as an engine, for the length of the test.
func engineAt(t *testing.T, path string) *bolt.Store {
	t.Helper()
	e, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// contents returns all values of an engine, by key.
func contents(t *testing.T, e kv.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := e.View(t.Context(), func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			all[string(p.Key)] = string(p.Value)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t *testing.T, e kv.Store, keys ...string) {
	t.Helper()
	if err := e.Update(t.Context(), func(tx kv.Tx) error {
		for _, key := range keys {
			tx.Put([]byte(key), []byte("value of "+key))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// breaking is an engine whose transactions fail after the next left ones.
type breaking struct {
	kv.Store
	left int
}

var errBroken = errors.New("broken on purpose")

func (b *breaking) Update(ctx context.Context, change func(kv.Tx) error) error {
	if b.left--; b.left < 0 {
		return errBroken
	}
	return b.Store.Update(ctx, change)
}

// TestCopy: a copy holds all of the club, and nothing of its nodes.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "club.db"), bolt.Options{})
	stop := busy(t, s)
	for len(contents(t, s.engine)) < 500 { // some matches
		continue
	}
	stop()
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf("chat\x00%04d", i))
	}
	put(t, s.engine, many...)
	put(t, s.engine, "nodes\x00one", "presence\x00ann", "seekers\x00bob", "nodesque\x00kept")
	want := contents(t, s.engine)
	for _, gone := range []string{"nodes\x00one", "presence\x00ann", "seekers\x00bob"} {
		delete(want, gone)
	}
	to := engineAt(t, filepath.Join(dir, "copy.db"))
	steps := &breaking{to, 1 << 30}
	copied, err := repairstore.Copy(t.Context(), s.engine, steps)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repairstore.Copy(t.Context(), s.engine, to); !errors.Is(err, repairstore.ErrNotEmpty) {
		t.Errorf("a copy over a club: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := contents(t, to)
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%q is %q, want %q", key, got[key], value)
		}
	}
	keys := 1 // the number of the schema
	for _, c := range copied {
		keys += c.Keys
	}
	if len(got) != len(want) || keys != len(want) {
		t.Errorf("%d keys, of which %d were counted; want %d", len(got), keys, len(want))
	}
	if !slices.IsSortedFunc(copied, func(a, b repairstore.Copied) int { return slices.Compare([]byte(a.Section), []byte(b.Section)) }) {
		t.Errorf("the sections are not sorted: %v", copied)
	}
	if err := repairstore.Unfinished(t.Context(), to); err != nil {
		t.Error(err)
	}
	again, err := schema.Open(t.Context(), to, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := again.Results.Recompute(t.Context()); err != nil || len(report.Differed) > 0 || report.Results == 0 {
		t.Errorf("Recompute of the copy = %+v, %v", report, err)
	}
	// A copy that is interrupted after any transaction leaves a store that is marked as unfinished, and can be made again.
	took := (1 << 30) - steps.left
	if took < 5 {
		t.Fatalf("%d transactions are too few for this test", took)
	}
	var half *bolt.Store
	for n := range took {
		half = engineAt(t, filepath.Join(dir, fmt.Sprintf("half-%d.db", n)))
		if _, err := repairstore.Copy(t.Context(), to, &breaking{half, n}); !errors.Is(err, errBroken) {
			t.Fatalf("%d of %d transactions: %v", n, took, err)
		}
		if n == 0 {
			if err := repairstore.Unfinished(t.Context(), half); err != nil || len(contents(t, half)) > 0 {
				t.Errorf("nothing was written: %v, and %d keys", err, len(contents(t, half)))
			}
			continue
		}
		if err := repairstore.Unfinished(t.Context(), half); !errors.Is(err, repairstore.ErrUnfinished) {
			t.Errorf("%d of %d transactions: Unfinished = %v", n, took, err)
		}
		if _, err := repairstore.Copy(t.Context(), half, engineAt(t, filepath.Join(dir, fmt.Sprintf("other-%d.db", n)))); !errors.Is(err, repairstore.ErrUnfinished) {
			t.Errorf("%d of %d transactions: a copy of it: %v", n, took, err)
		}
		put(t, half, "logs\x00left over") // as if the source had held it then
	}
	if _, err := repairstore.Copy(t.Context(), to, half); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, half); len(got) != len(want) || got["logs\x00left over"] != "" {
		t.Errorf("the copy made again has %d keys, want %d", len(got), len(want))
	}
}

// TestCopyRefuses: only a club is copied, only to an empty target, and after a refusal nothing is written.
func TestCopyRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		from, to []string
		want     error
	}{
		"nothing":              {nil, nil, repairstore.ErrEmpty},
		"another program's":    {[]string{"other\x00key"}, nil, storage.ErrDamaged},
		"to another program's": {nil, []string{"other\x00key"}, repairstore.ErrNotEmpty},
	} {
		from, to := engineAt(t, filepath.Join(dir, name+" from.db")), engineAt(t, filepath.Join(dir, name+" to.db"))
		if len(tt.from) > 0 {
			put(t, from, tt.from...)
		}
		if len(tt.to) > 0 {
			if _, err := schema.Open(t.Context(), from, schema.Config{}); err != nil {
				t.Fatal(err)
			}
			put(t, to, tt.to...)
		}
		before := contents(t, to)
		if _, err := repairstore.Copy(t.Context(), from, to); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if after := contents(t, to); len(after) != len(before) {
			t.Errorf("%s: %d keys, were %d", name, len(after), len(before))
		}
	}
	newer := engineAt(t, filepath.Join(dir, "newer.db"))
	if err := newer.Update(t.Context(), func(tx kv.Tx) error { tx.Put([]byte("meta\x00schema"), []byte("9999")); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := repairstore.Copy(t.Context(), newer, engineAt(t, filepath.Join(dir, "from newer.db"))); !errors.Is(err, storage.ErrNewer) {
		t.Errorf("a newer one: %v", err)
	}
}

// TestNodesLive: a row without heartbeats is not a live node.
func TestNodesLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engineAt(t, filepath.Join(t.TempDir(), "club.db"))
		live := func() bool {
			t.Helper()
			live, err := repairstore.NodesLive(t.Context(), e, 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			return live
		}
		if live() {
			t.Error("an empty store has a live node")
		}
		put(t, e, "nodes\x00one", "nodes\x00two")
		began := time.Now()
		if live() || time.Since(began) != 5*time.Second {
			t.Errorf("after %v nodes without heartbeats count as live", time.Since(began))
		}
		change := func(change func(kv.Tx)) {
			time.AfterFunc(3*time.Second, func() {
				if err := e.Update(t.Context(), func(tx kv.Tx) error { change(tx); return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		change(func(tx kv.Tx) { tx.Delete([]byte("nodes\x00one")) })
		if live() {
			t.Error("a node whose row was removed counts as live")
		}
		change(func(tx kv.Tx) { tx.Put([]byte("nodes\x00two"), []byte("again")) })
		if !live() {
			t.Error("a node that sends heartbeats doesn't count as live")
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
}
