package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// ranked is a store with standings of its own.
type ranked struct {
	*faulty
	asked atomic.Int32
	err   error
}

func (r *ranked) Standings(context.Context, string) ([]results.Standing, error) {
	r.asked.Add(1)
	now := time.Now()
	line := func(name string, rating, deviation float64, age time.Duration) results.Standing {
		return results.Standing{Name: name, Rating: results.Rating{Rating: rating, Deviation: deviation, Volatility: 0.06, At: now.Add(-age), Played: 9}}
	}
	return []results.Standing{
		line("new", 2000, 300, 0), line("middle", 1500, 60, 0), line("best", 1800, 60, 0),
		line("away", 1900, 100, 3*365*24*time.Hour), line("last", 1200, 60, standings.RankedFor), line("resting", 1300, 60, standings.RankedFor+time.Minute),
	}, r.err
}

// TestLeaderboardAfterAMatch: the result of a rated match shows at once, however young the leaderboard.
func TestLeaderboardAfterAMatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		won := func() int {
			lines, err := c.Standings.Leaderboard(t.Context(), "fourmation")
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				if line.Name == "ana" {
					return line.Won
				}
			}
			return 0
		}
		for i := range 3 {
			if n := won(); n != i {
				t.Errorf("after %d matches ana has won %d", i, n)
			}
			a, r := c.start(func(s *seats.Spec) { s.Rated = true })
			c.play(a, r, win[:4+i]...) // another match each time
			if err := r.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestLeaderboard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &ranked{faulty: newFaulty()}
		l, err := lobby.New(t.Context(), store, lobby.Config{Games: []games.Game{fourmation.New()}, Bounds: lobby.Bounds{Leaderboard: 5}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		var readers sync.WaitGroup
		for range 10 {
			readers.Go(func() {
				lines, err := l.Standings.Leaderboard(t.Context(), "4mation")
				if err != nil {
					t.Error(err)
				}
				type short struct {
					rank int
					name string
				}
				// "away" has become provisional, "resting" has not, and has played no rated match for long.
				want := []short{{1, "best"}, {2, "middle"}, {3, "last"}, {0, "new"}, {0, "away"}}
				for i, line := range lines {
					if got := (short{line.Rank, line.Name}); len(lines) != len(want) || got != want[i] {
						t.Errorf("line %d of %d: %+v, want %+v", i, len(lines), got, want[i])
					}
				}
			})
		}
		readers.Wait()
		if n := store.asked.Load(); n != 1 {
			t.Errorf("ten readers asked the store %d times", n)
		}
		time.Sleep(standings.BoardAge)
		store.err = errors.New("input/output error")
		_, err = l.Standings.Leaderboard(t.Context(), "fourmation")
		wantErr(t, "the store fails", err, lobby.ErrBusy)
		store.err = nil
		if _, err := l.Standings.Leaderboard(t.Context(), "fourmation"); err != nil {
			t.Errorf("after the store failed: %v", err)
		}
		_, err = l.Standings.Leaderboard(t.Context(), "chess")
		wantErr(t, "an unknown game", err, lobby.ErrNoSuchGame)
	})
}

// crowded is a store with many players in a game, which takes a while to read them.
type crowded struct {
	*faulty
	rows  []results.Standing
	takes time.Duration
	asked atomic.Int32
}

func (s *crowded) Standings(context.Context, string) ([]results.Standing, error) {
	s.asked.Add(1)
	time.Sleep(s.takes)
	return s.rows, nil
}

func (s *crowded) RatingsIn(_ context.Context, _ string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error) {
	for _, row := range s.rows {
		if row.Player == ids[0] {
			return map[storage.PlayerID]results.Rating{row.Player: row.Rating}, nil
		}
	}
	return nil, nil
}

// TestOwnLine: a ranked player finds their own rank, however far down it is, and an unranked one their place below the ranked ones.
func TestOwnLine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &crowded{faulty: newFaulty(), takes: time.Second}
		for i := range 300 {
			id := storage.PlayerID(fmt.Sprint("p", i))
			rating := results.Rating{Rating: float64(2000 - i), Deviation: 60, Volatility: 0.06, At: time.Now(), Played: 9}
			if i == 7 {
				rating.Deviation = 200
			}
			store.rows = append(store.rows, results.Standing{Player: id, Name: string(id), Rating: rating})
		}
		l, err := lobby.New(t.Context(), store, lobby.Config{Games: []games.Game{fourmation.New()}, Bounds: lobby.Bounds{Leaderboard: 10}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for id, rank := range map[string]int{"p0": 1, "p8": 8, "p10": 10, "p11": 11, "p299": 299, "p7": 0} {
			line, ok, err := l.Standings.OwnLine(t.Context(), lobby.User{Kind: storage.Person, ID: id, Name: id}, "4mation")
			if err != nil || !ok || line.Rank != rank || line.Name != id || line.Played != 9 {
				t.Errorf("the line of %s: %+v, %v, %v, want rank %d", id, line, ok, err, rank)
			}
		}
		for _, u := range []lobby.User{{Kind: storage.Person, ID: "none", Name: "none"}, l.Accounts.Guest("x"), {}} {
			if line, ok, err := l.Standings.OwnLine(t.Context(), u, "4mation"); ok || err != nil {
				t.Errorf("the line of %q: %+v, %v", u.Name, line, err)
			}
		}
		if n := store.asked.Load(); n != 1 {
			t.Errorf("the store was asked %d times", n)
		}
	})
}

// TestSlowLeaderboard: however many matches are rated, and however many ask, one reader at a time makes a leaderboard, and one that the
// store is slow to read takes a small part of the time, however young it should be.
func TestSlowLeaderboard(t *testing.T) {
	const most = 60/20 + 1 // a leaderboard that takes a second is shown for twenty
	for _, tt := range []struct {
		players int  // beside the two who play: of a thousand a leaderboard may be made anew after each match
		rated   bool // matches all the time
		age     time.Duration
	}{{998, true, time.Hour}, {1001, true, time.Hour}, {10, false, 0}, {1001, false, 0}} {
		bubble(t, func(t *testing.T) {
			store := &crowded{faulty: newFaulty(), takes: time.Second}
			for i := range tt.players {
				store.rows = append(store.rows, results.Standing{Player: storage.PlayerID(fmt.Sprint("p", i)), Rating: results.Rating{At: time.Now()}})
			}
			l, err := lobby.New(t.Context(), store, lobby.Config{Games: []games.Game{fourmation.New()}, Bounds: lobby.Bounds{BoardAge: tt.age}, Limits: lobby.Limits{MatchBurst: 1000}})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			c := &club{Lobby: l, t: t, store: store.faulty}
			c.ana, c.rui = c.account("ana"), c.account("rui")
			var readers sync.WaitGroup
			until := time.Now().Add(time.Minute)
			for range 5 {
				readers.Go(func() {
					for time.Now().Before(until) {
						if _, err := l.Standings.Leaderboard(t.Context(), "fourmation"); err != nil {
							t.Error(err)
						}
						time.Sleep(100 * time.Millisecond)
					}
				})
			}
			for tt.rated && time.Now().Before(until) {
				a, r := c.start(func(s *seats.Spec) { s.Rated = true })
				c.play(a, r, win[:4]...)
				if err := r.Resign(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(500 * time.Millisecond)
			}
			readers.Wait()
			if n := int(store.asked.Load()); n > most || n < 2 {
				t.Errorf("%+v: the leaderboard was made %d times in a minute, at most %d wanted", tt, n, most)
			}
		})
	}
}

// TestLeaderboardRests: a leaderboard is shown for as long as it may be old, and for longer, up to a minute, if it took the store long to read.
func TestLeaderboardRests(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: 5 * time.Second, 200 * time.Millisecond: 5 * time.Second, 800 * time.Millisecond: 16 * time.Second, time.Hour: time.Minute,
	} {
		bubble(t, func(t *testing.T) {
			store := &crowded{faulty: newFaulty(), takes: took}
			l, err := lobby.New(t.Context(), store, lobby.Config{Games: []games.Game{fourmation.New()}, Bounds: lobby.Bounds{BoardAge: 5 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for i, wait := range []time.Duration{0, want - 1, 1} {
				time.Sleep(wait)
				if _, err := l.Standings.Leaderboard(t.Context(), "fourmation"); err != nil {
					t.Fatal(err)
				}
				if n := int(store.asked.Load()); n != 1+i/2 {
					t.Errorf("what took %v is read %d times when it is asked for the %d. time, want it shown for %v", took, n, i+1, want)
				}
			}
		})
	}
}

// TestStrengthReadsOneGame: how strong the maker of an offer is in its game takes no reads for other games.
func TestStrengthReadsOneGame(t *testing.T) {
	c := newClub(t)
	c.store.rate(map[string]float64{"ana": 1700})
	one, all := c.store.ratings.Load(), c.store.allGames.Load()
	c.open(c.ana, seats.Spec{Game: "petteia", Public: true})
	if o := c.Lists.Offers(c.rui, ""); len(o) != 1 || !o[0].Strength.Known || o[0].Strength.Rating != 1700 {
		t.Errorf("ana's strength is that of %+v", o)
	}
	if one, all = c.store.ratings.Load()-one, c.store.allGames.Load()-all; one != 1 || all != 0 {
		t.Errorf("ratings of one game were read %d times, and those of all %d times", one, all)
	}
}
