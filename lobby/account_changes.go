package lobby

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// # One's own account
//
// Players add and remove keys, get recovery codes, change their names and delete their accounts. Everything is on disk before it is
// answered. Both kinds of code are random, shown once, and kept as SHA-256 hashes alone. That is no password hash, and need not be
// one: a recovery code has 117 bits, which nobody tries out, and a key code 58, but only for accounts.KeyCodeLife.

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

func newRecoveries(by attemptLimiter) attempts {
	return by.attempts(recoveryAttempts, recoverEvery, recoverBurst, recovering)
}

// newAccountCode returns a random code as it is shown, of so many letters in groups.
func newAccountCode(letters int) string {
	var groups []string
	for code := randomLetters(letters); code != ""; code = code[codeGroup:] {
		groups = append(groups, code[:codeGroup])
	}
	return strings.Join(groups, "-")
}

// hashCode returns what is kept of a code, typed in any letter case, with or without what stands between the groups.
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

// IsKeyCode reports whether a code has the length of those of OfferKey, and not that of recovery codes.
func IsKeyCode(code string) bool {
	return len(strings.NewReplacer("-", "", " ", "").Replace(code)) <= keyCodeLetters
}

// accountError returns an error of the store's as callers know it. missing is what storage.ErrNotFound means.
func accountError(err, missing error) error {
	var renamed *accounts.RenamedError
	if errors.As(err, &renamed) {
		return &RenamedError{renamed.Next}
	}
	for _, known := range []struct{ from, to error }{
		{storage.ErrNotFound, missing}, {accounts.ErrLastKey, ErrLastKey}, {accounts.ErrManyKeys, ErrManyKeys},
		{storage.ErrKeyTaken, ErrHasAccount}, {storage.ErrUnchanged, ErrUnchanged}, {accounts.ErrRestricted, ErrRestricted},
		{storage.ErrNameTaken, ErrNameTaken}, {storage.ErrNameAlike, ErrNameAlike},
	} {
		if errors.Is(err, known.from) {
			return known.to
		}
	}
	return storeError(err)
}

// Account returns what the club keeps of a player, besides matches and ratings; ErrNeedsKey, ErrNoAccount, ErrBusy.
func (l *Lobby) Account(ctx context.Context, u User) (schema.Account, error) {
	if u.Kind != storage.Person {
		return schema.Account{}, ErrNeedsKey
	}
	a, err := l.store.Account(ctx, u.Player())
	return a, accountError(err, ErrNoAccount)
}

// Records returns finished matches of a player with their moves, newest first, from a place in the list on, and the next place, which
// is the zero value at the end. limit is at most 1000. ErrNeedsKey, ErrBusy.
func (l *Lobby) Records(ctx context.Context, u User, before results.Cursor, limit int) (all []results.Finished, next results.Cursor, err error) {
	if u.Kind != storage.Person {
		return nil, results.Cursor{}, ErrNeedsKey
	}
	rows, err := l.store.History(ctx, results.HistoryQuery{Player: u.Player(), Before: before, Limit: limit})
	if err != nil {
		return nil, results.Cursor{}, storeError(err)
	}
	for _, row := range rows {
		f, err := l.store.Finished(ctx, row.ID)
		if errors.Is(err, storage.ErrNotFound) {
			continue // it has just been forgotten
		}
		if err != nil {
			return nil, results.Cursor{}, storeError(err)
		}
		f.Code = "" // it is in no record
		all = append(all, f)
	}
	if len(rows) == limit {
		last := rows[len(rows)-1]
		next = results.Cursor{Ended: last.Ended, ID: last.ID}
	}
	return all, next, nil
}

// OfferKey returns a code by which one key can join those of a player, for accounts.KeyCodeLife; an older code ends. ErrNeedsKey,
// ErrAccountClosed, ErrNoAccount, ErrManyKeys, ErrBusy.
func (l *Lobby) OfferKey(ctx context.Context, u User) (code string, until time.Time, err error) {
	if err := l.own(u); err != nil {
		return "", time.Time{}, err
	}
	code, now := newAccountCode(keyCodeLetters), l.now().UTC().Truncate(time.Millisecond)
	if err := l.store.OfferKey(ctx, u.Player(), hashCode(code), now); err != nil {
		return "", time.Time{}, accountError(err, ErrNoAccount)
	}
	return code, now.Add(accounts.KeyCodeLife), nil
}

// ClaimKey gives a key to the player from whom its holder has a code. A key that has an account already leaves it if nothing ever
// happened there: people type a name before they think of the code. A wrong code costs as much as a wrong code of a match,
// whatever the key.
// ErrNoKeyCode, ErrGuestCode for the code of a guest, ErrHasAccount, ErrUnchanged, ErrManyKeys, ErrAccountClosed, *ThrottledError,
// ErrBusy.
func (l *Lobby) ClaimKey(ctx context.Context, fingerprint string, from origin.Origin, code string, sessions Sessions) (User, error) {
	claim, err := l.Claim(ctx, fingerprint, from, code, sessions)
	return claim.Who, err
}

// takeKey gives a key to a player, as take does in the store, and ends the sessions that it had as another one.
func (l *Lobby) takeKey(ctx context.Context, fingerprint string, sessions Sessions, take func() (storage.PlayerID, error), missing error) (User, error) {
	before, err := l.store.PlayerByKey(ctx, fingerprint)
	had := err == nil
	switch {
	case err != nil && !errors.Is(err, storage.ErrNotFound):
		return User{}, storeError(err)
	case had && len(l.registry.Of(userOf(before).Key())) > 0:
		return User{}, ErrHasAccount
	}
	id, err := take()
	if err != nil {
		return User{}, accountError(err, missing)
	}
	p, err := l.store.Player(ctx, id)
	if err != nil {
		return User{}, storeError(err)
	}
	if had {
		l.relations.Set(before.ID, relations.Lists{})
		sessions.EndKeys([]string{fingerprint}, ErrKeyClaimed)
	}
	return userOf(p), l.mayPlay(userOf(p))
}

// RemoveKey takes a key from a player. Its sessions end at once, the present one included. ErrNeedsKey, ErrAccountClosed, ErrNoSuchKey,
// ErrLastKey, ErrBusy.
func (l *Lobby) RemoveKey(ctx context.Context, u User, fingerprint string, sessions Sessions) error {
	if err := l.own(u); err != nil {
		return err
	}
	if err := l.store.RemoveKey(ctx, u.Player(), fingerprint); err != nil {
		return accountError(err, ErrNoSuchKey)
	}
	sessions.EndKeys([]string{fingerprint}, ErrKeyRemoved)
	return nil
}

// NewRecovery returns a recovery code for a player, with which Recover lets any key in, once; an older one ends. ErrNeedsKey,
// ErrAccountClosed, ErrNoAccount, ErrBusy.
func (l *Lobby) NewRecovery(ctx context.Context, u User) (code string, err error) {
	if err := l.own(u); err != nil {
		return "", err
	}
	code = newAccountCode(recoveryCodeLetters)
	if err := l.store.SetRecovery(ctx, u.Player(), hashCode(code), l.now()); err != nil {
		return "", accountError(err, ErrNoAccount)
	}
	return code, nil
}

// Recover gives a key to the player with a name and a recovery code, and returns the next code: this one has been used. The key may
// have an account of its own as for ClaimKey. ErrRecovery, whichever of both is wrong, *ThrottledError, and the errors of ClaimKey.
func (l *Lobby) Recover(ctx context.Context, fingerprint string, from origin.Origin, name, code string, sessions Sessions) (who User, next string, err error) {
	back, err := l.recoveries.take(ctx, from)
	if err != nil {
		return User{}, "", err
	}
	p, err := l.player(ctx, name)
	if err == nil {
		next = newAccountCode(recoveryCodeLetters)
		who, err = l.takeKey(ctx, fingerprint, sessions, func() (storage.PlayerID, error) {
			return p.ID, l.store.Recover(ctx, p.ID, hashCode(code), hashCode(next), fingerprint, l.now())
		}, ErrRecovery)
	}
	if errors.Is(err, ErrNoSuchPlayer) {
		err = ErrRecovery
	}
	if !errors.Is(err, ErrRecovery) && !errors.Is(err, ErrHasAccount) { // which may come before the code is looked at
		back()
	}
	if err != nil {
		return User{}, "", err
	}
	return who, next, nil
}

// ChangeName gives a player another name, once in accounts.RenameEvery. The one before is kept for them for accounts.NameKept and leads
// to them meanwhile. Running matches show the new name from their next event on; records keep the old one. ErrNeedsKey,
// ErrAccountClosed, ErrNameTaken, ErrNameAlike, ErrUnchanged, *names.Error, *RenamedError, ErrBusy.
func (l *Lobby) ChangeName(ctx context.Context, u User, name string) (User, error) {
	if err := l.own(u); err != nil {
		return User{}, err
	}
	shown, key, err := names.Check(name)
	if err != nil {
		return User{}, err
	}
	done, err := l.beginAct(ctx)
	if err != nil {
		return User{}, err
	}
	defer done()
	if err := l.store.ChangeName(ctx, u.Player(), shown, key, l.now()); err != nil {
		return User{}, accountError(err, ErrNoAccount)
	}
	u.Name = shown
	l.leaderboards.forgetAll()
	return u, l.readDecisions(context.WithoutCancel(ctx))
}

// DeleteAccount deletes the account of a player: offers are withdrawn, running matches end as if the player had left, sessions end, the
// player follows and blocks nobody any more, and the name goes from everything that is shown. Operators' bans stay. ErrNeedsKey, ErrAccountClosed, ErrRestricted, ErrNoAccount,
// ErrBusy.
func (l *Lobby) DeleteAccount(ctx context.Context, u User, sessions Sessions) error {
	if err := l.own(u); err != nil {
		return err
	}
	done, err := l.beginAct(ctx)
	if err != nil {
		return err
	}
	defer done()
	keys, err := l.store.DeletePlayer(ctx, u.Player(), l.now())
	if err != nil {
		return accountError(err, ErrNoAccount)
	}
	ctx = context.WithoutCancel(ctx) // what follows doesn't depend on a session that ends now
	if err := l.readDecisions(ctx); err != nil {
		return err
	}
	l.leaderboards.forgetAll()
	l.relations.Set(u.Player(), relations.Lists{})
	l.chats.Forget(u.Key())
	l.endMatches(ctx, u.Player(), match.Abandon)
	forgotten := make(chan struct{})
	err = l.start(func(ctx, _ context.Context) { defer close(forgotten); l.forgetNames(ctx) })
	if err == nil {
		<-forgotten // or the club closes, and the rest is done when it next opens
	}
	sessions.EndKeys(keys, ErrAccountDeleted)
	return err
}

// forgetNames takes the names of deleted players out of records.
func (l *Lobby) forgetNames(ctx context.Context) {
	ids, err := l.store.Deletions(ctx)
	for _, id := range ids {
		err = errors.Join(err, l.store.ForgetName(ctx, id))
	}
	if err != nil && ctx.Err() == nil {
		l.log.Error("names of deleted players are not forgotten yet", "err", err)
	}
	if len(ids) > 0 {
		l.finished.forgetAll()
	}
}

// A RenamedError says when a player may change the name again.
type RenamedError struct {
	Next time.Time
}

func (e *RenamedError) Error() string {
	return fmt.Sprintf("the name has changed lately: not before %s", e.Next.UTC().Format(time.DateOnly))
}
