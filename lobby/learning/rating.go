package learning

import (
	"context"
	"errors"
	"time"

	"ludoteca/games/puzzle"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	learningstore "ludoteca/storage/learning"
	"ludoteca/storage/results"
)

// A PuzzleStanding is how a player does in the puzzles of a game, and PuzzleStandings all of these by the ids of the games.
// A PuzzleLeader is a player who is ranked in the puzzles of a game.
type (
	PuzzleStanding  = learningstore.PuzzleStanding
	PuzzleStandings = learningstore.PuzzleStandings
	PuzzleLeader    = learningstore.PuzzleLeader
)

// LeaderTries is how many first tries a player needs in the puzzles of a game to be ranked in them.
const LeaderTries = learningstore.LeaderTries

// A PuzzleStore keeps how players do in puzzles; see storage/learning.
type PuzzleStore interface {
	// TryPuzzle notes a first try. It returns storage.ErrUnchanged if one of the player's accounts has tried the puzzle before.
	TryPuzzle(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, game, puzzle string, solved bool, now time.Time, rate learningstore.PuzzleRate) (PuzzleStanding, error)

	PuzzleStandings(ctx context.Context, ids ...storage.PlayerID) (PuzzleStandings, error)
	PuzzlesTried(ctx context.Context, ids ...storage.PlayerID) (map[string]learningstore.PuzzleTry, error)
	PuzzleStrengths(ctx context.Context) (map[string]learningstore.Strength, error)
	PuzzleLeaders(ctx context.Context, game string, limit int) ([]learningstore.PuzzleLeader, error)
}

// maxLeaders is how many players of a game are ranked in its puzzles.
const maxLeaders = 100

// Leaders returns the best players in the puzzles of a game, those with LeaderTries first tries, the highest rating first.
func (s *Puzzles) Leaders(ctx context.Context, game string) ([]PuzzleLeader, error) {
	leaders, err := s.config.Store.PuzzleLeaders(ctx, game, maxLeaders)
	return leaders, refusal.OfStore(err)
}

// startDeviation is the deviation of a puzzle whose rating follows from its length and from the computer players that miss it.
const startDeviation = 150

// Standings returns how a player does in puzzles. Guests do nothing.
func (s *Puzzles) Standings(ctx context.Context, u match.User) (PuzzleStandings, error) {
	if !u.Kind.HasAccount() {
		return nil, nil
	}
	return s.StandingsOf(ctx, u.Player())
}

// StandingsOf returns how the player with an id does in puzzles.
func (s *Puzzles) StandingsOf(ctx context.Context, id storage.PlayerID) (PuzzleStandings, error) {
	all, err := s.config.Store.PuzzleStandings(ctx, s.config.Restrictions.AccountsOf(id)...)
	return all, refusal.OfStore(err)
}

// Tried notes a user's try at a puzzle: the first one counts. counted is false for another one, for that of a guest, and for a puzzle that no game
// comes with.
func (s *Puzzles) Tried(ctx context.Context, u match.User, p *puzzle.Puzzle, solved bool) (standing PuzzleStanding, counted bool, err error) {
	if !u.Kind.HasAccount() {
		return standing, false, nil
	}
	if shipped, err := s.Find(p.ID); err != nil || shipped != p {
		return standing, false, nil
	}
	if err := s.config.Restrictions.MayPlay(u); err != nil {
		return standing, false, err
	}
	rate := func(r learningstore.PuzzleResult) (player, after learningstore.Strength) { return rate(p, r) }
	standing, err = s.config.Store.TryPuzzle(ctx, u.Player(), s.config.Restrictions.AccountsOf(u.Player()), p.Game.About().ID, p.ID, solved, s.config.Now(), rate)
	switch {
	case errors.Is(err, storage.ErrUnchanged), errors.Is(err, storage.ErrInvalid): // or more than are kept of a player
		return standing, false, nil
	case errors.Is(err, storage.ErrNotFound):
		return standing, false, refusal.ErrNoAccount
	}
	return standing, err == nil, refusal.OfStore(err)
}

// rate returns the ratings after a try, as after a match between the player and the puzzle. The puzzle's moves only if the player's was settled
// before.
func rate(p *puzzle.Puzzle, r learningstore.PuzzleResult) (player, after learningstore.Strength) {
	before := rating.Now(results.Rating{Rating: r.Player.Rating, Deviation: r.Player.Deviation, Volatility: r.Player.Volatility, At: r.Player.At}, r.At)
	against, score := strengthOf(p, r.Puzzle), 0.0
	if r.Solved {
		score = 1
	}
	player = strength(before.Update([]rating.Result{{Opponent: against, Score: score, Weight: 1}}, 0), r.At)
	if before.Provisional() {
		return player, r.Puzzle
	}
	return player, strength(against.Update([]rating.Result{{Opponent: before, Score: 1 - score, Weight: 1}}, 0), r.At)
}

func strength(g rating.Glicko, at time.Time) learningstore.Strength {
	return learningstore.Strength{Rating: g.Rating, Deviation: g.Deviation, Volatility: g.Volatility, At: at}
}

// strengthOf returns the rating of a puzzle: at first the one that it begins with.
func strengthOf(p *puzzle.Puzzle, s learningstore.Strength) rating.Glicko {
	if s.At.IsZero() {
		return rating.Glicko{Rating: float64(p.Rating()), Deviation: startDeviation, Volatility: rating.StartVolatility}
	}
	return rating.Glicko{Rating: s.Rating, Deviation: s.Deviation, Volatility: s.Volatility}
}

// chosen is what the choice of a puzzle for a user depends on.
type chosen struct {
	tried     map[string]learningstore.PuzzleTry
	standings PuzzleStandings
	strengths map[string]learningstore.Strength
}

// choiceFor reads what the choice depends on. A guest has tried nothing, and the puzzles are as hard as they were at first.
func (s *Puzzles) choiceFor(ctx context.Context, u match.User) (c chosen, err error) {
	if !u.Kind.HasAccount() {
		return c, nil
	}
	ids := s.config.Restrictions.AccountsOf(u.Player())
	if c.tried, err = s.config.Store.PuzzlesTried(ctx, ids...); err == nil {
		c.standings, err = s.config.Store.PuzzleStandings(ctx, ids...)
	}
	if err == nil {
		c.strengths, err = s.config.Store.PuzzleStrengths(ctx)
	}
	return c, refusal.OfStore(err)
}

// off returns how far a puzzle is from the rating of the user. Those that the user has tried come after all others.
func (c chosen) off(p *puzzle.Puzzle) float64 {
	own := float64(startOfPlayers)
	if standing, ok := c.standings[p.Game.About().ID]; ok {
		own = standing.Rating
	}
	off := strengthOf(p, c.strengths[p.ID]).Rating - own
	if off < 0 {
		off = -off
	}
	if _, ok := c.tried[p.ID]; ok {
		off += afterAllOthers
	}
	return off
}

// afterAllOthers is more than two ratings differ by.
const afterAllOthers = 1e6

// Rating returns the rating of a puzzle.
func (s *Puzzles) Rating(ctx context.Context, p *puzzle.Puzzle) (float64, error) {
	all, err := s.config.Store.PuzzleStrengths(ctx)
	if err != nil {
		return 0, refusal.OfStore(err)
	}
	return strengthOf(p, all[p.ID]).Rating, nil
}

// Tries returns the first tries of a player, by the IDs of the puzzles.
func (s *Puzzles) Tries(ctx context.Context, u match.User) (map[string]learningstore.PuzzleTry, error) {
	if !u.Kind.HasAccount() {
		return nil, nil
	}
	all, err := s.config.Store.PuzzlesTried(ctx, s.config.Restrictions.AccountsOf(u.Player())...)
	return all, refusal.OfStore(err)
}
