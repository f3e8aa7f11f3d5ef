package lobby

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// leaderboards keeps the leaderboard of each game for a short while: however many ask, the store is read once.
type leaderboards struct {
	mu   sync.Mutex // guards what follows
	byID map[string]*leaderboard
}

// A leaderboard is made, or being made.
type leaderboard struct {
	made  chan struct{} // closed when the rest is there
	at    time.Time
	lines []Line
	err   error
}

func newLeaderboards() *leaderboards { return &leaderboards{byID: make(map[string]*leaderboard)} }

// forget makes the next reader get a new leaderboard, because a match has been rated.
func (b *leaderboards) forget(game string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byID, game)
}

// get returns the leaderboard of a game, and whether the caller is to make it.
func (b *leaderboards) get(game string, age time.Duration) (board *leaderboard, mine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.byID[game]; old != nil {
		select {
		case <-old.made:
			if old.err == nil && time.Since(old.at) < age {
				return old, false
			}
		default:
			return old, false
		}
	}
	board = &leaderboard{made: make(chan struct{})}
	b.byID[game] = board
	return board, true
}

// Leaderboard returns the standings in a game, id or alias: ranked players from the best down, then those whose rating is
// provisional. It is at most Limits.BoardAge old and Limits.Leaderboard lines long; callers must not change it.
func (l *Lobby) Leaderboard(ctx context.Context, game string) ([]Line, error) {
	g, err := l.Game(game)
	if err != nil {
		return nil, err
	}
	id := g.About().ID
	board, mine := l.leaderboards.get(id, l.limits.BoardAge)
	if mine {
		// It is made for all who wait: the caller's leaving must not end it.
		board.lines, board.err = l.rank(context.WithoutCancel(ctx), id)
		board.at = time.Now()
		close(board.made)
	}
	select {
	case <-board.made:
		return board.lines, board.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rank makes a leaderboard.
func (l *Lobby) rank(ctx context.Context, game string) ([]Line, error) {
	standings, err := l.store.Standings(ctx, game)
	if err != nil {
		return nil, storeError(err)
	}
	now := l.now()
	lines := make([]Line, 0, len(standings))
	for _, s := range standings {
		lines = append(lines, Line{Name: s.Name, Standing: standing(game, s.Rating, now)})
	}
	slices.SortFunc(lines, func(a, b Line) int {
		if a.Provisional != b.Provisional {
			if b.Provisional {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Name, b.Name))
	})
	lines = lines[:min(len(lines), l.limits.Leaderboard)]
	for i := range lines {
		if !lines[i].Provisional {
			lines[i].Rank = i + 1
		}
	}
	return slices.Clip(slices.Clone(lines)), nil
}
