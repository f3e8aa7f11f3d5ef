package etcdtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
)

func key(rest string) []byte { return []byte("s\x00" + rest) }

// add adds one to a number and returns what it was.
func add(ctx context.Context, s kv.Store, k []byte) (was uint64, err error) {
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

func read(t testing.TB, s kv.Store, k []byte) (value []byte) {
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

// TestConflictStorm has eight nodes add to two numbers, all at the same time.
func TestConflictStorm(t *testing.T) {
	o := shared.options()
	const nodes, each = 8, 25
	var all sync.WaitGroup
	began := time.Now()
	for range nodes {
		all.Go(func() {
			s, err := etcd.Open(context.Background(), o)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for n := range each {
				if _, err := add(t.Context(), s, key(fmt.Sprint(n%2))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d conflicting transactions of %d nodes took %v", nodes*each, nodes, time.Since(began))
	s := openAt(t, o)
	defer s.Close()
	sum := binary.BigEndian.Uint64(read(t, s, key("0"))) + binary.BigEndian.Uint64(read(t, s, key("1")))
	if sum != nodes*each {
		t.Errorf("%d after %d increments", sum, nodes*each)
	}
}

// TestPhantoms has two nodes each keep a rule by a long scan, which removals and additions of others must not slip past.
func TestPhantoms(t *testing.T) {
	o := shared.options()
	a, b := openAt(t, o), openAt(t, o)
	defer a.Close()
	defer b.Close()
	for _, n := range []int{3, 100} { // short scans and long ones are compared differently
		for name, meddle := range map[string]func(kv.Tx) error{
			"appears":          func(tx kv.Tx) error { tx.Put(key("05x"), nil); return nil },
			"appears in front": func(tx kv.Tx) error { tx.Put(key("0"), nil); return nil },
			"changes":          func(tx kv.Tx) error { tx.Put(key("01"), []byte("other")); return nil },
			"vanishes":         func(tx kv.Tx) error { tx.Delete(key("01")); return nil },
			"all vanish":       func(tx kv.Tx) error { return tx.DeletePrefix(key("0")) },
		} {
			for _, reverse := range []bool{false, true} {
				if err := a.Update(t.Context(), func(tx kv.Tx) error {
					if err := tx.DeletePrefix(key("")); err != nil {
						return err
					}
					for i := range n {
						tx.Put(key(fmt.Sprintf("%02d", i)), nil)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				runs := 0
				if err := a.Update(t.Context(), func(tx kv.Tx) error {
					r := kv.Prefix(key(""))
					r.Reverse = reverse
					for _, err := range tx.Scan(r) {
						if err != nil {
							return err
						}
					}
					if runs++; runs == 1 {
						if err := b.Update(t.Context(), meddle); err != nil {
							t.Error(err)
						}
					}
					tx.Put([]byte("t\x00result"), nil)
					return nil
				}); err != nil || runs != 2 {
					t.Errorf("of %d keys, reverse %t, a key %s: %d runs, %v; want 2", n, reverse, name, runs, err)
				}
			}
		}
	}
}

// TestLeaderKilled kills the leader again and again while nodes append to logs. What was acknowledged is there, once and in order.
func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	p := startProcesses(t)
	o := etcd.Options{Endpoints: p.endpoints, Namespace: "/killed/"}
	const writers = 6
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	var acknowledged [writers]map[uint64]string // by the number that the transaction saw: what it wrote
	var doubts, longest atomic.Int64
	var stores []*etcd.Store
	for range 3 {
		stores = append(stores, openAt(t, o))
	}
	defer func() {
		for _, s := range stores {
			s.Close()
		}
	}()
	for w := range writers {
		acknowledged[w] = map[uint64]string{}
		all.Go(func() {
			s := stores[w%len(stores)]
			for n := 0; ctx.Err() == nil; n++ {
				mark, at, began := fmt.Sprint(w, "-", n), uint64(0), time.Now()
				err := s.Update(context.Background(), func(tx kv.Tx) error {
					at = 0
					v, err := tx.Get(key("count"))
					if err != nil {
						return err
					}
					if v != nil {
						at = binary.BigEndian.Uint64(v)
					}
					tx.Put(key("count"), binary.BigEndian.AppendUint64(nil, at+1))
					tx.Put([]byte("log\x00"+fmt.Sprintf("%08d", at)), []byte(mark))
					return nil
				})
				longest.Store(max(longest.Load(), int64(time.Since(began))))
				switch {
				case err == nil:
					acknowledged[w][at] = mark
				case errors.Is(err, kv.ErrCommit):
					doubts.Add(1)
				case !errors.Is(err, etcd.ErrUnavailable) && !errors.Is(err, etcd.ErrConflict):
					t.Error(err)
				}
			}
		})
	}
	for range 3 {
		wait(time.Second)
		i := p.killLeader(t)
		wait(1500 * time.Millisecond)
		if err := <-p.start(t, i); err != nil {
			t.Fatal(err)
		}
	}
	wait(time.Second)
	cancel()
	all.Wait()
	var log []string
	if err := stores[0].View(t.Context(), func(r kv.Reader) error {
		log = nil
		for p, err := range r.Scan(kv.Prefix([]byte("log\x00"))) {
			if err != nil {
				return err
			}
			if at, err := strconv.Atoi(string(p.Key[4:])); err != nil || at != len(log) {
				t.Fatalf("%q comes after %d entries", p.Key, len(log))
			}
			log = append(log, string(p.Value))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for at, mark := range log {
		if seen[mark] {
			t.Errorf("%s is in the log twice, last at %d", mark, at)
		}
		seen[mark] = true
	}
	n := 0
	for _, of := range acknowledged {
		for at, mark := range of {
			n++
			if at >= uint64(len(log)) || log[at] != mark {
				t.Errorf("%s was acknowledged as entry %d and is not there", mark, at)
			}
		}
	}
	if n < 100 || len(log) < n || len(log) > n+int(doubts.Load()) {
		t.Errorf("%d acknowledged, %d in doubt, and %d in the log", n, doubts.Load(), len(log))
	}
	t.Logf("%d acknowledged, %d in doubt, %d in the log; the longest took %v", n, doubts.Load(), len(log), time.Duration(longest.Load()))
}

func wait(d time.Duration) { <-time.NewTimer(d).C }

// A proxy stands between a store and one member.
type proxy struct {
	listener net.Listener
	to       string
	all      sync.WaitGroup

	mu          sync.Mutex
	connections []net.Conn
	delay       time.Duration // before each answer is passed on
	asks        chan struct{} // closed while requests go through
	answers     chan struct{} // closed while answers go through
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, asks: make(chan struct{}), answers: make(chan struct{})}
	close(p.asks)
	close(p.answers)
	p.all.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			onward, err := net.Dial("tcp", to)
			if err != nil {
				from.Close()
				continue
			}
			p.mu.Lock()
			p.connections = append(p.connections, from, onward)
			p.mu.Unlock()
			p.all.Go(func() { p.copy(onward, from, &p.asks) })
			p.all.Go(func() { p.copy(from, onward, &p.answers) })
		}
	})
	t.Cleanup(func() {
		p.hold(false, false)
		l.Close()
		p.cut()
		p.all.Wait()
	})
	return p
}

func (p *proxy) copy(to io.WriteCloser, from io.Reader, open *chan struct{}) {
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		through, delay := *open, p.delay
		p.mu.Unlock()
		<-through
		if open == &p.answers {
			wait(delay)
		}
		if _, e := to.Write(b[:n]); e != nil || err != nil {
			return
		}
	}
}

// hold reports whether requests and answers are held back from now on.
func (p *proxy) hold(asks, answers bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set := func(through *chan struct{}, hold bool) {
		open := true
		select {
		case <-*through:
		default:
			open = false
		}
		switch {
		case hold && open:
			*through = make(chan struct{})
		case !hold && !open:
			close(*through)
		}
	}
	set(&p.asks, asks)
	set(&p.answers, answers)
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.connections {
		c.Close()
	}
	p.connections = nil
}

// TestWatchesOfALostCluster: watches that nobody answers for a while leave no stream behind for each attempt.
func TestWatchesOfALostCluster(t *testing.T) {
	o := shared.options()
	p := newProxy(t, o.Endpoints[0])
	o.Endpoints, o.TryTimeout = []string{p.listener.Addr().String()}, 20*time.Millisecond
	s := openAt(t, o)
	defer s.Close()
	const watches = 3
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	since := revision(t, s)
	for range watches {
		all.Go(func() {
			for range s.Watch(ctx, key("n"), since) {
			}
		})
	}
	before := streamsThatWait()
	p.listener.Close()
	p.cut()
	wait(2 * time.Second) // some 20 attempts of each watch
	if n := streamsThatWait() - before; n > 2*watches+4 {
		t.Errorf("%d streams wait for the cluster that %d watches have begun", n, watches)
	}
}

// streamsThatWait returns how many requests and streams of clients wait for a connection.
func streamsThatWait() int {
	b := make([]byte, 16<<20)
	return strings.Count(string(b[:runtime.Stack(b, true)]), "pickerWrapper).pick(")
}

// TestSlow has all answers take longer than TryTimeout: a retry gets more time, and nothing is written twice.
func TestSlow(t *testing.T) {
	o := shared.options()
	p := newProxy(t, o.Endpoints[0])
	o.Endpoints, o.TryTimeout = []string{p.listener.Addr().String()}, 100*time.Millisecond
	var doubts, unknown atomic.Int64
	o.Meters.Doubt = func(known bool) {
		doubts.Add(1)
		if !known {
			unknown.Add(1)
		}
	}
	s := openAt(t, o)
	defer s.Close()
	p.mu.Lock()
	p.delay = 150 * time.Millisecond
	p.mu.Unlock()
	const n = 2
	for i := range n {
		if was, err := add(t.Context(), s, key("n")); err != nil || was != uint64(i) {
			t.Fatalf("increment %d: was %d, %v", i, was, err)
		}
	}
	p.mu.Lock()
	p.delay = 0
	p.mu.Unlock()
	if doubts.Load() < n || unknown.Load() > 0 {
		t.Errorf("%d commits in doubt, %d of them unknown; want %d or more, all settled", doubts.Load(), unknown.Load(), n)
	}
}

// TestDoubt takes the answers of etcd away while it commits: the caller gets kv.ErrCommit, and so does everyone until the
// outcome is known.
func TestDoubt(t *testing.T) {
	o := shared.options()
	p := newProxy(t, o.Endpoints[0])
	direct := openAt(t, o)
	defer direct.Close()
	o.Endpoints, o.TryTimeout, o.RequestTimeout = []string{p.listener.Addr().String()}, 200*time.Millisecond, 600*time.Millisecond
	s := openAt(t, o)
	defer s.Close()
	for name, held := range map[string][2]bool{"answers": {false, true}, "requests": {true, false}} {
		k := key(name)
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			if _, err := tx.Get(k); err != nil {
				return err
			}
			tx.Put(k, []byte("1"))
			p.hold(held[0], held[1])
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
		if took := time.Since(began); took > 3*o.RequestTimeout {
			t.Errorf("%s are held: six calls took %v, want some %v", name, took, o.RequestTimeout)
		}
		p.cut()
		p.hold(false, false)
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
		if again := read(t, direct, k); !bytes.Equal(again, got) {
			t.Errorf("%s were held: once settled, the value is %q, and then %q", name, got, again)
		}
	}
}

// TestLateCommit holds requests back, or answers, on the way to one of two members. What went through without an answer is not
// written twice, and what arrives after the transaction ran again by way of the other member is not written at all.
func TestLateCommit(t *testing.T) {
	o := shared.options()
	late, direct := newProxy(t, o.Endpoints[0]), newProxy(t, o.Endpoints[1])
	o.Endpoints = []string{late.listener.Addr().String(), direct.listener.Addr().String()}
	o.TryTimeout, o.RequestTimeout, o.PingEvery = 50*time.Millisecond, 5*time.Second, 20*time.Millisecond
	s := openAt(t, o)
	defer s.Close()
	waitHealthy := func() { // so that requests go to the first member again
		for since := time.Now(); ; wait(time.Millisecond) {
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
			v, err := tx.Get(key("n"))
			if err != nil {
				return err
			}
			var was uint64
			if v != nil {
				was = binary.BigEndian.Uint64(v)
			}
			tx.Put(key("n"), binary.BigEndian.AppendUint64(nil, was+1))
			runs++
			late.hold(runs == 1 && n%3 == 0, runs == 1 && n%3 > 0)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		late.hold(false, false)
	}
	if got := binary.BigEndian.Uint64(read(t, s, key("n"))); got != rounds {
		t.Errorf("%d after %d increments", got, rounds)
	}
	// Transactions that read nothing compare nothing but their slot.
	start := revision(t, s)
	write := func(n int, during func()) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("blind"), fmt.Appendf(nil, "%08d", n))
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
				late.hold(true, false)
			}
		})
		write(2*n+1, func() {}) // by way of the other member
		late.hold(false, false)
		wait(5 * time.Millisecond)
	}
	write(2*rounds, func() {})
	last := ""
	for c, err := range s.Watch(t.Context(), key("blind"), start) {
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
	late := newProxy(t, o.Endpoints[0])
	o.Endpoints[0] = late.listener.Addr().String()
	o.TryTimeout, o.PingEvery = 50*time.Millisecond, time.Hour
	for n := range 5 {
		s := openAt(t, o)
		runs := 0
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("blind"), fmt.Appendf(nil, "old %d", n))
			runs++
			late.hold(true, false)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		newer := fmt.Appendf(nil, "newer %d", n)
		if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(key("blind"), newer); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		late.hold(false, false)
		wait(50 * time.Millisecond)
		if got := read(t, direct, key("blind")); runs < 2 || !bytes.Equal(got, newer) {
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
	before := revision(t, s)
	if err := s.Update(t.Context(), func(tx kv.Tx) error {
		for k, v := range many {
			tx.Put(key(k), v)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for k, v := range many {
		if !bytes.Equal(read(t, s, key(k)), v) {
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
	if err := s.Update(t.Context(), func(tx kv.Tx) error { return tx.DeletePrefix(key("1")) }); err != nil {
		t.Fatal(err)
	}
	now := revision(t, s)
	if _, err := s.Sweep(t.Context(), now); err != nil {
		t.Error(err)
	}
	for k, v := range many {
		if k[0] == '1' {
			v = nil
		}
		if !bytes.Equal(read(t, s, key(k)), v) {
			t.Errorf("after a sweep, value %s is another one", k)
		}
	}
	left := count(t, o, "c")
	for name, change := range map[string]func(kv.Tx){
		"too many keys": func(tx kv.Tx) {
			for i := range etcd.MaxOps {
				tx.Put(key(fmt.Sprint("k", i)), nil)
			}
		},
		"too long keys": func(tx kv.Tx) {
			for i := range 500 {
				tx.Put(append(key(fmt.Sprintf("k%04d", i)), make([]byte, 4000)...), nil)
			}
		},
	} {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("large"), make([]byte, 3<<20))
			change(tx)
			return nil
		}); !errors.Is(err, etcd.ErrTooLarge) || !errors.Is(err, kv.ErrInvalid) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
		if v := read(t, s, key("large")); v != nil || count(t, o, "c") != left {
			t.Errorf("%s: a transaction that is too large left %d bytes and %d parts, were %d", name, len(v), count(t, o, "c"), left)
		}
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error { return tx.DeletePrefix([]byte("s\x00")) }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sweep(t.Context(), revision(t, s)); err != nil || count(t, o, "c") != 0 {
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

// TestCompaction drops the history below a watcher that has stopped, and below a view.
func TestCompaction(t *testing.T) {
	o := shared.options()
	s := openAt(t, o)
	defer s.Close()
	at := revision(t, s)
	for n := range 500 {
		if _, err := add(t.Context(), s, key(fmt.Sprint(n%3))); err != nil {
			t.Fatal(err)
		}
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: o.Endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := s.View(t.Context(), func(r kv.Reader) error {
		if _, err := add(t.Context(), s, key("0")); err != nil {
			return err
		}
		if _, err := c.Compact(t.Context(), int64(revision(t, s))); err != nil {
			return err
		}
		for range 1000 { // the member that is asked may learn of it later
			if _, err := r.Get(key("0")); err != nil {
				return err
			}
		}
		return nil
	}); !errors.Is(err, kv.ErrCompacted) {
		t.Errorf("View = %v, want ErrCompacted", err)
	}
	var got error
	for _, err := range s.Watch(t.Context(), nil, at) {
		got = err
	}
	if !errors.Is(got, kv.ErrCompacted) {
		t.Errorf("Watch = %v, want ErrCompacted", got)
	}
}

func revision(t testing.TB, s kv.Store) (r kv.Revision) {
	t.Helper()
	if err := s.View(t.Context(), func(v kv.Reader) error { r = v.Revision(); return nil }); err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkAppend is an append with a compare, as for a move: a number is read, and it and an event are written.
func BenchmarkAppend(b *testing.B) {
	s := openAt(b, shared.options())
	defer s.Close()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := add(b.Context(), s, key("n")); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
