package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ludoteca/games/analysis"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// resignAtOnce opens a match and ends it without a move, with an analysis.
func resignAtOnce(t testing.TB, s *schema.Store, m int) resultstore.Finished {
	t.Helper()
	f := benchRecord(m)
	f.Result, f.Reason, f.Temporary = "first", "resigned", true
	if err := s.Matches.Append(t.Context(), benchID(m), []matches.Event{benchOpening(m)}, matches.Summary{}); err != nil {
		t.Fatal(err)
	}
	end := benchEnd(2)
	end.Result = f.Result
	if _, err := s.Matches.Finish(t.Context(), benchID(m), []matches.Event{end}, f, nil); err != nil {
		t.Fatal(err)
	}
	a := &analysis.Analysis{Version: analysis.Version, Points: make([]analysis.Point, 1)}
	if err := s.Analyses.SaveAnalysis(t.Context(), benchID(m), a); err != nil {
		t.Fatal(err)
	}
	return f
}

// allKeys returns how many keys a store has in each section.
func allKeys(t testing.TB, s *fileStore) map[string]int {
	t.Helper()
	n := map[string]int{}
	if err := s.engine.View(t.Context(), func(r kv.Reader) error {
		for _, section := range r.(kv.SectionReader).Sections() {
			for _, err := range r.Scan(kv.Prefix([]byte(section + "\x00"))) {
				if err != nil {
					return err
				}
				n[section]++
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTemporaryRecordsLeaveNothing: matches that are opened and given up take no room an hour later, in keys and in bytes, also if the
// store was closed when their time came.
func TestTemporaryRecordsLeaveNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	s := open(t, path, bolt.Options{})
	sweep := func(want int) {
		t.Helper()
		if n, err := s.Sweep(t.Context(), benchTime.Add(resultstore.TemporaryLife)); n != want || err != nil {
			t.Fatalf("Sweep = %d, %v, want %d", n, err, want)
		}
	}
	sweep(0) // notes that there are no old void matches
	before := allKeys(t, s)
	const matches = 50
	var size [3]int64
	for round := range size {
		for m := range matches {
			resignAtOnce(t, s.Store, m)
		}
		if n := allKeys(t, s)["finished"]; n != matches {
			t.Errorf("%d records at the end of %d matches", n, matches)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, path, bolt.Options{})
		sweep(matches)
		if after := allKeys(t, s); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("round %d: keys by section: %v, before %v", round, after, before)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size[round] = info.Size()
	}
	if size[2] > size[0] {
		t.Errorf("the file grows with every round: %v", size)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSalvageOfTemporaryRecords: a temporary record that has lost its code is there as long as with it, and in no history.
func TestSalvageOfTemporaryRecords(t *testing.T) {
	const now = 24 * time.Hour // at which salvage takes place, after benchTime
	for _, tt := range []struct {
		name  string
		ended time.Duration
		known bool
	}{
		{"while it is there", now - time.Minute, true},
		{"when it has expired", now - resultstore.TemporaryLife, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.db")
			s := open(t, path, bolt.Options{})
			f := benchRecord(0)
			f.Result, f.Ended = "", benchTime.Add(tt.ended)
			end := benchEnd(2)
			end.Result = ""
			if err := s.Matches.Append(t.Context(), benchID(0), []matches.Event{benchOpening(0)}, matches.Summary{}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Matches.Finish(t.Context(), benchID(0), []matches.Event{end}, f, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
				if err := tx.DeletePrefix([]byte("codes\x00")); err != nil {
					return err
				}
				return tx.DeletePrefix([]byte("code_ends\x00"))
			}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			saved, _, err := salvage(t, file)
			if err != nil {
				t.Fatal(err)
			}
			if id, err := saved.Matches.ByCode(t.Context(), f.Code, benchTime.Add(now)); (id == benchID(0)) != tt.known {
				t.Errorf("its code names %q, %v", id, err)
			}
			if rows, err := saved.Results.History(t.Context(), resultstore.HistoryQuery{Limit: 9}); len(rows) > 0 || err != nil {
				t.Errorf("the history is %v, %v", rows, err)
			}
			ends := f.Ended.Add(resultstore.TemporaryLife)
			if n, err := saved.Sweep(t.Context(), ends); n != 1 || err != nil {
				t.Errorf("Sweep = %d, %v", n, err)
			}
			if _, err := saved.Results.Finished(t.Context(), benchID(0)); err == nil {
				t.Error("its record is still there")
			}
		})
	}
}
