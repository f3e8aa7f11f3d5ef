package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// playerVersion is the version of the players that this program writes.
const playerVersion = 1

// playerJSON is version 1 of a stored player. His id is the key.
type playerJSON struct {
	Name     string   `json:"name"`
	NameKey  string   `json:"name_key"`
	Since    int64    `json:"since"` // milliseconds
	Settings Settings `json:"settings,omitzero"`
}

// SignUp makes a new player, with the name, settings and time of p and his first SSH key, and returns him with his new
// ID. Since is kept to the millisecond. The error is ErrKeyTaken if the key is somebody's, ErrNameTaken if the NameKey is.
func (s *Store) SignUp(ctx context.Context, p Player, fingerprint string) (Player, error) {
	p.Since = stored(p.Since)
	err := checkKeys(p.NameKey, fingerprint)
	if err == nil {
		err = checkText(p.Name, p.Settings.Theme, p.Settings.Charset, p.Settings.Language)
	}
	if err == nil {
		err = s.update(ctx, func(tx *bbolt.Tx) error {
			if bucket(tx, keys).Get([]byte(fingerprint)) != nil {
				return ErrKeyTaken
			}
			if bucket(tx, names).Get([]byte(p.NameKey)) != nil {
				return ErrNameTaken
			}
			p.ID = newPlayerID()
			if err := writePlayer(tx, p); err != nil {
				return err
			}
			if err := bucket(tx, names).Put([]byte(p.NameKey), []byte(p.ID)); err != nil {
				return err
			}
			return writeKey(tx, p.ID, fingerprint)
		})
	}
	if err != nil {
		return Player{}, fmt.Errorf("storage: sign up: %w", err)
	}
	return p, nil
}

// newPlayerID returns 16 random characters of a-z and 2-7: 80 bits, so no two players ever get the same.
func newPlayerID() PlayerID { return PlayerID(strings.ToLower(rand.Text()[:16])) }

func writePlayer(tx *bbolt.Tx, p Player) error {
	value, err := sealJSON(playerVersion, playerJSON{p.Name, p.NameKey, p.Since.UnixMilli(), p.Settings})
	if err != nil {
		return err
	}
	return bucket(tx, players).Put([]byte(p.ID), value)
}

func writeKey(tx *bbolt.Tx, id PlayerID, fingerprint string) error {
	if err := bucket(tx, keys).Put([]byte(fingerprint), []byte(id)); err != nil {
		return err
	}
	return bucket(tx, playerKeys).Put(joined(string(id), fingerprint), nil)
}

func readPlayer(tx *bbolt.Tx, id PlayerID) (Player, error) {
	value := bucket(tx, players).Get([]byte(id))
	if value == nil {
		return Player{}, ErrNotFound
	}
	_, content, err := unseal(value, playerVersion)
	if err != nil {
		return Player{}, err
	}
	var j playerJSON
	if err := parseJSON(content, &j); err != nil {
		return Player{}, err
	}
	p := Player{ID: id, Name: j.Name, NameKey: j.NameKey, Since: fromMS(j.Since), Settings: j.Settings}
	if j.Since == (time.Time{}).UnixMilli() {
		p.Since = time.Time{}
	}
	return p, nil
}

// AddKey lets a player sign in with one more SSH key; adding a key twice is fine.
// The error is ErrNotFound for an unknown player and ErrKeyTaken for a key of another one.
func (s *Store) AddKey(ctx context.Context, id PlayerID, fingerprint string) error {
	err := checkKeys(string(id), fingerprint)
	if err == nil {
		err = s.update(ctx, func(tx *bbolt.Tx) error {
			if bucket(tx, players).Get([]byte(id)) == nil {
				return ErrNotFound
			}
			if owner := bucket(tx, keys).Get([]byte(fingerprint)); owner != nil && PlayerID(owner) != id {
				return ErrKeyTaken
			}
			return writeKey(tx, id, fingerprint)
		})
	}
	if err != nil {
		return fmt.Errorf("storage: add key to player %s: %w", id, err)
	}
	return nil
}

// SaveSettings keeps a player's settings. The error is ErrNotFound for an unknown player.
func (s *Store) SaveSettings(ctx context.Context, id PlayerID, st Settings) error {
	err := checkText(st.Theme, st.Charset, st.Language)
	if err == nil {
		err = s.update(ctx, func(tx *bbolt.Tx) error {
			p, err := readPlayer(tx, id)
			if err != nil {
				return err
			}
			p.Settings = st
			return writePlayer(tx, p)
		})
	}
	if err != nil {
		return fmt.Errorf("storage: save settings of player %s: %w", id, err)
	}
	return nil
}

// Player returns a player. The error is ErrNotFound if there is none.
func (s *Store) Player(ctx context.Context, id PlayerID) (Player, error) {
	return s.player(ctx, "player", func(*bbolt.Tx) []byte { return []byte(id) })
}

// PlayerByKey returns the player who owns an SSH key. The error is ErrNotFound if nobody does.
func (s *Store) PlayerByKey(ctx context.Context, fingerprint string) (Player, error) {
	return s.player(ctx, "player by key", func(tx *bbolt.Tx) []byte {
		return bucket(tx, keys).Get([]byte(fingerprint))
	})
}

// PlayerByName returns the player with a name, given in the form in which names are compared. The error is
// ErrNotFound if nobody has it.
func (s *Store) PlayerByName(ctx context.Context, nameKey string) (Player, error) {
	return s.player(ctx, "player by name", func(tx *bbolt.Tx) []byte {
		return bucket(tx, names).Get([]byte(nameKey))
	})
}

// player reads the player whose id find returns, nil for nobody.
func (s *Store) player(ctx context.Context, what string, find func(tx *bbolt.Tx) []byte) (Player, error) {
	var p Player
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		p, err = readPlayer(tx, PlayerID(find(tx)))
		return err
	})
	if err != nil {
		return Player{}, fmt.Errorf("storage: %s: %w", what, err)
	}
	return p, nil
}

// Keys returns the fingerprints of a player's SSH keys, sorted. The error is ErrNotFound for an unknown player.
func (s *Store) Keys(ctx context.Context, id PlayerID) ([]string, error) {
	var fingerprints []string
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		if bucket(tx, players).Get([]byte(id)) == nil {
			return ErrNotFound
		}
		fingerprints = nil
		prefix := joined(string(id), "")
		c := bucket(tx, playerKeys).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			fingerprints = append(fingerprints, string(k[len(prefix):]))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: keys of player %s: %w", id, err)
	}
	return fingerprints, nil
}
