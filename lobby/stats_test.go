package lobby_test

import (
	"context"
	"errors"
	"testing"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// counted is a Stats as plain numbers.
type counted struct{ opened, ended, moves, botMoves, failed int64 }

func read(s *lobby.Stats) counted {
	return counted{s.Opened.Load(), s.Ended.Load(), s.Moves.Load(), s.BotMoves.Load(), s.Failed.Load()}
}

func TestStats(t *testing.T) {
	var s lobby.Stats
	c := newClub(t, func(cfg *lobby.Config) { cfg.Stats = &s })
	check := func(what string, want counted) {
		t.Helper()
		if got := read(&s); got != want {
			t.Errorf("after %s: %+v, want %+v", what, got, want)
		}
	}
	check("opening the club", counted{})
	a, b := c.start()
	check("two have sat down", counted{opened: 1})
	c.play(a, b, win[:3]...)
	check("three moves", counted{opened: 1, moves: 3})
	if err := a.Move(t.Context(), "a1", lobby.AnyPly); err == nil {
		t.Fatal("a1 was played twice")
	}
	check("a move that was refused", counted{opened: 1, moves: 3})
	c.play(a, b, win[3:]...)
	check("the end", counted{opened: 1, ended: 1, moves: 7})

	bot := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "first"})
	c.until(c.seat(c.ana, bot.ID), plies(1))
	check("a computer player's move", counted{opened: 2, ended: 1, moves: 7, botMoves: 1})
	broken := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "broken"})
	c.until(c.seat(c.ana, broken.ID), over)
	check("a computer player that can't", counted{opened: 3, ended: 2, moves: 7, botMoves: 1, failed: 1})
}

// TestStatsAfterTrouble: a move that turns out to have been written counts once, one that was not doesn't count.
func TestStatsAfterTrouble(t *testing.T) {
	var s lobby.Stats
	c := newClub(t, func(cfg *lobby.Config) { cfg.Stats = &s })
	a, b := c.start()
	broken := func([]matches.Event) error { return storage.ErrCommit }
	c.store.set(nil, broken, nil)
	c.play(a, b, "a1")
	c.store.set(broken, nil, nil)
	if err := b.Move(t.Context(), "b2", lobby.AnyPly); !errors.Is(err, lobby.ErrBusy) {
		t.Fatalf("Move on a broken store = %v", err)
	}
	if got, want := read(&s), (counted{opened: 1, moves: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestLoad(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	slow := lobby.Level{ID: "slow", Name: "Tardus", Move: func(ctx context.Context, p games.Position, _ *games.Random) (games.Move, error) {
		began <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return p.Legal()[0], nil
	}}
	c := newClub(t, func(cfg *lobby.Config) { cfg.Levels, cfg.Workers = []lobby.Level{slow}, 1 })
	if got := c.Load(); got != (lobby.Load{Nodes: 1}) {
		t.Errorf("a new club carries %+v", got)
	}
	defer c.Presence.Enter(c.ana)()
	defer c.Presence.Enter(c.ana)()
	defer c.Presence.Enter(c.guest)()
	c.open(c.rui, seats.Spec{Game: "fourmation", Public: true})
	c.open(c.rui, seats.Spec{Game: "fourmation"})
	c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "slow"})
	<-began
	c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "slow"})
	want := lobby.Load{Here: 2, Matches: 4, Offers: 1, Thinking: 1, Waiting: 1, Kinds: lobby.Kinds{Waiting: 2, Bots: 2}, Nodes: 1, Owned: 4}
	got := c.Load()
	if got.LongestWait <= 0 {
		t.Errorf("a computer player waits, for %v", got.LongestWait)
	}
	if got.LongestWait = 0; got != want {
		t.Errorf("the club carries %+v, want %+v", got, want)
	}
	close(goOn)
	<-began
	_ = c.Close()
	if got := c.Load(); got.Thinking != 0 {
		t.Errorf("%d computer players think in a closed club", got.Thinking)
	}
}
