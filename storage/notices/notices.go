// Package notices stores what leaves the club: where players want their notices, how often codes were sent to an address and what players were
// told, as far as limits need it, and the notices that wait to be sent.
//
//	notices.go     the parts, and what goes with an account
//	contacts.go    the address of a player: asked for, confirmed, stopped
//	recipients.go  what is known of an address, under a salted hash
//	tallies.go     what a player was told
//	queue.go       the notices that wait
package notices

import (
	"context"
	"errors"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Store keeps the addresses of players and their notices.
type Store struct {
	engine kv.Store
	player func(r kv.Reader, id storage.PlayerID) (accounts.Player, error)
}

// New returns the notices that an engine keeps. player reads a player who has not been deleted.
func New(engine kv.Store, player func(r kv.Reader, id storage.PlayerID) (accounts.Player, error)) *Store {
	return &Store{engine, player}
}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Contacts, Recipients, Tallies, Queue},
		Cells:  []storage.AnyCell{ClubCodes},
	}
}

// Erase deletes where a player wants notices, what they were told, and what waits for them. What is known of the address stays, under its hash,
// and no longer names the player.
func Erase(tx kv.Tx, id storage.PlayerID) error {
	c, _, err := Contacts.Find(tx, id)
	if err != nil && !errors.Is(err, storage.ErrDamaged) {
		return err
	}
	for _, a := range c.all() {
		if err := forgetPlayer(tx, a, id); err != nil {
			return err
		}
	}
	Contacts.Delete(tx, id)
	Tallies.Delete(tx, id)
	return Queue.DeleteUnder(tx, string(id))
}

// Sweep removes what has expired: codes that nobody has typed, counts of days that are over, and notices that were given up.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return errors.Join(s.sweepContacts(ctx, now), s.sweepTallies(ctx, now), s.sweepQueue(ctx, now))
}

// since returns the times of a list that are less than an age before now.
func since(times []time.Time, age time.Duration, now time.Time) (recent []time.Time) {
	for _, at := range times {
		if now.Sub(at) < age {
			recent = append(recent, at)
		}
	}
	return recent
}
