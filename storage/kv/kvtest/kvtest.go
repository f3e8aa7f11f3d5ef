// Package kvtest is the contract that every engine of kv must pass.
package kvtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/storage/kv"
)

// A Reopener is a store that can be closed and opened again. It must not have changed then.
type Reopener interface {
	Reopen() error
}

// Reopening opens a new store that can be closed and opened again, by open.
func Reopening(t testing.TB, open func() (kv.Store, error)) kv.Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return &reopening{s, open}
}

type reopening struct {
	kv.Store
	open func() (kv.Store, error)
}

// Reopen implements Reopener.
func (r *reopening) Reopen() error {
	if err := r.Close(); err != nil {
		return err
	}
	s, err := r.open()
	if err == nil {
		r.Store = s
	}
	return err
}

// Run runs the whole contract. open returns a new, empty store; the contract closes it.
func Run(t *testing.T, open func(t *testing.T) kv.Store) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, kv.Store)
	}{
		{"a value reads back", readsBack},
		{"keys and values that break the rules are refused", refusesRules},
		{"a transaction reads its own writes", readsOwnWrites},
		{"a transaction that fails leaves no trace", leavesNoTrace},
		{"a failed transaction takes no other with it", failsAlone},
		{"many values at once", readsMany},
		{"scans in both directions", scans},
		{"a scan may write", scanAndWrite},
		{"a prefix is deleted", deletesPrefix},
		{"a snapshot stays as it is", snapshots},
		{"a view doesn't wait for a transaction", viewDoesNotWait},
		{"increments from everywhere add up", increments},
		{"no write skew", noWriteSkew},
		{"an ended context does nothing", endedContext},
		{"nothing after Close", closed},
		{"watch from a revision", watches},
		{"a watch misses nothing and repeats nothing", watchesAll},
		{"a watch begun in the midst of writes", watchesFromAView},
		{"a watch that is too slow is told", slowWatch},
		{"a watch ends with its context and with the store", watchEnds},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			tt.test(t, s)
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	t.Run("any sequence of transactions", func(t *testing.T) { anySequence(t, open) })
}

// key returns a key in section "s".
func key(rest string) []byte { return []byte("s\x00" + rest) }

// tb is what helpers need of a test, which may be rapid's.
type tb interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// update runs a transaction that must work.
func update(t tb, s kv.Store, change func(kv.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), change); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// put writes one value.
func put(t tb, s kv.Store, k []byte, value string) {
	t.Helper()
	update(t, s, func(tx kv.Tx) error { tx.Put(k, []byte(value)); return nil })
}

// get returns a value as text, "-" if there is none.
func get(t tb, r kv.Reader, k []byte) string {
	t.Helper()
	v, err := r.Get(k)
	if err != nil {
		t.Errorf("Get(%q): %v", k, err)
	}
	if v == nil {
		return "-"
	}
	return string(v)
}

// view reads one value.
func view(t tb, s kv.Store, k []byte) (value string) {
	t.Helper()
	if err := s.View(t.Context(), func(r kv.Reader) error { value = get(t, r, k); return nil }); err != nil {
		t.Fatalf("View: %v", err)
	}
	return value
}

// list returns what a scan yields as text.
func list(t tb, pairs iter.Seq2[kv.Pair, error]) string {
	t.Helper()
	var all []string
	for p, err := range pairs {
		if err != nil {
			t.Errorf("Scan: %v", err)
			break
		}
		all = append(all, fmt.Sprintf("%s=%s", strings.ReplaceAll(string(p.Key), "\x00", "/"), p.Value))
	}
	return strings.Join(all, " ")
}

// everything returns all that is in a store.
func everything(t tb, s kv.Store) (all string) {
	t.Helper()
	if err := s.View(t.Context(), func(r kv.Reader) error { all = list(t, r.Scan(kv.Range{})); return nil }); err != nil {
		t.Fatalf("View: %v", err)
	}
	return all
}

func readsBack(t *testing.T, s kv.Store) {
	long := bytes.Repeat([]byte("k"), kv.MaxKey)
	copy(long, "s\x00")
	large := string(bytes.Repeat([]byte("v"), kv.MaxValue))
	for _, p := range []struct {
		key   []byte
		value string
	}{
		{key("a"), "1"}, {key("empty"), ""}, {[]byte("t\x00\x00"), "zero"}, {[]byte("\xff\x00\xff"), "high"}, {long, "long"}, {key("large"), large},
	} {
		put(t, s, p.key, p.value)
		if got := view(t, s, p.key); got != p.value {
			t.Errorf("%.20q is %.20q, want %.20q", p.key, got, p.value)
		}
	}
	put(t, s, key("a"), "2")
	if got := view(t, s, key("a")); got != "2" {
		t.Errorf("a is %q after it was written again", got)
	}
	update(t, s, func(tx kv.Tx) error { tx.Delete(key("a")); tx.Delete(key("never")); return nil })
	if got := view(t, s, key("a")); got != "-" {
		t.Errorf("a is %q after it was deleted", got)
	}
	buffer := key("b")
	update(t, s, func(tx kv.Tx) error { tx.Put(buffer, buffer); buffer[2] = 'c'; return nil })
	if b, c := view(t, s, key("b")), view(t, s, key("c")); b != "s\x00b" || c != "-" {
		t.Errorf("b is %q and c is %q: Put has not copied", b, c)
	}
}

// readsMany reads more keys than an engine asks for in one request, with others that are missing, written by the transaction itself, or
// can't be there.
func readsMany(t *testing.T, s kv.Store) {
	const n = 2500
	name := func(i int) []byte { return key(fmt.Sprintf("%04d", i)) }
	update(t, s, func(tx kv.Tx) error {
		for i := range n {
			if i%2 == 0 {
				tx.Put(name(i), fmt.Append(nil, i))
			}
		}
		tx.Put([]byte("t\x00a"), []byte("t"))
		return nil
	})
	var keys [][]byte
	for i := range n {
		keys = append(keys, name(i))
	}
	keys = append(keys, []byte("no section"), nil, name(2), []byte("t\x00a"), name(2))
	check := func(r kv.Reader, want func(i int) string) {
		t.Helper()
		for _, asked := range [][][]byte{nil, keys[:1], keys[n-12:]} {
			values, err := r.GetAll(asked)
			if err != nil || len(values) != len(asked) {
				t.Fatalf("GetAll of %d keys = %d values, %v", len(asked), len(values), err)
			}
			for i, v := range values {
				if (v != nil) != (get(t, r, asked[i]) != "-") || v != nil && string(v) != get(t, r, asked[i]) {
					t.Errorf("GetAll(%q) = %q, Get says %q", asked[i], v, get(t, r, asked[i]))
				}
			}
		}
		values, err := r.GetAll(keys[:n])
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if string(v) != want(i) {
				t.Fatalf("%q is %q, want %q", keys[i], v, want(i))
			}
		}
	}
	stored := func(i int) string {
		if i%2 == 0 {
			return fmt.Sprint(i)
		}
		return ""
	}
	if err := s.View(t.Context(), func(r kv.Reader) error { check(r, stored); return nil }); err != nil {
		t.Error(err)
	}
	update(t, s, func(tx kv.Tx) error {
		for i := range n {
			switch i % 6 {
			case 1:
				tx.Put(name(i), []byte("new"))
			case 2:
				tx.Delete(name(i))
			}
		}
		if err := tx.DeletePrefix([]byte("t\x00")); err != nil {
			return err
		}
		check(tx, func(i int) string {
			switch i % 6 {
			case 1:
				return "new"
			case 2:
				return ""
			}
			return stored(i)
		})
		return nil
	})
}

func refusesRules(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "1")
	for name, write := range map[string]func(kv.Tx){
		"no key":        func(tx kv.Tx) { tx.Put(nil, nil) },
		"no separator":  func(tx kv.Tx) { tx.Put([]byte("s"), nil) },
		"no section":    func(tx kv.Tx) { tx.Put([]byte("\x00a"), nil) },
		"no rest":       func(tx kv.Tx) { tx.Put([]byte("s\x00"), nil) },
		"a long key":    func(tx kv.Tx) { tx.Put(key(strings.Repeat("k", kv.MaxKey)), nil) },
		"a large value": func(tx kv.Tx) { tx.Put(key("b"), make([]byte, kv.MaxValue+1)) },
		"a bad delete":  func(tx kv.Tx) { tx.Delete([]byte("s")) },
	} {
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("x"), nil)
			write(tx)
			tx.Put(key("y"), nil)
			return nil
		})
		if !errors.Is(err, kv.ErrInvalid) || everything(t, s) != "s/a=1" {
			t.Errorf("%s: %v, and the store has %q", name, err, everything(t, s))
		}
	}
	if err := s.View(t.Context(), func(r kv.Reader) error {
		for _, k := range []string{"", "s", "\x00", "s\x00", "s\x00" + strings.Repeat("k", 2*kv.MaxKey), "nothing\x00a"} {
			if got := get(t, r, []byte(k)); got != "-" {
				t.Errorf("Get(%.20q) = %q", k, got)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func readsOwnWrites(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "1")
	put(t, s, key("b"), "2")
	update(t, s, func(tx kv.Tx) error {
		tx.Put(key("a"), []byte("3"))
		tx.Delete(key("b"))
		tx.Put(key("c"), nil)
		tx.Put(key("d"), []byte("4"))
		tx.Delete(key("d"))
		if got := get(t, tx, key("a")) + get(t, tx, key("b")) + get(t, tx, key("c")) + get(t, tx, key("d")); got != "3--" {
			t.Errorf("a, b, c, d are %q", got)
		}
		if got := list(t, tx.Scan(kv.Range{})); got != "s/a=3 s/c=" {
			t.Errorf("a scan finds %q", got)
		}
		return nil
	})
	if got := everything(t, s); got != "s/a=3 s/c=" {
		t.Errorf("afterwards: %q", got)
	}
}

func leavesNoTrace(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "1")
	refused := errors.New("refused")
	for name, end := range map[string]struct {
		change func() error
		want   error
	}{
		"an error": {func() error { return refused }, refused},
		"a panic":  {func() error { panic("on purpose") }, kv.ErrDamaged},
	} {
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("a"), []byte("2"))
			tx.Put(key("b"), nil)
			if err := tx.DeletePrefix([]byte("s\x00")); err != nil {
				t.Error(err)
			}
			return end.change()
		})
		if !errors.Is(err, end.want) || everything(t, s) != "s/a=1" {
			t.Errorf("%s: Update = %v, and the store has %q", name, err, everything(t, s))
		}
	}
	for name, read := range map[string]func(kv.Reader) error{
		"an error": func(kv.Reader) error { return refused },
		"a panic":  func(kv.Reader) error { panic("on purpose") },
	} {
		if err := s.View(t.Context(), read); err == nil || view(t, s, key("a")) != "1" {
			t.Errorf("%s in a view: %v", name, err)
		}
	}
}

// together runs transactions at the same time and returns their errors.
func together(s kv.Store, ctx context.Context, changes []func(kv.Tx) error) []error {
	errs := make([]error, len(changes))
	var all sync.WaitGroup
	for i, change := range changes {
		all.Go(func() { errs[i] = s.Update(ctx, change) })
	}
	all.Wait()
	return errs
}

func failsAlone(t *testing.T, s kv.Store) {
	refused := errors.New("refused")
	var changes []func(kv.Tx) error
	for i := range 300 {
		changes = append(changes, func(tx kv.Tx) error {
			tx.Put(key(fmt.Sprintf("%03d", i)), nil)
			tx.Put(key("shared"), fmt.Appendf(nil, "%d", i))
			switch i % 3 {
			case 1:
				return refused
			case 2:
				panic("on purpose")
			}
			return nil
		})
	}
	for i, err := range together(s, t.Context(), changes) {
		if want := []error{nil, refused, kv.ErrDamaged}[i%3]; !errors.Is(err, want) {
			t.Errorf("transaction %d: %v, want %v", i, err, want)
		}
		if got := view(t, s, key(fmt.Sprintf("%03d", i))); (got == "") != (i%3 == 0) {
			t.Errorf("transaction %d left %q", i, got)
		}
	}
	var last int
	if _, err := fmt.Sscan(view(t, s, key("shared")), &last); err != nil || last%3 != 0 {
		t.Errorf("a failed transaction wrote %d, %v", last, err)
	}
}

// scans compares scans of every range of a few keys with a plain list, below and above the writes of a transaction.
func scans(t *testing.T, s kv.Store) {
	all := []string{"a\x00\x00", "a\x00b", "a\x00b\x00", "a\x00b\x00c", "a\x00\xff", "a-b\x00x", "ab\x00a", "ab\x00b", "b\x00\xff\xff"}
	bounds := append([]string{"", "a", "a\x00", "a\x01", "a\x00b\x00b", "ab", "ab\x00", "ab\x01", "b", "c", "\xff"}, all...)
	for stored := range 3 { // how many of three keys are stored, the others are written by the transaction
		update(t, s, func(tx kv.Tx) error {
			for _, k := range all {
				tx.Delete([]byte(k))
			}
			for i, k := range all {
				if i%3 <= stored {
					tx.Put([]byte(k), []byte("old"))
				}
			}
			return nil
		})
		update(t, s, func(tx kv.Tx) error {
			var have []string
			for i, k := range all {
				switch {
				case i%3 > stored:
					tx.Put([]byte(k), []byte("new"))
				case i%4 == 3:
					tx.Delete([]byte(k))
					continue
				case i%4 == 2:
					tx.Put([]byte(k), []byte("newer"))
				}
				have = append(have, k)
			}
			compareScans(t, tx, have, bounds)
			return nil
		})
		if err := s.View(t.Context(), func(r kv.Reader) error {
			var have []string
			for i, k := range all {
				if i%3 > stored || i%4 != 3 {
					have = append(have, k)
				}
			}
			compareScans(t, r, have, bounds)
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// compareScans scans all ranges between bounds, and all prefixes, in both directions.
func compareScans(t *testing.T, r kv.Reader, have, bounds []string) {
	t.Helper()
	check := func(what string, g kv.Range, in func(k string) bool) {
		t.Helper()
		want := slices.DeleteFunc(slices.Sorted(slices.Values(have)), func(k string) bool { return !in(k) })
		if g.Reverse {
			slices.Reverse(want)
		}
		var got []string
		for p, err := range r.Scan(g) {
			if err != nil {
				t.Errorf("%s: %v", what, err)
				return
			}
			if v := get(t, r, p.Key); v != string(p.Value) {
				t.Errorf("%s: %q is %q, Get says %q", what, p.Key, p.Value, v)
			}
			got = append(got, string(p.Key))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if len(want) > 1 { // and break off
			for p, err := range r.Scan(g) {
				if err != nil || string(p.Key) != want[0] {
					t.Errorf("%s begins with %q, %v", what, p.Key, err)
				}
				break
			}
		}
	}
	bytesOf := func(s string) []byte {
		if s == "" {
			return nil
		}
		return []byte(s)
	}
	for _, reverse := range []bool{false, true} {
		for _, from := range bounds {
			g := kv.Prefix(bytesOf(from))
			g.Reverse = reverse
			check(fmt.Sprintf("prefix %q, reverse %t", from, reverse), g, func(k string) bool { return strings.HasPrefix(k, from) })
			for _, to := range bounds {
				check(fmt.Sprintf("%q to %q, reverse %t", from, to, reverse), kv.Range{From: bytesOf(from), To: bytesOf(to), Reverse: reverse},
					func(k string) bool { return k >= from && (to == "" || k < to) })
				for _, expect := range []int{-1, 1, 2, math.MaxInt} {
					check(fmt.Sprintf("%q to %q, reverse %t, %d expected", from, to, reverse, expect),
						kv.Range{From: bytesOf(from), To: bytesOf(to), Reverse: reverse, Expect: expect}, func(k string) bool { return k >= from && (to == "" || k < to) })
				}
			}
		}
	}
}

// scanAndWrite writes keys while a scan goes on: the present key, keys before it and keys after it. The scan must go on in order, yield
// each key once, and yield no key that was removed before.
func scanAndWrite(t *testing.T, s kv.Store) {
	const n = 100
	name := func(i int) []byte { return key(fmt.Sprintf("%02d", i)) }
	for _, reverse := range []bool{false, true} {
		for _, stored := range []bool{true, false} { // by an earlier transaction, or by this one
			fill := func(tx kv.Tx) {
				for i := range n {
					tx.Put(name(i), []byte("old"))
				}
			}
			if stored {
				update(t, s, func(tx kv.Tx) error { fill(tx); return nil })
			}
			update(t, s, func(tx kv.Tx) error {
				if !stored {
					fill(tx)
				}
				var last []byte
				seen := 0
				for p, err := range tx.Scan(kv.Range{From: name(0), To: key(":"), Reverse: reverse}) {
					if err != nil {
						return err
					}
					if last != nil && (bytes.Compare(p.Key, last) < 0) != reverse || bytes.Equal(p.Key, last) {
						t.Errorf("reverse %t, stored %t: %q comes after %q", reverse, stored, p.Key, last)
						return nil
					}
					last = p.Key
					i := int(p.Key[2]-'0')*10 + int(p.Key[3]-'0')
					tx.Put(p.Key, []byte("new"))
					for _, j := range []int{i - 2, i + 2} {
						if j >= 0 && j < n {
							tx.Delete(name(j))
						}
					}
					seen++
				}
				if seen != n/2 {
					t.Errorf("reverse %t, stored %t: %d keys, want %d: two of each four", reverse, stored, seen, n/2)
				}
				return tx.DeletePrefix([]byte("s\x00"))
			})
		}
	}
}

func deletesPrefix(t *testing.T, s kv.Store) {
	all := []string{"a\x00x", "a\x00xy", "a\x00xyz", "a\x00y", "ab\x00x"}
	for _, prefix := range []string{"a\x00", "a\x00x", "a\x00xyz", "a\x00z", "nothing\x00"} {
		update(t, s, func(tx kv.Tx) error {
			for _, k := range all {
				tx.Put([]byte(k), nil)
			}
			return nil
		})
		want := slices.DeleteFunc(slices.Clone(all), func(k string) bool { return strings.HasPrefix(k, prefix) })
		check := func(r kv.Reader) {
			var got []string
			for p := range r.Scan(kv.Range{}) {
				got = append(got, string(p.Key))
			}
			if !slices.Equal(got, want) {
				t.Errorf("without %q: %q, want %q", prefix, got, want)
			}
		}
		update(t, s, func(tx kv.Tx) error {
			tx.Put([]byte("a\x00xnew"), nil)
			if prefix != "a\x00" && prefix != "a\x00x" {
				tx.Delete([]byte("a\x00xnew"))
			}
			err := tx.DeletePrefix([]byte(prefix))
			check(tx)
			return err
		})
		if err := s.View(t.Context(), func(r kv.Reader) error { check(r); return nil }); err != nil {
			t.Error(err)
		}
	}
}

func snapshots(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "1")
	put(t, s, key("b"), "1")
	if err := s.View(t.Context(), func(r kv.Reader) error {
		before := r.Revision()
		for n := range 50 {
			errs := together(s, t.Context(), []func(kv.Tx) error{func(tx kv.Tx) error {
				tx.Put(key("a"), fmt.Appendf(nil, "%d", n))
				tx.Delete(key("b"))
				tx.Put(key(fmt.Sprint("c", n)), make([]byte, 1000))
				return nil
			}})
			if errs[0] != nil {
				return errs[0]
			}
			if got := list(t, r.Scan(kv.Range{})); got != "s/a=1 s/b=1" || r.Revision() != before {
				t.Fatalf("the snapshot has become %q, revision %d, was %d", got, r.Revision(), before)
			}
		}
		return s.View(t.Context(), func(newer kv.Reader) error {
			if got := get(t, newer, key("a")); got != "49" || newer.Revision() <= before {
				t.Errorf("a newer view finds %q at revision %d after %d", got, newer.Revision(), before)
			}
			return nil
		})
	}); err != nil {
		t.Error(err)
	}
	// Transactions change two keys together: no view may find them different.
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.Update(t.Context(), func(tx kv.Tx) error {
				tx.Put(key("a"), fmt.Appendf(nil, "%d", n))
				tx.Put([]byte("t\x00a"), fmt.Appendf(nil, "%d", n))
				return nil
			}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 200 {
				_ = s.View(t.Context(), func(r kv.Reader) error {
					if a, b := get(t, r, key("a")), get(t, r, []byte("t\x00a")); a != b && b != "-" {
						t.Errorf("a view finds %q and %q", a, b)
					}
					return nil
				})
			}
		})
	}
	readers.Wait()
	close(stop)
	writer.Wait()
}

func viewDoesNotWait(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "1")
	began, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var writer sync.WaitGroup
	writer.Go(func() {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(key("a"), []byte("2"))
			once.Do(func() { close(began) })
			<-goOn
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-began
	if got := view(t, s, key("a")); got != "1" { // hangs here if views wait
		t.Errorf("a is %q before the transaction is over", got)
	}
	close(goOn)
	writer.Wait()
	if got := view(t, s, key("a")); got != "2" {
		t.Errorf("a is %q afterwards", got)
	}
}

func increments(t *testing.T, s kv.Store) {
	var changes []func(kv.Tx) error
	const n = 300
	read := func(i int, tx kv.Tx) ([]byte, error) {
		if i%2 == 0 {
			return tx.Get(key("count"))
		}
		all, err := tx.GetAll([][]byte{key("other"), key("count")})
		if err != nil {
			return nil, err
		}
		return all[1], nil
	}
	for i := range n {
		changes = append(changes, func(tx kv.Tx) error {
			v, err := read(i, tx)
			if err != nil {
				return err
			}
			var count uint64
			if v != nil {
				count = binary.BigEndian.Uint64(v)
			}
			tx.Put(key("count"), binary.BigEndian.AppendUint64(nil, count+1))
			tx.Put(key(fmt.Sprintf("n%d", count)), nil)
			return nil
		})
	}
	if err := errors.Join(together(s, t.Context(), changes)...); err != nil {
		t.Fatal(err)
	}
	if got := view(t, s, key("count")); binary.BigEndian.Uint64([]byte(got)) != n {
		t.Errorf("%d after %d increments", binary.BigEndian.Uint64([]byte(got)), n)
	}
	for i := range n {
		if got := view(t, s, key(fmt.Sprintf("n%d", i))); got != "" {
			t.Errorf("number %d was never seen", i)
		}
	}
}

// noWriteSkew has transactions that each keep a rule by a scan and would break it together: at most ten keys.
func noWriteSkew(t *testing.T, s kv.Store) {
	full := errors.New("full")
	var changes []func(kv.Tx) error
	for i := range 100 {
		changes = append(changes, func(tx kv.Tx) error {
			n := 0
			for _, err := range tx.Scan(kv.Prefix(key("seat"))) {
				if err != nil {
					return err
				}
				n++
			}
			if n >= 10 {
				return full
			}
			tx.Put(key(fmt.Sprint("seat", i)), nil)
			return nil
		})
	}
	took := 0
	for _, err := range together(s, t.Context(), changes) {
		switch {
		case err == nil:
			took++
		case !errors.Is(err, full):
			t.Error(err)
		}
	}
	if got := strings.Count(everything(t, s), "seat"); took != 10 || got != 10 {
		t.Errorf("%d transactions went through and %d keys are there, want 10", took, got)
	}
}

func endedContext(t *testing.T, s kv.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, func(tx kv.Tx) error { tx.Put(key("a"), nil); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Update = %v", err)
	}
	if err := s.View(ctx, func(kv.Reader) error { t.Error("the view was run"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("View = %v", err)
	}
	if got := everything(t, s); got != "" {
		t.Errorf("the store has %q", got)
	}
}

func closed(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "1")
	if r, ok := s.(Reopener); ok {
		before := revision(t, s)
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		if got := everything(t, s); got != "s/a=1" || revision(t, s) < before {
			t.Errorf("opened again, the store has %q at revision %d, was %d", got, revision(t, s), before)
		}
		put(t, s, key("a"), "2")
		if after := revision(t, s); after <= before {
			t.Errorf("revision %d after %d", after, before)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(tx kv.Tx) error { t.Error("the transaction was run"); return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Update = %v", err)
	}
	if err := s.View(t.Context(), func(kv.Reader) error { t.Error("the view was run"); return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("View = %v", err)
	}
}

// revision returns the revision of the newest snapshot.
func revision(t tb, s kv.Store) (r kv.Revision) {
	t.Helper()
	if err := s.View(t.Context(), func(v kv.Reader) error { r = v.Revision(); return nil }); err != nil {
		t.Fatalf("View: %v", err)
	}
	return r
}

// collect takes n changes from a watch.
func collect(t *testing.T, s kv.Store, prefix string, after kv.Revision, n int) (all []kv.Change) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for c, err := range s.Watch(ctx, []byte(prefix), after) {
		if err != nil {
			t.Fatalf("Watch: %v after %d changes, want %d", err, len(all), n)
		}
		if all = append(all, c); len(all) == n {
			break
		}
	}
	return all
}

// text returns changes in one line: a + stands for More.
func text(changes []kv.Change) string {
	var all []string
	for _, c := range changes {
		v := "-"
		if c.Value != nil {
			v = string(c.Value)
		}
		if c.More {
			v += "+"
		}
		all = append(all, strings.ReplaceAll(string(c.Key), "\x00", "/")+"="+v)
	}
	return strings.Join(all, " ")
}

func watches(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "before")
	start := revision(t, s)
	update(t, s, func(tx kv.Tx) error {
		tx.Put(key("c"), []byte("1"))
		tx.Put(key("b"), []byte("0"))
		tx.Put(key("b"), []byte("1"))
		tx.Put([]byte("t\x00a"), []byte("1"))
		tx.Put(key("brief"), nil)
		tx.Delete(key("brief"))
		tx.Delete(key("never"))
		tx.Delete(key("a"))
		return nil
	})
	middle := revision(t, s)
	_ = s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(key("refused"), nil); return errors.New("refused") })
	put(t, s, key("b"), "2")
	put(t, s, []byte("t\x00b"), "2")
	update(t, s, func(tx kv.Tx) error { tx.Put(key("e"), nil); return tx.DeletePrefix(key("b")) })
	for _, tt := range []struct {
		prefix string
		after  kv.Revision
		want   string
	}{
		{"s\x00", start, "s/a=-+ s/b=1+ s/c=1 s/b=2 s/b=-+ s/e="},
		{"", start, "s/a=-+ s/b=1+ s/c=1+ t/a=1 s/b=2 t/b=2 s/b=-+ s/e="},
		{"s\x00b", start, "s/b=1 s/b=2 s/b=-"},
		{"t\x00", start, "t/a=1 t/b=2"},
		{"s\x00", middle, "s/b=2 s/b=-+ s/e="},
	} {
		n := strings.Count(tt.want, "=")
		all := collect(t, s, tt.prefix, tt.after, n)
		if got := text(all); got != tt.want {
			t.Errorf("%q after %d: %s, want %s", tt.prefix, tt.after, got, tt.want)
		}
		at := tt.after
		for i, c := range all {
			if c.Revision < at || (i > 0 && all[i-1].More) != (i > 0 && c.Revision == all[i-1].Revision) || i == 0 && c.Revision == at {
				t.Errorf("%q after %d: change %d has revision %d", tt.prefix, tt.after, i, c.Revision)
			}
			at = c.Revision
		}
		if now := revision(t, s); at > now {
			t.Errorf("the last change has revision %d, the store %d", at, now)
		}
	}
	const many = 2000
	at := revision(t, s)
	update(t, s, func(tx kv.Tx) error {
		for i := range many {
			tx.Put(fmt.Appendf(nil, "s\x00large%04d", i), nil)
		}
		return nil
	})
	put(t, s, key("last"), "")
	for i, c := range collect(t, s, "s\x00", at, many+1) {
		if c.More != (i < many-1) || i < many && string(c.Key) != fmt.Sprintf("s\x00large%04d", i) {
			t.Fatalf("change %d of a large transaction is of %q, more %t", i, c.Key, c.More)
		}
	}
}

// watchesAll has writers write numbers, and watchers that stop and go on from where they were.
func watchesAll(t *testing.T, s kv.Store) {
	const writers, each = 8, 100
	start := revision(t, s)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				if err := s.Update(t.Context(), func(tx kv.Tx) error {
					tx.Put(key(fmt.Sprint(w)), fmt.Appendf(nil, "%d", n))
					return nil
				}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for pause := range 3 {
		all.Go(func() {
			next := map[string]int{}
			at, seen := start, 0
			for seen < writers*each {
				for c, err := range s.Watch(t.Context(), []byte("s\x00"), at) {
					if err != nil {
						t.Errorf("Watch: %v", err)
						return
					}
					if want := fmt.Sprint(next[string(c.Key)]); string(c.Value) != want || c.Revision <= at || c.More {
						t.Errorf("%q is %s at revision %d after %d, want %s", c.Key, c.Value, c.Revision, at, want)
						return
					}
					next[string(c.Key)]++
					at = c.Revision
					if seen++; seen == writers*each || pause > 0 && seen%(37*pause) == 0 {
						break
					}
				}
			}
		})
	}
	all.Wait()
}

// watchesFromAView reads a sum and watches it from there: nothing may be missed or counted twice.
func watchesFromAView(t *testing.T, s kv.Store) {
	const n = 300
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range n {
			if err := s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(key(fmt.Sprint(i)), nil); return nil }); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 5 {
		seen := map[string]bool{}
		var at kv.Revision
		if err := s.View(t.Context(), func(r kv.Reader) error {
			at = r.Revision()
			for p, err := range r.Scan(kv.Prefix([]byte("s\x00"))) {
				if err != nil {
					return err
				}
				seen[string(p.Key)] = true
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(seen) < n {
			for _, c := range collect(t, s, "s\x00", at, n-len(seen)) {
				if seen[string(c.Key)] {
					t.Errorf("%q was there already at revision %d", c.Key, at)
				}
				seen[string(c.Key)] = true
			}
		}
		if len(seen) != n {
			t.Errorf("%d keys, want %d", len(seen), n)
		}
	}
	writer.Wait()
}

// slowWatch writes until a watcher that has stopped is told that it has missed something: memory is bounded.
func slowWatch(t *testing.T, s kv.Store) {
	start := revision(t, s)
	next, stop := iter.Pull2(s.Watch(t.Context(), nil, start))
	defer stop()
	put(t, s, key("first"), "")
	if c, err, ok := next(); !ok || err != nil || string(c.Key) != "s\x00first" {
		t.Fatalf("the first change is %q, %v", c.Key, err)
	}
	large := make([]byte, 1<<20)
	var last kv.Revision
	told := false
	for i := range 1000 {
		update(t, s, func(tx kv.Tx) error { large[0] = byte(i); tx.Put(key("large"), large); return nil })
		if i%50 < 49 {
			continue
		}
		for _, err := range s.Watch(t.Context(), nil, start) {
			told = errors.Is(err, kv.ErrCompacted)
			break
		}
		if told {
			break
		}
	}
	if !told {
		t.Fatal("a gigabyte of changes is kept")
	}
	for { // the slow one sees changes without a gap, then the error
		c, err, ok := next()
		if !ok {
			t.Fatal("the watch ended without an error")
		}
		if err != nil {
			if !errors.Is(err, kv.ErrCompacted) {
				t.Errorf("the watch ended with %v", err)
			}
			break
		}
		if last != 0 && c.Value[0] != byte(last) {
			t.Fatalf("change %d comes after %d", c.Value[0], last-1)
		}
		last = kv.Revision(c.Value[0]) + 1
	}
	at := revision(t, s)
	put(t, s, key("last"), "")
	if got := text(collect(t, s, "", at, 1)); got != "s/last=" {
		t.Errorf("a new watch sees %q", got)
	}
}

func watchEnds(t *testing.T, s kv.Store) {
	put(t, s, key("a"), "")
	at := revision(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	ends := make(chan error, 3)
	var all sync.WaitGroup
	watch := func(ctx context.Context) {
		all.Go(func() {
			var last error
			for _, err := range s.Watch(ctx, nil, at) {
				last = err
			}
			ends <- last
		})
	}
	watch(ctx)
	cancel()
	if err := <-ends; !errors.Is(err, context.Canceled) {
		t.Errorf("the watch ended with %v", err)
	}
	watch(t.Context())
	watch(t.Context())
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ends; !errors.Is(err, kv.ErrClosed) {
			t.Errorf("the watch ended with %v", err)
		}
	}
	all.Wait()
}

// anySequence makes random transactions and compares everything with a plain map.
func anySequence(t *testing.T, open func(t *testing.T) kv.Store) {
	keys := rapid.SampledFrom([]string{"a\x00a", "a\x00aa", "a\x00b", "b\x00a", "b\x00\xff", "b\x00\xff\xff", "ba\x00a"})
	prefixes := rapid.SampledFrom([]string{"a\x00", "a\x00a", "b\x00", "b\x00\xff", "ba\x00"})
	rapid.Check(t, func(r *rapid.T) {
		s := open(t)
		defer func() {
			if err := s.Close(); err != nil {
				r.Errorf("Close: %v", err)
			}
		}()
		model := map[string]string{}
		refused := errors.New("refused")
		type step struct {
			kind       int
			key, value string
		}
		start := revision(r, s)
		watched := maps.Clone(model)
		r.Repeat(map[string]func(*rapid.T){
			"transaction": func(r *rapid.T) {
				steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
					kind := rapid.IntRange(0, 2).Draw(r, "kind")
					k := keys
					if kind == 2 {
						k = prefixes
					}
					return step{kind, k.Draw(r, "key"), rapid.StringN(0, 3, -1).Draw(r, "value")}
				}), 1, 5).Draw(r, "steps")
				fails := rapid.IntRange(0, 4).Draw(r, "fails") == 0
				next := map[string]string{}
				err := s.Update(r.Context(), func(tx kv.Tx) error {
					next = maps.Clone(model)
					for _, st := range steps {
						switch st.kind {
						case 0:
							tx.Put([]byte(st.key), []byte(st.value))
							next[st.key] = st.value
						case 1:
							tx.Delete([]byte(st.key))
							delete(next, st.key)
						case 2:
							if err := tx.DeletePrefix([]byte(st.key)); err != nil {
								return err
							}
							maps.DeleteFunc(next, func(k, _ string) bool { return strings.HasPrefix(k, st.key) })
						}
						compareModel(r, tx, next)
					}
					if fails {
						return refused
					}
					return nil
				})
				if fails != errors.Is(err, refused) || !fails && err != nil {
					r.Fatalf("Update = %v", err)
				}
				if !fails {
					model = next
				}
			},
			"reopen": func(r *rapid.T) {
				if again, ok := s.(Reopener); ok {
					start, watched = revision(r, s), maps.Clone(model)
					if err := again.Reopen(); err != nil {
						r.Fatal(err)
					}
				}
			},
			"": func(r *rapid.T) {
				if err := s.View(r.Context(), func(v kv.Reader) error { compareModel(r, v, model); return nil }); err != nil {
					r.Fatal(err)
				}
			},
		})
		// What a watcher is told makes the same map of what there was.
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		update(r, s, func(tx kv.Tx) error { tx.Put([]byte("z\x00end"), nil); return nil })
		for c, err := range s.Watch(ctx, nil, start) {
			if err != nil {
				r.Fatalf("Watch: %v", err)
			}
			if string(c.Key) == "z\x00end" {
				break
			}
			if c.Value == nil {
				if _, ok := watched[string(c.Key)]; !ok {
					r.Fatalf("%q was removed and was not there", c.Key)
				}
				delete(watched, string(c.Key))
			} else {
				watched[string(c.Key)] = string(c.Value)
			}
		}
		if !maps.Equal(watched, model) {
			r.Fatalf("a watcher has %q, want %q", watched, model)
		}
	})
}

// compareModel compares all that is there with a map, both ways round.
func compareModel(r *rapid.T, v kv.Reader, model map[string]string) {
	for _, reverse := range []bool{false, true} {
		want := slices.Sorted(maps.Keys(model))
		if reverse {
			slices.Reverse(want)
		}
		var got []string
		for p, err := range v.Scan(kv.Range{Reverse: reverse}) {
			if err != nil {
				r.Fatal(err)
			}
			if string(p.Value) != model[string(p.Key)] {
				r.Fatalf("%q is %q, want %q", p.Key, p.Value, model[string(p.Key)])
			}
			got = append(got, string(p.Key))
		}
		if !slices.Equal(got, want) {
			r.Fatalf("a scan finds %q, want %q", got, want)
		}
	}
	keys := [][]byte{[]byte("s\x00never there")}
	for k := range model {
		keys = append(keys, []byte(k))
	}
	values, err := v.GetAll(keys)
	if err != nil {
		r.Fatal(err)
	}
	for i, b := range values {
		if value, ok := model[string(keys[i])]; string(b) != value || ok != (b != nil) {
			r.Fatalf("GetAll finds %q under %q, want %q", b, keys[i], value)
		}
	}
	for k, value := range model {
		if b, err := v.Get([]byte(k)); err != nil || b == nil || string(b) != value {
			r.Fatalf("Get(%q) = %q, %v, want %q", k, b, err, value)
		}
	}
}
