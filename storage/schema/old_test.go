package schema

import (
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// oldStore is a store of schema 1, byte by byte as the first version of the program wrote it: a rated match between Ana and
// Rui that has ended, and one that goes on.
func oldStore(t *testing.T, path string) {
	t.Helper()
	const (
		head = `{"c":"ABCDEF","g":"tanks","o":{"size":8},"f":{"kind":"player","id":"p1","name":"Ana"},` +
			`"s":{"kind":"player","id":"p2","name":"Rui"},"r":"first","e":"resigned","n":1,"d":true,"b":1700000000123,` +
			`"t":1700000060123,"q":1}`
		opened = `{"k":"opened","s":1,"t":1700000000123,"o":{"code":"GHJKMN","game":"tanks","options":{"size":8},` +
			`"first":{"kind":"player","id":"p1","name":"Ana"}}}`
		joined = `{"k":"joined","s":2,"t":1700000001123,"w":{"kind":"player","id":"p2","name":"Rui"}}`
		result = `{"m":"m1","g":"tanks","f":"p1","s":"p2","r":"first","t":1700000060123}`
		ended  = "\x80\x00\x01\x8b\xcf\xe6R\xdb"
		newbie = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xdf\xe6\xa2\xe2\xa0\x1c\x00\x00\x00\x00"
		winner = "@\x97\xb0\x00\x00\x00\x00\x00@r\xc0\x00\x00\x00\x00\x00?\xae\xb8Q\xeb\x85\x1e\xb8\xb6\xcb\xb2\xfe\xf9b\x01\x01\x00\x00"
		loser  = "@\x970\x00\x00\x00\x00\x00@r\xc0\x00\x00\x00\x00\x00?\xae\xb8Q\xeb\x85\x1e\xb8\xb6\xcb\xb2\xfe\xf9b\x01\x00\x00\x01"
	)
	sealed := func(content string) string { return string(storage.Seal(1, []byte(content))) }
	record := string(binary.AppendUvarint(nil, uint64(len(head)))) + head + "\x01\x05a2-a3\xd0\x0f"
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{"meta", "players", "names", "keys", "player_keys", "logs", "finished", "history", "codes",
			"code_ends", "results", "changes", "ratings"} {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		for _, v := range [][3]string{
			{"meta", "schema", "1"},
			{"players", "p1", sealed(`{"name":"Ana","name_key":"ana","since":1700000000000,"settings":{"mute":true}}`)},
			{"players", "p2", sealed(`{"name":"Rui","name_key":"rui","since":1700000000000}`)},
			{"names", "ana", "p1"}, {"names", "rui", "p2"},
			{"keys", "SHA256:a", "p1"}, {"keys", "SHA256:r", "p2"},
			{"player_keys", "p1\x00SHA256:a", ""}, {"player_keys", "p2\x00SHA256:r", ""},
			{"finished", "m1", sealed(record)},
			{"history", "\x00\x00" + ended + "m1", ""}, {"history", "\x00tanks\x00" + ended + "m1", ""},
			{"history", "p1\x00\x00" + ended + "m1", ""}, {"history", "p1\x00tanks\x00" + ended + "m1", ""},
			{"history", "p2\x00\x00" + ended + "m1", ""}, {"history", "p2\x00tanks\x00" + ended + "m1", ""},
			{"results", "\x00\x00\x00\x00\x00\x00\x00\x01", sealed(result)},
			{"changes", "\x00\x00\x00\x00\x00\x00\x00\x01", sealed(newbie + winner + newbie + loser)},
			{"ratings", "tanks\x00p1", sealed(winner)}, {"ratings", "tanks\x00p2", sealed(loser)},
			{"codes", "ABCDEF", "m1\x00\x80\x00\x01\x8cje\x1a\xdb"}, {"code_ends", "\x80\x00\x01\x8cje\x1a\xdbABCDEF", ""},
			{"codes", "GHJKMN", "m2\x00"},
			{"logs", "m2\x00\x00\x00\x00\x00\x00\x00\x00\x01", sealed(opened)},
			{"logs", "m2\x00\x00\x00\x00\x00\x00\x00\x00\x02", sealed(joined)},
		} {
			if err := tx.Bucket([]byte(v[0])).Put([]byte(v[1]), []byte(v[2])); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte("results")).SetSequence(1)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A store of the first version is read, and written on, by this one.
func TestOldStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	oldStore(t, path)
	engine, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), engine, Config{Rate: func(m results.RatedMatch) (c [2]results.RatingChange) {
		for i, score := range []float64{m.Score, 1 - m.Score} {
			c[i] = results.RatingChange{After: results.Rating{Rating: 1500 + 32*(score-0.5), Deviation: 300, Volatility: 0.06, At: m.At}, Weight: 1}
		}
		return c
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, at := t.Context(), time.UnixMilli(1700000060123).UTC()
	same := func(what string, want, got any, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", what, err, diff)
		}
	}
	ana := accounts.Player{ID: "p1", Name: "Ana", NameKey: "ana", Since: time.UnixMilli(1700000000000).UTC(), Settings: accounts.Settings{Mute: true}}
	p, err := s.Accounts.PlayerByKey(ctx, "SHA256:a")
	same("the player of a key", ana, p, err)
	p, err = s.Accounts.PlayerByName(ctx, "ana")
	same("the player of a name", ana, p, err)
	keys, err := s.Accounts.Keys(ctx, "p1")
	same("keys", []string{"SHA256:a"}, keys, err)

	won := results.Rating{Rating: 1516, Deviation: 300, Volatility: 0.06, At: at, Played: 1, Won: 1}
	lost := results.Rating{Rating: 1484, Deviation: 300, Volatility: 0.06, At: at, Played: 1, Lost: 1}
	row := results.Finished{
		ID: "m1", Code: "ABCDEF", Game: "tanks", Options: games.Options{"size": 8}, First: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Ana"},
		Second: storage.Occupant{Kind: storage.Person, ID: "p2", Name: "Rui"}, Result: "first", Reason: "resigned", Plies: 1, Rated: true,
		Started: sampleTime, Ended: at, Effect: results.Effect{Ratings: &[2]results.RatingChange{{After: won, Weight: 1}, {After: lost, Weight: 1}}},
	}
	whole := row
	whole.Moves, whole.Times = []games.Move{"a2-a3"}, []time.Time{sampleTime.Add(time.Second)}
	f, err := s.Results.Finished(ctx, "m1")
	same("the record", whole, f, err)
	for _, player := range []storage.PlayerID{"", "p1", "p2"} {
		for _, game := range []string{"", "tanks"} {
			rows, err := s.Results.History(ctx, results.HistoryQuery{Player: player, Game: game, Limit: 9})
			same("history of "+string(player)+" "+game, []results.Finished{row}, rows, err)
		}
	}
	standings, err := s.Results.Standings(ctx, "tanks")
	same("standings", []results.Standing{{Player: "p1", Name: "Ana", Rating: won}, {Player: "p2", Name: "Rui", Rating: lost}}, standings, err)
	report, err := s.Results.Recompute(ctx)
	same("recomputed", results.RecomputeReport{Results: 1, Ratings: 2}, report, err)

	for code, want := range map[string]storage.MatchID{"ABCDEF": "m1", "GHJKMN": "m2"} {
		id, err := s.Matches.ByCode(ctx, code, at.Add(results.CodeLife-time.Millisecond))
		same("the code "+code, want, id, err)
	}
	n, err := s.Sweep(ctx, at.Add(results.CodeLife))
	same("codes that have ended", 1, n, err)

	log, err := s.Matches.Log(ctx, "m2", 1, 0)
	if err != nil || len(log) != 2 || log[0].Opening == nil || log[1].Who.Name != "Rui" {
		t.Fatalf("the log: %+v, %v", log, err)
	}
	moved := matches.Event{Seq: 3, Version: matches.EventVersion, Kind: matches.Moved, Seat: storage.FirstSeat, At: at, Move: "a2-a3"}
	same("a move", nil, nil, s.Matches.Append(ctx, "m2", []matches.Event{moved}, matches.Summary{}))
	log, err = s.Matches.Log(ctx, "m2", 1, 0)
	same("the last event", moved, log[len(log)-1], err)
}
