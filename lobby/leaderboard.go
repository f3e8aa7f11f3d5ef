package lobby

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// RankedFor is how long after the last rated match a player keeps a rank.
const RankedFor = 90 * 24 * time.Hour

// A Standing is one player's results in one game.
type Standing struct {
	Game        string
	Rating      float64
	Deviation   float64 // as of now
	Provisional bool    // the rating rests on too few matches, or on too few independent opponents
	Ranked      bool    // not provisional, and rated within RankedFor
	Played      int
	Won         int
	Drawn       int
	Lost        int
}

// standing returns a rating as it is now.
func standing(game string, r results.Rating, now time.Time) Standing {
	g, provisional := rating.Now(r, now), rating.Provisional(r, now)
	return Standing{
		Game: game, Rating: g.Rating, Deviation: g.Deviation, Provisional: provisional,
		Ranked: !provisional && now.Sub(r.At) <= RankedFor,
		Played: r.Played, Won: r.Won, Drawn: r.Drawn, Lost: r.Lost,
	}
}

// A Line is one line of a leaderboard.
type Line struct {
	Rank int // from 1; 0 for those who are not ranked, who stand below
	Name string
	Standing
}

// leaderboards keeps the leaderboard of each game for a short while: however many ask, the store is read once.
type leaderboards struct {
	mu   sync.Mutex // guards what follows
	byID map[string]*leaderboard
}

// A leaderboard is made, or being made.
type leaderboard struct {
	made  chan struct{} // closed when the rest is there
	at    time.Time
	took  time.Duration
	all   int    // how many players it was made of
	lines []Line // the first ones
	ranks map[storage.PlayerID]int
	err   error

	stale bool // a match has been rated since; guarded by leaderboards.mu
}

// Whatever is read for all who look takes at most one part in restFactor of the time, unless that would keep it longer than longestRest. A
// leaderboard of up to manyPlayers that is read within slowRead is made anew after each rated match nevertheless.
const (
	restFactor  = 20
	longestRest = time.Minute
	manyPlayers = 1000
	slowRead    = 50 * time.Millisecond
)

// restAfter returns for how long something is shown that took so long to read, and may be this old in any case.
func restAfter(took, age time.Duration) time.Duration {
	return max(age, min(restFactor*took, longestRest))
}

func newLeaderboards() *leaderboards { return &leaderboards{byID: make(map[string]*leaderboard)} }

// rated makes the next readers get a new leaderboard, because a match has been rated.
func (b *leaderboards) rated(game string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if board := b.byID[game]; board != nil {
		board.stale = true
	}
}

// forgetAll makes the next readers get new leaderboards, because an operator has acted.
func (b *leaderboards) forgetAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.byID)
}

// get returns the leaderboard of a game, and whether the caller is to make it. One at a time is made for a game: late says that the one
// being made was begun before a match was rated, so that the caller is to ask again when it is made.
func (b *leaderboards) get(game string, age time.Duration) (board *leaderboard, mine, late bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.byID[game]; old != nil {
		select {
		case <-old.made:
			if old.err == nil && time.Since(old.at) < old.lasts(age) {
				return old, false, false
			}
		default:
			return old, false, old.stale
		}
	}
	board = &leaderboard{made: make(chan struct{})}
	b.byID[game] = board
	return board, true, false
}

// lasts is for how long a leaderboard is shown. The mutex of the leaderboards is held.
func (b *leaderboard) lasts(age time.Duration) time.Duration {
	switch {
	case !b.stale:
		return restAfter(b.took, age)
	case b.all > manyPlayers || b.took > slowRead:
		return restAfter(b.took, 0)
	}
	return 0
}

// Leaderboard returns the standings in a game, id or alias: ranked players from the best down, then the others. It is at most
// Limits.BoardAge old, longer if it takes the store long to read, and Limits.Leaderboard lines long; callers must not change it. The errors are ErrNoSuchGame, ErrBusy.
func (l *Lobby) Leaderboard(ctx context.Context, game string) ([]Line, error) {
	g, err := l.Game(game)
	if err != nil {
		return nil, err
	}
	board, err := l.leaderboard(ctx, g.About().ID)
	if err != nil {
		return nil, err
	}
	return board.lines, nil
}

// OwnLine returns a user's line in the leaderboard of a game, id or alias, however far down it is; ok is false for a user without rated
// matches in it. The errors are those of Leaderboard.
func (l *Lobby) OwnLine(ctx context.Context, u User, game string) (line Line, ok bool, err error) {
	g, err := l.Game(game)
	if err != nil || u.Kind != storage.Person {
		return Line{}, false, err
	}
	id := g.About().ID
	board, err := l.leaderboard(ctx, id)
	if err != nil {
		return Line{}, false, err
	}
	if i := slices.IndexFunc(board.lines, func(l Line) bool { return l.Name == u.Name }); i >= 0 {
		return board.lines[i], true, nil
	}
	ratings, err := l.store.RatingsIn(ctx, id, []storage.PlayerID{u.Player()})
	r, ok := ratings[u.Player()]
	if err != nil || !ok {
		return Line{}, false, refusal.OfStore(err)
	}
	return Line{Rank: board.ranks[u.Player()], Name: u.Name, Standing: standing(id, r, l.now())}, true, nil
}

// leaderboard returns the leaderboard of a game, and makes it if there is none that is young enough.
func (l *Lobby) leaderboard(ctx context.Context, game string) (*leaderboard, error) {
	for {
		board, mine, late := l.leaderboards.get(game, l.limits.BoardAge)
		if mine {
			// It is made for all who wait: the caller's leaving must not end it.
			begun := time.Now()
			board.err = l.rank(context.WithoutCancel(ctx), board, game, l.now())
			board.at = time.Now()
			board.took = board.at.Sub(begun)
			close(board.made)
		}
		select {
		case <-board.made:
			if !late {
				return board, board.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// rank makes a leaderboard as it is at a time.
func (l *Lobby) rank(ctx context.Context, board *leaderboard, game string, now time.Time) error {
	standings, err := l.store.Standings(ctx, game)
	if err != nil {
		return refusal.OfStore(err)
	}
	type row struct {
		id storage.PlayerID
		Line
	}
	rows := make([]row, 0, len(standings))
	for _, s := range standings {
		if !l.Restrictions.Closed(s.Player) {
			rows = append(rows, row{s.Player, Line{Name: s.Name, Standing: standing(game, s.Rating, now)}})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(falseFirst(!a.Ranked, !b.Ranked), cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Name, b.Name))
	})
	board.all, board.ranks = len(rows), make(map[storage.PlayerID]int)
	board.lines = make([]Line, 0, min(len(rows), l.limits.Leaderboard))
	for i := range rows {
		r := &rows[i]
		if r.Ranked {
			r.Rank = i + 1
			board.ranks[r.id] = r.Rank
		}
		if i < l.limits.Leaderboard {
			board.lines = append(board.lines, r.Line)
		}
	}
	return nil
}

// ratedAs returns a strength, that of a newcomer in place of one that is not known.
func ratedAs(s Strength) Strength {
	if !s.Known {
		s.Rating, s.Deviation = rating.StartRating, rating.StartDeviation
	}
	return s
}

func strengthOf(s Standing) Strength {
	return Strength{Known: true, Rating: s.Rating, Deviation: s.Deviation, Provisional: s.Provisional}
}
