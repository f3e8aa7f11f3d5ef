package pgtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/postgres"
)

// TestLateCommit holds a commit back until its store has called it off and is closed: what was called off stays so.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	o := shared.options()
	direct := openAt(t, o)
	defer direct.Close()
	for n := range 5 {
		late := proxyTo(t, shared)
		o.Address = through(late) + "&connect_timeout=1"
		o.TryTimeout, o.RequestTimeout = 100*time.Millisecond, 300*time.Millisecond
		s := openAt(t, o)
		if _, err := faulttest.Add(t.Context(), s, faulttest.Key("first")); err != nil {
			t.Fatal(err)
		}
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(faulttest.Key("blind"), fmt.Appendf(nil, "old %d", n))
			late.Hold(true, false)
			return nil
		})
		if !errors.Is(err, kv.ErrCommit) {
			t.Fatalf("round %d: %v, want ErrCommit", n, err)
		}
		release := late.Leave() // new connections go through, and what is held stays so
		newer := fmt.Appendf(nil, "newer %d", n)
		if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key("blind"), newer); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		release()
		faulttest.Wait(50 * time.Millisecond)
		if got := faulttest.Read(t, direct, faulttest.Key("blind")); !bytes.Equal(got, newer) {
			t.Errorf("round %d: the value is %q, want %q", n, got, newer)
		}
	}
}

// TestSlowDisk has the server wait 100 ms before it writes to its disk, and the store be impatient: nothing is written twice.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	server := another(t, "commit_delay=100000", "commit_siblings=0")
	o := server.options()
	o.TryTimeout = 60 * time.Millisecond
	var doubts, unknown atomic.Int64
	o.Meters.Doubt = func(known bool) {
		doubts.Add(1)
		if !known {
			unknown.Add(1)
		}
	}
	s := openAt(t, o)
	defer s.Close()
	const n = 5
	for i := range n {
		if was, err := faulttest.Add(t.Context(), s, faulttest.Key("n")); err != nil || was != uint64(i) {
			t.Fatalf("increment %d: was %d, %v", i, was, err)
		}
	}
	if doubts.Load() < n || unknown.Load() > 0 {
		t.Errorf("%d commits in doubt, %d of them unknown; want %d or more, all settled", doubts.Load(), unknown.Load(), n)
	}
}

// TestStandby: a read-only standby is refused in words, and tried again until it is promoted.
func TestStandby(t *testing.T) {
	t.Parallel()
	server := another(t)
	o := server.options()
	s := openAt(t, o)
	defer s.Close()
	if _, err := faulttest.Add(t.Context(), s, faulttest.Key("n")); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	signal := filepath.Join(server.Data(), "standby.signal")
	if err := os.WriteFile(signal, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := server.Give(signal); err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	hasty := o
	hasty.OpenTimeout, hasty.RequestTimeout = 500*time.Millisecond, 500*time.Millisecond
	if again, err := postgres.Open(t.Context(), hasty); !errors.Is(err, postgres.ErrReadOnly) || !strings.Contains(err.Error(), "name the primary") {
		if err == nil {
			again.Close()
		}
		t.Errorf("Open of a standby = %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := faulttest.Add(context.Background(), s, faulttest.Key("n"))
		done <- err
	}()
	opened := make(chan error)
	go func() {
		patient := o
		patient.OpenTimeout = 30 * time.Second
		again, err := postgres.Open(context.Background(), patient)
		if err == nil {
			err = again.Close()
		}
		opened <- err
	}()
	faulttest.Wait(time.Second)
	if err := server.Promote(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("an update that waited for the promotion: %v", err)
	}
	if err := <-opened; err != nil {
		t.Errorf("an Open that waited for the promotion: %v", err)
	}
	if got := binary.BigEndian.Uint64(faulttest.Read(t, s, faulttest.Key("n"))); got != 2 {
		t.Errorf("%d after 2 increments", got)
	}
}

// TestReadOnly: a server that begins to take no changes, as some do before their disk is full, is said to.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	server := another(t)
	o := server.options()
	o.RequestTimeout = time.Second
	s := openAt(t, o)
	defer s.Close()
	server.exec(t, "postgres", "ALTER SYSTEM SET default_transaction_read_only = on")
	server.exec(t, "postgres", "SELECT pg_reload_conf()")
	var err error
	for n := 0; err == nil && n < 100; n++ { // sessions read the new setting between statements
		_, err = faulttest.Add(t.Context(), s, faulttest.Key("n"))
		faulttest.Wait(10 * time.Millisecond)
	}
	if !errors.Is(err, postgres.ErrReadOnly) || !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("Update = %v, want ErrReadOnly", err)
	}
}
