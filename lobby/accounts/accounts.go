// Package accounts manages the accounts of players: names and settings (Service), keys and codes (Keys), and the sessions that are open
// (Sessions).
//
// Players add and remove keys, get recovery codes, change their names and delete their accounts. A method that changes an account returns when
// the change is on disk.
package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	"ludoteca/storage/schema"
)

// A Store keeps players, by key and by name. Its methods return storage.ErrNotFound for what is missing; accounts.Store and schema.Store say
// more about each of them.
type Store interface {
	// SignUp makes an account, with an id of the store's choice, and its first key. The errors are storage.ErrNameTaken,
	// storage.ErrNameAlike and storage.ErrKeyTaken.
	SignUp(ctx context.Context, p accountstore.Player, fingerprint string) (accountstore.Player, error)

	// TakeBackSignUp deletes an account in which nothing has happened yet. It returns storage.ErrKeyTaken for any other.
	TakeBackSignUp(ctx context.Context, id storage.PlayerID, now time.Time) error

	PlayerByKey(ctx context.Context, fingerprint string) (accountstore.Player, error)
	PlayerByName(ctx context.Context, nameKey string) (accountstore.Player, error)

	// FreeName returns nil if a new player could take a name, else storage.ErrNameTaken or storage.ErrNameAlike.
	FreeName(ctx context.Context, name, nameKey string) error

	// Keys returns the fingerprints of a player's keys.
	Keys(ctx context.Context, id storage.PlayerID) ([]string, error)

	SaveSettings(ctx context.Context, id storage.PlayerID, s accountstore.Settings) error
	Account(ctx context.Context, id storage.PlayerID) (schema.Account, error)
	ChangeName(ctx context.Context, id storage.PlayerID, name, nameKey string, now time.Time) error
	Become(ctx context.Context, id, owner storage.PlayerID, now time.Time) error
	Adopt(ctx context.Context, owner, id storage.PlayerID) error
	DeletePlayer(ctx context.Context, id storage.PlayerID, now time.Time) (fingerprints []string, err error)
	Deletions(ctx context.Context) ([]storage.PlayerID, error)
	ForgetName(ctx context.Context, id storage.PlayerID) error
}

// Matches has the unfinished matches; registry.Registry is one.
type Matches interface {
	// Of returns the unfinished matches of a user.
	Of(who match.Key) []*match.Summary
}

// A Config configures New.
type Config struct {
	Store        Store
	Now          func() time.Time // the clock of events
	Log          *slog.Logger
	Tasks        *tasks.Group
	Reach        *nodes.Reach
	Restrictions *restrictions.Service
	Matches      Matches

	// Nickname returns the name of a guest who has chosen a nickname.
	Nickname func(guest match.Key) (name string, has bool)
}

// A Service signs users in and up, and changes what accounts hold besides keys. It is safe for concurrent use.
type Service struct {
	config      Config
	guestSecret [32]byte // makes the ids of guests unguessable
}

// New returns a service.
func New(c Config) *Service {
	s := &Service{config: c}
	rand.Read(s.guestSecret[:])
	return s
}

// ErrorOf translates an error of the store for callers of the club. missing is what storage.ErrNotFound means.
func ErrorOf(err, missing error) error {
	var renamed *accountstore.RenamedError
	if errors.As(err, &renamed) {
		return &RenamedError{renamed.Next}
	}
	for _, known := range []struct{ from, to error }{
		{storage.ErrNotFound, missing}, {accountstore.ErrLastKey, refusal.ErrLastKey}, {accountstore.ErrManyKeys, refusal.ErrManyKeys},
		{storage.ErrKeyTaken, refusal.ErrHasAccount}, {storage.ErrUnchanged, refusal.ErrUnchanged}, {accountstore.ErrRestricted, refusal.ErrRestricted},
		{accountstore.ErrPlayed, refusal.ErrPlayed}, {accountstore.ErrKinds, refusal.ErrKinds}, {accountstore.ErrManyEngines, refusal.ErrManyEngines},
		{storage.ErrNameTaken, refusal.ErrNameTaken}, {storage.ErrNameAlike, refusal.ErrNameAlike},
	} {
		if errors.Is(err, known.from) {
			return known.to
		}
	}
	return refusal.OfStore(err)
}

// Account returns what the club keeps about a player, except matches and ratings. The errors are refusal.ErrNeedsKey, refusal.ErrNoAccount and
// refusal.ErrBusy.
func (s *Service) Account(ctx context.Context, u match.User) (schema.Account, error) {
	if !u.Kind.HasAccount() {
		return schema.Account{}, refusal.ErrNeedsKey
	}
	a, err := s.config.Store.Account(ctx, u.Player())
	return a, ErrorOf(err, refusal.ErrNoAccount)
}

// ChangeName gives a player another name, once in accountstore.RenameEvery. For accountstore.NameKept the old name is reserved for the player and
// still finds them. Running matches show the new name from their next event on; records keep the old one. The errors are refusal.ErrNeedsKey,
// refusal.ErrAccountClosed, refusal.ErrNameTaken, refusal.ErrNameAlike, refusal.ErrUnchanged, *names.Error, *RenamedError and refusal.ErrBusy.
func (s *Service) ChangeName(ctx context.Context, u match.User, name string) (match.User, error) {
	if err := s.config.Restrictions.Own(u); err != nil {
		return match.User{}, err
	}
	shown, key, err := names.Check(name)
	if err != nil {
		return match.User{}, err
	}
	done, err := s.config.Restrictions.Begin(ctx)
	if err != nil {
		return match.User{}, err
	}
	defer done()
	if err := s.config.Store.ChangeName(ctx, u.Player(), shown, key, s.config.Now()); err != nil {
		return match.User{}, ErrorOf(err, refusal.ErrNoAccount)
	}
	u.Name = shown
	return u, s.config.Restrictions.Read(context.WithoutCancel(ctx))
}

// DeleteAccount deletes the account of a player. Offers are withdrawn, running matches end as if the player had left, sessions end, the lists of
// followed and blocked players are deleted, and the name is no longer shown anywhere. Bans by operators stay. The errors are
// refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrRestricted, refusal.ErrNoAccount and refusal.ErrBusy.
func (s *Service) DeleteAccount(ctx context.Context, u match.User, sessions SessionEnder) error {
	if err := s.config.Restrictions.Own(u); err != nil {
		return err
	}
	done, err := s.config.Restrictions.Begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	keys, err := s.config.Store.DeletePlayer(ctx, u.Player(), s.config.Now())
	if err != nil {
		return ErrorOf(err, refusal.ErrNoAccount)
	}
	ctx = context.WithoutCancel(ctx) // what follows doesn't depend on a session that ends now
	if err := s.config.Restrictions.Read(ctx); err != nil {
		return err
	}
	forgotten := make(chan struct{})
	err = s.config.Tasks.Go(func(ctx, _ context.Context) { defer close(forgotten); s.ForgetNames(ctx) })
	if err == nil {
		<-forgotten // or the club closes, and the rest is done when it next opens
	}
	sessions.EndKeys(keys, refusal.ErrAccountDeleted)
	return err
}

// ForgetNames removes the names of deleted players from records.
func (s *Service) ForgetNames(ctx context.Context) {
	ids, err := s.config.Store.Deletions(ctx)
	for _, id := range ids {
		err = errors.Join(err, s.config.Store.ForgetName(ctx, id))
	}
	if err != nil && ctx.Err() == nil {
		s.config.Log.Error("names of deleted players are not forgotten yet", "err", err)
	}
	if len(ids) > 0 {
		s.config.Restrictions.Tell(ctx, restrictions.Change{Records: true})
	}
}

// Become makes the account of a user a computer account, for ever, and names its owner: the name of a player, or "" for none. Its sessions end. A
// computer account without an owner names one. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrPlayed (matches or
// reports name the account), refusal.ErrKinds (the owner is a computer account, or the user), refusal.ErrUnchanged, refusal.ErrNoSuchPlayer for
// the owner, refusal.ErrNoAccount and refusal.ErrBusy.
func (s *Service) Become(ctx context.Context, u match.User, owner string, sessions SessionEnder) error {
	if err := s.config.Restrictions.Own(u); err != nil {
		return err
	}
	if u.Kind == storage.Person && s.plays(u) {
		return refusal.ErrPlayed
	}
	var named storage.PlayerID
	if owner != "" {
		p, err := s.ByName(ctx, owner)
		if err != nil {
			return err
		}
		named = p.ID
	}
	if err := s.config.Store.Become(ctx, u.Player(), named, s.config.Now()); err != nil {
		return ErrorOf(err, refusal.ErrNoAccount)
	}
	s.config.Restrictions.Tell(ctx, restrictions.Change{Became: []storage.PlayerID{u.Player()}})
	if u.Kind == storage.Engine {
		return nil
	}
	keys, err := s.config.Store.Keys(ctx, u.Player())
	if err != nil {
		return refusal.OfStore(err)
	}
	sessions.EndKeys(keys, refusal.ErrBecame) // they were a player's
	return nil
}

// Adopt makes a user the owner of a computer account that has named them. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed,
// refusal.ErrNoSuchPlayer, refusal.ErrNotNamed, refusal.ErrManyEngines and refusal.ErrBusy.
func (s *Service) Adopt(ctx context.Context, u match.User, name string) error {
	if err := s.config.Restrictions.Own(u); err != nil {
		return err
	}
	p, err := s.ByName(ctx, name)
	if err != nil {
		return err
	}
	return ErrorOf(s.config.Store.Adopt(ctx, u.Player(), p.ID), refusal.ErrNotNamed)
}

// plays reports whether a user has unfinished matches.
func (s *Service) plays(u match.User) bool { return len(s.config.Matches.Of(u.Key())) > 0 }

// A RenamedError says that a player has changed the name lately, and when the next change is allowed.
type RenamedError struct {
	Next time.Time
}

func (e *RenamedError) Error() string {
	return fmt.Sprintf("the name has changed lately: not before %s", e.Next.UTC().Format(time.DateOnly))
}

// AskCutOff is how long a node that is cut off waits for the store when a user signs in.
const AskCutOff = time.Second

// SignIn returns the owner of a key. The errors are refusal.ErrNoAccount if the key is unknown, refusal.ErrAccountClosed, refusal.ErrCutOff and
// refusal.ErrBusy.
func (s *Service) SignIn(ctx context.Context, fingerprint string) (match.User, accountstore.Settings, error) {
	p, err := s.playerByKey(ctx, fingerprint)
	if err != nil {
		return match.User{}, accountstore.Settings{}, err
	}
	return UserOf(p), p.Settings, nil
}

// AccountOf returns the owner of a key, and when the account was made. It returns the errors of SignIn.
func (s *Service) AccountOf(ctx context.Context, fingerprint string) (u match.User, since time.Time, err error) {
	p, err := s.playerByKey(ctx, fingerprint)
	if err != nil {
		return match.User{}, time.Time{}, err
	}
	return UserOf(p), p.Since, nil
}

// playerByKey is SignIn for the whole player.
func (s *Service) playerByKey(ctx context.Context, fingerprint string) (accountstore.Player, error) {
	asking, done := s.config.Reach.WhileReached(ctx)
	if s.config.Reach.Check() != nil { // a store that can't be written to may still be read
		done()
		asking, done = context.WithTimeout(ctx, AskCutOff)
	}
	defer done()
	p, err := s.config.Store.PlayerByKey(asking, fingerprint)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return accountstore.Player{}, refusal.ErrNoAccount
	case err != nil && ctx.Err() == nil && s.config.Reach.Check() != nil:
		return accountstore.Player{}, s.config.Reach.CutOffError()
	case err != nil:
		return accountstore.Player{}, refusal.OfStore(nodes.Unreached(ctx, asking, err))
	}
	if err := s.config.Restrictions.MayPlay(UserOf(p)); err != nil {
		return accountstore.Player{}, err
	}
	return p, nil
}

// UserOf returns a stored player as a user of the lobby.
func UserOf(p accountstore.Player) match.User {
	return match.User{Kind: p.Kind(), ID: string(p.ID), Name: p.Name}
}

// SignUp makes an account for a new key. The errors are *names.Error, refusal.ErrNameTaken, refusal.ErrNameAlike, refusal.ErrHasAccount for a key
// that has an account, refusal.ErrDiskFullName, refusal.ErrStoreFull, refusal.ErrCutOff and refusal.ErrBusy.
func (s *Service) SignUp(ctx context.Context, fingerprint, name string) (match.User, error) {
	shown, nameKey, err := names.Check(name)
	if err != nil {
		return match.User{}, err
	}
	if err := s.config.Reach.Room(refusal.ErrDiskFullName); err != nil {
		return match.User{}, err
	}
	p, err := s.config.Store.SignUp(ctx, accountstore.Player{Name: shown, NameKey: nameKey, Since: s.config.Now().UTC().Truncate(time.Millisecond)}, fingerprint)
	switch {
	case errors.Is(err, storage.ErrNameTaken):
		return match.User{}, refusal.ErrNameTaken
	case errors.Is(err, storage.ErrNameAlike):
		return match.User{}, refusal.ErrNameAlike
	case errors.Is(err, storage.ErrKeyTaken):
		return match.User{}, refusal.ErrHasAccount
	case err != nil:
		return match.User{}, refusal.OfStore(err)
	}
	return UserOf(p), nil
}

// TakeBackSignUp deletes an account with one key in which nothing has happened yet, and frees its name. The errors are refusal.ErrHasAccount for
// any other account, refusal.ErrNoAccount and refusal.ErrBusy.
func (s *Service) TakeBackSignUp(ctx context.Context, u match.User) error {
	if s.plays(u) {
		return refusal.ErrHasAccount
	}
	return ErrorOf(s.config.Store.TakeBackSignUp(ctx, u.Player(), s.config.Now()), refusal.ErrNoAccount)
}

// Guest returns the guest of a connection: always the same for the same connectionID, which is never shown, under the present name.
func (s *Service) Guest(connectionID string) match.User {
	mac := hmac.New(sha256.New, s.guestSecret[:])
	mac.Write([]byte(connectionID))
	sum := mac.Sum(nil)
	name := []byte(names.GuestPrefix)
	for _, b := range sum[16:20] {
		name = append(name, match.CodeLetters[int(b)%len(match.CodeLetters)])
	}
	u := match.User{Kind: storage.Guest, ID: hex.EncodeToString(sum[:16]), Name: string(name)}
	if nickname, has := s.config.Nickname(u.Key()); has {
		u.Name = nickname
	}
	return u
}

// SuggestName returns an SSH user name as a name for a new player, or "" if it is not allowed or taken.
func (s *Service) SuggestName(ctx context.Context, login string) string {
	shown, nameKey, err := names.Check(login)
	if err != nil {
		return ""
	}
	if err := s.config.Store.FreeName(ctx, shown, nameKey); err != nil {
		return ""
	}
	return shown
}

// Fingerprints returns the fingerprints of a player's keys, and nil for a guest.
func (s *Service) Fingerprints(ctx context.Context, u match.User) ([]string, error) {
	if !u.Kind.HasAccount() {
		return nil, nil
	}
	keys, err := s.config.Store.Keys(ctx, u.Player())
	return keys, refusal.OfStore(err)
}

// SaveSettings stores a player's settings. The errors are refusal.ErrNeedsKey for a guest and refusal.ErrBusy.
func (s *Service) SaveSettings(ctx context.Context, u match.User, settings accountstore.Settings) error {
	if !u.Kind.HasAccount() {
		return refusal.ErrNeedsKey
	}
	return refusal.OfStore(s.config.Store.SaveSettings(ctx, u.Player(), settings))
}

// ByName returns the player with a name, in any letter case. The errors are refusal.ErrNoSuchPlayer and refusal.ErrBusy.
func (s *Service) ByName(ctx context.Context, name string) (accountstore.Player, error) {
	nameKey, ok := names.Key(name)
	if !ok {
		return accountstore.Player{}, refusal.ErrNoSuchPlayer
	}
	p, err := s.config.Store.PlayerByName(ctx, nameKey)
	if errors.Is(err, storage.ErrNotFound) {
		return accountstore.Player{}, refusal.ErrNoSuchPlayer
	}
	return p, refusal.OfStore(err)
}
