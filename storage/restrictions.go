package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// A RestrictionStore keeps what operators have decided about players, and the names that players had before.
type RestrictionStore struct {
	engine     kv.Store
	lookalikes Lookalikes
}

// newRestrictionStore returns the restrictions that an engine keeps.
func newRestrictionStore(engine kv.Store, alike Lookalikes) *RestrictionStore {
	return &RestrictionStore{engine, alike}
}

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
func (s *RestrictionStore) Restrictions(ctx context.Context) (map[PlayerID]Restriction, error) {
	return view(ctx, s.engine, "restrictions", func(r kv.Reader) (map[PlayerID]Restriction, error) {
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

// rename gives a player another name, and returns who they were. The name before is kept for that player for NameKept. The errors are
// ErrNotFound, ErrNameTaken, ErrNameAlike, ErrUnchanged and ErrInvalid.
func rename(tx kv.Tx, alike Lookalikes, id PlayerID, name, nameKey string, now time.Time) (was Player, err error) {
	p, err := readKnown(tx, id)
	if err != nil {
		return p, err
	}
	if err := checkKeys(nameKey); err != nil {
		return p, err
	}
	if err := checkText(name); err != nil {
		return p, err
	}
	was = p
	if p.Name == name && p.NameKey == nameKey {
		return was, ErrUnchanged
	}
	if p.NameKey != nameKey {
		if err := freeName(tx, alike, name, nameKey, p.ID); err != nil {
			return was, err
		}
		if err := giveUpName(tx, p, now); err != nil {
			return was, err
		}
		formerNames.Delete(tx, nameKey)
		if err := names.Put(tx, nameKey, p.ID); err != nil {
			return was, err
		}
	}
	p.Name, p.NameKey = name, nameKey
	alike.put(tx, p.Name, p.ID)
	known, _, err := credentials.Find(tx, p.ID)
	if err != nil {
		return was, err
	}
	known.Renamed = now.UnixMilli()
	return was, errors.Join(writeCredentials(tx, p.ID, known), players.Put(tx, p.ID, p))
}

// moveKeys gives keys of one player to another, all of them if fingerprints is nil, and returns those that the first one had. The error is
// ErrNotFound for an unknown player, and ErrUnchanged for one and the same.
func moveKeys(tx kv.Tx, from, to PlayerID, fingerprints []string) (moved []string, err error) {
	for _, id := range []PlayerID{from, to} {
		if _, err := readKnown(tx, id); err != nil {
			return nil, err
		}
	}
	if from == to {
		return nil, ErrUnchanged
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
		added, err := playerKeys.Get(tx, ownedKey{from, fingerprint})
		if err != nil {
			return nil, err
		}
		deleteKey(tx, from, fingerprint)
		if err := writeKey(tx, to, fingerprint, added); err != nil {
			return nil, err
		}
		moved = append(moved, fingerprint)
	}
	return moved, nil
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
func (s *RestrictionStore) FormerNames(ctx context.Context) (map[PlayerID][]string, error) {
	return view(ctx, s.engine, "former names", func(r kv.Reader) (map[PlayerID][]string, error) {
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

// Sweep frees the names whose time is over.
func (s *RestrictionStore) Sweep(ctx context.Context, now time.Time) error {
	return formerNames.sweepWith(ctx, s.engine, func(_ kv.Reader, e Entry[string, formerNameJSON]) (bool, error) {
		return now.UnixMilli() >= e.Value.Until, nil
	}, func(tx kv.Tx, e Entry[string, formerNameJSON]) error {
		formerNames.Delete(tx, e.Key)
		s.lookalikes.remove(tx, e.Value.Former, e.Value.Player)
		p, known, err := players.Find(tx, e.Value.Player) // unknown, as after salvage
		if err == nil && known && p.Deleted.IsZero() {
			s.lookalikes.put(tx, p.Name, p.ID) // the two may look alike
		}
		return err
	})
}
