package analyses

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/thinking"
)

// A machine searches as another machine would.
type machine struct{ asked atomic.Int64 }

// Think implements thinking.Lender.
func (m *machine) Think(ctx context.Context, q *thinking.Question) (bot.Thought, error) {
	m.asked.Add(1)
	p, err := games.ReplayFrom(q.Start, q.Moves)
	if err != nil || p.String() != q.Position.String() || q.Game != "fourmation" || q.Level != "" {
		return bot.Thought{}, errors.Join(err, errors.New("another position"))
	}
	player, err := bot.Strongest(fourmation.New(), q.Nodes)
	if err != nil {
		return bot.Thought{}, err
	}
	return player.Think(ctx, p, games.NewRandom(q.Seed))
}

// Reject implements thinking.Lender.
func (m *machine) Reject(error) {}

// TestLent: with a core of another machine, searches are done there, and the analysis is the same.
func TestLent(t *testing.T) {
	home, _ := newQueue(t, func(*Config) {})
	want, err := last(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	scheduler, m := thinking.NewScheduler(1), new(machine)
	ctx, cancel := context.WithCancel(t.Context())
	var lending sync.WaitGroup
	defer lending.Wait()
	defer cancel()
	lending.Go(func() { _ = scheduler.Lend(ctx, m, 1) })
	for late := time.Now().Add(time.Minute); scheduler.Lent().Cores == 0 && time.Now().Before(late); {
		runtime.Gosched() // Lend is about to begin
	}
	q, _ := newQueue(t, func(c *Config) { c.Scheduler = scheduler })
	got, err := last(t.Context(), q)
	if err != nil || !reflect.DeepEqual(got.Analysis, want.Analysis) || m.asked.Load() == 0 || scheduler.Lent().Answers == 0 {
		t.Errorf("%+v, %v, after %d questions; want %+v", got, err, m.asked.Load(), want)
	}
}
