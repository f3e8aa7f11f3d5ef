package notices

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// MaxCodes is how many codes ever go to one address.
const MaxCodes = 3

// A Recipient is what is known of an address to which a code was sent. It stays when accounts go.
type Recipient struct {
	Codes   int                `json:"codes"`            // that were sent there
	Last    time.Time          `json:"last"`             // when the last one was
	Stopped time.Time          `json:"stopped,omitzero"` // since when no notice goes there
	Players []storage.PlayerID `json:"players,omitempty"`
}

// Recipients are all addresses to which codes were sent, under a hash of their stop codes, which follow from the addresses and the store's salt.
var Recipients = storage.Table[string, Recipient]{
	Name: "notice_recipients", Keys: storage.Text[string](nil), Values: storage.JSON[string, Recipient](1),
	Check: func(_ string, r Recipient) error {
		if r.Codes < 1 || r.Codes > MaxCodes || len(r.Players) > MaxCodes {
			return storage.Damaged("an address with %d codes", r.Codes)
		}
		return nil
	},
}

// Bytes of stop codes, of which each five are eight letters, and of hashes.
const (
	stopBytes      = 10
	recipientBytes = 16
)

var stopLetters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// stopCode returns the code that ends all notices to an address. Without the salt of the store it can't be guessed.
func stopCode(tx kv.Tx, to Destination) (string, error) {
	salt, err := accounts.SaltOf(tx)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte("notices\x00" + string(to.Kind) + "\x00" + to.Same))
	return stopLetters.EncodeToString(mac.Sum(nil)[:stopBytes]), nil
}

// ReadStopCode returns a stop code as it is kept of what was typed. Letter case, spaces and hyphens don't count. ok is false if it can't be one.
func ReadStopCode(typed string) (code string, ok bool) {
	if len(typed) > 64 {
		return "", false
	}
	code = strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(typed))
	b, err := stopLetters.DecodeString(code)
	return code, err == nil && len(b) == stopBytes
}

// recipientOf returns the key of the recipient whose address has a stop code.
func recipientOf(stop string) string {
	sum := sha256.Sum256([]byte("ludoteca stop code " + stop))
	return hex.EncodeToString(sum[:recipientBytes])
}

// countCode counts a code that goes to an address at the wish of a player. The error is ErrNoCodes if none may.
func countCode(tx kv.Tx, stop string, id storage.PlayerID, now time.Time) error {
	key := recipientOf(stop)
	r, _, err := Recipients.Find(tx, key)
	if err != nil {
		return err
	}
	if !r.Stopped.IsZero() || r.Codes >= MaxCodes || r.Codes > 0 && now.Sub(r.Last) < Day {
		return ErrNoCodes
	}
	r.Codes++
	if r.Last = now; !slices.Contains(r.Players, id) {
		r.Players = append(slices.Clone(r.Players), id)
	}
	return Recipients.Put(tx, key, r)
}

// forgetPlayer removes a player from those whose address it is.
func forgetPlayer(tx kv.Tx, a Address, id storage.PlayerID) error {
	key := recipientOf(a.Stop)
	r, known, err := Recipients.Find(tx, key)
	if err != nil || !known {
		return err
	}
	r.Players = slices.DeleteFunc(slices.Clone(r.Players), func(p storage.PlayerID) bool { return p == id })
	return Recipients.Put(tx, key, r)
}

// A ClubCode is a code that the club has sent. Its JSON form is the stored one.
type ClubCode struct {
	At   time.Time `json:"at"`
	From string    `json:"from"` // the block of addresses of the player, as visits say it, or the player
}

// ClubCodes are the codes that the club has sent in the last hour.
var ClubCodes = storage.Cell[[]ClubCode]{Name: "notice_club_codes", Values: storage.JSON[string, []ClubCode](1)}

// countClubCode counts a code that a player asks for, for the whole club and for the block of addresses from which the player came last. The
// error is an ErrManyCodes.
func countClubCode(tx kv.Tx, id storage.PlayerID, now time.Time) error {
	from, err := accounts.LastBlock(tx, id)
	if err != nil {
		return err
	}
	if from == "" {
		from = "player " + string(id)
	}
	all, _, err := ClubCodes.Find(tx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(c ClubCode) bool { return now.Sub(c.At) >= time.Hour })
	var same []ClubCode
	for _, c := range all {
		if c.From == from {
			same = append(same, c)
		}
	}
	for _, bound := range []struct {
		sent []ClubCode
		most int
	}{{same, MaxBlockCodes}, {all, MaxHourCodes}} {
		if len(bound.sent) >= bound.most {
			return &WaitError{ErrManyCodes, max(bound.sent[0].At.Add(time.Hour).Sub(now), time.Millisecond)}
		}
	}
	return ClubCodes.Put(tx, append(all, ClubCode{now, from}))
}
