package storagetest

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// analysed returns an analysis of a match with the given number of plies.
func analysed(plies, value int) *analysis.Analysis {
	a := &analysis.Analysis{Version: analysis.Version, Nodes: 100}
	for range plies {
		a.Points = append(a.Points, analysis.Point{
			Value: value, Chance: 0.375, Best: "a2-a3", Line: []games.Move{"a2-a3", "h7xg6"}, Mark: analysis.Mistake,
		})
	}
	return &analysis.Analysis{Version: a.Version, Nodes: a.Nodes, Points: append(a.Points, analysis.Point{
		Value: -games.MaxEvaluation, Proven: analysis.ProvenSecond, Plies: 2, Best: "a1", Line: []games.Move{"a1"},
	})}
}

func analyses(t *testing.T, s Store) {
	ctx := t.Context()
	const id = "m2222222"
	if err := s.SaveAnalysis(ctx, id, analysed(2, 10)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("SaveAnalysis of no match = %v, want ErrNotFound", err)
	}
	if err := s.Append(ctx, id, []matchstore.Event{opened("ABCDEF", guest, robot)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveAnalysis(ctx, id, analysed(0, 10)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("SaveAnalysis of a match that goes on = %v, want ErrNotFound", err)
	}
	f := record("ABCDEF", "tanks", guest, robot, "first", 10)
	if _, err := s.Finish(ctx, id, []matchstore.Event{ended(2, f.Result)}, f, nil); err != nil {
		t.Fatal(err)
	}
	play(t, s, "m3333333", record("BCDEFG", "tanks", guest, robot, "draw", 11))
	if _, err := s.Analysis(ctx, id); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Analysis before there is one = %v, want ErrNotFound", err)
	}
	for _, value := range []int{10, -300} { // a newer one takes the place of the older
		if err := s.SaveAnalysis(ctx, id, analysed(2, value)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Analysis(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "analysis", got, analysed(2, value))
	}
	refusedAnalyses(t, s, id)
	if _, err := s.Analysis(ctx, "m3333333"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the other match has an analysis too: %v", err)
	}
	if r, ok := s.(Reopener); ok {
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		got, err := s.Analysis(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "analysis after opening again", got, analysed(2, -300))
	}
}

// refusedAnalyses tries what can't be the analysis of a match of two plies.
func refusedAnalyses(t *testing.T, s Store, id storage.MatchID) {
	look := func() map[string]any { return snapshot(t, s, []storage.MatchID{id}, nil, nil) }
	before := look()
	for name, a := range map[string]*analysis.Analysis{
		"too short":     analysed(1, 10),
		"too long":      analysed(3, 10),
		"empty":         {Version: analysis.Version},
		"no version":    {Points: analysed(2, 10).Points},
		"out of bounds": analysed(2, games.MaxEvaluation+1),
	} {
		if err := s.SaveAnalysis(t.Context(), id, a); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("SaveAnalysis of one that is %s = %v, want ErrInvalid", name, err)
		}
	}
	same(t, "after the refusals", look(), before)
}

func (m *machine) analyse(r *rapid.T) {
	id, a := matches.Draw(r, "match"), analysed(2, rapid.IntRange(-9, 9).Draw(r, "value"))
	agree(r, "SaveAnalysis", nil, m.store.SaveAnalysis(r.Context(), id, a), nil, m.model.SaveAnalysis(r.Context(), id, a))
}
