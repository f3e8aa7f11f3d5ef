package accounts

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A RestrictionStore keeps what operators have decided about players, and the names that players had before.
type RestrictionStore struct {
	engine     kv.Store
	lookalikes LookalikeRules
}

// NewRestrictionStore returns the restrictions that an engine keeps.
func NewRestrictionStore(engine kv.Store, alike LookalikeRules) *RestrictionStore {
	return &RestrictionStore{engine, alike}
}

// A Restriction is what operators have decided about a player. The zero value is none.
type Restriction struct {
	Muted  time.Time        // until when the player may not chat; zero: not muted
	Closed bool             // the player can't sign in
	Into   storage.PlayerID // of a closed account: the account that got its keys; "" for others
}

// NameKept is how long a name that a player had before is kept for that player.
const NameKept = 90 * 24 * time.Hour

// restrictionJSON is version 1 of a stored restriction. The player is the key.
type restrictionJSON struct {
	Muted  int64            `json:"muted,omitempty"` // milliseconds
	Closed bool             `json:"closed,omitempty"`
	Into   storage.PlayerID `json:"into,omitempty"`
}

// FormerName is version 1 of a name that a player had before. The form in which names are compared is the key.
type FormerName struct {
	Player storage.PlayerID `json:"player"`
	Former string           `json:"former"`
	Until  int64            `json:"until"` // milliseconds
}

// Restrictions are what operators have decided about each player of whom there is something.
var Restrictions = storage.Table[storage.PlayerID, Restriction]{
	Name: "restrictions", Keys: storage.Text(storage.IsPlayerID),
	Values: storage.JSONAs(1,
		func(r Restriction) restrictionJSON {
			j := restrictionJSON{Closed: r.Closed, Into: r.Into}
			if !r.Muted.IsZero() {
				j.Muted = r.Muted.UnixMilli()
			}
			return j
		},
		func(_ storage.PlayerID, j restrictionJSON) (Restriction, error) {
			r := Restriction{Closed: j.Closed, Into: j.Into}
			if j.Muted != 0 {
				r.Muted = storage.FromMS(j.Muted)
			}
			if r == (Restriction{}) {
				return r, storage.Damaged("a restriction that restricts nothing")
			}
			return r, nil
		}),
}

// FormerNames are the names that players had before, by the form in which names are compared.
var FormerNames = storage.Table[string, FormerName]{
	Name: "former_names", Keys: storage.Text[string](nil), Values: storage.JSON[string, FormerName](1),
	Check: func(_ string, f FormerName) error {
		if f.Player == "" || f.Former == "" {
			return storage.Damaged("a former name of nobody")
		}
		return nil
	},
}

// Restrictions returns the restrictions of all players who have any.
func (s *RestrictionStore) Restrictions(ctx context.Context) (map[storage.PlayerID]Restriction, error) {
	return storage.View(ctx, s.engine, "restrictions", func(r kv.Reader) (map[storage.PlayerID]Restriction, error) {
		all := map[storage.PlayerID]Restriction{}
		for e, err := range Restrictions.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			all[e.Key] = e.Value
		}
		return all, nil
	})
}

// ReadRestriction reads the restriction of a player, the zero value if there is none; ErrNotFound for an unknown player.
func ReadRestriction(r kv.Reader, id storage.PlayerID) (Restriction, error) {
	known, err := Players.Has(r, id)
	if err == nil && !known {
		err = storage.ErrNotFound
	}
	if err != nil {
		return Restriction{}, err
	}
	restriction, _, err := Restrictions.Find(r, id)
	return restriction, err
}

// WriteRestriction sets the restriction of a player; the zero value removes it.
func WriteRestriction(tx kv.Tx, id storage.PlayerID, r Restriction) error {
	if r == (Restriction{}) {
		Restrictions.Delete(tx, id)
		return nil
	}
	return Restrictions.Put(tx, id, r)
}

// Rename gives a player another name, and returns who they were. The name before is kept for that player for NameKept. The errors are
// ErrNotFound, ErrNameTaken, ErrNameAlike, ErrUnchanged and ErrInvalid.
func Rename(tx kv.Tx, alike LookalikeRules, id storage.PlayerID, name, nameKey string, now time.Time) (was Player, err error) {
	p, err := ReadKnown(tx, id)
	if err != nil {
		return p, err
	}
	if err := storage.CheckKeys(nameKey); err != nil {
		return p, err
	}
	if err := storage.CheckText(name); err != nil {
		return p, err
	}
	was = p
	if p.Name == name && p.NameKey == nameKey {
		return was, storage.ErrUnchanged
	}
	if p.NameKey != nameKey {
		if err := freeName(tx, alike, name, nameKey, p.ID); err != nil {
			return was, err
		}
		if err := giveUpName(tx, p, now); err != nil {
			return was, err
		}
		FormerNames.Delete(tx, nameKey)
		if err := Names.Put(tx, nameKey, p.ID); err != nil {
			return was, err
		}
	}
	p.Name, p.NameKey = name, nameKey
	alike.put(tx, p.Name, p.ID)
	known, _, err := Credentials.Find(tx, p.ID)
	if err != nil {
		return was, err
	}
	known.Renamed = now.UnixMilli()
	return was, errors.Join(writeCredentials(tx, p.ID, known), Players.Put(tx, p.ID, p))
}

// MoveKeys gives keys of one player to another, all of them if fingerprints is nil, and returns the keys that it moved. The error is
// ErrNotFound for an unknown player, ErrUnchanged if both are the same player, and ErrKinds if only one is a computer account.
func MoveKeys(tx kv.Tx, from, to storage.PlayerID, fingerprints []string) (moved []string, err error) {
	var both [2]Player
	for i, id := range []storage.PlayerID{from, to} {
		if both[i], err = ReadKnown(tx, id); err != nil {
			return nil, err
		}
	}
	switch {
	case from == to:
		return nil, storage.ErrUnchanged
	case both[0].Kind() != both[1].Kind():
		return nil, ErrKinds
	}
	had, err := keysOf(tx, from)
	if err != nil {
		return nil, err
	}
	moved = []string{}
	for _, fingerprint := range had {
		if fingerprints != nil && !slices.Contains(fingerprints, fingerprint) {
			continue
		}
		added, err := PlayerKeys.Get(tx, OwnedKey{from, fingerprint})
		if err != nil {
			return nil, err
		}
		deleteKey(tx, from, fingerprint)
		if err := WriteKey(tx, to, fingerprint, added); err != nil {
			return nil, err
		}
		moved = append(moved, fingerprint)
	}
	return moved, nil
}

// giveUpName takes the name of a player from them, and keeps it for NameKept.
func giveUpName(tx kv.Tx, p Player, now time.Time) error {
	Names.Delete(tx, p.NameKey)
	return FormerNames.Put(tx, p.NameKey, FormerName{p.ID, p.Name, now.Add(NameKept).UnixMilli()})
}

// checkFormer returns ErrNameTaken if a name is kept for another player than by.
func checkFormer(r kv.Reader, nameKey string, by storage.PlayerID) error {
	f, former, err := FormerNames.Find(r, nameKey)
	if err == nil && former && f.Player != by {
		err = storage.ErrNameTaken
	}
	return err
}

// FormerNames returns the names that players had before and that are kept for them.
func (s *RestrictionStore) FormerNames(ctx context.Context) (map[storage.PlayerID][]string, error) {
	return storage.View(ctx, s.engine, "former names", func(r kv.Reader) (map[storage.PlayerID][]string, error) {
		former := map[storage.PlayerID][]string{}
		for e, err := range FormerNames.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			former[e.Value.Player] = append(former[e.Value.Player], e.Value.Former)
		}
		return former, nil
	})
}

// Sweep frees the former names that are no longer kept.
func (s *RestrictionStore) Sweep(ctx context.Context, now time.Time) error {
	return FormerNames.All().SweepWith(ctx, s.engine, func(_ kv.Reader, e storage.Entry[string, FormerName]) (bool, error) {
		return now.UnixMilli() >= e.Value.Until, nil
	}, func(tx kv.Tx, e storage.Entry[string, FormerName]) error {
		FormerNames.Delete(tx, e.Key)
		s.lookalikes.remove(tx, e.Value.Former, e.Value.Player)
		p, known, err := Players.Find(tx, e.Value.Player) // unknown, as after salvage
		if err == nil && known && p.Deleted.IsZero() {
			s.lookalikes.put(tx, p.Name, p.ID) // the two may look alike
		}
		return err
	})
}
