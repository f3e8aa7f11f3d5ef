package lobby

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/storage"
)

// ranked is a store with standings of its own.
type ranked struct {
	*faulty
	asked atomic.Int32
	err   error
}

func (r *ranked) Standings(context.Context, string) ([]storage.Standing, error) {
	r.asked.Add(1)
	now := time.Now()
	line := func(name string, rating, deviation float64, age time.Duration) storage.Standing {
		return storage.Standing{Name: name, Rating: storage.Rating{Rating: rating, Deviation: deviation, Volatility: 0.06, At: now.Add(-age), Played: 9}}
	}
	return []storage.Standing{
		line("new", 2000, 300, 0), line("middle", 1500, 60, 0), line("best", 1800, 60, 0),
		line("away", 1900, 100, 3*365*24*time.Hour), line("last", 1200, 60, 0),
	}, r.err
}

// TestLeaderboardAfterAMatch: the result of a rated match shows at once, however young the leaderboard.
func TestLeaderboardAfterAMatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		won := func() int {
			lines, err := c.Leaderboard(t.Context(), "fourmation")
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
			a, r := c.start(func(s *Spec) { s.Rated = true })
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
		l, err := New(t.Context(), store, Config{Games: []games.Game{fourmation.New()}, Limits: Limits{Leaderboard: 4}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		var readers sync.WaitGroup
		for range 10 {
			readers.Go(func() {
				lines, err := l.Leaderboard(t.Context(), "4mation")
				if err != nil {
					t.Error(err)
				}
				type short struct {
					rank int
					name string
				}
				want := []short{{1, "best"}, {2, "middle"}, {3, "last"}, {0, "new"}} // "away" has become provisional
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
		time.Sleep(DefaultLimits().BoardAge)
		store.err = errors.New("input/output error")
		_, err = l.Leaderboard(t.Context(), "fourmation")
		wantErr(t, "the store fails", err, ErrBusy)
		store.err = nil
		if _, err := l.Leaderboard(t.Context(), "fourmation"); err != nil {
			t.Errorf("after the store failed: %v", err)
		}
		_, err = l.Leaderboard(t.Context(), "chess")
		wantErr(t, "an unknown game", err, ErrNoSuchGame)
	})
}
