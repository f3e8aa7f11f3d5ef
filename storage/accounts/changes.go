package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// The bounds of accounts.
const (
	MaxKeys     = 20                  // of one player
	KeyCodeLife = 10 * time.Minute    // how long a code lets a key in
	RenameEvery = 30 * 24 * time.Hour // how often a player may change the name
)

// What a change of an account finds wrong. Nothing was written.
var (
	// ErrLastKey says that a player has no other key.
	ErrLastKey = errors.New("it is the only key")

	// ErrManyKeys says that a player has MaxKeys keys.
	ErrManyKeys = errors.New("too many keys")

	// ErrRestricted says that an operator has closed or muted the account.
	ErrRestricted = errors.New("the account is restricted")
)

// A RenamedError says that less than RenameEvery has passed since a player's last change of name.
type RenamedError struct {
	Next time.Time // when they may again
}

func (e *RenamedError) Error() string { return "the name has changed lately" }

// An Account is what is kept of a player, besides what the player does.
type Account struct {
	Player
	Keys        []Key
	Former      []string  // names that are kept for the player
	Recovery    time.Time // when the recovery code was made; zero: there is none
	Renamed     time.Time // when the name changed last; zero: never, or it is not known
	Restriction Restriction
	Blocks      []Visit // where the player came from
}

// A Key is an SSH key of a player.
type Key struct {
	Fingerprint string
	Added       time.Time // zero where it is not known
	Used        time.Time // to within a day; zero where it is not known
}

// Credentials are version 1 of what lets other keys into an account: hashes of codes, in hexadecimal digits.
type credentialsJSON struct {
	Recovery     string `json:"recovery,omitempty"`
	RecoveryMade int64  `json:"recovery_made,omitempty"` // milliseconds, as all times here
	KeyCode      string `json:"key_code,omitempty"`      // it leads to an entry of its own, which says until when
	Renamed      int64  `json:"renamed,omitempty"`
}

// KeyCode is version 1 of a code that lets one key in. Its hash is the key.
type KeyCode struct {
	Player storage.PlayerID `json:"player"`
	Until  int64            `json:"until"`
}

// deletionJSON is version 1 of the note that records still have the name of a deleted player.
type deletionJSON struct {
	Deletion int64 `json:"deletion"`
}

// Credentials are the codes by which other keys can join a player's account, of each player who has any.
var Credentials = storage.Table[storage.PlayerID, credentialsJSON]{
	Name: "credentials", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, credentialsJSON](1),
	Check: func(_ storage.PlayerID, c credentialsJSON) error {
		if c == (credentialsJSON{}) {
			return storage.Damaged("credentials of nothing")
		}
		return nil
	},
}

// KeyCodes are the codes that let one key in, by hash. They live for minutes, and their players can ask for others.
var KeyCodes = storage.Table[string, KeyCode]{
	Name: "key_codes", Keys: storage.Text[string](nil), Values: storage.JSON[string, KeyCode](1), Traits: storage.Traits{Brief: true},
	Check: func(_ string, c KeyCode) error {
		if c.Player == "" || c.Until == 0 {
			return storage.Damaged("a code of nobody")
		}
		return nil
	},
}

// Deletions are the deleted players whose name still stands in records.
var Deletions = storage.Table[storage.PlayerID, deletionJSON]{
	Name: "deletions", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, deletionJSON](1),
	Check: func(_ storage.PlayerID, d deletionJSON) error {
		if d.Deletion == 0 {
			return storage.Damaged("a deletion without a time")
		}
		return nil
	},
}

func writeCredentials(tx kv.Tx, id storage.PlayerID, c credentialsJSON) error {
	if c == (credentialsJSON{}) {
		Credentials.Delete(tx, id)
		return nil
	}
	return Credentials.Put(tx, id, c)
}

// changeAccount changes the account of a player who isn't deleted. It keeps the credentials as do leaves them.
func (s *Store) changeAccount(ctx context.Context, id storage.PlayerID, what string, do func(tx kv.Tx, p Player, c *credentialsJSON) error) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("%s of player %s", what, id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id)); err != nil {
			return err
		}
		p, err := ReadKnown(tx, id)
		if err != nil {
			return err
		}
		before, _, err := Credentials.Find(tx, id)
		if err != nil {
			return err
		}
		c := before
		if err := do(tx, p, &c); err != nil || c == before {
			return err
		}
		return writeCredentials(tx, id, c)
	})
}

// SetRecovery keeps the hash of a player's recovery code, in place of an older hash. The error is ErrNotFound for an unknown player.
func (s *Store) SetRecovery(ctx context.Context, id storage.PlayerID, hash string, now time.Time) error {
	return s.changeAccount(ctx, id, "recovery code", func(_ kv.Tx, _ Player, c *credentialsJSON) error {
		c.Recovery, c.RecoveryMade = hash, now.UnixMilli()
		return storage.CheckKeys(hash)
	})
}

// Recover gives a key to a player whose recovery code has this hash; next is the hash of the code that replaces it. The errors are
// ErrNotFound for an unknown player or another code, and the errors of ClaimKey.
func (s *Store) Recover(ctx context.Context, id storage.PlayerID, hash, next, fingerprint string, now time.Time) error {
	return s.changeAccount(ctx, id, "recovery", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		if err := storage.CheckKeys(hash, next, fingerprint); err != nil {
			return err
		}
		if c.Recovery != hash { // a hash: how long this takes says nothing about the code
			return storage.ErrNotFound
		}
		c.Recovery, c.RecoveryMade = next, now.UnixMilli()
		return s.takeKey(tx, id, fingerprint, now)
	})
}

// OfferKey keeps the hash of a code by which one key can join a player's others, for KeyCodeLife. An older code ends. The errors are
// ErrNotFound for an unknown player and ErrManyKeys.
func (s *Store) OfferKey(ctx context.Context, id storage.PlayerID, hash string, now time.Time) error {
	return s.changeAccount(ctx, id, "key code", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		if err := storage.CheckKeys(hash); err != nil {
			return err
		}
		if err := hasRoomForKey(tx, id); err != nil {
			return err
		}
		endKeyCode(tx, c)
		c.KeyCode = hash
		return KeyCodes.Put(tx, hash, KeyCode{id, now.Add(KeyCodeLife).UnixMilli()})
	})
}

// endKeyCode ends the code that is open.
func endKeyCode(tx kv.Tx, c *credentialsJSON) {
	if c.KeyCode != "" {
		KeyCodes.Delete(tx, c.KeyCode)
		c.KeyCode = ""
	}
}

// HasKeyCode reports whether a code with this hash lets a key in.
func (s *Store) HasKeyCode(ctx context.Context, hash string, now time.Time) (bool, error) {
	open, err := s.keyCode(ctx, hash)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && now.UnixMilli() < open.Until, err
}

// keyCode returns the code with a hash; ErrNotFound.
func (s *Store) keyCode(ctx context.Context, hash string) (KeyCode, error) {
	return storage.View(ctx, s.engine, "claim of a key", func(r kv.Reader) (KeyCode, error) { // without the hash: it stands for a secret
		if err := storage.CheckKeys(hash); err != nil {
			return KeyCode{}, err
		}
		return KeyCodes.Get(r, hash)
	})
}

// ClaimKey gives a key to the player whose code has this hash, and ends the code. An account that the key had before is deleted if
// nothing ever happened there. The errors are ErrNotFound for an unknown or expired code, ErrKeyTaken for a key of another account,
// ErrUnchanged for a key that is the player's already, and ErrManyKeys.
func (s *Store) ClaimKey(ctx context.Context, hash, fingerprint string, now time.Time) (storage.PlayerID, error) {
	open, err := s.keyCode(ctx, hash)
	if err != nil {
		return "", err
	}
	return open.Player, s.changeAccount(ctx, open.Player, "claim of a key", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		if c.KeyCode != hash || now.UnixMilli() >= open.Until {
			return storage.ErrNotFound
		}
		if err := storage.CheckKeys(fingerprint); err != nil {
			return err
		}
		endKeyCode(tx, c)
		return s.takeKey(tx, open.Player, fingerprint, now)
	})
}

func hasRoomForKey(r kv.Reader, id storage.PlayerID) error {
	have, err := keysOf(r, id)
	if err == nil && len(have) >= MaxKeys {
		err = ErrManyKeys
	}
	return err
}

// takeKey gives a key to a player. An account that it had before is deleted if nothing ever happened there.
func (s *Store) takeKey(tx kv.Tx, id storage.PlayerID, fingerprint string, now time.Time) error {
	if err := hasRoomForKey(tx, id); err != nil {
		return err
	}
	owner, owned, err := Keys.Find(tx, fingerprint)
	switch {
	case err != nil:
		return err
	case owner == id:
		return storage.ErrUnchanged
	case owned:
		if err := s.dropUnused(tx, owner, now); err != nil {
			return err
		}
	}
	return WriteKey(tx, id, fingerprint, now)
}

// TakeBackSignUp deletes an account with one key where nothing ever happened, and frees its name. The errors are ErrNotFound for an unknown
// player, and ErrKeyTaken for any other account.
func (s *Store) TakeBackSignUp(ctx context.Context, id storage.PlayerID, now time.Time) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("sign-up of player %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id)); err != nil {
			return err
		}
		if related, err := s.others.Related(tx, id); err != nil || related {
			return cmp.Or(err, storage.ErrKeyTaken)
		}
		return s.dropUnused(tx, id, now)
	})
}

// dropUnused deletes an account with one key where nothing ever happened, and frees its name; ErrKeyTaken for any other.
func (s *Store) dropUnused(tx kv.Tx, id storage.PlayerID, now time.Time) error {
	p, err := ReadKnown(tx, id)
	if err != nil {
		return err
	}
	have, err := keysOf(tx, id)
	if err != nil {
		return err
	}
	restricted, err := Restrictions.Has(tx, id)
	if err != nil {
		return err
	}
	used, err := s.others.Used(tx, id)
	if err != nil {
		return err
	}
	if len(have) != 1 || restricted || used {
		return storage.ErrKeyTaken
	}
	s.lookalikes.remove(tx, p.Name, id)
	Names.Delete(tx, p.NameKey)
	return s.erase(tx, p, now)
}

// erase leaves of an account what matches, results, reports and operators name: the id. The name is for the caller to free or keep.
func (s *Store) erase(tx kv.Tx, p Player, now time.Time) error {
	have, err := keysOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, fingerprint := range have {
		deleteKey(tx, p.ID, fingerprint)
	}
	c, _, err := Credentials.Find(tx, p.ID)
	if err != nil {
		return err
	}
	endKeyCode(tx, &c)
	Credentials.Delete(tx, p.ID)
	if err := s.others.Erased(tx, p.ID); err != nil {
		return err
	}
	if err := Visits.DeleteUnder(tx, string(p.ID)); err != nil {
		return err
	}
	if err := disown(tx, p); err != nil {
		return err
	}
	return Players.Put(tx, p.ID, Player{ID: p.ID, Name: FormerPlayer, Since: p.Since, Deleted: storage.Stored(now), Became: p.Became})
}

// RemoveKey takes a key from a player. The errors are ErrNotFound if it isn't theirs, and ErrLastKey.
func (s *Store) RemoveKey(ctx context.Context, id storage.PlayerID, fingerprint string) error {
	return s.changeAccount(ctx, id, "key", func(tx kv.Tx, _ Player, _ *credentialsJSON) error {
		have, err := keysOf(tx, id)
		switch {
		case err != nil:
			return err
		case !slices.Contains(have, fingerprint):
			return storage.ErrNotFound
		case len(have) == 1:
			return ErrLastKey
		}
		deleteKey(tx, id, fingerprint)
		Visits.Delete(tx, Origin{id, fingerprint})
		return nil
	})
}

// ChangeName gives a player another name at their own wish. The name before is kept for them for NameKept. The errors are
// ErrNotFound, ErrNameTaken, ErrNameAlike, ErrUnchanged, ErrRestricted for an account that is closed or muted, and *RenamedError within
// RenameEvery of the last change, even an operator's.
func (s *Store) ChangeName(ctx context.Context, id storage.PlayerID, name, nameKey string, now time.Time) error {
	return s.changeAccount(ctx, id, "name", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		r, err := ReadRestriction(tx, id)
		if err != nil {
			return err
		}
		if r.Closed || r.Muted.After(now) {
			return ErrRestricted
		}
		if next := storage.FromMS(c.Renamed).Add(RenameEvery); c.Renamed != 0 && now.Before(next) {
			return &RenamedError{next}
		}
		if _, err = Rename(tx, s.lookalikes, id, name, nameKey, now); err == nil {
			c.Renamed = now.UnixMilli()
		}
		return err
	})
}

// DeletePlayer deletes an account at the wish of its player: name, keys, settings, relations and addresses go, and the name is kept from others
// for NameKept. Matches, results and reports stay, and name the player by the id; ForgetName takes the name out of the records.
// DeletePlayer returns the keys, which now belong to no player. The errors are ErrNotFound and ErrRestricted: what an operator has
// imposed stays.
func (s *Store) DeletePlayer(ctx context.Context, id storage.PlayerID, now time.Time) (fingerprints []string, err error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("delete player %s", id), func(tx kv.Tx) ([]string, error) {
		if err := storage.CheckKeys(string(id)); err != nil {
			return nil, err
		}
		p, err := ReadKnown(tx, id)
		if err != nil {
			return nil, err
		}
		r, err := ReadRestriction(tx, id)
		if err != nil {
			return nil, err
		}
		if r.Closed || r.Muted.After(now) {
			return nil, ErrRestricted
		}
		fingerprints, err := keysOf(tx, id)
		if err != nil {
			return nil, err
		}
		return fingerprints, errors.Join(giveUpName(tx, p, now), Deletions.Put(tx, id, deletionJSON{now.UnixMilli()}), s.erase(tx, p, now))
	})
}

// Deletions returns the deleted players whose name still stands in records.
func (s *Store) Deletions(ctx context.Context) ([]storage.PlayerID, error) {
	return storage.View(ctx, s.engine, "deletions", func(r kv.Reader) (ids []storage.PlayerID, err error) {
		for e, err := range Deletions.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, e.Key)
		}
		return ids, nil
	})
}

// Read reads the account of a player. The error is ErrNotFound for an unknown player.
func Read(r kv.Reader, id storage.PlayerID) (a Account, err error) {
	if a.Player, err = ReadKnown(r, id); err != nil {
		return a, err
	}
	c, _, err := Credentials.Find(r, id)
	if err != nil {
		return a, err
	}
	if c.RecoveryMade != 0 {
		a.Recovery = storage.FromMS(c.RecoveryMade)
	}
	if c.Renamed != 0 {
		a.Renamed = storage.FromMS(c.Renamed)
	}
	if a.Restriction, err = ReadRestriction(r, id); err != nil {
		return a, err
	}
	came, err := VisitsOf(r, id)
	if err != nil {
		return a, err
	}
	used := map[string]time.Time{}
	for _, v := range came {
		if used[v.From] = v.Last; !v.IsKey() {
			a.Blocks = append(a.Blocks, v)
		}
	}
	for e, err := range PlayerKeys.Under(string(id)).Scan(r) {
		if err != nil {
			return a, err
		}
		a.Keys = append(a.Keys, Key{e.Key.Fingerprint, e.Value, used[e.Key.Fingerprint]})
	}
	for e, err := range FormerNames.All().Scan(r) {
		if err != nil {
			return a, err
		}
		if e.Value.Player == id {
			a.Former = append(a.Former, e.Value.Former)
		}
	}
	return a, nil
}

// Sweep removes expired codes.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return KeyCodes.All().SweepWith(ctx, s.engine, func(_ kv.Reader, e storage.Entry[string, KeyCode]) (bool, error) {
		return now.UnixMilli() >= e.Value.Until, nil
	}, func(tx kv.Tx, e storage.Entry[string, KeyCode]) error {
		KeyCodes.Delete(tx, e.Key)
		c, _, err := Credentials.Find(tx, e.Value.Player)
		if err != nil || c.KeyCode != e.Key {
			return err
		}
		c.KeyCode = ""
		return writeCredentials(tx, e.Value.Player, c)
	})
}
