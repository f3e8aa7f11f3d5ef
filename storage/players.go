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
	Deleted  time.Time `json:",omitzero"` // when the player deleted the account; zero: it is there. A deleted one has neither keys nor a NameKey
}

// FormerPlayer is the name of all who deleted their accounts. Nobody can take it.
const FormerPlayer = "former player"

// Settings are how a player likes the club to look and sound. The zero value is what a newcomer gets.
type Settings struct {
	Theme    string `json:"theme,omitempty"`    // "" is automatic
	Charset  string `json:"charset,omitempty"`  // "", "utf-8" or "ascii"; "" asks the terminal
	Mute     bool   `json:"mute,omitempty"`     // no bell
	ChatOff  bool   `json:"chat_off,omitempty"` // the player neither sees nor writes lines at matches
	Language string `json:"language,omitempty"` // "" asks the client's locale
	Opponent string `json:"opponent,omitempty"` // the level of the computer player chosen last; "" is none yet
	Clock    string `json:"clock,omitempty"`    // of the match opened last; "" is none

	TelevisionOff bool `json:"television_off,omitempty"` // the lobby shows no match beside its lists

	QuickGame   string `json:"quick_game,omitempty"`   // the game of the last quick match; "" is none yet
	QuickClock  string `json:"quick_clock,omitempty"`  // its clock; "" is none
	QuickCasual bool   `json:"quick_casual,omitempty"` // the last quick match was to be casual
	QuickSet    string `json:"quick_set,omitempty"`    // the option set of the last quick match; "" is the defaults
}

// playerVersion is the version of the players that this program writes.
const playerVersion = 2

// playerJSON is a stored player. The id is the key. Version 1 had no television in its settings.
type playerJSON struct {
	Name     string   `json:"name"`
	NameKey  string   `json:"name_key"`
	Since    int64    `json:"since"` // milliseconds
	Settings Settings `json:"settings,omitzero"`
	Deleted  int64    `json:"deleted,omitempty"` // milliseconds
}

// SignUp makes a new player, with the name, settings and time of p and the first SSH key, and returns it with its new
// ID. Since is kept to the millisecond. The error is ErrKeyTaken if the key belongs to a player, ErrNameTaken if the
// NameKey does, and ErrNameAlike if the name looks like that of another player.
func (s *Store) SignUp(ctx context.Context, p Player, fingerprint string) (Player, error) {
	p.Since = stored(p.Since)
	err := checkKeys(p.NameKey, fingerprint)
	if err == nil {
		err = checkText(p.Name, p.Settings.Theme, p.Settings.Charset, p.Settings.Language, p.Settings.Opponent, p.Settings.Clock, p.Settings.QuickGame, p.Settings.QuickClock)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			keyTaken, err := has(tx, keys.key(fingerprint))
			if err != nil {
				return err
			}
			if keyTaken {
				return ErrKeyTaken
			}
			if err := s.freeName(tx, p.Name, p.NameKey, ""); err != nil {
				return err
			}
			p.ID = newPlayerID()
			s.putLookalikes(tx, p.Name, p.ID)
			tx.Put(names.key(p.NameKey), []byte(p.ID))
			writeKey(tx, p.ID, fingerprint, p.Since)
			return writePlayer(tx, p)
		})
	}
	if err != nil {
		return Player{}, fmt.Errorf("storage: sign up: %w", err)
	}
	return p, nil
}

// FreeName says whether a new player could take a name: ErrNameTaken or ErrNameAlike if not. nameKey is the form in which names
// are compared.
func (s *Store) FreeName(ctx context.Context, name, nameKey string) error {
	err := checkKeys(nameKey)
	if err == nil {
		err = s.engine.View(ctx, func(r kv.Reader) error { return s.freeName(r, name, nameKey, "") })
	}
	if err != nil {
		return fmt.Errorf("storage: free name: %w", err)
	}
	return nil
}

// freeName says whether the player by could take a name; "" is a new player. Names that a player had before are in nobody else's
// reach.
func (s *Store) freeName(r kv.Reader, name, nameKey string, by PlayerID) error {
	taken, err := has(r, names.key(nameKey))
	switch {
	case err != nil:
		return err
	case taken:
		return ErrNameTaken
	}
	if err := checkFormer(r, nameKey, by); err != nil {
		return err
	}
	return s.checkLookalikes(r, name, by)
}

// newPlayerID returns 16 random characters of a-z and 2-7: 80 bits, so no two players ever get the same.
func newPlayerID() PlayerID { return PlayerID(strings.ToLower(rand.Text()[:16])) }

func writePlayer(tx kv.Tx, p Player) error {
	j := playerJSON{Name: p.Name, NameKey: p.NameKey, Since: p.Since.UnixMilli(), Settings: p.Settings}
	if !p.Deleted.IsZero() {
		j.Deleted = p.Deleted.UnixMilli()
	}
	value, err := sealJSON(playerVersion, j)
	if err == nil {
		tx.Put(players.key(string(p.ID)), value)
	}
	return err
}

// writeKey gives a key to a player. added is the zero time where nobody knows it.
func writeKey(tx kv.Tx, id PlayerID, fingerprint string, added time.Time) {
	var value []byte
	if !added.IsZero() {
		value = appendMS(nil, added.UnixMilli())
	}
	tx.Put(keys.key(fingerprint), []byte(id))
	tx.Put(playerKeys.key(string(id), fingerprint), value)
}

// readAdded reads when a key was added, from the value of the entry that lists it with its player.
func readAdded(value []byte) (time.Time, error) {
	switch len(value) {
	case 0:
		return time.Time{}, nil
	case 8:
		return fromMS(readMS(value)), nil
	}
	return time.Time{}, fmt.Errorf("%w: a key without a time", ErrDamaged)
}

// readKnown reads a player who has not been deleted.
func readKnown(r kv.Reader, id PlayerID) (Player, error) {
	p, err := readPlayer(r, id)
	if err == nil && !p.Deleted.IsZero() {
		err = ErrNotFound
	}
	return p, err
}

func readPlayer(r kv.Reader, id PlayerID) (Player, error) {
	value, err := lookUp(r, players.key(string(id)))
	if err != nil {
		return Player{}, err
	}
	return decodePlayer(id, value)
}

// decodePlayer reads the stored form of a player.
func decodePlayer(id PlayerID, value []byte) (Player, error) {
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
	if j.Deleted != 0 {
		p.Deleted = fromMS(j.Deleted)
	}
	return p, nil
}

// AddKey lets a player sign in with one more SSH key; adding a key twice is fine.
// The error is ErrNotFound for an unknown player and ErrKeyTaken for a key of another one.
func (s *Store) AddKey(ctx context.Context, id PlayerID, fingerprint string) error {
	err := checkKeys(string(id), fingerprint)
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if _, err := readKnown(tx, id); err != nil {
				return err
			}
			owner, err := tx.Get(keys.key(fingerprint))
			switch {
			case err != nil:
				return err
			case owner == nil:
				writeKey(tx, id, fingerprint, time.Time{})
			case PlayerID(owner) != id:
				return ErrKeyTaken
			}
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
	err := checkText(st.Theme, st.Charset, st.Language, st.Opponent, st.Clock, st.QuickGame)
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			p, err := readKnown(tx, id)
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

// PlayerByName returns the player who has a name, or had it before while it is kept for them. It is given in the form in which names
// are compared. The error is ErrNotFound if there is none.
func (s *Store) PlayerByName(ctx context.Context, nameKey string) (Player, error) {
	p, err := s.player(ctx, "player by name", func(r kv.Reader) (PlayerID, error) {
		id, err := r.Get(names.key(nameKey))
		if err != nil || id != nil {
			return PlayerID(id), err
		}
		value, err := lookUp(r, formerNames.key(nameKey))
		if err != nil {
			return "", err
		}
		f, err := decodeFormerName(value)
		return f.Player, err
	})
	if err == nil && !p.Deleted.IsZero() {
		return Player{}, fmt.Errorf("storage: player by name: %w", ErrNotFound)
	}
	return p, err
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
		var err error
		fingerprints, err = keysOf(r, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storage: keys of player %s: %w", id, err)
	}
	return fingerprints, nil
}

func keysOf(r kv.Reader, id PlayerID) (fingerprints []string, err error) {
	prefix := playerKeys.key(string(id), "")
	for p, err := range r.Scan(kv.Prefix(prefix)) {
		if err != nil {
			return nil, err
		}
		fingerprints = append(fingerprints, string(p.Key[len(prefix):]))
	}
	return fingerprints, nil
}
