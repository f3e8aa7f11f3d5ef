package lobby_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestShortMatchesAreNotRated: a rated match counts, and is kept, only if each side has made two moves. View, record, history,
// ratings, leaderboard and a recomputation from the results agree, and a rematch is rated all the same.
func TestShortMatchesAreNotRated(t *testing.T) {
	bubble(t, testShortMatches)
}

func testShortMatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	var ids []storage.MatchID
	const longEnough = 4 // moves
	check := func(l *lobby.Lobby, store *schema.Store, ana lobby.User) {
		t.Helper()
		c := &club{Lobby: l, t: t}
		for moves, id := range ids {
			counts := moves >= longEnough
			v := c.now(c.seat(ana, id))
			f, err := c.seat(ana, id).Record(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if v.Result != "second" && v.Result != "first" || v.Rated != counts || (v.Ratings != nil) != counts ||
				f.Rated != counts || (f.Ratings != nil) != counts {
				t.Errorf("after %d moves: result %q, rated %v, in the record %v, ratings %v", moves, v.Result, v.Rated, f.Rated, v.Ratings)
			}
			if v.Temporary == counts || f.Temporary == counts {
				t.Errorf("after %d moves: temporary %v, in the record %v", moves, v.Temporary, f.Temporary)
			}
		}
		rows, _, err := l.Results.History(t.Context(), standings.HistoryQuery{Name: "ana", Limit: 10})
		if err != nil || len(rows) != len(ids)-longEnough {
			t.Fatalf("%d rows of history, %v", len(rows), err)
		}
		for _, row := range rows {
			if moves := slices.Index(ids, row.ID); !row.Rated || moves < longEnough {
				t.Errorf("history, after %d moves: rated %v", moves, row.Rated)
			}
		}
		lines, err := l.Standings.Leaderboard(t.Context(), "fourmation")
		if err != nil || len(lines) != 2 || lines[0].Played != 1 || lines[1].Played != 1 {
			t.Errorf("leaderboard: %+v, %v", lines, err)
		}
		if r, err := store.Results.Recompute(t.Context()); err != nil || r.Results != 1 || r.Matches != 0 || len(r.Differed) != 0 {
			t.Errorf("recomputed: %+v, %v", r, err)
		}
	}
	run := func(play func(l *lobby.Lobby, store *schema.Store, ana, rui lobby.User)) {
		t.Helper()
		store, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		l, err := lobby.New(t.Context(), lobby.StoreOf(store), lobby.Config{Games: []games.Game{fourmation.New()}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		c := &club{Lobby: l, t: t}
		play(l, store, c.account("ana"), c.account("rui"))
	}
	run(func(l *lobby.Lobby, store *schema.Store, ana, rui lobby.User) {
		c := &club{Lobby: l, t: t, ana: ana, rui: rui}
		for moves := range longEnough + 1 {
			a, r := c.start(func(s *seats.Spec) { s.Rated = true })
			c.play(a, r, win[:moves]...)
			if v := c.now(a); !v.Rated {
				t.Errorf("after %d moves it goes on and isn't rated", moves)
			}
			if err := r.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, a.ID())
		}
		check(l, store, ana)
		again, err := c.seat(ana, ids[0]).Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v := c.now(c.seat(ana, again.ID)); !v.Rated {
			t.Error("the rematch of a rated match without moves isn't rated")
		}
	})
	run(func(l *lobby.Lobby, store *schema.Store, ana, _ lobby.User) {
		check(l, store, ana)
		c := &club{Lobby: l, t: t}
		for moves, id := range ids[1:] {
			time.Sleep(5 * time.Minute) // more of them wait than one player may ask another for in a row
			again, err := c.seat(ana, id).Rematch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if v := c.now(c.seat(ana, again.ID)); !v.Rated {
				t.Errorf("after a restart, the rematch of a rated match with %d moves isn't rated", moves+1)
			}
		}
		casual, r := (&club{Lobby: l, t: t, ana: ana, rui: c.account("rui")}).start()
		if err := r.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		ids = []storage.MatchID{casual.ID()}
	})
	run(func(l *lobby.Lobby, _ *schema.Store, ana, _ lobby.User) {
		c := &club{Lobby: l, t: t}
		again, err := c.seat(ana, ids[0]).Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v := c.now(c.seat(ana, again.ID)); v.Rated {
			t.Error("after a restart, the rematch of a casual match is rated")
		}
	})
}

// TestOldShortMatchesStayRated: what earlier versions have rated stays as it is.
func TestOldShortMatchesStayRated(t *testing.T) {
	c := newClub(t)
	at := time.UnixMilli(1_760_000_000_000).UTC()
	opening := &matches.Opening{
		Code: "ABC234", Game: "fourmation", Options: fullOptions(t, fourmation.New()), Rated: true,
		First: c.ana.Occupant(), Second: c.rui.Occupant(),
	}
	log := []matches.Event{
		{Seq: 1, Version: matches.EventVersion, Kind: matches.Opened, At: at, Opening: opening},
		{Seq: 2, Version: matches.EventVersion, Kind: matches.Resigned, Seat: storage.SecondSeat, At: at},
		{Seq: 3, Version: matches.EventVersion, Kind: matches.Ended, Result: "first", Reason: "resigned", At: at},
	}
	s, err := match.Fold("old22222", c.Game, log)
	if err != nil {
		t.Fatal(err)
	}
	f := match.Record(s.View(), nil)
	f.Rated, f.Temporary = true, false
	if err := c.store.Memory.Append(t.Context(), s.ID, log[:1], matches.Summary{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.store.Memory.Finish(t.Context(), s.ID, log[1:], f, nil); err != nil {
		t.Fatal(err)
	}
	v := c.now(c.seat(c.ana, s.ID))
	got, err := c.seat(c.ana, s.ID).Record(t.Context())
	if err != nil || v.Temporary || !v.Rated || v.Ratings == nil || !got.Rated || got.Ratings == nil {
		t.Errorf("rated %v, ratings %v; in the record %v, %v; %v", v.Rated, v.Ratings, got.Rated, got.Ratings, err)
	}
}

// fullOptions returns all options of a game, with their defaults.
func fullOptions(t *testing.T, g games.Game) games.Options {
	t.Helper()
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
