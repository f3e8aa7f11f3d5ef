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

// explosive is 4Mation with a mine on d4.
type explosive struct{ games.Game }

type mined struct{ games.Position }

func (e explosive) New(o games.Options) (games.Position, error) {
	p, err := e.Game.New(o)
	return mined{p}, err
}

func (m mined) Play(move games.Move) (games.Position, error) {
	if move == "d4" {
		panic("a bug in an engine")
	}
	p, err := m.Position.Play(move)
	if err != nil {
		return nil, err
	}
	return mined{p}, nil
}

// A bug in an engine costs one move, not the club.
func TestEnginePanics(t *testing.T) {
	fatal := Level{ID: "fatal", Name: "Fatalis", Move: func(context.Context, games.Position, *games.Random) (games.Move, error) {
		return "d4", nil
	}}
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *Config) {
			cfg.Games, cfg.Levels = []games.Game{explosive{fourmation.New()}}, []Level{fatal}
		})
		a, r := c.start()
		wantErr(t, "the move that panics", a.Move(t.Context(), "d4", 0), ErrBusy)
		c.play(a, r, "a1", "b2")
		bot := c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Side: PlaySecond, Bot: "fatal"}).ID)
		if v := c.until(bot, over); v.Ply() != 0 || v.Reason != "resigned" || v.Result != "second" {
			t.Errorf("a computer player steps on it: %s", text(v))
		}
	})
}

// Both ask for a rematch at once, from several terminals: there is one, and both sit in it.
func TestRematchRace(t *testing.T) {
	for range 20 {
		c := newClub(t)
		a, r := c.start()
		c.play(a, r, win...)
		refs := make(chan Ref, 8)
		var askers sync.WaitGroup
		for i := range cap(refs) {
			askers.Go(func() {
				ref, err := []*Seat{a, r}[i%2].Rematch(t.Context())
				if err != nil {
					t.Error(err)
				}
				refs <- ref
			})
		}
		askers.Wait()
		first := <-refs
		for range cap(refs) - 1 {
			if ref := <-refs; ref != first {
				t.Fatalf("two rematches: %v and %v", ref, first)
			}
		}
		if v := c.now(c.seat(c.rui, first.ID)); v.Started.IsZero() || len(v.Events) != 2 {
			t.Fatalf("the rematch: %s", text(v))
		}
		c.Close()
	}
}

// Many want one seat: one gets it.
func TestSeatRace(t *testing.T) {
	c := newClub(t)
	ref := c.open(c.ana, Spec{Game: "fourmation", Public: true})
	var won, lost atomic.Int32
	var guests sync.WaitGroup
	for i := range 20 {
		guests.Go(func() {
			_, err := c.Join(t.Context(), c.Guest(string(rune('a'+i))), "", ref.Code)
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, ErrSeatTaken):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	guests.Wait()
	if won.Load() != 1 || lost.Load() != 19 {
		t.Errorf("%d got the seat, %d were refused", won.Load(), lost.Load())
	}
}

func TestParseChoice(t *testing.T) {
	for in, want := range map[string]Choice{"": RandomSide, "random": RandomSide, "first": PlayFirst, "second": PlaySecond} {
		if got, ok := ParseChoice(in); got != want || !ok {
			t.Errorf("ParseChoice(%q) = %d, %v", in, got, ok)
		}
	}
	for _, in := range []string{"First", "third", " first", "\x1b"} {
		if _, ok := ParseChoice(in); ok {
			t.Errorf("ParseChoice(%q) is accepted", in)
		}
	}
}
