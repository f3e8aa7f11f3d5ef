// Package faulttest has the faults that every engine on a server must survive: servers that crash, hang and are slow, connections that are lost, and
// nodes that get in each other's way. What the engine may do without a fault is in kvtest.
package faulttest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/storage/kv"
)

// An Engine is an engine under test.
type Engine struct {
	Shared func(t *testing.T) Place    // returns a new place on the server that all tests share
	Own    func(t *testing.T) Crashing // returns one on a server of its own

	Unavailable error // the engine's error for a server that doesn't answer

	// Sections means that a long scan is said to have changed whenever its section has lost a key, or would have.
	Sections bool
}

// A Place is where one store is. There is none at first.
type Place interface {
	Open(o Options) (kv.Store, error)      // opens the store, and makes it if there is none
	Server() (network, address string)     // where a proxy finds the server
	Forget(t *testing.T, upTo kv.Revision) // drops the history up to a revision, behind the back of stores
}

// A Crashing place is on a server that can crash.
type Crashing interface {
	Place
	Crash(t *testing.T) (restart func()) // kills the server, or the member of a cluster that leads it
}

// Options are what tests set of an engine's options. What is zero is as usual.
type Options struct {
	Through                    *Proxy // the way to the server; nil is none
	TryTimeout, RequestTimeout time.Duration
	Meters                     kv.Meters
}

// Run has an engine go through all faults that take little time, one after the other.
func Run(t *testing.T, e Engine) {
	t.Run("conflicts of many nodes", func(t *testing.T) { conflicts(t, e) })
	t.Run("phantoms", func(t *testing.T) { phantoms(t, e) })
	t.Run("no answer to a commit", func(t *testing.T) { doubt(t, e) })
	t.Run("slow answers", func(t *testing.T) { slow(t, e) })
	t.Run("history is dropped", func(t *testing.T) { compaction(t, e) })
}

// RunLong has it go through the others, beside each other. Nodes append to a log all the while (appender).
func RunLong(t *testing.T, e Engine) {
	t.Run("the server crashes", func(t *testing.T) {
		t.Parallel()
		p := e.Own(t)
		a := start(t, p, Options{}, e.Unavailable)
		for range 3 {
			Wait(time.Second)
			restart := p.Crash(t)
			Wait(1500 * time.Millisecond)
			restart()
		}
		Wait(time.Second)
		a.check(t)
	})
	t.Run("connections are cut", func(t *testing.T) {
		t.Parallel()
		at := e.Shared(t)
		p := proxyOf(t, at)
		a := start(t, at, Options{Through: p}, e.Unavailable)
		for n := range 40 {
			Wait(50 * time.Millisecond)
			p.Hold(n%3 == 1, n%3 == 2) // requests, or answers, are lost with the connections
			Wait(5 * time.Millisecond)
			p.Cut()
			p.Hold(false, false)
		}
		Wait(time.Second)
		a.check(t)
	})
	t.Run("the server hangs", func(t *testing.T) {
		t.Parallel()
		at := e.Shared(t)
		p := proxyOf(t, at)
		a := start(t, at, Options{Through: p, TryTimeout: 200 * time.Millisecond}, e.Unavailable)
		for n := range 6 {
			Wait(300 * time.Millisecond)
			p.Hold(n%3 < 2, n%3 > 0) // requests arrive late, or answers, or both
			Wait(700 * time.Millisecond)
			p.Hold(false, false)
		}
		Wait(time.Second)
		a.check(t)
	})
}

// conflicts has eight nodes add to two numbers, all at the same time.
func conflicts(t *testing.T, e Engine) {
	const nodes, each = 8, 25
	at := e.Shared(t)
	var all sync.WaitGroup
	began := time.Now()
	for range nodes {
		all.Go(func() {
			s, err := at.Open(Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for n := range each {
				if _, err := Add(t.Context(), s, Key(fmt.Sprint(n%2))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d conflicting transactions of %d nodes took %v", nodes*each, nodes, time.Since(began))
	s := mustOpen(t, at, Options{})
	defer s.Close()
	sum := binary.BigEndian.Uint64(Read(t, s, Key("0"))) + binary.BigEndian.Uint64(Read(t, s, Key("1")))
	if sum != nodes*each {
		t.Errorf("%d after %d increments", sum, nodes*each)
	}
}

// phantoms has two nodes each keep a rule by a scan, which removals and additions of others must not slip past.
func phantoms(t *testing.T, e Engine) {
	at := e.Shared(t)
	a, b := mustOpen(t, at, Options{}), mustOpen(t, at, Options{})
	defer a.Close()
	defer b.Close()
	const few, many = 3, 100 // short scans and long ones may be compared differently
	for _, n := range []int{few, many} {
		for name, tt := range map[string]struct {
			meddle func(kv.Tx) error
			runs   int
		}{
			"appears":          {func(tx kv.Tx) error { tx.Put(Key("05x"), nil); return nil }, 2},
			"appears in front": {func(tx kv.Tx) error { tx.Put(Key("0"), nil); return nil }, 2},
			"changes":          {func(tx kv.Tx) error { tx.Put(Key("01"), []byte("other")); return nil }, 2},
			"vanishes":         {func(tx kv.Tx) error { tx.Delete(Key("01")); return nil }, 2},
			"all vanish":       {func(tx kv.Tx) error { return tx.DeletePrefix(Key("0")) }, 2},
			"stays":            {func(tx kv.Tx) error { tx.Put([]byte("t\x00a"), nil); return nil }, 1},
			"never was":        {func(tx kv.Tx) error { tx.Delete(Key("never")); return nil }, 1},
		} {
			if e.Sections && n == many && name == "never was" {
				tt.runs = 2
			}
			for _, reverse := range []bool{false, true} {
				if err := a.Update(t.Context(), func(tx kv.Tx) error {
					if err := tx.DeletePrefix(Key("")); err != nil {
						return err
					}
					for i := range n {
						tx.Put(Key(fmt.Sprintf("%02d", i)), nil)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				runs := 0
				if err := a.Update(t.Context(), func(tx kv.Tx) error {
					r := kv.Prefix(Key(""))
					r.Reverse = reverse
					for _, err := range tx.Scan(r) {
						if err != nil {
							return err
						}
					}
					if runs++; runs == 1 {
						if err := b.Update(t.Context(), tt.meddle); err != nil {
							t.Error(err)
						}
					}
					tx.Put([]byte("t\x00result"), nil)
					return nil
				}); err != nil || runs != tt.runs {
					t.Errorf("of %d keys, reverse %t, a key %s: %d runs, %v; want %d", n, reverse, name, runs, err, tt.runs)
				}
			}
		}
	}
}

// doubt takes the answers of the server away while it commits: the caller gets kv.ErrCommit, and so does everyone until the outcome is known.
func doubt(t *testing.T, e Engine) {
	at := e.Shared(t)
	p := proxyOf(t, at)
	direct := mustOpen(t, at, Options{})
	defer direct.Close()
	const whole = 600 * time.Millisecond
	s := mustOpen(t, at, Options{Through: p, TryTimeout: 200 * time.Millisecond, RequestTimeout: whole})
	defer s.Close()
	for name, held := range map[string][2]bool{"answers": {false, true}, "requests": {true, false}} {
		if _, err := Add(t.Context(), s, Key("first")); err != nil { // a commit that has yet to connect is not in doubt
			t.Fatal(err)
		}
		k := Key(name)
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			if _, err := tx.Get(k); err != nil {
				return err
			}
			tx.Put(k, []byte("1"))
			p.Hold(held[0], held[1])
			return nil
		})
		if !errors.Is(err, kv.ErrCommit) {
			t.Fatalf("%s are held: Update = %v, want ErrCommit", name, err)
		}
		began := time.Now()
		var all sync.WaitGroup
		for range 3 { // none waits for the others
			all.Go(func() {
				if err := s.View(t.Context(), func(kv.Reader) error { return nil }); !errors.Is(err, kv.ErrCommit) {
					t.Errorf("%s are held: View = %v, want ErrCommit", name, err)
				}
			})
			all.Go(func() {
				if err := s.Update(t.Context(), func(kv.Tx) error { return nil }); !errors.Is(err, kv.ErrCommit) {
					t.Errorf("%s are held: Update = %v, want ErrCommit", name, err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took > 3*whole {
			t.Errorf("%s are held: six calls took %v, want some %v", name, took, whole)
		}
		p.Cut()
		p.Hold(false, false)
		var got []byte
		for n := 0; ; n++ {
			err := s.View(t.Context(), func(r kv.Reader) (err error) { got, err = r.Get(k); got = bytes.Clone(got); return err })
			if err == nil {
				break
			}
			if n == 50 {
				t.Fatalf("%s go through again: View = %v", name, err)
			}
		}
		if held[1] && string(got) != "1" {
			t.Errorf("%s were held: the value is %q although it was written", name, got)
		}
		if again := Read(t, direct, k); !bytes.Equal(again, got) {
			t.Errorf("%s were held: once settled, the value is %q, and then %q", name, got, again)
		}
	}
}

// slow has all answers take longer than TryTimeout: a retry gets more time, and nothing is written twice.
func slow(t *testing.T, e Engine) {
	at := e.Shared(t)
	p := proxyOf(t, at)
	var doubts, unknown atomic.Int64
	s := mustOpen(t, at, Options{Through: p, TryTimeout: 60 * time.Millisecond, Meters: kv.Meters{Doubt: func(known bool) {
		doubts.Add(1)
		if !known {
			unknown.Add(1)
		}
	}}})
	defer s.Close()
	if was, err := Add(t.Context(), s, Key("n")); err != nil || was != 0 { // while answers are fast
		t.Fatalf("the first increment: was %d, %v", was, err)
	}
	p.Delay(90 * time.Millisecond)
	const n = 2
	for i := range n {
		if was, err := Add(t.Context(), s, Key("n")); err != nil || was != uint64(i+1) {
			t.Fatalf("increment %d: was %d, %v", i+1, was, err)
		}
	}
	p.Delay(0)
	if doubts.Load() < n || unknown.Load() > 0 {
		t.Errorf("%d commits in doubt, %d of them unknown; want %d or more, all settled", doubts.Load(), unknown.Load(), n)
	}
}

// compaction drops the history below a watcher that has stopped, and below a view.
func compaction(t *testing.T, e Engine) {
	at := e.Shared(t)
	s := mustOpen(t, at, Options{})
	defer s.Close()
	since := Revision(t, s)
	for n := range 500 {
		if _, err := Add(t.Context(), s, Key(fmt.Sprint(n%3))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.View(t.Context(), func(r kv.Reader) error {
		r.Revision() // is that of the whole View from now on
		if _, err := Add(t.Context(), s, Key("0")); err != nil {
			return err
		}
		at.Forget(t, Revision(t, s))
		for range 1000 { // a member of a cluster may learn of it later
			if _, err := r.Get(Key("0")); err != nil {
				return err
			}
		}
		return nil
	}); !errors.Is(err, kv.ErrCompacted) {
		t.Errorf("View = %v, want ErrCompacted", err)
	}
	var got error
	for _, err := range s.Watch(t.Context(), nil, since) {
		got = err
	}
	if !errors.Is(got, kv.ErrCompacted) {
		t.Errorf("Watch = %v, want ErrCompacted", got)
	}
	if was, err := Add(t.Context(), s, Key("0")); err != nil || was == 0 {
		t.Errorf("after it an increment finds %d, %v", was, err)
	}
}

// proxyOf starts a proxy to the server of a place.
func proxyOf(t *testing.T, at Place) *Proxy {
	network, address := at.Server()
	return NewProxy(t, network, address)
}

// mustOpen opens a store that must open. The test closes it.
func mustOpen(t *testing.T, at Place, o Options) kv.Store {
	t.Helper()
	s, err := at.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Key returns a key.
func Key(rest string) []byte { return []byte("s\x00" + rest) }

// Add adds one to a number and returns what it was.
func Add(ctx context.Context, s kv.Store, k []byte) (was uint64, err error) {
	err = s.Update(ctx, func(tx kv.Tx) error {
		was = 0
		v, err := tx.Get(k)
		if err != nil {
			return err
		}
		if v != nil {
			was = binary.BigEndian.Uint64(v)
		}
		tx.Put(k, binary.BigEndian.AppendUint64(nil, was+1))
		return nil
	})
	return was, err
}

// Read returns a value.
func Read(t testing.TB, s kv.Store, k []byte) (value []byte) {
	t.Helper()
	if err := s.View(t.Context(), func(r kv.Reader) error {
		v, err := r.Get(k)
		value = bytes.Clone(v)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return value
}

// Revision returns the revision of the newest snapshot.
func Revision(t testing.TB, s kv.Store) (r kv.Revision) {
	t.Helper()
	if err := s.View(t.Context(), func(v kv.Reader) error { r = v.Revision(); return nil }); err != nil {
		t.Fatal(err)
	}
	return r
}

// Wait waits, for as long as a fault lasts.
func Wait(d time.Duration) { <-time.NewTimer(d).C }
