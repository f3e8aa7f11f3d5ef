package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// A RenamedError says that a player has changed the name a short while ago.
type RenamedError struct {
	Next time.Time // when they may again
}

func (e *RenamedError) Error() string { return "the name has changed lately" }

// An Account is what the store keeps of a player, besides matches and ratings.
type Account struct {
	Player
	Keys        []Key
	Former      []string  // names that are kept for the player
	Recovery    time.Time // when the recovery code was made; zero: there is none
	Renamed     time.Time // when the name changed last; zero: never, or it is not known
	Restriction Restriction
	Blocks      []Visit  // where the player came from
	Reports     []Report // that the player made
	Relations   Relations
}

// A Key is an SSH key of a player.
type Key struct {
	Fingerprint string
	Added       time.Time // zero where it is not known
	Used        time.Time // to within a day; zero where it is not known
}

const (
	credentialsVersion = 1
	keyCodeVersion     = 1
	deletionVersion    = 1
)

// credentials are version 1 of what lets other keys into an account: hashes of codes, in hexadecimal digits.
type credentialsJSON struct {
	Recovery     string `json:"recovery,omitempty"`
	RecoveryMade int64  `json:"recovery_made,omitempty"` // milliseconds, as all times here
	KeyCode      string `json:"key_code,omitempty"`      // it leads to an entry of its own, which says until when
	Renamed      int64  `json:"renamed,omitempty"`
}

// keyCodeJSON is version 1 of a code that lets one key in. Its hash is the key.
type keyCodeJSON struct {
	Player PlayerID `json:"player"`
	Until  int64    `json:"until"`
}

// deletionJSON is version 1 of the note that records still have the name of a player who is deleted.
type deletionJSON struct {
	Deletion int64 `json:"deletion"`
}

func readCredentials(r kv.Reader, id PlayerID) (c credentialsJSON, err error) {
	value, err := r.Get(credentials.key(string(id)))
	if err != nil || value == nil {
		return c, err
	}
	return decodeCredentials(value)
}

func decodeCredentials(value []byte) (c credentialsJSON, err error) {
	_, content, err := unseal(value, credentialsVersion)
	if err == nil {
		err = parseJSON(content, &c)
	}
	if err == nil && c == (credentialsJSON{}) {
		err = fmt.Errorf("%w: credentials of nothing", ErrDamaged)
	}
	return c, err
}

func writeCredentials(tx kv.Tx, id PlayerID, c credentialsJSON) error {
	if c == (credentialsJSON{}) {
		tx.Delete(credentials.key(string(id)))
		return nil
	}
	value, err := sealJSON(credentialsVersion, c)
	if err == nil {
		tx.Put(credentials.key(string(id)), value)
	}
	return err
}

func decodeKeyCode(value []byte) (c keyCodeJSON, err error) {
	_, content, err := unseal(value, keyCodeVersion)
	if err == nil {
		err = parseJSON(content, &c)
	}
	if err == nil && (c.Player == "" || c.Until == 0) {
		err = fmt.Errorf("%w: a code of nobody", ErrDamaged)
	}
	return c, err
}

func decodeDeletion(value []byte) (d deletionJSON, err error) {
	_, content, err := unseal(value, deletionVersion)
	if err == nil {
		err = parseJSON(content, &d)
	}
	if err == nil && d.Deletion == 0 {
		err = fmt.Errorf("%w: a deletion without a time", ErrDamaged)
	}
	return d, err
}

// changeAccount makes a change of the account of a player who is there. What do makes of its credentials is kept.
func (s *Store) changeAccount(ctx context.Context, id PlayerID, what string, do func(tx kv.Tx, p Player, c *credentialsJSON) error) error {
	err := checkKeys(string(id))
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			p, err := readKnown(tx, id)
			if err != nil {
				return err
			}
			before, err := readCredentials(tx, id)
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
	if err != nil {
		return fmt.Errorf("storage: %s of player %s: %w", what, id, err)
	}
	return nil
}

// SetRecovery keeps the hash of a player's recovery code in place of that of an older one. The error is ErrNotFound for an unknown
// player.
func (s *Store) SetRecovery(ctx context.Context, id PlayerID, hash string, now time.Time) error {
	return s.changeAccount(ctx, id, "recovery code", func(_ kv.Tx, _ Player, c *credentialsJSON) error {
		c.Recovery, c.RecoveryMade = hash, now.UnixMilli()
		return checkKeys(hash)
	})
}

// Recover gives a key to the player whose recovery code has this hash, which is next from then on. The errors are ErrNotFound for
// an unknown player or another code, and those of ClaimKey.
func (s *Store) Recover(ctx context.Context, id PlayerID, hash, next, fingerprint string, now time.Time) error {
	return s.changeAccount(ctx, id, "recovery", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		if err := checkKeys(hash, next, fingerprint); err != nil {
			return err
		}
		if c.Recovery != hash { // a hash: how long this takes says nothing about the code
			return ErrNotFound
		}
		c.Recovery, c.RecoveryMade = next, now.UnixMilli()
		return s.takeKey(tx, id, fingerprint, now)
	})
}

// OfferKey keeps the hash of a code by which one key can join a player's others, for KeyCodeLife. An older one ends. The errors are
// ErrNotFound for an unknown player and ErrManyKeys.
func (s *Store) OfferKey(ctx context.Context, id PlayerID, hash string, now time.Time) error {
	return s.changeAccount(ctx, id, "key code", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		if err := checkKeys(hash); err != nil {
			return err
		}
		if err := hasRoomForKey(tx, id); err != nil {
			return err
		}
		endKeyCode(tx, c)
		value, err := sealJSON(keyCodeVersion, keyCodeJSON{id, now.Add(KeyCodeLife).UnixMilli()})
		if err != nil {
			return err
		}
		tx.Put(keyCodes.key(hash), value)
		c.KeyCode = hash
		return nil
	})
}

// endKeyCode ends the code that is open.
func endKeyCode(tx kv.Tx, c *credentialsJSON) {
	if c.KeyCode != "" {
		tx.Delete(keyCodes.key(c.KeyCode))
		c.KeyCode = ""
	}
}

// HasKeyCode reports whether a code with this hash lets a key in.
func (s *Store) HasKeyCode(ctx context.Context, hash string, now time.Time) (bool, error) {
	open, err := s.keyCode(ctx, hash)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && now.UnixMilli() < open.Until, err
}

// keyCode returns the code with a hash; ErrNotFound.
func (s *Store) keyCode(ctx context.Context, hash string) (open keyCodeJSON, err error) {
	err = checkKeys(hash)
	if err == nil {
		err = s.engine.View(ctx, func(r kv.Reader) error {
			value, err := lookUp(r, keyCodes.key(hash))
			if err == nil {
				open, err = decodeKeyCode(value)
			}
			return err
		})
	}
	if err != nil {
		return keyCodeJSON{}, fmt.Errorf("storage: claim of a key: %w", err) // without the hash: it stands for a secret
	}
	return open, nil
}

// ClaimKey gives a key to the player whose code has this hash, and ends the code. An account that the key had before is deleted if
// nothing ever happened there. The errors are ErrNotFound for another code or one whose time is over, ErrKeyTaken for a key of
// another account, ErrUnchanged for one that is the player's already, and ErrManyKeys.
func (s *Store) ClaimKey(ctx context.Context, hash, fingerprint string, now time.Time) (PlayerID, error) {
	open, err := s.keyCode(ctx, hash)
	if err != nil {
		return "", err
	}
	return open.Player, s.changeAccount(ctx, open.Player, "claim of a key", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		if c.KeyCode != hash || now.UnixMilli() >= open.Until {
			return ErrNotFound
		}
		if err := checkKeys(fingerprint); err != nil {
			return err
		}
		endKeyCode(tx, c)
		return s.takeKey(tx, open.Player, fingerprint, now)
	})
}

func hasRoomForKey(r kv.Reader, id PlayerID) error {
	have, err := keysOf(r, id)
	if err == nil && len(have) >= MaxKeys {
		err = ErrManyKeys
	}
	return err
}

// takeKey gives a key to a player. An account that it had before is deleted if nothing ever happened there.
func (s *Store) takeKey(tx kv.Tx, id PlayerID, fingerprint string, now time.Time) error {
	if err := hasRoomForKey(tx, id); err != nil {
		return err
	}
	owner, err := tx.Get(keys.key(fingerprint))
	switch {
	case err != nil:
		return err
	case PlayerID(owner) == id:
		return ErrUnchanged
	case owner != nil:
		if err := s.dropUnused(tx, PlayerID(owner), now); err != nil {
			return err
		}
	}
	writeKey(tx, id, fingerprint, now)
	return nil
}

// TakeBackSignUp deletes an account with one key where nothing ever happened, and frees its name. The errors are ErrNotFound for an unknown
// player, and ErrKeyTaken for any other account.
func (s *Store) TakeBackSignUp(ctx context.Context, id PlayerID, now time.Time) error {
	err := checkKeys(string(id))
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			related, err := has(tx, relations.key(string(id)))
			switch {
			case err != nil:
				return err
			case related:
				return ErrKeyTaken
			}
			return s.dropUnused(tx, id, now)
		})
	}
	if err != nil {
		return fmt.Errorf("storage: sign-up of player %s: %w", id, err)
	}
	return nil
}

// dropUnused deletes an account with one key where nothing ever happened, and frees its name; ErrKeyTaken for any other.
func (s *Store) dropUnused(tx kv.Tx, id PlayerID, now time.Time) error {
	p, err := readKnown(tx, id)
	if err != nil {
		return err
	}
	have, err := keysOf(tx, id)
	if err != nil {
		return err
	}
	restricted, err := has(tx, restrictions.key(string(id)))
	if err != nil {
		return err
	}
	_, played, err := first(tx, kv.Prefix(history.key(string(id), "", "")))
	if err != nil {
		return err
	}
	if len(have) != 1 || restricted || played {
		return ErrKeyTaken
	}
	for r, err := range scanReports(tx) {
		if err != nil {
			return err
		}
		if r.About == id || r.By == id {
			return ErrKeyTaken
		}
	}
	for _, skeleton := range s.skeletons(p.Name) {
		tx.Delete(lookalikes.key(skeleton, string(id)))
	}
	tx.Delete(names.key(p.NameKey))
	return erase(tx, p, now)
}

// erase leaves of an account what matches, results, reports and operators name: the id. The name is for the caller to free or keep.
func erase(tx kv.Tx, p Player, now time.Time) error {
	have, err := keysOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, fingerprint := range have {
		tx.Delete(keys.key(fingerprint))
		tx.Delete(playerKeys.key(string(p.ID), fingerprint))
	}
	c, err := readCredentials(tx, p.ID)
	if err != nil {
		return err
	}
	endKeyCode(tx, &c)
	tx.Delete(credentials.key(string(p.ID)))
	tx.Delete(relations.key(string(p.ID)))
	if err := tx.DeletePrefix(visits.key(string(p.ID), "")); err != nil {
		return err
	}
	return writePlayer(tx, Player{ID: p.ID, Name: FormerPlayer, Since: p.Since, Deleted: stored(now)})
}

// RemoveKey takes a key from a player. The errors are ErrNotFound if it isn't theirs, and ErrLastKey.
func (s *Store) RemoveKey(ctx context.Context, id PlayerID, fingerprint string) error {
	return s.changeAccount(ctx, id, "key", func(tx kv.Tx, _ Player, _ *credentialsJSON) error {
		have, err := keysOf(tx, id)
		switch {
		case err != nil:
			return err
		case !slices.Contains(have, fingerprint):
			return ErrNotFound
		case len(have) == 1:
			return ErrLastKey
		}
		tx.Delete(keys.key(fingerprint))
		tx.Delete(playerKeys.key(string(id), fingerprint))
		tx.Delete(visits.key(string(id), fingerprint))
		return nil
	})
}

// ChangeName gives a player another name at their own wish. The name before is kept for them for NameKept. The errors are
// ErrNotFound, ErrNameTaken, ErrNameAlike, ErrUnchanged, ErrRestricted for one that is closed or muted, and *RenamedError within RenameEvery of
// the last change, be it an operator's.
func (s *Store) ChangeName(ctx context.Context, id PlayerID, name, nameKey string, now time.Time) error {
	return s.changeAccount(ctx, id, "name", func(tx kv.Tx, _ Player, c *credentialsJSON) error {
		r, err := readRestriction(tx, id)
		if err != nil {
			return err
		}
		if r.Closed || r.Muted.After(now) {
			return ErrRestricted
		}
		if next := fromMS(c.Renamed).Add(RenameEvery); c.Renamed != 0 && now.Before(next) {
			return &RenamedError{next}
		}
		if _, err = (&RenameChange{id, name, nameKey}).apply(s, tx, now); err == nil {
			c.Renamed = now.UnixMilli()
		}
		return err
	})
}

// DeletePlayer deletes an account at the wish of its player: name, keys, settings, relations and addresses go, and the name is kept from others
// for NameKept. Matches, results and reports stay, and name the player by the id; ForgetName takes the name out of the records.
// It returns the keys, which are nobody's now. The errors are ErrNotFound and ErrRestricted: what an operator has imposed stays.
func (s *Store) DeletePlayer(ctx context.Context, id PlayerID, now time.Time) (fingerprints []string, err error) {
	err = checkKeys(string(id))
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			p, err := readKnown(tx, id)
			if err != nil {
				return err
			}
			r, err := readRestriction(tx, id)
			if err != nil {
				return err
			}
			if r.Closed || r.Muted.After(now) {
				return ErrRestricted
			}
			if fingerprints, err = keysOf(tx, id); err != nil {
				return err
			}
			if err := giveUpName(tx, p, now); err != nil {
				return err
			}
			note, err := sealJSON(deletionVersion, deletionJSON{now.UnixMilli()})
			if err != nil {
				return err
			}
			tx.Put(deletions.key(string(id)), note)
			return erase(tx, p, now)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("storage: delete player %s: %w", id, err)
	}
	return fingerprints, nil
}

// Deletions returns the players who are deleted and whose name still stands in records.
func (s *Store) Deletions(ctx context.Context) (ids []PlayerID, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		ids = nil
		for p, err := range r.Scan(deletions.all()) {
			if err != nil {
				return err
			}
			ids = append(ids, PlayerID(deletions.rest(p.Key)))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: deletions: %w", err)
	}
	return ids, nil
}

// ForgetName writes FormerPlayer into the records of a player who is deleted, and leaves what they have written at matches that go on to
// reports alone, in short transactions. What a call that was cut off has not done the next one does.
func (s *Store) ForgetName(ctx context.Context, id PlayerID) error {
	p, err := s.Player(ctx, id)
	if err != nil {
		return err
	}
	if err := s.forgetChat(ctx, id, p.Deleted); err != nil {
		return fmt.Errorf("storage: forget the chat of player %s: %w", id, err)
	}
	prefix := history.key(string(id), "", "")
	for g, more := kv.Prefix(prefix), true; more; {
		var next []byte // where the next transaction begins
		err := s.engine.Update(ctx, func(tx kv.Tx) error {
			var places [][]byte
			for p, err := range tx.Scan(g) {
				if err != nil {
					return err
				}
				if places = append(places, slices.Clone(p.Key)); len(places) == forgetStep {
					break
				}
			}
			for _, place := range places {
				if len(place) <= len(prefix)+8 {
					return fmt.Errorf("%w: a place in the history without a match", ErrDamaged)
				}
				if err := forgetName(tx, id, MatchID(place[len(prefix)+8:])); err != nil {
					return err
				}
			}
			if more = len(places) == forgetStep; more {
				next = append(places[len(places)-1], 0)
			} else {
				tx.Delete(deletions.key(string(id)))
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("storage: forget the name of player %s: %w", id, err)
		}
		g.From = next
	}
	return nil
}

// forgetName takes the name of a player out of one record. One that can't be read stays.
func forgetName(tx kv.Tx, id PlayerID, match MatchID) error {
	value, err := tx.Get(finished.key(string(match)))
	if err != nil {
		return err
	}
	f, number, err := decodeRecord(match, value, true)
	if err != nil {
		return nil
	}
	for _, o := range []*Occupant{&f.First, &f.Second} {
		if o.Kind == Person && o.ID == string(id) {
			o.Name = FormerPlayer
		}
	}
	if value, err = encodeRecord(f, number); err == nil {
		tx.Put(finished.key(string(match)), value)
	}
	return err
}

// Account returns what is kept of a player. The error is ErrNotFound for an unknown player.
func (s *Store) Account(ctx context.Context, id PlayerID) (a Account, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		a, err = readAccount(r, id)
		return err
	})
	if err != nil {
		return Account{}, fmt.Errorf("storage: account of player %s: %w", id, err)
	}
	return a, nil
}

func readAccount(r kv.Reader, id PlayerID) (a Account, err error) {
	if a.Player, err = readKnown(r, id); err != nil {
		return a, err
	}
	c, err := readCredentials(r, id)
	if err != nil {
		return a, err
	}
	if c.RecoveryMade != 0 {
		a.Recovery = fromMS(c.RecoveryMade)
	}
	if c.Renamed != 0 {
		a.Renamed = fromMS(c.Renamed)
	}
	if a.Restriction, err = readRestriction(r, id); err != nil {
		return a, err
	}
	if a.Relations, err = readRelations(r, id); err != nil {
		return a, err
	}
	came, err := visitsOf(r, id)
	if err != nil {
		return a, err
	}
	used := map[string]time.Time{}
	for _, v := range came {
		if used[v.From] = v.Last; !v.IsKey() {
			a.Blocks = append(a.Blocks, v)
		}
	}
	prefix := playerKeys.key(string(id), "")
	for p, err := range r.Scan(kv.Prefix(prefix)) {
		if err != nil {
			return a, err
		}
		fingerprint := string(p.Key[len(prefix):])
		added, err := readAdded(p.Value)
		if err != nil {
			return a, err
		}
		a.Keys = append(a.Keys, Key{fingerprint, added, used[fingerprint]})
	}
	for p, err := range r.Scan(formerNames.all()) {
		if err != nil {
			return a, err
		}
		f, err := decodeFormerName(p.Value)
		if err != nil {
			return a, err
		}
		if f.Player == id {
			a.Former = append(a.Former, f.Former)
		}
	}
	for p, err := range scanReports(r) {
		if err != nil {
			return a, err
		}
		if p.By == id {
			a.Reports = append(a.Reports, p)
		}
	}
	return a, nil
}

// sweepKeyCodes forgets the codes whose time is over.
func (s *Store) sweepKeyCodes(ctx context.Context, now time.Time) error {
	return s.sweepWith(ctx, keyCodes.all(), func(_ kv.Reader, _, value []byte) (bool, error) {
		open, err := decodeKeyCode(value)
		return err == nil && now.UnixMilli() >= open.Until, err
	}, func(tx kv.Tx, key, value []byte) error {
		open, err := decodeKeyCode(value)
		if err != nil {
			return err
		}
		tx.Delete(key)
		c, err := readCredentials(tx, open.Player)
		if err != nil || c.KeyCode != string(keyCodes.rest(key)) {
			return err
		}
		c.KeyCode = ""
		return writeCredentials(tx, open.Player, c)
	})
}
