package lobby

import (
	"context"
	"errors"

	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A HistoryQuery says which finished matches are wanted, newest first.
type HistoryQuery struct {
	Name   string         // of a player, in any letter case; "" is everybody
	Game   string         // id or alias; "" is every game
	Limit  int            // at most this many, itself cut to 1 to Limits.History
	Before results.Cursor // only older ones than this; the zero value starts at the newest
}

// History returns finished matches without their moves, and where to go on, which is the zero value at the end.
// The errors are ErrNoSuchPlayer, ErrNoSuchGame, ErrBusy.
func (l *Lobby) History(ctx context.Context, q HistoryQuery) ([]results.Finished, results.Cursor, error) {
	ask := results.HistoryQuery{Before: q.Before, Limit: max(1, min(q.Limit, l.inForce.Now().History))}
	if q.Name != "" {
		p, err := l.Accounts.ByName(ctx, q.Name)
		if err != nil {
			return nil, results.Cursor{}, err
		}
		ask.Player = p.ID
	}
	if q.Game != "" {
		g, err := l.Game(q.Game)
		if err != nil {
			return nil, results.Cursor{}, err
		}
		ask.Game = g.About().ID
	}
	rows, err := l.store.History(ctx, ask)
	if err != nil || len(rows) < ask.Limit {
		return rows, results.Cursor{}, refusal.OfStore(err)
	}
	last := rows[len(rows)-1]
	return rows, results.Cursor{Ended: last.Ended, ID: last.ID}, nil
}

// Records returns finished matches of a player with their moves, newest first, from a place in the list on, and the next place, which
// is the zero value at the end. limit is at most 1000. ErrNeedsKey, ErrBusy.
func (l *Lobby) Records(ctx context.Context, u User, before results.Cursor, limit int) (all []results.Finished, next results.Cursor, err error) {
	if u.Kind != storage.Person {
		return nil, results.Cursor{}, ErrNeedsKey
	}
	rows, err := l.store.History(ctx, results.HistoryQuery{Player: u.Player(), Before: before, Limit: limit})
	if err != nil {
		return nil, results.Cursor{}, refusal.OfStore(err)
	}
	for _, row := range rows {
		f, err := l.store.Finished(ctx, row.ID)
		if errors.Is(err, storage.ErrNotFound) {
			continue // it has just been forgotten
		}
		if err != nil {
			return nil, results.Cursor{}, refusal.OfStore(err)
		}
		f.Code = "" // it is in no record
		all = append(all, f)
	}
	if len(rows) == limit {
		last := rows[len(rows)-1]
		next = results.Cursor{Ended: last.Ended, ID: last.ID}
	}
	return all, next, nil
}
