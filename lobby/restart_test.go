package lobby_test

import (
	"path/filepath"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

func TestRestart(t *testing.T) {
	c := newClub(t)
	a, r := c.start()
	c.play(a, r, win[:5]...)
	offer := c.open(c.ana, seats.Spec{Game: "petteia", Public: true})
	bot := c.seat(c.rui, c.open(c.rui, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}).ID)
	done, doneToo := c.start()
	c.play(done, doneToo, win...)
	again, err := done.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := text(c.now(a))
	c.Close()

	c = reopen(t, c.store)
	a, r = c.seat(c.ana, a.ID()), c.seat(c.rui, r.ID())
	if got := text(c.now(a)); got != want {
		t.Errorf("after the restart:\n%s\nwant:\n%s", got, want)
	}
	if l := c.Lists.Now(c.ana); len(l.Offers) != 1 || l.Offers[0].ID != offer.ID || len(l.Yours.Matches) != 3 {
		t.Errorf("lists after the restart: %+v, %+v", l.Offers, l.Yours)
	}
	if v := c.now(c.seat(c.rui, done.ID())); v.Rematch == nil || v.Rematch.Ref != again || v.Rematch.By != c.ana.Occupant() {
		t.Errorf("the rematch after the restart: %+v", v.Rematch)
	}
	if ref, err := c.seat(c.rui, done.ID()).Rematch(t.Context()); ref != again || err != nil {
		t.Errorf("accepting the rematch: %v, %v", ref, err)
	}
	c.play(a, r, win[5:]...)
	if v := c.now(r); v.Result != "first" {
		t.Errorf("played on to %q", v.Result)
	}
	bot = c.seat(c.rui, bot.ID())
	c.play(bot, bot, "d4")
	c.until(bot, plies(2))
}

// A damaged log is left alone and harms nobody.
func TestDamagedLog(t *testing.T) {
	c := newClub(t)
	a, _ := c.start()
	b, r := c.start()
	// A match that nobody could have played: the second side moves first.
	e := matches.Event{Seq: 3, Version: 1, Kind: matches.Moved, Seat: storage.SecondSeat, Move: "d4", At: c.now(a).LastAt}
	if err := c.store.Memory.Append(t.Context(), a.ID(), []matches.Event{e}, matches.Summary{}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	c = reopen(t, c.store)
	_, err := c.Seats.At(t.Context(), c.ana, lobby.Ref{ID: a.ID()})
	wantErr(t, "the damaged match", err, lobby.ErrDamaged)
	c.play(c.seat(c.ana, b.ID()), c.seat(c.rui, r.ID()), "d4", "e5")
	log, err := c.store.Memory.Log(t.Context(), a.ID(), 1, 0)
	if err != nil || len(log) != 3 {
		t.Errorf("the damaged log was touched: %d events, %v", len(log), err)
	}
}

// An engine that panics over what an earlier version of it has written costs these matches, and not the club.
func TestUnreadableMatches(t *testing.T) {
	c := newClub(t)
	log, _ := c.start()
	c.play(log, log, "d4")
	record, r := c.start()
	c.play(record, r, "d4", "e5")
	if err := r.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	sound, s := c.start()
	c.play(sound, s, "a1")
	c.Close()

	c = reopen(t, c.store, func(cfg *lobby.Config) { cfg.Games = []games.Game{explosive{fourmation.New()}} })
	for what, id := range map[string]storage.MatchID{"the log": log.ID(), "the record": record.ID()} {
		s, err := c.Seats.At(t.Context(), c.ana, lobby.Ref{ID: id})
		if err == nil {
			_, err = s.Now(t.Context())
		}
		wantErr(t, what, err, lobby.ErrDamaged)
	}
	c.play(c.seat(c.ana, sound.ID()), c.seat(c.rui, sound.ID()), "b2", "b1")
}

// The same on the real store: a rated match over two runs of the club, and its traces in every book.
func TestOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	run := func(play func(l *lobby.Lobby, ana, rui lobby.User)) {
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
		play(l, c.account("ana"), c.account("rui"))
	}
	var ref lobby.Ref
	var before string
	run(func(l *lobby.Lobby, ana, rui lobby.User) {
		c := &club{Lobby: l, t: t, ana: ana, rui: rui}
		a, r := c.start(func(s *seats.Spec) { s.Rated = true })
		ref = c.now(a).Ref
		c.play(a, r, win[:5]...)
		before = text(c.now(a))
	})
	run(func(l *lobby.Lobby, ana, rui lobby.User) {
		c := &club{Lobby: l, t: t}
		a, r := c.seat(ana, ref.ID), c.seat(rui, ref.ID)
		if got := text(c.now(a)); got != before {
			t.Errorf("after the restart:\n%s\nwant:\n%s", got, before)
		}
		c.play(a, r, win[5:]...)
		if v := c.now(r); v.Result != "first" || v.Ratings == nil {
			t.Errorf("the end: %s", text(v))
		}
	})
	run(func(l *lobby.Lobby, ana, rui lobby.User) {
		c := &club{Lobby: l, t: t}
		v := c.now(c.seat(rui, ref.ID))
		if v.Result != "first" || v.Ply() != len(win) || v.Ratings == nil || v.Code != ref.Code {
			t.Errorf("from the record: %s", text(v))
		}
		found, err := l.Finder.Find(t.Context(), lobby.User{}, origin.Origin{}, ref.Code)
		if found.ID != ref.ID || err != nil {
			t.Errorf("the code of a finished match leads to %v, %v", found, err)
		}
		lines, err := l.Standings.Leaderboard(t.Context(), "fourmation")
		if err != nil || len(lines) != 2 || lines[0].Name != "ana" || lines[0].Won != 1 || lines[1].Lost != 1 {
			t.Errorf("leaderboard: %+v, %v", lines, err)
		}
		rows, next, err := l.Results.History(t.Context(), standings.HistoryQuery{Name: "rui", Limit: 1})
		if err != nil || len(rows) != 1 || next.ID != ref.ID {
			t.Errorf("history: %+v, %+v, %v", rows, next, err)
		}
		rows, next, err = l.Results.History(t.Context(), standings.HistoryQuery{Name: "rui", Limit: 1, Before: next})
		if err != nil || len(rows) != 0 || next != (results.Cursor{}) {
			t.Errorf("history, the end: %+v, %+v, %v", rows, next, err)
		}
	})
}

// TestExhibitionAcrossRestart: the club still knows who opened an exhibition: it counts for them, and they alone may end it.
func TestExhibitionAcrossRestart(t *testing.T) {
	slow := func(cfg *lobby.Config) { cfg.BotDelay = time.Hour }
	c := newClub(t, slow)
	spec := seats.Spec{Game: "petteia", Bots: [2]string{"first", "first"}, Public: true}
	one := c.open(c.ana, spec)
	c.open(c.ana, spec)
	c.Close()
	c = reopen(t, c.store, slow)
	_, err := c.Seats.Open(t.Context(), c.ana, spec)
	wantErr(t, "a third one", err, lobby.ErrTooMany)
	wantErr(t, "another user ends it", c.seat(c.rui, one.ID).Abort(t.Context()), lobby.ErrNotSeated)
	wantErr(t, "ending it", c.seat(c.ana, one.ID).Abort(t.Context()), nil)
	c.open(c.ana, spec)
}
