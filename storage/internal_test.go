package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

func openStore(t testing.TB, c Config) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "club.db"), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// put is a change that writes one name.
func put(name string) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error { return bucket(tx, names).Put([]byte(name), []byte("x")) }
}

func present(t *testing.T, s *Store, name string) bool {
	t.Helper()
	var found bool
	if err := s.view(t.Context(), func(tx *bbolt.Tx) error {
		found = bucket(tx, names).Get([]byte(name)) != nil
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// An operation that fails after its first write takes nobody with it and leaves nothing behind.
func TestHalfAnOperation(t *testing.T) {
	s := openStore(t, Config{})
	boom := errors.New("boom")
	for name, fail := range map[string]func(*bbolt.Tx) error{
		"an error":         func(tx *bbolt.Tx) error { put("half")(tx); return boom },
		"an error of bolt": func(tx *bbolt.Tx) error { put("half")(tx); return put("")(tx) },
		"a panic":          func(tx *bbolt.Tx) error { put("half")(tx); panic("page 7 already freed") },
	} {
		t.Run(name, func(t *testing.T) {
			batch := []*operation{}
			for _, apply := range []func(*bbolt.Tx) error{put("a"), fail, put("b"), fail, put("c")} {
				batch = append(batch, &operation{apply: apply, done: make(chan error, 1)})
			}
			want := []bool{true, false, true, false, true}
			inCommitter(t, s, batch)
			for i, op := range batch {
				if err := <-op.done; (err == nil) != want[i] {
					t.Errorf("operation %d: %v", i, err)
				}
			}
			if present(t, s, "half") || !present(t, s, "a") || !present(t, s, "b") || !present(t, s, "c") {
				t.Error("the wrong changes are there")
			}
		})
	}
}

// inCommitter lets the committer commit a batch as it is.
func inCommitter(t *testing.T, s *Store, batch []*operation) {
	t.Helper()
	close(s.quit)
	<-s.stopped
	s.commit(batch)
	s.quit, s.stopped = make(chan struct{}), make(chan struct{})
	go s.commitQueue()
}

// bbolt's own answer to a disk without room: the commit fails, the store goes on.
func TestFileMayNotGrow(t *testing.T) {
	s := openStore(t, Config{})
	if err := s.update(t.Context(), put("before")); err != nil {
		t.Fatal(err)
	}
	big := func(tx *bbolt.Tx) error {
		return bucket(tx, names).Put([]byte("big"), bytes.Repeat([]byte("x"), 32<<20))
	}
	s.db.MaxSize = 20 << 20
	for range 3 {
		if err := s.update(t.Context(), big); !errors.Is(err, ErrCommit) || !errors.Is(err, bolterrors.ErrMaxSizeReached) {
			t.Fatalf("update = %v, want ErrCommit with the cause", err)
		}
		if present(t, s, "big") || !present(t, s, "before") {
			t.Error("a failed commit changed something")
		}
		if err := s.update(t.Context(), put("small")); err != nil {
			t.Errorf("a small change: %v", err)
		}
	}
	s.db.MaxSize = 0
	if err := s.update(t.Context(), big); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if !present(t, s, "big") || !present(t, s, "small") {
		t.Error("a change is missing")
	}
}

func TestPanicInARead(t *testing.T) {
	s := openStore(t, Config{})
	err := s.view(t.Context(), func(*bbolt.Tx) error { panic("assertion failed: Page expected to be: 7") })
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("view = %v, want ErrDamaged", err)
	}
	if err := s.update(t.Context(), put("a")); err != nil || !present(t, s, "a") {
		t.Errorf("the store is no use afterwards: %v", err)
	}
}

// TestPlace: a file gets its name with and without links, and never that of another one.
func TestPlace(t *testing.T) {
	for name, link := range map[string]func(from, to string) error{
		"links":    os.Link,
		"no links": func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM} },
	} {
		t.Run(name, func(t *testing.T) {
			from, path := filepath.Join(t.TempDir(), "part"), filepath.Join(t.TempDir(), "whole")
			if err := os.WriteFile(from, []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := place(link, from, path); err != nil {
				t.Errorf("place = %v", err)
			}
			if b, err := os.ReadFile(path); string(b) != "new" || err != nil {
				t.Errorf("the file is %q, %v", b, err)
			}
			if err := os.WriteFile(from, []byte("newer"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("dear"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := place(link, from, path); !errors.Is(err, fs.ErrExist) {
				t.Errorf("place on a name that is taken = %v", err)
			}
			if b, err := os.ReadFile(path); string(b) != "dear" || err != nil {
				t.Errorf("the file that was there is %q, %v", b, err)
			}
			if err := place(link, from, filepath.Join(t.TempDir(), "nowhere", "whole")); err == nil || errors.Is(err, fs.ErrExist) {
				t.Errorf("place in no folder = %v", err)
			}
		})
	}
}

func TestMigrations(t *testing.T) {
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "club.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	boom := errors.New("boom")
	step := func(err error, names ...string) migration {
		return func(tx *bbolt.Tx) error { return errors.Join(createBuckets(tx, names...), err) }
	}
	first, second, third := step(nil, "meta", "a"), step(nil, "b"), step(nil, "c")
	for _, tt := range []struct {
		name    string
		steps   []migration
		want    error
		from    int
		buckets string
	}{
		{"an empty file", []migration{first}, nil, 0, "a meta"},
		{"nothing to do", []migration{first}, nil, 1, "a meta"},
		{"the second step fails", []migration{first, second, step(boom, "c")}, boom, 1, "a meta"},
		{"two steps at once", []migration{first, second, third}, nil, 1, "a b c meta"},
		{"nothing to do again", []migration{first, second, third}, nil, 3, "a b c meta"},
		{"an older program", []migration{first, second}, ErrNewer, 3, "a b c meta"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, err := migrate(db, tt.steps)
			if from != tt.from || !errors.Is(err, tt.want) {
				t.Errorf("migrate = from %d, %v, want from %d, %v", from, err, tt.from, tt.want)
			}
			var names []string
			db.View(func(tx *bbolt.Tx) error {
				return tx.ForEach(func(name []byte, _ *bbolt.Bucket) error { names = append(names, string(name)); return nil })
			})
			if got := strings.Join(names, " "); got != tt.buckets {
				t.Errorf("buckets %q, want %q", got, tt.buckets)
			}
		})
	}
}

func TestRecomputeMends(t *testing.T) {
	s := openStore(t, Config{Rate: func(a, b Rating, score float64, at time.Time) (Rating, Rating) {
		a.Rating, b.Rating, a.At, b.At = a.Rating+score, b.Rating+1-score, at, at
		return a, b
	}})
	at := time.UnixMilli(1_700_000_000_000).UTC()
	for i, result := range []string{"first", "draw", "second"} {
		f := Finished{
			ID: MatchID("m" + result), Game: "tanks", Result: result, Rated: true, Ended: at.Add(time.Duration(i) * time.Hour),
			First: Occupant{Kind: Person, ID: "ann"}, Second: Occupant{Kind: Person, ID: "bob"},
		}
		if err := s.update(t.Context(), func(tx *bbolt.Tx) error { _, _, err := s.rate(tx, f); return err }); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (all map[string]string) {
		all = map[string]string{}
		s.view(t.Context(), func(tx *bbolt.Tx) error {
			for _, b := range []string{results, changes, ratings} {
				bucket(tx, b).ForEach(func(k, v []byte) error { all[b+string(k)] = string(v); return nil })
			}
			return nil
		})
		return all
	}
	want := read()
	for name, spoil := range map[string]func(tx *bbolt.Tx) error{
		"nothing": func(tx *bbolt.Tx) error { return nil },
		"a wrong rating": func(tx *bbolt.Tx) error {
			return bucket(tx, ratings).Put([]byte("tanks\x00ann"), encodeRating(Rating{Rating: 7}))
		},
		"a rating missing": func(tx *bbolt.Tx) error { return bucket(tx, ratings).Delete([]byte("tanks\x00ann")) },
		"a rating of nobody": func(tx *bbolt.Tx) error {
			return bucket(tx, ratings).Put([]byte("tanks\x00cid"), encodeRating(Rating{Rating: 7}))
		},
		"a damaged rating": func(tx *bbolt.Tx) error { return bucket(tx, ratings).Put([]byte("tanks\x00bob"), []byte("?")) },
		"a wrong change": func(tx *bbolt.Tx) error {
			return bucket(tx, changes).Put(seqKey(2), encodeChanges([2]RatingChange{}))
		},
		"a change missing": func(tx *bbolt.Tx) error { return bucket(tx, changes).Delete(seqKey(3)) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.update(t.Context(), spoil); err != nil {
				t.Fatal(err)
			}
			report, err := s.Recompute(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wrong := len(report.Differed) + report.Matches
			if report.Results != 3 || report.Ratings != 2 || (wrong == 1) != (name != "nothing") {
				t.Errorf("report %+v", report)
			}
			if got := read(); len(got) != len(want) {
				t.Errorf("%d values, want %d", len(got), len(want))
			}
			for k, v := range read() {
				if v != want[k] {
					t.Errorf("%q is not as it was", k)
				}
			}
		})
	}
}

// More results than one step reads, and a wrong one in each part.
func TestRecomputeInSteps(t *testing.T) {
	s := openStore(t, Config{Rate: func(a, b Rating, score float64, at time.Time) (Rating, Rating) {
		a.Rating, b.Rating, a.At, b.At = a.Rating+score, b.Rating+1-score, at, at
		return a, b
	}})
	const n = 2*replayStep + 7
	err := s.update(t.Context(), func(tx *bbolt.Tx) error {
		for i := range n {
			f := Finished{
				ID: MatchID(fmt.Sprint("m", i)), Game: "tanks", Result: "first", Ended: sampleTime,
				First: Occupant{Kind: Person, ID: "ann"}, Second: Occupant{Kind: Person, ID: "bob"},
			}
			if _, _, err := s.rate(tx, f); err != nil {
				return err
			}
		}
		for _, number := range []uint64{1, replayStep, replayStep + 1, n} {
			if err := bucket(tx, changes).Delete(seqKey(number)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []int{4, 0} {
		report, err := s.Recompute(t.Context())
		if err != nil || report.Results != n || report.Matches != wrong || len(report.Differed) > 0 {
			t.Errorf("Recompute = %+v, %v, want %d results and %d matches mended", report, err, n, wrong)
		}
	}
	if r, err := s.Ratings(t.Context(), "ann"); err != nil || r["tanks"].Rating != n || r["tanks"].Won != n {
		t.Errorf("ratings %+v, %v", r, err)
	}
}
