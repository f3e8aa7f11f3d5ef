package standings

import (
	"cmp"
	"context"
	"errors"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// A ResultStore keeps finished matches; see results.Store.
type ResultStore interface {
	// History returns finished matches, newest first, without their moves.
	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)

	// Search takes a step of a search among the finished matches.
	Search(ctx context.Context, q results.SearchQuery) (results.SearchPage, error)

	// Openings returns how the rated matches of a game went on from the start, and after each of some moves.
	Openings(ctx context.Context, game string, o games.Options, moves []games.Move) ([]results.Opening, error)

	// Finished returns a finished match with its moves. The error is storage.ErrNotFound if there is none.
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// A ResultsConfig configures NewResults.
type ResultsConfig struct {
	Store ResultStore
	Games []games.Game
	Most  int // matches in one answer of History; 0: MaxHistory

	// Player returns the player with a name, in any letter case. The errors are refusal.ErrNoSuchPlayer and refusal.ErrBusy.
	Player func(ctx context.Context, name string) (accounts.Player, error)
}

// Results are the finished matches. They are safe for concurrent use.
type Results struct{ config ResultsConfig }

// NewResults returns the finished matches of a store.
func NewResults(c ResultsConfig) *Results {
	c.Most = cmp.Or(c.Most, MaxHistory)
	return &Results{c}
}

// MaxHistory is how many matches an answer of History holds. The store reads them in one step; a caller who wants more goes on from there.
const MaxHistory = 1000

// A HistoryQuery selects finished matches, newest first.
type HistoryQuery struct {
	Name   string         // of a player, in any letter case; "" for all players
	Game   string         // id or alias; "" for all games
	Limit  int            // the most matches to return, clamped to 1 to MaxHistory
	Before results.Cursor // only older matches; the zero value starts at the newest
}

// History returns finished matches without their moves, and where to go on, which is the zero value at the end.
// The errors are refusal.ErrNoSuchPlayer, refusal.ErrNoSuchGame, refusal.ErrBusy.
func (r *Results) History(ctx context.Context, q HistoryQuery) ([]results.Finished, results.Cursor, error) {
	ask := results.HistoryQuery{Before: q.Before, Limit: max(1, min(q.Limit, r.config.Most))}
	if q.Name != "" {
		p, err := r.config.Player(ctx, q.Name)
		if err != nil {
			return nil, results.Cursor{}, err
		}
		ask.Player = p.ID
	}
	if q.Game != "" {
		g, err := findGame(r.config.Games, q.Game)
		if err != nil {
			return nil, results.Cursor{}, err
		}
		ask.Game = g.About().ID
	}
	rows, err := r.config.Store.History(ctx, ask)
	if err != nil || len(rows) < ask.Limit {
		return rows, results.Cursor{}, refusal.OfStore(err)
	}
	last := rows[len(rows)-1]
	return rows, results.Cursor{Ended: last.Ended, ID: last.ID}, nil
}

// Openings returns how the rated matches of a game under complete options went on: from the start of the game, and after each of the first
// results.OpeningPlies of some moves. It makes one read. The error is refusal.ErrBusy.
func (r *Results) Openings(ctx context.Context, g games.Game, o games.Options, moves []games.Move) ([]results.Opening, error) {
	all, err := r.config.Store.Openings(ctx, g.About().ID, o, moves)
	return all, refusal.OfStore(err)
}

// Records returns finished matches of a player with their moves, newest first, from a cursor on, and the cursor of the next page, which is zero at
// the end. limit is at most 1000. The errors are refusal.ErrNeedsKey and refusal.ErrBusy.
func (r *Results) Records(ctx context.Context, u match.User, before results.Cursor, limit int) (all []results.Finished, next results.Cursor, err error) {
	if !u.Kind.HasAccount() {
		return nil, results.Cursor{}, refusal.ErrNeedsKey
	}
	rows, err := r.config.Store.History(ctx, results.HistoryQuery{Player: u.Player(), Before: before, Limit: limit})
	if err != nil {
		return nil, results.Cursor{}, refusal.OfStore(err)
	}
	for _, row := range rows {
		f, err := r.config.Store.Finished(ctx, row.ID)
		if errors.Is(err, storage.ErrNotFound) {
			continue // it has just been deleted
		}
		if err != nil {
			return nil, results.Cursor{}, refusal.OfStore(err)
		}
		f.Code = "" // records don't show it
		all = append(all, f)
	}
	if len(rows) == limit {
		last := rows[len(rows)-1]
		next = results.Cursor{Ended: last.Ended, ID: last.ID}
	}
	return all, next, nil
}
