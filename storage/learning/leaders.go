package learning

import (
	"context"
	"fmt"
	"math"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// LeaderTries is how many first tries a player needs in the puzzles of a game to be ranked in them.
const LeaderTries = 50

// A leaderKey is the key of a ranked player. The players of a game with the highest ratings come first, equal ones by id.
type leaderKey struct {
	game   string
	below  uint64 // how far the rating is below highestRating, in millionths
	player storage.PlayerID
}

const (
	highestRating = 10_000 // which no Strength reaches
	millionths    = 1e6
)

func leaderKeyOf(game string, rating float64, player storage.PlayerID) leaderKey {
	return leaderKey{game, uint64(math.Round((highestRating - rating) * millionths)), player}
}

// PuzzleLeaders are the standings of the players who are ranked in the puzzles of a game, over all their accounts.
var PuzzleLeaders = storage.Table[leaderKey, PuzzleStanding]{
	Name: "puzzle_leaders", Values: storage.JSON[leaderKey, PuzzleStanding](1),
	Keys: storage.Join(storage.Text[string](nil), storage.Join(storage.Number(), storage.Text(storage.IsPlayerID),
		func(k leaderKey) (uint64, storage.PlayerID) { return k.below, k.player },
		func(below uint64, id storage.PlayerID) leaderKey { return leaderKey{below: below, player: id} }),
		func(k leaderKey) (string, leaderKey) { return k.game, k },
		func(game string, k leaderKey) leaderKey { return leaderKey{game, k.below, k.player} }),
	Check: func(_ leaderKey, p PuzzleStanding) error {
		if p.Tried < LeaderTries || p.Solved < 0 || p.Solved > p.Tried || p.Streak < 0 || p.Streak > p.Best {
			return storage.Damaged("%d puzzles tried, %d solved, streaks of %d and %d", p.Tried, p.Solved, p.Streak, p.Best)
		}
		return p.check()
	},
}

// unrank takes a player out of the ranking of a game, given the player's standing with the account alone.
func unrank(tx kv.Tx, id storage.PlayerID, game string, p PuzzleStanding) {
	PuzzleLeaders.Delete(tx, leaderKeyOf(game, p.Rating, id))
}

// A PuzzleLeader is a player who is ranked in the puzzles of a game.
type PuzzleLeader struct {
	Player storage.PlayerID
	Name   string
	PuzzleStanding
}

// PuzzleLeaders returns the best players in the puzzles of a game, at most limit, the highest rating first. Only players with LeaderTries first
// tries are among them.
func (s *Store) PuzzleLeaders(ctx context.Context, game string, limit int) ([]PuzzleLeader, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("leaders in puzzles of %s", game), func(r kv.Reader) ([]PuzzleLeader, error) {
		var ids []storage.PlayerID
		var leaders []PuzzleLeader
		for e, err := range PuzzleLeaders.Under(game).Expecting(limit + 1).Scan(r) {
			if err != nil {
				return nil, err
			}
			if len(leaders) == limit {
				break
			}
			ids = append(ids, e.Key.player)
			leaders = append(leaders, PuzzleLeader{Player: e.Key.player, PuzzleStanding: e.Value})
		}
		known, there, err := accounts.Players.FindAll(r, ids)
		if err != nil {
			return nil, err
		}
		var shown []PuzzleLeader
		for i, l := range leaders {
			if there[i] && known[i].Deleted.IsZero() {
				l.Name = known[i].Name
				shown = append(shown, l)
			}
		}
		return shown, nil
	})
}
