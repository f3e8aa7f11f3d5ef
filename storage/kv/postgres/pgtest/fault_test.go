package pgtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/kv/postgres/pgserver"
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

func revision(t testing.TB, s kv.Store) (r kv.Revision) {
	t.Helper()
	if err := s.View(t.Context(), func(v kv.Reader) error { r = v.Revision(); return nil }); err != nil {
		t.Fatal(err)
	}
	return r
}

func wait(d time.Duration) { <-time.NewTimer(d).C }

// TestConflictStorm has eight nodes add to two numbers, all at the same time.
func TestConflictStorm(t *testing.T) {
	o := shared.options()
	const nodes, each = 8, 25
	var all sync.WaitGroup
	began := time.Now()
	for range nodes {
		all.Go(func() {
			s, err := postgres.Open(context.Background(), o)
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

// TestPhantoms has two nodes each keep a rule by a scan, which removals and additions of others must not slip past.
func TestPhantoms(t *testing.T) {
	o := shared.options()
	a, b := openAt(t, o), openAt(t, o)
	defer a.Close()
	defer b.Close()
	for _, n := range []int{3, 100} {
		for name, tt := range map[string]struct {
			meddle func(kv.Tx) error
			runs   int
		}{
			"appears":          {func(tx kv.Tx) error { tx.Put(key("05x"), nil); return nil }, 2},
			"appears in front": {func(tx kv.Tx) error { tx.Put(key("0"), nil); return nil }, 2},
			"changes":          {func(tx kv.Tx) error { tx.Put(key("01"), []byte("other")); return nil }, 2},
			"vanishes":         {func(tx kv.Tx) error { tx.Delete(key("01")); return nil }, 2},
			"all vanish":       {func(tx kv.Tx) error { return tx.DeletePrefix(key("0")) }, 2},
			"stays":            {func(tx kv.Tx) error { tx.Put([]byte("t\x00a"), nil); return nil }, 1},
			"never was":        {func(tx kv.Tx) error { tx.Delete(key("never")); return nil }, 1},
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

// An appender appends to one log from several nodes, and checks that what was acknowledged is there, once and in order.
type appender struct {
	stores       []*postgres.Store
	acknowledged [6]map[uint64]string // by writer: by the number that the transaction saw, what it wrote
	doubts       atomic.Int64
	longest      atomic.Int64 // nanoseconds
	stop         context.CancelFunc
	all          sync.WaitGroup
}

func startAppender(t *testing.T, o postgres.Options) *appender {
	a := &appender{}
	ctx, cancel := context.WithCancel(context.Background())
	a.stop = cancel
	for range 3 {
		a.stores = append(a.stores, openAt(t, o))
	}
	for w := range a.acknowledged {
		a.acknowledged[w] = map[uint64]string{}
		a.all.Go(func() {
			s := a.stores[w%len(a.stores)]
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
				a.longest.Store(max(a.longest.Load(), int64(time.Since(began))))
				switch {
				case err == nil:
					a.acknowledged[w][at] = mark
				case errors.Is(err, kv.ErrCommit):
					a.doubts.Add(1)
				case !errors.Is(err, postgres.ErrUnavailable) && !errors.Is(err, postgres.ErrConflict):
					t.Error(err)
				}
			}
		})
	}
	return a
}

// check ends the writers and compares.
func (a *appender) check(t *testing.T) {
	t.Helper()
	a.stop()
	a.all.Wait()
	defer func() {
		for _, s := range a.stores {
			s.Close()
		}
	}()
	var log []string
	if err := a.stores[0].View(t.Context(), func(r kv.Reader) error {
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
	for _, of := range a.acknowledged {
		for at, mark := range of {
			n++
			if at >= uint64(len(log)) || log[at] != mark {
				t.Errorf("%s was acknowledged as entry %d and is not there", mark, at)
			}
		}
	}
	if n < 100 || len(log) < n || len(log) > n+int(a.doubts.Load()) {
		t.Errorf("%d acknowledged, %d in doubt, and %d in the log", n, a.doubts.Load(), len(log))
	}
	t.Logf("%d acknowledged, %d in doubt, %d in the log; the longest took %v", n, a.doubts.Load(), len(log), time.Duration(a.longest.Load()))
}

// TestServerKilled kills the server again and again while nodes append to a log.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	s := another(t)
	a := startAppender(t, s.options())
	for range 3 {
		wait(time.Second)
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		wait(300 * time.Millisecond)
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	wait(time.Second)
	a.check(t)
}

// TestConnectionsCut cuts all connections again and again, most in the middle of a commit.
func TestConnectionsCut(t *testing.T) {
	t.Parallel()
	o := shared.options()
	p := newProxy(t, shared)
	o.Address = p.address()
	a := startAppender(t, o)
	for n := range 40 {
		wait(50 * time.Millisecond)
		p.hold(n%3 == 1, n%3 == 2) // requests, or answers, are lost with the connections
		wait(5 * time.Millisecond)
		p.cut()
		p.hold(false, false)
	}
	wait(time.Second)
	a.check(t)
}

// A proxy stands between stores and a server.
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

func newProxy(t *testing.T, to *server) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to.Socket(), asks: make(chan struct{}), answers: make(chan struct{})}
	close(p.asks)
	close(p.answers)
	p.all.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			onward, err := net.Dial("unix", p.to)
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

func (p *proxy) address() string {
	return fmt.Sprintf("postgres://%s@%s/postgres?sslmode=disable", pgserver.Superuser, p.listener.Addr())
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

// hold holds requests and answers back from now on, or lets them through.
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

// TestDoubt takes the answers of the server away while it commits: the caller gets kv.ErrCommit, and so does everyone until the
// outcome is known.
func TestDoubt(t *testing.T) {
	t.Parallel()
	o := shared.options()
	p := newProxy(t, shared)
	direct := openAt(t, o)
	defer direct.Close()
	o.Address, o.TryTimeout, o.RequestTimeout = p.address(), 200*time.Millisecond, 600*time.Millisecond
	s := openAt(t, o)
	defer s.Close()
	for name, held := range map[string][2]bool{"answers": {false, true}, "requests": {true, false}} {
		if _, err := add(t.Context(), s, key("first")); err != nil { // a commit that has yet to connect is not in doubt
			t.Fatal(err)
		}
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

// TestLateCommit holds a commit back until its store has called it off and is closed: what was called off stays so.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	o := shared.options()
	direct := openAt(t, o)
	defer direct.Close()
	for n := range 5 {
		late := newProxy(t, shared)
		o.Address = late.address() + "&connect_timeout=1"
		o.TryTimeout, o.RequestTimeout = 100*time.Millisecond, 300*time.Millisecond
		s := openAt(t, o)
		if _, err := add(t.Context(), s, key("first")); err != nil {
			t.Fatal(err)
		}
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("blind"), fmt.Appendf(nil, "old %d", n))
			late.hold(true, false)
			return nil
		})
		if !errors.Is(err, kv.ErrCommit) {
			t.Fatalf("round %d: %v, want ErrCommit", n, err)
		}
		held := late.asks
		late.mu.Lock()
		late.asks = late.answers // new connections go through, and what is held stays so
		late.mu.Unlock()
		newer := fmt.Appendf(nil, "newer %d", n)
		if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(key("blind"), newer); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		close(held)
		wait(50 * time.Millisecond)
		if got := read(t, direct, key("blind")); !bytes.Equal(got, newer) {
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
		if was, err := add(t.Context(), s, key("n")); err != nil || was != uint64(i) {
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
	if _, err := add(t.Context(), s, key("n")); err != nil {
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
		_, err := add(context.Background(), s, key("n"))
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
	wait(time.Second)
	if err := server.Promote(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("an update that waited for the promotion: %v", err)
	}
	if err := <-opened; err != nil {
		t.Errorf("an Open that waited for the promotion: %v", err)
	}
	if got := binary.BigEndian.Uint64(read(t, s, key("n"))); got != 2 {
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
		_, err = add(t.Context(), s, key("n"))
		wait(10 * time.Millisecond)
	}
	if !errors.Is(err, postgres.ErrReadOnly) || !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("Update = %v, want ErrReadOnly", err)
	}
}
