package etcdtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/kv/faulttest"
)

// A place implements faulttest.Place.
type place struct{ options etcd.Options }

// Open implements faulttest.Place.
func (p place) Open(with faulttest.Options) (kv.Store, error) {
	o := p.options
	if with.Through != nil {
		o.Endpoints = []string{with.Through.Address()}
	}
	o.TryTimeout, o.RequestTimeout, o.Meters = with.TryTimeout, with.RequestTimeout, with.Meters
	return etcd.Open(context.Background(), o)
}

// Server implements faulttest.Place.
func (p place) Server() (network, address string) { return "tcp", p.options.Endpoints[0] }

// Forget implements faulttest.Place.
func (p place) Forget(t *testing.T, upTo kv.Revision) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: p.options.Endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Compact(t.Context(), int64(upTo)); err != nil {
		t.Fatal(err)
	}
}

// A crashing place implements faulttest.Crashing.
type crashing struct {
	place
	processes *processes
}

// Crash implements faulttest.Crashing.
func (c crashing) Crash(t *testing.T) (restart func()) {
	t.Helper()
	i := c.processes.killLeader(t)
	return func() {
		if err := <-c.processes.start(t, i); err != nil {
			t.Fatal(err)
		}
	}
}

// underTest returns how the engine is tested.
func underTest() faulttest.Engine {
	return faulttest.Engine{
		Shared: func(*testing.T) faulttest.Place { return place{shared.options()} },
		Own: func(t *testing.T) faulttest.Crashing {
			p := startProcesses(t)
			return crashing{place{etcd.Options{Endpoints: p.endpoints, Namespace: "/own/"}}, p}
		},
		Unavailable: etcd.ErrUnavailable,
		Sections:    true,
	}
}

func TestFaults(t *testing.T) { faulttest.Run(t, underTest()) }

func TestLongFaults(t *testing.T) {
	t.Parallel()
	faulttest.RunLong(t, underTest())
}

// TestWatchesOfALostCluster: watches that nobody answers for a while leave no stream behind for each attempt.
func TestWatchesOfALostCluster(t *testing.T) {
	o := shared.options()
	p := faulttest.NewProxy(t, "tcp", o.Endpoints[0])
	o.Endpoints, o.TryTimeout = []string{p.Address()}, 20*time.Millisecond
	s := openAt(t, o)
	defer s.Close()
	const watches = 3
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	since := faulttest.Revision(t, s)
	for range watches {
		all.Go(func() {
			for range s.Watch(ctx, faulttest.Key("n"), since) {
			}
		})
	}
	before := streamsThatWait()
	p.Close()
	faulttest.Wait(2 * time.Second) // some 20 attempts of each watch
	if n := streamsThatWait() - before; n > 2*watches+4 {
		t.Errorf("%d streams wait for the cluster that %d watches have begun", n, watches)
	}
}

// streamsThatWait returns how many requests and streams of clients wait for a connection.
func streamsThatWait() int {
	b := make([]byte, 16<<20)
	return strings.Count(string(b[:runtime.Stack(b, true)]), "pickerWrapper).pick(")
}

// TestLateCommit holds requests back, or answers, on the way to one of two members. What went through without an answer is not
// written twice, and what arrives after the transaction ran again by way of the other member is not written at all.
func TestLateCommit(t *testing.T) {
	o := shared.options()
	late, direct := faulttest.NewProxy(t, "tcp", o.Endpoints[0]), faulttest.NewProxy(t, "tcp", o.Endpoints[1])
	o.Endpoints = []string{late.Address(), direct.Address()}
	o.TryTimeout, o.RequestTimeout, o.PingEvery = 50*time.Millisecond, 5*time.Second, 20*time.Millisecond
	s := openAt(t, o)
	defer s.Close()
	waitHealthy := func() { // so that requests go to the first member again
		for since := time.Now(); ; faulttest.Wait(time.Millisecond) {
			if h := s.Health(); h.At.After(since) && h.Reachable == 2 {
				return
			}
		}
	}
	const rounds = 9
	for n := range rounds {
		waitHealthy()
		runs := 0
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			v, err := tx.Get(faulttest.Key("n"))
			if err != nil {
				return err
			}
			var was uint64
			if v != nil {
				was = binary.BigEndian.Uint64(v)
			}
			tx.Put(faulttest.Key("n"), binary.BigEndian.AppendUint64(nil, was+1))
			runs++
			late.Hold(runs == 1 && n%3 == 0, runs == 1 && n%3 > 0)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		late.Hold(false, false)
	}
	if got := binary.BigEndian.Uint64(faulttest.Read(t, s, faulttest.Key("n"))); got != rounds {
		t.Errorf("%d after %d increments", got, rounds)
	}
	// Transactions that read nothing compare nothing but their slot.
	start := faulttest.Revision(t, s)
	write := func(n int, during func()) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(faulttest.Key("blind"), fmt.Appendf(nil, "%08d", n))
			during()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range rounds {
		waitHealthy()
		runs := 0
		write(2*n, func() {
			if runs++; runs == 1 {
				late.Hold(true, false)
			}
		})
		write(2*n+1, func() {}) // by way of the other member
		late.Hold(false, false)
		faulttest.Wait(5 * time.Millisecond)
	}
	write(2*rounds, func() {})
	last := ""
	for c, err := range s.Watch(t.Context(), faulttest.Key("blind"), start) {
		if err != nil {
			t.Fatal(err)
		}
		if string(c.Value) <= last {
			t.Errorf("%s comes after %s", c.Value, last)
		}
		if last = string(c.Value); last == fmt.Sprintf("%08d", 2*rounds) {
			break
		}
	}
}

// TestLateCommitOfAClosedStore holds the first request of a store back until the store is closed: what was called off stays so.
func TestLateCommitOfAClosedStore(t *testing.T) {
	o := shared.options()
	direct := openAt(t, o)
	defer direct.Close()
	late := faulttest.NewProxy(t, "tcp", o.Endpoints[0])
	o.Endpoints[0] = late.Address()
	o.TryTimeout, o.PingEvery = time.Second, time.Hour // Open must not find the first member too slow: it would stay out of order
	for n := range 5 {
		s := openAt(t, o)
		runs := 0
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(faulttest.Key("blind"), fmt.Appendf(nil, "old %d", n))
			runs++
			late.Hold(true, false)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		newer := fmt.Appendf(nil, "newer %d", n)
		if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key("blind"), newer); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		late.Hold(false, false)
		faulttest.Wait(50 * time.Millisecond)
		if got := faulttest.Read(t, direct, faulttest.Key("blind")); runs < 2 || !bytes.Equal(got, newer) {
			t.Errorf("round %d, after %d runs: the value is %q, want %q", n, runs, got, newer)
		}
	}
}

// TestLargeValues: parts appear with their value, go when they are of no use, and a transaction that is too large leaves no trace.
func TestLargeValues(t *testing.T) {
	o := shared.options()
	s := openAt(t, o)
	defer s.Close()
	random := rand.NewChaCha8([32]byte{})
	value := func(size int) []byte { b := make([]byte, size); _, _ = random.Read(b); return b }
	many := map[string][]byte{}
	for i := range 40 {
		many[fmt.Sprint(i)] = value(i * 10_000)
	}
	before := faulttest.Revision(t, s)
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		for k, v := range many {
			tx.Put(faulttest.Key(k), v)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for k, v := range many {
		if !bytes.Equal(faulttest.Read(t, s, faulttest.Key(k)), v) {
			t.Errorf("value %s is another one", k)
		}
	}
	next, stop := iter.Pull2(s.Watch(t.Context(), nil, before))
	defer stop()
	for range many {
		c, err, _ := next()
		if err != nil || !bytes.Equal(c.Value, many[string(c.Key[2:])]) {
			t.Fatalf("a watcher sees %q, %v", c.Key, err)
		}
	}
	if n := count(t, o, "c"); n < 30 {
		t.Errorf("%d parts", n)
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error { return tx.DeletePrefix(faulttest.Key("1")) }); err != nil {
		t.Fatal(err)
	}
	now := faulttest.Revision(t, s)
	if _, err := s.Sweep(t.Context(), now); err != nil {
		t.Error(err)
	}
	for k, v := range many {
		if k[0] == '1' {
			v = nil
		}
		if !bytes.Equal(faulttest.Read(t, s, faulttest.Key(k)), v) {
			t.Errorf("after a sweep, value %s is another one", k)
		}
	}
	left := count(t, o, "c")
	for name, change := range map[string]func(kv.Tx){
		"too many keys": func(tx kv.Tx) {
			for i := range etcd.MaxOps {
				tx.Put(faulttest.Key(fmt.Sprint("k", i)), nil)
			}
		},
		"too long keys": func(tx kv.Tx) {
			for i := range 500 {
				tx.Put(append(faulttest.Key(fmt.Sprintf("k%04d", i)), make([]byte, 4000)...), nil)
			}
		},
	} {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(faulttest.Key("large"), make([]byte, 3<<20))
			change(tx)
			return nil
		}); !errors.Is(err, etcd.ErrTooLarge) || !errors.Is(err, kv.ErrInvalid) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
		if v := faulttest.Read(t, s, faulttest.Key("large")); v != nil || count(t, o, "c") != left {
			t.Errorf("%s: a transaction that is too large left %d bytes and %d parts, were %d", name, len(v), count(t, o, "c"), left)
		}
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error { return tx.DeletePrefix([]byte("s\x00")) }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sweep(t.Context(), faulttest.Revision(t, s)); err != nil || count(t, o, "c") != 0 {
		t.Errorf("%d parts of nothing are left, %v", count(t, o, "c"), err)
	}
}

// count returns how many keys there are of one kind, behind the store's back.
func count(t *testing.T, o etcd.Options, kind string) int {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: o.Endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answer, err := c.Get(t.Context(), o.Namespace+kind, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		t.Fatal(err)
	}
	return int(answer.Count)
}

// BenchmarkAppend is an append with a compare, as for a move: a number is read, and it and an event are written.
func BenchmarkAppend(b *testing.B) {
	s := openAt(b, shared.options())
	defer s.Close()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := faulttest.Add(b.Context(), s, faulttest.Key("n")); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
