package pgtest

import (
	"strings"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/faulttest"
)

// TestPagesOfScans: a scan that says how much it takes asks the server once, and one that doesn't asks for a few entries first, and then for more.
func TestPagesOfScans(t *testing.T) {
	server := another(t, "log_statement=all")
	s := openAt(t, server.options())
	defer s.Close()
	const n = 1000
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			tx.Put(faulttest.Key(string(rune('a'+i/100))+string(rune('a'+i/10%10))+string(rune('a'+i%10))), nil)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, g := range []kv.Range{{Expect: n}, {Reverse: true, Expect: n}, {}} {
		if err := s.View(t.Context(), func(r kv.Reader) error {
			left := n
			for _, err := range r.Scan(g) {
				if err != nil {
					return err
				}
				if left--; left == 0 {
					return nil
				}
			}
			t.Errorf("%+v ends %d entries too early", g, left)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Stop(); err != nil { // then its log is whole
		t.Fatal(err)
	}
	const first, later = "SELECT p.revision, q.key, q.value", "SELECT s.floor, q.key, q.value"
	if log := server.Log(); strings.Count(log, first) != 3 || strings.Count(log, later) != 2 {
		t.Errorf("the scans begin with %d requests, want 3, and go on with %d, want 2: pages of 32, 256 and 2000", strings.Count(log, first), strings.Count(log, later))
	}
}

// TestWaitsAreCounted: a read that waits for the server says so.
func TestWaitsAreCounted(t *testing.T) {
	t.Parallel()
	s := openAt(t, shared.options())
	defer s.Close()
	ctx := kv.WithWaits(t.Context())
	var before, after time.Duration
	began := time.Now()
	err := s.View(ctx, func(r kv.Reader) error {
		before = kv.Waited(ctx)
		_, err := r.Get(faulttest.Key("a"))
		after = kv.Waited(ctx)
		return err
	})
	if took := time.Since(began); err != nil || before != 0 || after <= 0 || after > took {
		t.Errorf("before the read %v were waited, then %v, of %v in all; %v", before, after, took, err)
	}
}
