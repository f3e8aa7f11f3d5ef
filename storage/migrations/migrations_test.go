package migrations

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/kv/kvtest"
)

// openEngine opens an engine on a new file; the test need not close it.
func openEngine(t testing.TB) *bolt.Store {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// run takes some steps.
func run(t *testing.T, engine kv.Store, steps []step) (from int, err error) {
	t.Helper()
	return runner{steps: steps, log: slog.New(slog.DiscardHandler), now: time.Now}.run(t.Context(), engine)
}

func TestRun(t *testing.T) {
	engine := openEngine(t)
	boom := errors.New("boom")
	fails := func(t *task) error { return errors.Join(makes("c")(t), boom) }
	first, second, third := makes("meta", "a"), makes("b"), makes("c")
	for _, tt := range []struct {
		name     string
		steps    []step
		want     error
		from     int
		sections string
	}{
		{"an empty file", []step{first}, nil, 0, "a meta"},
		{"nothing to do", []step{first}, nil, 1, "a meta"},
		{"the second step fails", []step{first, second, fails}, boom, 1, "a meta"},
		{"two steps at once", []step{first, second, third}, nil, 1, "a b c meta"},
		{"nothing to do again", []step{first, second, third}, nil, 3, "a b c meta"},
		{"an older program", []step{first, second}, ErrNewer, 3, "a b c meta"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, err := run(t, engine, tt.steps)
			if from != tt.from || !errors.Is(err, tt.want) {
				t.Errorf("from %d, %v, want from %d, %v", from, err, tt.from, tt.want)
			}
			var names []string
			if err := engine.View(t.Context(), func(r kv.Reader) (err error) {
				names, _, err = kv.SectionsOf(r)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(names, " "); got != tt.sections {
				t.Errorf("sections %q, want %q", got, tt.sections)
			}
		})
	}
}

// dump returns all that is in a store.
func dump(t *testing.T, engine kv.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := engine.View(t.Context(), func(r kv.Reader) error {
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

// under counts the entries of a section.
func under(all map[string]string, section string) (n int) {
	for key := range all {
		if strings.HasPrefix(key, section+"\x00") {
			n++
		}
	}
	return n
}

const large = 3000

// largeStore makes a store of schema 7, before summaries and the index of results.
func largeStore(t *testing.T) kv.Store {
	engine := openEngine(t)
	if _, err := run(t, engine, steps()[:7]); err != nil {
		t.Fatal(err)
	}
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range large {
			tx.Put(binary.BigEndian.AppendUint64(fmt.Appendf(nil, "logs\x00m%04d\x00", i), 1), seal(1, []byte("{}")))
			tx.Put(binary.BigEndian.AppendUint64([]byte("results\x00"), uint64(i+1)),
				seal(1, fmt.Appendf(nil, `{"m":"r%d","g":"tanks","f":"p%d","s":"q","r":"draw","t":0}`, i, i%50)))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return engine
}

// TestRunInSteps: a migration of a large store has no large transactions, and goes on where it was interrupted.
func TestRunInSteps(t *testing.T) {
	whole, broken := largeStore(t), largeStore(t)
	f := &kvtest.Feeble{Store: whole, Left: -1}
	if from, err := run(t, f, steps()); from != 7 || err != nil {
		t.Fatal(from, err)
	}
	t.Logf("at most %d reads and writes in a transaction", f.Largest)
	times := kvtest.UntilDone(t, broken, func(engine kv.Store) error {
		_, err := run(t, engine, steps())
		if _, older := run(t, broken, steps()[:20]); !errors.Is(older, ErrNewer) {
			t.Errorf("an older program gets %v", older)
		}
		return err
	})
	want, got := dump(t, whole), dump(t, broken)
	if !maps.Equal(got, want) || under(got, "summaries") != large || under(got, "result_index") != 3*large {
		t.Errorf("after %d interruptions there are %d entries, without %d", times, len(got), len(want))
	}
	if _, marked := got[string(markerKey)]; marked || times < 5 {
		t.Errorf("the store is marked %t after %d interruptions", marked, times)
	}
}

// TestLargeValues: a migration of large records writes little at a time, and leaves what it can't read as it is.
func TestLargeValues(t *testing.T) {
	engine := openEngine(t)
	if _, err := run(t, engine, steps()[:23]); err != nil {
		t.Fatal(err)
	}
	const n, size = 40, 100 << 10
	move := slices.Concat([]byte{1}, binary.AppendUvarint(nil, size), bytes.Repeat([]byte("m"), size), []byte{0})
	record := append([]byte("\x07{\"t\":1}"), move...)
	longer := fmt.Appendf(nil, "\x12{\"t\":1,\"l\":%d}%s", len("1. ")+size+len(" *\n"), move)
	key := func(i int) []byte { return fmt.Appendf(nil, "finished\x00m%04d", i) }
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			tx.Put(key(i), seal(3, record))
		}
		tx.Put(key(7), []byte("?"))
		tx.Put(key(8), seal(9, record))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	f := &kvtest.Feeble{Store: engine, Left: -1}
	if _, err := run(t, f, steps()); err != nil {
		t.Fatal(err)
	}
	if f.LargestBytes > stepBytes+2*size || f.LargestBytes < 3*size {
		t.Errorf("a transaction writes %d bytes", f.LargestBytes)
	}
	all := dump(t, engine)
	for i := range n {
		want := seal(7, longer)
		switch i {
		case 7:
			want = []byte("?")
		case 8:
			want = seal(9, record)
		}
		if all[string(key(i))] != string(want) {
			t.Errorf("record %d is not what it should be", i)
		}
	}
}

// TestProgress: the log says when a migration begins and ends, and how far it has come, a line every ten seconds.
func TestProgress(t *testing.T) {
	var log bytes.Buffer
	now, transactions := time.Unix(0, 0), -1 // the first look at the clock is before all of them
	r := runner{steps: steps(), log: slog.New(slog.NewTextHandler(&log, nil)), now: func() time.Time {
		transactions++
		now = now.Add(6 * time.Second)
		return now
	}}
	if _, err := r.run(t.Context(), largeStore(t)); err != nil {
		t.Fatal(err)
	}
	said := strings.Split(strings.TrimSpace(log.String()), "\n")
	for i, line := range said {
		want := `msg="the store is being migrated" part=`
		switch i {
		case 0:
			want = `msg="migrating the store" from=7 to=`
		case len(said) - 1:
			want = `msg="store migrated" from=7 to=`
		}
		if !strings.Contains(line, want) {
			t.Errorf("line %d is %q, want %q in it", i, line, want)
		}
	}
	if want := 2 + (transactions-1)/2; len(said) != want || want < 5 {
		t.Errorf("%d lines of %d transactions, want %d:\n%s", len(said), transactions, want, log.String())
	}
	log.Reset()
	if _, err := r.run(t.Context(), openEngine(t)); err != nil || log.Len() > 0 {
		t.Errorf("of a new store is said %q, %v", log.String(), err)
	}
}
