package storage

import (
	"bytes"
	"context"
	"fmt"

	"go.etcd.io/bbolt"
)

// maxHistory is the most rows of history that one call returns.
const maxHistory = 1000

// History returns the finished matches that q asks for, newest first and by id where two ended in the same millisecond,
// without moves and times. It costs as much as it returns, whatever the size of the store. Void matches are in no
// history. The error is ErrInvalid for a limit below 1 or above 1000; an unknown player or game has no matches.
func (s *Store) History(ctx context.Context, q HistoryQuery) ([]Finished, error) {
	var rows []Finished
	err := checkQuery(q)
	if err == nil {
		err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
			rows, err = readHistory(tx, q)
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

func readHistory(tx *bbolt.Tx, q HistoryQuery) ([]Finished, error) {
	prefix := historyPrefix(q.Player, q.Game)
	end := append(bytes.Clone(prefix[:len(prefix)-1]), 1) // right after all keys of the prefix
	if q.Before != (Cursor{}) {
		end = append(appendMS(bytes.Clone(prefix), q.Before.Ended.UnixMilli()), q.Before.ID...)
	}
	c := bucket(tx, history).Cursor()
	k, _ := c.Seek(end)
	if k == nil {
		k, _ = c.Last()
	} else {
		k, _ = c.Prev()
	}
	var rows []Finished
	for ; bytes.HasPrefix(k, prefix) && len(rows) < q.Limit; k, _ = c.Prev() {
		if len(k) <= len(prefix)+8 {
			return nil, fmt.Errorf("%w: a place in the history without a match", ErrDamaged)
		}
		f, err := readFinished(tx, MatchID(k[len(prefix)+8:]), false)
		if err != nil {
			return nil, err
		}
		rows = append(rows, f)
	}
	return rows, nil
}

// historyPrefix is what the keys of all matches of a player in a game begin with; either may be empty for all.
func historyPrefix(player PlayerID, game string) []byte { return joined(string(player), game, "") }

// addHistory gives a match its place in every list that can be asked for: everybody's and each player's, of every
// game and of its own. So one seek finds the page of any of them.
func addHistory(tx *bbolt.Tx, f Finished) error {
	if f.Result == "" {
		return nil
	}
	b := bucket(tx, history)
	players := []PlayerID{""}
	for _, o := range []Occupant{f.First, f.Second} {
		if o.Kind == Person {
			players = append(players, PlayerID(o.ID)) // twice if he played himself: the same keys again
		}
	}
	for _, player := range players {
		for _, game := range []string{"", f.Game} {
			key := append(appendMS(historyPrefix(player, game), f.Ended.UnixMilli()), f.ID...)
			if err := b.Put(key, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
