package schema

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/results"
)

// fewPoints is an analysis of the match in sampleRecord.
func fewPoints() *analysis.Analysis {
	return &analysis.Analysis{Version: 1, Nodes: 5, Points: []analysis.Point{
		{Value: -7, Chance: 0.493, Best: "a1-a5", Line: []games.Move{"a1-a5", "3:2"}, Mark: analysis.Mistake},
		{Value: games.MaxEvaluation, Chance: 1, Proven: analysis.ProvenFirst, Plies: 9, Best: "3:2", Line: []games.Move{"3:2"}},
		{Chance: 0.5}, {Chance: 0.5, Proven: analysis.ProvenDraw},
	}}
}

func sampleAnalysis(t testing.TB) []byte {
	t.Helper()
	value, err := encodeAnalysis(fewPoints())
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// A store that knew no analyses gets room for them when it is opened, and loses nothing.
func TestStoreWithoutAnalyses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	engine, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	record, err := encodeRecord(sampleRecord(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(engine.Update(t.Context(), func(tx kv.Tx) error {
		kv.MakeSections(tx, "meta", "players", "names", "keys", "player_keys", "logs", "finished", "history", "codes", "code_ends", "results", "changes", "ratings")
		tx.Put([]byte("finished\x00m1"), record)
		return SchemaNumber.Put(tx, 2)
	}), engine.Close()); err != nil {
		t.Fatal(err)
	}
	if engine, err = bolt.Open(path, bolt.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), engine, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Analyses.Analysis(t.Context(), "m1"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Analysis = %v, want ErrNotFound", err)
	}
	if err := s.Analyses.SaveAnalysis(t.Context(), "m1", fewPoints()); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Analyses.Analysis(t.Context(), "m1"); err != nil || !reflect.DeepEqual(a, fewPoints()) {
		t.Errorf("%+v, %v", a, err)
	}
	if f, err := s.Results.Finished(t.Context(), "m1"); err != nil || !reflect.DeepEqual(f, sampleRecord()) {
		t.Errorf("the match is %+v, %v", f, err)
	}
}

// TestDamagedAnalysis: a damaged analysis has another error than a missing one.
func TestDamagedAnalysis(t *testing.T) {
	s := openStore(t, Config{})
	whole := sampleAnalysis(t)
	for name, value := range map[string][]byte{
		"nothing":         {},
		"a wrong byte":    append([]byte{whole[0], whole[1] ^ 1}, whole[2:]...),
		"a later version": storage.Seal(results.AnalysisVersion+1, whole[1:len(whole)-4]),
		"no analysis":     storage.Seal(results.AnalysisVersion, []byte("once upon a time")),
		"half of one":     storage.Seal(results.AnalysisVersion, whole[1:len(whole)/2]),
	} {
		if err := s.engine.Update(t.Context(), func(tx kv.Tx) error { tx.Put(results.Analyses.Key("m1"), value); return nil }); err != nil {
			t.Fatal(err)
		}
		a, err := s.Analyses.Analysis(t.Context(), "m1")
		if a != nil || !errors.Is(err, storage.ErrDamaged) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v, want ErrDamaged", name, a, err)
		}
	}
}

func FuzzDecodeAnalysis(f *testing.F) {
	whole := sampleAnalysis(f)
	f.Add(whole[1 : len(whole)-4])
	f.Fuzz(func(t *testing.T, content []byte) {
		a, err := decodeAnalysis(storage.Seal(results.AnalysisVersion, content))
		if err != nil {
			if !errors.Is(err, storage.ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		value, err := encodeAnalysis(a)
		if err != nil || string(value) != string(storage.Seal(results.AnalysisVersion, content)) {
			t.Errorf("not the same again: %v", err)
		}
	})
}
