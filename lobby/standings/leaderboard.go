package standings

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A Line is one line of a leaderboard.
type Line struct {
	Rank int // from 1; 0 for players without a rank, who stand below
	Name string
	Standing
	Best float64 // of a season: the highest rating in it that was not provisional; 0: none, or no season
}

// leaderboards keeps the newest leaderboard of each game for a short while, and makes one at a time of each game.
type leaderboards struct {
	making singleflight.Group // by game

	mu      sync.Mutex // guards what follows
	newest  map[string]*leaderboard
	ratings map[string]uint64 // number of calls of Rated by game
	others  uint64            // number of calls of Changed
}

// A leaderboard is never changed.
type leaderboard struct {
	changes uint64 // as leaderboards.changes when it was begun
	at      time.Time
	took    time.Duration
	lines   []Line                   // the first ones
	engines []Line                   // of computer accounts, which have a leaderboard of their own
	ranks   map[storage.PlayerID]int // of players
}

// Reading what is shared by all users takes at most 1/restFactor of the time, unless it would have to be kept for longer than longestRest. But a
// leaderboard that takes at most slowRead to read is made again after each rated match.
const (
	restFactor  = 20
	longestRest = time.Minute
	slowRead    = 50 * time.Millisecond
)

// RestAfter returns how long a shared result is kept: restFactor times the time that it took to read, at most longestRest, but at least age.
func RestAfter(took, age time.Duration) time.Duration {
	return max(age, min(restFactor*took, longestRest))
}

func newLeaderboards() *leaderboards {
	return &leaderboards{newest: make(map[string]*leaderboard), ratings: make(map[string]uint64)}
}

// changes returns a number that grows with each change of what the leaderboard of a game shows.
func (b *leaderboards) changes(game string) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ratings[game] + b.others
}

// get returns the newest leaderboard of a game if it may still be shown, else nil. If nothing has changed, it may be shown for age, or longer if
// it took long to read.
func (b *leaderboards) get(game string, age time.Duration) *leaderboard {
	b.mu.Lock()
	defer b.mu.Unlock()
	board := b.newest[game]
	if board == nil {
		return nil
	}
	lasts := RestAfter(board.took, age)
	if board.changes != b.ratings[game]+b.others {
		if lasts = RestAfter(board.took, 0); board.took <= slowRead {
			lasts = 0
		}
	}
	if time.Since(board.at) >= lasts {
		return nil
	}
	return board
}

func (b *leaderboards) put(game string, board *leaderboard) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newest[game] = board
}

// Rated makes the leaderboard of a game out of date, because a match has been rated.
func (s *Service) Rated(game string) {
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	s.boards.ratings[game]++
}

const (
	// BoardAge is how old a leaderboard may be. To read all ratings of a game for each reader would cost too much.
	BoardAge = 5 * time.Second

	// MaxLines is how many lines a leaderboard has. Nobody reads further, and OwnLine finds the line of a player below it.
	MaxLines = 500
)

// Changed makes all leaderboards out of date, because names, accounts or ratings have changed.
func (s *Service) Changed() {
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	s.boards.others++
	clear(s.boards.newest)
}

// Leaderboard returns the standings in a game, id or alias: ranked players from the best down, then the others. It is at most
// BoardAge old, longer if it takes the store long to read, and MaxLines long; callers must not change it. The errors are
// refusal.ErrNoSuchGame and refusal.ErrBusy.
func (s *Service) Leaderboard(ctx context.Context, game string) ([]Line, error) {
	board, err := s.named(ctx, game)
	if err != nil {
		return nil, err
	}
	return board.lines, nil
}

// EngineLeaderboard is Leaderboard for computer accounts, which are ranked among themselves.
func (s *Service) EngineLeaderboard(ctx context.Context, game string) ([]Line, error) {
	board, err := s.named(ctx, game)
	if err != nil {
		return nil, err
	}
	return board.engines, nil
}

// named returns the leaderboard of a game, id or alias.
func (s *Service) named(ctx context.Context, game string) (*leaderboard, error) {
	g, err := findGame(s.config.Games, game)
	if err != nil {
		return nil, err
	}
	return s.ranked(ctx, g.About().ID)
}

// OwnLine returns a user's line in the leaderboard of a game, id or alias, however far down it is; ok is false for a user without rated
// matches in the game, and for a computer account. It returns the errors of Leaderboard, and ctx.Err().
func (s *Service) OwnLine(ctx context.Context, u match.User, game string) (line Line, ok bool, err error) {
	g, err := findGame(s.config.Games, game)
	if err != nil || u.Kind != storage.Person {
		return Line{}, false, err
	}
	id := g.About().ID
	board, err := s.ranked(ctx, id)
	if err != nil {
		return Line{}, false, err
	}
	if i := slices.IndexFunc(board.lines, func(l Line) bool { return l.Name == u.Name }); i >= 0 {
		return board.lines[i], true, nil
	}
	ratings, err := s.config.Store.RatingsIn(ctx, id, []storage.PlayerID{u.Player()})
	r, ok := ratings[u.Player()]
	if err != nil || !ok {
		return Line{}, false, refusal.OfStore(err)
	}
	return Line{Rank: board.ranks[u.Player()], Name: u.Name, Standing: standing(id, r, s.config.Now())}, true, nil
}

// ranked returns the leaderboard of a game, id.
func (s *Service) ranked(ctx context.Context, game string) (*leaderboard, error) {
	return s.leaderboard(ctx, game, func(ctx context.Context) (*leaderboard, error) { return s.rank(ctx, game) })
}

// leaderboard returns a leaderboard by its key, and has rank make it if there is none that may be shown. It is made for all waiting callers: one
// that gives up does not stop it.
func (s *Service) leaderboard(ctx context.Context, key string, rank func(ctx context.Context) (*leaderboard, error)) (*leaderboard, error) {
	now := s.boards.changes(key)
	for {
		if board := s.boards.get(key, s.config.BoardAge); board != nil {
			return board, nil
		}
		made := s.boards.making.DoChan(key, func() (any, error) {
			board := s.boards.get(key, s.config.BoardAge) // made by another caller since this one looked
			if board != nil {
				return board, nil
			}
			err := s.config.Tasks.Do(func(ctx context.Context) (err error) {
				board, err = rank(ctx)
				return err
			})
			return board, err
		})
		select {
		case r := <-made:
			if r.Err != nil {
				return nil, r.Err
			}
			if board := r.Val.(*leaderboard); board.changes >= now { // it includes all matches that were rated before the call
				return board, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// rank makes the leaderboard of a game and keeps it.
func (s *Service) rank(ctx context.Context, game string) (*leaderboard, error) {
	board := &leaderboard{changes: s.boards.changes(game), ranks: make(map[storage.PlayerID]int)}
	begun, now := time.Now(), s.config.Now()
	all, err := s.config.Store.Standings(ctx, game)
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	type row struct {
		id     storage.PlayerID
		engine bool
		Line
	}
	rows := make([]row, 0, len(all))
	for _, r := range all {
		if !s.config.Closed(r.Player) {
			rows = append(rows, row{r.Player, r.Engine, Line{Name: r.Name, Standing: standing(game, r.Rating, now)}})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(rankedFirst(a.Ranked, b.Ranked), cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Name, b.Name))
	})
	board.lines = make([]Line, 0, min(len(rows), s.config.Lines))
	people, engines := 0, 0
	for i := range rows {
		r, lines, place := &rows[i], &board.lines, &people
		if r.engine {
			lines, place = &board.engines, &engines
		}
		if *place++; r.Ranked {
			r.Rank = *place
		}
		if r.Ranked && !r.engine {
			board.ranks[r.id] = r.Rank
		}
		if *place <= s.config.Lines {
			*lines = append(*lines, r.Line)
		}
	}
	board.at = time.Now()
	board.took = board.at.Sub(begun)
	s.boards.put(game, board)
	return board, nil
}

func rankedFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
