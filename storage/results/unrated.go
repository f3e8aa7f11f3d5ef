package results

import (
	"context"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// CountedMatches returns the rated matches of a player whose results operators have not taken out, those against another player if against
// is not "": at most limit, of the newest results of each game.
func (s *Store) CountedMatches(ctx context.Context, player, against storage.PlayerID, limit int) ([]storage.MatchID, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("rated matches of player %s", player), func(r kv.Reader) (ids []storage.MatchID, err error) {
		for e, err := range ResultIndex.Under(byPlayer, string(player)).Reversed().Scan(r) {
			if err != nil || len(ids) == limit {
				return ids, err
			}
			res, err := Results.Get(r, e.Key.number)
			if err != nil {
				return nil, err
			}
			marked, err := UnratedMarks.Has(r, res.Match)
			if err != nil {
				return nil, err
			}
			if !marked && (against == "" || res.Players() == [2]storage.PlayerID{player, against} || res.Players() == [2]storage.PlayerID{against, player}) {
				ids = append(ids, res.Match)
			}
		}
		return ids, nil
	})
}

// UnratedMark is version 1 of the mark of a result that doesn't count.
type UnratedMark struct {
	Entry uint64 `json:"unrated_by"` // number of the audit entry, which says why
}

// UnratedMarks are the marks of results that don't count, by match.
var UnratedMarks = storage.Table[storage.MatchID, UnratedMark]{
	Name: "unrated", Keys: storage.Text[storage.MatchID](nil), Values: storage.JSON[storage.MatchID, UnratedMark](1),
	Check: func(_ storage.MatchID, mark UnratedMark) error {
		if mark.Entry == 0 {
			return storage.Damaged("a mark without an audit entry")
		}
		return nil
	},
}

// Unrated returns the number of the audit entry by which the result of a match doesn't count, 0 if it counts.
func (s *Store) Unrated(ctx context.Context, id storage.MatchID) (uint64, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("match %s", id), func(r kv.Reader) (uint64, error) {
		mark, _, err := UnratedMarks.Find(r, id)
		return mark.Entry, err
	})
}

// RatedAs runs update with a function that, called at the end of the transaction that makes a change of results, writes the
// ratings which follow. They are worked out before it begins, as far as results go then. Without a change it does nothing.
func (s *Store) RatedAs(ctx context.Context, changed map[storage.MatchID]bool, update func(ratings func(kv.Tx) error) error) error {
	if len(changed) == 0 {
		return update(func(kv.Tx) error { return nil })
	}
	if s.arithmetic == nil {
		return errNoRate
	}
	if _, err := s.replay(ctx, changed, update); err != nil {
		return err
	}
	_ = s.finishOpenings(ctx) // the results are changed: what is left to count is counted when the store is opened
	return nil
}
