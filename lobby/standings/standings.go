// Package standings has the strength of players and the results of their matches: leaderboards, profiles, stakes, and the history of finished
// matches.
package standings

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// A Store keeps ratings and counts of players' matches; see results.Store.
type Store interface {
	// Players returns players in the order of their ids; see accounts.Directory.
	Players(ctx context.Context, ids []storage.PlayerID) ([]accounts.Player, error)

	// Ratings returns a player's ratings in some games, and in some seasons of these.
	Ratings(ctx context.Context, id storage.PlayerID, games []string, seasons ...results.Season) (results.PlayerRatings, error)

	// RatingsIn returns the ratings of some players in a game.
	RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error)

	// Standings returns the ratings of all players with a rated match of a game, in any order.
	Standings(ctx context.Context, game string) ([]results.Standing, error)

	// SeasonStandings returns what all players with a rated match of a game in a season did in it.
	SeasonStandings(ctx context.Context, season results.Season, game string) ([]results.SeasonStanding, error)

	// RatingHistory returns a player's ratings in some games after the last rated matches that counted, at most limit in each, the oldest first.
	RatingHistory(ctx context.Context, id storage.PlayerID, games []string, limit int) ([]results.RatingPoint, error)

	// Outcomes returns the rating changes of the match f for each result, or nil if it would not be rated. The result of f is ignored.
	Outcomes(ctx context.Context, f results.Finished) (*results.Outcomes, error)

	// Conduct returns the numbers of matches against other players that a player has started and finished.
	Conduct(ctx context.Context, id storage.PlayerID) (results.Conduct, error)

	// Tallies returns the counts of a player, by side in some games, and their score against another one.
	Tallies(ctx context.Context, id, against storage.PlayerID, games ...string) (results.PlayerTally, error)
}

// A Config configures New.
type Config struct {
	Store Store
	Games []games.Game     // in the order in which they are shown
	Now   func() time.Time // the clock of events
	Log   *slog.Logger
	Tasks *tasks.Group

	BoardAge time.Duration // 0: BoardAge
	Lines    int           // 0: MaxLines

	// Player finds a player by name, in any letter case; refusal.ErrNoSuchPlayer, refusal.ErrBusy.
	Player func(ctx context.Context, name string) (accounts.Player, error)

	// Closed reports whether the account of a player is closed: it is on no leaderboard.
	Closed func(id storage.PlayerID) bool

	// Online reports whether a player is here, and HasBlocked whether a user has blocked another one.
	Online     func(id storage.PlayerID) bool
	HasBlocked func(u, other match.User) bool
}

// A Service answers from the store, and keeps leaderboards for a short while. It is safe for concurrent use.
type Service struct {
	config Config
	boards *leaderboards
}

// New returns a service without leaderboards.
func New(c Config) *Service {
	c.BoardAge, c.Lines = cmp.Or(c.BoardAge, BoardAge), cmp.Or(c.Lines, MaxLines)
	return &Service{config: c, boards: newLeaderboards()}
}

// gameIDs returns the ids of all games, in their order.
func (s *Service) gameIDs() []string {
	ids := make([]string, len(s.config.Games))
	for i, g := range s.config.Games {
		ids[i] = g.About().ID
	}
	return ids
}

// findGame returns the game with an id or alias, in any letter case. The error is refusal.ErrNoSuchGame.
func findGame(all []games.Game, name string) (games.Game, error) {
	g, ok := games.Find(all, name)
	if !ok {
		return nil, refusal.ErrNoSuchGame
	}
	return g, nil
}

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

// standing returns the Standing for a stored rating at the time now.
func standing(game string, r results.Rating, now time.Time) Standing {
	g, provisional := rating.Now(r, now), rating.Provisional(r, now)
	return Standing{
		Game: game, Rating: g.Rating, Deviation: g.Deviation, Provisional: provisional,
		Ranked: !provisional && now.Sub(r.At) <= RankedFor,
		Played: r.Played, Won: r.Won, Drawn: r.Drawn, Lost: r.Lost,
	}
}

// StrengthNow returns the strength for a stored rating at the time now, without the conduct.
func StrengthNow(r results.Rating, now time.Time) match.Strength {
	g := rating.Now(r, now)
	return match.Strength{Known: true, Rating: g.Rating, Deviation: g.Deviation, Provisional: rating.Provisional(r, now)}
}

// Strength returns the rating and the conduct of the occupant of a seat in a game. What the store doesn't answer stays zero.
func (s *Service) Strength(ctx context.Context, o storage.Occupant, game string) match.Strength {
	if !o.Kind.HasAccount() {
		return match.Strength{}
	}
	var found match.Strength
	id := storage.PlayerID(o.ID)
	ratings, err := s.config.Store.RatingsIn(ctx, game, []storage.PlayerID{id})
	if r, ok := ratings[id]; ok && err == nil {
		found = StrengthNow(r, s.config.Now())
	}
	if c, err := s.config.Store.Conduct(ctx, id); err == nil {
		found.Conduct = c
	}
	return found
}

// Strengths returns the strengths of players, by game. It reads only their ratings, so its cost doesn't depend on the number of other players. If
// the ratings of a game can't be read, that is logged, and the strengths in that game are missing.
func (s *Service) Strengths(ctx context.Context, players map[string][]storage.PlayerID) map[string]map[storage.PlayerID]match.Strength {
	all, now := make(map[string]map[storage.PlayerID]match.Strength), s.config.Now()
	for game, ids := range players {
		ratings, err := s.config.Store.RatingsIn(ctx, game, ids)
		if err != nil {
			s.config.Log.Warn("the ratings of a game can't be read", "game", game, "err", err)
		}
		all[game] = make(map[storage.PlayerID]match.Strength, len(ratings))
		for id, r := range ratings {
			all[game][id] = StrengthNow(r, now)
		}
	}
	return all
}

// FinishedShare returns the share, from 0 to 1, of finished ones among the matches that a player has started against other players. A match is not
// finished if the player left it, or lost it on time without a move for a minute. known is false for a player without started matches. It makes
// one read. The error is refusal.ErrBusy.
func (s *Service) FinishedShare(ctx context.Context, id storage.PlayerID) (share float64, known bool, err error) {
	c, err := s.config.Store.Conduct(ctx, id)
	share, known = FinishedShare(c)
	return share, known, refusal.OfStore(err)
}

// FinishedShare returns the share of finished matches among started ones, from 0 to 1; see Service.FinishedShare.
func FinishedShare(c results.Conduct) (share float64, known bool) {
	return float64(c.Finished) / float64(max(c.Started, 1)), c.Started > 0
}

// RatingsByGame returns the ratings of players in all games. ok is false if they can't be read. It makes one read for each game, for any number of
// players.
func (s *Service) RatingsByGame(ctx context.Context, ids []storage.PlayerID) (all map[storage.PlayerID]map[string]results.Rating, ok bool) {
	all = make(map[storage.PlayerID]map[string]results.Rating, len(ids))
	if len(ids) == 0 {
		return all, true
	}
	for _, g := range s.config.Games {
		game := g.About().ID
		ratings, err := s.config.Store.RatingsIn(ctx, game, ids)
		if err != nil {
			return nil, false
		}
		for id, r := range ratings {
			if all[id] == nil {
				all[id] = make(map[string]results.Rating)
			}
			all[id][game] = r
		}
	}
	return all, true
}
