package storage_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	repairstore "ludoteca/storage/repair"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// testdata/club.db.gz is a store of schema 3 that the club made while people played over SSH: rated and casual matches of
// all games, against each other and against computer players, with a hint, a takeback and an aborted match, analyses,
// matches of a guest, and some that go on. testdata/club.txt is the result of describe in the program that made the store.

// describe returns everything that a store says, a line each.
func describe(ctx context.Context, s storagetest.Store) ([]byte, error) {
	said := map[string]any{}
	var failed error
	note := func(key string, value any, err error) {
		if said[key] = value; err != nil {
			said[key] = strings.TrimPrefix(err.Error(), "storage: ")
		}
	}
	players := map[storage.PlayerID]bool{}
	codes := map[string]bool{"PAYD76": true} // of the aborted match, which is in no list
	seen := func(code string, seats ...storage.Occupant) {
		codes[code] = true
		for _, o := range seats {
			if o.Kind == storage.Person {
				players[storage.PlayerID(o.ID)] = true
			}
		}
	}
	rows, failed := s.History(ctx, resultstore.HistoryQuery{Limit: 1000})
	note("history", rows, failed)
	played := map[string]bool{}
	for _, row := range rows {
		played[row.Game] = true
		seen(row.Code, row.First, row.Second)
		f, err := s.Finished(ctx, row.ID)
		note("record "+string(row.ID), f, err)
		if a, err := s.Analysis(ctx, row.ID); err == nil {
			note("analysis "+string(row.ID), a, nil)
		}
	}
	sums, failed2 := s.Summaries(ctx)
	var ids []storage.MatchID
	for _, m := range sums {
		ids = append(ids, m.ID)
	}
	note("unfinished", ids, failed2)
	for _, id := range ids {
		log, err := s.Log(ctx, id, 1, 0)
		note("log "+string(id), log, err)
		if err == nil {
			seen(log[0].Opening.Code, log[0].Opening.First, log[0].Opening.Second)
		}
	}
	for game := range played {
		standings, err := s.Standings(ctx, game)
		note("standings "+game, standings, err)
		rows, err := s.History(ctx, resultstore.HistoryQuery{Game: game, Limit: 3})
		note("newest "+game, rows, err)
	}
	for id := range players {
		p, err := s.Player(ctx, id)
		note("player "+string(id), p, err)
		byName, err := s.PlayerByName(ctx, p.NameKey)
		note("named "+p.NameKey, byName.ID, err)
		keys, err := s.Keys(ctx, id)
		note("keys "+string(id), keys, err)
		for _, fingerprint := range keys {
			byKey, err := s.PlayerByKey(ctx, fingerprint)
			note("owner "+fingerprint, byKey.ID, err)
		}
		ratings, err := s.Ratings(ctx, id, slices.Sorted(maps.Keys(played)))
		note("ratings "+string(id), ratings.Now, err)
		rows, err := s.History(ctx, resultstore.HistoryQuery{Player: id, Limit: 1000})
		note("history "+string(id), rows, err)
	}
	for code := range codes {
		for _, at := range []time.Time{time.Unix(1_700_000_000, 0), time.Unix(1_900_000_000, 0)} {
			id, err := s.ByCode(ctx, code, at)
			note(fmt.Sprintf("code %s at %d", code, at.Unix()), id, err)
			if f, err := s.Finished(ctx, id); err == nil {
				note("record "+string(id), f, nil)
			}
		}
	}
	report, err := s.Recompute(ctx)
	note("recompute", report, err)
	if failed != nil || failed2 != nil || len(rows) == 0 || len(ids) == 0 {
		return nil, fmt.Errorf("%d matches, %d unfinished: %w, %w", len(rows), len(ids), failed, failed2)
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(said)) {
		value, err := json.Marshal(said[key])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "%s: %s\n", key, value)
	}
	return []byte(text.String()), nil
}

// kept unpacks the kept store of schema 3 to a new file.
func kept(t *testing.T) (path string) {
	t.Helper()
	return unpackedFile(t, "club.db.gz")
}

// unpackedFile unpacks a store in testdata to a new file.
func unpackedFile(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "club.db")
	if err := os.WriteFile(path, unpacked(t, name), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// unpacked returns the contents of a packed file in testdata.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestKeptStore opens a store that an earlier program made, and wants the same answers, twice.
func TestKeptStore(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "club.txt"))
	if err != nil {
		t.Fatal(err)
	}
	path := kept(t)
	for _, when := range []string{"opened", "opened again"} {
		s, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		got, err := describe(t.Context(), storagetest.Flat(s))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		want = asEncoded(want)
		for _, unknown := range []string{`"Short":false,`, `"Temporary":false,`, `,"Weight":1,"Why":""`, `"Recent":0,`} { // to the earlier program
			got = bytes.ReplaceAll(got, []byte(unknown), nil)
		}
		if diff := cmp.Diff(lines(want), lines(got)); diff != "" || err != nil {
			t.Fatalf("%s: %v\n%s", when, err, diff)
		}
		if !bytes.Contains(got, []byte(`"Differed":null`)) || bytes.Count(got, []byte("\nrecord ")) < 12 || bytes.Count(got, []byte("analysis ")) < 2 {
			t.Errorf("%s: the answers are not what the test is about", when)
		}
	}
}

// TestKeptStoreOfManyForms opens a store of schema 23. A program of that schema made it from the kept store of schema 3 and went on with
// it. So most kinds of values are there in several forms: older programs wrote some, and the program itself still wrote an older form
// where that holds all. testdata/club23.txt.gz is the result of describe and describeAll in that program.
func TestKeptStoreOfManyForms(t *testing.T) {
	want := asEncoded(unpacked(t, "club23.txt.gz"))
	path := unpackedFile(t, "club23.db.gz")
	for _, when := range []string{"opened", "opened again"} {
		s, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		got, err := describe(t.Context(), storagetest.Flat(s))
		more, err2 := describeAll(t.Context(), s)
		if err := errors.Join(err, err2, s.Close()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(lines(want), lines(append(got, more...))); diff != "" {
			t.Fatalf("%s:\n%s", when, diff)
		}
	}
}

// TestKeptStoresElsewhere: a kept store that is copied to another engine, or salvaged, says the same.
func TestKeptStoresElsewhere(t *testing.T) {
	c := schema.Config{Rate: rating.Rate}
	for name, moved := range map[string]func(path string, to kv.Store) error{
		"copied": func(path string, to kv.Store) error {
			from, err := bolt.Open(path, bolt.Options{})
			if err != nil {
				return err
			}
			_, err = repairstore.Copy(t.Context(), from, to)
			return errors.Join(err, from.Close())
		},
		"salvaged": func(path string, to kv.Store) error {
			from, err := bolt.OpenDamaged(path, bolt.Options{LockTimeout: time.Minute})
			if err != nil {
				return err
			}
			report, err := repairstore.Salvage(t.Context(), from, to, c, time.Unix(1_700_000_000, 0))
			if err == nil && report.Lost {
				err = fmt.Errorf("something is lost: %+v", report)
			}
			return errors.Join(err, from.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			original, err := storagetest.OpenFile(unpackedFile(t, "club23.db.gz"), c)
			if err != nil {
				t.Fatal(err)
			}
			defer original.Close()
			to, err := bolt.Open(filepath.Join(t.TempDir(), "new.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			if err := moved(unpackedFile(t, "club23.db.gz"), to); err != nil {
				t.Fatal(err)
			}
			s, err := schema.Open(t.Context(), to, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, describe := range []func(context.Context, *schema.Store) ([]byte, error){
				describeAll, func(ctx context.Context, s *schema.Store) ([]byte, error) { return describe(ctx, storagetest.Flat(s)) },
			} {
				want, err := describe(t.Context(), original)
				got, err2 := describe(t.Context(), s)
				summaries := func(line string) bool { return name == "salvaged" && strings.HasPrefix(line, "summaries: ") } // they are left to be made
				if diff := cmp.Diff(slices.DeleteFunc(lines(want), summaries), slices.DeleteFunc(lines(got), summaries)); diff != "" || errors.Join(err, err2) != nil {
					t.Errorf("%v\n%s", errors.Join(err, err2), diff)
				}
			}
		})
	}
}

// asEncoded returns what an earlier program said, with the version of the encoding of events that they have now.
func asEncoded(said []byte) []byte {
	return regexp.MustCompile(`"Version":[12],"Kind"`).ReplaceAll(said, fmt.Appendf(nil, `"Version":%d,"Kind"`, matches.EventVersion))
}

func lines(b []byte) []string { return strings.Split(strings.TrimSpace(string(b)), "\n") }

// TestKeptStoreGoesOn plays on in the kept store: a new rated result must follow the last one, and everything add up.
func TestKeptStoreGoesOn(t *testing.T) {
	s, err := storagetest.OpenFile(kept(t), schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before, err := s.Results.Recompute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	standings, err := s.Results.Standings(t.Context(), "tanks")
	if err != nil || len(standings) < 2 {
		t.Fatalf("standings %v, %v", standings, err)
	}
	first, second := standings[0], standings[1]
	for n := range 3 {
		opening, f := benchOpening(n), benchRecord(n)
		f.Game, f.Rated, f.Result, f.Ended = "tanks", true, "second", time.UnixMilli(1_900_000_000_000+int64(n))
		f.Moves, f.Times, f.Plies = []games.Move{games.Move(fmt.Sprint("a", n))}, []time.Time{f.Ended}, 1 // each match counts
		f.First = storage.Occupant{Kind: storage.Person, ID: string(first.Player), Name: first.Name}
		f.Second = storage.Occupant{Kind: storage.Person, ID: string(second.Player), Name: second.Name}
		if err := s.Matches.Append(t.Context(), benchID(n), []matches.Event{opening}, matches.Summary{}); err != nil {
			t.Fatal(err)
		}
		end := benchEnd(2)
		end.Result = "second"
		if changes, err := s.Matches.Finish(t.Context(), benchID(n), []matches.Event{end}, f, nil); err != nil || changes[0].After.Played != first.Rating.Played+n+1 {
			t.Fatalf("Finish = %+v, %v", changes, err)
		}
	}
	after, err := s.Results.Recompute(t.Context())
	if err != nil || after.Results != before.Results+3 || len(after.Differed) > 0 || after.Matches > 0 {
		t.Errorf("recomputed: %+v, %v; before there were %d results", after, err, before.Results)
	}
}

// TestKeptStoreIsCounted: the finished matches of a store that was made before there were tallies are counted in them.
func TestKeptStoreIsCounted(t *testing.T) {
	s, err := storagetest.OpenFile(kept(t), schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Results.History(t.Context(), resultstore.HistoryQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	want := map[storage.PlayerID]*resultstore.Conduct{}
	won := map[storage.PlayerID]int{}
	var games []string
	met := map[[2]storage.PlayerID]bool{}
	for _, f := range rows {
		if f.First.Kind != storage.Person || f.Second.Kind != storage.Person {
			continue
		}
		if !slices.Contains(games, f.Game) {
			games = append(games, f.Game)
		}
		first, second := storage.PlayerID(f.First.ID), storage.PlayerID(f.Second.ID)
		met[[2]storage.PlayerID{first, second}], met[[2]storage.PlayerID{second, first}] = true, true
		for _, id := range []storage.PlayerID{first, second} {
			if want[id] == nil {
				want[id] = new(resultstore.Conduct)
			}
			want[id].Started++
			want[id].Finished++ // there were no clocks, and no player left
		}
		switch f.Result {
		case "first":
			won[first]++
		case "second":
			won[second]++
		}
	}
	if len(want) < 4 {
		t.Fatalf("the store has matches between %d players", len(want))
	}
	for id, conduct := range want {
		c, err := s.Results.Conduct(t.Context(), id)
		if err != nil || c != *conduct {
			t.Errorf("player %s: %+v, %v, want %+v", id, c, err, *conduct)
		}
		ratings, err := s.Results.Ratings(t.Context(), id, games)
		if err != nil {
			t.Errorf("ratings of %s: %v, %v", id, ratings, err)
		}
		for game, r := range ratings.Now {
			points, err := s.Results.RatingHistory(t.Context(), id, []string{game}, 1000)
			if err != nil || len(points) != r.Played || points[len(points)-1].Rating != r.Rating || !points[len(points)-1].At.Equal(r.At) {
				t.Errorf("ratings of %s in %s: %+v, %v; now %+v", id, game, points, err, r)
			}
		}
		n := 0
		for other := range want {
			all, err := s.Results.Tallies(t.Context(), id, other, games...)
			if err != nil {
				t.Fatal(err)
			}
			n += all.Against.Won
			if (all.Against != resultstore.Score{}) != met[[2]storage.PlayerID{id, other}] {
				t.Errorf("%s against %s: %+v", id, other, all.Against)
			}
		}
		if n != won[id] {
			t.Errorf("player %s has won %d matches, want %d", id, n, won[id])
		}
	}
}
