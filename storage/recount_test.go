package storage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/operators"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// A busyEngine lets other things happen before a transaction begins.
type busyEngine struct {
	kv.Store
	before  func(writes bool) // nil: nothing
	updates atomic.Int32      // transactions that wrote something
}

func (e *busyEngine) View(ctx context.Context, read func(kv.Reader) error) error {
	if e.before != nil {
		e.before(false)
	}
	return e.Store.View(ctx, read)
}

func (e *busyEngine) Update(ctx context.Context, change func(kv.Tx) error) error {
	if e.before != nil {
		e.before(true)
	}
	wrote := false
	err := e.Store.Update(ctx, func(tx kv.Tx) error {
		t := &countingTx{Tx: tx}
		err := change(t)
		wrote = t.n > 0
		return err
	})
	if wrote {
		e.updates.Add(1)
	}
	return err
}

// A countingTx counts what is written.
type countingTx struct {
	kv.Tx
	n int
}

func (t *countingTx) MakeSection(name string) { kv.MakeSections(t.Tx, name) }
func (t *countingTx) Put(key, value []byte)   { t.n++; t.Tx.Put(key, value) }
func (t *countingTx) Delete(key []byte)       { t.n++; t.Tx.Delete(key) }

// newBusyFinisher is newFinisher on an engine on which a recount can be disturbed.
func newBusyFinisher(t *testing.T) (*finisher, *busyEngine) {
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	busy := &busyEngine{Store: engine}
	s, err := schema.Open(t.Context(), busy, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	return finisherOf(t, s), busy
}

// checkOpenings compares the stored openings with the moves of all records, counted one by one.
func checkOpenings(t *testing.T, f *finisher, engine kv.Store) {
	t.Helper()
	want := map[string]map[games.Move]int{}
	stored := 0
	if err := engine.View(t.Context(), func(r kv.Reader) error {
		for e, err := range resultstore.Records.All().Scan(r) {
			if err != nil {
				return err
			}
			if marked, err := resultstore.UnratedMarks.Has(r, e.Key); err != nil || marked || e.Value.Number == 0 {
				if err != nil {
					return err
				}
				continue
			}
			line := ""
			for _, m := range e.Value.Moves[:min(len(e.Value.Moves), resultstore.OpeningPlies)] {
				if want[line] == nil {
					want[line] = map[games.Move]int{}
				}
				want[line][m]++
				line = strings.TrimSpace(line + " " + string(m))
			}
		}
		for _, err := range r.Scan(resultstore.Openings.All().Range) {
			if err != nil {
				return err
			}
			stored++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if stored != len(want) {
		t.Errorf("%d lines are stored, want %d", stored, len(want))
	}
	wrong := 0
	for line, counts := range want {
		var moves []games.Move
		for word := range strings.FieldsSeq(line) {
			moves = append(moves, games.Move(word))
		}
		all, err := f.s.Results.Openings(t.Context(), f.game.About().ID, f.options, moves)
		if err != nil {
			t.Fatal(err)
		}
		got := map[games.Move]int{}
		for _, m := range all[len(moves)].Next {
			got[m.Move] = m.Matches()
		}
		if fmt.Sprint(got) != fmt.Sprint(counts) {
			if wrong++; wrong < 4 {
				t.Errorf("after %q there are %v, want %v", line, got, counts)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d lines are wrong", wrong)
	}
	marker := ""
	if err := engine.View(t.Context(), func(r kv.Reader) error {
		value, _, err := resultstore.OpeningsIndex.Find(r)
		marker = string(value)
		return err
	}); err != nil || marker != fmt.Sprint(resultstore.OpeningRules) {
		t.Errorf("the marker is %q, %v", marker, err)
	}
}

// spoil makes some stored lines wrong: counts, lines that are missing, lines that should not be, and if kinds is 4, lines that can't be read.
func spoil(t *testing.T, engine kv.Store, every, kinds int) (spoiled int) {
	t.Helper()
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		spoiled = 0
		entries, err := resultstore.Openings.All().Entries(tx)
		if err != nil {
			return err
		}
		for i := 0; i < len(entries); i += every {
			e, key := entries[i], resultstore.Openings.Key(entries[i].Key)
			spoiled++
			switch i / every % kinds {
			case 0:
				for m, c := range e.Value {
					c.First++
					e.Value[m] = c
				}
				if err := resultstore.Openings.Put(tx, e.Key, e.Value); err != nil {
					return err
				}
			case 1:
				tx.Delete(key)
			case 2:
				tx.Put(append(slices.Clone(key), " zz9 zz8"...), resultValue(t, e.Value))
			case 3:
				tx.Put(key, []byte("damaged"))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return spoiled
}

func resultValue[V any](t *testing.T, v map[games.Move]V) []byte {
	t.Helper()
	value, err := storage.SealJSON(1, v)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestRecountWrites: a recount writes nothing where all lines are right, and only the wrong ones where some are.
func TestRecountWrites(t *testing.T) {
	f, engine := newBusyFinisher(t)
	f.fill(t, 1500)
	checkOpenings(t, f, engine)
	recompute := func() resultstore.RecomputeReport {
		t.Helper()
		engine.updates.Store(0)
		report, err := f.s.Results.Recompute(t.Context())
		if err != nil || report.Matches+report.Recent+len(report.Differed) > 0 {
			t.Fatal(report, err)
		}
		return report
	}
	if report := recompute(); report.Openings != 0 || engine.updates.Load() != 0 {
		t.Errorf("with all lines right %d were wrong, and %d transactions wrote", report.Openings, engine.updates.Load())
	}
	spoiled := spoil(t, engine, 50, 4)
	if report := recompute(); report.Openings != spoiled || spoiled < 100 || engine.updates.Load() != 2 {
		t.Errorf("%d lines were wrong, want %d, and %d transactions wrote", report.Openings, spoiled, engine.updates.Load())
	}
	checkOpenings(t, f, engine)
	if report := recompute(); report.Openings != 0 || engine.updates.Load() != 0 {
		t.Errorf("after that %d were wrong, and %d transactions wrote", report.Openings, engine.updates.Load())
	}
}

// TestRecountInterrupted: a recount that is cut off after any of its transactions is gone on with when the store is opened.
func TestRecountInterrupted(t *testing.T) {
	f, engine := newBusyFinisher(t)
	f.fill(t, 1500)
	for _, every := range []int{1, 300} {
		spoil(t, engine, every, 4)
		feeble := &kvtest.Feeble{Store: engine, Left: 1} // the ratings are right, so the first one that writes is of the recount
		if every == 1 {
			feeble.Left = 2
		}
		broken := resultstore.New(feeble, storagetest.Rate)
		if _, err := broken.Recompute(t.Context()); !errors.Is(err, kvtest.ErrDown) {
			t.Fatalf("the recount wasn't cut off: %v", err)
		}
		times := kvtest.UntilDone(t, engine, func(engine kv.Store) error {
			_, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate})
			return err
		})
		t.Logf("%d more interruptions", times)
		if feeble.Largest > 4000 || feeble.LargestBytes > 1<<20 {
			t.Errorf("a transaction has %d reads and writes, and writes %d bytes", feeble.Largest, feeble.LargestBytes)
		}
		if every > 1 {
			// The first transaction of Recompute is that of the ratings: nothing was begun, and nobody knows that lines are wrong.
			if _, err := f.s.Results.Recompute(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		checkOpenings(t, f, engine)
	}
}

// TestRecountBesideMatches: matches that end, and marks of few and of many matches that are set and removed between the transactions of a recount, are
// counted once, whatever the recount is doing.
func TestRecountBesideMatches(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f, engine := newBusyFinisher(t)
			const matches = 600
			f.fill(t, matches)
			spoil(t, engine, []int{1, 7, 400}[seed%3], 3)
			r := games.NewRandom(seed)
			left, played := 25, matches
			inside := false
			var marked [][]storage.MatchID
			mark := func(ids []storage.MatchID, counts bool) {
				// As operators at another node do: their own recount is left to this one.
				if err := engine.Store.Update(t.Context(), func(tx kv.Tx) error {
					for _, id := range ids {
						if counts {
							resultstore.UnratedMarks.Delete(tx, id)
						} else if err := resultstore.UnratedMarks.Put(tx, id, resultstore.UnratedMark{Entry: 1}); err != nil {
							return err
						}
					}
					return resultstore.RecountOpenings(tx, ids, counts)
				}); err != nil {
					t.Error(err)
				}
			}
			engine.before = func(bool) {
				if inside || left == 0 || r.N(3) == 0 {
					return
				}
				inside = true
				defer func() { inside = false }()
				left--
				switch r.N(4) {
				case 0, 1:
					id, end, record := f.open(t, played)
					f.finish(t, id, end, record)
					played++
				case 2:
					var ids []storage.MatchID
					for i := range []int{3, 60, 400}[r.N(3)] {
						ids = append(ids, benchID((left*43+i*2)%matches))
					}
					ids = slices.DeleteFunc(ids, func(id storage.MatchID) bool {
						return slices.ContainsFunc(marked, func(m []storage.MatchID) bool { return slices.Contains(m, id) })
					})
					slices.Sort(ids)
					if ids = slices.Compact(ids); len(ids) > 0 {
						marked = append(marked, ids)
						mark(ids, false)
					}
				case 3:
					if len(marked) > 0 {
						ids := marked[0]
						if n := min(len(ids), 20+r.N(200)); n < len(ids) {
							marked[0] = ids[n:]
							ids = ids[:n]
						} else {
							marked = marked[1:]
						}
						mark(ids, true)
					}
				}
			}
			room := []int{1 << 30, 20_000}[seed%2] // the second one makes several ranges of the lines
			if _, err := resultstore.MendOpenings(t.Context(), engine, room, func(int) {}); err != nil {
				t.Fatal(err)
			}
			engine.before = nil
			t.Logf("%d changes between the transactions", 25-left)
			if _, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate}); err != nil { // for what came after the end of the recount
				t.Fatal(err)
			}
			checkOpenings(t, f, engine)
		})
	}
}

// TestManyMarksLater: marks of many matches, whose openings are counted after their transaction, and the ratings too.
func TestManyMarksLater(t *testing.T) {
	f, engine := newBusyFinisher(t)
	f.fill(t, 300)
	var ids []storage.MatchID
	for i := range 120 {
		ids = append(ids, benchID(i))
	}
	engine.updates.Store(0)
	entry := operators.AuditEntry{At: benchTime, By: "SHA256:op", Verb: "unrate", Subject: "a player", Reason: "because"}
	if _, err := f.s.Operators.Act(t.Context(), entry, operators.Change{Results: &operators.ResultsChange{Matches: ids}}); err != nil {
		t.Fatal(err)
	}
	if engine.updates.Load() != 3 { // the marks with the ratings, the lines, the end
		t.Errorf("%d transactions wrote", engine.updates.Load())
	}
	checkOpenings(t, f, engine)
}
