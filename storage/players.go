package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"ludoteca/storage/kv"
)

// A AccountStore keeps the players, their keys and their names.
type AccountStore struct {
	engine     kv.Store
	lookalikes Lookalikes
	others     Others
}

// newAccountStore returns the accounts that an engine keeps.
func newAccountStore(engine kv.Store, alike Lookalikes, others Others) *AccountStore {
	return &AccountStore{engine, alike, others}
}

// Others are what the other parts of a store know of a player, and keep.
type Others struct {
	Used    func(r kv.Reader, id PlayerID) (bool, error) // reports whether a match, a result or a report names the player
	Related func(r kv.Reader, id PlayerID) (bool, error) // reports whether the player follows or blocks anybody
	Erased  func(tx kv.Tx, id PlayerID) error            // deletes what goes with the account
}

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

// playerJSON is a stored player. The id is the key.
type playerJSON struct {
	Name     string   `json:"name"`
	NameKey  string   `json:"name_key"`
	Since    int64    `json:"since"` // milliseconds
	Settings Settings `json:"settings,omitzero"`
	Deleted  int64    `json:"deleted,omitempty"` // milliseconds
}

// players are the accounts.
var players = Table[PlayerID, Player]{
	Name: "players", Keys: Text(isPlayerID), Traits: Traits{Subject: "player"},
	Values: JSONAs(2,
		func(p Player) playerJSON {
			j := playerJSON{Name: p.Name, NameKey: p.NameKey, Since: p.Since.UnixMilli(), Settings: p.Settings}
			if !p.Deleted.IsZero() {
				j.Deleted = p.Deleted.UnixMilli()
			}
			return j
		},
		func(id PlayerID, j playerJSON) (Player, error) {
			p := Player{ID: id, Name: j.Name, NameKey: j.NameKey, Since: fromMS(j.Since), Settings: j.Settings}
			if j.Since == (time.Time{}).UnixMilli() {
				p.Since = time.Time{}
			}
			if j.Deleted != 0 {
				p.Deleted = fromMS(j.Deleted)
			}
			return p, nil
		}),
}

// names are the players by the form in which their names are compared.
var names = Table[string, PlayerID]{
	Name: "names", Keys: Text(func(name string) bool { return name != "" && !isFingerprint(name) }), Values: Plain[string](isPlayerID),
	Traits: Traits{From: []string{"players"}},
}

// keys are the owners of SSH keys by fingerprint.
var keys = Table[string, PlayerID]{
	Name: "keys", Keys: Text(isFingerprint), Values: Plain[string](isPlayerID), Traits: Traits{From: []string{"player_keys"}},
}

// An ownedKey is an SSH key of a player.
type ownedKey struct {
	player      PlayerID
	fingerprint string
}

// playerKeys are the SSH keys of each player, and when each was added: the zero time where that is not known.
var playerKeys = Table[ownedKey, time.Time]{
	Name: "player_keys", Values: timeOrNone[ownedKey](), Traits: Traits{From: []string{"keys"}},
	Keys: Join(Text(isPlayerID), Text(isFingerprint),
		func(k ownedKey) (PlayerID, string) { return k.player, k.fingerprint },
		func(id PlayerID, fingerprint string) ownedKey { return ownedKey{id, fingerprint} }),
}

func isPlayerID(id PlayerID) bool {
	return len(id) == 16 && strings.IndexFunc(string(id), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '2' || c > '7') }) < 0
}

func isFingerprint(key string) bool { return strings.HasPrefix(key, "SHA256:") }

// SignUp makes a new player, with the name, settings and time of p and the first SSH key, and returns it with its new
// ID. Since is kept to the millisecond. The error is ErrKeyTaken if the key belongs to a player, ErrNameTaken if the
// NameKey does, and ErrNameAlike if the name looks like that of another player.
func (s *AccountStore) SignUp(ctx context.Context, p Player, fingerprint string) (Player, error) {
	p.Since = stored(p.Since)
	return updated(ctx, s.engine, "sign up", func(tx kv.Tx) (Player, error) {
		if err := checkKeys(p.NameKey, fingerprint); err != nil {
			return p, err
		}
		if err := checkText(p.Name, p.Settings.Theme, p.Settings.Charset, p.Settings.Language, p.Settings.Opponent, p.Settings.Clock, p.Settings.QuickGame, p.Settings.QuickClock); err != nil {
			return p, err
		}
		keyTaken, err := keys.Has(tx, fingerprint)
		if err != nil {
			return p, err
		}
		if keyTaken {
			return p, ErrKeyTaken
		}
		if err := freeName(tx, s.lookalikes, p.Name, p.NameKey, ""); err != nil {
			return p, err
		}
		p := p
		p.ID = newPlayerID()
		s.lookalikes.put(tx, p.Name, p.ID)
		return p, errors.Join(names.Put(tx, p.NameKey, p.ID), writeKey(tx, p.ID, fingerprint, p.Since), players.Put(tx, p.ID, p))
	})
}

// FreeName says whether a new player could take a name: ErrNameTaken or ErrNameAlike if not. nameKey is the form in which names
// are compared.
func (s *AccountStore) FreeName(ctx context.Context, name, nameKey string) error {
	_, err := view(ctx, s.engine, "free name", func(r kv.Reader) (struct{}, error) {
		if err := checkKeys(nameKey); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, freeName(r, s.lookalikes, name, nameKey, "")
	})
	return err
}

// freeName says whether the player by could take a name; "" is a new player. Names that a player had before are in nobody else's
// reach.
func freeName(r kv.Reader, alike Lookalikes, name, nameKey string, by PlayerID) error {
	taken, err := names.Has(r, nameKey)
	switch {
	case err != nil:
		return err
	case taken:
		return ErrNameTaken
	}
	if err := checkFormer(r, nameKey, by); err != nil {
		return err
	}
	return alike.check(r, name, by)
}

// newPlayerID returns 16 random characters of a-z and 2-7: 80 bits, so no two players ever get the same.
func newPlayerID() PlayerID { return PlayerID(strings.ToLower(rand.Text()[:16])) }

// writeKey gives a key to a player. added is the zero time where nobody knows it.
func writeKey(tx kv.Tx, id PlayerID, fingerprint string, added time.Time) error {
	return errors.Join(keys.Put(tx, fingerprint, id), playerKeys.Put(tx, ownedKey{id, fingerprint}, added))
}

// deleteKey takes a key from a player.
func deleteKey(tx kv.Tx, id PlayerID, fingerprint string) {
	keys.Delete(tx, fingerprint)
	playerKeys.Delete(tx, ownedKey{id, fingerprint})
}

// readKnown reads a player who has not been deleted.
func readKnown(r kv.Reader, id PlayerID) (Player, error) {
	p, err := players.Get(r, id)
	if err == nil && !p.Deleted.IsZero() {
		err = ErrNotFound
	}
	return p, err
}

// AddKey lets a player sign in with one more SSH key; adding a key twice is fine.
// The error is ErrNotFound for an unknown player and ErrKeyTaken for a key of another one.
func (s *AccountStore) AddKey(ctx context.Context, id PlayerID, fingerprint string) error {
	return update(ctx, s.engine, fmt.Sprintf("add key to player %s", id), func(tx kv.Tx) error {
		if err := checkKeys(string(id), fingerprint); err != nil {
			return err
		}
		if _, err := readKnown(tx, id); err != nil {
			return err
		}
		owner, owned, err := keys.Find(tx, fingerprint)
		switch {
		case err != nil:
			return err
		case !owned:
			return writeKey(tx, id, fingerprint, time.Time{})
		case owner != id:
			return ErrKeyTaken
		}
		return nil
	})
}

// SaveSettings keeps a player's settings. The error is ErrNotFound for an unknown player.
func (s *AccountStore) SaveSettings(ctx context.Context, id PlayerID, st Settings) error {
	return update(ctx, s.engine, fmt.Sprintf("save settings of player %s", id), func(tx kv.Tx) error {
		if err := checkText(st.Theme, st.Charset, st.Language, st.Opponent, st.Clock, st.QuickGame); err != nil {
			return err
		}
		p, err := readKnown(tx, id)
		if err != nil {
			return err
		}
		p.Settings = st
		return players.Put(tx, id, p)
	})
}

// Player returns a player. The error is ErrNotFound if there is none.
func (s *AccountStore) Player(ctx context.Context, id PlayerID) (Player, error) {
	return view(ctx, s.engine, "player", func(r kv.Reader) (Player, error) { return players.Get(r, id) })
}

// PlayerByKey returns the player to whom an SSH key belongs. The error is ErrNotFound if there is none.
func (s *AccountStore) PlayerByKey(ctx context.Context, fingerprint string) (Player, error) {
	return view(ctx, s.engine, "player by key", func(r kv.Reader) (Player, error) {
		id, err := keys.Get(r, fingerprint)
		if err != nil {
			return Player{}, err
		}
		return players.Get(r, id)
	})
}

// PlayerByName returns the player who has a name, or had it before while it is kept for them. It is given in the form in which names
// are compared. The error is ErrNotFound if there is none.
func (s *AccountStore) PlayerByName(ctx context.Context, nameKey string) (Player, error) {
	return view(ctx, s.engine, "player by name", func(r kv.Reader) (Player, error) {
		id, named, err := names.Find(r, nameKey)
		if err == nil && !named {
			var f formerNameJSON
			f, err = formerNames.Get(r, nameKey)
			id = f.Player
		}
		if err != nil {
			return Player{}, err
		}
		return readKnown(r, id)
	})
}

// Keys returns the fingerprints of a player's SSH keys, sorted. The error is ErrNotFound for an unknown player.
func (s *AccountStore) Keys(ctx context.Context, id PlayerID) ([]string, error) {
	return view(ctx, s.engine, fmt.Sprintf("keys of player %s", id), func(r kv.Reader) ([]string, error) {
		if _, err := players.Get(r, id); err != nil {
			return nil, err
		}
		return keysOf(r, id)
	})
}

func keysOf(r kv.Reader, id PlayerID) (fingerprints []string, err error) {
	for e, err := range playerKeys.Scan(r, playerKeys.Under(string(id))) {
		if err != nil {
			return nil, err
		}
		fingerprints = append(fingerprints, e.Key.fingerprint)
	}
	return fingerprints, nil
}
