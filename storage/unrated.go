package storage

import (
	"context"
	"errors"
	"fmt"

	"ludoteca/storage/kv"
)

// A ResultChange says whether the result of a rated match counts for ratings.
type ResultChange struct {
	Match  MatchID `json:"match"`
	Counts bool    `json:"counts"`
}

// A ResultsChange says of several rated matches whether their results count for ratings.
type ResultsChange struct {
	Matches []MatchID `json:"matches"`
	Counts  bool      `json:"counts"`
}

// apply sets or removes the marks of those matches of which that is a change. The error is ErrUnchanged if it is of none.
func (c *ResultsChange) apply(tx kv.Tx, entry uint64) (*ResultsChange, error) {
	undo := &ResultsChange{Counts: !c.Counts}
	for _, id := range c.Matches {
		switch _, err := (&ResultChange{id, c.Counts}).apply(tx, entry); {
		case errors.Is(err, ErrUnchanged):
		case err != nil:
			return nil, err
		default:
			undo.Matches = append(undo.Matches, id)
		}
	}
	if len(undo.Matches) == 0 {
		return nil, ErrUnchanged
	}
	return undo, nil
}

// results returns the matches whose results a change makes count or not.
func (c Change) results() map[MatchID]bool {
	all := map[MatchID]bool{}
	if c.Result != nil {
		all[c.Result.Match] = c.Result.Counts
	}
	if c.Results != nil {
		for _, id := range c.Results.Matches {
			all[id] = c.Results.Counts
		}
	}
	return all
}

// CountedMatches returns the rated matches of a player whose results operators have not taken out, those against another player if against
// is not "": at most limit, of the newest results of each game.
func (s *ResultStore) CountedMatches(ctx context.Context, player, against PlayerID, limit int) ([]MatchID, error) {
	return view(ctx, s.engine, fmt.Sprintf("rated matches of player %s", player), func(r kv.Reader) (ids []MatchID, err error) {
		all := resultIndex.Under(byPlayer, string(player))
		all.Reverse = true
		for e, err := range resultIndex.Scan(r, all) {
			if err != nil || len(ids) == limit {
				return ids, err
			}
			res, err := results.Get(r, e.Key.number)
			if err != nil {
				return nil, err
			}
			marked, err := unrated.Has(r, res.Match)
			if err != nil {
				return nil, err
			}
			if !marked && (against == "" || res.players() == [2]PlayerID{player, against} || res.players() == [2]PlayerID{against, player}) {
				ids = append(ids, res.Match)
			}
		}
		return ids, nil
	})
}

// unratedJSON is version 1 of the mark of a result that doesn't count.
type unratedJSON struct {
	Entry uint64 `json:"unrated_by"` // number of the audit entry, which says why
}

// unrated are the marks of results that don't count, by match.
var unrated = Table[MatchID, unratedJSON]{
	Name: "unrated", Keys: Text[MatchID](nil), Values: JSON[MatchID, unratedJSON](1),
	Check: func(_ MatchID, mark unratedJSON) error {
		if mark.Entry == 0 {
			return damaged("a mark without an audit entry")
		}
		return nil
	},
}

// apply sets or removes the mark. The ratings that follow are for ratedAs.
func (c *ResultChange) apply(tx kv.Tx, entry uint64) (*ResultChange, error) {
	record, err := recordHeads.Get(tx, c.Match)
	if err != nil {
		return nil, err
	}
	if record.number == 0 {
		return nil, ErrUnchanged // it never counted
	}
	marked, err := unrated.Has(tx, c.Match)
	if err != nil {
		return nil, err
	}
	if marked != c.Counts {
		return nil, ErrUnchanged
	}
	if c.Counts {
		unrated.Delete(tx, c.Match)
		return &ResultChange{c.Match, false}, nil
	}
	return &ResultChange{c.Match, true}, unrated.Put(tx, c.Match, unratedJSON{Entry: entry})
}

// Unrated returns the number of the audit entry by which the result of a match doesn't count, 0 if it counts.
func (s *ResultStore) Unrated(ctx context.Context, id MatchID) (uint64, error) {
	return view(ctx, s.engine, fmt.Sprintf("match %s", id), func(r kv.Reader) (uint64, error) {
		mark, _, err := unrated.Find(r, id)
		return mark.Entry, err
	})
}

// ratedAs runs update with a function that, called at the end of the transaction that makes a change of results, writes the
// ratings which follow. They are worked out before it begins, as far as results go then. Without a change it does nothing.
func (s *ResultStore) ratedAs(ctx context.Context, changed map[MatchID]bool, update func(ratings func(kv.Tx) error) error) error {
	if len(changed) == 0 {
		return update(func(kv.Tx) error { return nil })
	}
	if s.arithmetic == nil {
		return errNoRate
	}
	_, err := s.replay(ctx, changed, update)
	return err
}
