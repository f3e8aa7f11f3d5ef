package lobby

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// How often a person, and a block of addresses as often as its weight, may ask for a code for a guest's matches.
const (
	guestCodeEvery = 30 * time.Second
	guestCodeBurst = 5
	guestCoders    = 1 << 14 // people, and blocks of each weight, that are remembered
)

func newGuestCodes() *origin.Throttle {
	return origin.NewThrottle(guestCodeEvery, guestCodeBurst, guestCoders)
}

// OfferMatches returns a code by which the matches that a guest has finished can become a player's, once, for accounts.KeyCodeLife.
// ErrHasAccount for a player, ErrManyGuestCodes, ErrBusy.
func (l *Lobby) OfferMatches(ctx context.Context, u User, from origin.Origin) (code string, until time.Time, err error) {
	if u.Kind != storage.Guest {
		return "", time.Time{}, ErrHasAccount
	}
	from = seats.Guesser(u, from)
	if _, ok := l.guestCodes.Take(time.Now(), from); !ok {
		return "", time.Time{}, ErrManyGuestCodes
	}
	code, now := newAccountCode(keyCodeLetters), l.now().UTC().Truncate(time.Millisecond)
	if err := l.store.OfferMatches(ctx, u.ID, hashCode(code), now); err != nil {
		return "", time.Time{}, refusal.OfStore(err)
	}
	return code, now.Add(accounts.KeyCodeLife), nil
}

// A Claim is what a code has brought.
type Claim struct {
	Who     User // whom the key belongs to
	OfGuest bool // the code was that of a guest
	Matches int  // how many of the guest's matches are the player's now
}

// Claim does what a code is for: it gives a key to the player who has asked for the code, or the finished matches of a guest who has
// to the player of the key. A key without an account gets ErrGuestCode for a guest's code, which stays as it is; the other errors are
// those of ClaimKey.
func (l *Lobby) Claim(ctx context.Context, fingerprint string, from origin.Origin, code string, sessions Sessions) (Claim, error) {
	back, err := l.guesses.Take(ctx, from)
	if err != nil {
		return Claim{}, err
	}
	claim, err := l.claim(ctx, fingerprint, code, sessions)
	if !errors.Is(err, ErrNoKeyCode) {
		back()
	}
	return claim, err
}

func (l *Lobby) claim(ctx context.Context, fingerprint, code string, sessions Sessions) (Claim, error) {
	hash := hashCode(code)
	ofGuest, err := l.store.HasGuestCode(ctx, hash, l.now())
	switch {
	case err != nil:
		return Claim{}, refusal.OfStore(err)
	case ofGuest:
		return l.claimMatches(ctx, fingerprint, hash)
	}
	switch open, err := l.store.HasKeyCode(ctx, hash, l.now()); {
	case err != nil:
		return Claim{}, refusal.OfStore(err)
	case !open: // before anything is said about the key
		return Claim{}, ErrNoKeyCode
	}
	who, err := l.takeKey(ctx, fingerprint, sessions, func() (storage.PlayerID, error) {
		return l.store.ClaimKey(ctx, hash, fingerprint, l.now())
	}, ErrNoKeyCode)
	return Claim{Who: who}, err
}

// claimMatches gives the finished matches of a guest to the player of a key.
func (l *Lobby) claimMatches(ctx context.Context, fingerprint, hash string) (Claim, error) {
	who, _, err := l.SignIn(ctx, fingerprint)
	if errors.Is(err, ErrNoAccount) {
		return Claim{}, ErrGuestCode
	}
	if err != nil {
		return Claim{}, err
	}
	n, err := l.store.ClaimMatches(ctx, hash, who.Player(), l.now())
	if err != nil {
		return Claim{}, accountError(err, ErrNoKeyCode)
	}
	l.Matches.RecordsChanged()
	return Claim{Who: who, OfGuest: true, Matches: n}, nil
}
