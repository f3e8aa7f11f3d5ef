// Package accounts stores players: their names, SSH keys, settings and recovery codes, what is in force against them, where they come from,
// and the rate limits that nodes share.
package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A Store keeps the players, their keys and their names.
type Store struct {
	Directory
	lookalikes LookalikeRules
	others     Others
}

// New returns the accounts that an engine keeps.
func New(engine kv.Store, alike LookalikeRules, others Others) *Store {
	return &Store{Directory{engine}, alike, others}
}

// Others ask the other parts of a store about a player, and let them delete what they keep.
type Others struct {
	Used    func(r kv.Reader, id storage.PlayerID) (bool, error) // reports whether a match, a result or a report names the player
	Related func(r kv.Reader, id storage.PlayerID) (bool, error) // reports whether the player follows or blocks other players, or has notes
	Erased  func(tx kv.Tx, id storage.PlayerID) error            // deletes what goes with the account
}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{
			Players, Names, Lookalikes, Keys, PlayerKeys, Restrictions,
			FormerNames, Visits, Attempts, Credentials, KeyCodes, Deletions,
		},
		Cells: []storage.AnyCell{Salt, LookalikesIndex},
	}
}

// A Player is an account.
type Player struct {
	ID       storage.PlayerID
	Name     string    // as the player writes it
	NameKey  string    // the form in which names are compared; unique
	Since    time.Time // UTC
	Settings Settings
	Deleted  time.Time `json:",omitzero"` // when the player deleted the account; zero: it is there. A deleted one has neither keys nor a NameKey

	Became  time.Time                    `json:",omitzero"` // when it became a computer account; zero: it is a person's
	Owner   storage.PlayerID             `json:",omitzero"` // of a computer account: whose it is; "": no player has agreed to that
	Wanted  storage.PlayerID             `json:",omitzero"` // of a computer account without an owner: who was named as the owner
	Engines [MaxEngines]storage.PlayerID `json:",omitzero"` // the computer accounts that the player owns
}

// FormerPlayer is the name of all players who deleted their accounts. No player can take it.
const FormerPlayer = "former player"

// CharsetASCII is the Charset of a player whose terminal shows only ASCII.
const CharsetASCII = "ascii"

// Settings are how a player likes the club to look and sound. The zero value is what a newcomer gets.
type Settings struct {
	Theme    string `json:"theme,omitempty"`    // "" is automatic
	Charset  string `json:"charset,omitempty"`  // "", "utf-8" or "ascii"; "" asks the terminal
	Mute     bool   `json:"mute,omitempty"`     // no bell
	ChatOff  bool   `json:"chat_off,omitempty"` // the player neither sees nor writes lines at matches
	Language string `json:"language,omitempty"` // "" asks the client's locale
	Opponent string `json:"opponent,omitempty"` // the level of the computer player chosen last; "" is none yet
	Clock    string `json:"clock,omitempty"`    // of the match opened last; "" is none
	Zone     string `json:"zone,omitempty"`     // the IANA name of the time zone in which the player reads times; "" is UTC

	Notify        bool `json:"notify,omitempty"`         // notifications on the player's desktop, where the terminal shows them
	Lounge        bool `json:"lounge,omitempty"`         // the player has opened the lounge: the lobby shows its newest line
	TelevisionOff bool `json:"television_off,omitempty"` // the lobby shows no match beside its lists

	QuickGame   string `json:"quick_game,omitempty"`   // the games of the last quick match, with commas between; "" is none yet
	QuickClock  string `json:"quick_clock,omitempty"`  // its clock, or the class of its clocks; "" is none
	QuickCasual bool   `json:"quick_casual,omitempty"` // the last quick match was to be casual
	QuickSet    string `json:"quick_set,omitempty"`    // the option set of the last quick match; "" is the defaults
	QuickAsked  bool   `json:"quick_asked,omitempty"`  // the player has said whether quick matches are to be rated

	LineMode bool `json:"line_mode,omitempty"` // the player gets the line mode at any terminal
	Brief    bool `json:"brief,omitempty"`     // it tells only what the rules don't make plain
	Drawn    bool `json:"drawn,omitempty"`     // it draws the board after each move
}

// playerJSON is a stored player. The id is the key.
type playerJSON struct {
	Name     string   `json:"name"`
	NameKey  string   `json:"name_key"`
	Since    int64    `json:"since"` // milliseconds
	Settings Settings `json:"settings,omitzero"`
	Deleted  int64    `json:"deleted,omitempty"` // milliseconds

	Became  int64              `json:"became,omitempty"` // milliseconds
	Owner   storage.PlayerID   `json:"owner,omitempty"`
	Wanted  storage.PlayerID   `json:"wanted,omitempty"`
	Engines []storage.PlayerID `json:"engines,omitempty"`
}

// Players are the accounts.
var Players = storage.Table[storage.PlayerID, Player]{
	Name: "players", Keys: storage.Text(storage.IsPlayerID), Traits: storage.Traits{Subject: "player"},
	Values: storage.JSONAs(2,
		func(p Player) playerJSON {
			j := playerJSON{Name: p.Name, NameKey: p.NameKey, Since: p.Since.UnixMilli(), Settings: p.Settings, Owner: p.Owner, Wanted: p.Wanted, Engines: p.Owned()}
			if !p.Became.IsZero() {
				j.Became = p.Became.UnixMilli()
			}
			if !p.Deleted.IsZero() {
				j.Deleted = p.Deleted.UnixMilli()
			}
			return j
		},
		func(id storage.PlayerID, j playerJSON) (Player, error) {
			p := Player{ID: id, Name: j.Name, NameKey: j.NameKey, Since: storage.FromMS(j.Since), Settings: j.Settings, Owner: j.Owner, Wanted: j.Wanted}
			if len(j.Engines) > MaxEngines {
				return p, storage.Damaged("a player with too many computer accounts")
			}
			copy(p.Engines[:], j.Engines)
			if j.Became != 0 {
				p.Became = storage.FromMS(j.Became)
			}
			if j.Since == (time.Time{}).UnixMilli() {
				p.Since = time.Time{}
			}
			if j.Deleted != 0 {
				p.Deleted = storage.FromMS(j.Deleted)
			}
			return p, nil
		}),
}

// Names are the players by the form in which their names are compared.
var Names = storage.Table[string, storage.PlayerID]{
	Name: "names", Keys: storage.Text(func(name string) bool { return name != "" && !storage.IsFingerprint(name) }), Values: storage.Plain[string](storage.IsPlayerID),
	Traits: storage.Traits{From: []string{"players"}},
}

// Keys are the owners of SSH keys by fingerprint.
var Keys = storage.Table[string, storage.PlayerID]{
	Name: "keys", Keys: storage.Text(storage.IsFingerprint), Values: storage.Plain[string](storage.IsPlayerID), Traits: storage.Traits{From: []string{"player_keys"}},
}

// An OwnedKey is an SSH key of a player.
type OwnedKey struct {
	Player      storage.PlayerID
	Fingerprint string
}

// PlayerKeys are the SSH keys of each player, and when each was added: the zero time where it is unknown.
var PlayerKeys = storage.Table[OwnedKey, time.Time]{
	Name: "player_keys", Values: storage.TimeOrNone[OwnedKey](), Traits: storage.Traits{From: []string{"keys"}},
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text(storage.IsFingerprint),
		func(k OwnedKey) (storage.PlayerID, string) { return k.Player, k.Fingerprint },
		func(id storage.PlayerID, fingerprint string) OwnedKey { return OwnedKey{id, fingerprint} }),
}

// SignUp makes a new player, with the name, settings and time of p and the first SSH key, and returns it with its new
// ID. Since is kept to the millisecond. The error is ErrKeyTaken if the key belongs to a player, ErrNameTaken if the
// NameKey does, and ErrNameAlike if the name looks like another player's.
func (s *Store) SignUp(ctx context.Context, p Player, fingerprint string) (Player, error) {
	p.Since = storage.Stored(p.Since)
	return storage.Updated(ctx, s.engine, "sign up", func(tx kv.Tx) (Player, error) {
		if err := storage.CheckKeys(p.NameKey, fingerprint); err != nil {
			return p, err
		}
		if err := storage.CheckText(p.Name, p.Settings.Theme, p.Settings.Charset, p.Settings.Language, p.Settings.Zone, p.Settings.Opponent, p.Settings.Clock, p.Settings.QuickGame, p.Settings.QuickClock); err != nil {
			return p, err
		}
		keyTaken, err := Keys.Has(tx, fingerprint)
		if err != nil {
			return p, err
		}
		if keyTaken {
			return p, storage.ErrKeyTaken
		}
		if err := freeName(tx, s.lookalikes, p.Name, p.NameKey, ""); err != nil {
			return p, err
		}
		p := p
		p.ID = newPlayerID()
		s.lookalikes.put(tx, p.Name, p.ID)
		return p, errors.Join(Names.Put(tx, p.NameKey, p.ID), WriteKey(tx, p.ID, fingerprint, p.Since), Players.Put(tx, p.ID, p))
	})
}

// FreeName reports whether a new player could take a name: ErrNameTaken or ErrNameAlike if not. nameKey is the form in which names
// are compared.
func (s *Store) FreeName(ctx context.Context, name, nameKey string) error {
	_, err := storage.View(ctx, s.engine, "free name", func(r kv.Reader) (struct{}, error) {
		if err := storage.CheckKeys(nameKey); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, freeName(r, s.lookalikes, name, nameKey, "")
	})
	return err
}

// freeName reports whether the player by could take a name; "" is a new player. No other player can take a name that is kept for the
// player who had it before.
func freeName(r kv.Reader, alike LookalikeRules, name, nameKey string, by storage.PlayerID) error {
	taken, err := Names.Has(r, nameKey)
	switch {
	case err != nil:
		return err
	case taken:
		return storage.ErrNameTaken
	}
	if err := checkFormer(r, nameKey, by); err != nil {
		return err
	}
	return alike.check(r, name, by)
}

// newPlayerID returns 16 random characters of a-z and 2-7: 80 bits, so no two players ever get the same.
func newPlayerID() storage.PlayerID { return storage.PlayerID(strings.ToLower(rand.Text()[:16])) }

// WriteKey gives a key to a player. added is the zero time where it is unknown.
func WriteKey(tx kv.Tx, id storage.PlayerID, fingerprint string, added time.Time) error {
	return errors.Join(Keys.Put(tx, fingerprint, id), PlayerKeys.Put(tx, OwnedKey{id, fingerprint}, added))
}

// deleteKey takes a key from a player.
func deleteKey(tx kv.Tx, id storage.PlayerID, fingerprint string) {
	Keys.Delete(tx, fingerprint)
	PlayerKeys.Delete(tx, OwnedKey{id, fingerprint})
}

// ReadKnown reads a player who has not been deleted.
func ReadKnown(r kv.Reader, id storage.PlayerID) (Player, error) {
	p, err := Players.Get(r, id)
	if err == nil && !p.Deleted.IsZero() {
		err = storage.ErrNotFound
	}
	return p, err
}

// AddKey lets a player sign in with one more SSH key; adding a key twice is fine.
// The error is ErrNotFound for an unknown player and ErrKeyTaken for a key of another one.
func (s *Store) AddKey(ctx context.Context, id storage.PlayerID, fingerprint string) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("add key to player %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id), fingerprint); err != nil {
			return err
		}
		if _, err := ReadKnown(tx, id); err != nil {
			return err
		}
		owner, owned, err := Keys.Find(tx, fingerprint)
		switch {
		case err != nil:
			return err
		case !owned:
			return WriteKey(tx, id, fingerprint, time.Time{})
		case owner != id:
			return storage.ErrKeyTaken
		}
		return nil
	})
}

// SaveSettings keeps a player's settings. The error is ErrNotFound for an unknown player.
func (s *Store) SaveSettings(ctx context.Context, id storage.PlayerID, st Settings) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("save settings of player %s", id), func(tx kv.Tx) error {
		if err := storage.CheckText(st.Theme, st.Charset, st.Language, st.Opponent, st.Clock, st.QuickGame); err != nil {
			return err
		}
		p, err := ReadKnown(tx, id)
		if err != nil {
			return err
		}
		p.Settings = st
		return Players.Put(tx, id, p)
	})
}

func keysOf(r kv.Reader, id storage.PlayerID) (fingerprints []string, err error) {
	for e, err := range PlayerKeys.Under(string(id)).Scan(r) {
		if err != nil {
			return nil, err
		}
		fingerprints = append(fingerprints, e.Key.Fingerprint)
	}
	return fingerprints, nil
}
