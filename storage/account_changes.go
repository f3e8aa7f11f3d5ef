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

// credentials are what lets other keys into the account of each player who has any such thing.
var credentials = Table[PlayerID, credentialsJSON]{
	Name: "credentials", Keys: Text(isPlayerID), Values: JSON[PlayerID, credentialsJSON](1),
	Check: func(_ PlayerID, c credentialsJSON) error {
		if c == (credentialsJSON{}) {
			return damaged("credentials of nothing")
		}
		return nil
	},
}

// keyCodes are the codes that let one key in, by hash. They live for minutes, and their players can ask for others.
var keyCodes = Table[string, keyCodeJSON]{
	Name: "key_codes", Keys: Text[string](nil), Values: JSON[string, keyCodeJSON](1), Traits: Traits{Brief: true},
	Check: func(_ string, c keyCodeJSON) error {
		if c.Player == "" || c.Until == 0 {
			return damaged("a code of nobody")
		}
		return nil
	},
}

// deletions are the players who are deleted and whose name still stands in records.
var deletions = Table[PlayerID, deletionJSON]{
	Name: "deletions", Keys: Text(isPlayerID), Values: JSON[PlayerID, deletionJSON](1),
	Check: func(_ PlayerID, d deletionJSON) error {
		if d.Deletion == 0 {
			return damaged("a deletion without a time")
		}
		return nil
	},
}

func writeCredentials(tx kv.Tx, id PlayerID, c credentialsJSON) error {
	if c == (credentialsJSON{}) {
		credentials.Delete(tx, id)
		return nil
	}
	return credentials.Put(tx, id, c)
}

// changeAccount makes a change of the account of a player who is there. What do makes of its credentials is kept.
func (s *Store) changeAccount(ctx context.Context, id PlayerID, what string, do func(tx kv.Tx, p Player, c *credentialsJSON) error) error {
	return s.update(ctx, fmt.Sprintf("%s of player %s", what, id), func(tx kv.Tx) error {
		if err := checkKeys(string(id)); err != nil {
			return err
		}
		p, err := readKnown(tx, id)
		if err != nil {
			return err
		}
		before, _, err := credentials.Find(tx, id)
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
		c.KeyCode = hash
		return keyCodes.Put(tx, hash, keyCodeJSON{id, now.Add(KeyCodeLife).UnixMilli()})
	})
}

// endKeyCode ends the code that is open.
func endKeyCode(tx kv.Tx, c *credentialsJSON) {
	if c.KeyCode != "" {
		keyCodes.Delete(tx, c.KeyCode)
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
func (s *Store) keyCode(ctx context.Context, hash string) (keyCodeJSON, error) {
	return view(ctx, s, "claim of a key", func(r kv.Reader) (keyCodeJSON, error) { // without the hash: it stands for a secret
		if err := checkKeys(hash); err != nil {
			return keyCodeJSON{}, err
		}
		return keyCodes.Get(r, hash)
	})
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
	owner, owned, err := keys.Find(tx, fingerprint)
	switch {
	case err != nil:
		return err
	case owner == id:
		return ErrUnchanged
	case owned:
		if err := s.dropUnused(tx, owner, now); err != nil {
			return err
		}
	}
	return writeKey(tx, id, fingerprint, now)
}

// TakeBackSignUp deletes an account with one key where nothing ever happened, and frees its name. The errors are ErrNotFound for an unknown
// player, and ErrKeyTaken for any other account.
func (s *Store) TakeBackSignUp(ctx context.Context, id PlayerID, now time.Time) error {
	return s.update(ctx, fmt.Sprintf("sign-up of player %s", id), func(tx kv.Tx) error {
		if err := checkKeys(string(id)); err != nil {
			return err
		}
		related, err := relations.Has(tx, id)
		switch {
		case err != nil:
			return err
		case related:
			return ErrKeyTaken
		}
		return s.dropUnused(tx, id, now)
	})
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
	restricted, err := restrictions.Has(tx, id)
	if err != nil {
		return err
	}
	_, played, err := first(tx, history.Under(string(id), ""))
	if err != nil {
		return err
	}
	if len(have) != 1 || restricted || played {
		return ErrKeyTaken
	}
	for e, err := range reports.Scan(tx, reports.Under()) {
		if err != nil {
			return err
		}
		if e.Value.About == id || e.Value.By == id {
			return ErrKeyTaken
		}
	}
	s.deleteLookalikes(tx, p.Name, id)
	names.Delete(tx, p.NameKey)
	return erase(tx, p, now)
}

// erase leaves of an account what matches, results, reports and operators name: the id. The name is for the caller to free or keep.
func erase(tx kv.Tx, p Player, now time.Time) error {
	have, err := keysOf(tx, p.ID)
	if err != nil {
		return err
	}
	for _, fingerprint := range have {
		deleteKey(tx, p.ID, fingerprint)
	}
	c, _, err := credentials.Find(tx, p.ID)
	if err != nil {
		return err
	}
	endKeyCode(tx, &c)
	credentials.Delete(tx, p.ID)
	relations.Delete(tx, p.ID)
	if err := visits.DeleteUnder(tx, string(p.ID)); err != nil {
		return err
	}
	return players.Put(tx, p.ID, Player{ID: p.ID, Name: FormerPlayer, Since: p.Since, Deleted: stored(now)})
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
		deleteKey(tx, id, fingerprint)
		visits.Delete(tx, origin{id, fingerprint})
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
	return updated(ctx, s, fmt.Sprintf("delete player %s", id), func(tx kv.Tx) ([]string, error) {
		if err := checkKeys(string(id)); err != nil {
			return nil, err
		}
		p, err := readKnown(tx, id)
		if err != nil {
			return nil, err
		}
		r, err := readRestriction(tx, id)
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
		return fingerprints, errors.Join(giveUpName(tx, p, now), deletions.Put(tx, id, deletionJSON{now.UnixMilli()}), erase(tx, p, now))
	})
}

// Deletions returns the players who are deleted and whose name still stands in records.
func (s *Store) Deletions(ctx context.Context) ([]PlayerID, error) {
	return view(ctx, s, "deletions", func(r kv.Reader) (ids []PlayerID, err error) {
		for e, err := range deletions.Scan(r, deletions.Under()) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, e.Key)
		}
		return ids, nil
	})
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
	for g, more := history.Under(string(id), ""), true; more; {
		next := g // where the next transaction begins
		err := s.update(ctx, fmt.Sprintf("forget the name of player %s", id), func(tx kv.Tx) error {
			var seen []place
			for e, err := range history.Scan(tx, g) {
				if err != nil {
					return err
				}
				if seen = append(seen, e.Key); len(seen) == forgetStep {
					break
				}
			}
			for _, p := range seen {
				if err := forgetName(tx, id, p.at.ID); err != nil {
					return err
				}
			}
			if more = len(seen) == forgetStep; more {
				next.From = append(history.key(seen[len(seen)-1]), 0)
			} else {
				deletions.Delete(tx, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		g = next
	}
	return nil
}

// forgetName takes the name of a player out of one record. One that can't be read stays.
func forgetName(tx kv.Tx, id PlayerID, match MatchID) error {
	r, there, err := finished.Find(tx, match)
	if err != nil || !there {
		if errors.Is(err, ErrDamaged) {
			err = nil
		}
		return err
	}
	for _, o := range []*Occupant{&r.First, &r.Second} {
		if o.Kind == Person && o.ID == string(id) {
			o.Name = FormerPlayer
		}
	}
	return finished.Put(tx, match, r)
}

// Account returns what is kept of a player. The error is ErrNotFound for an unknown player.
func (s *Store) Account(ctx context.Context, id PlayerID) (Account, error) {
	return view(ctx, s, fmt.Sprintf("account of player %s", id), func(r kv.Reader) (Account, error) { return readAccount(r, id) })
}

func readAccount(r kv.Reader, id PlayerID) (a Account, err error) {
	if a.Player, err = readKnown(r, id); err != nil {
		return a, err
	}
	c, _, err := credentials.Find(r, id)
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
	if a.Relations, _, err = relations.Find(r, id); err != nil {
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
	for e, err := range playerKeys.Scan(r, playerKeys.Under(string(id))) {
		if err != nil {
			return a, err
		}
		a.Keys = append(a.Keys, Key{e.Key.fingerprint, e.Value, used[e.Key.fingerprint]})
	}
	for e, err := range formerNames.Scan(r, formerNames.Under()) {
		if err != nil {
			return a, err
		}
		if e.Value.Player == id {
			a.Former = append(a.Former, e.Value.Former)
		}
	}
	for e, err := range reports.Scan(r, reports.Under()) {
		if err != nil {
			return a, err
		}
		if e.Value.By == id {
			a.Reports = append(a.Reports, e.Value)
		}
	}
	return a, nil
}

// sweepKeyCodes forgets the codes whose time is over.
func (s *Store) sweepKeyCodes(ctx context.Context, now time.Time) error {
	return keyCodes.sweepWith(ctx, s, func(_ kv.Reader, e Entry[string, keyCodeJSON]) (bool, error) {
		return now.UnixMilli() >= e.Value.Until, nil
	}, func(tx kv.Tx, e Entry[string, keyCodeJSON]) error {
		keyCodes.Delete(tx, e.Key)
		c, _, err := credentials.Find(tx, e.Value.Player)
		if err != nil || c.KeyCode != e.Key {
			return err
		}
		c.KeyCode = ""
		return writeCredentials(tx, e.Value.Player, c)
	})
}
