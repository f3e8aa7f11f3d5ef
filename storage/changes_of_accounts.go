package storage

import (
	"time"

	"ludoteca/storage/kv"
)

// A MuteChange says until when a player may not chat; the zero time lets them again.
type MuteChange struct {
	Player PlayerID  `json:"player"`
	Until  time.Time `json:"until"`
}

func (c *MuteChange) apply(tx kv.Tx) (*MuteChange, error) {
	r, err := readRestriction(tx, c.Player)
	if err != nil {
		return nil, err
	}
	undo := &MuteChange{c.Player, r.Muted}
	if r.Muted = stored(c.Until); r.Muted.Equal(undo.Until) {
		return nil, ErrUnchanged
	}
	return undo, writeRestriction(tx, c.Player, r)
}

// A ClosedChange closes an account or opens it again.
type ClosedChange struct {
	Player PlayerID `json:"player"`
	Closed bool     `json:"closed"`
	Into   PlayerID `json:"into,omitempty"`
}

func (c *ClosedChange) apply(tx kv.Tx) (*ClosedChange, error) {
	r, err := readRestriction(tx, c.Player)
	if err != nil {
		return nil, err
	}
	if r.Closed == c.Closed {
		return nil, ErrUnchanged
	}
	undo := &ClosedChange{c.Player, r.Closed, r.Into}
	r.Closed, r.Into = c.Closed, c.Into
	return undo, writeRestriction(tx, c.Player, r)
}

// A KeysChange gives keys of one player to another.
type KeysChange struct {
	From PlayerID `json:"from"`
	To   PlayerID `json:"to"`
	Keys []string `json:"keys"` // fingerprints; those that From hasn't stay where they are. nil: all
}

func (c *KeysChange) apply(tx kv.Tx) (*KeysChange, error) {
	moved, err := moveKeys(tx, c.From, c.To, c.Keys)
	if err != nil {
		return nil, err
	}
	return &KeysChange{c.To, c.From, moved}, nil
}

// A RenameChange gives a player another name. The name before is kept for that player for NameKept.
type RenameChange struct {
	Player  PlayerID `json:"player"`
	Name    string   `json:"name"`
	NameKey string   `json:"name_key"`
}

func (c *RenameChange) apply(tx kv.Tx, alike Lookalikes, now time.Time) (*RenameChange, error) {
	was, err := rename(tx, alike, c.Player, c.Name, c.NameKey, now)
	if err != nil {
		return nil, err
	}
	return &RenameChange{was.ID, was.Name, was.NameKey}, nil
}
