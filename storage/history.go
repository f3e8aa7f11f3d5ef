package storage

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// A HistoryQuery says which finished matches are wanted, newest first.
type HistoryQuery struct {
	Player PlayerID // "" is everybody
	Game   string   // "" is every game
	Before Cursor   // only matches after this place in the list; the zero value starts at the newest
	Limit  int      // at most; 1 to 1000
}

// A Cursor is a place in a list of history: the end and id of the last match seen.
type Cursor struct {
	Ended time.Time
	ID    MatchID
}

// maxHistory is the most rows of history that one call returns.
const maxHistory = 1000

// History returns the finished matches that q asks for, newest first and by id where two ended in the same millisecond,
// without moves and times. It costs as much as it returns, whatever the size of the store. Temporary records are in no
// history. The error is ErrInvalid for a limit below 1 or above 1000; an unknown player or game has no matches.
func (s *Store) History(ctx context.Context, q HistoryQuery) ([]Finished, error) {
	var rows []Finished
	err := checkQuery(q)
	if err == nil {
		err = s.engine.View(ctx, func(r kv.Reader) (err error) {
			rows, err = readHistory(r, q)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("storage: history: %w", err)
	}
	return rows, nil
}

func checkQuery(q HistoryQuery) error {
	if q.Limit < 1 || q.Limit > maxHistory {
		return fmt.Errorf("%w: a limit of %d rows", ErrInvalid, q.Limit)
	}
	for _, part := range []string{string(q.Player), q.Game} {
		if part == "" {
			continue // everybody, every game
		}
		if err := checkKeys(part); err != nil {
			return err
		}
	}
	return nil
}

func readHistory(r kv.Reader, q HistoryQuery) ([]Finished, error) {
	prefix := history.key(string(q.Player), q.Game, "")
	g := kv.Prefix(prefix)
	g.Reverse = true
	if q.Before != (Cursor{}) {
		g.To = append(appendMS(bytes.Clone(prefix), q.Before.Ended.UnixMilli()), q.Before.ID...)
	}
	var ids []MatchID
	for p, err := range r.Scan(g) {
		if err != nil {
			return nil, err
		}
		if len(p.Key) <= len(prefix)+8 {
			return nil, fmt.Errorf("%w: a place in the history without a match", ErrDamaged)
		}
		if ids = append(ids, MatchID(p.Key[len(prefix)+8:])); len(ids) == q.Limit {
			break
		}
	}
	return readAllFinished(r, ids)
}

// addHistory gives a match its place in every list that can be asked for: everybody's and each player's, of every
// game and of its own. So one seek finds the page of any of them.
func addHistory(tx kv.Tx, f Finished) {
	for _, key := range historyKeys(f) {
		tx.Put(key, nil)
	}
}

// historyKeys returns the keys of a match in the history, each once.
func historyKeys(f Finished) [][]byte {
	if f.Temporary || f.Result == "" {
		return nil
	}
	lists := []string{""}
	for _, o := range []Occupant{f.First, f.Second} {
		if o.Kind == Person && !slices.Contains(lists, o.ID) {
			lists = append(lists, o.ID)
		}
	}
	var keys [][]byte
	for _, player := range lists {
		for _, game := range []string{"", f.Game} {
			keys = append(keys, append(appendMS(history.key(player, game, ""), f.Ended.UnixMilli()), f.ID...))
		}
	}
	return keys
}
