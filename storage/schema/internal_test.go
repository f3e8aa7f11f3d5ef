package schema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
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

func openStore(t testing.TB, c Config) *Store {
	t.Helper()
	s, err := Open(t.Context(), openEngine(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A plain engine doesn't keep sections apart.
type plain struct{ kv.Store }

type plainReader struct{ kv.Reader }

type plainTx struct{ kv.Tx }

func (p plain) View(ctx context.Context, read func(kv.Reader) error) error {
	return p.Store.View(ctx, func(r kv.Reader) error { return read(plainReader{r}) })
}

func (p plain) Update(ctx context.Context, change func(kv.Tx) error) error {
	return p.Store.Update(ctx, func(tx kv.Tx) error { return change(plainTx{tx}) })
}

// The data model needs no sections of the engine's: only then can't it tell that one is missing.
func TestPlainEngine(t *testing.T) {
	engine := plain{openEngine(t)}
	for range 2 {
		s, err := Open(t.Context(), engine, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: "ana", NameKey: "ana"}, "SHA256:a"); err != nil && !errors.Is(err, storage.ErrKeyTaken) {
			t.Error(err)
		}
		if p, err := s.Accounts.PlayerByKey(t.Context(), "SHA256:a"); p.Name != "ana" || err != nil {
			t.Errorf("the player is %+v, %v", p, err)
		}
	}
	foreign := plain{openEngine(t)}
	if err := foreign.Update(t.Context(), func(tx kv.Tx) error { tx.Put([]byte("x\x00y"), nil); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), foreign, Config{}); !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("Open of another program's database = %v, want ErrDamaged", err)
	}
}

// More codes than one step removes.
func TestSweepInSteps(t *testing.T) {
	s := openStore(t, Config{})
	const n = 2*storage.SweepStep + 7
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			if err := matches.EndCode(tx, fmt.Sprint("code", i), "m1", sampleTime); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{n, 0} {
		if got, err := s.Sweep(t.Context(), sampleTime); got != want || err != nil {
			t.Errorf("Sweep = %d, %v, want %d", got, err, want)
		}
	}
}

// TestOldVoidsAreSwept: the records of void matches that earlier versions kept beyond their codes go once, in bounded steps, and
// nothing else goes with them.
func TestOldVoidsAreSwept(t *testing.T) {
	s := openStore(t, Config{})
	const n = 2*storage.SweepStep + 7
	now := sampleRecord().Ended.Add(results.CodeLife)
	want := 0
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		want = 0
		for i := range n {
			f := sampleRecord()
			f.ID = storage.MatchID(fmt.Sprint("m", i))
			switch i % 3 {
			case 0:
				f.Result = "" // void
			case 1:
				f.Result, f.Ended = "", f.Ended.Add(time.Millisecond) // not yet
				fallthrough
			default:
				want++
			}
			record, err := encodeRecord(f, 0)
			if err != nil {
				return err
			}
			tx.Put(results.Records.Key(f.ID), record)
		}
		tx.Put(results.Records.Key("m5x"), []byte("damaged"))
		want++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := s.Sweep(t.Context(), now); got != 0 || err != nil {
			t.Errorf("Sweep = %d, %v", got, err)
		}
		left := 0
		if err := s.engine.View(t.Context(), func(r kv.Reader) error {
			for p, err := range r.Scan(results.Records.All().Range) {
				if err != nil {
					return err
				}
				left++
				id, _ := results.Records.Parse(p.Key)
				if f, _, err := decodeRecord(id, p.Value, false); err == nil && f.Result == "" && !now.Before(f.Ended.Add(results.CodeLife)) {
					t.Errorf("match %s is still there", id)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if left != want {
			t.Errorf("%d records are left, want %d", left, want)
		}
	}
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		more, err := results.SweepOldVoids(tx, now.AddDate(1, 0, 0))
		if more {
			t.Error("it goes through all records again")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// addScores is an arithmetic of ratings: the sum of all scores.
func addScores(m results.RatedMatch) [2]results.RatingChange {
	c := [2]results.RatingChange{{After: m.Before[0], Weight: 1}, {After: m.Before[1], Weight: 1}}
	for i, score := range []float64{m.Score, 1 - m.Score} {
		c[i].After.Rating += score
		c[i].After.At = m.At
	}
	return c
}

// sampleResult returns the result of a match between ann and bob.
func sampleResult(id storage.MatchID, score string, ended time.Time) results.Result {
	return results.Result{Match: id, Game: "tanks", First: "ann", Second: "bob", Result: score, Ended: ended.UnixMilli(), Rules: results.KnownRules}
}

func TestRecomputeMends(t *testing.T) {
	s := openStore(t, Config{Rate: addScores})
	at := time.UnixMilli(1_700_000_000_000).UTC()
	for i, result := range []string{"first", "draw", "second"} {
		f := sampleResult(storage.MatchID("m"+result), result, at.Add(time.Duration(i)*time.Hour))
		if err := s.engine.Update(t.Context(), func(tx kv.Tx) error { _, _, err := s.Results.Rate(tx, f); return err }); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (all map[string]string) {
		all = map[string]string{}
		s.engine.View(t.Context(), func(r kv.Reader) error {
			for _, b := range []storage.AnyTable{results.Results, results.Changes, results.Ratings, results.RecentMatches} {
				for p := range r.Scan(under(b.TableName())) {
					all[string(p.Key)] = string(p.Value)
				}
			}
			return nil
		})
		return all
	}
	want := read()
	for name, spoil := range map[string]func(tx kv.Tx){
		"nothing": func(tx kv.Tx) {},
		"a wrong rating": func(tx kv.Tx) {
			tx.Put(results.Ratings.Key(results.RatingKey{Game: "tanks", Player: "ann"}), encodeRating(results.Rating{Rating: 7}))
		},
		"a rating missing": func(tx kv.Tx) { tx.Delete(results.Ratings.Key(results.RatingKey{Game: "tanks", Player: "ann"})) },
		"a rating of nobody": func(tx kv.Tx) {
			tx.Put(results.Ratings.Key(results.RatingKey{Game: "tanks", Player: "cid"}), encodeRating(results.Rating{Rating: 7}))
		},
		"a damaged rating": func(tx kv.Tx) {
			tx.Put(results.Ratings.Key(results.RatingKey{Game: "tanks", Player: "bob"}), []byte("?"))
		},
		"a wrong change":               func(tx kv.Tx) { tx.Put(results.Changes.Key(2), encodeChanges([2]results.RatingChange{})) },
		"no recent matches":            func(tx kv.Tx) { tx.Delete(results.RecentMatches.Key("ann")) },
		"damaged recent matches":       func(tx kv.Tx) { tx.Put(results.RecentMatches.Key("ann"), []byte("?")) },
		"recent matches of a stranger": func(tx kv.Tx) { tx.Put(results.RecentMatches.Key("cid"), []byte("?")) },
		"a change missing":             func(tx kv.Tx) { tx.Delete(results.Changes.Key(3)) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.engine.Update(t.Context(), func(tx kv.Tx) error { spoil(tx); return nil }); err != nil {
				t.Fatal(err)
			}
			report, err := s.Results.Recompute(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wrong := len(report.Differed) + report.Matches + report.Recent
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

// TestOlderResults: results by rules that did not ask how independent opponents are count as they did then. Nothing is known of the opponents,
// and no rank needs any. A new result finds no known opponents in them.
func TestOlderResults(t *testing.T) {
	var seen []results.RatedMatch
	s := openStore(t, Config{Rate: func(m results.RatedMatch) [2]results.RatingChange {
		seen = append(seen, m)
		return addScores(m)
	}})
	at := time.UnixMilli(1_700_000_000_000).UTC()
	put := func(number uint64, r results.Result) {
		t.Helper()
		r.Since = [2]int64{at.AddDate(-1, 0, 0).UnixMilli(), at.Add(-time.Hour).UnixMilli()}
		if err := s.engine.Update(t.Context(), func(tx kv.Tx) error { return results.Results.Put(tx, number, r) }); err != nil {
			t.Fatal(err)
		}
	}
	for rules := results.WholeRules; rules < results.KnownRules; rules++ {
		r := sampleResult(storage.MatchID(fmt.Sprint("m", rules)), "first", at.Add(time.Duration(rules)*time.Hour))
		r.Rules = rules
		put(uint64(rules), r)
	}
	if report, err := s.Results.Recompute(t.Context()); err != nil || report.Results != 3 || report.Ratings != 2 {
		t.Fatalf("report %+v, %v", report, err)
	}
	for i, m := range seen {
		if rules := i + 1; m.Known != nil || m.Settled != 0 || m.Whole != (rules == 1) || m.Young[1] != (rules > 1) || m.Met != max(0, i-1) {
			t.Errorf("rules %d: %+v", rules, m)
		}
	}
	if err := s.engine.View(t.Context(), func(r kv.Reader) error {
		for of, want := range map[string]int{results.Changes.Name: 3, results.Ratings.Name: 2, results.RecentMatches.Name: 2, results.Settled.Name: 0} {
			n := 0
			for p, err := range r.Scan(kv.Prefix([]byte(of + "\x00"))) {
				if err != nil {
					return err
				}
				if n++; bytes.Contains(p.Value, []byte("lost")) || bytes.Contains(p.Value, []byte("met")) || of != results.RecentMatches.Name && !bytes.HasSuffix(p.Value[:len(p.Value)-4], []byte{0, 0, 0}) {
					t.Errorf("%s: %q says something of opponents", of, p.Value)
				}
			}
			if n != want {
				t.Errorf("%s: %d rows, want %d", of, n, want)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	seen = nil
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		seen = nil
		_, _, err := s.Results.Rate(tx, sampleResult("m4", "first", at.AddDate(0, 0, 3)))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if m := seen[0]; m.Known == nil || *m.Known != [2]results.Opponent{} {
		t.Errorf("a new result: %+v", m.Known)
	}
	if report, err := s.Results.Recompute(t.Context()); err != nil || len(report.Differed)+report.Matches+report.Recent > 0 {
		t.Errorf("at the end: %+v, %v", report, err)
	}
}

// More results than one step reads, and a wrong one in each part.
func TestRecomputeInSteps(t *testing.T) {
	s := openStore(t, Config{Rate: addScores})
	const n = 2*results.ReplayStep + 7
	err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		for i := range n {
			f := sampleResult(storage.MatchID(fmt.Sprint("m", i)), "first", sampleTime)
			if _, _, err := s.Results.Rate(tx, f); err != nil {
				return err
			}
		}
		for _, number := range []uint64{1, results.ReplayStep, results.ReplayStep + 1, n} {
			tx.Delete(results.Changes.Key(number))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []int{4, 0} {
		report, err := s.Results.Recompute(t.Context())
		if err != nil || report.Results != n || report.Matches != wrong || len(report.Differed) > 0 {
			t.Errorf("Recompute = %+v, %v, want %d results and %d matches mended", report, err, n, wrong)
		}
	}
	if r, err := s.Results.RatingsIn(t.Context(), "tanks", []storage.PlayerID{"ann"}); err != nil || r["ann"].Rating != n || r["ann"].Won != n {
		t.Errorf("ratings %+v, %v", r, err)
	}
}

// TestContents: the packages of the store name the tables that the migrations make, all of them and no others.
func TestContents(t *testing.T) {
	s := openStore(t, Config{})
	var made []string
	if err := s.engine.View(t.Context(), func(r kv.Reader) (err error) {
		made, _, err = kv.SectionsOf(r)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if named := slices.Sorted(slices.Values(TableNames())); !slices.Equal(named, slices.Sorted(slices.Values(made))) {
		t.Errorf("the packages name %q, and the migrations make %q", named, made)
	}
}

// TestTableNames: copies and repairs find tables by name, and make lost entries again from others.
func TestTableNames(t *testing.T) {
	for i, table := range tables {
		if table.TableName() == "" || TableNamed(table.TableName()).TableName() != tables[i].TableName() || slices.Index(TableNames(), table.TableName()) != i {
			t.Errorf("table %d has the name %q of another", i, table.TableName())
		}
		for _, from := range table.TableTraits().From {
			if TableNamed(from) == nil {
				t.Errorf("%s is made again from %q, which is no table", table.TableName(), from)
			}
		}
	}
}

// TestSweepOfManyRows: one sweep removes all expired places and buckets of attempts, however many there are.
func TestSweepOfManyRows(t *testing.T) {
	s := openStore(t, Config{})
	now := time.UnixMilli(1_800_000_000_000).UTC()
	err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		tx.Put(matches.Summaries.Key("goes on"), []byte{1})
		tx.Put(cluster.Places.Key("a place that is taken"), []byte("goes on"))
		err := accounts.Attempts.Put(tx, accounts.Bucket{Kind: "code", Hash: "a bucket that is not full"}, now.Add(time.Minute))
		for i := range 2*storage.SweepStep + 1 {
			err = errors.Join(err, cluster.Places.Put(tx, fmt.Sprint("rematch ", i), "over"), accounts.Attempts.Put(tx, accounts.Bucket{Kind: "code", Hash: fmt.Sprint(i)}, now))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sweep(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	for _, of := range []storage.AnyTable{cluster.Places, accounts.Attempts} {
		left := 0
		err := s.engine.View(t.Context(), func(r kv.Reader) error {
			left = 0
			for _, err := range r.Scan(under(of.TableName())) {
				if err != nil {
					return err
				}
				left++
			}
			return nil
		})
		if err != nil || left != 1 {
			t.Errorf("%s: %d rows are left, %v", of.TableName(), left, err)
		}
	}
}
