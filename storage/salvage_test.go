package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	repairstore "ludoteca/storage/repair"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// salvage saves what it can of a file into a new store, which must be whole. It returns the error of Salvage.
func salvage(t testing.TB, file []byte) (*schema.Store, *repairstore.SalvageReport, error) {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "damaged.db"), filepath.Join(dir, "new.db")
	if err := os.WriteFile(from, file, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := bolt.OpenDamaged(from, bolt.Options{LockTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	engine, err := bolt.Open(to, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := schema.Config{Rate: storagetest.Rate}
	report, err := repairstore.Salvage(t.Context(), d, engine, c, benchTime.AddDate(0, 0, 1))
	if e := engine.Close(); e != nil {
		t.Fatal(e)
	}
	if now, e := os.ReadFile(from); e != nil || !bytes.Equal(now, file) {
		t.Error("the damaged file has changed")
	}
	if err != nil {
		return nil, nil, err
	}
	s, e := storagetest.OpenFile(to, c)
	if e != nil {
		t.Fatalf("what was saved doesn't open: %v", e)
	}
	t.Cleanup(func() { s.Close() })
	return s, report, nil
}

// mustAgree fails unless the parts of a store agree with each other, and what it says is what the good one said: the same, nothing,
// or an earlier place in a log.
func mustAgree(t testing.TB, what string, s *schema.Store, report *repairstore.SalvageReport, says map[string]string) (same int) {
	t.Helper()
	found := readAll(t, s)
	for key, value := range found {
		switch good := says[key]; {
		case value == good:
			same++
		case strings.HasPrefix(key, "log ") && value != "error":
			// Only where the record, the result and the history are all lost can an old log come back.
			if !strings.HasPrefix(good, strings.TrimSuffix(value, "]")) && !(good == "error" && report.FreeLost) {
				t.Errorf("%s: %s was\n%s\nand is\n%s", what, key, good, value)
			}
		case value == "error" && (key == "history" || key == "standings" || key == "unfinished"):
			t.Errorf("%s: %s can't be read", what, key)
		}
	}
	ratings, err := s.Results.Recompute(t.Context())
	if err != nil || len(ratings.Differed) > 0 || ratings.Matches > 0 {
		t.Errorf("%s: ratings don't follow from results: %+v, %v", what, ratings, err)
	}
	for _, name := range []string{"ann", "bob", "cid"} { // a player with a key and no account could never sign in
		p, err := s.Accounts.PlayerByKey(t.Context(), "SHA256:"+name)
		if errors.Is(err, storage.ErrNotFound) {
			if _, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: "again " + name, NameKey: "again " + name}, "SHA256:"+name); err != nil {
				t.Errorf("%s: %s can neither sign in nor sign up: %v", what, name, err)
			}
			continue
		}
		if byName, err2 := s.Accounts.PlayerByName(t.Context(), p.NameKey); err != nil || err2 != nil || byName.ID != p.ID {
			t.Errorf("%s: the key of %s leads to %+v, the name to %+v, %v, %v", what, name, p, byName, err, err2)
		}
	}
	sums, err := s.Matches.Summaries(t.Context())
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for _, sum := range sums { // each goes on
		id := sum.ID
		log, err := s.Matches.Log(t.Context(), id, 1, 0)
		if err != nil {
			t.Errorf("%s: log of %s: %v", what, id, err)
			continue
		}
		if found, err := s.Matches.ByCode(t.Context(), log[0].Opening.Code, benchTime); err != nil || found != id {
			t.Errorf("%s: the code of %s leads to %q, %v", what, id, found, err)
		}
		if err := s.Matches.Append(t.Context(), id, []matches.Event{benchMove(log[len(log)-1].Seq + 1)}, matches.Summary{}); err != nil {
			t.Errorf("%s: %s doesn't go on: %v", what, id, err)
		}
	}
	if err := s.Matches.Append(t.Context(), benchID(99), []matches.Event{benchOpening(99)}, matches.Summary{}); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if _, err := s.Sweep(t.Context(), benchTime.AddDate(9, 0, 0)); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	return same
}

func TestSalvageWhole(t *testing.T) {
	good, says := small(t)
	s, report, err := salvage(t, good)
	if err != nil {
		t.Fatal(err)
	}
	if report.Lost || len(report.Ranges) > 0 || len(report.Notes) > 0 || report.Ratings > 0 {
		t.Errorf("of a good store is lost %+v", report)
	}
	for _, k := range report.Kinds {
		if k.Kept == 0 || k.Damaged+k.Dropped+k.Rebuilt+k.Earlier > 0 {
			t.Errorf("%+v", k)
		}
	}
	if got := readAll(t, s); !maps.Equal(got, says) {
		t.Error("the copy of a good store says something else")
	}
	mustAgree(t, "whole", s, report, says)
}

// Every damage that TestDamagedPages tries: what is saved is a store whose parts agree.
func TestSalvageDamagedPages(t *testing.T) {
	t.Parallel()
	good, says := small(t)
	page := os.Getpagesize()
	whole := 0
	check := func(name string, file []byte, must bool) {
		s, report, err := salvage(t, file)
		if err != nil {
			if must || !errors.Is(err, storage.ErrDamaged) {
				t.Errorf("%s: %v", name, err)
			}
			return
		}
		if same := mustAgree(t, name, s, report, says); same == len(says) {
			whole++
		} else if !report.Lost {
			t.Errorf("%s: %d of %d things are as they were, and nothing is said to be lost", name, same, len(says))
		}
		s.Close()
	}
	for at := 0; at < len(good); at += page * every(5) {
		zeroed := bytes.Clone(good)
		clear(zeroed[at : at+page])
		check(fmt.Sprintf("zeros at %d", at), zeroed, true)
		if at/page%3 == 0 {
			check(fmt.Sprintf("cut at %d", at), good[:at], false)
			check(fmt.Sprintf("cut at %d", at+page/2), good[:at+page/2], false)
			from := bytes.Clone(good)
			clear(from[at:])
			check(fmt.Sprintf("zeros from %d", at), from, false)
		}
	}
	if whole == 0 {
		t.Error("no damage was mended as a whole, not even of an index")
	}
}

// Single bytes all over the file: values have checksums, so what is saved is true.
func TestSalvageDamagedBytes(t *testing.T) {
	t.Parallel()
	good, says := small(t)
	random := rand.New(rand.NewPCG(7, 8))
	for range 60 / every(5) {
		file := bytes.Clone(good)
		at := random.IntN(len(file))
		file[at] ^= byte(1 + random.IntN(255))
		s, report, err := salvage(t, file)
		if err != nil {
			t.Errorf("byte %d: %v", at, err)
			continue
		}
		mustAgree(t, fmt.Sprintf("byte %d", at), s, report, says)
		s.Close()
	}
}

// TestSalvageRepairs: an entry that follows from others is made anew when it is missing or wrong, and an entry that belongs to nothing is
// dropped.
func TestSalvageRepairs(t *testing.T) {
	t.Parallel()
	good, says := small(t)
	ended, running := string(benchID(1)), string(benchID(4))
	for _, tt := range []struct {
		name    string
		spoil   func(tx kv.Tx) error
		kind    string // of which something is rebuilt or dropped
		rebuilt int
		dropped int
		lost    bool
		differs []string // what is not as it was
	}{
		{"names", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("names\x00")) }, "names", 3, 0, false, nil},
		{"keys", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("keys\x00")) }, "keys", 3, 0, false, nil},
		{"keys of players", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("player_keys\x00")) }, "player_keys", 3, 0, false, nil},
		{"history", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("history\x00")) }, "history", 180, 0, false, nil},
		{"results", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("results\x00")) }, "results", 30, 0, false, nil},
		{"codes", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("codes\x00")) }, "", 0, 0, false, nil},
		{"ratings", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("ratings\x00")) }, "", 0, 0, false, nil},
		{"a name without its player", func(tx kv.Tx) error { tx.Put([]byte("names\x00ghost"), []byte("aaaaaaaaaaaaaaaa")); return nil },
			"players", 1, 0, true, nil},
		{"an ended match that goes on", func(tx kv.Tx) error {
			for p := range tx.Scan(kv.Prefix([]byte("logs\x00" + running))) {
				tx.Put(bytes.Replace(p.Key, []byte(running), []byte(ended), 1), p.Value)
			}
			return nil
		}, "logs", 0, 3, false, nil},
		{"a record", func(tx kv.Tx) error { tx.Delete([]byte("finished\x00" + ended)); return nil }, "history", 0, 6, true,
			[]string{"finished " + ended, "analysis " + ended, "code " + ended, "history"}},
		{"a block of events", func(tx kv.Tx) error {
			tx.Delete([]byte("logs\x00" + running + "\x00\x00\x00\x00\x00\x00\x00\x00\x41"))
			return nil
		},
			"logs", 0, 1, true, []string{"log " + running}},
		{"the beginning of a log", func(tx kv.Tx) error {
			tx.Delete([]byte("logs\x00" + running + "\x00\x00\x00\x00\x00\x00\x00\x00\x01"))
			return nil
		},
			"logs", 0, 2, true, []string{"log " + running, "code " + running, "chat " + running, "unfinished"}},
		{"the beginning of a log before there were summaries", func(tx kv.Tx) error {
			tx.Put([]byte("meta\x00schema"), []byte("7"))
			tx.Delete([]byte("logs\x00" + running + "\x00\x00\x00\x00\x00\x00\x00\x00\x01"))
			return tx.DeletePrefix([]byte("summaries\x00"))
		}, "logs", 0, 2, true, []string{"log " + running, "code " + running, "chat " + running, "unfinished"}},
		{"all players", func(tx kv.Tx) error { return tx.DeletePrefix([]byte("players\x00")) }, "players", 3, 0, true, nil},
		{"all players and their names", func(tx kv.Tx) error {
			return errors.Join(tx.DeletePrefix([]byte("players\x00")), tx.DeletePrefix([]byte("names\x00")))
		}, "players", 3, 0, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.db")
			if err := os.WriteFile(path, good, 0o600); err != nil {
				t.Fatal(err)
			}
			engine, err := bolt.Open(path, bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(engine.Update(t.Context(), tt.spoil), engine.Close()); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, report, err := salvage(t, file)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range report.Kinds {
				if k.Kind == tt.kind && (k.Rebuilt != tt.rebuilt || k.Dropped != tt.dropped) {
					t.Errorf("%+v, want %d rebuilt and %d dropped", k, tt.rebuilt, tt.dropped)
				}
			}
			if report.Lost != tt.lost {
				t.Errorf("lost is %t, want %t: %+v", report.Lost, tt.lost, report.Notes)
			}
			for key, value := range readAll(t, s) {
				if differs := slices.Contains(tt.differs, key); (value != says[key]) != differs {
					t.Errorf("%s was\n%s\nand is\n%s\nand should differ: %t", key, says[key], value, differs)
				}
			}
			mustAgree(t, tt.name, s, report, says)
		})
	}
}

// Salvage refuses what it can make nothing of, and writes into nothing that is a store.
func TestSalvageRefused(t *testing.T) {
	for name, file := range map[string][]byte{
		"empty": {}, "one byte": {0}, "text": bytes.Repeat([]byte("once upon a time "), 2000), "zeros": make([]byte, 100_000),
	} {
		if _, _, err := salvage(t, file); !errors.Is(err, storage.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good, _ := small(t)
	headless := bytes.Clone(good)
	clear(headless[:2*os.Getpagesize()])
	if _, _, err := salvage(t, headless); !errors.Is(err, storage.ErrDamaged) || !strings.Contains(err.Error(), "both meta pages are lost") {
		t.Errorf("a store without meta pages: %v", err)
	}
	s, _, err := salvage(t, good)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	path := filepath.Join(t.TempDir(), "club.db")
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := bolt.OpenDamaged(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	other := open(t, filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	defer other.Close()
	if _, err := repairstore.Salvage(t.Context(), d, other.engine, schema.Config{}, benchTime); err == nil || !strings.Contains(err.Error(), "a store already") {
		t.Errorf("Salvage into a store = %v", err)
	}
	if _, err := bolt.Open(path, bolt.Options{LockTimeout: time.Millisecond}); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("a store that is being read can be opened: %v", err)
	}
}
