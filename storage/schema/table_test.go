package schema

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage"
	"ludoteca/storage/chat"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A drawn key is one of a table with what it is compared by.
type drawnKey struct {
	written []byte
	parts   []any // texts, numbers and times, in their order
}

var (
	texts   = rapid.StringOfN(rapid.RuneFrom([]rune("ab\x01é")), 0, 4, -1)
	moments = rapid.Custom(func(t *rapid.T) time.Time { return storage.FromMS(rapid.Int64Range(-5, 1<<50).Draw(t, "ms")) })
	numbers = rapid.Uint64()
)

// forms draw a key and write it, and report whether it comes back.
var forms = map[string]func(t *rapid.T) drawnKey{
	"a text": func(t *rapid.T) drawnKey {
		k := texts.Draw(t, "text")
		return comesBack(t, storage.Text[string](nil), k, k)
	},
	"a text and a number": func(t *rapid.T) drawnKey {
		k := matches.LogKey{Match: storage.MatchID(texts.Draw(t, "match")), Seq: numbers.Draw(t, "seq")}
		return comesBack(t, matches.Logs.Keys, k, string(k.Match), k.Seq)
	},
	"a time and a text": func(t *rapid.T) drawnKey {
		k := matches.CodeEnd{At: moments.Draw(t, "at"), Code: texts.Draw(t, "code")}
		return comesBack(t, matches.CodeEnds.Keys, k, k.At, k.Code)
	},
	"two texts, a time and a text": func(t *rapid.T) drawnKey {
		k := results.Place{Player: storage.PlayerID(texts.Draw(t, "player")), Game: texts.Draw(t, "game"), At: results.Cursor{Ended: moments.Draw(t, "ended"), ID: storage.MatchID(texts.Draw(t, "match"))}}
		return comesBack(t, results.History.Keys, k, string(k.Player), k.Game, k.At.Ended, string(k.At.ID))
	},
	"a text, a byte and a number": func(t *rapid.T) drawnKey {
		k := chat.LineID{Match: storage.MatchID(texts.Draw(t, "match")), Room: chat.Room(rapid.Byte().Draw(t, "room")), Number: numbers.Draw(t, "number")}
		return comesBack(t, chat.Lines.Keys, k, string(k.Match), uint64(k.Room), k.Number)
	},
	"three texts": func(t *rapid.T) drawnKey {
		k := cluster.PresentID{Node: cluster.NodeID(texts.Draw(t, "node")), Kind: storage.OccupantKind(texts.Draw(t, "kind")), ID: texts.Draw(t, "id")}
		return comesBack(t, cluster.Presence.Keys, k, string(k.Node), string(k.Kind), k.ID)
	},
}

func comesBack[K comparable](t *rapid.T, form storage.KeyForm[K], k K, parts ...any) drawnKey {
	written := form.Add(nil, k)
	if back, ok := form.Parse(written); !ok || back != k {
		t.Fatalf("%+v is written as %q and comes back as %+v, %v", k, written, back, ok)
	}
	return drawnKey{written, parts}
}

// comparePart compares two parts of keys.
func comparePart(a, b any) int {
	switch a := a.(type) {
	case string:
		return bytes.Compare([]byte(a), []byte(b.(string)))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	switch x, y := a.(uint64), b.(uint64); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// TestKeysSort: keys come back as they were written, and sort by their parts, one after the other.
func TestKeysSort(t *testing.T) {
	for name, draw := range forms {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := draw(t), draw(t)
				want := slices.CompareFunc(a.parts, b.parts, comparePart)
				if got := bytes.Compare(a.written, b.written); got != want {
					t.Fatalf("%v and %v compare as %d, want %d", a.parts, b.parts, got, want)
				}
			})
		})
	}
}

// TestKeysThatMakeNoSense: what isn't a key of a form is none.
func TestKeysThatMakeNoSense(t *testing.T) {
	for name, ok := range map[string]bool{
		"a log without a number":   second(matches.Logs.Keys.Parse([]byte("m1"))),
		"a log with a short one":   second(matches.Logs.Keys.Parse([]byte("m1\x00\x00\x01"))),
		"a log with more after it": second(matches.Logs.Keys.Parse([]byte("m1\x00\x00\x00\x00\x00\x00\x00\x00\x01x"))),
		"an end without a time":    second(matches.CodeEnds.Keys.Parse([]byte("ABC"))),
		"a line without a room":    second(chat.Lines.Keys.Parse([]byte("m1\x00"))),
		"a pair of one player":     second(results.ResultIndex.Keys.Parse([]byte("pair\x00tanks\x00a\x00\x00\x00\x00\x00\x00\x00\x00\x01"))),
		"another kind of result":   second(results.ResultIndex.Keys.Parse([]byte("game\x00tanks\x00a\x00\x00\x00\x00\x00\x00\x00\x00\x01"))),
	} {
		if ok {
			t.Errorf("%s counts as a key", name)
		}
	}
}

func second[K any](_ K, ok bool) bool { return ok }

// A note is what tests keep in a table of their own.
type note struct {
	Words string `json:"words"`
}

var notesOfTest = storage.Table[matches.LogKey, note]{
	Name: "settled", Keys: matches.Logs.Keys, Values: storage.JSON[matches.LogKey, note](2),
	Check: func(_ matches.LogKey, n note) error {
		if n.Words == "" {
			return storage.Damaged("a note without words")
		}
		return nil
	},
}

// TestTable: what is put into a table is found there, alone and among others, and what can't be read is an error.
func TestTable(t *testing.T) {
	s := openStore(t, Config{})
	key := func(id storage.MatchID, n uint64) matches.LogKey { return matches.LogKey{Match: id, Seq: n} }
	fill(t, s.engine, 3, func(tx kv.Tx, i int) error {
		return errors.Join(notesOfTest.Put(tx, key("a", uint64(i)), note{"of a"}), notesOfTest.Put(tx, key("ab", uint64(i)), note{"of ab"}))
	})
	if err := s.engine.View(t.Context(), func(r kv.Reader) error {
		if n, err := notesOfTest.Get(r, key("ab", 2)); n.Words != "of ab" || err != nil {
			t.Errorf("Get: %+v, %v", n, err)
		}
		if _, err := notesOfTest.Get(r, key("b", 1)); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Get of a missing one: %v", err)
		}
		if _, found, err := notesOfTest.Find(r, key("b", 1)); found || err != nil {
			t.Errorf("Find of a missing one: %v, %v", found, err)
		}
		if _, err := notesOfTest.GetAll(r, []matches.LogKey{key("a", 1), key("b", 1)}); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("GetAll with a missing one: %v", err)
		}
		all, there, err := notesOfTest.FindAll(r, []matches.LogKey{key("ab", 1), key("b", 1), key("a", 0)})
		if err != nil || !slices.Equal(there, []bool{true, false, true}) || all[0].Words != "of ab" || all[2].Words != "of a" {
			t.Errorf("FindAll: %v, %v, %v", all, there, err)
		}
		one, err := notesOfTest.Under("a").Entries(r)
		if err != nil || len(one) != 3 || one[2].Key != key("a", 2) {
			t.Errorf("all of a: %v, %v", one, err)
		}
		last, found, err := notesOfTest.All().Before(key("ab", 1)).Last(r)
		if last.Key != key("ab", 0) || !found || err != nil {
			t.Errorf("Last: %+v, %v, %v", last, found, err)
		}
		first, found, err := notesOfTest.All().StartingAt(key("a", 2)).First(r)
		if first.Key != key("a", 2) || !found || err != nil {
			t.Errorf("First: %+v, %v, %v", first, found, err)
		}
		first, found, err = notesOfTest.All().After(key("a", 1)).First(r)
		if first.Key != key("a", 2) || !found || err != nil {
			t.Errorf("First after a key: %+v, %v, %v", first, found, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for what, value := range map[string][]byte{
		"no seal": []byte("x"), "a later version": storage.Seal(3, []byte(`{"words":"x"}`)), "more fields": storage.Seal(2, []byte(`{"words":"x","of":1}`)), "no words": storage.Seal(2, []byte(`{"words":""}`)),
	} {
		fill(t, s.engine, 1, func(tx kv.Tx, _ int) error { tx.Put(notesOfTest.Key(key("a", 1)), value); return nil })
		_, err := storage.View(t.Context(), s.engine, "notes", func(r kv.Reader) ([]note, error) { return notesOfTest.All().Values(r) })
		if !errors.Is(err, storage.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSweepGoesOn: a sweep removes what is over beside a row that can't be read, and says so.
func TestSweepGoesOn(t *testing.T) {
	s := openStore(t, Config{})
	fill(t, s.engine, 2*storage.SweepStep+1, func(tx kv.Tx, i int) error {
		if i == storage.SweepStep/2 {
			tx.Put(notesOfTest.Key(matches.LogKey{Match: "a", Seq: uint64(i)}), []byte("x"))
			return nil
		}
		return notesOfTest.Put(tx, matches.LogKey{Match: "a", Seq: uint64(i)}, note{[]string{"old", "new"}[i%2]})
	})
	err := notesOfTest.All().Sweep(t.Context(), s.engine, func(_ kv.Reader, e storage.Entry[matches.LogKey, note]) (bool, error) {
		return e.Value.Words == "old", nil
	})
	if !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("a row that can't be read: %v", err)
	}
	if left := len(dump(t, s.engine, notesOfTest)); left != storage.SweepStep+1 {
		t.Errorf("%d rows are left, want %d", left, storage.SweepStep+1)
	}
}

// TestFollowByKey: a follower gets the keys of rows that are gone, also of rows that could not be read.
func TestFollowByKey(t *testing.T) {
	s := openStore(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began, gone, bad := make(chan struct{}), make(chan matches.LogKey, 2), make(chan string, 2)
	ended := make(chan error)
	go func() {
		ended <- notesOfTest.Follow(ctx, s.engine, storage.Follower[matches.LogKey, note]{
			All: func([]note) { close(began) }, Gone: func(k matches.LogKey) { gone <- k }, Bad: func(key string, _ error) { bad <- key },
		})
	}()
	<-began
	fill(t, s.engine, 1, func(tx kv.Tx, _ int) error {
		tx.Put(notesOfTest.Key(matches.LogKey{Match: "a", Seq: 7}), []byte("x"))
		return nil
	})
	if key := <-bad; key != string(matches.Logs.Keys.Add(nil, matches.LogKey{Match: "a", Seq: 7})) {
		t.Errorf("the row %q can't be read", key)
	}
	fill(t, s.engine, 1, func(tx kv.Tx, _ int) error { notesOfTest.Delete(tx, matches.LogKey{Match: "a", Seq: 7}); return nil })
	if k := <-gone; k != (matches.LogKey{Match: "a", Seq: 7}) {
		t.Errorf("%+v is gone", k)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
