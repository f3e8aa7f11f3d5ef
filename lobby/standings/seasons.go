package standings

import (
	"context"
	"time"

	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

const (
	// SeasonMatches is how many matches must have counted in a season for a rank in it.
	SeasonMatches = 5

	// BadgeRank is the last rank of an ended season that gives a badge, and BadgePlayers how many players must have had a rank in it.
	BadgeRank    = 3
	BadgePlayers = 5

	// badgeSeasons is how many ended seasons a profile goes by.
	badgeSeasons = 4

	// seasonYears is how many years back a leaderboard of a season can be asked for. It bounds how many are kept.
	seasonYears = 10
)

// ThisSeason returns the season that goes on.
func (s *Service) ThisSeason() results.Season { return results.SeasonOf(s.config.Now()) }

// Season returns the standings of players in a game, id or alias, in a season: by the highest rating that each had in it and that was not
// provisional. Players with fewer than SeasonMatches matches, or with provisional ratings alone, stand below without a rank. The rating of a
// line is that after the last match of the season, and only matches of the season are counted. It is at most BoardAge old, longer if it takes the
// store long to read, and MaxLines long; callers must not change it. A season that has not begun, or that lies many years back, has no lines. The
// errors are refusal.ErrNoSuchGame and refusal.ErrBusy.
func (s *Service) Season(ctx context.Context, game string, season results.Season) ([]Line, error) {
	g, err := findGame(s.config.Games, game)
	if err != nil {
		return nil, err
	}
	board, err := s.season(ctx, g.About().ID, season)
	if err != nil {
		return nil, err
	}
	return board.lines, nil
}

// season returns the leaderboard of a season, or an empty one.
func (s *Service) season(ctx context.Context, game string, season results.Season) (*leaderboard, error) {
	now := s.config.Now()
	if begins := season.Begins(); begins.After(now) || begins.Before(now.AddDate(-seasonYears, 0, 0)) {
		return &leaderboard{}, nil
	}
	key := string(season) + " " + game
	return s.leaderboard(ctx, key, func(ctx context.Context) (*leaderboard, error) { return s.rankSeason(ctx, key, game, season) })
}

// rankSeason makes the leaderboard of a season and keeps it.
func (s *Service) rankSeason(ctx context.Context, key, game string, season results.Season) (*leaderboard, error) {
	board := &leaderboard{changes: s.boards.changes(key), ranks: make(map[storage.PlayerID]int)}
	begun := time.Now()
	all, err := s.config.Store.SeasonStandings(ctx, season, game)
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	var unranked []Line
	for _, r := range all {
		if r.Engine || s.config.Closed(r.Player) {
			continue
		}
		l := seasonLine(game, r)
		if !l.Ranked {
			unranked = append(unranked, l)
			continue
		}
		l.Rank = len(board.lines) + 1
		board.ranks[r.Player] = l.Rank
		board.lines = append(board.lines, l)
	}
	board.lines = append(board.lines, unranked...)
	board.lines = board.lines[:min(len(board.lines), s.config.Lines)]
	board.at = time.Now()
	board.took = board.at.Sub(begun)
	s.boards.put(key, board)
	return board, nil
}

func seasonLine(game string, r results.SeasonStanding) Line {
	l := Line{Name: r.Name, Best: r.Record.Best, Standing: Standing{
		Game: game, Rating: r.Record.Rating, Deviation: r.Record.RD, Provisional: r.Record.Best == 0,
	}}
	l.Played, l.Won, l.Drawn, l.Lost = r.Record.Counted()
	l.Ranked = !l.Provisional && l.Played >= SeasonMatches
	return l
}

// A Badge is one of the first ranks of a player in a season that has ended.
type Badge struct {
	Game   string
	Season results.Season
	Rank   int
}

// lastSeasons returns the ended seasons that a profile goes by, the newest first.
func (s *Service) lastSeasons() []results.Season {
	all := make([]results.Season, badgeSeasons)
	season := s.ThisSeason()
	for i := range all {
		season = season.Before()
		all[i] = season
	}
	return all
}

// badges returns the badges of a player in the last seasons, the newest first, by what is kept of the player. The leaderboards of ended seasons are
// read only for players who had a rank, and are shared.
func (s *Service) badges(ctx context.Context, id storage.PlayerID, kept map[results.SeasonKey]results.SeasonRecord) (found []Badge, err error) {
	for _, season := range s.lastSeasons() {
		for _, game := range s.gameIDs() {
			r, ok := kept[results.SeasonKey{Season: season, Game: game, Player: id}]
			if !ok || !seasonLine(game, results.SeasonStanding{Record: r}).Ranked {
				continue
			}
			board, err := s.season(ctx, game, season)
			if err != nil {
				return nil, err
			}
			if rank := board.ranks[id]; rank > 0 && rank <= BadgeRank && len(board.ranks) >= BadgePlayers {
				found = append(found, Badge{game, season, rank})
			}
		}
	}
	return found, nil
}
