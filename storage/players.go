package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"ludoteca/storage/kv"
)

// A Player is an account.
type Player struct {
	ID       PlayerID
	Name     string    // as the player writes it
	NameKey  string    // the form in which names are compared; unique
	Since    time.Time // UTC
	Settings Settings
}

// Settings are how a player likes the club to look and sound. The zero value is what a newcomer gets.
type Settings struct {
	Theme    string `json:"theme,omitempty"`    // "" is automatic
	Charset  string `json:"charset,omitempty"`  // "", "utf-8" or "ascii"; "" asks the terminal
	Mute     bool   `json:"mute,omitempty"`     // no bell
	Language string `json:"language,omitempty"` // "" asks the client's locale
	Opponent string `json:"opponent,omitempty"` // the level of the computer player chosen last; "" is none yet
}

// playerVersion is the version of the players that this program writes.
const playerVersion = 1

// playerJSON is version 1 of a stored player. The id is the key.
type playerJSON struct {
	Name     string   `json:"name"`
	NameKey  string   `json:"name_key"`
	Since    int64    `json:"since"` // milliseconds
	Settings Settings `json:"settings,omitzero"`
}

// SignUp makes a new player, with the name, settings and time of p and the first SSH key, and returns it with its new
// ID. Since is kept to the millisecond. The error is ErrKeyTaken if the key belongs to a player, ErrNameTaken if the
// NameKey does.
func (s *Store) SignUp(ctx context.Context, p Player, fingerprint string) (Player, error) {
	p.Since = stored(p.Since)
	err := checkKeys(p.NameKey, fingerprint)
	if err == nil {
		err = checkText(p.Name, p.Settings.Theme, p.Settings.Charset, p.Settings.Language, p.Settings.Opponent)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			keyTaken, err := has(tx, keys.key(fingerprint))
			if err != nil {
				return err
			}
			nameTaken, err := has(tx, names.key(p.NameKey))
			switch {
			case err != nil:
				return err
			case keyTaken:
				return ErrKeyTaken
			case nameTaken:
				return ErrNameTaken
			}
			p.ID = newPlayerID()
			tx.Put(names.key(p.NameKey), []byte(p.ID))
			writeKey(tx, p.ID, fingerprint)
			return writePlayer(tx, p)
		})
	}
	if err != nil {
		return Player{}, fmt.Errorf("storage: sign up: %w", err)
	}
	return p, nil
}

// newPlayerID returns 16 random characters of a-z and 2-7: 80 bits, so no two players ever get the same.
func newPlayerID() PlayerID { return PlayerID(strings.ToLower(rand.Text()[:16])) }

func writePlayer(tx kv.Tx, p Player) error {
	value, err := sealJSON(playerVersion, playerJSON{p.Name, p.NameKey, p.Since.UnixMilli(), p.Settings})
	if err == nil {
		tx.Put(players.key(string(p.ID)), value)
	}
	return err
}

func writeKey(tx kv.Tx, id PlayerID, fingerprint string) {
	tx.Put(keys.key(fingerprint), []byte(id))
	tx.Put(playerKeys.key(string(id), fingerprint), nil)
}

func readPlayer(r kv.Reader, id PlayerID) (Player, error) {
	value, err := lookUp(r, players.key(string(id)))
	if err != nil {
		return Player{}, err
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
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if _, err := lookUp(tx, players.key(string(id))); err != nil {
				return err
			}
			owner, err := tx.Get(keys.key(fingerprint))
			switch {
			case err != nil:
				return err
			case owner != nil && PlayerID(owner) != id:
				return ErrKeyTaken
			}
			writeKey(tx, id, fingerprint)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("storage: add key to player %s: %w", id, err)
	}
	return nil
}

// SaveSettings keeps a player's settings. The error is ErrNotFound for an unknown player.
func (s *Store) SaveSettings(ctx context.Context, id PlayerID, st Settings) error {
	err := checkText(st.Theme, st.Charset, st.Language, st.Opponent)
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
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
	return s.player(ctx, "player", func(kv.Reader) (PlayerID, error) { return id, nil })
}

// PlayerByKey returns the player to whom an SSH key belongs. The error is ErrNotFound if there is none.
func (s *Store) PlayerByKey(ctx context.Context, fingerprint string) (Player, error) {
	return s.player(ctx, "player by key", func(r kv.Reader) (PlayerID, error) {
		id, err := lookUp(r, keys.key(fingerprint))
		return PlayerID(id), err
	})
}

// PlayerByName returns the player with a name, given in the form in which names are compared. The error is
// ErrNotFound if there is none.
func (s *Store) PlayerByName(ctx context.Context, nameKey string) (Player, error) {
	return s.player(ctx, "player by name", func(r kv.Reader) (PlayerID, error) {
		id, err := lookUp(r, names.key(nameKey))
		return PlayerID(id), err
	})
}

// player reads the player whose id find returns.
func (s *Store) player(ctx context.Context, what string, find func(r kv.Reader) (PlayerID, error)) (Player, error) {
	var p Player
	err := s.engine.View(ctx, func(r kv.Reader) error {
		id, err := find(r)
		if err == nil {
			p, err = readPlayer(r, id)
		}
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
	err := s.engine.View(ctx, func(r kv.Reader) error {
		if _, err := lookUp(r, players.key(string(id))); err != nil {
			return err
		}
		prefix := playerKeys.key(string(id), "")
		for p, err := range r.Scan(kv.Prefix(prefix)) {
			if err != nil {
				return err
			}
			fingerprints = append(fingerprints, string(p.Key[len(prefix):]))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: keys of player %s: %w", id, err)
	}
	return fingerprints, nil
}
