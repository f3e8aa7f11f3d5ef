package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// # Computer accounts
//
// An account in which nothing has happened yet can become a computer account, for ever: a program plays its matches. It names a player as its
// owner, and has one as soon as that player agrees. A player owns at most MaxEngines.

// MaxEngines is how many computer accounts a player may own.
const MaxEngines = 3

// What is wrong with a change of a computer account. Nothing was written.
var (
	// ErrPlayed says that an account can't become a computer account, because a match, a result or a report names it.
	ErrPlayed = errors.New("the account has been used")

	// ErrKinds says that one of two accounts is a computer account and the other a person's.
	ErrKinds = errors.New("the accounts are of different kinds")

	// ErrManyEngines says that a player owns MaxEngines computer accounts.
	ErrManyEngines = errors.New("too many computer accounts")
)

// Kind returns storage.Engine for a computer account, else storage.Person.
func (p Player) Kind() storage.OccupantKind {
	if p.Became.IsZero() {
		return storage.Person
	}
	return storage.Engine
}

// Owned returns the computer accounts that the player owns.
func (p Player) Owned() (ids []storage.PlayerID) {
	for _, id := range p.Engines {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Become makes an account a computer account, for ever, and names its owner; owner may be "". One that is a computer account already names
// another owner, as long as it has none. The errors are ErrNotFound for an unknown player, ErrPlayed for an account in which something has
// happened, ErrKinds for an owner who is a computer account, and ErrUnchanged for a computer account that has an owner, or without a new one.
func (s *Store) Become(ctx context.Context, id, owner storage.PlayerID, now time.Time) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("computer account %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id)); err != nil {
			return err
		}
		p, err := ReadKnown(tx, id)
		if err != nil {
			return err
		}
		if owner != "" {
			o, err := ReadKnown(tx, owner)
			switch {
			case err != nil:
				return err
			case o.Kind() != storage.Person || owner == id:
				return ErrKinds
			}
		}
		if p.Kind() == storage.Engine {
			if p.Owner != "" || owner == "" || owner == p.Wanted {
				return storage.ErrUnchanged
			}
		} else {
			used, err := s.others.Used(tx, id)
			if err == nil && (used || len(p.Owned()) > 0) {
				err = ErrPlayed
			}
			if err != nil {
				return err
			}
			p.Became = storage.Stored(now)
		}
		p.Wanted = owner
		return Players.Put(tx, id, p)
	})
}

// Adopt makes a player the owner of a computer account that has named them. The errors are ErrNotFound if it has not, and ErrManyEngines.
func (s *Store) Adopt(ctx context.Context, owner, id storage.PlayerID) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("owner of computer account %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(owner), string(id)); err != nil {
			return err
		}
		o, err := ReadKnown(tx, owner)
		if err != nil {
			return err
		}
		p, err := ReadKnown(tx, id)
		if err != nil {
			return err
		}
		free := slices.Index(o.Engines[:], "")
		switch {
		case p.Wanted != owner || o.Kind() != storage.Person:
			return storage.ErrNotFound
		case free < 0:
			return ErrManyEngines
		}
		o.Engines[free], p.Owner, p.Wanted = id, owner, ""
		return errors.Join(Players.Put(tx, owner, o), Players.Put(tx, id, p))
	})
}

// disown takes a computer account that is about to be deleted from its owner.
func disown(tx kv.Tx, p Player) error {
	if p.Owner == "" {
		return nil
	}
	o, known, err := Players.Find(tx, p.Owner)
	if err != nil || !known {
		return err
	}
	if i := slices.Index(o.Engines[:], p.ID); i >= 0 {
		o.Engines[i] = ""
		return Players.Put(tx, o.ID, o)
	}
	return nil
}
