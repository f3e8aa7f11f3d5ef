package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
)

// Letters of the codes, in groups of codeGroup.
const (
	keyCodeLetters      = 12
	recoveryCodeLetters = 24
	codeGroup           = 4
)

// How often a person, and a block of addresses as often as its weight, may try to recover an account. A right code costs nothing. There is no
// limit by name: strangers could use it up, and the code is too long to be found.
const (
	recoverEvery = 5 * time.Minute
	recoverBurst = 5
	recovering   = 1 << 14 // people, and blocks of each weight, that are remembered
)

func newRecoveries(by attempts.Limiter) attempts.Attempts {
	return by.Attempts("recovery", recoverEvery, recoverBurst, recovering)
}

// newAccountCode returns a random code of a number of letters as it is shown, in groups of codeGroup.
func newAccountCode(letters int) string {
	var groups []string
	for code := codes.Letters(letters); code != ""; code = code[codeGroup:] {
		groups = append(groups, code[:codeGroup])
	}
	return strings.Join(groups, "-")
}

// hashCode returns the hash of a code as it is stored. Letter case, spaces and hyphens don't count.
func hashCode(code string) string {
	code = strings.ToUpper(strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, code))
	sum := sha256.Sum256([]byte("ludoteca account code " + code))
	return hex.EncodeToString(sum[:])
}

// IsKeyCode reports whether a code is as short as a code of OfferKey. Recovery codes are longer.
func IsKeyCode(code string) bool {
	return len(strings.NewReplacer("-", "", " ", "").Replace(code)) <= keyCodeLetters
}

// A KeyStore keeps keys and codes. Its methods return storage.ErrNotFound for what is missing; accounts.Store and results.GuestStore say more
// about each of them.
type KeyStore interface {
	Player(ctx context.Context, id storage.PlayerID) (accountstore.Player, error)
	PlayerByKey(ctx context.Context, fingerprint string) (accountstore.Player, error)

	OfferKey(ctx context.Context, id storage.PlayerID, hash string, now time.Time) error
	HasKeyCode(ctx context.Context, hash string, now time.Time) (bool, error)
	ClaimKey(ctx context.Context, hash, fingerprint string, now time.Time) (storage.PlayerID, error)
	RemoveKey(ctx context.Context, id storage.PlayerID, fingerprint string) error

	SetRecovery(ctx context.Context, id storage.PlayerID, hash string, now time.Time) error
	Recover(ctx context.Context, id storage.PlayerID, hash, next, fingerprint string, now time.Time) error

	OfferMatches(ctx context.Context, guest, hash string, now time.Time) error
	HasGuestCode(ctx context.Context, hash string, now time.Time) (bool, error)
	ClaimMatches(ctx context.Context, hash string, id storage.PlayerID, now time.Time) (claimed int, err error)
}

// A KeysConfig configures NewKeys.
type KeysConfig struct {
	Store        KeyStore
	Now          func() time.Time // the clock of events
	Limiter      attempts.Limiter
	Guesses      attempts.Attempts // at codes of keys, guests and matches
	Restrictions *restrictions.Service
	Accounts     *Service
}

// Keys adds keys to accounts and removes them, and gives the matches of guests to players, by codes. It is safe for concurrent use.
//
// Codes are random, shown once, and kept as SHA-256 hashes alone. A password hash is not needed: a recovery code has 117 random bits, and a key
// code 58, but it works only for accountstore.KeyCodeLife.
type Keys struct {
	config     KeysConfig
	recoveries attempts.Attempts
	guestCodes *origin.Throttle // codes for the matches of guests
}

// NewKeys returns a Keys.
func NewKeys(c KeysConfig) *Keys {
	return &Keys{config: c, recoveries: newRecoveries(c.Limiter), guestCodes: newGuestCodes()}
}

// OfferKey returns a code that adds one key to the account of a player, and when it expires, after accountstore.KeyCodeLife. An older code stops
// working. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrNoAccount, refusal.ErrManyKeys and refusal.ErrBusy.
func (k *Keys) OfferKey(ctx context.Context, u match.User) (code string, until time.Time, err error) {
	if err := k.config.Restrictions.Own(u); err != nil {
		return "", time.Time{}, err
	}
	code, now := newAccountCode(keyCodeLetters), k.config.Now().UTC().Truncate(time.Millisecond)
	if err := k.config.Store.OfferKey(ctx, u.Player(), hashCode(code), now); err != nil {
		return "", time.Time{}, ErrorOf(err, refusal.ErrNoAccount)
	}
	return code, now.Add(accountstore.KeyCodeLife), nil
}

// ClaimKey adds a key to the account of the player who has asked for the code. A key that has an account already leaves it if nothing has ever
// happened there: people type a name before they think of the code. A wrong code counts as a wrong code of a match.
//
// The errors are refusal.ErrNoKeyCode, refusal.ErrGuestCode for the code of a guest, refusal.ErrHasAccount, refusal.ErrUnchanged,
// refusal.ErrManyKeys, refusal.ErrAccountClosed, *refusal.ThrottledError and refusal.ErrBusy.
func (k *Keys) ClaimKey(ctx context.Context, fingerprint string, from origin.Origin, code string, sessions SessionEnder) (match.User, error) {
	claim, err := k.Claim(ctx, fingerprint, from, code, sessions)
	return claim.Who, err
}

// takeKey moves a key to another player: take does so in the store and returns the player. The sessions that the key has as the player before
// end. missing is what storage.ErrNotFound means.
func (k *Keys) takeKey(ctx context.Context, fingerprint string, sessions SessionEnder, take func() (storage.PlayerID, error), missing error) (match.User, error) {
	before, err := k.config.Store.PlayerByKey(ctx, fingerprint)
	had := err == nil
	switch {
	case err != nil && !errors.Is(err, storage.ErrNotFound):
		return match.User{}, refusal.OfStore(err)
	case had && k.config.Accounts.plays(UserOf(before)):
		return match.User{}, refusal.ErrHasAccount
	}
	id, err := take()
	if err != nil {
		return match.User{}, ErrorOf(err, missing)
	}
	p, err := k.config.Store.Player(ctx, id)
	if err != nil {
		return match.User{}, refusal.OfStore(err)
	}
	if had {
		k.config.Restrictions.Tell(ctx, restrictions.Change{Left: []storage.PlayerID{before.ID}})
		sessions.EndKeys([]string{fingerprint}, refusal.ErrKeyClaimed)
	}
	return UserOf(p), k.config.Restrictions.MayPlay(UserOf(p))
}

// RemoveKey removes a key from a player's account. Its sessions end at once, the present one included. The errors are refusal.ErrNeedsKey,
// refusal.ErrAccountClosed, refusal.ErrNoSuchKey, refusal.ErrLastKey and refusal.ErrBusy.
func (k *Keys) RemoveKey(ctx context.Context, u match.User, fingerprint string, sessions SessionEnder) error {
	if err := k.config.Restrictions.Own(u); err != nil {
		return err
	}
	if err := k.config.Store.RemoveKey(ctx, u.Player(), fingerprint); err != nil {
		return ErrorOf(err, refusal.ErrNoSuchKey)
	}
	sessions.EndKeys([]string{fingerprint}, refusal.ErrKeyRemoved)
	return nil
}

// NewRecovery returns a recovery code for a player, with which Recover adds any key, once. An older code stops working. The errors are
// refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrNoAccount and refusal.ErrBusy.
func (k *Keys) NewRecovery(ctx context.Context, u match.User) (code string, err error) {
	if err := k.config.Restrictions.Own(u); err != nil {
		return "", err
	}
	code = newAccountCode(recoveryCodeLetters)
	if err := k.config.Store.SetRecovery(ctx, u.Player(), hashCode(code), k.config.Now()); err != nil {
		return "", ErrorOf(err, refusal.ErrNoAccount)
	}
	return code, nil
}

// Recover adds a key to the account with a name and a recovery code, and returns the next code: each code works once. The key may have an
// account of its own as for ClaimKey. The errors are refusal.ErrRecovery if the name or the code is wrong, *refusal.ThrottledError, and the
// errors of ClaimKey.
func (k *Keys) Recover(ctx context.Context, fingerprint string, from origin.Origin, name, code string, sessions SessionEnder) (who match.User, next string, err error) {
	refund, err := k.recoveries.Take(ctx, from)
	if err != nil {
		return match.User{}, "", err
	}
	p, err := k.config.Accounts.ByName(ctx, name)
	if err == nil {
		next = newAccountCode(recoveryCodeLetters)
		who, err = k.takeKey(ctx, fingerprint, sessions, func() (storage.PlayerID, error) {
			return p.ID, k.config.Store.Recover(ctx, p.ID, hashCode(code), hashCode(next), fingerprint, k.config.Now())
		}, refusal.ErrRecovery)
	}
	if errors.Is(err, refusal.ErrNoSuchPlayer) {
		err = refusal.ErrRecovery
	}
	if !errors.Is(err, refusal.ErrRecovery) && !errors.Is(err, refusal.ErrHasAccount) { // ErrHasAccount may come before the code is checked
		refund()
	}
	if err != nil {
		return match.User{}, "", err
	}
	return who, next, nil
}

// How often a person, and a block of addresses as often as its weight, may ask for a code for a guest's matches.
const (
	guestCodeEvery = 30 * time.Second
	guestCodeBurst = 5
	guestCoders    = 1 << 14 // people, and blocks of each weight, that are remembered
)

func newGuestCodes() *origin.Throttle {
	return origin.NewThrottle(guestCodeEvery, guestCodeBurst, guestCoders)
}

// OfferMatches returns a code that gives the finished matches of a guest to a player, once, and when it expires, after
// accountstore.KeyCodeLife. The errors are refusal.ErrHasAccount for a player, refusal.ErrManyGuestCodes and refusal.ErrBusy.
func (k *Keys) OfferMatches(ctx context.Context, u match.User, from origin.Origin) (code string, until time.Time, err error) {
	if u.Kind != storage.Guest {
		return "", time.Time{}, refusal.ErrHasAccount
	}
	from.Person = match.PersonOf(u.Occupant())
	if _, ok := k.guestCodes.Take(time.Now(), from); !ok {
		return "", time.Time{}, refusal.ErrManyGuestCodes
	}
	code, now := newAccountCode(keyCodeLetters), k.config.Now().UTC().Truncate(time.Millisecond)
	if err := k.config.Store.OfferMatches(ctx, u.ID, hashCode(code), now); err != nil {
		return "", time.Time{}, refusal.OfStore(err)
	}
	return code, now.Add(accountstore.KeyCodeLife), nil
}

// A Claim is the result of Keys.Claim.
type Claim struct {
	Who     match.User // the owner of the key
	OfGuest bool       // the code was a guest's
	Matches int        // how many matches of the guest the player has got
}

// Claim redeems a code. A player's code adds the key to that player's account, see ClaimKey. A guest's code gives the guest's finished
// matches to the owner of the key. If the key has no account, Claim returns refusal.ErrGuestCode and the code stays valid. The other errors
// are the same as of ClaimKey.
func (k *Keys) Claim(ctx context.Context, fingerprint string, from origin.Origin, code string, sessions SessionEnder) (Claim, error) {
	refund, err := k.config.Guesses.Take(ctx, from)
	if err != nil {
		return Claim{}, err
	}
	claim, err := k.claim(ctx, fingerprint, code, sessions)
	if !errors.Is(err, refusal.ErrNoKeyCode) {
		refund()
	}
	return claim, err
}

func (k *Keys) claim(ctx context.Context, fingerprint, code string, sessions SessionEnder) (Claim, error) {
	hash := hashCode(code)
	ofGuest, err := k.config.Store.HasGuestCode(ctx, hash, k.config.Now())
	switch {
	case err != nil:
		return Claim{}, refusal.OfStore(err)
	case ofGuest:
		return k.claimMatches(ctx, fingerprint, hash)
	}
	switch open, err := k.config.Store.HasKeyCode(ctx, hash, k.config.Now()); {
	case err != nil:
		return Claim{}, refusal.OfStore(err)
	case !open: // before anything is said about the key
		return Claim{}, refusal.ErrNoKeyCode
	}
	who, err := k.takeKey(ctx, fingerprint, sessions, func() (storage.PlayerID, error) {
		return k.config.Store.ClaimKey(ctx, hash, fingerprint, k.config.Now())
	}, refusal.ErrNoKeyCode)
	return Claim{Who: who}, err
}

// claimMatches gives the finished matches of a guest to the owner of a key.
func (k *Keys) claimMatches(ctx context.Context, fingerprint, hash string) (Claim, error) {
	who, _, err := k.config.Accounts.SignIn(ctx, fingerprint)
	if errors.Is(err, refusal.ErrNoAccount) {
		return Claim{}, refusal.ErrGuestCode
	}
	if err != nil {
		return Claim{}, err
	}
	n, err := k.config.Store.ClaimMatches(ctx, hash, who.Player(), k.config.Now())
	if err != nil {
		return Claim{}, ErrorOf(err, refusal.ErrNoKeyCode)
	}
	k.config.Restrictions.Tell(ctx, restrictions.Change{Records: true})
	return Claim{Who: who, OfGuest: true, Matches: n}, nil
}
