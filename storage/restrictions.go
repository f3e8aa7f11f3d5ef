package storage

import (
	"context"
	"errors"
	"fmt"
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

// Versions of the values that this program writes.
const (
	restrictionVersion = 1
	formerNameVersion  = 1
)

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

// Restrictions returns the restrictions of all players who have any.
func (s *Store) Restrictions(ctx context.Context) (map[PlayerID]Restriction, error) {
	all := map[PlayerID]Restriction{}
	err := s.engine.View(ctx, func(r kv.Reader) error {
		for p, err := range r.Scan(restrictions.all()) {
			if err != nil {
				return err
			}
			if all[PlayerID(restrictions.rest(p.Key))], err = decodeRestriction(p.Value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: restrictions: %w", err)
	}
	return all, nil
}

func readRestriction(r kv.Reader, id PlayerID) (Restriction, error) {
	if _, err := lookUp(r, players.key(string(id))); err != nil {
		return Restriction{}, err
	}
	value, err := r.Get(restrictions.key(string(id)))
	if err != nil || value == nil {
		return Restriction{}, err
	}
	return decodeRestriction(value)
}

func decodeRestriction(value []byte) (Restriction, error) {
	_, content, err := unseal(value, restrictionVersion)
	if err != nil {
		return Restriction{}, err
	}
	var j restrictionJSON
	if err := parseJSON(content, &j); err != nil {
		return Restriction{}, err
	}
	r := Restriction{Closed: j.Closed, Into: j.Into}
	if j.Muted != 0 {
		r.Muted = fromMS(j.Muted)
	}
	if r == (Restriction{}) {
		return r, fmt.Errorf("%w: a restriction that restricts nothing", ErrDamaged)
	}
	return r, nil
}

func writeRestriction(tx kv.Tx, id PlayerID, r Restriction) error {
	if r == (Restriction{}) {
		tx.Delete(restrictions.key(string(id)))
		return nil
	}
	j := restrictionJSON{Closed: r.Closed, Into: r.Into}
	if !r.Muted.IsZero() {
		j.Muted = r.Muted.UnixMilli()
	}
	value, err := sealJSON(restrictionVersion, j)
	if err == nil {
		tx.Put(restrictions.key(string(id)), value)
	}
	return err
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
		added, err := tx.Get(playerKeys.key(string(c.From), fingerprint))
		if err != nil {
			return nil, err
		}
		at, err := readAdded(added)
		if err != nil {
			return nil, err
		}
		tx.Delete(playerKeys.key(string(c.From), fingerprint))
		writeKey(tx, c.To, fingerprint, at)
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
		tx.Delete(formerNames.key(c.NameKey))
		tx.Put(names.key(c.NameKey), []byte(p.ID))
	}
	p.Name, p.NameKey = c.Name, c.NameKey
	s.putLookalikes(tx, p.Name, p.ID)
	credentials, err := readCredentials(tx, p.ID)
	if err != nil {
		return nil, err
	}
	credentials.Renamed = now.UnixMilli()
	if err := writeCredentials(tx, p.ID, credentials); err != nil {
		return nil, err
	}
	return undo, writePlayer(tx, p)
}

// giveUpName takes the name of a player from them, and keeps it for NameKept.
func giveUpName(tx kv.Tx, p Player, now time.Time) error {
	former, err := sealJSON(formerNameVersion, formerNameJSON{p.ID, p.Name, now.Add(NameKept).UnixMilli()})
	if err == nil {
		tx.Put(formerNames.key(p.NameKey), former)
		tx.Delete(names.key(p.NameKey))
	}
	return err
}

// checkFormer says ErrNameTaken if a name is kept for another player than by.
func checkFormer(r kv.Reader, nameKey string, by PlayerID) error {
	value, err := r.Get(formerNames.key(nameKey))
	if err != nil || value == nil {
		return err
	}
	f, err := decodeFormerName(value)
	if err == nil && f.Player != by {
		err = ErrNameTaken
	}
	return err
}

func decodeFormerName(value []byte) (f formerNameJSON, err error) {
	_, content, err := unseal(value, formerNameVersion)
	if err == nil {
		err = parseJSON(content, &f)
	}
	if err == nil && (f.Player == "" || f.Former == "") {
		err = fmt.Errorf("%w: a former name of nobody", ErrDamaged)
	}
	return f, err
}

// FormerNames returns the names that players had before and that are kept for them.
func (s *Store) FormerNames(ctx context.Context) (map[PlayerID][]string, error) {
	var former map[PlayerID][]string
	err := s.engine.View(ctx, func(r kv.Reader) error {
		former = map[PlayerID][]string{}
		for p, err := range r.Scan(formerNames.all()) {
			if err != nil {
				return err
			}
			f, err := decodeFormerName(p.Value)
			if err != nil {
				return err
			}
			former[f.Player] = append(former[f.Player], f.Former)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: former names: %w", err)
	}
	return former, nil
}

// sweepFormerNames frees the names whose time is over.
func (s *Store) sweepFormerNames(ctx context.Context, now time.Time) error {
	return s.sweepWith(ctx, formerNames.all(), func(_ kv.Reader, _, value []byte) (bool, error) {
		f, err := decodeFormerName(value)
		return err == nil && now.UnixMilli() >= f.Until, err
	}, func(tx kv.Tx, key, value []byte) error {
		f, err := decodeFormerName(value)
		if err != nil {
			return err
		}
		tx.Delete(key)
		for _, skeleton := range s.skeletons(f.Former) {
			tx.Delete(lookalikes.key(skeleton, string(f.Player)))
		}
		p, err := readPlayer(tx, f.Player)
		if errors.Is(err, ErrNotFound) { // as after salvage
			return nil
		}
		if err == nil && p.Deleted.IsZero() {
			s.putLookalikes(tx, p.Name, p.ID) // the two may look alike
		}
		return err
	})
}
