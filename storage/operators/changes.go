package operators

import (
	"errors"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// A MuteChange mutes a player until a time; the zero time lets the player chat again.
type MuteChange struct {
	Player storage.PlayerID `json:"player"`
	Until  time.Time        `json:"until"`
}

func (c *MuteChange) apply(tx kv.Tx) (*MuteChange, error) {
	r, err := accounts.ReadRestriction(tx, c.Player)
	if err != nil {
		return nil, err
	}
	undo := &MuteChange{c.Player, r.Muted}
	if r.Muted = storage.Stored(c.Until); r.Muted.Equal(undo.Until) {
		return nil, storage.ErrUnchanged
	}
	return undo, accounts.WriteRestriction(tx, c.Player, r)
}

// A ClosedChange closes an account or opens it again.
type ClosedChange struct {
	Player storage.PlayerID `json:"player"`
	Closed bool             `json:"closed"`
	Into   storage.PlayerID `json:"into,omitempty"`
}

func (c *ClosedChange) apply(tx kv.Tx) (*ClosedChange, error) {
	r, err := accounts.ReadRestriction(tx, c.Player)
	if err != nil {
		return nil, err
	}
	if r.Closed == c.Closed {
		return nil, storage.ErrUnchanged
	}
	undo := &ClosedChange{c.Player, r.Closed, r.Into}
	r.Closed, r.Into = c.Closed, c.Into
	return undo, accounts.WriteRestriction(tx, c.Player, r)
}

// A KeysChange gives keys of one player to another.
type KeysChange struct {
	From storage.PlayerID `json:"from"`
	To   storage.PlayerID `json:"to"`
	Keys []string         `json:"keys"` // fingerprints; a key that From doesn't have stays where it is. nil: all
}

func (c *KeysChange) apply(tx kv.Tx) (*KeysChange, error) {
	moved, err := accounts.MoveKeys(tx, c.From, c.To, c.Keys)
	if err != nil {
		return nil, err
	}
	return &KeysChange{c.To, c.From, moved}, nil
}

// A RenameChange gives a player another name. The name before is kept for that player for NameKept.
type RenameChange struct {
	Player  storage.PlayerID `json:"player"`
	Name    string           `json:"name"`
	NameKey string           `json:"name_key"`
}

func (c *RenameChange) apply(tx kv.Tx, alike accounts.LookalikeRules, now time.Time) (*RenameChange, error) {
	was, err := accounts.Rename(tx, alike, c.Player, c.Name, c.NameKey, now)
	if err != nil {
		return nil, err
	}
	return &RenameChange{was.ID, was.Name, was.NameKey}, nil
}

// A ResultChange sets whether the result of a rated match counts for ratings.
type ResultChange struct {
	Match  storage.MatchID `json:"match"`
	Counts bool            `json:"counts"`
}

// A ResultsChange sets for several rated matches whether their results count for ratings.
type ResultsChange struct {
	Matches []storage.MatchID `json:"matches"`
	Counts  bool              `json:"counts"`
}

// apply sets or removes the marks of the matches, where that changes anything. The error is ErrUnchanged if it changes none.
func (c *ResultsChange) apply(tx kv.Tx, entry uint64) (*ResultsChange, error) {
	undo := &ResultsChange{Counts: !c.Counts}
	for _, id := range c.Matches {
		switch err := mark(tx, ResultChange{id, c.Counts}, entry); {
		case errors.Is(err, storage.ErrUnchanged):
		case err != nil:
			return nil, err
		default:
			undo.Matches = append(undo.Matches, id)
		}
	}
	if len(undo.Matches) == 0 {
		return nil, storage.ErrUnchanged
	}
	return undo, results.RecountOpenings(tx, undo.Matches, c.Counts)
}

// Results returns the matches whose results a change makes count or not.
func (c Change) results() map[storage.MatchID]bool {
	all := map[storage.MatchID]bool{}
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

// apply sets or removes the mark. The ratings that follow are for RatedAs.
func (c *ResultChange) apply(tx kv.Tx, entry uint64) (*ResultChange, error) {
	if err := mark(tx, *c, entry); err != nil {
		return nil, err
	}
	return &ResultChange{c.Match, !c.Counts}, results.RecountOpenings(tx, []storage.MatchID{c.Match}, c.Counts)
}

// mark sets or removes the mark of a result. The error is ErrUnchanged if it never counted, or does so as the change wants it.
func mark(tx kv.Tx, c ResultChange, entry uint64) error {
	record, err := results.RecordHeads.Get(tx, c.Match)
	if err != nil {
		return err
	}
	if record.Number == 0 {
		return storage.ErrUnchanged
	}
	marked, err := results.UnratedMarks.Has(tx, c.Match)
	switch {
	case err != nil:
		return err
	case marked != c.Counts:
		return storage.ErrUnchanged
	case c.Counts:
		results.UnratedMarks.Delete(tx, c.Match)
		return nil
	}
	return results.UnratedMarks.Put(tx, c.Match, results.UnratedMark{Entry: entry})
}
