package lobby

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// askCutOff is how long a node that is cut off asks the store who somebody is.
const askCutOff = time.Second

// SignIn returns the player whose key this is; ErrNoAccount if the key is new here, ErrAccountClosed, ErrCutOff, ErrBusy.
func (l *Lobby) SignIn(ctx context.Context, fingerprint string) (User, accounts.Settings, error) {
	p, err := l.playerByKey(ctx, fingerprint)
	if err != nil {
		return User{}, accounts.Settings{}, err
	}
	return userOf(p), p.Settings, nil
}

// AccountOf returns the player whose key this is, and since when there is the account. The errors are those of SignIn.
func (l *Lobby) AccountOf(ctx context.Context, fingerprint string) (u User, since time.Time, err error) {
	p, err := l.playerByKey(ctx, fingerprint)
	if err != nil {
		return User{}, time.Time{}, err
	}
	return userOf(p), p.Since, nil
}

// playerByKey is SignIn for the whole player.
func (l *Lobby) playerByKey(ctx context.Context, fingerprint string) (accounts.Player, error) {
	asking, done := l.node.WhileReached(ctx)
	if l.reach.Check() != nil { // a store that can't be written to may still be read
		done()
		asking, done = context.WithTimeout(ctx, askCutOff)
	}
	defer done()
	p, err := l.store.PlayerByKey(asking, fingerprint)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return accounts.Player{}, ErrNoAccount
	case err != nil && ctx.Err() == nil && l.reach.Check() != nil:
		return accounts.Player{}, l.reach.CutOffError()
	case err != nil:
		return accounts.Player{}, refusal.OfStore(nodes.Unreached(ctx, asking, err))
	}
	if err := l.Restrictions.MayPlay(userOf(p)); err != nil {
		return accounts.Player{}, err
	}
	return p, nil
}

func userOf(p accounts.Player) User {
	return User{Kind: storage.Person, ID: string(p.ID), Name: p.Name}
}

// SignUp makes an account for a new key. The errors are a *names.Error, ErrNameTaken, ErrNameAlike, ErrHasAccount (sign in instead),
// ErrDiskFullName, ErrStoreFull, ErrCutOff, ErrBusy.
func (l *Lobby) SignUp(ctx context.Context, fingerprint, name string) (User, error) {
	shown, nameKey, err := names.Check(name)
	if err != nil {
		return User{}, err
	}
	if err := l.reach.Room(ErrDiskFullName); err != nil {
		return User{}, err
	}
	p, err := l.store.SignUp(ctx, accounts.Player{Name: shown, NameKey: nameKey, Since: l.now().UTC().Truncate(time.Millisecond)}, fingerprint)
	switch {
	case errors.Is(err, storage.ErrNameTaken):
		return User{}, ErrNameTaken
	case errors.Is(err, storage.ErrNameAlike):
		return User{}, ErrNameAlike
	case errors.Is(err, storage.ErrKeyTaken):
		return User{}, ErrHasAccount
	case err != nil:
		return User{}, refusal.OfStore(err)
	}
	return userOf(p), nil
}

// TakeBackSignUp deletes an account with one key in which nothing has happened yet, and frees its name. ErrHasAccount for any other, ErrNoAccount,
// ErrBusy.
func (l *Lobby) TakeBackSignUp(ctx context.Context, u User) error {
	if len(l.registry.Of(u.Key())) > 0 {
		return ErrHasAccount
	}
	return accountError(l.store.TakeBackSignUp(ctx, u.Player(), l.now()), ErrNoAccount)
}

// Guest returns a guest for one connection: the same for the same connectionID, which is never shown.
func (l *Lobby) Guest(connectionID string) User {
	mac := hmac.New(sha256.New, l.guestSecret[:])
	mac.Write([]byte(connectionID))
	sum := mac.Sum(nil)
	name := []byte("guest-")
	for _, b := range sum[16:20] {
		name = append(name, match.CodeLetters[int(b)%len(match.CodeLetters)])
	}
	return User{Kind: storage.Guest, ID: hex.EncodeToString(sum[:16]), Name: string(name)}
}

// SuggestName returns the name that an SSH user name would make; "" if nobody may take it or somebody has.
func (l *Lobby) SuggestName(ctx context.Context, login string) string {
	shown, nameKey, err := names.Check(login)
	if err != nil {
		return ""
	}
	if err := l.store.FreeName(ctx, shown, nameKey); err != nil {
		return ""
	}
	return shown
}

// Fingerprints returns the fingerprints of a player's keys; none for a guest.
func (l *Lobby) Fingerprints(ctx context.Context, u User) ([]string, error) {
	if u.Kind != storage.Person {
		return nil, nil
	}
	keys, err := l.store.Keys(ctx, u.Player())
	return keys, refusal.OfStore(err)
}

// SaveSettings keeps a player's settings; ErrNeedsKey for a guest.
func (l *Lobby) SaveSettings(ctx context.Context, u User, s accounts.Settings) error {
	if u.Kind != storage.Person {
		return ErrNeedsKey
	}
	return refusal.OfStore(l.store.SaveSettings(ctx, u.Player(), s))
}

// player finds a player by name, in any letter case; ErrNoSuchPlayer, ErrBusy.
func (l *Lobby) player(ctx context.Context, name string) (accounts.Player, error) {
	nameKey, ok := names.Key(name)
	if !ok {
		return accounts.Player{}, ErrNoSuchPlayer
	}
	p, err := l.store.PlayerByName(ctx, nameKey)
	if errors.Is(err, storage.ErrNotFound) {
		return accounts.Player{}, ErrNoSuchPlayer
	}
	return p, refusal.OfStore(err)
}

// A HistoryQuery says which finished matches are wanted, newest first.
type HistoryQuery struct {
	Name   string         // of a player, in any letter case; "" is everybody
	Game   string         // id or alias; "" is every game
	Limit  int            // at most this many, itself cut to 1 to Limits.History
	Before results.Cursor // only older ones than this; the zero value starts at the newest
}

// History returns finished matches without their moves, and where to go on, which is the zero value at the end.
// The errors are ErrNoSuchPlayer, ErrNoSuchGame, ErrBusy.
func (l *Lobby) History(ctx context.Context, q HistoryQuery) ([]results.Finished, results.Cursor, error) {
	ask := results.HistoryQuery{Before: q.Before, Limit: max(1, min(q.Limit, l.inForce.Now().History))}
	if q.Name != "" {
		p, err := l.player(ctx, q.Name)
		if err != nil {
			return nil, results.Cursor{}, err
		}
		ask.Player = p.ID
	}
	if q.Game != "" {
		g, err := l.Game(q.Game)
		if err != nil {
			return nil, results.Cursor{}, err
		}
		ask.Game = g.About().ID
	}
	rows, err := l.store.History(ctx, ask)
	if err != nil || len(rows) < ask.Limit {
		return rows, results.Cursor{}, refusal.OfStore(err)
	}
	last := rows[len(rows)-1]
	return rows, results.Cursor{Ended: last.Ended, ID: last.ID}, nil
}
