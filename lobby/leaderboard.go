package lobby

import (
	"sync"
	"time"

	"ludoteca/lobby/rating"
	"ludoteca/storage"
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

// forgetAll makes the next readers get new leaderboards, because an operator has acted.
func (b *leaderboards) forgetAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.byID)
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

// A Standing is one player's results in one game.
type Standing struct {
	Game        string
	Rating      float64
	Deviation   float64 // as of now
	Provisional bool
	Played      int
	Won         int
	Drawn       int
	Lost        int
}

// A Line is one line of a leaderboard.
type Line struct {
	Rank int // from 1; 0 for those with a provisional rating, who stand below
	Name string
	Standing
}

// standing returns a rating as it is now.
func standing(game string, r storage.Rating, now time.Time) Standing {
	g := rating.Now(r, now)
	return Standing{
		Game: game, Rating: g.Rating, Deviation: g.Deviation, Provisional: g.Provisional(),
		Played: r.Played, Won: r.Won, Drawn: r.Drawn, Lost: r.Lost,
	}
}
