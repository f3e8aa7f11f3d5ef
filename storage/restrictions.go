package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// A Restriction is what operators have decided about a player. The zero value is none.
type Restriction struct {
	Muted  time.Time // until when the player may not chat; zero: not muted
	Closed bool      // the player can't sign in
	Into   PlayerID  // of a closed account: the one that got its keys; "" for others
}

// NameKept is how long a name that a player had before is kept for that player.
const NameKept = 90 * 24 * time.Hour

// restrictionJSON is version 1 of a stored restriction. The player is the key.
type restrictionJSON struct {
	Muted  int64    `json:"muted,omitempty"` // milliseconds
	Closed bool     `json:"closed,omitempty"`
	Into   PlayerID `json:"into,omitempty"`
}

// formerNameJSON is version 1 of a name that a player had before. The form in which names are compared is the key.
type formerNameJSON struct {
	Player PlayerID `json:"player"`
	Former string   `json:"former"`
	Until  int64    `json:"until"` // milliseconds
}

// restrictions are what operators have decided about each player of whom there is something.
var restrictions = Table[PlayerID, Restriction]{
	Name: "restrictions", Keys: Text(isPlayerID),
	Values: JSONAs(1,
		func(r Restriction) restrictionJSON {
			j := restrictionJSON{Closed: r.Closed, Into: r.Into}
			if !r.Muted.IsZero() {
				j.Muted = r.Muted.UnixMilli()
			}
			return j
		},
		func(_ PlayerID, j restrictionJSON) (Restriction, error) {
			r := Restriction{Closed: j.Closed, Into: j.Into}
			if j.Muted != 0 {
				r.Muted = fromMS(j.Muted)
			}
			if r == (Restriction{}) {
				return r, damaged("a restriction that restricts nothing")
			}
			return r, nil
		}),
}

// formerNames are the names that players had before, by the form in which names are compared.
var formerNames = Table[string, formerNameJSON]{
	Name: "former_names", Keys: Text[string](nil), Values: JSON[string, formerNameJSON](1),
	Check: func(_ string, f formerNameJSON) error {
		if f.Player == "" || f.Former == "" {
			return damaged("a former name of nobody")
		}
		return nil
	},
}

// Restrictions returns the restrictions of all players who have any.
func (s *Store) Restrictions(ctx context.Context) (map[PlayerID]Restriction, error) {
	return view(ctx, s, "restrictions", func(r kv.Reader) (map[PlayerID]Restriction, error) {
		all := map[PlayerID]Restriction{}
		for e, err := range restrictions.Scan(r, restrictions.Under()) {
			if err != nil {
				return nil, err
			}
			all[e.Key] = e.Value
		}
		return all, nil
	})
}

// readRestriction reads the restriction of a player, the zero value if there is none; ErrNotFound for an unknown player.
func readRestriction(r kv.Reader, id PlayerID) (Restriction, error) {
	known, err := players.Has(r, id)
	if err == nil && !known {
		err = ErrNotFound
	}
	if err != nil {
		return Restriction{}, err
	}
	restriction, _, err := restrictions.Find(r, id)
	return restriction, err
}

func writeRestriction(tx kv.Tx, id PlayerID, r Restriction) error {
	if r == (Restriction{}) {
		restrictions.Delete(tx, id)
		return nil
	}
	return restrictions.Put(tx, id, r)
}

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
	for _, id := range []PlayerID{c.From, c.To} {
		if _, err := readKnown(tx, id); err != nil {
			return nil, err
		}
	}
	if c.From == c.To {
		return nil, ErrUnchanged
	}
	had, err := keysOf(tx, c.From)
	if err != nil {
		return nil, err
	}
	undo := &KeysChange{c.To, c.From, []string{}}
	for _, fingerprint := range had {
		if c.Keys != nil && !slices.Contains(c.Keys, fingerprint) {
			continue
		}
		added, err := playerKeys.Get(tx, ownedKey{c.From, fingerprint})
		if err != nil {
			return nil, err
		}
		deleteKey(tx, c.From, fingerprint)
		if err := writeKey(tx, c.To, fingerprint, added); err != nil {
			return nil, err
		}
		undo.Keys = append(undo.Keys, fingerprint)
	}
	return undo, nil
}

// A RenameChange gives a player another name. The name before is kept for that player for NameKept.
type RenameChange struct {
	Player  PlayerID `json:"player"`
	Name    string   `json:"name"`
	NameKey string   `json:"name_key"`
}

func (c *RenameChange) apply(s *Store, tx kv.Tx, now time.Time) (*RenameChange, error) {
	p, err := readKnown(tx, c.Player)
	if err != nil {
		return nil, err
	}
	if err := checkKeys(c.NameKey); err != nil {
		return nil, err
	}
	if err := checkText(c.Name); err != nil {
		return nil, err
	}
	undo := &RenameChange{p.ID, p.Name, p.NameKey}
	if p.Name == c.Name && p.NameKey == c.NameKey {
		return nil, ErrUnchanged
	}
	if p.NameKey != c.NameKey {
		if err := s.freeName(tx, c.Name, c.NameKey, p.ID); err != nil {
			return nil, err
		}
		if err := giveUpName(tx, p, now); err != nil {
			return nil, err
		}
		formerNames.Delete(tx, c.NameKey)
		if err := names.Put(tx, c.NameKey, p.ID); err != nil {
			return nil, err
		}
	}
	p.Name, p.NameKey = c.Name, c.NameKey
	s.putLookalikes(tx, p.Name, p.ID)
	known, _, err := credentials.Find(tx, p.ID)
	if err != nil {
		return nil, err
	}
	known.Renamed = now.UnixMilli()
	return undo, errors.Join(writeCredentials(tx, p.ID, known), players.Put(tx, p.ID, p))
}

// giveUpName takes the name of a player from them, and keeps it for NameKept.
func giveUpName(tx kv.Tx, p Player, now time.Time) error {
	names.Delete(tx, p.NameKey)
	return formerNames.Put(tx, p.NameKey, formerNameJSON{p.ID, p.Name, now.Add(NameKept).UnixMilli()})
}

// checkFormer returns ErrNameTaken if a name is kept for another player than by.
func checkFormer(r kv.Reader, nameKey string, by PlayerID) error {
	f, former, err := formerNames.Find(r, nameKey)
	if err == nil && former && f.Player != by {
		err = ErrNameTaken
	}
	return err
}

// FormerNames returns the names that players had before and that are kept for them.
func (s *Store) FormerNames(ctx context.Context) (map[PlayerID][]string, error) {
	return view(ctx, s, "former names", func(r kv.Reader) (map[PlayerID][]string, error) {
		former := map[PlayerID][]string{}
		for e, err := range formerNames.Scan(r, formerNames.Under()) {
			if err != nil {
				return nil, err
			}
			former[e.Value.Player] = append(former[e.Value.Player], e.Value.Former)
		}
		return former, nil
	})
}

// sweepFormerNames frees the names whose time is over.
func (s *Store) sweepFormerNames(ctx context.Context, now time.Time) error {
	return formerNames.sweepWith(ctx, s, func(_ kv.Reader, e Entry[string, formerNameJSON]) (bool, error) {
		return now.UnixMilli() >= e.Value.Until, nil
	}, func(tx kv.Tx, e Entry[string, formerNameJSON]) error {
		formerNames.Delete(tx, e.Key)
		s.deleteLookalikes(tx, e.Value.Former, e.Value.Player)
		p, known, err := players.Find(tx, e.Value.Player) // unknown, as after salvage
		if err == nil && known && p.Deleted.IsZero() {
			s.putLookalikes(tx, p.Name, p.ID) // the two may look alike
		}
		return err
	})
}
